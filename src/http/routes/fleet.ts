import { z } from 'zod';
import type { Fleet } from '../../fleet/fleet.ts';
import { NEIGHBOUR_STATES, type Neighbour } from '../../fleet/neighbour.ts';
import { bounded, bridgeOverview, MOST_BRIDGES } from '../../fleet/overview.ts';
import { fitting, sizeOf } from '../answer-size.ts';
import { originOf } from '../callers.ts';
import { components, queryInteger } from '../fields.ts';
import { route } from '../route.ts';
import { outcome } from '../schemas.ts';
import type { HttpServices } from '../services.ts';
import { holderView, MOST_WORDS, placementView, reasonView } from '../views.ts';
import { stopArms } from './stop.ts';

bridgeOverview.register(components, { id: 'BridgeOverview' });

const otherBridge = z
  .object({
    url: z.string().describe('Where it is asked; its page is there too.'),
    configured: z.boolean().describe('`fleet.bridges` names it; others have been found on the network.'),
    state: z
      .enum(NEIGHBOUR_STATES)
      .describe(
        'unknown: it has not been heard yet; refuses: it wants another token, or is no bridge; untrusted: its certificate does ' +
          'not prove who it is, and it is told nothing.',
      ),
    reason: z.string().describe('Why it refuses, is not trusted or is silent, and what to do; empty otherwise.'),
    seen: z.number().nullable().describe('When it was heard last, seconds since the epoch; null: never.'),
    bridge: bridgeOverview.nullable().describe('What it said last; null: nothing yet.'),
  })
  .register(components, { id: 'OtherBridge' });

const bridgesAnswer = z
  .object({
    here: bridgeOverview,
    others: z
      .array(otherBridge)
      .max(MOST_BRIDGES)
      .describe('The other bridges from number `offset` on, as many as fit into 64 kB.'),
    total: z.int().describe('Number of other bridges, including those that this answer leaves out.'),
  })
  .register(components, { id: 'BridgesAnswer' });

const bridgesStopAnswer = z
  .object({
    ...outcome,
    bridges: z
      .array(z.object({ name: z.string(), url: z.string().nullable(), stopped: z.boolean(), message: z.string() }))
      .max(MOST_BRIDGES + 1)
      .describe('This bridge first, which has no `url` here.'),
  })
  .register(components, { id: 'BridgesStopAnswer' });

const targets = z
  .array(
    z
      .object({ targets: z.array(z.string()), labels: z.record(z.string(), z.string()) })
      .register(components, { id: 'MonitoringTarget' }),
  )
  .max(MOST_BRIDGES + 1)
  .register(components, { id: 'MonitoringTargets' });

export function overviewOf(services: HttpServices): z.input<typeof bridgeOverview> {
  const { fleet, arms, version, stopPort, loop, mirror, ros } = services;
  const { reason, graph } = ros();
  const overview = {
    id: fleet.id,
    name: fleet.name,
    version,
    stop_port: stopPort(),
    trouble: loop().trouble.slice(0, MOST_WORDS),
    ros: { reason: reason.slice(0, MOST_WORDS), graph },
    pairs: mirror.status().pairs.map((pair) => ({
      leader: pair.leader,
      follower: pair.follower,
      state: pair.state,
      reason: pair.reason.slice(0, MOST_WORDS),
    })),
    // Skip detached arms of other machines, which no pair uses: their own bridge reports them.
    arms: arms.all.flatMap((arm) => {
      if (arm.remote && arm.detached) return [];
      const { state, torque } = arm.read();
      return {
        name: arm.name,
        model: arm.model.name,
        variant: arm.model.variant,
        title: arm.model.title,
        simulated: arm.simulated,
        remote: arm.remote,
        state,
        torque,
        ...holderView(arm),
        reason: reasonView(arm),
        doubt: placementView(arm).doubt,
      };
    }),
  };
  return bounded(overview) ?? overview;
}

function otherView({ url, source, state, reason, seen, overview }: Neighbour): z.input<typeof otherBridge> {
  return { url, configured: source === 'configured', state, reason, seen, bridge: overview };
}

const nameOf = ({ overview, url }: Neighbour): string => overview?.name ?? url;

/** Stops the other bridges. @returns the outcome of each */
async function stopOthers(fleet: Fleet): Promise<z.input<typeof bridgesStopAnswer>['bridges']> {
  const outcomes = await fleet.stop();
  return outcomes.map(({ neighbour, ok: stopped, message }) => ({
    name: nameOf(neighbour),
    url: neighbour.url,
    stopped,
    message: message.slice(0, MOST_WORDS),
  }));
}

const armExample = {
  name: 'follower',
  model: 'so101',
  variant: 'follower',
  title: 'SO-101',
  simulated: false,
  remote: false,
  state: 'ready',
  torque: true,
  owner: '"notebook" on this computer',
  owner_since: 1767323044.2,
  reason: '',
  doubt: '',
};
const overviewExample = {
  id: '0b7c2f6e-6a0e-4a57-9d5f-3f1f0a8a9e11',
  name: 'bench-1',
  version: '0.1.0',
  stop_port: 8021,
  trouble: '',
  ros: { reason: '', graph: { domain: 0, namespace: '/', commands: true, network: true } },
  pairs: [{ leader: 'leader', follower: 'follower', state: 'mirroring', reason: '' }],
  arms: [armExample],
};

