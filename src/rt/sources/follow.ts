import type { FollowOptions } from '../messages.ts';
import { FollowCode } from '../snapshot/arm-fields.ts';
import { type DriveModel, Lead } from './lead.ts';
import { type SetpointSource, SourceStatus } from './setpoint-source.ts';

/** Samples to follow: a leader's measured positions, or streamed setpoints. */
export interface Sampler {
  /** Monotonic time of the newest sample, s; 0 before the first. */
  readonly sampleTime: number;
  /** Writes the newest sample as joint positions of the follower, rad; joints it says nothing about are left alone. */
  sample(out: Float64Array): void;
  /** The angles behind the samples may be wrong. */
  readonly doubtful?: boolean;
}

/** Position limits, rad, one per joint. */
export interface Bounds {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** Follows samples as they come. */
export const PLAIN: FollowOptions = {
  lowPass: 0,
  deadBand: 0,
  velocity: Number.POSITIVE_INFINITY,
  mismatch: Number.POSITIVE_INFINITY,
  reapproach: false,
};

/** A hand moves a joint between two samples by no more than this, rad, plus this speed, rad/s, times their interval. */
const JUMP = 0.05;
const JUMP_SPEED = 8;

/** Speed at which a follower approaches before it follows, rad/s. */
export const RAMP_SPEED = 0.6;
/** A joint nearer than this has caught up, rad. */
const CAUGHT_UP = 0.01;
/** Time over which a joint that has caught up is released from ramp speed to full speed, s. */
const RELEASE_TIME = 0.5;
/** Part of the mean time between samples that the newest interval makes up. */
const NEWEST = 0.25;
/** Default age from which a sample is no longer followed, s: the follower decelerates and holds. */
export const STALE = 0.1;

/**
 * Follows samples without a jump: at the start, and again after each gap, every joint approaches at ramp speed. Once it
 * has caught up, its speed limit rises until only the gate limits it. Between samples that come less often than cycles
 * it goes on a line: steps would be slowed down by the gate's acceleration limit, and the joints be far behind.
 */
export class Follow implements SetpointSource {
  readonly state: 'mirroring' | 'moving';
  readonly limits = 'mirror';
  readonly follow: { code: FollowCode; sampleTime: number } = { code: FollowCode.ramping, sampleTime: 0 };
  readonly #sampler: Sampler;
  readonly #clock: () => number;
  readonly #options: FollowOptions;
  readonly #stale: number;
  readonly #bounds: Bounds | null;
  /** Newest sample, the one before it, where the line to it begins, and the target after dead band and low-pass, rad. */
  readonly #sample: Float64Array;
  readonly #last: Float64Array;
  readonly #from: Float64Array;
  readonly #target: Float64Array;
  readonly #path: Float64Array;
  /** The last setpoints, rad. */
  readonly #given: Float64Array;
  readonly #lead: Lead;
  /** How far each joint has been released from ramp speed since it caught up, 0..1. */
  readonly #freedom: Float64Array;
  /** Mean time between samples, s; 0 before the second one. */
  #interval = 0;
  /** How much of the line to the newest sample has been gone, 0..1. */
  #gone = 1;

  /**
   * @param clock monotonic time, s, of the same clock as the sampler
   * @param stale age from which a sample is no longer followed, s
   * @param bounds of the joints that follow; null: none
   */
  constructor(
    sampler: Sampler,
    drive: DriveModel,
    state: 'mirroring' | 'moving',
    clock: () => number,
    options: FollowOptions = PLAIN,
    stale = STALE,
    bounds: Bounds | null = null,
  ) {
    this.#sampler = sampler;
    this.#clock = clock;
    this.#options = options;
    this.#stale = stale;
    this.#bounds = bounds;
    this.#sample = new Float64Array(drive.damping.length);
    this.#last = new Float64Array(drive.damping.length);
    this.#from = new Float64Array(drive.damping.length);
    this.#lead = new Lead(drive);
    this.#target = new Float64Array(drive.damping.length);
    this.#path = new Float64Array(drive.damping.length);
    this.#given = new Float64Array(drive.damping.length);
    this.#freedom = new Float64Array(drive.damping.length);
    this.state = state;
  }

  get doubtful(): boolean {
    return this.#sampler.doubtful === true;
  }

  begin(setpoints: Float64Array): void {
    this.#sample.set(setpoints);
    this.#from.set(setpoints);
    this.#target.set(setpoints);
    this.#ramp(setpoints);
  }

