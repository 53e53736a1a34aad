import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** ETag of a content. */
export function etagOf(content: string | Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/**
 * Answers 304 if the client already has this content.
 * @returns whether it has answered
 */
export function isKnown(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  reply.header('etag', etag);
  // A compressing proxy turns the tag into a weak one.
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known === undefined || !(known.includes(etag) || known[0] === '*')) return false;
  reply.code(304).send();
  return true;
}
