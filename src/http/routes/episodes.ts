import { z } from 'zod';
import type { Arm } from '../../arm/types.ts';
import { RECORDING_NAME, type RunningEpisode } from '../../recording/recording-service.ts';
import { LONGEST_NAME } from '../../sizes.ts';
import { asModel, boolean, components, list, text, word } from '../fields.ts';
import { route } from '../route.ts';
import { failed, ok, outcome, statusAnswer } from '../schemas.ts';
import { armByName, type HttpServices } from '../services.ts';
import { LONGEST_TASK, labels } from './recordings.ts';

const MOST_ARMS = 16;
const NAME = text(RECORDING_NAME);

const episodeStart = z
  .object(
    {
      name: NAME.nullable()
        .prefault(null)
        .describe('Letters, digits, _ and -, at most 64. Null or left out: the dataset and the present time.'),
      dataset: NAME.nullable().prefault(null).describe('Folder of episodes that it is to belong to; null: none.'),
      arms: list(word(LONGEST_NAME), { min: 1, max: MOST_ARMS })
        .optional()
        .describe('Names of the arms that take part; left out: all that are connected.'),
      task: labels.task,
      operator: labels.operator,
    },
    asModel,
  )
  .register(components, { id: 'EpisodeStartRequest' });

const episodeStop = z
  .object({ keep: boolean().prefault(true).describe('False: delete the episode.'), ...labels }, asModel)
  .register(components, { id: 'EpisodeStopRequest' });

const episodeMark = z
  .object({ text: word(LONGEST_TASK).prefault('').describe('Text of the mark: what has just happened.') }, asModel)
  .register(components, { id: 'EpisodeMarkRequest' });

const runningEpisode = z
  .object({
    name: z.string(),
    dataset: z.string().nullable(),
    path: z.string().describe('Path of the file on the computer of the bridge, once it is complete.'),
    arms: z.array(z.string()).max(MOST_ARMS),
    task: z.string(),
    operator: z.string(),
    began: z.number().describe('When it began, seconds since the epoch.'),
    duration: z.number().describe('Length so far, in seconds.'),
    problem: z.string().nullable().describe('Why it has ended early, for instance a full disk; null while it runs.'),
    silent_cameras: z
      .array(z.string())
      .describe('Topics of cameras that are to be recorded (`recording.images`) and of which nothing comes.'),
  })
  .register(components, { id: 'RunningEpisode' });

const episodeState = z
  .object({
    ...outcome,
    episode: runningEpisode.nullable().describe('The running episode; null if none is being recorded.'),
  })
  .register(components, { id: 'EpisodeResponse' });

const episodeEnd = z
  .object({
    ...outcome,
    name: z.string().optional(),
    path: z
      .string()
      .optional()
      .describe('Path of the file on the computer of the bridge; empty if the recording is not kept.'),
    samples: z.int().optional().describe('Joint states of all its arms.'),
    lost: z.int().optional().describe('Cycles of the control loop that could not be recorded.'),
    duration: z.number().optional().describe('Length of the episode, in seconds.'),
  })
  .register(components, { id: 'EpisodeStopResponse' });

const EPISODE = {
  name: 'pick-2026-01-02T03-04-05-000Z',
  dataset: 'pick',
  path: '/home/lab/.local/share/arm-bridge/recordings/pick/pick-2026-01-02T03-04-05-000Z/pick-2026-01-02T03-04-05-000Z.mcap',
  arms: ['leader', 'follower'],
  task: 'Put the cube into the box',
  operator: 'ada',
  began: 1_767_323_045.12,
  duration: 3.2,
  problem: null,
  silent_cameras: [],
};
const NOT_RUNNING = 'No episode is being recorded';

function shown(episode: RunningEpisode | null, { clock }: HttpServices): z.input<typeof runningEpisode> | null {
  if (episode === null) return null;
  const { early, arms, silent, ...facts } = episode;
  const duration = Math.max(0, (early?.ended ?? clock.wall()) - facts.began);
  return { ...facts, arms: [...arms], duration, problem: early?.problem ?? null, silent_cameras: [...silent] };
}

