import { z } from 'zod';
import type { Caller } from '../../arm/types.ts';
import { RECORDING_NAME, timeName } from '../../recording/recording-service.ts';
import { LONGEST_NAME } from '../../sizes.ts';
import { asModel, boolean, components, number, text, word } from '../fields.ts';
import { CONFLICT, moving, route, UNKNOWN_ARM } from '../route.ts';
import { failed, ok, outcome } from '../schemas.ts';

const name = (description: string) => text(RECORDING_NAME).describe(description);

const recordingStartRequest = z
  .object(
    {
      name: name('Letters, digits, _ and -, at most 64. Null or left out: the present time.').nullable().prefault(null),
      rate: number({ min: 1, max: 200 }).prefault(50).describe('Samples per second.'),
    },
    asModel,
  )
  .register(components, { id: 'RecordingStartRequest' });

const recordingStartResponse = z
  .object({
    ...outcome,
    name: z.string().describe('Name of the recording.'),
    path: z.string().describe('Path of the file on the computer of the bridge.'),
  })
  .register(components, { id: 'RecordingStartResponse' });

const recordingStopRequest = z
  .object({ save: boolean().prefault(true).describe('False: delete the episode.') }, asModel)
  .register(components, { id: 'RecordingStopRequest' });

const recordingStopResponse = z
  .object({
    ...outcome,
    name: z.string().optional().describe('Name of the recording; left out if none was running.'),
    path: z
      .string()
      .optional()
      .describe('Path of the file on the computer of the bridge; empty if the recording is not kept.'),
    samples: z.int().optional(),
    duration: z.number().optional().describe('In seconds.'),
  })
  .register(components, { id: 'RecordingStopResponse' });

const recordingPlayRequest = z
  .object(
    {
      name: name('Name of the recording.'),
      speed: number({ min: 0.1, max: 2 })
        .prefault(1)
        .describe('1 as recorded. Where the limits of the arm ask for it, it is slower.'),
      source: word(LONGEST_NAME)
        .nullable()
        .prefault(null)
        .describe('The recorded arm that is followed. Null or left out: the one of the same name, or the first.'),
    },
    asModel,
  )
  .register(components, { id: 'RecordingPlayRequest' });

const recordingPlayResponse = z
  .object({ ...outcome, duration: z.number().describe('With the way to its first pose, in seconds.') })
  .register(components, { id: 'RecordingPlayResponse' });

const MESSAGES = 'Done, or `status: "error"` with a message that says why not.';
const PATH = '/home/lab/.local/share/arm-bridge/recordings/wave.mcap';

export const recordingRoutes = [
  route({
    method: 'POST',
    path: '/recording/start',
    access: 'control',
    act: 'recording',
    id: 'recording_start',
    tag: 'control',
    summary: 'Record the joints of an arm',
    description: 'As measured, whoever drives it or leads it by hand.',
    target: 'one',
    body: { schema: recordingStartRequest, optional: true, example: { name: 'wave', rate: 50 } },
    answer: {
      description: MESSAGES,
      schema: recordingStartResponse,
      example: { ...ok('Recording of leader started'), name: 'wave', path: PATH },
    },
    refusals: {
      400: 'The arm is unknown, disconnected or recorded already, the name is taken, or the folder full.',
    },
    handler: async ({ services }, { arm, body }) => {
      const chosen = body.name ?? timeName(services.clock.wall());
      const path = await services.recordings.start(arm, chosen, body.rate);
      return { ...ok(`Recording of ${arm.name} started`), name: chosen, path };
    },
  }),
  route({
    method: 'POST',
    path: '/recording/stop',
    access: 'control',
    act: 'recording',
    id: 'recording_stop',
    tag: 'control',
    summary: 'End a recording',
    description: 'The file is complete with the answer.',
    target: 'one',
    body: { schema: recordingStopRequest, optional: true, example: { save: true } },
    answer: {
      description: MESSAGES,
      schema: recordingStopResponse,
      example: {
        ...ok('Recording of leader stopped'),
        name: 'wave',
        path: PATH,
        samples: 150,
        duration: 3,
      },
    },
    refusals: { 400: UNKNOWN_ARM },
    handler: async ({ services }, { arm, body }) => {
      const summary = await services.recordings.stop(arm, !body.save);
      if (summary === null) return failed(`${arm.name} is not being recorded`);
      const { problem, lost: _lost, ...facts } = summary;
      return problem === null
        ? { ...ok(`Recording of ${arm.name} stopped`), ...facts }
        : { ...failed(`The recording ended early: ${problem}.`), ...facts };
    },
  }),
  route({
    method: 'POST',
    path: '/recording/play',
    access: 'control',
    act: 'motion',
    id: 'recording_play',
    tag: 'control',
    summary: 'Replay a recording',
    description: 'Goes to its first pose by a checked move, then replays it. Answers when the motion has ended.',
    target: 'one',
    query: moving,
    body: { schema: recordingPlayRequest, example: { name: 'wave', speed: 1 } },
    answer: {
      description: MESSAGES,
      schema: recordingPlayResponse,
      example: { ...ok(), duration: 4.2 },
    },
    refusals: { 400: 'The arm is unknown or disconnected, or cannot replay this.', 409: CONFLICT },
    handler: async ({ services: { recordings }, callers, motions }, { arm, query, body }, reply) => {
      const kind = reply.request.routed;
      const replay = async (caller: Caller) => {
        const { problem, duration } = await recordings.play(arm, body.name, body.speed, caller, body.source);
        return { ok: problem === null, message: problem, duration };
      };
      const end = await callers.run(reply, query, (caller) => motions.run(arm, kind, caller, replay));
      return end.ok
        ? { ...ok(), duration: end.duration }
        : { ...failed(`The replay has not been completed: ${end.message}.`), duration: end.duration };
    },
  }),
];
