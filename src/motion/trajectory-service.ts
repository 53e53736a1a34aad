import type { Arm, Ask } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import { type ArmSnapshot, BridgeError, type Caller } from '../arm/types.ts';
import type { AngleTargets } from '../kinematics/angles.ts';
import { anglesFromRotation } from '../kinematics/angles.ts';
import { type Pose, rotationFromQuaternion } from '../kinematics/frames.ts';
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

export type TrajectoryEnd = 'done' | 'path' | 'goal' | 'ended' | 'not_begun';

export interface TrajectoryOutcome {
  /** `path` and `goal`: a tolerance was missed; `ended`, `not_begun`: by somebody or something else, on the way or before it. */
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
export class TrajectoryService {
  readonly #planners: Planners;

  /** @param planners of all arms */
  constructor(planners: Planners) {
    this.#planners = planners;
  }

  /**
   * Drives an arm that is ready, or that the caller drives already, along a path. While it waits for its beginning it has
   * the arm, which holds: whatever ends that, or comes later for the same controller, ends it too.
   * @param delay time until it begins, s
   * @throws {BridgeError} disconnected, stopped, owned, unsupported (the path cannot be driven, and why)
   */
  async follow(
    arm: Arm,
    path: JointPath,
    tolerances: PathTolerances,
    caller: Caller,
    delay = 0,
  ): Promise<TrajectoryOutcome> {
    arm.requireHolding();
    const begin = arm.clock.now() + delay;
    const ask = arm.ask();
    let source = await this.#waypoints(arm, path, () => requireWanted(arm, ask, caller));
    requireWanted(arm, ask, caller);
    const violated = new AbortController();
    const signal = AbortSignal.any([violated.signal, ...(caller.signal === undefined ? [] : [caller.signal])]);
    const timeLimit = path.times.at(-1)! + OVERTIME;
    const session = arm.claim({ ...caller, signal }, { timeLimit: delay + timeLimit, ask });
    try {
      if (delay > 0) {
        // What drove the arm until now has left it somewhere else.
        await arm.standing();
        source = await this.#waypoints(arm, path, () => session.requireHeld());
        const over = await session.wait(begin - arm.clock.now());
        if (over !== null) return { end: 'not_begun', message: `Ended before it began: ${over}. Nothing has moved.` };
        session.renew(timeLimit);
      }
      let violation: string | null = null;
      const driving = session.drive(source);
      const finished = driving.then(
        () => true,
        () => true,
      );
      for (let over = false; !over && violation === null; ) {
        over = await Promise.race([finished, arm.nextCycle().then(() => false)]);
        if (!over && session.motion !== null) violation = missed(arm.read(), arm, tolerances.path, null);
      }
      if (violation !== null) violated.abort();
      const problem = await driving;
      if (violation !== null && session.lost === null) {
        return { end: 'path', message: `On the way ${violation}; the arm has stopped and holds.` };
      }
      if (problem !== null) return { end: 'ended', message: `Ended on the way: ${problem}.` };
      return await this.#arrive(session, tolerances);
    } finally {
      session.end();
    }
  }

  /** Moves the gripper to `position` (rad). @throws {BridgeError} as `follow` */
  async gripper(arm: Arm, position: number, tolerance: number, caller: Caller): Promise<GripperOutcome> {
    arm.requireHolding();
    const { gripper } = arm.model;
    if (gripper === null) throw new BridgeError('unsupported', `Arm ${arm.name} has no gripper.`, { arm });
    const { name, lower, upper } = arm.model.joints[gripper.index]!;
    if (!(position >= lower && position <= upper)) {
      throw new BridgeError(
        'unsupported',
        `${name} of arm ${arm.name} cannot go to ${position} rad: its limits are ${lower.toFixed(3)} to ${upper.toFixed(3)} rad.`,
        { arm },
      );
    }
    const goal = arm.read().setpoints.slice();
    goal[gripper.index] = position;
    const session = arm.claim(caller, { timeLimit: GRIPPER_LIMIT * arm.slowdown });
    try {
      const problem = await session.drive({ kind: 'trajectory', goal, speed: null });
      if (problem !== null) return { reached: false, stalled: false, message: `Ended on the way: ${problem}.` };
      await this.#stand(session, gripper.index, position, tolerance);
      const reached = Math.abs(arm.read().positions[gripper.index]! - position) <= tolerance;
      const { lost } = session;
      return { reached, stalled: !reached && lost === null, message: lost ?? '' };
    } finally {
      session.end();
    }
  }

