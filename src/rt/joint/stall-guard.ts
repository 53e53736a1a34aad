/** When a joint that presses without moving is drawn back. */
export interface StallLimits {
  /** Load from which a joint that does not move counts as stalled, Nm. */
  readonly torque: number;
  /** Time after which it is drawn back, s. */
  readonly time: number;
  /** Torque with which it goes on pressing, Nm. */
  readonly hold: number;
}

/** Slower than this a joint counts as standing still, rad/s. */
export const STILL = 0.05;

/**
 * A joint that has no limits of its own presses with this part of its torque limit for this time (s) without moving before
 * it is drawn back until it presses with the lesser part: well below what overloads a servo, and above what any of these
 * arms weighs.
 */
const YIELD = { torque: 0.6, time: 0.5, hold: 0.4 };

/** Part of the torque that a joint is limited to from which it counts as stalled. */
const STALLED_SHARE = 0.7;

/** @param torqueLimit of the joint, Nm */
export function yieldLimits(torqueLimit: number): StallLimits {
  return { torque: YIELD.torque * torqueLimit, time: YIELD.time, hold: YIELD.hold * torqueLimit };
}

/**
 * Draws the goal of a joint back when it presses on something without moving, as a gripper does on what it holds: from
 * then on the goal stays within the distance from the measured position at which the servo's spring exerts the holding
 * torque. Ends when the goal that is asked for comes within that distance by itself.
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

  /** From now on the joint may press with no more than this, Nm; infinite: as its own limits say. */
  limitTo(torque: number): void {
    const { torque: stall, time, hold } = this.#own;
    this.limits = { torque: Math.min(stall, STALLED_SHARE * torque), time, hold: Math.min(hold, torque) };
  }

  /**
   * @param target goal position that is asked for, rad
   * @param position measured, rad
   * @param velocity measured, rad/s
   * @param load measured, Nm
   * @param stiffness of the position spring, Nm/rad
   * @param now monotonic time, s
   * @returns the goal position to be sent, rad
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
