import { z } from 'zod';
import type { Ask } from '../../arm/arm.ts';
import { type Arm, BridgeError } from '../../arm/types.ts';
import { type Neighbour, NeighbourRefusal } from '../../fleet/neighbour.ts';
import type { BridgeOverview } from '../../fleet/overview.ts';
import { likelySilence, type PairEnd, refusalOfPair } from '../../fleet/pair-check.ts';
import { DEFAULT_GRAVITY } from '../../mirror/mirroring.ts';
import type { GuestArm } from '../../roster.ts';
import { LONGEST_NAME } from '../../sizes.ts';
import { asking } from '../callers.ts';
import { HttpProblem, inWords } from '../errors.ts';
import { asModel, boolean, components, LONGEST_PATH, word } from '../fields.ts';
import { moving, route, takeOver } from '../route.ts';
import { failed, ok, statusAnswer } from '../schemas.ts';
import { armNamed, type HttpServices } from '../services.ts';
import { overviewOf } from './fleet.ts';
import { forceFeedback } from './mirror.ts';

const floating = boolean()
  .prefault(false)
  .describe('The leader holds its own weight and yields to the hand; else it goes limp.');
const armOfBridge = word(LONGEST_NAME).describe('Name of the arm.');

const guestArm = z
  .object(
    {
      model: word(LONGEST_NAME).describe('Folder below robots/.'),
      variant: word(LONGEST_NAME).describe('Build of the model.'),
    },
    asModel,
  )
  .register(components, { id: 'GuestArm' });

const pairStart = z
  .object(
    {
      leader: armOfBridge,
      follower: armOfBridge,
      guest: guestArm
        .nullable()
        .prefault(null)
        .describe(
          'What the follower is, where another machine owns its bus and this configuration need not know it: it is found on ' +
            'the ROS 2 graph, and is here as long as the pair runs. Null: an arm of this bridge.',
        ),
      enable_gravity_compensation: floating,
      force_feedback: forceFeedback.optional(),
    },
    asModel,
  )
  .register(components, { id: 'PairStartRequest' });
type PairStart = z.output<typeof pairStart>;

const pairEnd = z.object({ follower: armOfBridge }, asModel).register(components, { id: 'PairEndRequest' });

const bridgeUrl = word(LONGEST_PATH)
  .nullable()
  .prefault(null)
  .describe('`url` of the bridge, as GET /api/v1/bridges tells it; null: this one.');

const bridgeArm = z.object({ bridge: bridgeUrl, arm: armOfBridge }, asModel).register(components, { id: 'BridgeArm' });

const bridgesPairStart = z
  .object(
    {
      leader: bridgeArm,
      follower: bridgeArm,
      enable_gravity_compensation: floating,
      force_feedback: forceFeedback.optional(),
    },
    asModel,
  )
  .register(components, { id: 'BridgesPairStartRequest' });

const bridgesPairEnd = z
  .object(
    { bridge: bridgeUrl.describe('`url` of the bridge that has the leader; null: this one.'), follower: armOfBridge },
    asModel,
  )
  .register(components, { id: 'BridgesPairEndRequest' });

type Asking = Parameters<typeof asking>;

/** A request to each of its arms, numbered before other machines are waited for. */
type Asks = ReadonlyMap<Arm, Ask>;

/**
 * Numbers a request for those of its arms that this bridge has. A stop voids it while another machine is waited for, even
 * if the arms have been reset since: nobody expects them to move any more.
 */
function asksOf({ arms }: HttpServices, names: readonly string[]): Asks {
  const own = names.flatMap((name) => arms.byName(name) ?? []);
  return new Map(own.map((arm) => [arm, arm.ask()]));
}

/** Starts a pair of this bridge. @throws {BridgeError, HttpProblem} */
async function startHere(
  services: HttpServices,
  start: PairStart,
  asks: Asks,
  ...[request, meaning]: Asking
): Promise<void> {
  const leader = armNamed(services, start.leader);
  const gravity = start.enable_gravity_compensation ? DEFAULT_GRAVITY : null;
  const feedback = start.force_feedback === undefined ? {} : { forceFeedback: start.force_feedback };
  const begin = (follower: { readonly id: number }): Promise<void> =>
    services.mirror.start(
      { pairs: [{ leader: leader.id, follower: follower.id }], gravity, invert: false, ...feedback },
      asking(request, meaning),
      asks,
    );
  if (start.guest === null) return begin(armNamed(services, start.follower));
  const guest: GuestArm = { name: start.follower, ...start.guest };
  return services.connections.withGuest(guest, begin);
}

