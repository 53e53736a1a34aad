import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Host of a URL authority, without brackets and port; null when the text is not an authority. */
export function hostOf(authority: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:@/\\[\]?#]+))(?::\d{1,5})?$/i.exec(authority);
  return (match?.[1] ?? match?.[2])?.toLowerCase() ?? null;
}

/** Normalises an address: lower case, no brackets, IPv4-mapped IPv6 as IPv4. */
export function bareAddress(address: string): string {
  return address
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/, '');
}

/** True for localhost and loopback addresses. */
export function isLoopback(host: string): boolean {
  if (host === '127.0.0.1' || host === 'localhost') return true;
  const bare = bareAddress(host);
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/**
 * Authority by which other computers reach a listening server.
 * @returns null if they cannot reach it
 */
export function reachedAt({ host, port }: { readonly host: string; readonly port: number }): string | null {
  if (isLoopback(host)) return null;
  const address = host === '0.0.0.0' || host === '::' ? ownAddress() : host;
  if (address === null) return null;
  return `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
}

/** First non-loopback IPv4 address of this computer; null if it has none. */
function ownAddress(): string | null {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? null;
}

/** Authority of an absolute-form URL (RFC 9112 3.2.2); null for a path. */
export function authorityOf(url: string): string | null {
  return url.startsWith('/') ? null : (/^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? null);
}

/** A copy of a part of a longer text. The part itself would keep the whole text in memory, because V8 shares it. */
export function copyOf(part: string): string {
  return Buffer.from(part).toString();
}

/**
 * Path of a request's URL. Routes match by it, and only it may be logged: the query may contain a token.
 */
export function pathOf(url: string): string {
  const path = url.split('?', 1)[0]!;
  return path.startsWith('/') ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '') || '/';
}
