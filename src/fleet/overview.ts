import { z } from 'zod';

/** Most other bridges of a laboratory, and most arms of each. */
export const MOST_BRIDGES = 32;
const MOST_ARMS = 16;
/** Most pairs of a bridge, running and ended. */
const MOST_PAIRS = 32;
const NAME = z.string().max(64);
const WORDS = z.string().max(400);

/** The state that bridges report to each other: their arms, with owners and faults. */
export const bridgeOverview = z.object({
  id: z.string().max(64).describe('Of this run of the bridge: two addresses with the same id are one bridge.'),
  name: NAME.describe('As `fleet.name` says, or that of the computer.'),
  version: z.string().max(32),
  stop_port: z.int().nullable().describe('Port that hears stops alone; null: none.'),
  trouble: WORDS.describe('Why the control loop is late; empty when it keeps up.'),
  ros: z
    .object({
      reason: WORDS.describe('Why ROS 2 is off; empty when it is on.'),
      graph: z
        .object({
          domain: z.int().describe('ROS_DOMAIN_ID'),
          namespace: z.string().max(256).describe('Below which its arms are.'),
          commands: z.boolean().describe('Other nodes may drive its arms.'),
          network: z.boolean().describe('Other machines find it.'),
        })
        .nullable()
        .describe('Null while it is off.'),
    })
    .describe('By which pairs go from bridge to bridge.'),
  pairs: z
    .array(
      z.object({
        leader: NAME,
        follower: NAME.describe('Of this bridge, or of another one.'),
        state: z.string().max(32).describe('As in `GET /api/v1/pairs`; idle: it has ended.'),
        reason: WORDS.describe('Why it has ended or holds, or why the follower stays behind.'),
      }),
    )
    .max(MOST_PAIRS)
    .describe('Pairs that this bridge carries out, and how those ended that it has carried out last.'),
  arms: z
    .array(
      z.object({
        name: NAME,
        model: NAME.describe('Folder below robots/.'),
        variant: NAME.describe('Build of the model.'),
        title: NAME.describe('Of its model.'),
        simulated: z.boolean(),
        remote: z.boolean().describe('Another machine owns its bus.'),
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

/** Largest overview, bytes of JSON: two of them fit into one answer. */
const MOST_BYTES = 30 * 1024;
/** Characters that texts keep in an overview that would be larger. */
const FEW_WORDS = 100;

const tooLarge = (overview: BridgeOverview): boolean => Buffer.byteLength(JSON.stringify(overview)) > MOST_BYTES;

/** The overview, with shorter reasons if it would be too large; null if it is too large even so. */
export function bounded(overview: BridgeOverview): BridgeOverview | null {
  if (!tooLarge(overview)) return overview;
  const brief = (text: string): string => text.slice(0, FEW_WORDS);
  const { trouble, ros, pairs, arms } = overview;
  const short = {
    ...overview,
    trouble: brief(trouble),
    ros: { ...ros, reason: brief(ros.reason) },
    pairs: pairs.map((pair) => ({ ...pair, reason: brief(pair.reason) })),
    arms: arms.map((arm) => ({ ...arm, reason: brief(arm.reason), doubt: brief(arm.doubt) })),
  };
  return tooLarge(short) ? null : short;
}
