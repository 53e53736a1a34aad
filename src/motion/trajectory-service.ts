import type { ArmHandle } from '../arm/handle.ts';
import { type Arm, type ArmSnapshot, BridgeError, type Caller } from '../arm/types.ts';
import type { AngleTargets } from '../kinematics/angles.ts';
import { anglesFromRotation } from '../kinematics/angles.ts';
import { type Pose, rotationFromQuaternion } from '../kinematics/frames.ts';
import { ArmRun } from './arm-run.ts';
import { asked } from './goals.ts';
import type { Planners } from './planners.ts';

/** A trajectory may take so much longer than it says before it is given up, s. */
const OVERTIME = 2;
/** A gripper that has not moved by more than `STALL_BAND` (rad) for `STALL_TIME` (s) stands. */
const STALL_BAND = 0.005;
const STALL_TIME = 0.3;
/** Joints whose setpoint has moved by more than this while a trajectory was checked make it another one, rad. */
const UNMOVED = 0.01;
/** A gripper command that has not ended by then is given up, s. */
const GRIPPER_LIMIT = 10;

/** Poses of some joints of an arm at given times; joints without a column stay where they are asked to be. */
export interface JointPath {
  /** Joints of the model, each once. */
  readonly names: readonly string[];
  /** s after the start, strictly increasing. */
  readonly times: Float64Array;
  /** rad, one row per time and one column per name. */
  readonly positions: Float64Array;
  /** rad/s, likewise; null: chosen so that the way is smooth. */
  readonly velocities: Float64Array | null;
}

/** What a trajectory has to keep to; one element per joint of the model, infinite where nothing is asked. */
export interface PathTolerances {
  /** Largest distance between setpoint and measured position on the way, rad. */
  readonly path: Float64Array;
  /** Likewise at the end, rad and rad/s. */
  readonly goal: Float64Array;
  readonly goalVelocity: Float64Array;
  /** Time after the end in which the arm may still come within, s. */
  readonly goalTime: number;
}

export type TrajectoryEnd = 'done' | 'path' | 'goal' | 'ended';

export interface TrajectoryOutcome {
  /** `path` and `goal`: a tolerance was missed; `ended`: by somebody or something else. */
  readonly end: TrajectoryEnd;
  /** For people; empty when done. */
  readonly message: string;
}

export interface GripperOutcome {
  /** The gripper is where it was sent. */
  readonly reached: boolean;
  /** It stands, short of that: at what it holds. */
  readonly stalled: boolean;
  /** Why it ended otherwise, for people; empty when it did not. */
  readonly message: string;
}

/** Trajectories of joints that other programs have planned, gripper commands, and poses that a stream asks for. */
export interface Trajectories {
  /**
   * Drives an arm that is ready, or that the caller drives already, along a path.
   * @throws {BridgeError} disconnected, stopped, owned, unsupported (the path cannot be driven, and why)
   */
  follow(arm: Arm, path: JointPath, tolerances: PathTolerances, caller: Caller): Promise<TrajectoryOutcome>;
  /** Moves the gripper to `position` (rad). @throws {BridgeError} as `follow` */
  gripper(arm: Arm, position: number, tolerance: number, caller: Caller): Promise<GripperOutcome>;
  /** Joint positions (rad) near the present setpoints that bring the tool to a pose of the base frame, or why none do. */
  jointsFor(arm: Arm, pose: Pose): Float64Array | string;
}

export class TrajectoryService implements Trajectories {
  readonly #planners: Planners;
  /** Trajectories are numbered as they come; this one has begun last. */
  readonly #begun = new Map<Arm, number>();
  #newest = 0;

  /** @param planners of all arms */
  constructor(planners: Planners) {
    this.#planners = planners;
  }