const told = { method: 'GET', access: 'read', tag: 'arms', target: 'none', refusals: {} } as const;

export const fleetRoutes = [
  route({
    ...told,
    path: '/api/v1/bridge',
    id: 'bridge',
    summary: 'This bridge in short',
    description: 'What other bridges ask: its name, and how its arms are.',
    answer: { description: 'At this moment.', schema: bridgeOverview, example: overviewExample },
    handler: ({ services }) => overviewOf(services),
  }),
  route({
    ...told,
    path: '/api/v1/bridges',
    id: 'bridges',
    summary: 'All bridges of the laboratory',
    description:
      'This one, those of `fleet.bridges`, and those found on the network with `fleet.discovery`; each is asked every second. ' +
      'If `others` has fewer than `total`, repeat the request with `offset` for the rest.',
    query: {
      offset: queryInteger({ min: 0, max: MOST_BRIDGES })
        .prefault(0)
        .describe('Number of other bridges to leave out: to page on, add the length of `others` of each answer.'),
    },
    answer: {
      description: 'As they were heard last.',
      schema: bridgesAnswer,
      example: {
        here: overviewExample,
        others: [
          {
            url: 'https://bench-2.lab:8020',
            configured: true,
            state: 'silent',
            reason: 'nothing listens there: start its bridge',
            seen: 1767323031.5,
            bridge: null,
          },
        ],
        total: 1,
      },
    },
    handler: ({ services }, { query }) => {
      const here = overviewOf(services);
      const { neighbours } = services.fleet;
      return {
        here,
        others: fitting(neighbours.slice(query.offset).map(otherView), sizeOf(here)),
        total: neighbours.length,
      };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/bridges/stop',
    access: 'stop',
    act: 'stop',
    id: 'bridges_stop',
    tag: 'arms',
    summary: 'Stop all arms of all bridges',
    description:
      'As `/stop` of each of them, all at once, on its port for stops too. It reaches a bridge as well as the network does: the ' +
      'power switch stays the last word.',
    target: 'none',
    answer: {
      description: 'Which bridges have confirmed it; `status: "error"` where one has not.',
      schema: bridgesStopAnswer,
      example: {
        status: 'error',
        message: 'Stopped: bench-1. Not stopped: bench-2.',
        bridges: [
          { name: 'bench-1', url: null, stopped: true, message: 'Stopped: leader (robot 0), follower (robot 1).' },
          {
            name: 'bench-2',
            url: 'https://bench-2.lab:8020',
            stopped: false,
            message: 'Not stopped: nothing listens there: start its bridge. Use its power switch.',
          },
        ],
      },
    },
    refusals: {},
    handler: async ({ services }, { request }) => {
      const { fleet, arms, clock } = services;
      const [own, others] = await Promise.all([
        stopArms(arms.all, 'POST /api/v1/bridges/stop', originOf(request), clock),
        stopOthers(fleet),
      ]);
      const here = { name: fleet.name, url: null, stopped: own.status === 'ok', message: own.message ?? '' };
      const bridges = [here, ...others];
      const named = (stopped: boolean): string =>
        bridges
          .filter((bridge) => bridge.stopped === stopped)
          .map(({ name }) => name)
          .join(', ');
      const failed = named(false);
      return {
        status: failed === '' ? ('ok' as const) : ('error' as const),
        message: [`Stopped: ${named(true) || 'none'}.`, ...(failed === '' ? [] : [`Not stopped: ${failed}.`])].join(
          ' ',
        ),
        bridges,
      };
    },
  }),
  route({
    ...told,
    tag: 'status',
    path: '/api/v1/bridges/targets',
    id: 'bridges_targets',
    summary: 'All bridges, for Prometheus',
    description:
      'What `http_sd_configs` of Prometheus reads: this bridge, those of `fleet.bridges`, and those that have been found and have ' +
      'proved by `fleet.authority` that they belong to it, each with its scheme and name (its URL until it has been heard). ' +
      'Just after a start it is answered when each of `fleet.bridges` has answered or is silent, which takes 5 s at most.',
    answer: {
      description: 'Targets with their labels.',
      schema: targets,
      example: [{ targets: ['bench-2.lab:8020'], labels: { __scheme__: 'https', bridge: 'bench-2' } }],
    },
    handler: async ({ services: { fleet }, address }, { request }) => {
      // Prometheus asks once a minute, so that what is not known yet would be wrong for long.
      await fleet.heard();
      const own = request.headers.host ?? `${address().host}:${address().port}`;
      const others = fleet.neighbours.flatMap((neighbour) => {
        // Prometheus sends its token to all that are listed. A configured one that has never answered is down.
        if (!neighbour.vouchedFor) return [];
        const { protocol, host } = new URL(neighbour.url);
        return [{ targets: [host], labels: { __scheme__: protocol.slice(0, -1), bridge: nameOf(neighbour) } }];
      });
      return [{ targets: [own], labels: { __scheme__: request.protocol, bridge: fleet.name } }, ...others];
    },
  }),
];
