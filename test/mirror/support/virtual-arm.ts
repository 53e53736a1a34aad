import type { MainModule } from '@mujoco/mujoco';
import { jointSetups } from '../../../src/arm/joint-setups.ts';
import { type ArmModel, armChain } from '../../../src/arm/model.ts';
import { type CounterpartOptions, simulatedCounterpart } from '../../../src/arm/simulated-counterpart.ts';
import { systemClock } from '../../../src/clock.ts';
import type { GainPlan } from '../../../src/rt/driver/gains.ts';
import type { ServoLink } from '../../../src/rt/driver/servo-link.ts';
import { ArmController } from '../../../src/rt/joint/arm-controller.ts';
import { controlModel } from '../../../src/rt/joint/make-control-model.ts';
import { linkJoints, servoLink } from '../../../src/rt/open-link.ts';
import { SharedState } from '../../../src/rt/snapshot/shared-snapshot.ts';
import { type BytePort, PortError } from '../../../src/servo/port/port.ts';
import { SimulatedArm } from '../../../src/sim/simulated-arm.ts';
import { packet } from '../../servo/wire.ts';

/** Of the control loop, s, and the part of it between a read and the goals that follow from it. */
export const PERIOD = 0.005;
const THINKING = 0.0015;

const GONE = new PortError('closed', 'test: has been pulled out');

/** The wire between the control loop and the emulated servos: what is written is answered at once. */
class DirectPort implements BytePort {
  readonly url = 'test:';
  readonly clock = systemClock;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  /** Bytes that match are lost. */
  lose: (bytes: Uint8Array) => boolean = () => false;
  readonly #feed: (bytes: Uint8Array) => void;
  #pulled = false;

  constructor(feed: (bytes: Uint8Array) => void) {
    this.#feed = feed;
  }

  async open(): Promise<void> {
    if (this.#pulled) throw GONE;
  }

  write(bytes: Uint8Array): void {
    if (!this.#pulled && !this.lose(bytes)) this.#feed(bytes.slice());
  }

  unplug(): void {
    this.#pulled = true;
    this.onClose(GONE);
  }

  plugIn(): void {
    this.#pulled = false;
  }

  async close(): Promise<void> {}
}

/**
 * One arm of the control loop with its real link, gate and codec over emulated servos and MuJoCo, on a clock that only the
 * test moves: results do not depend on the machine, and minutes take seconds. `performance.now` must be faked.
 */
export class VirtualArm {
  readonly model: ArmModel;
  readonly sim: SimulatedArm;
  readonly port: DirectPort;
  runtime: ArmController;
  readonly shared: SharedState;
  link: ServoLink;
  /** Why torque did not go on when it was asked for last; empty when it did. */
  problem = '';
  /** Largest change of a goal in one cycle so far, rad. */
  largestStep = 0;
  readonly #lastGoals: Float64Array;
  readonly #advance: (seconds: number) => void;

  /** @param advance moves the clock that `performance.now` tells @param twin in what the simulation differs from the model */
  constructor(
    mj: MainModule,
    model: ArmModel,
    initial: readonly number[],
    advance: (seconds: number) => void,
    left: GainPlan | null = null,
    twin: CounterpartOptions = { payload: 0, stiffness: 1 },
  ) {
    this.model = model;
    this.#advance = advance;
    const options = { ...simulatedCounterpart(model, 'arm', twin), initial };
    this.sim = new SimulatedArm(
      mj,
      options,
      now(),
      (bytes) => this.port.onBytes(bytes),
      (text) => {
        throw new Error(text);
      },
    );
    this.port = new DirectPort((bytes) => this.sim.feed(bytes, now()));
    this.shared = new SharedState([model.joints.length], systemClock);
    this.link = this.#makeLink(left);
    this.runtime = this.#makeRuntime();
    this.#lastGoals = new Float64Array(model.joints.length).fill(Number.NaN);
  }

  #makeLink(left: GainPlan | null): ServoLink {
    return servoLink(this.port, linkJoints('arm', jointSetups(this.model)), left);
  }

  #makeRuntime(): ArmController {
    const model = controlModel('arm', jointSetups(this.model), armChain(this.model));
    return new ArmController(0, model, this.link, this.shared);
  }

  /** What a servo has in a register, unsigned, by its own bus protocol. */
  register(id: number, address: number, size = 1): number {
    let reply: Uint8Array = new Uint8Array();
    const { onBytes } = this.port;
    this.port.onBytes = (bytes) => {
      reply = bytes.slice();
    };
    const feetech = this.model.family === 'feetech';
    const body = [id, 4, 2, address, size];
    const sum = body.reduce((total, byte) => total + byte, 0);
    const request = feetech ? [0xff, 0xff, ...body, ~sum & 0xff] : packet(id, 2, address, 0, size, 0);
    this.sim.feed(Uint8Array.from(request), now());
    this.port.onBytes = onBytes;
    const at = feetech ? 5 : 9;
    return reply.subarray(at, at + size).reduceRight((value, byte) => 256 * value + byte, 0);
  }

  /** A new bridge over the same servos, as after a crash. */
  restart(left: GainPlan | null): void {
    this.link = this.#makeLink(left);
    this.runtime = this.#makeRuntime();
    this.#lastGoals.fill(Number.NaN);
    this.largestStep = 0;
  }

  /** Opens the bus and checks the servos, which takes promises but no time. */
  async connect(): Promise<void> {
    await this.cycles(() => this.link.up);
    this.run(0.02);
  }

  cycle(): void {
    this.link.begin(now());
    // What was lost on the wire is asked for once more, and then given up.
    this.link.expire();
    this.link.expire();
    this.#pass(THINKING);
    this.runtime.step(now(), PERIOD, 0);
    const { goals } = this.runtime.gate;
    for (let i = 0; i < goals.length; i++) {
      const step = Math.abs(goals[i]! - this.#lastGoals[i]!);
      if (step > this.largestStep) this.largestStep = step;
      this.#lastGoals[i] = goals[i]!;
    }
    this.#pass(PERIOD - THINKING);
  }

  /** A period in which no bridge speaks to the servos. */
  idle(): void {
    this.#pass(PERIOD);
  }

  run(seconds: number, each: () => void = () => {}): void {
    for (let i = Math.round(seconds / PERIOD); i > 0; i--) {
      this.cycle();
      each();
    }
  }

  /** Torque on where the arm is, as the commands of the main thread do it. */
  async hold(): Promise<void> {
    let settled = false;
    this.runtime.setTorque(true, (problem) => {
      this.problem = problem;
      settled = true;
    });
    await this.cycles(() => settled);
    this.run(0.2);
  }

  /** Cycles, between which promises settle, until something holds. @throws {Error} if it does not within 20 s */
  async cycles(until: () => boolean): Promise<void> {
    for (let k = 0; !until(); k++) {
      if (k * PERIOD > 20) throw new Error(`not within 20 s: ${this.link.reason}`);
      this.cycle();
      for (let i = 0; i < 50; i++) await Promise.resolve();
    }
  }

  truth() {
    return this.sim.truth(0);
  }

  dispose(): void {
    this.sim.dispose();
  }

  #pass(seconds: number): void {
    this.#advance(seconds);
    this.sim.advance(now());
  }
}

function now(): number {
  return systemClock.now();
}
