import { judgeLimits } from '../../../src/servo/audit.ts';
import type { ClientOptions, Reply } from '../../../src/servo/exchange.ts';
import { ExchangeClient } from '../../../src/servo/exchange-client.ts';
import { FrameScanner } from '../../../src/servo/frame-scanner.ts';
import type { BytePort } from '../../../src/servo/port/port.ts';
import type { Register } from '../../../src/servo/registers.ts';
import type { StatusHandler } from '../../../src/servo/reply.ts';
import { ServoError, type ServoIdentity } from '../../../src/servo/servo-client.ts';
import { type ServoFamily, servoFamily } from '../../../src/servo/servo-family.ts';
import { SyncBus } from '../../../src/servo/sync-bus.ts';
import * as frames from './toy-frame.ts';
import { ANSWER, MAX_FRAME, OVERHEAD, xor } from './toy-frame.ts';
import { TOY_1 } from './toy-table.ts';

/** Alarm bits: the motor has been switched off, and why. */
export const Fault = { jammed: 1, hot: 2 } as const;

class AnswerParser extends FrameScanner {
  constructor(handler: StatusHandler) {
    super(handler, OVERHEAD, MAX_FRAME);
  }

  protected override frame(at: number): number {
    const { buffer } = this;
    if (buffer[at] !== ANSWER) return this.refuse();
    const total = buffer[at + 3]! + OVERHEAD;
    if (total > MAX_FRAME) return this.refuse();
    if (this.length - at < total) return 0;
    if (xor(buffer, at, at + total - 1) !== buffer[at + total - 1]) return this.refuse();
    this.handler(buffer[at + 1]!, buffer[at + 2]!, buffer, at + 4, total - OVERHEAD);
    return total;
  }
}

class ToyClient extends ExchangeClient {
  constructor(port: BytePort, options?: ClientOptions) {
    super(port, frames, (handler) => new AnswerParser(handler), options);
  }

  async ping(id: number): Promise<ServoIdentity | null> {
    const reply = await this.pinged(id, 3);
    if (reply === null) return null;
    const [high, low, firmware] = reply.bytes;
    return { id, modelNumber: 256 * high! + low!, firmware: `t${firmware}` };
  }

  async reboot(id: number): Promise<void> {
    throw new ServoError('refused', id, `servo ${id} cannot be restarted: no toy can`);
  }

  protected ask(id: number, frame: Uint8Array, what: string, _: number | null, length: number): Promise<Reply> {
    return this.exchange.ask(id, frame, what, length);
  }
}

class ToyBus extends SyncBus {
  protected override readonly statusOverhead = OVERHEAD;

  constructor(port: BytePort, ids: readonly number[]) {
    super(port, ids, MAX_FRAME, (handler) => new AnswerParser(handler));
  }

  protected override askAll(address: number, length: number): number {
    return frames.encodeReadAll(this.frame, this.ids, address, length);
  }

  protected override askOne(id: number, address: number, length: number): number {
    return frames.encodeRead(this.frame, id, address, length);
  }

  protected override askSome(ids: Uint8Array, address: number, length: number): number {
    return frames.encodeReadAll(this.frame, ids, address, length);
  }

  protected override encodeWrite(ids: Uint8Array, register: Register, values: ArrayLike<number>): number {
    return frames.encodeWriteAll(this.frame, ids, register.address, register.size, values);
  }
}

/** A family that exists for tests alone: all that the bridge needs to know of one is in this folder. */
export const TOY: ServoFamily = servoFamily(
  {
    name: 'toy',
    title: 'Toy',
    usualBaudRates: [9_600],
    adapters: [],
    makeClient: (port, options) => new ToyClient(port, options),
    makeBus: (port, ids) => new ToyBus(port, ids),
    reads: {
      position: ['presentPosition'],
      detail: ['presentPosition', 'presentTemperature', 'alarms'],
      state: ['torqueEnable', 'goalPosition', 'presentPosition'],
      goals: null,
    },
    alarms: {
      texts: [
        [Fault.jammed, 'jammed'],
        [Fault.hot, 'too hot'],
      ],
      overload: Fault.jammed,
      recoverable: Fault.jammed,
      refuseTorque: false,
      endedBy: 'torque off',
    },
    positionModes: [2],
    effortLimit: () => null,
    homingSign: -1,
    modeFor: (mode) => mode,
    eepromLock: null,
    eepromNeedsLimp: false,
    reverse: null,
    secondaryId: null,
    watchdog: null,
    acknowledgement: null,
    auditBlocks: [
      [40, 13],
      [0, 20],
    ],
    audit: (servo) => [
      { register: 'mode', wanted: 2, severity: 'fault', means: 'it only turns round and round', set: 'never' },
      { register: 'pace', wanted: 0, severity: 'warning', means: 'it takes its time', set: 'limp' },
      ...judgeLimits(servo, TOY.goalLimits(servo.contents)),
    ],
    countsTurns: () => false,
    jumpsAtTurn: false,
    goalLimits: (contents) => ({ lowest: contents.named('lower'), highest: contents.named('upper') }),
  },
  [TOY_1],
);