  next(_now: number, dt: number, out: Float64Array, withheld: Uint8Array): SourceStatus {
    const { follow } = this;
    const before = follow.sampleTime;
    follow.sampleTime = this.#sampler.sampleTime;
    if (follow.code === FollowCode.refused) return SourceStatus.hold;
    if (this.#clock() - follow.sampleTime > this.#stale) {
      follow.code = FollowCode.holding;
      return SourceStatus.hold;
    }
    const jumped = this.#take(follow.sampleTime - before, dt);
    if (follow.code === FollowCode.holding) {
      if (this.#differs(out)) {
        follow.code = FollowCode.refused;
        return SourceStatus.hold;
      }
      this.#ramp(out);
    } else if (jumped) {
      this.#ramp(out);
    }
    const approaches = follow.code !== FollowCode.following;
    if (approaches) this.#approach(dt, out, withheld);
    else this.#track(dt);
    // The lead changes faster than the path, so it fades in with the speed limit.
    this.#lead.step(this.#path, dt, this.#freedom, out, approaches ? withheld : null);
    this.#given.set(out);
    return SourceStatus.running;
  }

  /**
   * Takes the newest sample, on a line from the one before, through dead band and low-pass.
   * @param since time between the last two samples, s
   * @returns whether a joint has jumped further than a hand can move it
   */
  #take(since: number, dt: number): boolean {
    const { lowPass, deadBand, reapproach } = this.#options;
    const sample = this.#sample;
    const share = lowPass === 0 ? 1 : 1 - Math.exp(-2 * Math.PI * lowPass * dt);
    const most = JUMP + JUMP_SPEED * since;
    const begins = since > 0;
    if (begins) this.#measure(since);
    const gone = this.#gone;
    this.#gone = this.#interval === 0 ? 1 : Math.min(1, (this.#clock() - this.follow.sampleTime + dt) / this.#interval);
    this.#last.set(sample);
    this.#sampler.sample(sample);
    let jumped = false;
    for (let i = 0; i < sample.length; i++) {
      if (reapproach && Math.abs(sample[i]! - this.#last[i]!) > most) jumped = true;
      if (begins) this.#from[i] = this.#from[i]! + gone * (this.#last[i]! - this.#from[i]!);
      const target = this.#target[i]!;
      const away = this.#from[i]! + this.#gone * (sample[i]! - this.#from[i]!) - target;
      const outside = Math.sign(away) * Math.max(0, Math.abs(away) - deadBand);
      this.#target[i] = target + share * outside;
    }
    return jumped;
  }

  /** @param since time between the last two samples, s; after a gap it tells nothing of how often they come */
  #measure(since: number): void {
    if (since >= STALE) this.#interval = 0;
    else if (this.#interval === 0) this.#interval = since;
    else this.#interval += NEWEST * (since - this.#interval);
  }

  /** Whether a joint is further from its sample than it may be. One that stands at its limit cannot come nearer. */
  #differs(out: Float64Array): boolean {
    const bounds = this.#bounds;
    for (let i = 0; i < out.length; i++) {
      const sample = this.#sample[i]!;
      const goal = bounds === null ? sample : Math.min(Math.max(sample, bounds.lower[i]!), bounds.upper[i]!);
      if (Math.abs(goal - out[i]!) > this.#options.mismatch) return true;
    }
    return false;
  }

  #track(dt: number): void {
    const most = this.#options.velocity * dt;
    for (let i = 0; i < this.#path.length; i++) {
      const way = this.#target[i]! - this.#path[i]!;
      this.#path[i] = this.#path[i]! + Math.min(Math.max(way, -most), most);
    }
  }

  /**
   * Moves the path towards the target, each joint at ramp speed until it has caught up; from then on its speed limit
   * rises. Each joint on its own, because all at once would hardly ever catch up with a moving leader. A joint whose
   * last goal was withheld waits, and its path goes back to where that has left its goal: a goal that is withheld again and
   * again, and gains speed anew each time, would make up for a path that runs ahead of it faster than at ramp speed.
   * @param out where the joints' goals are
   */
  #approach(dt: number, out: Float64Array, withheld: Uint8Array): void {
    const path = this.#path;
    let following = true;
    for (let i = 0; i < path.length; i++) {
      const freedom = this.#freedom[i]!;
      if (withheld[i] === 1) {
        const back = out[i]! - this.#given[i]!;
        path[i] = path[i]! + back;
        this.#lead.shift(i, back);
        if (freedom < 1) following = false;
        continue;
      }
      const way = this.#target[i]! - path[i]!;
      const most = Math.min(RAMP_SPEED / Math.max(1e-3, 1 - freedom), this.#options.velocity) * dt;
      path[i] = path[i]! + Math.min(Math.max(way, -most), most);
      if (freedom > 0 || Math.abs(way) < CAUGHT_UP) this.#freedom[i] = Math.min(1, freedom + dt / RELEASE_TIME);
      if (this.#freedom[i]! < 1) following = false;
    }
    if (following) this.follow.code = FollowCode.following;
  }

  #ramp(from: Float64Array): void {
    this.#path.set(from);
    this.#given.set(from);
    this.#lead.reset(from);
    this.follow.code = FollowCode.ramping;
    this.#freedom.fill(0);
  }
}
