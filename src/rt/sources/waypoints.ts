import { Segment } from './segment.ts';
import { type SetpointSource, SourceStatus } from './setpoint-source.ts';

/** Poses that an arm passes at given times after its start. One row of each matrix per pose, one column per joint. */
export interface WaypointPath {
  /** s after the start, strictly increasing, none below 0. */
  readonly times: Float64Array;
  /** rad, row by row. */
  readonly positions: Float64Array;
  /** rad/s, row by row; null: chosen so that the path is smooth and does not overshoot between poses. */
  readonly velocities: Float64Array | null;
  /** rad/s^2, row by row, only if velocities are given too; null or left out: those of the cubics between the poses. */
  readonly accelerations?: Float64Array | null;
  /** Duration of the whole path, s, if more poses will come; left out: these are all. */
  readonly duration?: number;
}

/** Further poses of a path. */
export interface MoreWaypoints {
  readonly times: Float64Array;
  readonly positions: Float64Array;
  /** No poses come after these. */
  readonly last: boolean;
}

/** Limits of a path; one element per joint, rad, rad/s and rad/s^2. */
export interface WaypointLimits {
  readonly names: readonly string[];
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly velocity: Float64Array;
  readonly acceleration: Float64Array;
}

/**
 * A pose at time 0 must be this near to the setpoints, rad. Planners start from the measured pose, and a load bends a
 * resting joint by up to 0.08 rad.
 */
export const START_TOLERANCE = 0.1;
/** Positions beyond a limit by no more than this are rounding errors, as of a servo's steps, rad; the gate clamps them. */
export const POSITION_SLACK = 0.01;
/** Speeds above a limit by no more than this part are rounding errors. */
const SPEED_SLACK = 1e-3;
/** A last pose slower than this is at rest, rad/s. */
const RESTING = 1e-6;
/** Accelerations may exceed a limit by this part: planners that switch between two limits exceed it by an eighth. */
const ACCELERATION_SLACK = 0.25;

function poseName(index: number, count: number): string {
  return `waypoint ${index + 1} of ${count}`;
}

/**
 * Why a path cannot be driven from `start` (rad), naming the joint and the segment; null if it can. Every number must
 * be finite, every pose within the position limits, every segment's average speed and every given velocity within the
 * velocity limits, every given acceleration within the acceleration limits, and the last pose at rest.
 */
export function waypointFault(path: WaypointPath, start: Float64Array, limits: WaypointLimits): string | null {
  const { times, positions, velocities, accelerations = null } = path;
  const joints = limits.names.length;
  const count = times.length;
  if (count === 0) return 'the trajectory has no waypoints';
  if ([positions, velocities, accelerations].some((values) => values !== null && values.length !== count * joints)) {
    return `the trajectory needs ${joints} numbers for each of its ${count} waypoints`;
  }
  for (let k = 0; k < count; k++) {
    const time = times[k]!;
    const before = k === 0 ? 0 : times[k - 1]!;
    if (!Number.isFinite(time) || time < 0 || (k > 0 && time <= before)) {
      return `the time of ${poseName(k, count)} (${time} s) does not come after the one before it (${before} s)`;
    }
    for (let i = 0; i < joints; i++) {
      const fault = poseFault(path, start, limits, k, i);
      if (fault !== null) return fault;
    }
  }
  return null;
}

