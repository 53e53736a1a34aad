import { z } from 'zod';
import { RECORDING_NAME } from '../recording/recording-service.ts';
import { asModel, components, number, text } from './fields.ts';

const name = (description: string) => text(RECORDING_NAME).describe(description);

export const recordingStartRequest = z
  .object(
    {
      name: name('Letters, digits, _ and -, at most 64. Null or left out: the present time.').nullable().prefault(null),
      rate: number({ min: 1, max: 200 }).prefault(50).describe('Samples per second.'),
    },
    asModel,
  )
  .register(components, { id: 'RecordingStartRequest' });

export const recordingPlayRequest = z
  .object(
    {
      name: name('Of the recording.'),
      speed: number({ min: 0.1, max: 2 })
        .prefault(1)
        .describe('1 as recorded. Where the limits of the arm ask for it, it is slower.'),
    },
    asModel,
  )
  .register(components, { id: 'RecordingPlayRequest' });
