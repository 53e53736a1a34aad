import { stepsToRadians } from '../../servo/calibration.ts';
import type { FoundServo } from '../../servo/start-up.ts';
import type { LinkJoint, ServoSlot } from './servo-slots.ts';

/** Limits that differ by less count as equal, rad: two programs round differently. */
const SAME = 0.01;

/** The servos' own position limits: a servo takes no goal beyond them. */
export class ServoLimits {
  /** By servo, steps; infinite where a servo has none. */
  readonly lowest: Float64Array;
  readonly highest: Float64Array;
  /** By joint, rad. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly #slots: readonly ServoSlot[];
  readonly #joints: readonly LinkJoint[];

  constructor(slots: readonly ServoSlot[], joints: readonly LinkJoint[]) {
    this.#slots = slots;
    this.#joints = joints;
    this.lowest = new Float64Array(slots.length);
    this.highest = new Float64Array(slots.length);
    this.lower = new Float64Array(joints.length);
    this.upper = new Float64Array(joints.length);
    this.#forget();
  }

  /** @returns warnings for people: joints whose servos allow only a part of the range */
  take(found: readonly FoundServo[]): string[] {
    this.#forget();
    for (const [i, { limits }] of found.entries()) {
      const { calibration, joint, shadow } = this.#slots[i]!;
      if (limits === null || shadow) continue;
      this.lowest[i] = limits.lowest;
      this.highest[i] = limits.highest;
      const ends = [limits.lowest, limits.highest].map((steps) => stepsToRadians(calibration, steps));
      this.lower[joint] = Math.max(this.lower[joint]!, Math.min(...ends));
      this.upper[joint] = Math.min(this.upper[joint]!, Math.max(...ends));
    }
    return this.#joints.flatMap(({ name, lower, upper }, i) => {
      if (this.lower[i]! <= lower + SAME && this.upper[i]! >= upper - SAME) return [];
      const range = `${this.lower[i]!.toFixed(2)} to ${this.upper[i]!.toFixed(2)} rad`;
      return [
        `the servo of ${name} keeps to its own position limits, ${range} instead of ${lower.toFixed(2)} to ` +
          `${upper.toFixed(2)}: moves end there; calibrate the arm to set them anew (arm-bridge calibrate)`,
      ];
    });
  }

  #forget(): void {
    this.lowest.fill(Number.NEGATIVE_INFINITY);
    this.highest.fill(Number.POSITIVE_INFINITY);
    this.lower.fill(Number.NEGATIVE_INFINITY);
    this.upper.fill(Number.POSITIVE_INFINITY);
  }
}
