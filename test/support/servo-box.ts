import { systemClock } from '../../src/clock.ts';
import type { SetupLine } from '../../src/servo/assign.ts';
import type { BytePort, PortError } from '../../src/servo/port/port.ts';
import type { ServoFamily } from '../../src/servo/servo-family.ts';
import { DynamixelFirmware } from '../../src/sim/dynamixel-firmware.ts';
import { EmulatedDynamixelBus } from '../../src/sim/emulated-dynamixel-bus.ts';
import { EmulatedFeetechBus } from '../../src/sim/emulated-feetech-bus.ts';
import type { EmulatedServoBus } from '../../src/sim/emulated-servo.ts';
import { Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';

export type Firmware = Sts3215Firmware | DynamixelFirmware;

/** Rates that the baud codes of these tests mean, from the makers' tables: register 6 of an STS3215, 8 of an X servo. */
const FEETECH_RATES: Readonly<Record<number, number>> = { 0: 1_000_000, 1: 500_000, 4: 115_200 };
const DYNAMIXEL_RATES: Readonly<Record<number, number>> = { 1: 57_600, 2: 115_200, 3: 1_000_000 };

/** How long a client waits for an answer here, ms: answers come in a later turn of the event loop, whatever that takes. */
const DEADLINE = 5;

/** Servos on a table, of which some are connected to one line. Unlike on a pseudo-terminal, each hears its own rate alone. */
export class ServoBox {
  #connected: readonly Firmware[] = [];
  /** Whether a servo's last word at its old rate is lost, as it is where it acknowledges at the new one. */
  losesLastWord = false;
  /** Whether answers that come at once damage each other, as on a wire; otherwise they come one after the other. */
  collides = false;

  /** Connects these servos, and no others. */
  connect(...servos: readonly Firmware[]): void {
    // Physics: shafts of servos that nobody has put together stand anywhere.
    for (const [i, servo] of servos.entries()) servo.step(0, 0.3 + 0.4 * i, 0);
    this.#connected = servos;
  }

  /** The far end of a line without a rate of its own, which reaches all that are connected. */
  bus(onReply: (bytes: Uint8Array) => void): EmulatedServoBus {
    return busOf(this.#connected, onReply);
  }

  /** Lets those that hear a rate answer one whole request. */
  answer(request: Uint8Array, baudRate: number | null, onReply: (bytes: Uint8Array) => void): void {
    const hearing = this.#connected.filter((servo) => baudRate === null || rateOf(servo) === baudRate);
    if (hearing.length === 0) return;
    const bytes = this.collides
      ? overlaid(hearing.map((servo) => repliesOf([servo], request)))
      : repliesOf(hearing, request);
    if (this.losesLastWord && hearing.some((servo) => baudRate !== null && rateOf(servo) !== baudRate)) return;
    if (bytes.length > 0) onReply(Uint8Array.from(bytes));
  }

  line(family: ServoFamily): SetupLine {
    return {
      name: 'test:box',
      open: async (baudRate) => {
        const port = new BoxPort(this, baudRate);
        return { client: family.makeClient(port, { deadline: DEADLINE }), close: () => port.close() };
      },
    };
  }
}

class BoxPort implements BytePort {
  readonly url = 'test:box';
  readonly clock = systemClock;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  readonly #box: ServoBox;
  readonly #baudRate: number | null;

  constructor(box: ServoBox, baudRate: number | null) {
    this.#box = box;
    this.#baudRate = baudRate;
  }

  async open(): Promise<void> {}
  write(bytes: Uint8Array): void {
    const request = bytes.slice();
    setTimeout(() => this.#box.answer(request, this.#baudRate, (reply) => this.onBytes(reply)), 0);
  }
  async close(): Promise<void> {}
}

function rateOf(servo: Firmware): number | undefined {
  const rates = servo instanceof Sts3215Firmware ? FEETECH_RATES : DYNAMIXEL_RATES;
  return rates[servo.value('baud_code')];
}

/** All that these servos answer to one request. */
function repliesOf(servos: readonly Firmware[], request: Uint8Array): number[] {
  const bytes: number[] = [];
  busOf(servos, (reply) => bytes.push(...reply)).feed(request, 0);
  return bytes;
}

/** Answers that are sent at the same moment: a line that idles high is low where any of them is. */
function overlaid(answers: readonly (readonly number[])[]): number[] {
  const length = Math.max(...answers.map((bytes) => bytes.length));
  return Array.from({ length }, (_, i) => answers.reduce((byte, bytes) => byte & (bytes[i] ?? 0xff), 0xff));
}

function busOf(servos: readonly Firmware[], onReply: (bytes: Uint8Array) => void): EmulatedServoBus {
  const feetech = servos.filter((servo) => servo instanceof Sts3215Firmware);
  if (feetech.length > 0) return new EmulatedFeetechBus({ servos: feetech, onReply });
  return new EmulatedDynamixelBus({
    servos: servos.filter((servo) => servo instanceof DynamixelFirmware),
    onReply,
  });
}
