import type { Feedback } from './feedback.ts';
import { type FloatingSource, SourceStatus } from './setpoint-source.ts';

/** Gravity compensation: supports a part of each joint's weight and yields to the hand. */
export class Float implements FloatingSource {
  readonly state = 'floating';
  readonly limits = 'move';
  readonly support: Float64Array;
  readonly feedback: Float64Array | null;
  readonly #felt: Feedback | null;
  readonly #full: Float64Array;
  readonly #soft: Float64Array | null;
  readonly #own: Float64Array;
  readonly #fade: number;
  #began = 0;

  /**
   * @param support part of the model's gravity torque that is supported, 0..1 for each joint
   * @param fade time over which the support falls to zero, so that a hand can take the arm, s; 0: it stays
   * @param gains position gain of each servo relative to its own, while feedback needs no stiff springs; null:
   * unchanged
   * @param felt force feedback to the hand; null: none
   */
  constructor(support: Float64Array, fade: number, gains: Float64Array | null, felt: Feedback | null = null) {
    this.support = support.slice();
    this.#full = support;
    this.#fade = fade;
    this.#soft = gains;
    this.#own = support.map(() => 1);
    this.#felt = felt;
    this.feedback = felt?.torques ?? null;
  }

  /**
   * The servos keep their own gains while there may be feedback: goals move at a bounded speed, so a stiff spring
   * builds up its torque sooner than a soft one.
   */
  get gains(): Float64Array | null {
    return this.#soft !== null && this.#felt?.stiffens === true ? this.#own : this.#soft;
  }

  begin(_setpoints: Float64Array, _velocities: Float64Array, now: number): void {
    this.#began = now;
  }

  next(now: number, dt: number): SourceStatus {
    this.#felt?.step(dt);
    if (this.#fade === 0) return SourceStatus.running;
    const left = Math.max(0, 1 - (now - this.#began) / this.#fade);
    for (let i = 0; i < this.support.length; i++) this.support[i] = this.#full[i]! * left;
    return left === 0 ? SourceStatus.done : SourceStatus.running;
  }
}
