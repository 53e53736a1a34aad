import type { Arm } from '../arm/types.ts';
import type { JointPath, PathTolerances } from '../motion/trajectory-service.ts';
import { MOST_JOINTS } from '../sizes.ts';
import { type JointTrajectory, trajectorySizeFault } from './cdr.ts';
import { type Stamp, secondsOf } from './time.ts';

/** Codes of control_msgs/action/FollowJointTrajectory. */
export const TrajectoryCode = {
  SUCCESSFUL: 0,
  INVALID_GOAL: -1,
  INVALID_JOINTS: -2,
  OLD_HEADER_TIMESTAMP: -3,
  PATH_TOLERANCE_VIOLATED: -4,
  GOAL_TOLERANCE_VIOLATED: -5,
} as const;

export type TrajectoryMessage = JointTrajectory;

/** control_msgs/msg/JointTolerance */
interface ToleranceMessage {
  readonly name: string;
  readonly position: number;
  readonly velocity: number;
  readonly acceleration: number;
}

/** Goal of control_msgs/action/FollowJointTrajectory. */
export interface TrajectoryGoal {
  readonly trajectory: TrajectoryMessage;
  readonly multi_dof_trajectory: { readonly points: readonly unknown[] };
  readonly path_tolerance: readonly ToleranceMessage[];
  readonly component_path_tolerance: readonly unknown[];
  readonly goal_tolerance: readonly ToleranceMessage[];
  readonly component_goal_tolerance: readonly unknown[];
  readonly goal_time_tolerance: Stamp;
}

export interface TrajectoryFault {
  readonly code: number;
  readonly text: string;
}

/** A well-formed trajectory. `begin`: start by the ROS clock, seconds since the epoch; null: at once. */
export interface Planned {
  readonly path: JointPath;
  readonly begin: number | null;
}

/** What points may contain besides positions. */
const DERIVATIVES = ['velocities', 'accelerations'] as const;
type Derivative = (typeof DERIVATIVES)[number];

/** A later start than this is a mistake, s. */
const LATEST_START = 60;
/** Default goal tolerance, rad; the gripper has none, because it may hold something. */
const GOAL_TOLERANCE = 0.1;
/** Default time to come within the goal tolerance, s. */
const GOAL_TIME = 1;

export function isFault(value: object): value is TrajectoryFault {
  return 'code' in value;
}

/** Why a goal is too large to be looked at; null if it is not. */
export function goalSizeFault({ trajectory, path_tolerance, goal_tolerance }: TrajectoryGoal): TrajectoryFault | null {
  const tolerances = Math.max(path_tolerance.length, goal_tolerance.length);
  const text =
    trajectorySizeFault(trajectory.joint_names.length, trajectory.points.length) ??
    (tolerances > MOST_JOINTS
      ? `the goal has ${tolerances} tolerances, and an arm ${MOST_JOINTS} joints at most`
      : null);
  return text === null ? null : { code: TrajectoryCode.INVALID_GOAL, text };
}

/**
 * Reads a trajectory for an arm.
 * @param now by the ROS clock, seconds since the epoch
 */
