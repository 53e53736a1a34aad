/** When a joint that presses without moving is drawn back. */
export interface StallLimits {
  /** A joint that does not move counts as stalled above this load, Nm. */
  readonly torque: number;
  /** Time after which it is drawn back, s. */
  readonly time: number;
  /** Torque with which it keeps pressing, Nm. */
  readonly hold: number;
}

/** Slower than this, a joint counts as standing still, rad/s. */
export const STILL = 0.05;

/**
 * Limits of a joint without limits of its own: after it has pressed with `torque` (part of its torque limit) for `time`
 * (s) without moving, it is drawn back until it presses with `hold` (part of its torque limit). This is well below what
 * overloads a servo. The arm's own weight does not count; an unknown weight may.
 */
const YIELD = { torque: 0.6, time: 0.5, hold: 0.4 };

/** A joint limited to a torque counts as stalled above this part of it. */
const STALLED_SHARE = 0.7;

/** @param torqueLimit of the joint, Nm */
export function yieldLimits(torqueLimit: number): StallLimits {
  return { torque: YIELD.torque * torqueLimit, time: YIELD.time, hold: YIELD.hold * torqueLimit };
}

/** A guard that is not asked for longer than this has not seen where its joint went, s. */
const PAUSE = 0.25;

/**
 * Draws back the goal of a joint that presses on something without moving, as a gripper does on what it holds: the goal
 * stays near an anchor, where the joint stalled, so that the servo's spring exerts only the holding torque. The anchor
 * moves with the joint towards the wanted goal. It does not move the other way, or a load that exceeds the holding
 * torque would take the goal along and fall; only after pressing as long again does the joint get a new anchor. This
 * ends when the wanted goal comes within that distance of the joint, or to its other side.
 */
export class StallGuard {
  limits: StallLimits;
  readonly #own: StallLimits;
  #stalled = false;
  /** Where the stalled joint is held, rad, and the direction in which it presses. */
  #anchor = 0;
  #side = 0;
  /** Since when the joint has pressed without moving, or without a new anchor, s; -1: it does not. */
  #since = -1;
  /** When the guard was last asked, s. */
  #asked = Number.NEGATIVE_INFINITY;

  constructor(limits: StallLimits) {
    this.limits = limits;
    this.#own = limits;
  }

  /** The joint has pressed without moving: its goal is drawn back. */
  get stalled(): boolean {
    return this.#stalled;
  }

  /** From now on the joint may press with no more than this, Nm; infinite: only its own limits apply. */
  limitTo(torque: number): void {
    const { torque: stall, time, hold } = this.#own;
    this.limits = { torque: Math.min(stall, STALLED_SHARE * torque), time, hold: Math.min(hold, torque) };
  }

  /**
   * @param target wanted goal position, rad
   * @param position measured, rad
   * @param velocity measured, rad/s
   * @param load measured, Nm
   * @param stiffness of the position spring, Nm/rad
   * @param now monotonic time, s
   * @returns the goal position to send, rad
   */
  step(target: number, position: number, velocity: number, load: number, stiffness: number, now: number): number {
    const { torque, time, hold } = this.limits;
    const reach = hold / stiffness;
    if (now - this.#asked > PAUSE) this.#free();
    this.#asked = now;
    const pressing = Math.abs(load) > torque && Math.abs(velocity) < STILL;
    if (!pressing) this.#since = -1;
    else if (this.#since < 0) this.#since = now;
    else if (now - this.#since > time) {
      this.#stalled = true;
      this.#anchor = position;
      this.#side = Math.sign(target - position);
      this.#since = now;
    }
    if (this.#stalled && this.#side * (target - position) <= reach) this.#free();
    if (!this.#stalled) return target;
    if (this.#side * (position - this.#anchor) > 0) this.#anchor = position;
    return this.#anchor + this.#side * reach;
  }

  #free(): void {
    this.#stalled = false;
    this.#since = -1;
  }
}