  async follow(arm: Arm, path: JointPath, tolerances: PathTolerances, caller: Caller): Promise<TrajectoryOutcome> {
    const handle = this.#ready(arm);
    const number = ++this.#newest;
    const requireWanted = (): void => {
      this.#ready(arm);
      const newer = (this.#begun.get(arm) ?? 0) > number;
      if (!newer && !caller.signal?.aborted) return;
      const why = newer ? 'a newer trajectory has begun' : 'it was cancelled';
      throw new BridgeError('unsupported', `Ended before it began, while it was checked: ${why}.`);
    };
    const source = await this.#waypoints(handle, path, requireWanted);
    requireWanted();
    this.#begun.set(arm, number);
    const violated = new AbortController();
    const signal = AbortSignal.any([violated.signal, ...(caller.signal === undefined ? [] : [caller.signal])]);
    const run = new ArmRun(handle, { ...caller, signal }, path.times.at(-1)! + OVERTIME);
    try {
      let violation: string | null = null;
      const driving = run.drive(source);
      const finished = driving.then(
        () => true,
        () => true,
      );
      for (let over = false; !over && violation === null; ) {
        over = await Promise.race([finished, handle.nextCycle().then(() => false)]);
        if (!over && run.motion !== null) violation = missed(handle.read(), handle, tolerances.path, null);
      }
      if (violation !== null) violated.abort();
      const problem = await driving;
      if (violation !== null && run.lostBecause === null) {
        return { end: 'path', message: `On the way ${violation}; the arm has stopped and holds.` };
      }
      if (problem !== null) return { end: 'ended', message: `Ended on the way: ${problem}.` };
      return await this.#arrive(run, tolerances);
    } finally {
      run.end();
    }
  }

  async gripper(arm: Arm, position: number, tolerance: number, caller: Caller): Promise<GripperOutcome> {
    const handle = this.#ready(arm);
    const gripper = handle.model.gripper;
    if (gripper === null) throw new BridgeError('unsupported', `Arm ${arm.name} has no gripper.`);
    const { name, lower, upper } = handle.model.joints[gripper.index]!;
    if (!(position >= lower && position <= upper)) {
      throw new BridgeError(
        'unsupported',
        `${name} of arm ${arm.name} cannot go to ${position} rad: its limits are ${lower.toFixed(3)} to ${upper.toFixed(3)} rad.`,
      );
    }
    const goal = handle.read().setpoints.slice();
    goal[gripper.index] = position;
    const run = new ArmRun(handle, caller, GRIPPER_LIMIT * handle.patience);
    try {
      const problem = await run.drive({ kind: 'trajectory', goal, speed: null });
      if (problem !== null) return { reached: false, stalled: false, message: `Ended on the way: ${problem}.` };
      await this.#stand(run, gripper.index, position, tolerance);
      const reached = Math.abs(handle.read().positions[gripper.index]! - position) <= tolerance;
      const lost = run.lostBecause;
      return { reached, stalled: !reached && lost === null, message: lost ?? '' };
    } finally {
      run.end();
    }
  }

  jointsFor(arm: Arm, { position, orientation }: Pose): Float64Array | string {
    const planner = this.#planners.of(arm);
    const from = asked(arm);
    const zero = rotationFromQuaternion(planner.zero.orientation);
    const angles: AngleTargets = anglesFromRotation(rotationFromQuaternion(orientation), zero);
    const solution = planner.solve(position, angles, from);
    if (!solution.reachable) {
      const { x, y, z } = solution.position;
      const near = [x, y, z].map((value) => value.toFixed(3)).join(', ');
      return `arm ${arm.name} cannot reach that position; the nearest it can is ${near} m in its base frame`;
    }
    const touched = planner.touches(from, solution.q);
    return touched === null ? solution.q : `on the way arm ${arm.name} would hit something: ${touched}`;
  }

  #ready(arm: Arm): ArmHandle {
    const handle = this.#planners.handle(arm);
    handle.requireDrivable();
    const { holding, state } = handle.read();
    if (holding) return handle;
    throw new BridgeError(
      'unsupported',
      `Arm ${arm.name} is ${state}, not ready: switch its torque on first, for example by /move/init.`,
    );
  }