async function endHere(services: HttpServices, follower: string, ...[request, meaning]: Asking): Promise<boolean> {
  return services.mirror.stop(asking(request, meaning), 'lower', armNamed(services, follower));
}

/** The bridge at a URL; null: this one. @throws {HttpProblem} 400 if no bridge is known there */
function neighbourAt({ fleet }: HttpServices, url: string | null): Neighbour | null {
  if (url === null) return null;
  const found = fleet.at(url);
  if (found !== null) return found;
  throw new HttpProblem(400, `No bridge of this laboratory is at ${url}: GET /api/v1/bridges tells which there are.`);
}

/** Current overview of a bridge. @throws {HttpProblem} 503 if it does not answer */
async function overviewAt(services: HttpServices, neighbour: Neighbour | null): Promise<BridgeOverview> {
  if (neighbour === null) return overviewOf(services);
  await neighbour.look();
  const { state, reason, overview, url } = neighbour;
  if (state === 'answers') return overview!;
  const name = overview?.name ?? url;
  throw new HttpProblem(503, `${name} does not report the state of its arms${reason === '' ? '' : `: ${reason}`}.`);
}

/**
 * Sends a command to another bridge.
 * @param silence hint that is appended if that bridge calls an arm disconnected
 * @throws {HttpProblem} 400 with its message
 */
async function told(neighbour: Neighbour, path: string, order: object, silence = ''): ReturnType<Neighbour['command']> {
  try {
    return await neighbour.command(path, order);
  } catch (error) {
    if (!(error instanceof NeighbourRefusal)) throw error;
    const text = `${error.message}${error.code === 'disconnected' ? silence : ''}`;
    // Other remedies only make sense on the page of that bridge.
    const remedy = error.remedy === 'take_over' ? 'take_over' : null;
    throw new HttpProblem(400, text, {}, { code: 'bad_pair', remedy });
  }
}

/** Appends the true options of the request's query to `path`. */
const withMeaning = (path: string, meaning: Asking[1]): string => {
  const said = Object.entries(meaning).filter(([, value]) => value === true);
  return said.length === 0 ? path : `${path}?${said.map(([name]) => `${name}=true`).join('&')}`;
};

const starting = {
  method: 'POST',
  access: 'control',
  act: 'mirroring',
  tag: 'control',
  target: 'none',
  statuses: { stopped: 400, unsupported: 400 },
} as const;
const ended = (wasRunning: boolean) =>
  wasRunning ? ok('The pair has ended: its follower holds.') : failed('No such pair runs.');

