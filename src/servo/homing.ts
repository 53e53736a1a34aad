import type { ServoCalibration } from './calibration.ts';
import type { PositionLimits } from './servo-model.ts';

/** A servo's EEPROM settings for where its position counts from, and for the goals that it accepts; steps. */
export interface Homing {
  readonly offset: number;
  readonly operatingMode: number;
  /** Left out: unchanged. */
  readonly limits?: PositionLimits | undefined;
}

/**
 * Resolves which full turn a servo that counts turns is in. It counts on while it has power, and begins within the
 * first turn at power-on. A joint turns less than once, so its position tells the turn.
 * @param middle of the joint's range, rad
 * @param present position that the servo reports, steps
 * @returns the calibration for the present turn
 */
export function inTurn(calibration: ServoCalibration, middle: number, present: number): ServoCalibration {
  const { sign, zero, stepsPerTurn } = calibration;
  const centre = zero + (sign * middle * stepsPerTurn) / (2 * Math.PI);
  const turns = Math.round((present - centre) / stepsPerTurn);
  return turns === 0 ? calibration : { sign, zero: zero + turns * stepsPerTurn, stepsPerTurn };
}

/**
 * Whole turns by which the count of a servo that counts turns has jumped since its last sample, because it restarted in
 * between, as in a dip of its supply. A joint cannot turn half a turn between two samples that are less than 0.2 s
 * apart; after a longer gap, check the servo again and place it with `inTurn`.
 *
 * One stray reading looks the same, so two samples must agree before `shifted` is used. Until then, use neither
 * position for a goal or a snapshot.
 * @param before steps, as read last
 * @param present steps, as read now
 * @returns 0 for a servo that goes on counting
 */
export function turnsShifted(before: number, present: number, stepsPerTurn: number): number {
  // Adding 0 turns -0 into 0, because some comparisons tell them apart.
  return Math.round((present - before) / stepsPerTurn) + 0;
}

/** The calibration of a servo whose count has jumped by this many turns (`turnsShifted`). */
export function shifted(calibration: ServoCalibration, turns: number): ServoCalibration {
  const { sign, zero, stepsPerTurn } = calibration;
  return { sign, zero: zero + turns * stepsPerTurn, stepsPerTurn };
}
