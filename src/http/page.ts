import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';

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
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Asked again each time, and answered with 304 while nothing has changed.
  'cache-control': 'no-cache',
};

/**
 * The control page at `/`, and that of the interface at `/docs`. Their files are in memory and no request is a path on the
 * disk. They need no token: they are the same for everybody, and the control page asks for the token itself.
 * @param folder of the built page
 */
export function pageRoutes(app: FastifyInstance, folder: string = FOLDER): void {
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
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    app.get(PATHS[name] ?? `/${name}`, { config }, (request, reply) => {
      reply.headers({ ...HEADERS, etag, vary: 'Accept-Encoding' });
      if (request.headers['if-none-match']?.includes(etag) === true) return reply.code(304).send();
      reply.type(type);
      if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(plain);
      return reply.header('content-encoding', 'gzip').send(compressed);
    });
  }
}
