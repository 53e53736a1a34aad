import { Pressing, type StallLimits } from './stall-guard.ts';

/** A guard that is not asked for longer than this has not seen where its joint went, s. */
const PAUSE = 0.25;

/**
 * Draws back the goal of a follower's joint that presses on something without moving: the goal stays near an anchor,
 * where the joint stalled, so that the servo's spring exerts only the holding torque there. Unlike the goal of a
 * gripper, it does not follow the joint backwards: a load of more than the holding torque would take it along, and the
 * arm would fall. Only after pressing as long again does the joint get a new anchor. Towards the wanted goal the anchor
 * moves with the joint. This ends when the wanted goal comes within that distance of the joint, or to its other side.
 */
export class YieldGuard {
  readonly limits: StallLimits;
  readonly #pressing = new Pressing();
  #stalled = false;
  /** Where the stalled joint is held, rad, and the direction in which it presses. */
  #anchor = 0;
  #side = 0;
  /** When the guard was last asked, s. */
  #asked = Number.NEGATIVE_INFINITY;

  constructor(limits: StallLimits) {
    this.limits = limits;
  }

  /**
   * @param target wanted goal position without what carries the arm's weight, rad
   * @param position measured, rad
   * @param velocity measured, rad/s
   * @param press torque beyond what carries the arm's weight, Nm
   * @param stiffness of the position spring, Nm/rad
   * @param now monotonic time, s
   * @param measured when velocity and load were measured, monotonic, s
   * @returns the goal position to send, again without what carries the arm's weight, rad
   */
  step(
    target: number,
    position: number,
    velocity: number,
    press: number,
    stiffness: number,
    now: number,
    measured: number,
  ): number {
    const reach = this.limits.hold / stiffness;
    if (now - this.#asked > PAUSE) this.#free();
    this.#asked = now;
    if (this.#pressing.step(this.limits, press, velocity, measured)) {
      this.#stalled = true;
      this.#anchor = position;
      this.#side = Math.sign(target - position);
    }
    if (this.#stalled && this.#side * (target - position) <= reach) this.#free();
    if (!this.#stalled) return target;
    if (this.#side * (position - this.#anchor) > 0) this.#anchor = position;
    return this.#anchor + this.#side * reach;
  }

  #free(): void {
    this.#stalled = false;
    this.#pressing.reset();
  }
}
