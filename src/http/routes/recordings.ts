import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { RecordingFacts } from '../../recording/messages.ts';
import { RECORDING_NAME } from '../../recording/recording-service.ts';
import { LONGEST_NAME, MOST_JOINTS } from '../../sizes.ts';
import { fitting, sizeOf } from '../answer-size.ts';
import { HttpProblem } from '../errors.ts';
import { asModel, components, number, oneOf, queryInteger, queryNumber, text, word } from '../fields.ts';
import { NAMED_ARM, route } from '../route.ts';
import { ok, outcome, statusAnswer } from '../schemas.ts';
import { armById, idNamed } from '../services.ts';

/** Most characters of an episode's task. */
export const LONGEST_TASK = 200;
/** Most recordings in one answer, topics of one recording, and datasets. */
const MOST_LISTED = 32;
const MOST_TOPICS = 100;
const MOST_DATASETS = 200;
/** Most points of the curves in one answer. */
const MOST_POINTS = 1000;
/** Latest time in a recording that a request can name, s: a month. */
const LONGEST = 2_592_000;
/** Largest upload, bytes: as much as arrives within the request timeout. */
const MOST_RECEIVED = 256 * 1024 * 1024;
const MCAP = 'application/octet-stream';
/** First characters of an MCAP file. */
const MAGIC = '\u0089MCAP0\r\n';
const NAME = text(RECORDING_NAME);

export const VERDICTS = ['', 'good', 'bad'] as const;

/** Labels that people give an episode. */
export const labels = {
  task: word(LONGEST_TASK).describe('Task that the episode shows, as in a training set.').optional(),
  operator: word(LONGEST_NAME).describe('Person who leads the arms.').optional(),
  verdict: oneOf(VERDICTS).describe('Whether to use the episode; empty: nobody has judged it yet.').optional(),
};

const facts = {
  name: z.string(),
  dataset: z.string().nullable().describe('Dataset (folder of episodes) of the recording; null if it has none.'),
  content: z.enum(['joints', 'episode']).describe('joints: only joint states; episode: everything that its arms did.'),
  bytes: z.int().describe('Size of its file, bytes.'),
  began: z.number().describe('Time of the first message, seconds since the epoch.'),
  duration: z.number().describe('Length of the recording, in seconds.'),
  messages: z.int(),
  arms: z.array(z.string()).max(16).describe('Names of the arms with recorded joint states.'),
  task: z.string(),
  operator: z.string(),
  verdict: z.enum(VERDICTS),
  ended_early: z
    .string()
    .describe('Why an episode was broken off before anybody ended it, such as a full disk; empty if it was not.'),
  problem: z
    .string()
    .describe(
      'Why the recording cannot be read, for example because nothing of it could be saved when the bridge was killed; empty if it can.',
    ),
};

const recordingEntry = z.object(facts).register(components, { id: 'Recording' });

const recordingFacts = z
  .object({
    ...facts,
    path: z.string().describe('Path of the file on the computer of the bridge.'),
    topics: z
      .array(
        z
          .object({ name: z.string(), type: z.string(), messages: z.int() })
          .register(components, { id: 'RecordedTopic' }),
      )
      .max(MOST_TOPICS),
  })
  .register(components, { id: 'RecordingFacts' });

const recordingList = z
  .object({
    recordings: z
      .array(recordingEntry)
      .max(MOST_LISTED)
      .describe('The newest first; fewer than `limit` if they would not fit into 64 kB.'),
    total: z.int().describe('Number of all recordings, including those that this answer leaves out.'),
    datasets: z.array(z.string()).max(MOST_DATASETS).describe('Names of the datasets, sorted; at most the first 200.'),
    folder: z.string(),
    used: z.int().describe('Size of all recordings together, bytes.'),
    quota: z.int().describe('Bytes that all recordings together may take (recording.quota).'),
    free: z.int().describe('Free bytes on the disk.'),
    warning: z.string().describe('Warning before the room for recordings runs out; empty while there is enough.'),
  })
  .register(components, { id: 'RecordingList' });

const recordingChange = z
  .object({ name: NAME.describe('New name of the recording.').optional(), ...labels }, asModel)
  .register(components, { id: 'RecordingChangeRequest' });

