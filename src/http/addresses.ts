import { isIP } from 'node:net';

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
 * Path of a request's URL: what routes are told apart by, and what the log may tell. Somebody may have put a token into the
 * query.
 */
export function pathOf(url: string): string {
  return url.split('?', 1)[0]!;
}
