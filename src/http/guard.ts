import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { ConfigError } from '../config/load.ts';
import type { HttpConfig } from '../config/schema.ts';
import { HttpProblem } from './errors.ts';

/** A token shorter than this can be guessed over a network. */
export const MIN_TOKEN_LENGTH = 16;

/** A host as it stands in a URL, without brackets and port; null when the text is no authority. */
function hostOf(authority: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:@/\\[\]?#]+))(?::\d{1,5})?$/i.exec(authority);
  return (match?.[1] ?? match?.[2])?.toLowerCase() ?? null;
}

function bareAddress(address: string): string {
  return address
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/, '');
}

/** True for localhost and for addresses that only this computer reaches. */
export function isLoopback(host: string): boolean {
  const bare = bareAddress(host);
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/**
 * The bearer token of `http.token_file`: its first line. Null when no file is configured.
 * @throws {ConfigError} when the file cannot be read or its first line is too short for a token
 */
export function readToken(config: HttpConfig): string | null {
  const file = config.token_file;
  if (file === null) return null;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `http.token_file: ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? error}). ` +
        `Make one with: openssl rand -hex 32 > ${file}`,
    );
  }
  const token = (text.split('\n', 1)[0] ?? '').trim();
  if (token.length < MIN_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ConfigError(
      `http.token_file: the first line of ${file} is no token: at least ${MIN_TOKEN_LENGTH} visible ASCII characters ` +
        `without spaces are needed. Make one with: openssl rand -hex 32 > ${file}`,
    );
  }
  return token;
}

/**
 * Whoever reaches the port can move an arm: an address that other computers reach needs a token.
 * @throws {ConfigError} naming http.host and http.token_file
 */
export function checkBind(config: HttpConfig, token: string | null): void {
  if (token !== null || isLoopback(config.host)) return;
  throw new ConfigError(
    `http.host: ${config.host} can be reached from other computers, so every request must carry a token, but ` +
      'http.token_file is not set. Name a file with a token there, or use http.host 127.0.0.1.',
  );
}

/** Decides by its headers alone whether a request is answered. */
export class Guard {
  readonly #allowed: ReadonlySet<string>;
  readonly #token: Buffer | null;
  /** Ownership key of every client that this guard lets in. */
  readonly ownerKey: string;

  constructor(config: HttpConfig, token: string | null) {
    const bound = bareAddress(config.host);
    this.#allowed = new Set([bound, ...config.allowed_hosts.map((host) => bareAddress(host))]);
    this.#token = token === null ? null : digest(token);
    this.ownerKey = this.#token === null ? 'http' : `http:${this.#token.toString('hex').slice(0, 16)}`;
  }

  #knows(host: string | null, request: IncomingMessage): boolean {
    if (host === null) return false;
    if (isLoopback(host) || this.#allowed.has(host)) return true;
    // Bound to all addresses: the one that this connection arrived at is the bound address of this request.
    return isIP(host) !== 0 && host === bareAddress(request.socket?.localAddress ?? '');
  }

  /**
   * Host and Origin: keeps out web pages of other sites and names that were pointed at this computer (DNS rebinding).
   * To be called before the body is read, also for upgrades.
   * @throws {HttpProblem} 403
   */
  checkSource(request: IncomingMessage): void {
    const { host, origin } = request.headers;
    if (!this.#knows(hostOf(host ?? ''), request)) {
      throw new HttpProblem(
        403,
        `Host "${host ?? ''}" is not answered: use localhost or the address the bridge listens on, or add the name ` +
          'to http.allowed_hosts.',
      );
    }
    if (origin === undefined || this.#isOwnOrigin(origin, request)) return;
    throw new HttpProblem(
      403,
      `Requests from web pages of ${origin === '' ? 'an empty origin' : `"${origin}"`} are refused: serve the page ` +
        'from localhost, or add its host to http.allowed_hosts.',
    );
  }

  #isOwnOrigin(origin: string, request: IncomingMessage): boolean {
    const match = /^https?:\/\/(.+)$/i.exec(origin);
    return match !== null && this.#knows(hostOf(match[1]!), request);
  }

  /**
   * The bearer token, compared in constant time.
   * @throws {HttpProblem} 401 with WWW-Authenticate
   */
  checkToken(request: IncomingMessage): void {
    if (this.#token === null) return;
    const match = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '');
    if (match !== null && timingSafeEqual(digest(match[1]!), this.#token)) return;
    throw new HttpProblem(
      401,
      match === null
        ? 'A token is needed: send the header "Authorization: Bearer <token>" with the token of http.token_file.'
        : 'The token is not the one of http.token_file.',
      { 'www-authenticate': 'Bearer realm="arm-bridge"' },
    );
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
