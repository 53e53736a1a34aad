import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PROGRAM } from '../home.ts';
import { hostOf } from './addresses.ts';
import { pageCookie } from './clients.ts';
import { HttpProblem } from './errors.ts';
import { etagOf, isKnown } from './etag.ts';

/** Output of `npm run build:page`, which only a compiled bridge has. */
const FOLDER = fileURLToPath(new URL('page', PROGRAM));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** URL paths of the pages. */
const PATHS: Readonly<Record<string, string>> = { 'index.html': '/', 'docs.html': '/docs' };

/** The page runs only its own files and talks only to its own bridge; framing is denied against clickjacking. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Browsers revalidate each time, and get 304 while nothing has changed.
  'cache-control': 'no-cache',
};

/** @param stops sources of the stop port for connect-src, with a leading space; empty without a stop port */
const policy = (stops: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'${stops}; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** connect-src sources of the stop port, for a page loaded from the request's host. */
function stopsOf({ protocol, headers: { host = '' } }: FastifyRequest, port: number | null): string {
  const name = hostOf(host);
  if (port === null || name === null) return '';
  const authority = `${name.includes(':') ? `[${name}]` : name}:${port}`;
  return ` ${protocol}://${authority} ${protocol.replace('http', 'ws')}://${authority}`;
}

/**
 * Serves the control page at `/` and the API page at `/docs`. Files are served from memory, so no request maps to a
 * path on disk. The pages need no token: they are the same for everybody, and the control page asks for the token
 * itself.
 * @param stopPort port for stops only; null: none now
 * @param secure whether the bridge uses TLS
 * @param folder folder of the built page
 */
export function pageRoutes(
  app: FastifyInstance,
  {
    stopPort = () => null,
    secure = false,
    folder = FOLDER,
  }: { readonly stopPort?: () => number | null; readonly secure?: boolean; readonly folder?: string } = {},
): void {
  const config = { access: 'open' as const };
  if (!existsSync(join(folder, 'index.html'))) {
    app.get('/', { config }, () => {
      throw new HttpProblem(
        404,
        'The control page is not built: run npm run build:page, or start the bridge with npm start.',
      );
    });
    return;
  }
  for (const name of readdirSync(folder)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const plain = readFileSync(join(folder, name));
    const compressed = readFileSync(join(folder, `${name}.gz`));
    const etag = etagOf(plain);
    app.get(PATHS[name] ?? `/${name}`, { config }, (request, reply) => {
      reply.headers({ ...HEADERS, vary: 'Accept-Encoding' });
      reply.header('content-security-policy', policy(stopsOf(request, stopPort())));
      const cookie = name === 'index.html' ? pageCookie(request.raw, secure) : null;
      if (cookie !== null) reply.header('set-cookie', cookie);
      if (isKnown(request, reply, etag)) return reply;
      reply.type(type);
      if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(plain);
      return reply.header('content-encoding', 'gzip').send(compressed);
    });
  }
}
