import type { FastifyInstance } from 'fastify';
import { HttpProblem } from '../errors.ts';
import type { HttpServices } from '../services.ts';
import { belowBound, notANumber, queryOf } from '../validation.ts';
import { mirrorView } from '../views.ts';

/** Lines of the log in one answer at most. */
const MOST_LINES = 1000;

/** Where the log is to be told from. @throws {HttpProblem} 422 */
function fromOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const loc = ['query', 'from'];
  const from = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isSafeInteger(from)) throw new HttpProblem(422, [notANumber(loc, text)]);
  if (from < 0) throw new HttpProblem(422, [belowBound(loc, from, 0)]);
  return from;
}

/** What is told of the bridge as a whole: /api/v1/pairs, /api/v1/config and /api/v1/log. */
export function bridgeRoutes(app: FastifyInstance, services: HttpServices): void {
  app.get('/api/v1/pairs', async () => ({ active: services.mirror.status().active, ...mirrorView(services) }));

  app.get('/api/v1/config', async () => {
    const { http, ...rest } = services.configuration();
    const { token_file: _secret, read_token_file: _other, ...open } = http;
    return { http: open, ...rest };
  });

  app.get('/api/v1/log', async (request) => {
    const from = fromOf(queryOf(request).get('from'));
    return { next: services.log.next, lines: services.log.since(from, MOST_LINES) };
  });
}
