import { VirtualTime } from '../../../../explore/virtual-clock.ts';
import type { ServoLink } from '../../../../src/rt/driver/servo-link.ts';
import type { DynamixelModel } from '../../../../src/servo/dynamixel/x-series.ts';
import { modelByName } from '../../../../src/servo/servo-models.ts';
import { DynamixelFirmware, type DynamixelFirmwareOptions } from '../../../../src/sim/dynamixel-firmware.ts';
import { EmulatedDynamixelBus } from '../../../../src/sim/emulated-dynamixel-bus.ts';
import { VirtualLine } from '../../../servo/virtual-line.ts';
import { LinkLoop } from './link.ts';

/** Position at which the bench's shafts stand: the middle of the turn, where the joints are at 0. */
export const MIDDLE = 2048;
const STEP = 0.001;
const SYNC_WRITE = 0x83;

/** A servo on the bench. */
export interface BenchServo {
  readonly model: DynamixelModel;
  /** What the arm's data say that it is; left out: what it is. */
  readonly expected?: DynamixelModel;
  readonly eeprom?: DynamixelFirmwareOptions['eeprom'];
}

/** A line that remembers what was sent. */
class RecordedLine extends VirtualLine {
  readonly sent: Uint8Array[] = [];

  override write(bytes: Uint8Array): void {
    this.sent.push(bytes.slice());
    super.write(bytes);
  }
}

/** Servos with light shafts on a line, numbered from 1 in the order of their joints, and an arm's link on the other end. */
export class DynamixelBench {
  readonly time = new VirtualTime();
  readonly servos: readonly DynamixelFirmware[];
  readonly bus: EmulatedDynamixelBus;
  readonly line: RecordedLine;
  readonly loop: LinkLoop;
  readonly #joints: readonly { angle: number; readonly servos: readonly DynamixelFirmware[] }[];

  /** @param before is done to the servos before anybody has looked at them */
  constructor(
    joints: readonly (readonly BenchServo[])[],
    before: (servo: DynamixelFirmware, index: number) => void = () => {},
  ) {
    const clock = this.time.lane('all');
    let ids = 0;
    this.#joints = joints.map((servos) => ({
      angle: Math.PI,
      servos: servos.map(({ model, eeprom = {} }) => new DynamixelFirmware({ model, id: ++ids, eeprom })),
    }));
    this.servos = this.#joints.flatMap(({ servos }) => servos);
    this.bus = new EmulatedDynamixelBus({ servos: this.servos, onReply: () => {} });
    clock.every(STEP, () => this.#step());
    this.#step();
    for (const [i, servo] of this.servos.entries()) before(servo, i);
    this.line = new RecordedLine(clock);
    this.line.connect(this.bus);
    this.loop = new LinkLoop(
      this.time,
      this.line,
      joints.map((servos, j) => ({
        ...{ lower: -Math.PI, upper: Math.PI, name: `joint_${j + 1}`, settings: {} },
        servos: servos.map(({ model, expected = model }, s) => ({
          id: this.#joints[j]!.servos[s]!.id,
          model: modelByName(expected.model)!,
          calibration: { sign: 1 as const, zero: MIDDLE, stepsPerTurn: 4096 },
          shadow: false,
        })),
      })),
    );
  }

  get link(): ServoLink {
    return this.loop.link;
  }

  /** Where the joints are, rad. */
  get angles(): number[] {
    return this.#joints.map(({ angle }) => angle - Math.PI);
  }

  /** The servos that each write to a register of several servos names. */
  writes(register: { readonly address: number }): number[][] {
    // FF FF FD 00 FE length 83 00 address width (id data)* checksum; numbers have two bytes.
    return this.line.sent
      .filter((frame) => frame[7] === SYNC_WRITE && frame[8] === register.address)
      .map((frame) => {
        const named: number[] = [];
        for (let at = 12; at < frame.length - 2; at += 1 + frame[10]!) named.push(frame[at]!);
        return named;
      });
  }

  #step(): void {
    for (const joint of this.#joints) {
      let torque = 0;
      for (const servo of joint.servos) torque += servo.step(STEP, joint.angle, 0);
      // Shafts that glide as if in oil: where they go is the point, not how.
      joint.angle += STEP * 2 * Math.max(-1, Math.min(1, torque));
    }
  }
}
