import { z } from 'zod';

/**
 * What calibrating an arm has found out, as it is kept in a file: of the first servo of each joint where it counts from
 * (`homing_offset`, as in its register), which way (`sign`) and at which of its steps the joint is at 0 (`zero`), and the
 * steps between which the joint was led.
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

/** What was measured of the drives of an arm's joints, as it is kept in a file; a joint that is not named has its model's. */
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