const endedEarly = (problem: string): string => `The episode ended early: ${problem}.`;

function armsOf(names: readonly string[] | undefined, services: HttpServices): readonly Arm[] {
  if (names === undefined) return services.arms.all.filter((arm) => arm.read().state !== 'disconnected');
  return [...new Set(names)].map((name) => armByName(services, name));
}

export const episodeRoutes = [
  route({
    method: 'GET',
    path: '/api/v1/episode',
    access: 'read',
    id: 'episode',
    tag: 'recordings',
    summary: 'The running episode',
    description:
      'Its name, arms and task, for how long it has been recorded, whether it has ended early, and cameras of which nothing comes; ' +
      'null while there is none.',
    target: 'none',
    answer: {
      description: 'The episode, or null.',
      schema: episodeState,
      example: { ...ok(), episode: EPISODE },
    },
    refusals: {},
    handler: ({ services }) => ({ ...ok(), episode: shown(services.recordings.episode, services) }),
  }),
  route({
    method: 'POST',
    path: '/api/v1/episode/start',
    access: 'control',
    act: 'recording',
    id: 'episode_start',
    tag: 'recordings',
    summary: 'Record an episode',
    description: 'All that the arms do, in each cycle of the control loop, until it is stopped. It moves nothing.',
    target: 'none',
    body: {
      schema: episodeStart,
      optional: true,
      example: { dataset: 'pick', task: 'Put the cube into the box', operator: 'ada' },
    },
    answer: {
      description: 'It is being recorded.',
      schema: episodeState,
      example: { ...ok('The episode is being recorded'), episode: EPISODE },
    },
    refusals: {
      400: 'One is being recorded, an arm is disconnected, the name is taken, or there is no room.',
      404: 'There is no arm of a name.',
    },
    handler: async ({ services }, { body }) => {
      const { arms: names, name, dataset, task = '', operator = '' } = body;
      const arms = armsOf(names, services);
      const episode = await services.recordings.startEpisode({ name, dataset, task, operator, arms });
      const left = names === undefined ? services.arms.all.filter((arm) => !arms.includes(arm)) : [];
      const without = left.map((arm) => arm.name).join(', ');
      const words = `The episode is being recorded${without && ` without ${without}: disconnected`}`;
      return { ...ok(words), episode: shown(episode, services) };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/episode/mark',
    access: 'control',
    act: 'recording',
    id: 'episode_mark',
    tag: 'recordings',
    summary: 'Put a mark into the episode',
    description: 'An event with a text, at the present time.',
    target: 'none',
    body: { schema: episodeMark, optional: true, example: { text: 'grasped' } },
    answer: statusAnswer('Marked'),
    refusals: {},
    handler: ({ services: { recordings } }, { body }) => {
      if (recordings.mark(body.text)) return ok('Marked');
      const early = recordings.episode?.early;
      return failed(early ? endedEarly(early.problem) : NOT_RUNNING);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/episode/stop',
    access: 'control',
    act: 'recording',
    id: 'episode_stop',
    tag: 'recordings',
    summary: 'End the episode',
    description: 'Its file is complete with the answer, or gone.',
    target: 'none',
    body: { schema: episodeStop, optional: true, example: { verdict: 'good' } },
    answer: {
      description: 'Done, or `status: "error"` with a message that says why not.',
      schema: episodeEnd,
      example: {
        ...ok('The episode is complete'),
        name: EPISODE.name,
        path: EPISODE.path,
        samples: 4960,
        lost: 0,
        duration: 12.4,
      },
    },
    refusals: {},
    handler: async ({ services }, { body }) => {
      const { keep, ...said } = body;
      const told = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
      const { silent = [] } = services.recordings.episode ?? {};
      const summary = await services.recordings.stopEpisode(!keep, told);
      if (summary === null) return failed(NOT_RUNNING);
      const { problem, ...rest } = summary;
      if (problem !== null) return { ...failed(endedEarly(problem)), ...rest };
      const without = silent.length > 0 ? `, at its end without ${silent.join(', ')}` : '';
      return { ...ok(keep ? `The episode is complete${without}` : 'The episode is not kept'), ...rest };
    },
  }),
];
