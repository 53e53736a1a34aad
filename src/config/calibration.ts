import { z } from 'zod';

/**
 * Calibration file of an arm. For the first servo of each joint: its homing register (`homing_offset`), its direction
 * (`sign`), the step at joint angle 0 (`zero`), and the range of steps over which the joint was led (`range_min`,
 * `range_max`).
 */
export const calibrationFile = z.strictObject({
  version: z.literal(1),
  arm: z.string().min(1),
  model: z.string().min(1),
  variant: z.string().min(1),
  /** ISO 8601, UTC. */
  written: z.iso.datetime(),
  joints: z.record(
    z.string(),
    z.strictObject({
      id: z.int().min(0).max(252),
      sign: z.union([z.literal(1), z.literal(-1)], '1 or -1'),
      zero: z.int(),
      homing_offset: z.int(),
      range_min: z.int(),
      range_max: z.int(),
    }),
  ),
});
export type CalibrationFile = z.output<typeof calibrationFile>;
export type JointCalibration = CalibrationFile['joints'][string];

/** File with the measured friction of an arm's joints; a joint that is not listed has the values of its model. */
export const frictionFile = z.strictObject({
  version: z.literal(1),
  arm: z.string().min(1),
  model: z.string().min(1),
  variant: z.string().min(1),
  /** ISO 8601, UTC. */
  written: z.iso.datetime(),
  joints: z.record(
    z.string(),
    z.strictObject({
      /** Nm */
      friction: z.number().min(0),
      /** Nm s/rad */
      damping: z.number().min(0),
    }),
  ),
});
export type FrictionFile = z.output<typeof frictionFile>;
