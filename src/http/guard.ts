import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Clock } from '../clock.ts';
import type { HttpConfig } from '../config/schema.ts';
import { authorityOf, bareAddress, hostOf, isLoopback } from './addresses.ts';
import { HttpProblem } from './errors.ts';
import { LONGEST_NAME } from './fields.ts';
import type { Access } from './route.ts';
import { SCOPES, type Scope, type Tokens } from './tokens.ts';

/** A session of a page ends after this time, s: a working day. */
const SESSION_TIME = 12 * 3600;
/** Sessions at once; the oldest gives way. */
const MOST_SESSIONS = 256;
const COOKIE = 'arm_bridge_session';

interface Session {
  readonly scope: Scope;
  /** By the monotonic clock, s. */
  readonly ends: number;
}

/** Decides by its headers alone whether a request is answered. */
export class Guard {
  readonly #allowed: ReadonlySet<string>;
  readonly #listed: ReadonlySet<string>;
  readonly #secrets: readonly { readonly digest: Buffer; readonly scope: Scope }[];
  readonly #sessions = new Map<string, Session>();
  readonly #secure: boolean;
  /** The last Host that was found to be answered whatever its connection. */
  #knownHost: string | null = null;
  readonly #clock: Clock;
  /** Ownership key of every client that this guard lets move arms. */
  readonly ownerKey: string;

