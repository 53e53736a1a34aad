import { z } from 'zod';

/** Bridges of a laboratory besides this one at most, and arms of each. */
export const MOST_BRIDGES = 32;
const MOST_ARMS = 16;
const NAME = z.string().max(64);
const WORDS = z.string().max(400);

/** What bridges tell each other: their arms, with who has them and what is wrong with them. */
export const bridgeOverview = z.object({
  id: z.string().max(64).describe('Of this run of the bridge: two addresses with the same id are one bridge.'),
  name: NAME.describe('As `fleet.name` says, or that of the computer.'),
  version: z.string().max(32),
  stop_port: z.int().nullable().describe('Port that hears stops alone; null: none.'),
  trouble: WORDS.describe('Why the control loop is late; empty when it keeps up.'),
  arms: z
    .array(
      z.object({
        name: NAME,
        title: NAME.describe('Of its model.'),
        simulated: z.boolean(),
        state: z.string().max(32).describe('As in `GET /status`.'),
        torque: z.boolean(),
        owner: z.string().max(128).nullable().describe('Who has the arm; null when it is free.'),
        owner_since: z.number().nullable().describe('Since when, seconds since the epoch.'),
        reason: WORDS.describe('Why it is disconnected or stopped; empty otherwise.'),
        doubt: WORDS.describe('Why its angles may be wrong; empty otherwise.'),
      }),
    )
    .max(MOST_ARMS),
});
export type BridgeOverview = z.output<typeof bridgeOverview>;
