import type { Arm, Ask } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import type { AngleTargets } from '../kinematics/angles.ts';
import { anglesFromRotation } from '../kinematics/angles.ts';
import { type Pose, rotationFromQuaternion } from '../kinematics/frames.ts';
import { type Joints, meet } from '../rt/joint/joint-groups.ts';
import type { SourceSpec } from '../rt/messages.ts';
import { asked } from './goals.ts';
import type { AskedWaypoints } from './plan-messages.ts';
import type { Planners } from './planners.ts';
import { undrivable } from './waypoint-poses.ts';

/** Interval at which a clock that may be slowed, paused or set is checked, s. */
const LOOK = 0.1;
/** Overtime beyond its duration after which a trajectory is aborted, s. */
const OVERTIME = 2;
/** A gripper that has moved by no more than `STALL_BAND` (rad) for `STALL_TIME` (s) has stopped. */
const STALL_BAND = 0.005;
const STALL_TIME = 0.3;
/** Setpoints that moved by more than this while a trajectory was checked make it invalid, rad. */
const UNMOVED = 0.01;
/** A gripper command that has not ended by then is aborted, s. */
const GRIPPER_LIMIT = 10;
/** A gripper position beyond its limits by no more than this is rounding and is clamped, rad. */
const LIMIT_SLACK = 0.01;

/** Time-stamped poses of some joints of an arm; joints without a column keep their setpoints. */
export interface JointPath {
  /** Joints of the model, each once. */
  readonly names: readonly string[];
  /** s after the start, strictly increasing. */
  readonly times: Float64Array;
  /** rad, one row per time and one column per name. */
  readonly positions: Float64Array;
  /** rad/s, likewise; null: chosen so that the path is smooth. */
  readonly velocities: Float64Array | null;
  /** rad/s^2, likewise, where velocities are given; null or left out: those of the cubics between the poses. */
  readonly accelerations?: Float64Array | null;
}

/** Tolerances of a trajectory; one element per joint of the model, infinite where there is none. */
export interface PathTolerances {
  /** Largest distance between setpoint and measured position on the way, rad. */
  readonly path: Float64Array;
  /** Largest difference between setpoint speed and measured speed on the way, rad/s. */
  readonly pathVelocity: Float64Array;
  /** Likewise at the goal, rad and rad/s. */
  readonly goal: Float64Array;
  readonly goalVelocity: Float64Array;
  /** Time after the end within which the arm must meet the goal tolerances, s; infinite: it waits until it does. */
  readonly goalTime: number;
}

export type TrajectoryEnd = 'done' | 'path' | 'goal' | 'ended' | 'not_begun';

export interface TrajectoryOutcome {
  /** `path` and `goal`: a tolerance was missed; `ended` and `not_begun`: interrupted during or before the motion. */
  readonly end: TrajectoryEnd;
  /** Human-readable; empty when done. */
  readonly message: string;
}

export interface GripperCommand {
  /** rad */
  readonly position: number;
  /** Largest speed, rad/s, above 0; null: the arm's own limit. */
  readonly velocity: number | null;
  /** Largest torque, Nm, above 0; null: the arm's own limit. */
  readonly torque: number | null;
}

export interface GripperOutcome {
  /** The gripper reached its goal position. */
  readonly reached: boolean;
  /** The gripper stopped short of the goal: at an object that it holds. */
  readonly stalled: boolean;
  /** Why it ended otherwise, human-readable; empty when it did not. */
  readonly message: string;
}

/** Joint trajectories planned by other programs, gripper commands, and joint positions for streamed tool poses. */
export class TrajectoryService {
  readonly #planners: Planners;

  /** @param planners of all arms */
  constructor(planners: Planners) {
    this.#planners = planners;
  }

