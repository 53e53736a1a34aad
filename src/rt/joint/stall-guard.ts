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

/** Longest time between two measurements of a servo between which its joint may not have moved unseen, s. */
const UNSEEN = 0.25;

/** Tells a joint that has pressed for a while without moving. Only measurements count, however old they may be by now. */
export class Pressing {
  #since = -1;
  #measured = Number.NEGATIVE_INFINITY;

  /**
   * @param press Nm, of whatever sign
   * @param velocity measured, rad/s
   * @param measured when its velocity and its load were, monotonic, s
   * @returns whether it has pressed for that long, each time anew
   */
  step({ torque, time }: StallLimits, press: number, velocity: number, measured: number): boolean {
    const pressing = Math.abs(press) > torque && Math.abs(velocity) < STILL;
    if (!pressing) this.#since = -1;
    else if (this.#since < 0 || measured - this.#measured > UNSEEN) this.#since = measured;
    this.#measured = measured;
    if (!pressing || measured - this.#since <= time) return false;
    this.#since = measured;
    return true;
  }

  reset(): void {
    this.#since = -1;
  }
}

/**
 * Draws back the goal of a joint that presses on something without moving, as a gripper does on what it holds: from
 * then on the goal stays so near to the measured position that the servo's spring exerts only the holding torque. Ends
 * when the wanted goal comes within that distance of the joint, or to its other side.
 */
export class StallGuard {
  limits: StallLimits;
  readonly #own: StallLimits;
  readonly #pressing = new Pressing();
  /** Direction in which the joint presses since it stalled, 1 or -1; 0: it has not. */
  #side = 0;

  constructor(limits: StallLimits) {
    this.limits = limits;
    this.#own = limits;
  }

  /** The joint has pressed without moving: its goal is drawn back. */
  get stalled(): boolean {
    return this.#side !== 0;
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
   * @param measured when velocity and load were measured, monotonic, s
   * @returns the goal position to send, rad
   */
  step(target: number, position: number, velocity: number, load: number, stiffness: number, measured: number): number {
    const reach = this.limits.hold / stiffness;
    if (this.#side !== 0) {
      if (this.#side * (target - position) > reach) return position + this.#side * reach;
      this.#side = 0;
      this.#pressing.reset();
      return target;
    }
    if (this.#pressing.step(this.limits, load, velocity, measured)) this.#side = Math.sign(target - position);
    return target;
  }
}
