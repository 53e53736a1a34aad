import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** A host as it stands in a URL, without brackets and port; null when the text is no authority. */
export function hostOf(authority: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:@/\\[\]?#]+))(?::\d{1,5})?$/i.exec(authority);
  return (match?.[1] ?? match?.[2])?.toLowerCase() ?? null;
}

/** An address in lower case, without brackets, and as IPv4 where IPv6 only wraps one. */
export function bareAddress(address: string): string {
  return address
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/, '');
}

/** True for localhost and for addresses that only this computer reaches. */
export function isLoopback(host: string): boolean {
  if (host === '127.0.0.1' || host === 'localhost') return true;
  const bare = bareAddress(host);
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/**
 * What other computers write for the address on which a server listens.
 * @returns null where they do not reach it
 */
export function reachedAt({ host, port }: { readonly host: string; readonly port: number }): string | null {
  if (isLoopback(host)) return null;
  const address = host === '0.0.0.0' || host === '::' ? ownAddress() : host;
  if (address === null) return null;
  return `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
}

/** The first address of this computer in a network; null where it is in none. */
function ownAddress(): string | null {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? null;
}

/** The authority of a URL that has one (absolute-form, RFC 9112 3.2.2); null for a path. */
export function authorityOf(url: string): string | null {
  return url.startsWith('/') ? null : (/^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? null);
}

/**
 * Path of a request's URL: what routes are told apart by, and what the log may tell. Somebody may have put a token into the
 * query.
 */
export function pathOf(url: string): string {
  const path = url.split('?', 1)[0]!;
  return path.startsWith('/') ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '') || '/';
}
