import { onTestFinished } from 'vitest';
import { VirtualTime } from '../../../explore/virtual-clock.ts';
import type { ServoLink } from '../../../src/rt/driver/servo-link.ts';
import type { LinkJoint } from '../../../src/rt/driver/servo-slots.ts';
import { ArmController } from '../../../src/rt/joint/arm-controller.ts';
import type { ControlModel } from '../../../src/rt/joint/control-model.ts';
import { jointMasks } from '../../../src/rt/joint/joint-groups.ts';
import type { EndReason } from '../../../src/rt/joint/motions.ts';
import { yieldLimits } from '../../../src/rt/joint/stall-guard.ts';
import { YieldGuard } from '../../../src/rt/joint/yield-guard.ts';
import { servoLink } from '../../../src/rt/open-link.ts';
import { SharedState } from '../../../src/rt/snapshot/shared-snapshot.ts';
import { STS3215 } from '../../../src/servo/feetech/sts3215.ts';
import { modelByName } from '../../../src/servo/servo-models.ts';
import type { EmulatedFeetechBus } from '../../../src/sim/emulated-feetech-bus.ts';
import type { FirmwareOptions, Sts3215Firmware } from '../../../src/sim/sts3215-firmware.ts';
import { STS3215_MOTOR } from '../../../src/sim/sts3215-motor.ts';
import { type BenchPort, BenchServos, INERTIA, type Shaft, STEP, ZERO } from './bench-servos.ts';

/** Of the control loop, s, and the steps of the mechanics in it. */
export const PERIOD = 0.005;
const STEPS = 5;
const { stiffness, damping, frictionLoss, stallTorque } = STS3215_MOTOR;

export interface BenchOptions {
  /** Of the joints at the beginning, rad; one element per joint. */
  readonly pose?: readonly number[];
  /** Weight of each joint as the model knows it, Nm; its shaft is pulled down by as much. */
  readonly weight?: readonly number[];
  readonly model?: Partial<ControlModel>;
  /** Register contents of the servos' EEPROM. */
  readonly eeprom?: FirmwareOptions['eeprom'];
  /** Changes the joints as their bus knows them. */
  readonly joints?: (joints: LinkJoint[]) => LinkJoint[];
}

/**
 * An arm of the control loop with its real link, gate and codec over emulated servos, each of which turns a shaft with a
 * weight: no arm's geometry, no contacts but hard stops, and no time but the one that the test lets pass. A second takes
 * ten milliseconds.
 */
export class BenchArm {
  readonly time = new VirtualTime();
  readonly clock = this.time.lane('control');
  readonly servos: readonly Sts3215Firmware[];
  readonly shafts: readonly Shaft[];
  readonly bus: EmulatedFeetechBus;
  readonly port: BenchPort;
  readonly link: ServoLink;
  readonly arm: ArmController;
  readonly shared: SharedState;
  readonly ended: { readonly motion: number; readonly reason: EndReason; readonly text: string }[] = [];
  readonly warnings: string[] = [];
  readonly ailing: [number, string, string][] = [];
  /** Why torque did not go on when it was asked for last; empty when it did, null while that is open. */
  problem: string | null = null;
  /** The largest change of a goal in one cycle since torque was asked for, rad. */
  largestStep = 0;
  readonly #bench: BenchServos;
  readonly #lastGoals: Float64Array;