  /**
   * Checks a path for contacts, which may take a while.
   * @param requireWanted throws when it is not wanted any more
   * @throws {BridgeError} unsupported when the arm would touch something on the way; stopped, disconnected
   */
  async #waypoints(handle: ArmHandle, { names, times, positions, velocities }: JointPath, requireWanted: () => void) {
    const { joints } = handle.model;
    const width = joints.length;
    const setpoints = handle.read().setpoints.slice();
    const columns = joints.map(({ name }) => names.indexOf(name));
    const spread = (values: Float64Array, rest: (joint: number) => number): Float64Array =>
      Float64Array.from({ length: times.length * width }, (_, at) => {
        const column = columns[at % width]!;
        return column < 0 ? rest(at % width) : values[Math.floor(at / width) * names.length + column]!;
      });
    const poses = spread(positions, (joint) => setpoints[joint]!);
    // The control thread tells which number is none, and names its joint.
    if (poses.every(Number.isFinite)) {
      const rows = Array.from(times, (_, row) => poses.subarray(row * width, (row + 1) * width));
      const planner = this.#planners.of(handle);
      const refuseContact = (row: number, contact: string): never => {
        throw new BridgeError(
          'unsupported',
          `On the way to waypoint ${row + 1} of ${times.length} arm ${handle.name} would hit something: ${contact}. Nothing has moved.`,
        );
      };
      const touched = await planner.touchesAlong(setpoints, rows, handle.clock, requireWanted);
      if (touched !== null) refuseContact(touched.index, touched.contact);
      // A motion that this one is to replace has gone on meanwhile.
      const now = handle.read().setpoints.slice();
      const away = joints.findIndex((_, i) => columns[i]! < 0 && Math.abs(now[i]! - setpoints[i]!) > UNMOVED);
      if (away >= 0) {
        throw new BridgeError(
          'unsupported',
          `${joints[away]!.name} of arm ${handle.name} has moved while the trajectory, which does not name it, was checked: ` +
            'send it again when the arm stands, or name every joint.',
        );
      }
      const contact = now.some((at, i) => at !== setpoints[i]) ? planner.touches(now, rows[0]!) : null;
      if (contact !== null) refuseContact(0, contact);
    }
    return {
      kind: 'waypoints',
      times,
      positions: poses,
      velocities: velocities === null ? null : spread(velocities, () => 0),
    } as const;
  }

  /** Waits until the arm is within its goal tolerances, or until the time for that is over. */
  async #arrive(run: ArmRun, { goal, goalVelocity, goalTime }: PathTolerances): Promise<TrajectoryOutcome> {
    const { clock } = run.handle;
    const deadline = clock.now() + goalTime;
    for (;;) {
      const lost = run.lostBecause;
      if (lost !== null) return { end: 'ended', message: `Ended at the goal: ${lost}.` };
      const violation = missed(run.handle.read(), run.handle, goal, goalVelocity);
      if (violation === null) return { end: 'done', message: '' };
      if (clock.now() > deadline) {
        return { end: 'goal', message: `${goalTime.toFixed(2)} s after the end ${violation}; the arm holds.` };
      }
      await run.handle.nextCycle();
    }
  }

  /** Waits until a joint is near `position` or stands, or until the arm is lost. */
  async #stand(run: ArmRun, joint: number, position: number, tolerance: number): Promise<void> {
    const { handle } = run;
    let anchor = handle.read().positions[joint]!;
    let since = handle.read().sampleInstant;
    while (run.lostBecause === null) {
      const { positions, sampleInstant } = handle.read();
      const at = positions[joint]!;
      if (Math.abs(at - position) <= tolerance || sampleInstant - since > STALL_TIME) return;
      if (Math.abs(at - anchor) > STALL_BAND) {
        anchor = at;
        since = sampleInstant;
      }
      await handle.nextCycle();
    }
  }
}

/** The first joint that is out of tolerance, for people; null when none is. */
function missed(
  { setpoints, positions, velocities }: ArmSnapshot,
  { model }: ArmHandle,
  position: Float64Array,
  velocity: Float64Array | null,
): string | null {
  for (let i = 0; i < position.length; i++) {
    const { name } = model.joints[i]!;
    const error = Math.abs(setpoints[i]! - positions[i]!);
    if (error > position[i]!) {
      return `${name} is ${error.toFixed(3)} rad from where it should be (tolerance ${position[i]!.toFixed(3)} rad)`;
    }
    if (velocity !== null && Math.abs(velocities[i]!) > velocity[i]!) {
      return `${name} still moves with ${Math.abs(velocities[i]!).toFixed(3)} rad/s (tolerance ${velocity[i]!.toFixed(3)} rad/s)`;
    }
  }
  return null;
}
