import { VirtualTime } from '../../explore/virtual-clock.ts';
import type { ExpectedServo } from '../../src/servo/expected-servo.ts';
import { encodeSign, storeRaw } from '../../src/servo/registers.ts';
import type { ServoClient } from '../../src/servo/servo-client.ts';
import type { ServoModel } from '../../src/servo/servo-model.ts';
import { modelByName } from '../../src/servo/servo-models.ts';
import { DynamixelFirmware } from '../../src/sim/dynamixel-firmware.ts';
import { EmulatedDynamixelBus } from '../../src/sim/emulated-dynamixel-bus.ts';
import { EmulatedFeetechBus } from '../../src/sim/emulated-feetech-bus.ts';
import type { EmulatedServoBus } from '../../src/sim/emulated-servo.ts';
import { Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';
import { type LineOptions, VirtualLine } from './virtual-line.ts';

const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex'];

/** A write to an EEPROM register that outlasts the supply. */
export interface LastingWrite {
  readonly id: number;
  readonly address: number;
}

class WatchedFeetech extends Sts3215Firmware {
  readonly writes: { address: number; bytes: number[] }[] = [];
  readonly lasting: LastingWrite[] = [];

  override write(address: number, data: Uint8Array, offset: number, length: number): void {
    this.writes.push({ address, bytes: [...data.subarray(offset, offset + length)] });
    // Lock open, and an address of the EEPROM: by the data sheet it lasts.
    if (address < 40 && this.memory[55] === 0) this.lasting.push({ id: this.id, address });
    super.write(address, data, offset, length);
  }
}

class WatchedDynamixel extends DynamixelFirmware {
  readonly writes: { address: number; bytes: number[] }[] = [];
  readonly lasting: LastingWrite[] = [];

  override write(address: number, data: Uint8Array, offset: number, length: number, group = false): number {
    this.writes.push({ address, bytes: [...data.subarray(offset, offset + length)] });
    if (address < 64) this.lasting.push({ id: this.id, address });
    return super.write(address, data, offset, length, group);
  }
}

export type Watched = WatchedFeetech | WatchedDynamixel;

/** What a servo begins with: its EEPROM, then what somebody has written to its RAM since. */
export interface Preset {
  readonly eeprom?: Readonly<Record<string, number>>;
  readonly ram?: Readonly<Record<string, number>>;
}

/** Three servos with ids 1 to 3 on a line in virtual time, with a client. */
export class Bench {
  readonly time = new VirtualTime();
  readonly line: VirtualLine;
  readonly servos: readonly Watched[];
  readonly bus: EmulatedServoBus;
  readonly model: ServoModel;
  readonly client: ServoClient;
  readonly expected: ExpectedServo[];

  /** @param preset of the servo with this id */
  constructor(trade: string, preset: (id: number) => Preset = () => ({}), options: LineOptions = {}) {
    this.model = modelByName(trade)!;
    this.line = new VirtualLine(this.time.lane('bench'), options);
    const feetech = this.model.family.name === 'feetech';
    const make = (id: number): Watched => {
      const { eeprom = {} } = preset(id);
      return feetech
        ? new WatchedFeetech({ id, eeprom })
        : new WatchedDynamixel({ id, eeprom, model: this.model as never });
    };
    this.servos = JOINTS.map((_, i) => make(i + 1));
    for (const [i, servo] of this.servos.entries()) {
      servo.step(0.001, 2 + 0.5 * i, 0);
      for (const [name, value] of Object.entries(preset(i + 1).ram ?? {})) this.preset(servo, name, value);
      servo.step(0.001, 2 + 0.5 * i, 0);
      servo.writes.length = 0;
      servo.lasting.length = 0;
    }
    this.bus = feetech
      ? new EmulatedFeetechBus({ servos: this.servos as WatchedFeetech[], onReply: () => {} })
      : new EmulatedDynamixelBus({ servos: this.servos as WatchedDynamixel[], onReply: () => {} });
    this.line.connect(this.bus);
    this.client = this.model.family.makeClient(this.line);
    this.expected = JOINTS.map((joint, i) => {
      return { joint, id: i + 1, model: this.model, settings: {}, shadow: null, travel: null };
    });
  }

  /** Writes a register as another program would. */
  preset(servo: Watched, name: string, value: number): void {
    const { address, size, sign } = this.model.registers[name]!;
    const bytes = new Uint8Array(size);
    storeRaw(bytes, 0, size, encodeSign(sign, value));
    servo.write(address, bytes, 0, size);
  }

  /** Contents of a register, by servo. */
  values(name: string): number[] {
    return this.servos.map((servo) => servo.value(name as never));
  }

  run<T>(promise: Promise<T>): Promise<T> {
    return this.time.until(promise, 30);
  }

  get lasting(): LastingWrite[] {
    return this.servos.flatMap((servo) => servo.lasting);
  }
}
