import { z } from 'zod';
import type { ArmModel } from '../arm/model.ts';
import type { CalibrationFile, JointCalibration } from '../config/calibration.ts';
import { familyByName } from '../servo/families.ts';
import { CalibrationFileError } from './calibration-store.ts';

/** LeRobot's calibration file of an arm: one motor per joint, by joint name. */
export const lerobotFile = z.record(
  z.string(),
  z.object({
    id: z.int().min(0).max(252),
    drive_mode: z.union([z.literal(0), z.literal(1)], '0 or 1'),
    homing_offset: z.int(),
    range_min: z.int(),
    range_max: z.int(),
  }),
);
export type LerobotFile = z.output<typeof lerobotFile>;

/** Servo steps from joint angle zero to the middle of the joint's range. */
function stepsToMiddle({ lower, upper, servos }: ArmModel['joints'][number], sign: 1 | -1): number {
  return (sign * (lower + upper) * servos[0]!.stepsPerTurn) / (4 * Math.PI);
}

/**
 * Converts LeRobot's calibration of an arm of this model. The middle of each LeRobot range is the middle of the joint's
 * own range. For servos without a direction register, `drive_mode` 1 means mounted the other way round; for the others,
 * the arm's data set that register.
 * @param arm name of the arm
 * @throws {CalibrationFileError} for joints or ids that do not match the model
 */
export function fromLerobot(file: LerobotFile, model: ArmModel, arm: string, written: string): CalibrationFile {
  const unknown = Object.keys(file).find((name) => !model.joints.some((joint) => joint.name === name));
  if (unknown !== undefined) {
    throw new CalibrationFileError(`a ${model.title} has no joint "${unknown}": ${namesOf(model)}`);
  }
  const joints = model.joints.map((joint): [string, JointCalibration] => {
    const servo = joint.servos[0]!;
    const found = file[joint.name];
    if (found === undefined) throw new CalibrationFileError(`joint "${joint.name}" of a ${model.title} is missing`);
    if (found.id !== servo.id) {
      throw new CalibrationFileError(
        `${joint.name} has servo ${found.id}, where a ${model.title} has servo ${servo.id}`,
      );
    }
    const turned = familyByName(model.family).reverse === null && found.drive_mode === 1;
    const sign = turned ? (servo.sign === 1 ? -1 : 1) : servo.sign;
    const zero = Math.round((found.range_min + found.range_max) / 2 - stepsToMiddle(joint, sign));
    const { id, homing_offset, range_min, range_max } = found;
    return [joint.name, { id, sign, zero, homing_offset, range_min, range_max }];
  });
  return { version: 1, arm, model: model.name, variant: model.variant, written, joints: Object.fromEntries(joints) };
}

/**
 * Converts a calibration to LeRobot's format. Ranges are centred on the middle of each joint, from which LeRobot
 * counts.
 * @throws {CalibrationFileError} for a servo that has a direction register but is mounted the other way round, which
 *   the format cannot express
 */
export function toLerobot({ joints }: CalibrationFile, model: ArmModel): LerobotFile {
  const { reverse, title } = familyByName(model.family);
  const rows = model.joints.flatMap((joint): [string, LerobotFile[string]][] => {
    const found = joints[joint.name];
    if (found === undefined) return [];
    const turned = found.sign !== joint.servos[0]!.sign;
    if (turned && reverse !== null) {
      throw new CalibrationFileError(
        `servo ${found.id} (${joint.name}) counts the other way round than the arm's data say, which LeRobot's file of a ` +
          `${title} arm cannot tell: change its sign in the data of the arm`,
      );
    }
    const middle = Math.round(2 * (found.zero + stepsToMiddle(joint, found.sign)));
    const span = found.range_max - found.range_min;
    // Both ends are whole steps, so their sum and their difference are both even or both odd.
    const half = Math.floor((span - ((span + middle) & 1)) / 2);
    const least = Math.ceil(middle / 2) - half - (middle & 1 ? 1 : 0);
    const set = reverse !== null && ((joint.settings[reverse.register] ?? 0) & reverse.bit) !== 0;
    const drive_mode = turned || set ? 1 : 0;
    const { id, homing_offset } = found;
    return [[joint.name, { id, drive_mode, homing_offset, range_min: least, range_max: middle - least }]];
  });
  return Object.fromEntries(rows);
}

function namesOf({ joints }: ArmModel): string {
  return joints.map(({ name }) => name).join(', ');
}