  /** Joint positions (rad) near the present setpoints that bring the tool to a pose of the base frame, or why none do. */
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

  /**
   * Checks a path for contacts, which may take a while.
   * @param requireWanted throws when it is not wanted any more
   * @throws {BridgeError} unsupported when the arm would touch something on the way; stopped, disconnected
   */
  async #waypoints(arm: Arm, { names, times, positions, velocities }: JointPath, requireWanted: () => void) {
    const { joints } = arm.model;
    const width = joints.length;
    const setpoints = arm.read().setpoints.slice();
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
      const planner = this.#planners.of(arm);
      const refuseContact = (row: number, contact: string): never => {
        throw new BridgeError(
          'unsupported',
          `On the way to waypoint ${row + 1} of ${times.length} arm ${arm.name} would hit something: ${contact}. Nothing has moved.`,
        );
      };
      const touched = await planner.touchesAlong(setpoints, rows, arm.clock, requireWanted);
      if (touched !== null) refuseContact(touched.index, touched.contact);
      // A motion that this one is to replace has gone on meanwhile.
      const now = arm.read().setpoints.slice();
      const away = joints.findIndex((_, i) => columns[i]! < 0 && Math.abs(now[i]! - setpoints[i]!) > UNMOVED);
      if (away >= 0) {
        throw new BridgeError(
          'unsupported',
          `${joints[away]!.name} of arm ${arm.name} has moved while the trajectory, which does not name it, was checked: ` +
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
  async #arrive(session: ArmSession, { goal, goalVelocity, goalTime }: PathTolerances): Promise<TrajectoryOutcome> {
    const { arm } = session;
    const { clock } = arm;
    const deadline = clock.now() + goalTime;
    for (;;) {
      const { lost } = session;
      if (lost !== null) return { end: 'ended', message: `Ended at the goal: ${lost}.` };
      const violation = missed(arm.read(), arm, goal, goalVelocity);
      if (violation === null) return { end: 'done', message: '' };
      if (clock.now() > deadline) {
        return { end: 'goal', message: `${goalTime.toFixed(2)} s after the end ${violation}; the arm holds.` };
      }
      await arm.nextCycle();
    }
  }

  /** Waits until a joint is near `position` or stands, or until the arm is lost. */
  async #stand(session: ArmSession, joint: number, position: number, tolerance: number): Promise<void> {
    const { arm } = session;
    let anchor = arm.read().positions[joint]!;
    let since = arm.read().sampleInstant;
    while (session.lost === null) {
      const { positions, sampleInstant } = arm.read();
      const at = positions[joint]!;
      if (Math.abs(at - position) <= tolerance || sampleInstant - since > STALL_TIME) return;
      if (Math.abs(at - anchor) > STALL_BAND) {
        anchor = at;
        since = sampleInstant;
      }
      await arm.nextCycle();
    }
  }
}

/** @throws {BridgeError} when a trajectory is not wanted any more that has not begun yet */
function requireWanted(arm: Arm, ask: Ask, { signal }: Caller): void {
  arm.requireHolding();
  arm.requireWanted(ask);
  if (signal?.aborted !== true) return;
  throw new BridgeError('unsupported', 'Ended before it began, while it was checked: it was cancelled.', { arm });
}

/** The first joint that is out of tolerance, for people; null when none is. */
function missed(
  { setpoints, positions, velocities }: ArmSnapshot,
  { model }: Arm,
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
