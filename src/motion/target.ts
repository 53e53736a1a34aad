import type { Arm } from '../arm/arm.ts';
import { type AngleTargets, anglesFromRotation, orientationError } from '../kinematics/angles.ts';
import { rotationFromQuaternion, type Vector3 } from '../kinematics/frames.ts';
import { heldBack } from './approach.ts';
import type { PresentGoal } from './goals.ts';
import type { AbsoluteMove, MoveOutcome, RelativeMove, Tolerances } from './moves.ts';
import type { ArmPlanning, RequireWanted } from './planners.ts';

/** Tolerances of moves to named poses: m and rad. */
const POSE_TOLERANCES: Tolerances = {
  maxTrials: 10,
  positionTolerance: 0.005,
  orientationTolerance: (3 * Math.PI) / 180,
};
/** Trials for joint angles: what holds a joint back is not pressed against more often. */
const JOINT_TRIALS = 4;
/** A joint further from its angle than this has not arrived, rad: half of what a payload may bend an arm by. */
const JOINT_TOLERANCE = 0.04;
/** An orientation error up to this counts as none, rad. */
const KEPT_ORIENTATION = 0.002;

/** Target of a move, in the base frame. */
export interface Target {
  readonly goal: Float64Array;
  readonly position: Vector3;
  /** Requested angles; null for a target without a tool pose: only the gripper acts, or joints are given. */
  readonly angles: AngleTargets | null;
  /** All joints are driven although no tool pose is requested. */
  readonly whole?: boolean;
  readonly tolerances: Tolerances;
  /** Orientation error of the nearest reachable orientation, rad. */
  readonly plannedOrientationError: number;
}

/** Distance of an arm from a target: m and rad. */
export interface Errors {
  readonly position: number;
  readonly orientation: number;
}

/** A named pose as a target. @param gripper position of the gripper, rad; null: as in the pose */
export function poseTarget(arm: Arm, planning: ArmPlanning, name: string, gripper: number | null): Target {
  const goal = planning.pose(name);
  if (gripper !== null && arm.model.gripper !== null) goal[arm.model.gripper.index] = gripper;
  const { position, orientation } = arm.toolPose(goal);
  const zero = rotationFromQuaternion(planning.zero.orientation);
  return {
    goal,
    position,
    angles: anglesFromRotation(rotationFromQuaternion(orientation), zero),
    tolerances: POSE_TOLERANCES,
    plannedOrientationError: 0,
  };
}

/** Joint angles as a target, without a requested tool pose. @param angles rad; NaN: keep the present goal */
export function jointTarget(arm: Arm, present: PresentGoal, angles: Float64Array): Target {
  const goal = present.q.map((angle, i) => (Number.isNaN(angles[i]!) ? angle : angles[i]!));
  const { position } = arm.toolPose(goal);
  const whole = angles.some((angle, i) => i !== arm.model.gripper?.index && !Number.isNaN(angle));
  const tolerances = { ...POSE_TOLERANCES, maxTrials: JOINT_TRIALS };
  return { goal, position, angles: null, whole, tolerances, plannedOrientationError: 0 };
}

/**
 * @param requireWanted ends the planning when it throws
 * @returns the target of an absolute move, or why it is refused before anything moves
 */
export async function absoluteTarget(
  arm: Arm,
  planning: ArmPlanning,
  present: PresentGoal,
  move: AbsoluteMove,
  requireWanted?: RequireWanted,
): Promise<Target | string> {
  const zero = planning.zero.position;
  const position = {
    x: move.x === undefined ? present.position.x : zero.x + move.x,
    y: move.y === undefined ? present.position.y : zero.y + move.y,
    z: move.z === undefined ? present.position.z : zero.z + move.z,
  };
  const angles: AngleTargets = { pitch: move.pitch ?? null, yaw: move.yaw ?? null, roll: move.roll ?? null };
  const noAngle = angles.pitch === null && angles.yaw === null && angles.roll === null;
  const onlyGripper = move.x === undefined && move.y === undefined && move.z === undefined && noAngle;
  return onlyGripper
    ? gripperTarget(arm, present, move)
    : toolTarget(arm, planning, present, move, position, [angles], requireWanted);
}

/**
 * The target of a relative move. It starts from the present goal, so that residual errors of many moves do not add up.
 * Angles left out are kept where the arm can; an arm with too few joints gives up yaw first, then the others.
 *
 * @returns the target, or why the move is refused before anything moves
 */
export async function relativeTarget(
  arm: Arm,
  planning: ArmPlanning,
  present: PresentGoal,
  move: RelativeMove,
  requireWanted?: RequireWanted,
): Promise<Target | string> {
  const lengths = [move.x, move.y, move.z];
  const turns = [move.pitch, move.yaw, move.roll];
  if ([...lengths, ...turns].every((value) => value === undefined)) return gripperTarget(arm, present, move);
  const position = {
    x: present.position.x + (move.x ?? 0),
    y: present.position.y + (move.y ?? 0),
    z: present.position.z + (move.z ?? 0),
  };
  const kept = anglesFromRotation(
    rotationFromQuaternion(arm.toolPose(present.q).orientation),
    rotationFromQuaternion(planning.zero.orientation),
  );
  const given: AngleTargets = {
    pitch: move.pitch === undefined ? null : kept.pitch + move.pitch,
    yaw: move.yaw === undefined ? null : kept.yaw + move.yaw,
    roll: move.roll === undefined ? null : kept.roll + move.roll,
  };
  const pitch = given.pitch ?? kept.pitch;
  const roll = given.roll ?? kept.roll;
  const wishes: AngleTargets[] = [{ pitch, roll, yaw: given.yaw ?? kept.yaw }, { pitch, roll, yaw: given.yaw }, given];
  return toolTarget(arm, planning, present, move, position, wishes, requireWanted);
}

