import type { FoundServo } from '../../servo/start-up.ts';
import type { ServoSlot } from './servo-slots.ts';

/** Holds the homing offsets that servos have against those that their arm was calibrated with. */
export class HomingCheck {
  /** What differs, and what to do; empty when nothing does. */
  text = '';
  readonly #servos: readonly ServoSlot[];
  /** Counts; NaN where nothing is known. */
  readonly #wanted: Float64Array;

  constructor(servos: readonly ServoSlot[]) {
    this.#servos = servos;
    this.#wanted = Float64Array.from(servos, ({ homing }) => homing ?? Number.NaN);
  }

  /** @param offset that the servo is to have from now on, counts; null: any */
  set(index: number, offset: number | null): void {
    this.#wanted[index] = offset ?? Number.NaN;
  }

  /** Compares with what the check on connecting found, in the order of the servos. */
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
