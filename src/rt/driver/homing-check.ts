import type { FoundServo } from '../../servo/start-up.ts';
import type { ServoSlot } from './servo-slots.ts';

/** Compares the servos' homing offsets with those of the arm's calibration. */
export class HomingCheck {
  /** What differs, and what to do; empty if nothing differs. */
  text = '';
  readonly #servos: readonly ServoSlot[];
  /** Expected offset by servo, counts; NaN where none is known. */
  readonly #wanted: Float64Array;

  constructor(servos: readonly ServoSlot[]) {
    this.#servos = servos;
    this.#wanted = Float64Array.from(servos, ({ homing }) => homing ?? Number.NaN);
  }

  /** @param offset expected of the servo from now on, counts; null: any */
  set(index: number, offset: number | null): void {
    this.#wanted[index] = offset ?? Number.NaN;
  }

  /** Compares with the servos that the check on connecting found, in slot order. */
  compare(found: readonly FoundServo[]): void {
    const differing = found.flatMap(({ homingOffset }, i) => {
      const wanted = this.#wanted[i]!;
      if (Number.isNaN(wanted) || wanted === homingOffset) return [];
      const { id, name } = this.#servos[i]!;
      return [`servo ${id} (${name}) has homing offset ${homingOffset}, its calibration file says ${wanted}`];
    });
    this.text =
      differing.length === 0
        ? ''
        : `${differing.join('; ')}: is this the arm that the file was made for? Then calibrate it again (arm-bridge ` +
          'calibrate), or write the offsets of the file back (arm-bridge registers write)';
  }
}
