import { z } from 'zod';
import type { ArmModel } from '../arm/model.ts';
import type { CalibrationFile, JointCalibration } from '../config/calibration.ts';
import { radiansToSteps } from '../servo/calibration.ts';
import { CalibrationFileError } from './calibration-store.ts';

const QUARTER = Math.PI / 2;

/** Servo mounts in phosphobot's arm configuration and in /robot/config; lists are in joint order. */
export const phosphobotFile = z.looseObject({
  servos_offsets: z.array(z.number()),
  servos_offsets_signs: z.array(z.union([z.literal(1), z.literal(-1)], '1 or -1')),
});
export type PhosphobotFile = z.output<typeof phosphobotFile>;

/** phosphobot's whole configuration of an arm (its `BaseRobotConfig`). */
export interface PhosphobotConfig extends PhosphobotFile {
  readonly name: string;
  readonly servos_voltage: number;
  readonly servos_calibration_position: number[];
  readonly pid_gains: { p_gain: number; i_gain: number; d_gain: number }[];
  readonly gripping_threshold: number;
  readonly non_gripping_threshold: number;
}

/** What phosphobot's arm configuration needs besides the calibration. */
export interface ArmSupply {
  /** Supply voltage of the arm, V; phosphobot derives its protection from it. */
  readonly voltage: number;
  /**
   * Stall torque of the gripper's servo, Nm, the reference of phosphobot's loads; null for an arm without a gripper.
   */
  readonly gripperTorque: number | null;
}

/**
 * Joint angles of the pose that phosphobot calibrates with besides zero, rad: a quarter turn towards the wider side of
 * each joint, because phosphobot refuses a pose that shares an angle with zero. The gripper is open there: phosphobot
 * counts its opening from that position.
 */
export function calibrationAngles({ joints, gripper }: Pick<ArmModel, 'joints' | 'gripper'>): number[] {
  return joints.map(({ lower, upper }, i) => {
    if (i === gripper?.index) return gripper.open;
    return -lower > upper ? -QUARTER : QUARTER;
  });
}

/** Converts a torque (Nm) to phosphobot's load, per mille of the servo's stall torque: an integer above 0. */
export function phosphobotLoad(torque: number | undefined, stallTorque: number | null | undefined): number {
  return torque === undefined || !stallTorque ? 1 : Math.max(1, Math.round((1000 * torque) / stallTorque));
}

/**
 * Converts a calibration to phosphobot's format. The list of gains stays empty, so phosphobot leaves the servo gains
 * alone.
 */
export function toPhosphobot(
  { joints }: CalibrationFile,
  model: ArmModel,
  { voltage, gripperTorque }: ArmSupply,
): PhosphobotConfig {
  const { gripper } = model;
  const mounts = model.joints.map(({ name, servos }) => joints[name] ?? servos[0]!);
  const angles = calibrationAngles(model);
  const stall = gripper === null ? null : model.joints[gripper.index]!.stall;
  return {
    name: model.name,
    servos_voltage: voltage,
    servos_offsets: mounts.map(({ zero }) => zero),
    servos_calibration_position: mounts.map(({ sign, zero }, i) => {
      const { stepsPerTurn } = model.joints[i]!.servos[0]!;
      return radiansToSteps({ sign, zero, stepsPerTurn }, angles[i]!);
    }),
    servos_offsets_signs: mounts.map(({ sign }) => sign),
    pid_gains: [],
    gripping_threshold: phosphobotLoad(stall?.torque, gripperTorque),
    non_gripping_threshold: phosphobotLoad(stall?.hold, gripperTorque),
  };
}

/**
 * Converts phosphobot's configuration of an arm: the steps at joint angle 0 and the counting direction of each servo.
 * It contains no homing offsets.
 * @param arm name of the arm
 * @param before the arm's present calibration, whose homing offsets are kept; null: they are 0
 * @throws {CalibrationFileError} if the number of joints differs from the model
 */
export function fromPhosphobot(
  file: PhosphobotFile,
  model: ArmModel,
  arm: string,
  written: string,
  before: CalibrationFile | null,
): CalibrationFile {
  const { servos_offsets: offsets, servos_offsets_signs: signs } = file;
  if (offsets.length !== model.joints.length || signs.length !== model.joints.length) {
    throw new CalibrationFileError(
      `servos_offsets has ${offsets.length} values and servos_offsets_signs ${signs.length}; a ${model.title} has ` +
        `${model.joints.length} joints`,
    );
  }
  const joints = model.joints.map((joint, i): [string, JointCalibration] => {
    const sign = signs[i]!;
    const zero = Math.round(offsets[i]!);
    const { id, stepsPerTurn } = joint.servos[0]!;
    const ends = [joint.lower, joint.upper].map((angle) => radiansToSteps({ sign, zero, stepsPerTurn }, angle));
    const homing = before?.joints[joint.name]?.homing_offset ?? 0;
    return [
      joint.name,
      { id, sign, zero, homing_offset: homing, range_min: Math.min(...ends), range_max: Math.max(...ends) },
    ];
  });
  return { version: 1, arm, model: model.name, variant: model.variant, written, joints: Object.fromEntries(joints) };
}