export function readTrajectory(arm: Arm, message: TrajectoryMessage, now: number): Planned | TrajectoryFault {
  const { joint_names: names, points } = message;
  const fault = namesFault(arm, names);
  if (fault !== null) return { code: TrajectoryCode.INVALID_JOINTS, text: fault };
  if (points.length === 0) return { code: TrajectoryCode.INVALID_GOAL, text: 'the trajectory has no points' };
  for (const [index, point] of points.entries()) {
    const name = `point ${index + 1} of ${points.length}`;
    const problem = pointFault(names, point, name) ?? timeFault(points[index - 1], point, name);
    if (problem !== null) return { code: TrajectoryCode.INVALID_GOAL, text: problem };
  }
  const having = (what: Derivative): number => points.filter((point) => point[what].length > 0).length;
  for (const what of DERIVATIVES) {
    const count = having(what);
    if (count === 0 || count === points.length) continue;
    const text = `${count} of ${points.length} points have ${what}: give all or none`;
    return { code: TrajectoryCode.INVALID_GOAL, text };
  }
  if (having('accelerations') > 0 && having('velocities') === 0) {
    const text = 'the points have accelerations without velocities: give both, or positions alone';
    return { code: TrajectoryCode.INVALID_GOAL, text };
  }
  const stamp = secondsOf(message.header.stamp);
  const begin = stamp === 0 ? now : stamp;
  if (begin - now > LATEST_START) {
    const text = `the trajectory begins in ${(begin - now).toFixed(1)} s, which is more than ${LATEST_START} s ahead`;
    return { code: TrajectoryCode.INVALID_GOAL, text };
  }
  // As in ros2_control: the remaining part of a trajectory that has begun already is driven. Where the arm is not yet at
  // its beginning, as after a delay on the way, the whole of it comes later by what the arm needs to get there.
  const late = Math.max(0, now - begin);
  const left = points.filter(({ time_from_start }) => late === 0 || secondsOf(time_from_start) > late);
  if (left.length === 0) {
    const text = `the trajectory ended ${(late - secondsOf(points.at(-1)!.time_from_start)).toFixed(3)} s ago: check the clocks, or leave header.stamp at 0`;
    return { code: TrajectoryCode.OLD_HEADER_TIMESTAMP, text };
  }
  const rows = (what: 'positions' | Derivative): Float64Array => {
    const values = new Float64Array(left.length * names.length);
    for (const [k, point] of left.entries()) values.set(point[what], k * names.length);
    return values;
  };
  const catchUp =
    late === 0 ? 0 : Math.max(0, timeTo(arm, names, left[0]!) - (secondsOf(left[0]!.time_from_start) - late));
  const path: JointPath = {
    names: [...names],
    times: Float64Array.from(left, ({ time_from_start }) => secondsOf(time_from_start) - late + catchUp),
    positions: rows('positions'),
    velocities: having('velocities') === 0 ? null : rows('velocities'),
    accelerations: having('accelerations') === 0 ? null : rows('accelerations'),
  };
  return { path, begin: begin > now ? begin : null };
}

/**
 * Least time in which an arm reaches a point, s. Planners that give accelerations expect them to be kept; an arm in motion
 * is on its way there already, as after a plan that goes on from the one before.
 */
function timeTo(arm: Arm, names: readonly string[], { positions, velocities, accelerations }: Point): number {
  const { setpoints, state } = arm.read();
  const fromRest = accelerations.length > 0 && state !== 'moving';
  let time = 0;
  for (const [column, name] of names.entries()) {
    const index = arm.model.joints.findIndex((joint) => joint.name === name);
    const { move } = arm.model.joints[index]!;
    const signed = positions[column]! - setpoints[index]!;
    const way = Math.abs(signed);
    // An arm that is not connected has no setpoints, and does not get to any point.
    if (Number.isNaN(way)) return 0;
    time = Math.max(time, way / (move.velocity * arm.pace));
    if (!fromRest) continue;
    const speed = velocities[column]! * Math.sign(signed);
    const restToRest = 2 * Math.sqrt(way / move.acceleration);
    const gaining = speed > 0 ? Math.max((2 * way) / speed, speed / move.acceleration) : Number.POSITIVE_INFINITY;
    time = Math.max(time, Math.min(restToRest, gaining));
  }
  return time;
}

function namesFault(arm: Arm, names: readonly string[]): string | null {
  if (names.length === 0) return 'the trajectory names no joint';
  const known = arm.model.joints.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (!known.includes(name)) {
      return `arm ${arm.name} has no joint ${JSON.stringify(name)}; it has ${known.join(', ')}`;
    }
    if (names.indexOf(name) !== index) return `the trajectory names the joint ${name} twice`;
  }
  return null;
}

