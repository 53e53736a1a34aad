import { lasting, meanPositionAt, type Profile, quickest, spaced } from './profile.ts';
import { type SetpointSource, SourceStatus } from './setpoint-source.ts';

/** Part of the limits that a trajectory uses; the rest is left for the droop, which moves too. */
export const HEADROOM = 0.9;

/** Limits of a trajectory, one element per joint: rad/s, rad/s^2 and rad/s^3. */
export interface TrajectoryLimits {
  readonly velocity: Float64Array;
  readonly acceleration: Float64Array;
  /** Infinity: accelerations may change instantly. */
  readonly jerk: Float64Array;
}

/** State of a joint: rad, rad/s, rad/s^2. */
interface Motion {
  readonly position: number;
  readonly velocity: number;
  readonly acceleration: number;
}

/** Below this speed, rad/s, and this acceleration, rad/s^2, a joint counts as resting. */
const RESTING = 1e-6;
const STEADY = 1e-3;

/**
 * One joint's part of a trajectory: first its acceleration falls to zero at the joint's jerk; then it follows the mean
 * of a profile over a sliding window. Without a jerk limit both times are 0, which leaves the profile itself.
 */
export interface JointWay {
  readonly begin: Motion;
  /** Jerk of the first phase, rad/s^3, and its duration, s. */
  readonly jerk: number;
  readonly easing: number;
  readonly window: number;
  readonly profile: Profile;
}

/** s */
export function durationOf({ easing, window, profile }: JointWay): number {
  return profile.end === 0 ? easing : easing + profile.end + window;
}

/** Position `t` s after the start. */
export function wayAt({ begin, jerk, easing, window, profile }: JointWay, t: number): number {
  if (t < easing) {
    const { position, velocity, acceleration } = begin;
    return position + velocity * t + (acceleration * t * t) / 2 - (Math.sign(acceleration) * jerk * t * t * t) / 6;
  }
  return meanPositionAt(profile, window, t - easing);
}

/**
 * Paths from `start` at `velocity` and `acceleration` to rest at `goal`, all ending together. From rest the path is
 * straight in joint space and as fast as the limits allow. From a motion every joint brakes or accelerates first, and
 * its path is stretched to end with the slowest. Velocities are continuous, and so are accelerations where jerk is
 * limited.
 */
export function synchronised(
  start: Float64Array,
  velocity: Float64Array,
  acceleration: Float64Array,
  goal: Float64Array,
  limits: TrajectoryLimits,
): JointWay[] {
  const within: TrajectoryLimits = {
    velocity: limits.velocity.map((value) => value * HEADROOM),
    acceleration: limits.acceleration.map((value) => value * HEADROOM),
    jerk: limits.jerk.map((value) => value * HEADROOM),
  };
  const resting = velocity.every((value) => Math.abs(value) < RESTING);
  const steady = acceleration.every(
    (value, i) => limits.jerk[i] === Number.POSITIVE_INFINITY || Math.abs(value) < STEADY,
  );
  if (resting && steady) return straight(start, goal, within);
  const ways = Array.from(goal, (to, i) =>
    quickestWay({ position: start[i]!, velocity: velocity[i]!, acceleration: acceleration[i]! }, to, within, i),
  );
  const duration = ways.reduce((longest, way) => Math.max(longest, durationOf(way)), 0);
  return ways.map((way) => ({ ...way, profile: lasting(duration - way.easing - way.window, way.profile) }));
}

function quickestWay(begin: Motion, goal: number, limits: TrajectoryLimits, i: number): JointWay {
  const top = limits.velocity[i]!;
  const most = limits.acceleration[i]!;
  const jerk = limits.jerk[i]!;
  if (jerk === Number.POSITIVE_INFINITY) {
    const profile = quickest(begin.position, begin.velocity, goal, top, most);
    return { begin, jerk: 0, easing: 0, window: 0, profile };
  }
  const acceleration = Math.min(Math.max(begin.acceleration, -most), most);
  const easing = Math.abs(acceleration) / jerk;
  const velocity = begin.velocity + (acceleration * easing) / 2;
  const position = begin.position + begin.velocity * easing + (acceleration * easing * easing) / 3;
  const window = most / jerk;
  // If the profile starts half a window ahead, its mean over the window before is the joint's position.
  const profile = spaced(window, quickest(position + (velocity * window) / 2, velocity, goal, top, most));
  return { begin: { ...begin, acceleration }, jerk, easing, window, profile };
}

function straight(start: Float64Array, goal: Float64Array, limits: TrajectoryLimits): JointWay[] {
  const share = {
    velocity: Number.POSITIVE_INFINITY,
    acceleration: Number.POSITIVE_INFINITY,
    jerk: Number.POSITIVE_INFINITY,
  };
  for (let i = 0; i < goal.length; i++) {
    const way = Math.abs(goal[i]! - start[i]!);
    if (way === 0) continue;
    share.velocity = Math.min(share.velocity, limits.velocity[i]! / way);
    share.acceleration = Math.min(share.acceleration, limits.acceleration[i]! / way);
    share.jerk = Math.min(share.jerk, limits.jerk[i]! / way);
  }
  const moves = share.velocity !== Number.POSITIVE_INFINITY;
  const window = moves ? share.acceleration / share.jerk : 0;
  const common = moves
    ? spaced(window, quickest(0, 0, 1, share.velocity, share.acceleration))
    : quickest(0, 0, 0, 1, 1);
  return Array.from(goal, (to, i) => {
    const position = start[i]!;
    const way = to - position;
    const own = {
      start: position,
      goal: to,
      cruise: common.cruise * way,
      acceleration: common.acceleration * Math.abs(way),
    };
    const begin = { position, velocity: 0, acceleration: 0 };
    return { begin, jerk: 0, easing: 0, window, profile: { ...common, ...own } };
  });
}

/** Drives an arm's joints to rest at a goal, from any position and velocity at takeover. */
export class Trajectory implements SetpointSource {
  readonly state = 'moving';
  readonly limits = 'move';
  readonly continues = true;
  /** Time from start to goal, s; known once it has begun. */
  duration = 0;
  readonly #goal: Float64Array;
  readonly #limits: TrajectoryLimits;
  #ways: JointWay[] = [];
  #began = 0;

  /** @param goal rad, one per joint */
  constructor(goal: Float64Array, limits: TrajectoryLimits) {
    this.#goal = goal;
    this.#limits = limits;
  }

  begin(setpoints: Float64Array, velocities: Float64Array, now: number, accelerations: Float64Array): void {
    this.#ways = synchronised(setpoints, velocities, accelerations, this.#goal, this.#limits);
    this.duration = this.#ways.reduce((longest, way) => Math.max(longest, durationOf(way)), 0);
    this.#began = now;
  }

  next(now: number, _dt: number, out: Float64Array): SourceStatus {
    const t = now - this.#began;
    for (let i = 0; i < out.length; i++) out[i] = wayAt(this.#ways[i]!, t);
    return t >= this.duration ? SourceStatus.done : SourceStatus.running;
  }
}
