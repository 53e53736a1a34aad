import { z } from 'zod';
import { components, queryInteger } from '../fields.ts';
import { route } from '../route.ts';
import { logLine, logView, mirrorState, mirrorView } from '../views.ts';

/** Most log lines in one answer. */
const MOST_LINES = 1000;

const logAnswer = z
  .object({
    next: z.int().describe('Number of the next line to be written: pass it as `start` to get only newer lines.'),
    first: z
      .int()
      .describe(
        'Number of the first line in this answer: pass it as `before` to get older lines. `next` if there is none.',
      ),
    lines: z.array(logLine).max(MOST_LINES),
  })
  .register(components, { id: 'LogAnswer' });

const configAnswer = z
  .record(z.string(), z.unknown())
  .describe('The configuration in use, with its defaults; names of secret files are left out.')
  .register(components, { id: 'ConfigAnswer' });

const told = { method: 'GET', access: 'read', target: 'none', refusals: {} } as const;

export const bridgeRoutes = [
  route({
    ...told,
    path: '/api/v1/pairs',
    id: 'pairs',
    tag: 'arms',
    summary: 'Pairs that mirror',
    description: 'State, rate and latency of each pair, and why mirroring stopped.',
    answer: {
      description: 'At this moment.',
      schema: mirrorState,
      example: {
        active: true,
        reason: '',
        pairs: [
          {
            leader: 'leader',
            follower: 'follower',
            state: 'mirroring',
            owner: 'an HTTP client',
            owner_since: 1785240000.25,
            rate: 200,
            latency: 0.0012,
            force_feedback: { arm: 0.8, gripper: 1 },
            reason: '',
          },
        ],
      },
    },
    handler: ({ services }) => mirrorView(services),
  }),
  route({
    ...told,
    path: '/api/v1/config',
    id: 'config',
    tag: 'status',
    summary: 'The configuration in use',
    description: 'As it was read at the start, with arms that were added since.',
    answer: {
      description: 'With its defaults, without secrets.',
      schema: configAnswer,
      example: { http: { host: '127.0.0.1', port: 8020 }, control: { rate: 200 } },
    },
    handler: ({ services }) => {
      const { http, fleet, ...rest } = services.configuration();
      const { token_file: _secret, read_token_file: _other, tls, ...open } = http;
      const { token_file: _theirs, ...others } = fleet;
      const shown = tls === null || tls === 'off' ? tls : { certificate: tls.certificate };
      return { http: { ...open, tls: shown }, fleet: others, ...rest };
    },
  }),
  route({
    ...told,
    path: '/api/v1/log',
    id: 'log',
    tag: 'status',
    summary: 'The newest lines of the log',
    description:
      'The newest lines from number `start` on and before number `before`, as many as fit into 64 kB. The bridge keeps a thousand.',
    query: {
      start: queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER })
        .prefault(0)
        .describe('Number of the oldest line wanted.'),
      before: queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER })
        .optional()
        .describe('Only lines with a smaller number: pass `first` of the last answer to go back.'),
    },
    answer: {
      description: 'The lines, the oldest first.',
      schema: logAnswer,
      example: { next: 2, first: 1, lines: [{ time: 1767323045, level: 'info', message: 'follower is ready' }] },
    },
    handler: ({ services }, { query }) => {
      const { next } = services.log;
      const { start, before = next } = query;
      const lines = logView(services, start, MOST_LINES, before);
      return { next, first: lines.length === 0 ? next : Math.min(before, next) - lines.length, lines };
    },
  }),
];