  /**
   * Drives a ready arm, or one that the caller already drives, along a path. While the path waits for its start, it
   * owns the arm, which holds: whatever ends that, or a later request to the same controller, ends the path too.
   * @param left time until the start, s, by the sender's clock; polled repeatedly
   * @param onBegun called once, in the cycle in which the arm has begun to move along the path
   * @throws {BridgeError} disconnected, stopped, owned, unsupported (the path cannot be driven, and why)
   */
  async follow(
    arm: Arm,
    path: JointPath,
    tolerances: PathTolerances,
    caller: Caller,
    left: () => number = () => 0,
    onBegun: () => void = () => {},
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
        // The previous motion has left the arm somewhere else.
        await arm.standing(joints);
        source = await this.#waypoints(arm, path, false, () => session.requireHeld());
        let over: string | null = session.lost;
        for (let rest = left(); over === null && rest > 0; rest = left())
          over = await session.wait(Math.min(rest, LOOK));
        // If this thread stalled meanwhile, it hears only now that the arm was taken from it.
        await arm.nextCycle();
        over ??= session.lost;
        if (over !== null) return failed(session, 'not_begun', `Ended before it began: ${over}. Nothing has moved.`);
        session.renew(timeLimit);
      }
      let violation: string | null = null;
      const driving = session.drive(source);
      const finished = driving.then(
        () => true,
        () => true,
      );
      const speeds = new SpeedWatch(session, tolerances.pathVelocity);
      let begun = false;
      for (let over = false; !over && violation === null; ) {
        over = await Promise.race([finished, arm.nextCycle().then(() => false)]);
        if (over || session.motion === null) continue;
        if (!begun) onBegun();
        begun = true;
        violation = missed(session, arm.read().setpoints, tolerances.path, null) ?? speeds.look();
      }
      if (violation !== null) violated.abort();
      const problem = await driving;
      if (violation !== null && session.lost === null) {
        return failed(session, 'path', `On the way ${violation}; the arm has stopped and holds.`);
      }
      if (problem !== null) return failed(session, 'ended', `Ended on the way: ${problem}.`);
      return await this.#arrive(session, source.positions.subarray(-arm.model.joints.length), tolerances);
    } finally {
      session.end();
    }
  }

  /**
   * Checks whether `follow` would begin a path, as far as that is known at once: contacts are checked later.
   * @throws {BridgeError} as `follow`
   */
  requireFollowable(arm: Arm, path: JointPath, caller: Caller, waits = false): void {
    arm.requireHolding();
    requireOwn(arm, arm.jointsOf(path.names), caller);
    arm.requirePlaced(caller);
    const setpoints = arm.read().setpoints.slice();
    // A path that waits starts elsewhere, wherever the arm's present motion leaves it.
    const fault = undrivable(askedOf(arm, waypointsOf(arm, path, setpoints), setpoints, waits));
    if (fault !== null) throw cannotDrive(arm, fault);
    requireServos(arm, path);
  }

  /** @throws {BridgeError} when a gripper command cannot be carried out in the arm's present state */
  requireGripper(arm: Arm, { position }: GripperCommand, caller: Caller): void {
    arm.requireHolding();
    requireOwn(arm, 'gripper', caller);
    arm.requirePlaced(caller);
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

  /**
   * Moves the gripper. The requested torque limit applies until the gripper gets another goal.
   * @throws {BridgeError} as `follow`
   */
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
   * @throws {BridgeError} when the arm got a newer request meanwhile, or was stopped
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
    const touched = await planning.touches(from, solution.q, () => arm.requireWanted(ask));
    arm.requireWanted(ask);
    return touched === null ? solution.q : `on the way arm ${arm.name} would hit something: ${touched}`;
  }

  /**
   * Checks a path for limits and contacts, which may take a while.
   * @param waits the path begins later, from wherever the arm is by then
   * @param requireWanted throws when the path is no longer wanted
   * @throws {BridgeError} unsupported when the arm cannot drive the path or a contact is on it; stopped, disconnected
   */
  async #waypoints(arm: Arm, path: JointPath, waits: boolean, requireWanted: () => void): Promise<Waypoints> {
    const { joints } = arm.model;
    const width = joints.length;
    const setpoints = arm.read().setpoints.slice();
    const source = waypointsOf(arm, path, setpoints);
    const { times } = source;
    requireServos(arm, path);
    const planning = this.#planners.of(arm);
    const fine = await planning.waypoints(askedOf(arm, source, setpoints, waits), requireWanted);
    if (typeof fine === 'string') throw cannotDrive(arm, fine);
    const refuseContact = (waypoint: number, contact: string): never => {
      throw new BridgeError(
        'unsupported',
        `On the way to waypoint ${waypoint + 1} of ${times.length} arm ${arm.name} would hit something: ${contact}. Nothing has moved.`,
      );
    };
    requireWanted();
    const touched = await planning.touchesAlong(setpoints, fine.positions, requireWanted);
    if (touched !== null) refuseContact(fine.waypoints[touched.index]!, touched.contact);
    // A motion that this one will replace has continued meanwhile.
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
    const contact = now.some((at, i) => at !== setpoints[i]) ? planning.touchesNow(now, first) : null;
    if (contact !== null) refuseContact(0, contact);
    return source;
  }

  /**
   * Waits until the arm is within its goal tolerances, or the time for that is over.
   * @param end rad, one per joint: what was asked for, since setpoints give way to what a gripper holds
   */
  async #arrive(
    session: ArmSession,
    end: Float64Array,
    { goal, goalVelocity, goalTime }: PathTolerances,
  ): Promise<TrajectoryOutcome> {
    const { arm } = session;
    const { clock } = arm;
    const deadline = clock.now() + goalTime;
    for (;;) {
      const over = await session.wait(0);
      if (over !== null) return failed(session, 'ended', `Ended at the goal: ${over}.`);
      const violation = missed(session, end, goal, goalVelocity);
      if (violation === null) return { end: 'done', message: '' };
      if (clock.now() > deadline) {
        return failed(session, 'goal', `${goalTime.toFixed(2)} s after the end ${violation}; the arm holds.`);
      }
      await arm.nextCycle();
    }
  }

  /** Waits until a joint is near `position` or has stopped, or the arm is lost. */
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

