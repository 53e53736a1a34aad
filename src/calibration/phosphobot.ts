import { z } from 'zod';
import type { ArmModel } from '../arm/model.ts';
import type { CalibrationFile, JointCalibration } from '../config/calibration.ts';
import { radiansToSteps } from '../servo/calibration.ts';
import { CalibrationFileError } from './calibration-store.ts';

const QUARTER = Math.PI / 2;

/** What phosphobot's configuration of an arm, and /robot/config, tell of its mounts; lists are in the order of the joints. */
export const phosphobotFile = z.looseObject({
  servos_offsets: z.array(z.number()),
  servos_offsets_signs: z.array(z.union([z.literal(1), z.literal(-1)], '1 or -1')),
});
export type PhosphobotFile = z.output<typeof phosphobotFile>;

/** All that phosphobot keeps of an arm: its `BaseRobotConfig`. */
export interface PhosphobotConfig extends PhosphobotFile {
  readonly name: string;
  readonly servos_voltage: number;
  readonly servos_calibration_position: number[];
  readonly pid_gains: { p_gain: number; i_gain: number; d_gain: number }[];
  readonly gripping_threshold: number;
  readonly non_gripping_threshold: number;
}

/** What phosphobot's configuration of an arm needs besides its calibration. */
export interface ArmSupply {
  /** Of the arm's supply, V: phosphobot sets its protection by it. */
  readonly voltage: number;
  /** Stall torque of the gripper's servo, Nm, by which phosphobot's loads are counted; null for an arm without one. */
  readonly gripperTorque: number | null;
}

/**
 * Joint angles of the pose that phosphobot calibrates with beside zero, rad: a quarter of a turn into the wider side of each
 * joint. It refuses a pose that shares an angle with zero. The gripper is open there: its opening is counted from that.
 */
export function calibrationAngles({ joints, gripper }: Pick<ArmModel, 'joints' | 'gripper'>): number[] {
  return joints.map(({ lower, upper }, i) => {
    if (i === gripper?.index) return gripper.open;
    return -lower > upper ? -QUARTER : QUARTER;
  });
}

/** A torque (Nm) as phosphobot counts loads, per mille of a servo's stall torque: an integer above 0. */
export function phosphobotLoad(torque: number | undefined, stallTorque: number | null | undefined): number {
  return torque === undefined || !stallTorque ? 1 : Math.max(1, Math.round((1000 * torque) / stallTorque));
}

/**
 * A calibration as phosphobot keeps it. Its list of gains stays empty, with which phosphobot leaves the servos those that they
 * have.
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
 * What a configuration as phosphobot keeps it says of the mounts of an arm's servos: steps at joint angle 0, and which way
 * they count. It does not tell their homing offsets.
 * @param arm name of the arm
 * @param before the arm's present calibration, whose homing offsets are kept; null: they are 0
 * @throws {CalibrationFileError} for another number of joints than the model has
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