function poseFault(
  { times, positions, velocities, accelerations }: WaypointPath,
  start: Float64Array,
  { names, lower, upper, velocity, acceleration }: WaypointLimits,
  k: number,
  i: number,
): string | null {
  const joints = names.length;
  const name = names[i]!;
  const pose = poseName(k, times.length);
  const position = positions[k * joints + i]!;
  if (!Number.isFinite(position)) return `the position of ${name} in ${pose} is no number`;
  if (position < lower[i]! - POSITION_SLACK || position > upper[i]! + POSITION_SLACK) {
    return (
      `${name} would go to ${position.toFixed(3)} rad in ${pose}, ` +
      `its limits are ${lower[i]!.toFixed(3)} to ${upper[i]!.toFixed(3)} rad`
    );
  }
  const top = velocity[i]! * (1 + SPEED_SLACK);
  const speed = velocities?.[k * joints + i] ?? 0;
  if (!Number.isFinite(speed)) return `the velocity of ${name} in ${pose} is no number`;
  if (Math.abs(speed) > top) {
    return `${name} would pass ${pose} at ${speed.toFixed(3)} rad/s, its limit is ${velocity[i]!.toFixed(3)} rad/s`;
  }
  const change = accelerations?.[k * joints + i] ?? 0;
  if (!Number.isFinite(change)) return `the acceleration of ${name} in ${pose} is no number`;
  if (Math.abs(change) > acceleration[i]! * (1 + ACCELERATION_SLACK)) {
    const limit = `its limit is ${acceleration[i]!.toFixed(3)} rad/s²`;
    return `${name} would accelerate with ${change.toFixed(3)} rad/s² in ${pose}, ${limit}`;
  }
  if (k === times.length - 1 && Math.abs(speed) > RESTING) return `${name} does not rest in the last waypoint`;
  const from = k === 0 ? start[i]! : positions[(k - 1) * joints + i]!;
  const way = Math.abs(position - from);
  const time = times[k]! - (k === 0 ? 0 : times[k - 1]!);
  if (time === 0) {
    return way <= START_TOLERANCE
      ? null
      : `${name} would jump by ${way.toFixed(3)} rad: a waypoint at time 0 must be where the arm is already`;
  }
  if (way / time <= top) return null;
  const segment = k === 0 ? `the start to ${pose}` : `waypoint ${k} to ${k + 1}`;
  return (
    `${name} would need ${(way / time).toFixed(3)} rad/s from ${segment}, its limit is ${velocity[i]!.toFixed(3)} ` +
    `rad/s: give it at least ${(way / velocity[i]!).toFixed(3)} s`
  );
}

/**
 * Drives an arm through poses at given times: cubic (Hermite) between them, or quintic where accelerations are given,
 * as the joint trajectory controller of ros2_control interpolates. It begins at the last setpoints with their
 * velocities, and with the accelerations of a pose at time 0 or, without one, of the goals. The path must have passed
 * `waypointFault`.
 */
export class Waypoints implements SetpointSource {
  readonly state = 'moving';
  readonly limits = 'move';
  /** Time from start to end, s. */
  readonly duration: number;
  readonly #path: WaypointPath;
  readonly #joints: number;
  readonly #top: Float64Array;
  /** Knots: the start and every pose after time 0. */
  #times: Float64Array;
  #positions: Float64Array;
  #velocities: Float64Array;
  /** Null: those of the cubics. */
  readonly #accelerations: Float64Array | null;
  readonly #way = new Segment();
  #segment = 0;
  #began = 0;
  /** All poses are known. */
  #whole: boolean;

  /** @param velocity largest speed of each joint, rad/s, to which chosen velocities are limited */
  constructor(path: WaypointPath, velocity: Float64Array) {
    const joints = velocity.length;
    const count = path.times.length - (path.times[0] === 0 ? 1 : 0) + 1;
    this.#path = path;
    this.#joints = joints;
    this.#top = velocity;
    this.#times = new Float64Array(count);
    this.#positions = new Float64Array(count * joints);
    this.#velocities = new Float64Array(count * joints);
    this.#accelerations = path.accelerations == null ? null : new Float64Array(count * joints);
    this.#whole = path.duration === undefined;
    this.duration = path.duration ?? path.times[path.times.length - 1]!;
  }

