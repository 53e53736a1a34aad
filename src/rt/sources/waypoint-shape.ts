import { type WaypointLimits, type WaypointPath, Waypoints } from './waypoints.ts';

/** Between two poses a joint may swing beyond a limit by this much, rad; the gate stops it at the limit. */
const SWING = 0.01;
/**
 * Multiples of its limits that a joint may need between two poses with accelerations. Planners sample paths at the
 * limits: where a path brakes suddenly within a segment, the quintic through its samples briefly needs up to 1.75 times
 * the acceleration, and slightly more speed. The gate enforces the limits, so the arm arrives slightly later.
 */
const PEAK_SPEED = 1.1;
const PEAK_ACCELERATION = 1.8;
/** Straight lines between poses of `finePoses` are no further from the path than this, rad. */
const DEVIATION = 0.01;

/** Poses along a path, each with the waypoint that it leads to. */
export interface FinePoses {
  /** rad, row by row. */
  readonly positions: Float64Array;
  /** Index of the waypoint in the path, for each pose. */
  readonly waypoints: Int32Array;
}

/**
 * Why a path that has passed `waypointFault` cannot be driven because of its shape between the poses, naming the joint
 * and the segment; null if it can. The shape follows from the given velocities and accelerations. Do not call from the
 * control thread: a path of an hour takes many milliseconds.
 * @param start rad
 * @param moving the arm is in motion, so the path to the first pose is not known here
 */
export function shapeFault(
  path: WaypointPath,
  start: Float64Array,
  limits: WaypointLimits,
  moving: boolean,
): string | null {
  // With velocities that `Waypoints` chooses, the path stays between the poses.
  if (path.velocities === null) return null;
  const skipped = skippedOf(path);
  const joints = limits.names.length;
  // A pose at time 0 is where the arm stands as measured: how far the setpoints are from it is no fault of the path, and
  // the gate makes up for it within the limits.
  const source = begun(path, skipped === 1 ? path.positions.subarray(0, joints) : start, limits.velocity);
  for (let k = moving && skipped === 0 ? 1 : 0; k < source.segments; k++) {
    for (let i = 0; i < joints; i++) {
      const fault = segmentFault(source, path.accelerations != null, k, i, limits);
      if (fault === null) continue;
      const to = k + skipped;
      return `between ${to === 0 ? 'the start' : `waypoint ${to}`} and waypoint ${to + 1} of ${path.times.length} ${fault}`;
    }
  }
  return null;
}

function segmentFault(
  source: Waypoints,
  quintic: boolean,
  k: number,
  i: number,
  { names, lower, upper, velocity, acceleration }: WaypointLimits,
): string | null {
  const way = source.segment(k, i);
  const name = names[i]!;
  const outside = way.outside(lower[i]! - SWING, upper[i]! + SWING);
  if (outside !== null) {
    const limits = `its limits are ${lower[i]!.toFixed(3)} to ${upper[i]!.toFixed(3)} rad`;
    return `${name} would swing to ${outside.toFixed(3)} rad with the velocities that are given, ${limits}`;
  }
  if (!quintic) return null;
  const speed = way.speedAbove(velocity[i]! * PEAK_SPEED);
  if (speed !== null) {
    return `${name} would need ${speed.toFixed(3)} rad/s, its limit is ${velocity[i]!.toFixed(3)} rad/s: give it more time`;
  }
  const change = way.accelerationAbove(acceleration[i]! * PEAK_ACCELERATION);
  if (change === null) return null;
  return `${name} would need ${change.toFixed(3)} rad/s², its limit is ${acceleration[i]!.toFixed(3)} rad/s²: give it more time`;
}

/**
 * Poses so dense that straight lines between them follow the path, for collision checks.
 * @param start rad
 * @param velocity largest speed of each joint, rad/s
 */
export function finePoses(path: WaypointPath, start: Float64Array, velocity: Float64Array): FinePoses {
  const joints = velocity.length;
  const source = begun(path, start, velocity);
  const skipped = skippedOf(path);
  const positions: number[] = [];
  const waypoints: number[] = [];
  if (skipped === 1) {
    positions.push(...path.positions.subarray(0, joints));
    waypoints.push(0);
  }
  for (let k = 0; k < source.segments; k++) {
    let pieces = 1;
    for (let i = 0; i < joints; i++) pieces = Math.max(pieces, source.segment(k, i).pieces(DEVIATION));
    for (let piece = 1; piece <= pieces; piece++) {
      for (let i = 0; i < joints; i++) positions.push(source.segment(k, i).at(piece / pieces));
      waypoints.push(k + skipped);
    }
  }
  return { positions: Float64Array.from(positions), waypoints: Int32Array.from(waypoints) };
}

/** The path as it is driven from `start`, at rest unless a pose at time 0 says otherwise. */
function begun(path: WaypointPath, start: Float64Array, velocity: Float64Array): Waypoints {
  const rest = new Float64Array(velocity.length);
  const speeds = skippedOf(path) === 1 ? path.velocities?.subarray(0, rest.length) : undefined;
  const source = new Waypoints(path, velocity);
  source.begin(start, speeds ?? rest, 0);
  return source;
}

/** 1 if the first pose is the start (time 0), otherwise 0. */
function skippedOf({ times }: WaypointPath): 0 | 1 {
  return times[0] === 0 ? 1 : 0;
}
