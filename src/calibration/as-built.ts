import type { ArmModel } from '../arm/model.ts';
import type { CalibrationFile } from '../config/calibration.ts';

/**
 * Calibration of an arm whose servos are mounted as its model says, covering the model's full travel.
 * @param arm name of the arm
 * @param written time stamp of the file, ISO 8601
 * @param homing homing offset of each servo in counts, by id; 0 if left out
 */
export function asBuilt(
  model: ArmModel,
  arm: string,
  written: string,
  homing: Readonly<Record<number, number>> = {},
): CalibrationFile {
  const joints = model.joints.map(({ name, servos, lower, upper }) => {
    const { id, sign, zero, stepsPerTurn } = servos[0]!;
    const ends = [lower, upper].map((angle) => Math.round(zero + (sign * angle * stepsPerTurn) / (2 * Math.PI)));
    const range = { range_min: Math.min(...ends), range_max: Math.max(...ends) };
    return [name, { id, sign, zero, homing_offset: homing[id] ?? 0, ...range }] as const;
  });
  const { name, variant } = model;
  return { version: 1, arm, model: name, variant, written, joints: Object.fromEntries(joints) };
}
