import { z } from 'zod';
import { components } from './fields.ts';

const fields = {
  calibration_status: z.enum(['error', 'success', 'in_progress']),
  message: z.string().describe('What has been done, and what to do before the next call.'),
  current_step: z.int().describe('1 to total_nb_steps; 0 before the first.'),
  total_nb_steps: z.int(),
};

export const calibrateResponse = z.object(fields).register(components, { id: 'CalibrateResponse' });
export type CalibrateResponse = z.output<typeof calibrateResponse>;

const angle = (description: string) => z.number().nullable().describe(description);

export const calibrationState = z
  .object({
    ...fields,
    joints: z.array(
      z.object({
        name: z.string(),
        position: angle('From the middle pose, rad; null before the first sample.'),
        least: angle('Least position so far, rad.'),
        most: angle('Largest position so far, rad.'),
        range: z.number().describe('Range that the data of the arm give, rad.'),
        done: z.boolean().describe('It has been led to both of its ends, or need not be.'),
      }),
    ),
  })
  .register(components, { id: 'CalibrationState' });
export type CalibrationState = z.output<typeof calibrationState>;
