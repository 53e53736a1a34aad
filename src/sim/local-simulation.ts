import type { MainModule } from '@mujoco/mujoco';
import type { Clock, Timer } from '../clock.ts';
import { LocalPort } from './local-port.ts';
import type { PhysicsObjects } from './physics.ts';
import { type LineOptions, ServoLine, type SimFault, TIMELESS } from './servo-line.ts';
import type { SimObjectState } from './sim-object.ts';
import { type SimArmOptions, type SimTruth, SimulatedArm } from './simulated-arm.ts';
import type { SimulatedArms } from './simulation.ts';

export interface LocalSimulationOptions {
  readonly clock: Clock;
  /** Null for the light model, which has no contacts. */
  readonly mujoco: MainModule | null;
  /** Default: a line on which transfers take no time. */
  readonly line?: LineOptions;
  /** Period at which arms advance without requests, s. */
  readonly tick: number;
  /**
   * Longest machine stall that is caught up with, s; default 0.05. Infinity in virtual time, where nothing is dropped.
   */
  readonly catchUp?: number;
  /** Called if the physics of an arm diverged and the arm was put at rest. */
  readonly onFailure: (message: string) => void;
}

/** Rate of object reports while objects move, Hz. */
const OBJECT_RATE = 30;

/**
 * Simulated arms in the calling thread, on the given clock: system time in a simulation thread, virtual time next to a
 * bridge under test. Before request bytes are answered, the arm is advanced to their time of arrival.
 */
export class LocalSimulation implements SimulatedArms {
  readonly #options: LocalSimulationOptions;
  readonly #lines = new Map<string, ServoLine>();
  readonly #ports = new Map<string, LocalPort>();
  readonly #tick: Pick<Timer, 'cancel'>;
  /** Time of the last object report by arm, s; -Infinity if a report is due. */
  readonly #told = new Map<string, number>();
  /** Arms whose objects were moving at their last report. */
  readonly #moved = new Set<string>();
  #onObjects: (arm: string, poses: Float64Array) => void = () => {};

  constructor(options: LocalSimulationOptions) {
    this.#options = options;
    this.#tick = options.clock.every(options.tick, () => this.#advance());
  }

  /** Builds an arm. @throws {Error} if its name is taken, or the arm cannot be built */
  build(options: SimArmOptions): ServoLine {
    if (this.#lines.has(options.name)) throw new Error(`there is a simulated arm "${options.name}" already`);
    const { clock, mujoco, line: timing = TIMELESS, catchUp, onFailure } = this.#options;
    // A kit has no contacts: the hand moves each joint from limit to limit, and contacts would block it.
    const arm = new SimulatedArm(
      options.factoryNew ? null : mujoco,
      options,
      clock.now(),
      (bytes) => line.answer(bytes),
      onFailure,
    );
    if (catchUp !== undefined) arm.catchUp = catchUp;
    const line = new ServoLine(arm, clock, timing, options.seed);
    this.#lines.set(options.name, line);
    if (arm.physics.objects !== null) this.#told.set(options.name, Number.NEGATIVE_INFINITY);
    return line;
  }

  /** The servo line of an arm, advanced to now. @throws {Error} for an unknown arm */
  get(name: string): ServoLine {
    const line = this.#lines.get(name);
    if (!line) throw new Error(`no simulated arm "${name}"; there are ${[...this.#lines.keys()].join(', ')}`);
    line.sim.advance(this.#options.clock.now());
    return line;
  }

  async add(arm: SimArmOptions): Promise<void> {
    this.build(arm);
  }

  async connect(arm: string, ids: readonly number[]): Promise<void> {
    this.get(arm).sim.connect(ids);
  }

  portFor(name: string): LocalPort {
    this.#ports.get(name)?.replace();
    const port = new LocalPort(`sim:${name}`, this.get(name), this.#options.clock);
    this.#ports.set(name, port);
    return port;
  }

  async hand(
    arm: string,
    joints: Readonly<Record<string, number>> | null,
    duration: number,
    stiffness?: Readonly<Record<string, number>>,
  ): Promise<void> {
    this.get(arm).sim.hand(joints, duration, stiffness);
  }

  async truth(arm: string): Promise<SimTruth> {
    return this.truthNow(arm);
  }

  /** True state of the arm. @throws {Error} for an unknown arm */
  truthNow(arm: string): SimTruth {
    const { clock } = this.#options;
    return this.get(arm).sim.truth(clock.wall() - clock.now());
  }

  async objects(arm: string): Promise<readonly SimObjectState[]> {
    return this.objectsNow(arm);
  }

  async leadObject(
    arm: string,
    object: string,
    goal: readonly [x: number, y: number, z: number],
    duration: number,
  ): Promise<void> {
    this.leadObjectNow(arm, object, goal, duration);
  }

  async resetObjects(arm: string): Promise<void> {
    this.resetObjectsNow(arm);
  }

  onObjects(listener: (arm: string, poses: Float64Array) => void): void {
    this.#onObjects = listener;
    for (const arm of this.#told.keys()) this.#told.set(arm, Number.NEGATIVE_INFINITY);
  }

  /** Scene objects of an arm. @throws {Error} for an unknown arm */
  objectsNow(arm: string): SimObjectState[] {
    return this.get(arm).sim.physics.objects?.state() ?? [];
  }

  /** See `SimulatedArms.leadObject`. */
  leadObjectNow(arm: string, object: string, goal: readonly [x: number, y: number, z: number], duration: number): void {
    const { objects } = this.get(arm).sim.physics;
    if (objects === null) throw new Error(`nothing stands before the simulated arm "${arm}": no scene does`);
    objects.lead(object, goal, duration);
  }

  /** See `SimulatedArms.resetObjects`. */
  resetObjectsNow(arm: string): void {
    const { objects } = this.get(arm).sim.physics;
    objects?.reset();
  }

  async fault(arm: string, fault: SimFault): Promise<void> {
    this.get(arm).fault(fault);
  }

  async close(): Promise<void> {
    this.dispose();
  }

  /** Ends the simulation at once: closes every port and frees the physics. */
  dispose(): void {
    this.#tick.cancel();
    for (const port of this.#ports.values()) port.replace();
    for (const line of this.#lines.values()) {
      line.clear();
      line.sim.dispose();
    }
    this.#ports.clear();
    this.#lines.clear();
  }

  #advance(): void {
    const now = this.#options.clock.now();
    for (const { sim } of this.#lines.values()) sim.advance(now);
    for (const [arm, told] of this.#told) {
      if (now - told < 1 / OBJECT_RATE) continue;
      this.#tellObjects(arm, this.#lines.get(arm)!.sim.physics.objects!, now);
    }
  }

  /** Reports object poses at first, while objects move, and once after they have come to rest. */
  #tellObjects(arm: string, objects: PhysicsObjects, now: number): void {
    const { awake } = objects;
    if (!awake && !this.#moved.has(arm) && this.#told.get(arm) !== Number.NEGATIVE_INFINITY) return;
    if (awake) this.#moved.add(arm);
    else this.#moved.delete(arm);
    this.#told.set(arm, now);
    this.#onObjects(arm, objects.poses());
  }
}
