import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hostOf } from './addresses.ts';
import { pageCookie } from './clients.ts';
import { etagOf, isKnown } from './etag.ts';

/** Where `npm run build:page` puts the page: beside this room, once compiled. */
const FOLDER = fileURLToPath(new URL('../page', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Where the pages themselves are. */
const PATHS: Readonly<Record<string, string>> = { 'index.html': '/', 'docs.html': '/docs' };

/** The page runs its own files and speaks to its own bridge; nobody puts it into a frame and lures clicks on it. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Asked again each time, and answered with 304 while nothing has changed.
  'cache-control': 'no-cache',
};

/** @param stops where the page reaches the stop's own port; empty where it does not */
const policy = (stops: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'${stops}; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The stop's own port as a page reaches it that was loaded from this host. */
function stopsOf({ protocol, headers: { host = '' } }: FastifyRequest, port: number | null): string {
  const name = hostOf(host);
  if (port === null || name === null) return '';
  const authority = `${name.includes(':') ? `[${name}]` : name}:${port}`;
  return ` ${protocol}://${authority} ${protocol.replace('http', 'ws')}://${authority}`;
}

/**
 * The control page at `/`, and that of the interface at `/docs`. Their files are in memory and no request is a path on the
 * disk. They need no token: they are the same for everybody, and the control page asks for the token itself.
 * @param stopPort on which stops alone are heard; null: there is none now
 * @param secure the bridge speaks TLS
 * @param folder of the built page
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
    app.get('/', { config }, async (_request, reply) =>
      reply
        .code(404)
        .type('text/plain; charset=utf-8')
        .send('The control page is not built: run npm run build:page, or start the bridge with npm start.\n'),
    );
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
