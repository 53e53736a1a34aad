import { stepsToRadians } from '../../servo/calibration.ts';
import type { FoundServo } from '../../servo/start-up.ts';
import type { LinkJoint, ServoSlot } from './servo-slots.ts';

/** Limits that differ by less count as equal, rad: two programs round differently. */
const SAME = 0.01;

/**
 * Goals stay so far from a servo's position jump at the end of its turn, rad: what a joint may overshoot, and the play of its
 * gears.
 */
const JUMP_MARGIN = 0.035;

/** The servos' own position limits: a servo takes no goal beyond them. */
export class ServoLimits {
  /** By servo, steps; infinite where a servo has none. */
  readonly lowest: Float64Array;
  readonly highest: Float64Array;
  /** By joint, rad: also a little away from where a servo's position jumps. */
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
      if (limits === null || this.#slots[i]!.shadow) continue;
      this.lowest[i] = limits.lowest;
      this.highest[i] = limits.highest;
      this.#narrow(i, limits.lowest, limits.highest);
    }
    const warnings = this.#warnings();
    for (const [i, { model, countsTurns }] of this.#slots.entries()) {
      if (countsTurns || !model.family.jumpsAtTurn) continue;
      const margin = Math.ceil((JUMP_MARGIN * model.stepsPerTurn) / (2 * Math.PI));
      this.#narrow(i, margin, model.stepsPerTurn - 1 - margin);
    }
    return warnings;
  }

  /** A servo allows its joint only what lies between two positions, steps. */
  #narrow(index: number, lowest: number, highest: number): void {
    const { calibration, joint } = this.#slots[index]!;
    const ends = [lowest, highest].map((steps) => stepsToRadians(calibration, steps));
    this.lower[joint] = Math.max(this.lower[joint]!, Math.min(...ends));
    this.upper[joint] = Math.min(this.upper[joint]!, Math.max(...ends));
  }

  #warnings(): string[] {
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
