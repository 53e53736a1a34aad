import { z } from 'zod';
import { SCOPES, type Scope } from '../../named-tokens.ts';
import { asModel, components, word } from '../fields.ts';
import { route } from '../route.ts';
import { ok, statusAnswer } from '../schemas.ts';

const SESSION = '/api/v1/session';
/** Characters of a token that may be sent. */
const LONGEST_TOKEN = 512;

const sessionRequest = z
  .object({ token: word(LONGEST_TOKEN).optional().describe('As in http.token_file.') }, asModel)
  .register(components, { id: 'SessionRequest' });

const sessionAnswer = z
  .object({ scopes: z.array(z.enum(SCOPES)).describe('What the page may do from now on.') })
  .register(components, { id: 'SessionAnswer' });

/** What a scope allows: who may control may read too. */
export function scopesOf(scope: Scope): Scope[] {
  return SCOPES.slice(0, SCOPES.indexOf(scope) + 1);
}

export const sessionRoutes = [
  route({
    method: 'POST',
    path: SESSION,
    // The token is judged here.
    access: 'open',
    id: 'session_open',
    tag: 'status',
    summary: 'Exchange a token for a cookie',
    description: 'For pages: the cookie is kept from scripts and from other sites, and ends after 12 hours.',
    target: 'none',
    body: { schema: sessionRequest, optional: true, example: {} },
    answer: {
      description: 'The answer sets the cookie, where a token is needed at all.',
      schema: sessionAnswer,
      example: { scopes: ['read', 'control'] },
    },
    refusals: { 401: 'The token is missing or wrong.' },
    handler: ({ guard }, { body }, reply) => {
      const { scope, cookie } = guard.openSession(body.token ?? '');
      if (cookie !== null) reply.header('set-cookie', cookie);
      return { scopes: scopesOf(scope) };
    },
  }),
  route({
    method: 'DELETE',
    path: SESSION,
    access: 'open',
    id: 'session_close',
    tag: 'status',
    summary: 'End the session of a page',
    description: 'The cookie is of no use from then on, and the page forgets it.',
    target: 'none',
    answer: statusAnswer('The session has ended'),
    refusals: {},
    handler: ({ guard }, { request }, reply) => {
      reply.header('set-cookie', guard.closeSession(request.raw));
      return ok('The session has ended');
    },
  }),
];
