import type { ServoCalibration } from './calibration.ts';
import type { RegisterAccess } from './servo-client.ts';
import type { PositionLimits, ServoModel } from './servo-model.ts';
import { configure, registerName } from './setup.ts';

/** What a servo's EEPROM says of where its position is counted from, and of the goals that it takes; steps. */
export interface Homing {
  readonly offset: number;
  readonly operatingMode: number;
  /** Left out: they stay. */
  readonly limits?: PositionLimits | undefined;
}

/**
 * A servo that counts turns goes on counting while it has power, and begins within the first turn when it gets it. A joint
 * turns less than once, so the turn that it is in follows from where it is.
 * @param middle of the joint's range, rad
 * @param present position that the servo reports, steps
 * @returns the calibration that holds in the present turn
 */
export function inTurn(calibration: ServoCalibration, middle: number, present: number): ServoCalibration {
  const { sign, zero, stepsPerTurn } = calibration;
  const centre = zero + (sign * middle * stepsPerTurn) / (2 * Math.PI);
  const turns = Math.round((present - centre) / stepsPerTurn);
  return turns === 0 ? calibration : { sign, zero: zero + turns * stepsPerTurn, stepsPerTurn };
}

/**
 * Whole turns by which a servo that counts turns counts differently than in its sample before: it has restarted in
 * between, as in a dip of its supply. A joint cannot turn half a turn between two samples that are less than 0.2 s apart;
 * after a longer gap the servo is to be checked anew and placed by `inTurn`.
 *
 * One stray reading looks the same, so two samples must agree before `shifted` is used. No position of either belongs into
 * a goal or a snapshot before.
 * @param before steps, as read last
 * @param present steps, as read now
 * @returns 0 for a servo that goes on counting
 */
export function turnsShifted(before: number, present: number, stepsPerTurn: number): number {
  // Without a negative zero, which is not equal to 0 for everybody.
  return Math.round((present - before) / stepsPerTurn) + 0;
}

/** The calibration of a servo that counts so many turns more than it did (`turnsShifted`). */
export function shifted(calibration: ServoCalibration, turns: number): ServoCalibration {
  const { sign, zero, stepsPerTurn } = calibration;
  return { sign, zero: zero + turns * stepsPerTurn, stepsPerTurn };
}

/**
 * Writes what differs and reads it back, with the lock of the EEPROM open where there is one. The servo must be limp: its
 * position counts from elsewhere afterwards, and its goal does not.
 * @throws {ServoError} refused when the servo holds torque, or does not keep what was written
 */
export async function writeHoming(
  client: RegisterAccess,
  model: ServoModel,
  id: number,
  { offset, operatingMode, limits }: Homing,
): Promise<void> {
  const { common } = model;
  await configure(client, model, id, {
    [registerName(model, common.operatingMode)]: operatingMode,
    [registerName(model, common.homingOffset)]: offset,
    ...(limits === undefined
      ? {}
      : {
          [registerName(model, common.minPosition)]: limits.lowest,
          [registerName(model, common.maxPosition)]: limits.highest,
        }),
  });
}