const recordingTrim = z
  .object(
    {
      begin: number({ min: 0, max: LONGEST }).describe('Seconds after the first message of the recording.'),
      end: number({ min: 0, max: LONGEST }).describe('Seconds after the first message of the recording.'),
      name: NAME.nullable()
        .prefault(null)
        .describe('Of the new recording. Null or left out: that of the old one with `-trimmed`.'),
    },
    asModel,
  )
  .register(components, { id: 'RecordingTrimRequest' });

const angles = z.array(z.array(z.number().nullable()).max(MOST_POINTS)).max(MOST_JOINTS);
const recordingSamples = z
  .object({
    source: z.string().describe('Name of the recorded arm.'),
    joints: z.array(z.string()).max(MOST_JOINTS),
    duration: z.number().describe('Length of the whole recording, in seconds.'),
    times: z.array(z.number()).max(MOST_POINTS).describe('Seconds after the first message of the recording.'),
    positions: angles.describe('As measured, in radians: of each joint its values at these times.'),
    goals: angles.describe('Where they were asked to be, in radians; null where nothing asked.'),
    external: angles.describe('What something outside put on them, estimated, in Nm; null where the arm was limp.'),
  })
  .register(components, { id: 'RecordingSamples' });

const MOST_UNREACHED = 50;

const recordingForeseen = z
  .object({
    source: z.string().describe('Name of the recorded arm.'),
    duration: z.number().describe('Length of the whole recording, in seconds.'),
    times: z.array(z.number()).max(MOST_POINTS).describe('Seconds after the first message of the recording.'),
    positions: angles.describe(
      'Where the joints of the arm would be, in radians: of each its values at these times. Beyond a limit they stay at it.',
    ),
    unreached: z
      .array(
        z.object({
          begin: z.number().describe('Seconds after the first message of the recording.'),
          end: z.number().describe('End of the part, in seconds after the first message of the recording.'),
          text: z.string().describe('Which joint would go beyond its limits, or which links would touch.'),
        }),
      )
      .max(MOST_UNREACHED)
      .describe('What of it the arm cannot reach, the first of it.'),
    refusal: z
      .string()
      .nullable()
      .describe(
        'What `/recording/play` would say instead of beginning; null: it would begin. It looks at the first 30 s, and at the rest while it runs.',
      ),
  })
  .register(components, { id: 'RecordingForeseen' });

const recordingAnswer = z
  .object({ ...outcome, recording: recordingFacts })
  .register(components, { id: 'RecordingResponse' });

const ENTRY = {
  name: 'pick-3',
  dataset: 'pick',
  content: 'episode' as const,
  bytes: 5_120_000,
  began: 1_767_323_045.12,
  duration: 12.4,
  messages: 23_110,
  arms: ['leader', 'follower'],
  task: 'Put the cube into the box',
  operator: 'ada',
  verdict: 'good' as const,
  ended_early: '',
  problem: '',
};
const FACTS = {
  ...ENTRY,
  path: '/home/lab/.local/share/arm-bridge/recordings/pick/pick-3/pick-3.mcap',
  topics: [{ name: '/follower/joint_states', type: 'sensor_msgs/msg/JointState', messages: 2480 }],
};
/** Room for the facts of a recording beside its topics, bytes. */
const FACTS_SIZE = 24 * 1024;
/** Rounds to 4 decimals: 1e-4 rad is less than a step of any servo. */
const short = (value: number): number => Math.round(value * 1e4) / 1e4;
const rows = (values: readonly (readonly number[])[]): (number | null)[][] =>
  values.map((row) => row.map((value) => (Number.isFinite(value) ? short(value) : null)));
const NONE = 'There is no recording of this name.';
const MISSING = { unknown_recording: 404 } as const;

function shown(recording: RecordingFacts): z.input<typeof recordingFacts> {
  const { topics, arms, problem, endedEarly, ...facts } = recording;
  const brief = (name: string): string => name.slice(0, 2 * LONGEST_NAME);
  return {
    ...facts,
    task: recording.task.slice(0, LONGEST_TASK),
    operator: recording.operator.slice(0, LONGEST_NAME),
    ended_early: endedEarly.slice(0, LONGEST_TASK),
    problem: problem.slice(0, LONGEST_TASK),
    arms: arms.slice(0, 16).map(brief),
    topics: fitting(
      topics
        .slice(0, MOST_TOPICS)
        .map(({ name, type, messages }) => ({ name: brief(name), type: brief(type), messages })),
      FACTS_SIZE,
    ),
  };
}

/** Byte range of a Range header; null: the whole file. @throws {HttpProblem} 416 */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start <= end) return { start, end };
  throw new HttpProblem(416, `The file has ${size} bytes.`, { 'content-range': `bytes */${size}` });
}