/** The outcome of a trajectory that has failed, also for the journal. */
function failed(session: ArmSession, end: Exclude<TrajectoryEnd, 'done'>, message: string): TrajectoryOutcome {
  session.problem = message;
  return { end, message };
}

/** A path for all joints: those not named keep their `setpoints` (rad). */
function waypointsOf(arm: Arm, path: JointPath, setpoints: Float64Array): Waypoints {
  const { names, times, positions, velocities, accelerations = null } = path;
  const { joints } = arm.model;
  const width = joints.length;
  const columns = joints.map(({ name }) => names.indexOf(name));
  const spread = (values: Float64Array, rest: (joint: number) => number): Float64Array => {
    const rows = new Float64Array(times.length * width);
    for (const [joint, column] of columns.entries()) {
      const keeps = rest(joint);
      for (let k = 0; k < times.length; k++) {
        rows[k * width + joint] = column < 0 ? keeps : values[k * names.length + column]!;
      }
    }
    return rows;
  };
  return {
    kind: 'waypoints',
    times,
    positions: spread(positions, (joint) => setpoints[joint]!),
    velocities: velocities === null ? null : spread(velocities, () => 0),
    accelerations: accelerations === null ? null : spread(accelerations, () => 0),
  };
}

/** The check of a path. @param setpoints of the arm now, rad @param waits the path begins later, wherever the arm is then */
function askedOf(arm: Arm, path: Waypoints, setpoints: Float64Array, waits: boolean): AskedWaypoints {
  const { joints } = arm.model;
  const { positions, state } = arm.read();
  const limits = {
    names: joints.map(({ name }) => name),
    // A joint beyond a limit may stay where it is, by its setpoint or as measured, and come back.
    lower: Float64Array.from(joints, ({ lower }, i) => Math.min(lower, setpoints[i]!, positions[i]!)),
    upper: Float64Array.from(joints, ({ upper }, i) => Math.max(upper, setpoints[i]!, positions[i]!)),
    velocity: Float64Array.from(joints, ({ move }) => move.velocity * arm.pace),
    acceleration: Float64Array.from(joints, ({ move }) => move.acceleration * arm.accelerationScale),
  };
  return { path, from: setpoints, waits, moving: state === 'moving', limits };
}

