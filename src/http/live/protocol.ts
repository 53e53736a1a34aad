import { z } from 'zod';
import { SCOPES } from '../../named-tokens.ts';
import { MOST_JOINTS } from '../../sizes.ts';
import { MOST_ASKS } from '../asks.ts';
import { chunkFields, chunkOutcomeFields } from '../chunks.ts';
import { HttpProblem } from '../errors.ts';
import { asModel, boolean, components, integer, list, map, number, oneOf } from '../fields.ts';
import { outcome } from '../schemas.ts';
import { readMessage } from '../validation.ts';
import {
  armAsk,
  armFacts,
  armState,
  journalEvent,
  logLine,
  loopState,
  mirrorState,
  objectPose,
  rosState,
} from '../views.ts';

/** Topics of the live stream. */
export const TOPICS = ['arms', 'objects', 'pairs', 'loop', 'log', 'events', 'asks'] as const;
export type Topic = (typeof TOPICS)[number];

/** Frames per second. */
export const MIN_RATE = 1;
export const MAX_RATE = 200;
export const DEFAULT_RATE = 20;
/** Most log lines in one frame. */
export const LOG_LINES = 100;
/** Most journal entries in one frame. */
export const MOST_EVENTS = 100;

const t = z.number().describe('Time of the frame, seconds since the epoch.');

/** First message to a client. */
export const hello = z
  .object({
    type: z.literal('hello'),
    version: z.string().describe('Version of the bridge.'),
    scopes: z.array(z.enum(SCOPES)).describe('What this client may do.'),
    client: z.string().describe('Name by which others see this client.'),
    arms: z.array(armFacts),
  })
  .describe('First, and again when an arm is added or others call this client by another name.')
  .register(components, { id: 'LiveHello' });

export const frames = {
  arms: z.object({ type: z.literal('arms'), t, arms: z.array(armState) }).register(components, { id: 'LiveArms' }),
  objects: z
    .object({
      type: z.literal('objects'),
      t,
      objects: z.array(objectPose).describe('What stands before simulated arms; GET /sim/objects says what it is.'),
    })
    .register(components, { id: 'LiveObjects' }),
  pairs: z.object({ type: z.literal('pairs'), t, ...mirrorState.shape }).register(components, { id: 'LivePairs' }),
  loop: z
    .object({ type: z.literal('loop'), t, ...loopState.shape, ros: rosState })
    .register(components, { id: 'LiveLoop' }),
  log: z
    .object({
      type: z.literal('log'),
      t,
      lines: z.array(logLine).max(LOG_LINES).describe('Since the last frame; the first has the newest hundred.'),
    })
    .register(components, { id: 'LiveLog' }),
  events: z
    .object({
      type: z.literal('events'),
      t,
      events: z
        .array(journalEvent)
        .max(MOST_EVENTS)
        .describe('New or changed since the last frame, the newest first; the first frame has the newest hundred.'),
    })
    .register(components, { id: 'LiveEvents' }),
  asks: z
    .object({
      type: z.literal('asks'),
      t,
      asks: z.array(armAsk).max(MOST_ASKS).describe('All that are open, and what became of others in the last minute.'),
    })
    .register(components, { id: 'LiveAsks' }),
} as const satisfies Record<Topic, z.ZodType>;

const liveFrame = z
  .discriminatedUnion('type', [
    hello,
    frames.arms,
    frames.objects,
    frames.pairs,
    frames.loop,
    frames.log,
    frames.events,
    frames.asks,
  ])
  .register(components, { id: 'LiveFrame' });

const serverSentEvent = z
  .object({
    event: z.enum(['hello', ...TOPICS]).describe('Type of the frame.'),
    data: z.string().describe('The frame as JSON.'),
  })
  .register(components, { id: 'LiveServerSentEvent' });

/**
 * A union, because OpenAPI 3.1 does not say whether an event-stream schema describes the data or the event, and tools
 * differ.
 */
export const liveEvent = z
  .union([liveFrame, serverSentEvent])
  .describe('The frame that an event carries, as clients are given it, or the event itself.')
  .register(components, { id: 'LiveEvent' });

export const refusal = z
  .object({
    type: z.literal('refused'),
    request: z.string().describe('Type of the message that is not carried out, or unknown.'),
    reason: z.string(),
    arm: z.int().optional().describe('That was to be driven.'),
  })
  .register(components, { id: 'LiveRefusal' });