function pointFault(names: readonly string[], values: Point, point: string): string | null {
  if (values.effort.length > 0) {
    return `${point} has effort, and the arm takes positions alone: leave effort empty`;
  }
  if (values.positions.length === 0) return `${point} has no positions, which every point needs`;
  if (values.positions.length !== names.length) {
    return `${point} has ${values.positions.length} positions for ${names.length} joints`;
  }
  for (const what of ['positions', ...DERIVATIVES] as const) {
    const { length } = values[what];
    if (length !== 0 && length !== names.length) return `${point} has ${length} ${what} for ${names.length} joints`;
    const wrong = values[what].findIndex((value) => !Number.isFinite(value));
    if (wrong >= 0) return `${what} of ${point}: that of ${names[wrong]} is ${values[what][wrong]}`;
  }
  return null;
}

type Point = TrajectoryMessage['points'][number];

function timeFault(before: Point | undefined, { time_from_start }: Point, point: string): string | null {
  const time = secondsOf(time_from_start);
  if (before === undefined) return time >= 0 ? null : `${point} is to be passed ${-time} s before the start`;
  const least = secondsOf(before.time_from_start);
  return time > least
    ? null
    : `time_from_start of ${point} (${time} s) does not come after the one before it (${least} s)`;
}

/** Tolerances of a goal: 0 requests the default, -1 none (control_msgs/msg/JointTolerance). */
export function readTolerances(arm: Arm, goal: TrajectoryGoal): PathTolerances | TrajectoryFault {
  const refused = (text: string): TrajectoryFault => ({ code: TrajectoryCode.INVALID_GOAL, text });
  if (goal.multi_dof_trajectory.points.length > 0) return refused('the arm has no joint of several degrees of freedom');
  if (goal.component_path_tolerance.length > 0 || goal.component_goal_tolerance.length > 0) {
    return refused('the arm has no joint of several degrees of freedom: component tolerances have no meaning');
  }
  const { joints } = arm.model;
  const path = new Float64Array(joints.length).fill(Number.POSITIVE_INFINITY);
  const pathVelocity = path.slice();
  const goalVelocity = path.slice();
  const end = Float64Array.from(joints, ({ role }) => (role === 'gripper' ? Number.POSITIVE_INFINITY : GOAL_TOLERANCE));
  for (const [list, positions, velocities] of [
    [goal.path_tolerance, path, pathVelocity],
    [goal.goal_tolerance, end, goalVelocity],
  ] as const) {
    for (const tolerance of list) {
      const index = joints.findIndex(({ name }) => name === tolerance.name);
      if (index < 0) {
        const text = `a tolerance names the joint ${JSON.stringify(tolerance.name)}, which arm ${arm.name} does not have`;
        return { code: TrajectoryCode.INVALID_JOINTS, text };
      }
      const { position: near, velocity, acceleration } = tolerance;
      const values = [near, velocity, acceleration];
      if (!values.every(Number.isFinite)) return refused(`a tolerance of ${tolerance.name} is no number`);
      const below = values.find((value) => value < 0 && value !== -1);
      if (below !== undefined) {
        return refused(`a tolerance of ${tolerance.name} is ${below}: 0 asks for what is usual, -1 for none`);
      }
      if (acceleration > 0) {
        return refused(
          `the acceleration of ${tolerance.name} is not measured, so no tolerance of it can be kept watch of: leave it at 0`,
        );
      }
      if (near !== 0) positions[index] = near < 0 ? Number.POSITIVE_INFINITY : near;
      if (velocity > 0) velocities[index] = velocity;
    }
  }
  const time = secondsOf(goal.goal_time_tolerance);
  if (time < 0 && time !== -1) {
    return refused(`goal_time_tolerance is ${time} s: 0 asks for what is usual, ${GOAL_TIME} s, and -1 for no limit`);
  }
  const goalTime = time === -1 ? Number.POSITIVE_INFINITY : time > 0 ? time : GOAL_TIME;
  return { path, pathVelocity, goal: end, goalVelocity, goalTime };
}

/** Tolerances of a trajectory without its own. */
export function usualTolerances(arm: Arm): PathTolerances {
  const none = new Float64Array(arm.model.joints.length).fill(Number.POSITIVE_INFINITY);
  return { path: none, pathVelocity: none, goal: none, goalVelocity: none, goalTime: 0 };
}
