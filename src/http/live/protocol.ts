import { z } from 'zod';

/** What a client can watch. */
export const TOPICS = ['arms', 'pairs', 'loop', 'log'] as const;
export type Topic = (typeof TOPICS)[number];

/** Frames per second. */
export const MIN_RATE = 1;
export const MAX_RATE = 100;
export const DEFAULT_RATE = 20;

const numbers = z.tuple([z.number(), z.number(), z.number()]);

/** What a client says on the live stream: what it watches, how fast an arm is to move, and that all arms stop. */
export const clientMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('subscribe'),
    topics: z.array(z.enum(TOPICS)).max(TOPICS.length).optional(),
    rate: z.number().min(MIN_RATE).max(MAX_RATE).optional(),
  }),
  z.object({
    type: z.literal('jog'),
    arm: z.int(),
    joints: z.record(z.string(), z.number()).optional(),
    twist: z.object({ linear: numbers, angular: numbers, frame: z.enum(['base', 'tool']).default('base') }).optional(),
  }),
  z.object({ type: z.literal('stop') }),
]);
export type ClientMessage = z.output<typeof clientMessage>;
export type JogMessage = Extract<ClientMessage, { type: 'jog' }>;

/** Whether a text is a stop as clients write it, which no limit may hold up; told without reading it. */
export function isStopMessage(text: string): boolean {
  return /^\s*{\s*"type"\s*:\s*"stop"\s*}\s*$/.test(text);
}

/**
 * Reads a message of a client.
 * @returns the message, or why it is none, for people
 */
export function readMessage(text: string): ClientMessage | { readonly fault: string } {
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    return { fault: 'this is no JSON' };
  }
  const result = clientMessage.safeParse(sent);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  return { fault: `${issue!.path.join('.') || 'message'}: ${issue!.message}` };
}
