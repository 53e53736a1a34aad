import { z } from 'zod';
import type { Arm, Caller } from '../arm/types.ts';
import { type Chunk, type ChunkOutcome, LONGEST_CHUNK, MOST_POINTS } from '../motion/chunk-service.ts';
import { LONGEST_NAME, MOST_JOINTS } from '../sizes.ts';
import { list, number, table, word } from './fields.ts';
import type { Parts } from './route.ts';

/** No clock shows more than this, seconds since the epoch: an age stays a number that JSON can express. */
const LATEST = 1e12;

/** Request fields of a chunk, for HTTP and the live stream. */
export const chunkFields = {
  joints: list(word(LONGEST_NAME), { min: 1, max: MOST_JOINTS })
    .optional()
    .describe('Joints by name, one per column of positions; left out: all of the arm in their order.'),
  positions: table({ rows: { min: 1, max: MOST_POINTS }, columns: { min: 1, max: MOST_JOINTS } }).describe(
    'One row per point, one number per joint, rad.',
  ),
  times: list(number({ min: 0, max: LONGEST_CHUNK }), { min: 1, max: MOST_POINTS }).describe(
    'When each point is due, s after `observed`; increasing.',
  ),
  observed: number({ min: 0, max: LATEST })
    .nullable()
    .prefault(null)
    .describe(
      'When the observation was made, seconds since the epoch by the bridge’s clock: `sampled` of the arm’s state. Null: times ' +
        'count from the arrival of the chunk.',
    ),
  latency: number({ above: 0, max: 10 })
    .prefault(2)
    .describe('Most time from `observed` to the arrival, s: an older chunk is skipped as a whole.'),
  blend: number({ min: 0, max: 5 })
    .prefault(0.2)
    .describe('Least time in which it takes over from what runs, s; longer where half of the arm’s limits need it.'),
  dead_man: number({ min: 0.1, max: 30 })
    .prefault(5)
    .describe('Without a newer chunk for this long the arm comes to rest and holds, s.'),
};

export const chunkOutcomeFields = {
  motion: z
    .string()
    .nullable()
    .describe('Id of the motion that follows the chunks; null when this one is skipped as a whole.'),
  age: z.number().describe('From the observation to the arrival, s.'),
  kept: z.int().describe('Points that are followed.'),
  skipped: z.int().describe('Points whose time had passed.'),
  begins: z.number().describe('From now to the first kept point, s.'),
  ends: z.number().describe('From now to the last point, s: the next chunk is to come before.'),
  slowed: z.array(z.string()).max(MOST_JOINTS).describe('Joints that cannot be so fast: they come later.'),
  message: z.string().nullable().describe('Why it is skipped as a whole; null when it is not.'),
};

type ChunkBody = z.output<z.ZodObject<typeof chunkFields>>;

/**
 * Passes a client's chunk to the motion.
 * @param sender the motion ends when this sender does; null: the motion may outlive its sender
 * @throws {BridgeError} as `ChunkService.take`
 */
export async function takeChunk(
  { services, motions }: Parts,
  arm: Arm,
  { joints, dead_man: deadMan, ...rest }: ChunkBody,
  caller: Caller,
  sender: unknown,
): Promise<ChunkOutcome> {
  const chunk: Chunk = { ...rest, joints: joints ?? null, deadMan };
  const outcome = await services.chunks.take(arm, chunk, caller, sender, async (work) => {
    const { id } = await motions.start(arm, 'chunks', caller, work);
    return id;
  });
  const { age, begins, ends } = outcome;
  return { ...outcome, age: rounded(age), begins: rounded(begins), ends: rounded(ends) };
}

/** Rounds to 1 µs. */
function rounded(time: number): number {
  return Math.round(time * 1e6) / 1e6;
}
