import { ROUTES } from '../../../src/http/routes/index.ts';

/**
 * A session is a page's: programs send their token with each request. Other bridges and Prometheus have operations of their
 * own, and people set arms up on the page or in a terminal.
 */
const OF_OTHERS = [
  'POST /api/v1/session',
  'DELETE /api/v1/session',
  'GET /api/v1/bridge',
  'GET /api/v1/bridges/targets',
];

/**
 * Which operations of /api/v1 none of these requests has asked for.
 * @param asked method and path of each request
 */
export function unasked(asked: readonly (readonly [method: string, path: string])[]): string[] {
  return ROUTES.filter(({ path }) => path.startsWith('/api/v1/'))
    .filter(({ method, path }) => {
      const wanted = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
      return !asked.some(([by, where]) => by === method && wanted.test(where));
    })
    .map(({ method, path }) => `${method} ${path}`)
    .filter((operation) => !OF_OTHERS.includes(operation) && !operation.includes('/api/v1/setup'));
}