  /**
   * Appends poses, and drops those already passed. Allocates: do not call in every cycle.
   * @param limits of the new poses
   * @returns why they cannot be driven; null if they can
   */
  extend({ times, positions, last }: MoreWaypoints, limits: WaypointLimits): string | null {
    const joints = this.#joints;
    const end = this.#times.length - 1;
    const known = this.#times[end]!;
    if (this.#whole) return 'nothing can follow what is complete';
    if (this.#accelerations !== null) return 'poses with accelerations have to come as one piece';
    if (!(times[0]! > known))
      return `its first time (${times[0]} s) does not come after the one before it (${known} s)`;
    const fault = waypointFault(
      { times: times.map((time) => time - known), positions, velocities: null },
      this.#positions.subarray(end * joints),
      limits,
    );
    if (fault !== null) return fault;
    const kept = this.#segment;
    const from = end - kept;
    this.#times = joined(this.#times.subarray(kept), times);
    this.#positions = joined(this.#positions.subarray(kept * joints), positions);
    this.#velocities = joined(this.#velocities.subarray(kept * joints), new Float64Array(positions.length));
    this.#segment = 0;
    this.#whole = last;
    for (let i = 0; i < joints; i++) this.#chooseVelocities(i, Math.max(from, 1));
    return null;
  }

  begin(setpoints: Float64Array, velocities: Float64Array, now: number, accelerations?: Float64Array): void {
    const { times, positions, velocities: given, accelerations: asked } = this.#path;
    const joints = this.#joints;
    const skipped = times.length + 1 - this.#times.length;
    this.#times.set(times.subarray(skipped), 1);
    this.#positions.set(setpoints);
    this.#positions.set(positions.subarray(skipped * joints), joints);
    this.#velocities.set(velocities);
    if (given !== null) this.#velocities.set(given.subarray(skipped * joints), joints);
    else for (let i = 0; i < joints; i++) this.#chooseVelocities(i);
    if (this.#accelerations !== null) {
      if (skipped === 0 && accelerations !== undefined) this.#accelerations.set(accelerations);
      this.#accelerations.set(asked!, skipped === 0 ? joints : 0);
    }
    this.#segment = 0;
    this.#began = now;
  }

  /** Number of segments, once it has begun. */
  get segments(): number {
    return this.#times.length - 1;
  }

  /** The path of joint `i` in segment `k`, valid until the next call. */
  segment(k: number, i: number): Segment {
    const duration = this.#times[k + 1]! - this.#times[k]!;
    const positions = this.#positions;
    const velocities = this.#velocities;
    const accelerations = this.#accelerations;
    const here = k * this.#joints + i;
    const next = here + this.#joints;
    const way = this.#way;
    if (accelerations === null) {
      way.cubic(duration, positions[here]!, velocities[here]!, positions[next]!, velocities[next]!);
    } else {
      way.quintic(
        duration,
        positions[here]!,
        velocities[here]!,
        accelerations[here]!,
        positions[next]!,
        velocities[next]!,
        accelerations[next]!,
      );
    }
    return way;
  }

  next(now: number, _dt: number, out: Float64Array): SourceStatus {
    const last = this.#times.length - 1;
    const joints = this.#joints;
    let t = now - this.#began;
    if (last === 0 || (this.#whole && t >= this.#times[last]!)) {
      for (let i = 0; i < joints; i++) out[i] = this.#positions[last * joints + i]!;
      if (this.#whole) return SourceStatus.done;
      this.#began = now;
      return SourceStatus.hold;
    }
    // The velocity at the last pose depends on the next one: until that arrives, the path ends at the pose before it.
    const reach = this.#times[Math.max(last - 1, 0)]!;
    const waits = !this.#whole && t > reach;
    if (waits) {
      this.#began = now - reach;
      t = reach;
    }
    while (this.#segment < last - 1 && t >= this.#times[this.#segment + 1]!) this.#segment++;
    const k = this.#segment;
    const part = Math.min(Math.max((t - this.#times[k]!) / (this.#times[k + 1]! - this.#times[k]!), 0), 1);
    for (let i = 0; i < joints; i++) out[i] = this.segment(k, i).at(part);
    return waits ? SourceStatus.hold : SourceStatus.running;
  }

  /**
   * Chooses the velocities of one joint at the poses between start and end: the weighted harmonic mean of the slopes on
   * both sides, 0 where they differ in sign, so that the cubic stays between its knots (Fritsch and Butland 1984, as in
   * PCHIP).
   * @param first first knot whose velocity is chosen
   */
  #chooseVelocities(i: number, first = 1): void {
    const joints = this.#joints;
    const top = this.#top[i]!;
    for (let k = first; k < this.#times.length - 1; k++) {
      const before = this.#times[k]! - this.#times[k - 1]!;
      const after = this.#times[k + 1]! - this.#times[k]!;
      const at = k * joints + i;
      const slopeBefore = (this.#positions[at]! - this.#positions[at - joints]!) / before;
      const slopeAfter = (this.#positions[at + joints]! - this.#positions[at]!) / after;
      let velocity = 0;
      if (slopeBefore * slopeAfter > 0) {
        const weightBefore = before + 2 * after;
        const weightAfter = 2 * before + after;
        velocity = (weightBefore + weightAfter) / (weightBefore / slopeBefore + weightAfter / slopeAfter);
      }
      this.#velocities[at] = Math.min(Math.max(velocity, -top), top);
    }
    if (this.#times.length > 1) this.#velocities[(this.#times.length - 1) * joints + i] = 0;
  }
}

function joined(first: Float64Array, second: Float64Array): Float64Array {
  const both = new Float64Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