export const pairRoutes = [
  route({
    ...starting,
    path: '/api/v1/pairs/start',
    id: 'pairs_start',
    summary: 'Start one pair',
    description:
      'Beside those that run. Its follower may be an arm of another machine: then it is as if the configuration named that arm ' +
      'with `bus: ros`, as long as the pair runs.',
    query: moving,
    body: { schema: pairStart, example: { leader: 'leader', follower: 'follower' } },
    answer: statusAnswer('leader leads follower.'),
    refusals: {
      400: 'The pair cannot be set up, an arm is unknown or mirrors already, or nothing is heard of the arm of another machine.',
      409: 'Somebody else drives one of the arms.',
    },
    handler: async ({ services }, { query, body, request }) => {
      // A guest that a pair here has just left is disconnected first, which voids what was asked of it.
      const asks = asksOf(services, body.guest === null ? [body.leader, body.follower] : [body.leader]);
      await startHere(services, body, asks, request, query);
      return ok(`${body.leader} leads ${body.follower}.`);
    },
  }),
  route({
    ...starting,
    path: '/api/v1/pairs/end',
    id: 'pairs_end',
    summary: 'End one pair',
    description: 'Its follower holds. A leader that floated for it alone is lowered and released.',
    query: { take_over: takeOver },
    body: { schema: pairEnd, example: { follower: 'follower' } },
    answer: statusAnswer('The pair has ended: its follower holds.'),
    refusals: { 400: 'The arm is unknown.' },
    handler: async ({ services }, { query, body, request }) =>
      ended(await endHere(services, body.follower, request, query)),
  }),
  route({
    ...starting,
    path: '/api/v1/bridges/pairs/start',
    id: 'bridges_pairs_start',
    summary: 'Start a pair of any two arms of the laboratory',
    description:
      'The bridge of the leader carries it out, and brings it to the bridge of the follower over ROS 2. What their bridges say ' +
      'against it is told before anything begins. The token of the other bridges (`fleet.token_file`) has to be one that may control.',
    query: moving,
    body: {
      schema: bridgesPairStart,
      example: { leader: { arm: 'leader' }, follower: { arm: 'follower' } },
    },
    answer: statusAnswer('leader of bench-1 leads follower of bench-2.'),
    refusals: {
      400: 'The pair cannot be set up: the words are those of the bridge that refuses it.',
      409: 'Somebody else drives one of the arms.',
      503: 'One of the bridges does not answer.',
    },
    handler: async ({ services }, { query, body, request }) => {
      const own = [body.leader, body.follower].flatMap(({ bridge, arm }) => (bridge === null ? [arm] : []));
      const asks = asksOf(services, own);
      const [leading, following] = [body.leader, body.follower].map(({ bridge }) => neighbourAt(services, bridge));
      const [led, followed] = await Promise.all([overviewAt(services, leading!), overviewAt(services, following!)]);
      const leader: PairEnd = { bridge: led, arm: body.leader.arm };
      const follower: PairEnd = { bridge: followed, arm: body.follower.arm };
      const others = services.fleet.neighbours.flatMap(({ state, overview }) =>
        overview !== null && state === 'answers' ? [overview] : [],
      );
      const refused = refusalOfPair(leader, follower, [overviewOf(services), ...others]);
      if (refused !== null) throw new HttpProblem(400, refused, {}, { code: 'bad_pair', remedy: null });
      const apart = led.id !== followed.id;
      const { model, variant } = followed.arms.find(({ name }) => name === follower.arm)!;
      const start: PairStart = {
        leader: leader.arm,
        follower: follower.arm,
        guest: apart ? { model, variant } : null,
        enable_gravity_compensation: body.enable_gravity_compensation,
        ...(body.force_feedback === undefined ? {} : { force_feedback: body.force_feedback }),
      };
      const silence = apart ? likelySilence(led, followed) : '';
      if (leading === null) {
        await startHere(services, start, asks, request, query).catch((error: unknown) => {
          if (!(error instanceof BridgeError) || error.code !== 'disconnected') throw error;
          throw new HttpProblem(400, `${inWords(error)}${silence}`, {}, error);
        });
      } else {
        for (const [arm, ask] of asks) arm.requireWanted(ask);
        await told(leading!, withMeaning('/api/v1/pairs/start', query), start, silence);
      }
      return ok(`${leader.arm} of ${led.name} leads ${follower.arm} of ${followed.name}.`);
    },
  }),
  route({
    ...starting,
    path: '/api/v1/bridges/pairs/end',
    id: 'bridges_pairs_end',
    summary: 'End a pair of any bridge',
    description: 'As `POST /api/v1/pairs/end` of the bridge that has the leader.',
    query: { take_over: takeOver },
    body: { schema: bridgesPairEnd, example: { follower: 'follower' } },
    answer: statusAnswer('The pair has ended: its follower holds.'),
    refusals: { 400: 'The arm or the bridge is unknown, or the bridge refuses.' },
    handler: async ({ services }, { query, body, request }) => {
      const { follower } = body;
      const neighbour = neighbourAt(services, body.bridge);
      if (neighbour === null) return ended(await endHere(services, follower, request, query));
      const { ok: hasEnded, message } = await told(neighbour, withMeaning('/api/v1/pairs/end', query), { follower });
      return hasEnded ? ok(message) : failed(message);
    },
  }),
];
