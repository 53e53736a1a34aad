import type { ServoCalibration } from './calibration.ts';
import { OperatingMode } from './dynamixel/dynamixel-constants.ts';
import type { RegisterAccess } from './servo-client.ts';
import type { ServoFamily, ServoModel } from './servo-model.ts';
import { configure, registerName } from './setup.ts';

/**
 * How the homing offset enters the position that a servo reports: present = actual + sign * offset (Feetech memory table,
 * register 31; ROBOTIS e-manual, register 20).
 */
export const HOMING_SIGN: Readonly<Record<ServoFamily, 1 | -1>> = { feetech: -1, dynamixel: 1 };

/** Largest homing offset that a Dynamixel servo obeys in position control mode, steps (e-manual: a larger one is ignored). */
export const SINGLE_TURN_OFFSET = 1024;

/** What a servo's EEPROM says of where its position is counted from. */
export interface Homing {
  /** Steps, as the register has it. */
  readonly offset: number;
  readonly operatingMode: number;
}

/**
 * The mode in which a servo that is in `mode` obeys this offset and takes goals over its whole travel.
 * @param wraps its encoder begins its turn within the travel
 */
export function modeFor(family: ServoFamily, mode: number, offset: number, wraps: boolean): number {
  if (family !== 'dynamixel' || mode !== OperatingMode.position) return mode;
  return wraps || Math.abs(offset) > SINGLE_TURN_OFFSET ? OperatingMode.extendedPosition : mode;
}

/**
 * A Dynamixel servo counts whole turns on while it has power, and begins within the first one when it gets it. A joint turns
 * less than once, so the turn that it is in follows from where it is.
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
 * Writes what differs and reads it back, a Feetech servo's EEPROM being unlocked and locked again. The servo must be limp:
 * its position counts from elsewhere afterwards, and its goal does not.
 * @throws {ServoError} refused when the servo holds torque, or does not keep what was written
 */
export async function writeHoming(
  client: RegisterAccess,
  model: ServoModel,
  id: number,
  homing: Homing,
): Promise<void> {
  const { homingOffset, operatingMode } = model.common;
  await configure(client, model, id, {
    [registerName(model, operatingMode)]: homing.operatingMode,
    [registerName(model, homingOffset)]: homing.offset,
  });
}
