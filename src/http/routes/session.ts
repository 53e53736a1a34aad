import type { FastifyInstance } from 'fastify';
import { sessionRequest } from '../api-schemas.ts';
import type { Guard } from '../guard.ts';
import { SCOPES, type Scope } from '../tokens.ts';
import { readRequest } from '../validation.ts';

const SESSION = '/api/v1/session';

/** What a scope allows: who may control may read too. */
export function scopesOf(scope: Scope): readonly Scope[] {
  return SCOPES.slice(0, SCOPES.indexOf(scope) + 1);
}

/** /api/v1/session: a page hands in a token once and is known by a cookie that no script can read. */
export function sessionRoutes(app: FastifyInstance, guard: Guard): void {
  // The token is judged here.
  const config = { open: true };
  app.post(SESSION, { config }, async (request, reply) => {
    const { body } = readRequest(request, { robotId: false, body: sessionRequest, bodyOptional: true });
    const { scope, cookie } = guard.openSession(body.token ?? '');
    if (cookie !== null) reply.header('set-cookie', cookie);
    return { scopes: scopesOf(scope) };
  });

  app.delete(SESSION, { config }, async (request, reply) => {
    reply.header('set-cookie', guard.closeSession(request.raw));
    return { status: 'ok', message: 'The session has ended' };
  });
}
