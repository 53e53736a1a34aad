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

/**
 * Draws back the goal of a joint that presses on something without moving, as a gripper does on what it holds: from
 * then on the goal stays so near to the measured position that the servo's spring exerts only the holding torque. Ends
 * when the wanted goal comes within that distance by itself.
 */
export class StallGuard {
  limits: StallLimits;
  readonly #own: StallLimits;
  #since = -1;
  #stalled = false;

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
    if (this.#stalled) {
      if (Math.abs(target - position) > reach) return position + Math.sign(target - position) * reach;
      this.#stalled = false;
      this.#since = -1;
      return target;
    }
    const pressing = Math.abs(load) > torque && Math.abs(velocity) < STILL;
    if (!pressing) this.#since = -1;
    else if (this.#since < 0) this.#since = now;
    else if (now - this.#since > time) this.#stalled = true;
    return target;
  }
}