/** @throws {BridgeError} unsupported, when a servo's own position limits keep its joint from a pose of a path */
function requireServos(arm: Arm, { names, times, positions }: JointPath): void {
  const pose = new Float64Array(arm.model.joints.length).fill(Number.NaN);
  const columns = names.map((name) => arm.model.joints.findIndex((joint) => joint.name === name));
  for (let k = 0; k < times.length; k++) {
    for (const [column, joint] of columns.entries()) pose[joint] = positions[k * names.length + column]!;
    const limit = arm.servoLimitAt(pose);
    if (limit !== '') throw cannotDrive(arm, `waypoint ${k + 1} of ${times.length}: ${limit}`);
  }
}

function cannotDrive(arm: Arm, fault: string): BridgeError {
  return new BridgeError('unsupported', `Arm ${arm.name} cannot do this: ${fault}.`, { arm });
}

/** @throws {BridgeError} owned, when someone else drives some of these joints */
function requireOwn(arm: Arm, joints: Joints, { owner, takeOver }: Caller): void {
  const present = arm.ownerOf(joints);
  if (present === null || present.key === owner.key || takeOver) return;
  throw new BridgeError('owned', `Arm ${arm.name} is driven by ${present.name}.`, { arm, remedy: 'take_over' });
}

/** @throws {BridgeError} when a trajectory that has not begun is no longer wanted */
function requireWanted(arm: Arm, ask: Ask, { signal }: Caller, joints: Joints): void {
  arm.requireHolding();
  arm.requireWanted(ask, joints);
  if (signal?.aborted !== true) return;
  throw new BridgeError('unsupported', 'Ended before it began, while it was checked: it was cancelled.', { arm });
}

/** Monitors the joint speeds of a session: compares each measurement with the setpoints' speed since the one before. */
class SpeedWatch {
  readonly #session: ArmSession;
  readonly #tolerance: Float64Array;
  readonly #wanted: boolean;
  #measured = 0;
  /** Setpoints at the previous speed measurement, rad, and its time, s; null before the first measurement. */
  #from: Float64Array | null = null;
  #since = 0;

  /** @param tolerance rad/s, one per joint */
  constructor(session: ArmSession, tolerance: Float64Array) {
    this.#session = session;
    this.#tolerance = tolerance;
    this.#wanted = tolerance.some(Number.isFinite);
  }

  /** The first joint out of tolerance, human-readable; null when there is none. */
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

/** The first joint of a session that is out of tolerance, human-readable; null when there is none. @param wanted rad */
function missed(
  { arm, joints }: ArmSession,
  wanted: Float64Array,
  position: Float64Array,
  velocity: Float64Array | null,
): string | null {
  const { positions, velocities } = arm.read();
  for (let i = 0; i < position.length; i++) {
    if (!meet(arm.groupOf(i), joints)) continue;
    const { name } = arm.model.joints[i]!;
    const error = Math.abs(wanted[i]! - positions[i]!);
    if (error > position[i]!) {
      return `${name} is ${error.toFixed(3)} rad from where it should be (tolerance ${position[i]!.toFixed(3)} rad)`;
    }
    if (velocity !== null && Math.abs(velocities[i]!) > velocity[i]!) {
      return `${name} still moves with ${Math.abs(velocities[i]!).toFixed(3)} rad/s (tolerance ${velocity[i]!.toFixed(3)} rad/s)`;
    }
  }
  return null;
}
