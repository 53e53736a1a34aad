import type { Arm, Ask } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import type { AngleTargets } from '../kinematics/angles.ts';
import { anglesFromRotation } from '../kinematics/angles.ts';
import { type Pose, rotationFromQuaternion } from '../kinematics/frames.ts';
import { type Joints, meet } from '../rt/joint/joint-groups.ts';
import type { SourceSpec } from '../rt/messages.ts';
import { finePoses, shapeFault } from '../rt/sources/waypoint-shape.ts';
import { type WaypointLimits, waypointFault } from '../rt/sources/waypoints.ts';
import { asked } from './goals.ts';
import type { Planners } from './planners.ts';

/** A clock that may be slowed, paused or set is looked at so often, s. */
const LOOK = 0.1;
/** A trajectory may take so much longer than it says before it is given up, s. */
const OVERTIME = 2;
/** A gripper that has not moved by more than `STALL_BAND` (rad) for `STALL_TIME` (s) stands. */
const STALL_BAND = 0.005;
const STALL_TIME = 0.3;
/** Joints whose setpoint has moved by more than this while a trajectory was checked make it another one, rad. */
const UNMOVED = 0.01;
/** A gripper command that has not ended by then is given up, s. */
const GRIPPER_LIMIT = 10;
/** A gripper that is asked to go no further beyond its limits goes to them, rad: rounding. */
const LIMIT_SLACK = 0.01;

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
  /** rad/s^2, likewise, where velocities are given; null or left out: those of the cubics between the poses. */
  readonly accelerations?: Float64Array | null;
}