  constructor({ pose = [0, 0], weight = pose.map(() => 0), ...options }: BenchOptions = {}) {
    const model = modelByName('STS3215')!;
    const all = pose.map(
      (_, j): LinkJoint => ({
        name: `joint ${j + 1}`,
        lower: -2,
        upper: 2,
        servos: [
          { id: j + 1, model, calibration: { sign: 1, zero: ZERO, stepsPerTurn: STS3215.stepsPerTurn }, shadow: false },
        ],
        settings: {},
      }),
    );
    const joints = options.joints?.(all) ?? all;
    this.#bench = new BenchServos(joints, pose, weight, this.clock, options.eeprom);
    ({ servos: this.servos, shafts: this.shafts, bus: this.bus, port: this.port } = this.#bench);
    this.link = servoLink(this.port, joints);
    this.link.onWarning = (text) => void this.warnings.push(text);
    this.link.onAiling = (...what) => void this.ailing.push(what);
    this.shared = new SharedState([joints.length], this.clock);
    this.arm = new ArmController(0, { ...benchModel(weight), ...options.model }, this.link, this.shared);
    this.arm.motions.onEnd = (motion, reason, text) => void this.ended.push({ motion, reason, text });
    this.#lastGoals = new Float64Array(joints.length).fill(Number.NaN);
    // A clock at 0 has not begun.
    this.time.runSync(10);
    onTestFinished(() => this.link.close('the test is over'));
  }

  /** An arm that is connected and limp. */
  static async limp(options: BenchOptions = {}): Promise<BenchArm> {
    const bench = new BenchArm(options);
    await bench.connect();
    return bench;
  }

  /** An arm that holds. */
  static async holding(options: BenchOptions = {}): Promise<BenchArm> {
    const bench = await BenchArm.limp(options);
    await bench.hold();
    return bench;
  }

  async connect(): Promise<void> {
    await this.cycles(() => this.link.up);
    this.run(0.02);
  }

  /** Cycles, between which promises settle, until something holds. @param limit s */
  async cycles(until: () => boolean, limit = 20): Promise<void> {
    const deadline = this.time.now + limit;
    while (!until()) {
      if (this.time.now > deadline) throw new Error(`not within ${limit} s`);
      this.cycle();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  cycle(): void {
    this.link.begin(this.time.now);
    // What was lost on the wire is asked for once more, and then given up.
    this.link.expire();
    this.link.expire();
    this.arm.step(this.time.now, PERIOD, 0);
    const { goals } = this.arm;
    for (let j = 0; j < goals.length; j++) {
      const step = Math.abs(goals[j]! - this.#lastGoals[j]!);
      if (step > this.largestStep) this.largestStep = step;
      this.#lastGoals[j] = goals[j]!;
    }
    for (let k = 0; k < STEPS; k++) this.#bench.turn(PERIOD / STEPS);
    this.time.runSync(this.time.now + PERIOD);
  }

  run(seconds: number, each: () => void = () => {}): void {
    for (let k = Math.round(seconds / PERIOD); k > 0; k--) {
      this.cycle();
      each();
    }
  }

  /** Asks for torque, and waits until it is there or refused. The arm hangs in nobody's hand. */
  async hold(): Promise<void> {
    this.problem = null;
    this.arm.setTorque(true, (problem) => {
      this.problem = problem;
    });
    await this.cycles(() => this.problem !== null);
    this.run(0.2);
    this.largestStep = 0;
  }

  /** Where the joints are, rad. */
  get angles(): number[] {
    return this.shafts.map(({ angle }) => angle);
  }

  /** Goals that the servos have taken, rad. */
  get taken(): number[] {
    return this.servos.map((servo) => (servo.goal - ZERO) * STEP);
  }

  /** Frames that write a register of all servos, in their order. */
  writes(register: { readonly address: number }): Uint8Array[] {
    return this.port.sent.filter((frame) => frame[4] === 0x83 && frame[5] === register.address);
  }
}

/** What the control loop knows of the arm on the bench. */
export function benchModel(weight: readonly number[]): ControlModel {
  const of = (value: number): Float64Array => new Float64Array(weight.length).fill(value);
  return {
    name: 'bench',
    joints: weight.map((_, j) => `joint ${j + 1}`),
    masks: jointMasks(weight.length, null),
    limits: {
      ...{ lower: of(-2), upper: of(2) },
      velocity: { move: of(1.5), mirror: of(3) },
      acceleration: { move: of(6), mirror: of(25) },
    },
    stiffness: of(stiffness),
    damping: of(damping),
    friction: of(frictionLoss),
    inertia: of(INERTIA),
    torqueLimit: of(stallTorque),
    floatTorque: of(stallTorque / 2),
    gravity: (_, out) => out.set(weight),
    stall: weight.map(() => null),
    yield: weight.map(() => new YieldGuard(yieldLimits(stallTorque))),
  };
}