export const stopped = z
  .object({ type: z.literal('stop'), ...outcome })
  .describe('What has become of a stop.')
  .register(components, { id: 'LiveStopped' });

export const chunkAnswer = z
  .object({ type: z.literal('chunk'), arm: z.int().describe('Id of the arm.'), ...chunkOutcomeFields })
  .describe('What has become of a chunk.')
  .register(components, { id: 'LiveChunkOutcome' });

/** Messages from clients: subscriptions, jog speeds, joint goals, chunks, and stops. */
const subscribe = z
  .object({
    type: z.literal('subscribe'),
    topics: list(oneOf(TOPICS), { max: TOPICS.length }).optional().describe('Left out: all.'),
    rate: number({ min: MIN_RATE, max: MAX_RATE })
      .optional()
      .describe(
        `Frames of arms, and of objects that move, per second, ${DEFAULT_RATE} when left out; the others come at most 5 times a second.`,
      ),
  })
  .register(components, { id: 'LiveSubscribe' });

const direction = (description: string) => list(number(), { min: 3, max: 3 }).describe(description);
const twist = z
  .object({
    linear: direction('x y z, m/s'),
    angular: direction('About x y z, rad/s'),
    frame: oneOf(['base', 'tool']).prefault('base').describe('Whose axes these are.'),
  })
  .register(components, { id: 'LiveTwist' });

const jog = z
  .object({
    type: z.literal('jog'),
    arm: integer().describe('Id of the arm.'),
    joints: map(number(), { max: MOST_JOINTS })
      .optional()
      .describe('Speeds by joint name, rad/s; those that are left out do not move.'),
    twist: twist.optional().describe('Speed of the tool, in place of joints.'),
    uncalibrated: boolean()
      .optional()
      .describe('Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s.'),
  })
  .describe('The arm moves at these speeds for 0.2 s: send it again at least 10 times a second.')
  .register(components, { id: 'LiveJog' });
export type JogMessage = z.output<typeof jog>;

const chunk = z
  .object({
    type: z.literal('chunk'),
    arm: integer().describe('Id of the arm.'),
    ...chunkFields,
    take_over: boolean().optional().describe('Take the arm from whoever drives it.'),
    uncalibrated: boolean().optional().describe('Move it although it has no calibration: at no more than 0.3 rad/s.'),
  })
  .describe('As POST /api/v1/arms/{name}/chunks. When the connection closes the arm comes to rest and holds.')
  .register(components, { id: 'LiveChunk' });
export type ChunkMessage = z.output<typeof chunk>;
const joints = z
  .object({
    type: z.literal('joints'),
    arm: integer().describe('Id of the arm.'),
    positions: map(number(), { max: MOST_JOINTS }).describe(
      'Goals by joint name, rad; those that are left out keep theirs. One beyond a limit goes as far as the limit.',
    ),
    uncalibrated: boolean()
      .optional()
      .describe('Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s.'),
  })
  .describe(
    'The arm follows the newest goals, and holds when none have come for 0.2 s: send them at least 10 times a second.',
  )
  .register(components, { id: 'LiveJoints' });
export type JointsMessage = z.output<typeof joints>;

const stop = z
  .object({ type: z.literal('stop') })
  .describe('All arms stop, latched, as by POST /stop.')
  .register(components, { id: 'LiveStop' });

export const received = { subscribe, jog, joints, chunk, stop };

const clientMessage = z.discriminatedUnion('type', [subscribe, jog, joints, chunk, stop], {
  error: ({ code }) => (code === 'invalid_union' ? 'union_tag_invalid' : asModel.error()),
});
export type ClientMessage = z.output<typeof clientMessage>;

/**
 * Reads a message from a client.
 * @returns the message, or a human-readable fault
 */
export function readClientMessage(text: string): ClientMessage | { readonly fault: string } {
  try {
    return readMessage(text, clientMessage, 'standard');
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const first = typeof error.detail === 'string' ? undefined : error.detail[0]!;
    if (first === undefined || first.type === 'json_invalid') return { fault: 'this is no JSON' };
    return { fault: `${first.loc.slice(1).join('.') || 'message'}: ${first.msg}` };
  }
}
