import { z } from 'zod';
import { SCOPES, type Scope } from '../../named-tokens.ts';
import { reachedAt } from '../addresses.ts';
import { asModel, components, word } from '../fields.ts';
import { route } from '../route.ts';
import { ok, statusAnswer } from '../schemas.ts';

const SESSION = '/api/v1/session';
/** Most characters of a token. */
const LONGEST_TOKEN = 512;

const sessionRequest = z
  .object({ token: word(LONGEST_TOKEN).optional().describe('As in http.token_file.') }, asModel)
  .register(components, { id: 'SessionRequest' });

const sessionAnswer = z
  .object({ scopes: z.array(z.enum(SCOPES)).describe('What the page may do from now on.') })
  .register(components, { id: 'SessionAnswer' });

const invitation = z
  .object({
    origin: z.string().nullable().describe('Where other computers open the page; null: they do not reach the bridge.'),
    token: z
      .string()
      .nullable()
      .describe('That of http.read_token_file, which may look and stop alone; null: there is none.'),
  })
  .register(components, { id: 'Invitation' });

/** All scopes that a scope includes: control includes read. */
export function scopesOf(scope: Scope): Scope[] {
  return SCOPES.slice(0, SCOPES.indexOf(scope) + 1);
}

export const sessionRoutes = [
  route({
    method: 'POST',
    path: SESSION,
    // Open, because the handler checks the token in the body.
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
    handler: ({ guard }, { body, request }, reply) => {
      const { scope, cookie } = guard.openSession(request.raw, body.token ?? '');
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
  route({
    method: 'GET',
    path: '/api/v1/invitation',
    access: 'control',
    id: 'invitation',
    tag: 'status',
    summary: 'How others may look on',
    description: 'What the page puts into its QR code: where it is opened, and the token that may only look and stop.',
    target: 'none',
    answer: {
      description: 'Never the token that moves arms.',
      schema: invitation,
      example: { origin: 'https://192.168.7.2:8020', token: 'a-token-that-may-only-look' },
    },
    refusals: {},
    handler: ({ services: { tokens, certificate }, address }, _input, reply) => {
      const authority = reachedAt(address());
      reply.header('cache-control', 'no-store');
      return {
        origin: authority === null ? null : `${certificate === null ? 'http' : 'https'}://${authority}`,
        token: tokens?.read ?? null,
      };
    },
  }),
];