function gripperTarget(arm: Arm, present: PresentGoal, move: Tolerances & { readonly open?: number }): Target {
  setGripper(arm, present.q, move.open);
  return {
    goal: present.q,
    position: present.position,
    angles: null,
    tolerances: move,
    plannedOrientationError: 0,
  };
}

/** @param wishes angle sets, best first: the first that the arm can have at the position is used, else the last */
async function toolTarget(
  arm: Arm,
  planning: ArmPlanning,
  present: PresentGoal,
  move: Tolerances & { readonly open?: number },
  position: Vector3,
  wishes: readonly AngleTargets[],
  requireWanted?: RequireWanted,
): Promise<Target | string> {
  let target: Target | null = null;
  for (const angles of wishes) {
    const solution = await planning.solve(position, angles, present.q, requireWanted);
    if (!solution.reachable) {
      const zero = planning.zero.position;
      return (
        `x, y, z = ${interfacePosition(position, zero)} cm cannot be reached by arm ${arm.name}; ` +
        `the nearest position that can is ${interfacePosition(solution.position, zero)} cm. Nothing has moved.`
      );
    }
    const goal = solution.q;
    const plannedOrientationError = solution.orientationError;
    target = { goal, position, angles, tolerances: move, plannedOrientationError };
    if (plannedOrientationError <= KEPT_ORIENTATION) break;
  }
  setGripper(arm, target!.goal, move.open);
  return target!;
}

function setGripper(arm: Arm, q: Float64Array, open: number | undefined): void {
  const { gripper } = arm.model;
  if (gripper !== null && open !== undefined)
    q[gripper.index] = gripper.closed + open * (gripper.open - gripper.closed);
}

/** Distance of the measured pose `q` (rad) from a target; null if no tool pose was requested. */
export function errorsOf(arm: Arm, planning: ArmPlanning, target: Target, q: Float64Array): Errors | null {
  if (target.angles === null) return null;
  const tool = arm.toolPose(q);
  const { x, y, z } = target.position;
  return {
    position: Math.hypot(tool.position.x - x, tool.position.y - y, tool.position.z - z),
    orientation: orientationError(
      rotationFromQuaternion(tool.orientation),
      rotationFromQuaternion(planning.zero.orientation),
      target.angles,
    ),
  };
}

/** Which joint of a resting arm is not at its angle, human-readable; null if all are, or if a tool pose was requested. */
export function shortOf(arm: Arm, { angles, whole, goal }: Target): string | null {
  if (angles !== null || whole !== true) return null;
  const gripper = arm.model.gripper?.index;
  return heldBack(
    arm,
    goal.map((angle, i) => (i === gripper ? Number.NaN : angle)),
    JOINT_TOLERANCE,
  );
}

/** Whether the remaining creep, m and rad, can still decide if the arm is within its tolerances. */
export function isClose(target: Target, errors: Errors | null, creep: Errors): boolean {
  if (errors === null) return false;
  const { positionTolerance, orientationTolerance } = target.tolerances;
  const position = errors.position - positionTolerance;
  const orientation = errors.orientation - orientationTolerance;
  if (position > creep.position || orientation > creep.orientation) return false;
  return position > -creep.position || orientation > -creep.orientation;
}

/** @returns null when both tolerances are met; `hopeless` when no trial can meet them */
export function missed(target: Target, errors: Errors | null): { what: string; hopeless: boolean } | null {
  if (errors === null) return null;
  const { positionTolerance, orientationTolerance } = target.tolerances;
  if (errors.position > positionTolerance) return { what: 'position tolerance', hopeless: false };
  if (errors.orientation <= orientationTolerance) return null;
  const hopeless = target.plannedOrientationError > orientationTolerance;
  return {
    what: hopeless
      ? 'the position is reached, but its orientation cannot be: orientation tolerance'
      : 'orientation tolerance',
    hopeless,
  };
}

/** The outcome of a move that is refused before anything moves. */
export function refused(message: string): MoveOutcome {
  return { ok: false, message, positionError: null, orientationError: null, trials: 0, duration: 0 };
}

/** Why a move was not completed, and how far it came. */
export function describe(problem: string, errors: Errors | null): string {
  const sentence = `The move has not been completed: ${problem}.`;
  if (errors === null) return sentence;
  const degrees = (errors.orientation * 180) / Math.PI;
  return `${sentence} Left: ${(errors.position * 100).toFixed(2)} cm and ${degrees.toFixed(2)} degrees.`;
}

function interfacePosition(position: Vector3, zero: Vector3): string {
  const parts = [position.x - zero.x, position.y - zero.y, position.z - zero.z];
  return parts.map((metres) => (metres * 100).toFixed(1)).join(', ');
}