async function sendFile(
  path: string,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { size } = await stat(path).catch(() => {
    throw new HttpProblem(404, 'The recording has just been deleted.');
  });
  const range = rangeOf(request.raw.headers.range, size);
  const { start, end } = range ?? { start: 0, end: size - 1 };
  reply.headers({
    'content-type': MCAP,
    'content-length': String(end - start + 1),
    'content-disposition': `attachment; filename="${name}.mcap"`,
    'accept-ranges': 'bytes',
    ...(range === null ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  // For HEAD Fastify reads the body to its end, and drops it.
  const isHead = request.method === 'HEAD';
  const body = isHead ? Readable.from([]) : createReadStream(path, { start, end: Math.max(start, end) });
  return reply.code(range === null ? 200 : 206).send(body);
}

/**
 * Writes an upload to a file. The file is removed if the upload does not have the announced size.
 * @throws {HttpProblem} 400
 */
async function receive(body: Readable | null | undefined, path: string, size: number): Promise<void> {
  // Fastify passes no stream for an empty body.
  if (body == null) {
    await rm(path, { force: true });
    throw new HttpProblem(400, 'The file is empty: send an MCAP file.');
  }
  let arrived = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      arrived += chunk.length;
      if (arrived > size) break;
      yield chunk;
    }
  };
  const file = createWriteStream(path, { flags: 'r+' });
  const refused = new Promise<never>((_, reject) => file.once('error', reject));
  refused.catch(() => {});
  try {
    await Promise.race([pipeline(body, counted, file), refused]);
  } catch {
    await rm(path, { force: true });
    throw new HttpProblem(400, 'The file did not arrive completely: send it again.');
  }
  if (arrived === size) return;
  await rm(path, { force: true });
  throw new HttpProblem(400, 'The file did not arrive completely: send it again.');
}

export const recordingsRoutes = [
  route({
    method: 'GET',
    path: '/api/v1/recordings',
    access: 'read',
    id: 'recordings',
    tag: 'recordings',
    summary: 'List the recordings',
    description:
      'The newest first, with the room that is left for more. Those that cannot be read, which says `problem`, count by the time of their file.',
    target: 'none',
    query: {
      limit: queryInteger({ min: 1, max: MOST_LISTED }).prefault(20).describe('Most recordings in the answer.'),
      offset: queryInteger({ min: 0, max: 1_000_000 })
        .prefault(0)
        .describe('Number of newer recordings to leave out: to page on, add the length of each answer.'),
      dataset: NAME.optional().describe('Only recordings of this dataset.'),
    },
    answer: {
      description: 'Recordings and room.',
      schema: recordingList,
      example: {
        recordings: [ENTRY],
        total: 1,
        datasets: ['pick'],
        folder: '/home/lab/.local/share/arm-bridge/recordings',
        used: 5_121_300,
        quota: 1_000_000_000,
        free: 52_000_000_000,
        warning: '',
      },
    },
    refusals: {},
    handler: async ({ services }, { query }) => {
      const { dataset = null, offset, limit } = query;
      const { recordings, datasets, ...rest } = await services.recordings.list({ dataset, offset, limit });
      const around = { ...rest, datasets: datasets.slice(0, MOST_DATASETS) };
      const entries = recordings.map((recording) => {
        const { topics: _topics, path: _path, ...entry } = shown(recording);
        return entry;
      });
      return { ...around, recordings: fitting(entries, sizeOf(around)) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/recordings/{name}',
    access: 'read',
    id: 'recording',
    tag: 'recordings',
    summary: 'Facts of a recording',
    description: 'Facts of the recording, with its topics.',
    target: 'recording',
    answer: { description: 'Its facts.', schema: recordingFacts, example: FACTS },
    refusals: { 404: NONE },
    statuses: MISSING,
    handler: async ({ services }, { recording }) => shown(await services.recordings.facts(recording)),
  }),
  route({
    method: 'GET',
    path: '/api/v1/recordings/{name}/samples',
    access: 'read',
    id: 'recording_samples',
    tag: 'recordings',
    summary: "Read a recorded arm's joints as curves",
    description:
      'Samples at even distances, each as it was recorded; for more of a part ask for that part. Fewer than were asked for ' +
      'where the arm has many joints: an answer has less than 64 kB.',
    target: 'recording',
    query: {
      source: word(LONGEST_NAME).optional().describe('Name of the recorded arm; left out: the one that comes first.'),
      begin: queryNumber({ min: 0, max: LONGEST }).prefault(0).describe('Seconds after the first message.'),
      end: queryNumber({ min: 0, max: LONGEST })
        .optional()
        .describe('End of the part, in seconds after the first message; left out: the end of the recording.'),
      points: queryInteger({ min: 1, max: MOST_POINTS }).prefault(300).describe('Most samples in the answer.'),
    },
    answer: {
      description: 'What the joints did.',
      schema: recordingSamples,
      example: {
        source: 'follower',
        joints: ['shoulder_pan', 'shoulder_lift'],
        duration: 12.4,
        times: [0, 6.2],
        positions: [
          [0.1012, 0.4034],
          [-0.5001, 0.1021],
        ],
        goals: [
          [null, 0.4],
          [null, 0.1],
        ],
        external: [
          [null, 0.02],
          [null, 0.31],
        ],
      },
    },
    refusals: { 404: 'There is no recording of this name, it cannot be read, or it has no such arm.' },
    statuses: { ...MISSING, bad_request: 404 },
    handler: async ({ services }, { recording, query }) => {
      const { source = null, end = null, begin, points } = query;
      const wanted = { name: recording, source, begin, end, points };
      const { joints, times, positions, goals, external, ...rest } = await services.recordings.samples(wanted);
      return {
        ...rest,
        joints: joints.map((joint) => joint.slice(0, 2 * LONGEST_NAME)),
        times: times.map(short),
        positions: rows(positions),
        goals: rows(goals),
        external: rows(external),
      };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/recordings/{name}/replay',
    access: 'read',
    id: 'recording_foresee',
    tag: 'recordings',
    summary: 'Predict a replay',
    description:
      'What an arm would do of a recording, and what of it that arm cannot reach: of another model above all. Nothing moves. ' +
      'The moments lie at even distances; `refusal` goes by each sample, as a replay does.',
    target: 'recording',
    query: {
      robot_id: queryInteger().prefault(0).describe('Id of the arm that would replay it.'),
      arm: NAMED_ARM,
      source: word(LONGEST_NAME)
        .optional()
        .describe('The recorded arm that would be followed; left out: the one of the same name, or the first.'),
      points: queryInteger({ min: 1, max: MOST_POINTS }).prefault(300).describe('Most samples in the answer.'),
    },
    answer: {
      description: 'What would be.',
      schema: recordingForeseen,
      example: {
        source: 'leader',
        duration: 12.4,
        times: [0, 6.2],
        positions: [
          [0.1012, 0.4034],
          [-0.5001, 1.7453],
        ],
        unreached: [
          {
            begin: 6.2,
            end: 6.2,
            text: 'shoulder_lift would go to 1.90 rad, beyond its limits of -1.75 to 1.75 rad',
          },
        ],
        refusal:
          'Arm follower cannot replay "pick-3": shoulder_lift goes to 1.801 rad after 6.02 s. Nothing has moved.',
      },
    },
    refusals: {
      400: 'The arm is unknown or disconnected, or has no joints that were recorded.',
      404: NONE,
    },
    statuses: MISSING,
    handler: async ({ services }, { recording, query }) => {
      const { source = null, points } = query;
      const { times, positions, unreached, ...rest } = await services.recordings.foresee(
        armById(services, idNamed(services, query)!),
        recording,
        source,
        points,
      );
      return {
        ...rest,
        times: times.map(short),
        positions: rows(positions),
        unreached: unreached.map(({ begin, end, text }) => ({ begin: short(begin), end: short(end), text })),
      };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/recordings/{name}/trim',
    access: 'control',
    act: 'recording',
    id: 'recording_trim',
    tag: 'recordings',
    summary: 'Make a part of a recording one of its own',
    description:
      'In the same dataset, with the same task, operator and verdict. The recording itself stays until it is deleted.',
    target: 'recording',
    body: { schema: recordingTrim, example: { begin: 1.2, end: 9.5, name: 'pick-3-short' } },
    answer: {
      description: 'The new recording.',
      schema: recordingAnswer,
      example: { ...ok('pick-3-short has been made'), recording: { ...FACTS, name: 'pick-3-short', duration: 8.3 } },
    },
    refusals: {
      400: 'That is no part of it, the name is taken, or there is no room.',
      404: NONE,
    },
    statuses: MISSING,
    handler: async ({ services }, { recording, body }) => {
      const { begin, end, name: to } = body;
      const made = await services.recordings.trim({ name: recording, to, begin, end });
      return { ...ok(`${made.name} has been made`), recording: shown(made) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/recordings/{name}/file',
    access: 'read',
    id: 'recording_download',
    tag: 'recordings',
    summary: 'Download a recording',
    description:
      'Its MCAP file, or one range of its bytes (`Range`, answered with 206). Of a recording that could not be saved, the bytes that were written.',
    target: 'recording',
    headers: { Range: 'One range of bytes: `bytes=0-1023`, `bytes=1024-` or `bytes=-1024`.' },
    answer: {
      description: 'The file.',
      media: MCAP,
      example: MAGIC,
      headers: { 'Accept-Ranges': '`bytes`.' },
      part: { description: 'The bytes asked for.', headers: { 'Content-Range': 'Which bytes of how many.' } },
    },
    refusals: { 404: NONE, 416: 'The file has no such bytes.' },
    statuses: MISSING,
    handler: async ({ services }, { recording, request }, reply) => {
      const { path, name } = await services.recordings.facts(recording);
      return sendFile(path, name, request, reply);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/recordings/{name}/file',
    access: 'control',
    act: 'recording',
    id: 'recording_upload',
    tag: 'recordings',
    summary: 'Upload a recording',
    description: `Of at most ${MOST_RECEIVED / 1024 / 1024} MiB, whose length the request says (Content-Length). It is kept when it is an MCAP file with joint states.`,
    target: 'recording',
    file: { description: 'An MCAP file.', media: MCAP, most: MOST_RECEIVED, example: MAGIC },
    answer: {
      description: 'It can be replayed.',
      schema: recordingAnswer,
      example: {
        ...ok('wave has been received'),
        recording: { ...FACTS, name: 'wave', dataset: null, content: 'joints' },
      },
    },
    refusals: {
      400: 'The name is taken, the file is no recording or did not arrive whole, or there is no room.',
      404: 'This is no name of a recording.',
      411: 'The request does not say how long the file is.',
      413: 'The file is too large.',
    },
    handler: async ({ services }, { recording, request }) => {
      const length = request.raw.headers['content-length'];
      const size = Number(length);
      if (length === undefined || !Number.isSafeInteger(size)) {
        throw new HttpProblem(411, 'The request does not say how long the file is: send Content-Length.', {
          connection: 'close',
        });
      }
      if (size > MOST_RECEIVED) {
        const most = MOST_RECEIVED / 1024 / 1024;
        const remedy = 'put it into the folder of the recordings';
        throw new HttpProblem(413, `The file is larger than ${most} MiB: ${remedy}.`, { connection: 'close' });
      }
      const path = await services.recordings.receive(recording, size);
      await receive(request.body as Readable | null | undefined, path, size);
      return { ...ok('It has been received'), recording: shown(await services.recordings.accept(recording)) };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/recordings/{name}',
    access: 'control',
    act: 'recording',
    id: 'recording_change',
    tag: 'recordings',
    summary: 'Rename a recording, or say what it shows',
    description: 'What is left out stays as it is. Task, operator and verdict are those of episodes.',
    target: 'recording',
    body: { schema: recordingChange, example: { verdict: 'bad' } },
    answer: {
      description: 'It is changed.',
      schema: recordingAnswer,
      example: { ...ok(), recording: { ...FACTS, verdict: 'bad' as const } },
    },
    refusals: { 400: 'It is no episode or could not be saved, or the new name is taken.', 404: NONE },
    statuses: MISSING,
    handler: async ({ services }, { recording, body }) => {
      const { name, ...said } = body;
      const told = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
      let changed = await services.recordings.facts(recording);
      if (Object.keys(told).length > 0) changed = await services.recordings.label(recording, told);
      if (name !== undefined && name !== recording) changed = await services.recordings.rename(recording, name);
      return { ...ok(), recording: shown(changed) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/recordings/{name}',
    access: 'control',
    act: 'recording',
    id: 'recording_delete',
    tag: 'recordings',
    summary: 'Delete a recording',
    description: 'Its file, or the folder of its episode.',
    target: 'recording',
    answer: statusAnswer('It has been deleted'),
    refusals: { 400: 'It is being recorded.', 404: NONE },
    statuses: MISSING,
    handler: async ({ services }, { recording }) => {
      await services.recordings.remove(recording);
      return ok('It has been deleted');
    },
  }),
];
