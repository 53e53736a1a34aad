import { type SetpointSource, SourceStatus } from '../control/source.ts';
import { lasting, type Profile, positionAt, quickest } from './profile.ts';

/** Part of the velocity and acceleration limits that a trajectory uses; the rest is for the droop, which moves too. */
export const HEADROOM = 0.9;

/** Limits of a trajectory, one element per joint: rad/s and rad/s^2. */
export interface TrajectoryLimits {
  readonly velocity: Float64Array;
  readonly acceleration: Float64Array;
}

/** Slower than this a joint counts as resting, rad/s. */
const RESTING = 1e-6;

/**
 * Joint profiles from `start` at `velocity` to rest at `goal`, all ending together. From rest the way is straight in
 * joint space and as quick as the limits allow; from a motion every joint brakes or accelerates first and is then
 * stretched to end with the slowest.
 */
export function synchronised(
  start: Float64Array,
  velocity: Float64Array,
  goal: Float64Array,
  limits: TrajectoryLimits,
): Profile[] {
  const top = limits.velocity.map((value) => value * HEADROOM);
  const acceleration = limits.acceleration.map((value) => value * HEADROOM);
  if (velocity.every((value) => Math.abs(value) < RESTING)) return straight(start, goal, top, acceleration);
  const profiles: Profile[] = [];
  let duration = 0;
  for (let i = 0; i < goal.length; i++) {
    const profile = quickest(start[i]!, velocity[i]!, goal[i]!, top[i]!, acceleration[i]!);
    profiles.push(profile);
    duration = Math.max(duration, profile.end);
  }
  return profiles.map((profile) => lasting(duration, profile));
}

function straight(start: Float64Array, goal: Float64Array, top: Float64Array, acceleration: Float64Array): Profile[] {
  let share = Number.POSITIVE_INFINITY;
  let shareRate = Number.POSITIVE_INFINITY;
  for (let i = 0; i < goal.length; i++) {
    const way = Math.abs(goal[i]! - start[i]!);
    if (way === 0) continue;
    share = Math.min(share, top[i]! / way);
    shareRate = Math.min(shareRate, acceleration[i]! / way);
  }
  const common = share === Number.POSITIVE_INFINITY ? quickest(0, 0, 0, 1, 1) : quickest(0, 0, 1, share, shareRate);
  return Array.from(goal, (to, i) => {
    const from = start[i]!;
    const way = to - from;
    const own = {
      start: from,
      goal: to,
      cruise: common.cruise * way,
      acceleration: common.acceleration * Math.abs(way),
    };
    return { ...common, ...own };
  });
}

/** Drives an arm's joints to rest at a goal, from wherever and however fast they are when it takes over. */
export class Trajectory implements SetpointSource {
  readonly state = 'moving';
  readonly limits = 'move';
  /** Time from start to goal, s; known once it has begun. */
  duration = 0;
  readonly #goal: Float64Array;
  readonly #limits: TrajectoryLimits;
  #profiles: Profile[] = [];
  #began = 0;

  /** @param goal rad, one per joint */
  constructor(goal: Float64Array, limits: TrajectoryLimits) {
    this.#goal = goal;
    this.#limits = limits;
  }

  begin(setpoints: Float64Array, velocities: Float64Array, now: number): void {
    this.#profiles = synchronised(setpoints, velocities, this.#goal, this.#limits);
    this.duration = this.#profiles.reduce((longest, profile) => Math.max(longest, profile.end), 0);
    this.#began = now;
  }

  next(now: number, _dt: number, out: Float64Array): SourceStatus {
    const t = now - this.#began;
    for (let i = 0; i < out.length; i++) out[i] = positionAt(this.#profiles[i]!, t);
    return t >= this.duration ? SourceStatus.done : SourceStatus.running;
  }
}