/** What a trajectory has to keep to; one element per joint of the model, infinite where nothing is asked. */
export interface PathTolerances {
  /** Largest distance between setpoint and measured position on the way, rad. */
  readonly path: Float64Array;
  /** Largest difference between the speed asked for and the measured one on the way, rad/s. */
  readonly pathVelocity: Float64Array;
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

export interface GripperCommand {
  /** rad */
  readonly position: number;
  /** Largest speed, rad/s, above 0; null: as the arm's own limits say. */
  readonly velocity: number | null;
  /** Largest torque, Nm, above 0; null: as the arm's own limits say. */
  readonly torque: number | null;
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
   * @param left time until it begins, s, by whatever clock its sender goes by: asked again and again
   * @throws {BridgeError} disconnected, stopped, owned, unsupported (the path cannot be driven, and why)
   */
  async follow(
    arm: Arm,
    path: JointPath,
    tolerances: PathTolerances,
    caller: Caller,
    left: () => number = () => 0,
  ): Promise<TrajectoryOutcome> {
    arm.requireHolding();
    const waits = left() > 0;
    const ask = arm.ask();
    const joints = arm.jointsOf(path.names);
    const wanted = () => requireWanted(arm, ask, caller, joints);
    let source = await this.#waypoints(arm, path, waits, wanted);
    wanted();
    const violated = new AbortController();
    const signal = AbortSignal.any([violated.signal, ...(caller.signal === undefined ? [] : [caller.signal])]);
    const timeLimit = path.times.at(-1)! + OVERTIME;
    const session = arm.claim(
      { ...caller, signal },
      {
        timeLimit: waits ? Number.POSITIVE_INFINITY : timeLimit,
        ask,
        joints,
      },
    );
    try {
      if (waits) {
        // What drove the arm until now has left it somewhere else.
        await arm.standing(joints);
        source = await this.#waypoints(arm, path, false, () => session.requireHeld());
        let over: string | null = session.lost;
        for (let rest = left(); over === null && rest > 0; rest = left())
          over = await session.wait(Math.min(rest, LOOK));
        // If this thread has stood still meanwhile, it hears only now that the arm has been taken from it.
        await arm.nextCycle();
        over ??= session.lost;
        if (over !== null) return { end: 'not_begun', message: `Ended before it began: ${over}. Nothing has moved.` };
        session.renew(timeLimit);
      }
      let violation: string | null = null;
      const driving = session.drive(source);
      const finished = driving.then(
        () => true,
        () => true,
      );
      const speeds = new SpeedWatch(session, tolerances.pathVelocity);
      for (let over = false; !over && violation === null; ) {
        over = await Promise.race([finished, arm.nextCycle().then(() => false)]);
        if (!over && session.motion !== null) violation = missed(session, tolerances.path, null) ?? speeds.look();
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

  /**
   * Whether `follow` would begin a path, as far as can be told at once: contacts are looked for later.
   * @throws {BridgeError} as `follow`
   */
  requireFollowable(arm: Arm, path: JointPath, caller: Caller, waits = false): void {
    arm.requireHolding();
    requireOwn(arm, arm.jointsOf(path.names), caller);
    arm.requirePlaced(caller);
    const setpoints = arm.read().setpoints.slice();
    // What drives the arm until a path that waits begins leaves it somewhere else.
    requireDrivable(arm, waypointsOf(arm, path, setpoints), waits ? null : setpoints);
  }

  /** @throws {BridgeError} when a gripper command cannot be carried out as the arm is now */
  requireGripper(arm: Arm, { position }: GripperCommand, caller: Caller): void {
    arm.requireHolding();
    requireOwn(arm, 'gripper', caller);
    const { gripper } = arm.model;
    if (gripper === null) throw new BridgeError('unsupported', `Arm ${arm.name} has no gripper.`, { arm });
    const { name, lower, upper } = arm.model.joints[gripper.index]!;
    if (position >= lower - LIMIT_SLACK && position <= upper + LIMIT_SLACK) return;
    throw new BridgeError(
      'unsupported',
      `${name} of arm ${arm.name} cannot go to ${position} rad: its limits are ${lower.toFixed(3)} to ${upper.toFixed(3)} rad.`,
      { arm },
    );
  }

  /** Moves the gripper. It presses with no more than the torque asked for until it is asked to go elsewhere. @throws {BridgeError} as `follow` */
  async gripper(arm: Arm, command: GripperCommand, tolerance: number, caller: Caller): Promise<GripperOutcome> {
    this.requireGripper(arm, command, caller);
    const { index } = arm.model.gripper!;
    const { lower, upper, move } = arm.model.joints[index]!;
    const position = Math.min(Math.max(command.position, lower), upper);
    const goal = arm.read().setpoints.slice();
    const way = Math.abs(position - goal[index]!);
    goal[index] = position;
    const most = move.velocity * arm.pace;
    const speed = command.velocity === null ? null : Math.min(command.velocity, most);
    const timeLimit = GRIPPER_LIMIT * arm.slowdown + way / (speed ?? most);
    const session = arm.claim(caller, { timeLimit, joints: 'gripper' });
    const gripperTorque = command.torque ?? Number.POSITIVE_INFINITY;
    try {
      const problem = await session.drive({ kind: 'trajectory', goal, speed, gripperTorque });
      if (problem !== null) return { reached: false, stalled: false, message: `Ended on the way: ${problem}.` };
      await this.#stand(session, index, position, tolerance);
      const reached = Math.abs(arm.read().positions[index]! - position) <= tolerance;
      const { lost } = session;
      return { reached, stalled: !reached && lost === null, message: lost ?? '' };
    } finally {
      session.end();
    }
  }

  /**
   * Joint positions (rad) near the present setpoints that bring the tool to a pose of the base frame, or why none do.
   * @throws {BridgeError} when the arm has been asked for something newer meanwhile, or stopped
   */
  async jointsFor(arm: Arm, { position, orientation }: Pose): Promise<Float64Array | string> {
    const ask = arm.ask();
    const planning = this.#planners.of(arm);
    const from = asked(arm);
    const zero = rotationFromQuaternion(planning.zero.orientation);
    const angles: AngleTargets = anglesFromRotation(rotationFromQuaternion(orientation), zero);
    const solution = await planning.solve(position, angles, from, () => arm.requireWanted(ask));
    arm.requireWanted(ask);
    if (!solution.reachable) {
      const { x, y, z } = solution.position;
      const near = [x, y, z].map((value) => value.toFixed(3)).join(', ');
      return `arm ${arm.name} cannot reach that position; the nearest it can is ${near} m in its base frame`;
    }
    const touched = planning.touches(from, solution.q);
    return touched === null ? solution.q : `on the way arm ${arm.name} would hit something: ${touched}`;
  }

  /**
   * Checks a path for limits, and for contacts, which may take a while.
   * @param waits it begins later, from wherever the arm is by then
   * @param requireWanted throws when it is not wanted any more
   * @throws {BridgeError} unsupported when the arm cannot drive it or would touch something on the way; stopped, disconnected
   */
  async #waypoints(arm: Arm, path: JointPath, waits: boolean, requireWanted: () => void): Promise<Waypoints> {
    const { joints } = arm.model;
    const width = joints.length;
    const setpoints = arm.read().setpoints.slice();
    const source = waypointsOf(arm, path, setpoints);
    const { times } = source;
    const { velocity } = requireDrivable(arm, source, waits ? null : setpoints);
    const { positions: poses, waypoints } = finePoses(source, setpoints, velocity);
    const planning = this.#planners.of(arm);
    const refuseContact = (waypoint: number, contact: string): never => {
      throw new BridgeError(
        'unsupported',
        `On the way to waypoint ${waypoint + 1} of ${times.length} arm ${arm.name} would hit something: ${contact}. Nothing has moved.`,
      );
    };
    const touched = await planning.touchesAlong(setpoints, poses, requireWanted);
    if (touched !== null) refuseContact(waypoints[touched.index]!, touched.contact);
    // A motion that this one is to replace has gone on meanwhile.
    const now = arm.read().setpoints.slice();
    const driven = arm.jointsOf(path.names);
    const own = (i: number): boolean => meet(arm.groupOf(i), driven);
    const away = joints.findIndex(
      (_, i) => !path.names.includes(joints[i]!.name) && own(i) && Math.abs(now[i]! - setpoints[i]!) > UNMOVED,
    );
    if (away >= 0) {
      throw new BridgeError(
        'unsupported',
        `${joints[away]!.name} of arm ${arm.name} has moved while the trajectory, which does not name it, was checked: ` +
          'send it again when the arm stands, or name every joint.',
      );
    }
    const first = source.positions.subarray(0, width);
    const contact = now.some((at, i) => at !== setpoints[i]) ? planning.touches(now, first) : null;
    if (contact !== null) refuseContact(0, contact);
    return source;
  }

  /** Waits until the arm is within its goal tolerances, or until the time for that is over. */
  async #arrive(session: ArmSession, { goal, goalVelocity, goalTime }: PathTolerances): Promise<TrajectoryOutcome> {
    const { arm } = session;
    const { clock } = arm;
    const deadline = clock.now() + goalTime;
    for (;;) {
      const { lost } = session;
      if (lost !== null) return { end: 'ended', message: `Ended at the goal: ${lost}.` };
      const violation = missed(session, goal, goalVelocity);
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

type Waypoints = Extract<SourceSpec, { kind: 'waypoints' }>;

/** A path for all joints: those that it does not name stay where they are asked to be, `setpoints` (rad). */
function waypointsOf(arm: Arm, path: JointPath, setpoints: Float64Array): Waypoints {
  const { names, times, positions, velocities, accelerations = null } = path;
  const { joints } = arm.model;
  const width = joints.length;
  const columns = joints.map(({ name }) => names.indexOf(name));
  const spread = (values: Float64Array, rest: (joint: number) => number): Float64Array =>
    Float64Array.from({ length: times.length * width }, (_, at) => {
      const column = columns[at % width]!;
      return column < 0 ? rest(at % width) : values[Math.floor(at / width) * names.length + column]!;
    });
  return {
    kind: 'waypoints',
    times,
    positions: spread(positions, (joint) => setpoints[joint]!),
    velocities: velocities === null ? null : spread(velocities, () => 0),
    accelerations: accelerations === null ? null : spread(accelerations, () => 0),
  };
}

/**
 * What a path has kept to.
 * @param start rad; null: wherever the arm is by then
 * @throws {BridgeError} unsupported, when the arm cannot drive it
 */
function requireDrivable(arm: Arm, path: Waypoints, start: Float64Array | null): WaypointLimits {
  const { joints } = arm.model;
  const { setpoints } = arm.read();
  const limits = {
    names: joints.map(({ name }) => name),
    // One that is beyond a limit may stay there and come back.
    lower: Float64Array.from(joints, ({ lower }, i) => Math.min(lower, setpoints[i]!)),
    upper: Float64Array.from(joints, ({ upper }, i) => Math.max(upper, setpoints[i]!)),
    velocity: Float64Array.from(joints, ({ move }) => move.velocity * arm.pace),
    acceleration: Float64Array.from(joints, ({ move }) => move.acceleration),
  };
  const from = start ?? path.positions.subarray(0, joints.length);
  const moving = start === null || arm.read().state === 'moving';
  const fault = waypointFault(path, from, limits) ?? shapeFault(path, from, limits, moving);
  if (fault !== null) throw new BridgeError('unsupported', `Arm ${arm.name} cannot do this: ${fault}.`, { arm });
  return limits;
}

/** @throws {BridgeError} owned, when somebody else drives some of these joints */
function requireOwn(arm: Arm, joints: Joints, { owner, takeOver }: Caller): void {
  const present = arm.ownerOf(joints);
  if (present === null || present.key === owner.key || takeOver) return;
  throw new BridgeError('owned', `Arm ${arm.name} is driven by ${present.name}.`, { arm, remedy: 'take_over' });
}

/** @throws {BridgeError} when a trajectory is not wanted any more that has not begun yet */
function requireWanted(arm: Arm, ask: Ask, { signal }: Caller, joints: Joints): void {
  arm.requireHolding();
  arm.requireWanted(ask, joints);
  if (signal?.aborted !== true) return;
  throw new BridgeError('unsupported', 'Ended before it began, while it was checked: it was cancelled.', { arm });
}

/**
 * Watches over the speeds of the joints of a session: each measurement is held against how fast the setpoints have gone between it
 * and the one before.
 */
class SpeedWatch {
  readonly #session: ArmSession;
  readonly #tolerance: Float64Array;
  readonly #wanted: boolean;
  #measured = 0;
  /** Where the setpoints were as the speeds were measured, rad, and when, s; none before the second measurement on the way. */
  #from: Float64Array | null = null;
  #since = 0;

  /** @param tolerance rad/s, one per joint */
  constructor(session: ArmSession, tolerance: Float64Array) {
    this.#session = session;
    this.#tolerance = tolerance;
    this.#wanted = tolerance.some(Number.isFinite);
  }

  /** The first joint that is out of tolerance, for people; null when none is. */
  look(): string | null {
    if (!this.#wanted) return null;
    const { arm, joints } = this.#session;
    const { setpoints, velocities, detailTime, sampleInstant } = arm.read();
    if (detailTime === this.#measured) return null;
    const [from, time] = [this.#from, sampleInstant - this.#since];
    this.#measured = detailTime;
    this.#from = setpoints.slice();
    this.#since = sampleInstant;
    if (from === null || time <= 0) return null;
    for (const [i, tolerance] of this.#tolerance.entries()) {
      if (!meet(arm.groupOf(i), joints)) continue;
      const asked = (setpoints[i]! - from[i]!) / time;
      if (Math.abs(velocities[i]! - asked) <= tolerance) continue;
      const [goes, should] = [velocities[i]!, asked].map((speed) => speed.toFixed(3));
      return `${arm.model.joints[i]!.name} goes at ${goes} rad/s where ${should} are asked for (tolerance ${tolerance.toFixed(3)} rad/s)`;
    }
    return null;
  }
}

/** The first joint of a session that is out of tolerance, for people; null when none is. */
function missed({ arm, joints }: ArmSession, position: Float64Array, velocity: Float64Array | null): string | null {
  const { setpoints, positions, velocities } = arm.read();
  for (let i = 0; i < position.length; i++) {
    if (!meet(arm.groupOf(i), joints)) continue;
    const { name } = arm.model.joints[i]!;
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
