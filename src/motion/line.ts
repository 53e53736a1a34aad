import { type AngleTargets, anglesFromRotation, OrientationGoal } from '../kinematics/angles.ts';
import type { Chain } from '../kinematics/chain.ts';
import {
  angleBetween,
  multiplyByTranspose,
  multiplyRotations,
  type Rotation,
  rotationFromAxisAngle,
  rotationFromQuaternion,
  type Vector3,
  writeRotationVector,
} from '../kinematics/frames.ts';
import { type TimingLimits, timePath } from './path-timing.ts';
import { ToolTracker } from './tracker.ts';

/** Largest tool step between two poses of a line: m and rad. */
const STEP = 0.002;
const TURN = 0.02;
/** Fewest steps of a line, for its derivatives. */
const LEAST_STEPS = 16;
/** Position error that counts as reached, m. */
const MET = 1e-5;
/** A joint that moves further in one step is at a singularity, rad. */
const LEAP = 0.2;
/** Orientation error allowed at the end beyond what the arm cannot avoid there, rad. */
const END_ORIENTATION = 0.01;

/** End of a line. */
export interface LineEnd {
  /** m, base frame */
  readonly position: Vector3;
  readonly angles: AngleTargets;
  /** A pose there, rad: gives the orientation, and the positions of joints that do not move the tool. */
  readonly goal: Float64Array;
  /** Orientation error that the arm cannot avoid there, rad. */
  readonly plannedOrientationError: number;
}

/** A straight tool path: poses, their times after the start, and the last pose. Rows of joints: rad and rad/s. */
export interface Line {
  readonly times: Float64Array;
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  readonly end: Float64Array;
}

export interface LineOptions {
  readonly chain: Chain;
  /** Orientation of the tool where all angles are zero. */
  readonly zero: Rotation;
  readonly limits: TimingLimits;
  /** The contact on the way between two neighbouring poses; null when there is none. */
  readonly touches: (from: Float64Array, to: Float64Array) => string | null;
}

/**
 * Moves the tool on a straight line. Where angles are given, the orientation turns evenly about one axis; angles not
 * given stay free. Where the arm cannot have an intermediate orientation, it comes as near as it can.
 *
 * @param from pose of the arm, at rest, rad
 * @returns the line, or how far it goes and why no further
 */
export function planLine(options: LineOptions, from: Float64Array, to: LineEnd): Line | string {
  const { chain, zero } = options;
  const start = chain.toolPose(from);
  const begin = rotationFromQuaternion(start.orientation);
  const finish = rotationFromQuaternion(chain.toolPose(to.goal).orientation);
  const way = {
    x: to.position.x - start.position.x,
    y: to.position.y - start.position.y,
    z: to.position.z - start.position.z,
  };
  const length = Math.hypot(way.x, way.y, way.z);
  const steps = Math.max(LEAST_STEPS, Math.ceil(length / STEP), Math.ceil(angleBetween(begin, finish) / TURN));
  const joints = from.length;
  const positions = new Float64Array((steps + 1) * joints);
  positions.set(from);
  const tracker = new ToolTracker(chain);
  const last = from.slice();
  const next = from.slice();
  let goal = new OrientationGoal(to.angles, zero);
  for (let k = 1; k <= steps; k++) {
    const part = k / steps;
    const { x, y, z } = start.position;
    const position = { x: x + part * way.x, y: y + part * way.y, z: z + part * way.z };
    goal = new OrientationGoal(k === steps ? to.angles : anglesAt(begin, finish, part, zero, to.angles), zero);
    const error = tracker.follow(position, goal, next);
    for (const [i, moves] of chain.movesTool.entries()) {
      if (!moves) next[i] = from[i]! + part * (to.goal[i]! - from[i]!);
    }
    const fault = stepFault(error, last, next, chain, options.touches);
    if (fault !== null) {
      const done = ((k - 1) / steps) * length * 100;
      return `it can be followed for ${done.toFixed(1)} of ${(length * 100).toFixed(1)} cm, then ${fault}`;
    }
    positions.set(next, k * joints);
    last.set(next);
  }
  goal.evaluate(rotationFromQuaternion(chain.toolPose(next).orientation));
  if (goal.angle > to.plannedOrientationError + END_ORIENTATION) {
    const off = ((goal.angle * 180) / Math.PI).toFixed(1);
    return `the arm comes to its end in another configuration, ${off} degrees from the asked orientation`;
  }
  return { ...timePath(positions, options.limits), positions, end: next };
}

function stepFault(
  error: number,
  last: Float64Array,
  next: Float64Array,
  { joints }: Chain,
  touches: LineOptions['touches'],
): string | null {
  if (error > MET) return 'the next position cannot be reached without a leap to another configuration';
  const leaping = joints.findIndex((_, i) => Math.abs(next[i]! - last[i]!) > LEAP);
  if (leaping >= 0) return `${joints[leaping]} would have to leap`;
  return touches(last, next);
}

/** The given angles at fraction `part` (0..1) of the even turn from one orientation to another. */
function anglesAt(begin: Rotation, finish: Rotation, part: number, zero: Rotation, given: AngleTargets): AngleTargets {
  const turn = new Float64Array(3);
  writeRotationVector(multiplyByTranspose(finish, begin), turn);
  const [x, y, z] = turn;
  const angle = Math.hypot(x!, y!, z!) || 1;
  const turned = multiplyRotations(rotationFromAxisAngle(x! / angle, y! / angle, z! / angle, part * angle), begin);
  const angles = anglesFromRotation(turned, zero);
  return {
    pitch: given.pitch === null ? null : angles.pitch,
    yaw: given.yaw === null ? null : angles.yaw,
    roll: given.roll === null ? null : angles.roll,
  };
}
