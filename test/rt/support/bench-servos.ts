import type { Lane } from '../../../explore/virtual-clock.ts';
import type { LinkJoint } from '../../../src/rt/driver/servo-slots.ts';
import { STS3215 } from '../../../src/servo/feetech/sts3215.ts';
import { type BytePort, PortError } from '../../../src/servo/port/port.ts';
import { EmulatedFeetechBus } from '../../../src/sim/emulated-feetech-bus.ts';
import { type FirmwareOptions, Sts3215Firmware } from '../../../src/sim/sts3215-firmware.ts';
import { STS3215_MOTOR } from '../../../src/sim/sts3215-motor.ts';

/** With a light link, kg m^2. */
export const INERTIA = 0.036;
/** Position of a servo whose joint is at 0, and the angle of a step, rad. */
export const ZERO = 2048;
export const STEP = (2 * Math.PI) / STS3215.stepsPerTurn;
const { damping, frictionLoss } = STS3215_MOTOR;

const GONE = new PortError('closed', 'test: has been pulled out');

/** A joint's shaft, and what turns it. */
export interface Shaft {
  /** rad and rad/s of the joint. */
  angle: number;
  velocity: number;
  /** Torque of a weight or of a hand, Nm. */
  pull: number;
  /** It cannot be turned below or above these, rad. */
  floor: number;
  ceiling: number;
  /** Each of them counts up with the joint, or down. */
  readonly servos: readonly { readonly servo: Sts3215Firmware; readonly sign: 1 | -1 }[];
}

/** The wire: what is written is answered at once. */
export class BenchPort implements BytePort {
  readonly url = 'test:';
  readonly clock: Lane;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  /** Every frame that was sent. */
  readonly sent: Uint8Array[] = [];
  /** Requests that are lost. */
  lose: (frame: Uint8Array) => boolean = () => false;
  opened = 0;
  closed = 0;
  gone = false;
  readonly #feed: (bytes: Uint8Array) => void;

  constructor(clock: Lane, feed: (bytes: Uint8Array) => void) {
    this.clock = clock;
    this.#feed = feed;
  }

  async open(): Promise<void> {
    this.opened++;
    if (this.gone) throw GONE;
  }

  write(bytes: Uint8Array): void {
    this.sent.push(bytes.slice());
    if (!this.gone && !this.lose(bytes)) this.#feed(bytes.slice());
  }

  unplug(): void {
    this.gone = true;
    this.onClose(GONE);
  }

  async close(): Promise<void> {
    this.closed++;
  }
}

/** Emulated servos on a wire, each of which turns the shaft of its joint: no arm's geometry, no contacts but hard stops. */
export class BenchServos {
  readonly servos: readonly Sts3215Firmware[];
  readonly shafts: readonly Shaft[];
  readonly bus: EmulatedFeetechBus;
  readonly port: BenchPort;

  /**
   * @param pose of the joints at the beginning, rad
   * @param weight of each joint, which pulls its shaft down, Nm
   * @param delay time after which the servos answer, s; 0: at once
   */
  constructor(
    joints: readonly LinkJoint[],
    pose: readonly number[],
    weight: readonly number[],
    clock: Lane,
    eeprom: FirmwareOptions['eeprom'] = {},
    delay = 0,
  ) {
    this.servos = joints.flatMap(({ servos }) =>
      servos.map(({ id }) => new Sts3215Firmware({ id, torqueOnGoalWrite: false, eeprom })),
    );
    this.shafts = joints.map(({ servos }, j) => ({
      ...{ angle: pose[j]!, velocity: 0, pull: -weight[j]! },
      ...{ floor: Number.NEGATIVE_INFINITY, ceiling: Number.POSITIVE_INFINITY },
      servos: servos.map(({ id, calibration }) => ({
        servo: this.servos.find((servo) => servo.id === id)!,
        sign: calibration.sign,
      })),
    }));
    this.bus = new EmulatedFeetechBus({
      servos: [...this.servos],
      onReply: (bytes) => {
        const answer = new Uint8Array(bytes);
        if (delay === 0) this.port.onBytes(answer);
        else clock.after(delay, () => this.port.onBytes(answer));
      },
    });
    this.port = new BenchPort(clock, (bytes) => this.bus.feed(bytes, clock.now() * 1000));
    this.turn(0.001);
  }

  /** Lets the servos drive their shafts for `dt`, s. */
  turn(dt: number): void {
    for (const shaft of this.shafts) {
      let drive = 0;
      for (const { servo, sign } of shaft.servos) {
        drive += sign * servo.step(dt, sign * shaft.angle + ZERO * STEP, sign * shaft.velocity);
      }
      const net = drive + shaft.pull - damping * shaft.velocity;
      const sticks = shaft.velocity === 0 && Math.abs(net) <= frictionLoss;
      // A limp arm hangs where it is: nothing of interest happens while it falls.
      if (sticks || !shaft.servos.some(({ servo }) => servo.torqueOn)) {
        shaft.velocity = 0;
        continue;
      }
      const direction = shaft.velocity === 0 ? Math.sign(net) : Math.sign(shaft.velocity);
      const next = shaft.velocity + ((net - frictionLoss * direction) / INERTIA) * dt;
      shaft.velocity = next * direction < 0 ? 0 : next;
      const angle = shaft.angle + shaft.velocity * dt;
      shaft.angle = Math.min(Math.max(angle, shaft.floor), shaft.ceiling);
      if (shaft.angle !== angle) shaft.velocity = 0;
    }
  }
}