  /** @param tokens null: none is needed */
  constructor(config: HttpConfig, tokens: Tokens | null, clock: Clock) {
    this.#clock = clock;
    const bound = bareAddress(config.host);
    this.#allowed = new Set([bound, ...config.allowed_hosts.map((host) => bareAddress(host))]);
    this.#listed = new Set(config.cors_origins.map((origin) => origin.toLowerCase()));
    this.#secure = config.tls !== null && config.tls !== 'off';
    this.#secrets = SCOPES.flatMap((scope) => {
      const token = tokens?.[scope] ?? null;
      return token === null ? [] : [{ digest: digest(token), scope }];
    });
    this.ownerKey = tokens === null ? 'http' : `http:${digest(tokens.control).toString('hex').slice(0, 16)}`;
  }

  #knows(host: string | null, request: IncomingMessage): boolean {
    if (host === null) return false;
    if (isLoopback(host) || this.#allowed.has(host)) return true;
    // Bound to all addresses: the one that this connection arrived at is the bound address of this request.
    return isIP(host) !== 0 && host === bareAddress(request.socket?.localAddress ?? '');
  }

  #checkHost(authority: string, request: IncomingMessage): void {
    if (authority === this.#knownHost) return;
    if (!this.#knows(hostOf(authority), request)) {
      throw new HttpProblem(
        403,
        `Host "${authority.slice(0, LONGEST_NAME)}" is not answered: use localhost or the address the bridge listens on, or ` +
          'add the name to http.allowed_hosts.',
      );
    }
    // What an address of this connection made known is judged anew for the next one.
    const host = hostOf(authority)!;
    if (isLoopback(host) || this.#allowed.has(host)) this.#knownHost = authority;
  }

  /**
   * Host and Origin: keeps out web pages of other sites and names that were pointed at this computer (DNS rebinding).
   * To be called before the body is read, also for upgrades.
   * @throws {HttpProblem} 400 for a request with several hosts, 403
   */
  checkSource(request: IncomingMessage): void {
    const { host = '', origin } = request.headers;
    if (hasSeveralHosts(request.rawHeaders)) throw new HttpProblem(400, 'The request has more than one Host header.');
    this.#checkHost(host, request);
    const authority = authorityOf(request.url ?? '/');
    if (authority !== null) this.#checkHost(authority, request);
    if (origin === undefined || this.mayRead(origin) || this.#isOwnOrigin(origin, host, request)) return;
    throw new HttpProblem(
      403,
      `Requests from web pages of ${origin === '' ? 'an empty origin' : `"${origin.slice(0, LONGEST_NAME)}"`} are refused: add ` +
        'it to http.cors_origins, or the name of a proxy to http.allowed_hosts.',
    );
  }

  /** Whether pages of another origin may read answers (CORS). */
  mayRead(origin: string): boolean {
    return this.#listed.has(origin.toLowerCase());
  }

  /**
   * Whether a page is one of this bridge: it has the authority that the request names, or another loopback name and the same
   * port, or it is behind a proxy whose name is configured. A page on another port may be anybody's.
   */
  #isOwnOrigin(origin: string, host: string, request: IncomingMessage): boolean {
    const authority = /^https?:\/\/(.+)$/i.exec(origin)?.[1]?.toLowerCase();
    const name = authority === undefined ? null : hostOf(authority);
    if (name === null || !this.#knows(name, request)) return false;
    const port = portOf(authority!);
    if (authority === host.toLowerCase() || (port === '' && this.#allowed.has(name))) return true;
    return isLoopback(name) && isLoopback(hostOf(host) ?? '') && port === portOf(host);
  }

  /**
   * What the client of a request may do, by its bearer token or the cookie of its session.
   * @throws {HttpProblem} 401 with WWW-Authenticate, 403 for a cookie that a page of another origin sends along
   */
  admit(request: IncomingMessage): Scope {
    if (this.#secrets.length === 0) return 'control';
    const match = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '');
    if (match !== null) return this.#scopeOf(match[1]!);
    const session = this.#sessionOf(request);
    if (session === null) {
      throw unauthorised(
        'A token is needed: send the header "Authorization: Bearer <token>" with the token of http.token_file.',
      );
    }
    this.#requireOwnPage(request);
    return session.scope;
  }

  /** @throws {HttpProblem} 403 when a client may not call a route */
  checkScope(scope: Scope, access: Access): void {
    if (scope === 'control' || access !== 'control') return;
    throw new HttpProblem(403, 'This token may only read and stop. The one of http.token_file is needed.');
  }

  /**
   * Begins a session for a page that knows a token.
   * @returns its cookie, as the header Set-Cookie says it; null where no token is needed
   * @throws {HttpProblem} 401 for a wrong token
   */
  openSession(token: string): { readonly scope: Scope; readonly cookie: string | null } {
    if (this.#secrets.length === 0) return { scope: 'control', cookie: null };
    const scope = this.#scopeOf(token);
    const now = this.#clock.now();
    for (const [key, { ends }] of this.#sessions) if (ends < now) this.#sessions.delete(key);
    while (this.#sessions.size >= MOST_SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value!);
    const id = randomBytes(32).toString('base64url');
    this.#sessions.set(keyOf(id), { scope, ends: now + SESSION_TIME });
    return { scope, cookie: this.#cookie(id, SESSION_TIME) };
  }

  /**
   * Ends the session of a request.
   * @returns the header Set-Cookie that makes the page forget it
   * @throws {HttpProblem} 403 when another page asks
   */
  closeSession(request: IncomingMessage): string {
    this.#requireOwnPage(request);
    const id = cookieOf(request);
    if (id !== null) this.#sessions.delete(keyOf(id));
    return this.#cookie('', 0);
  }

  /**
   * Another port of this host is the same site for a cookie, but not the page that the cookie was given to. The scheme may
   * differ: a proxy in front may encrypt.
   */
  #requireOwnPage({ headers: { origin, host } }: IncomingMessage): void {
    if (origin === undefined || origin.replace(/^https?:\/\//i, '').toLowerCase() === host?.toLowerCase()) return;
    throw new HttpProblem(403, 'The session is not of this page: send the token itself.');
  }

  #cookie(id: string, age: number): string {
    return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${this.#secure ? '; Secure' : ''}`;
  }

  #sessionOf(request: IncomingMessage): Session | null {
    const id = cookieOf(request);
    const session = id === null ? undefined : this.#sessions.get(keyOf(id));
    return session === undefined || session.ends < this.#clock.now() ? null : session;
  }

  #scopeOf(token: string): Scope {
    const sent = digest(token);
    // All are compared, so that the time says nothing of which one it was.
    const found = this.#secrets.filter((secret) => timingSafeEqual(sent, secret.digest));
    if (found.length > 0) return found[0]!.scope;
    throw unauthorised('The token is not the one of http.token_file.');
  }
}

function portOf(authority: string): string {
  return /:(\d+)$/.exec(authority)?.[1] ?? '';
}

/** Node gives the first of them alone, and another server on the way may take the last. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

function unauthorised(text: string): HttpProblem {
  return new HttpProblem(401, text, { 'www-authenticate': 'Bearer realm="arm-bridge"' });
}

function cookieOf(request: IncomingMessage): string | null {
  return new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1] ?? null;
}

/** Sessions are looked up by a digest, so that the time of the look-up says nothing of the ids there are. */
function keyOf(id: string): string {
  return digest(id).toString('hex');
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
