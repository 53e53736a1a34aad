import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Clock } from '../clock.ts';
import type { HttpConfig } from '../config/schema.ts';
import { digestOf, type NamedToken, type NamedTokens, SCOPES, type Scope } from '../named-tokens.ts';
import { authorityOf, bareAddress, hostOf, isLoopback } from './addresses.ts';
import { HttpProblem } from './errors.ts';
import type { Access } from './route.ts';
import type { Tokens } from './tokens.ts';

/** A session of a page ends after this time, s: a working day. */
const SESSION_TIME = 12 * 3600;
/** Sessions at once; the oldest gives way. */
export const MOST_SESSIONS = 256;
/** So much of a Host or an Origin is repeated to whoever sent it. */
const MOST_REPEATED = 64;
const COOKIE = 'arm_bridge_session';
const SENT_COOKIE = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]+)`);
const UNKNOWN_TOKEN = 'The token is not the one of http.token_file, nor one with a name that is still valid.';

/** What a request has proved: nothing where no token is needed, that it knows a token, or that it is of a page's session. */
export interface Admission {
  readonly scope: Scope;
  /** Equal for requests with the same token. */
  readonly key: string;
  /** Of a named token; null for others. */
  readonly token: string | null;
  /** Digest of the page's session; null for a request with the token itself. */
  readonly session: string | null;
}

const ANYBODY: Admission = { scope: 'control', key: '', token: null, session: null };

/** The session of a page that knows a token. */
export interface Session {
  readonly admission: Admission;
  /** By the monotonic clock, s. */
  readonly ends: number;
}

/** Decides by its headers alone whether a request is answered. */
export class Guard {
  readonly #allowed: ReadonlySet<string>;
  readonly #listed: ReadonlySet<string>;
  readonly #secrets: readonly { readonly digest: Buffer; readonly admission: Admission }[];
  readonly #named: NamedTokens;
  readonly #sessions = new Map<string, Session>();
  readonly #secure: boolean;
  /** Port of the pages that are this bridge's own, where they come from another one than that of the request; null: from the same. */
  readonly #pagePort: number | null;
  /** Told of each session as it begins, and as it ends early (with null). */
  onSession: (key: string, session: Session | null) => void = () => {};
  /** The last Host that was found to be answered whatever its connection. */
  #knownHost: string | null = null;
  readonly #clock: Clock;

  /**
   * @param tokens null: none is needed
   * @param named tokens with names, which come and go
   * @param pagePort of the bridge's own pages, where the server listens on another one; null: it serves them itself
   */
  constructor(
    config: HttpConfig,
    tokens: Tokens | null,
    named: NamedTokens,
    clock: Clock,
    pagePort: number | null = null,
  ) {
    this.#clock = clock;
    this.#named = named;
    this.#pagePort = pagePort;
    const bound = bareAddress(config.host);
    this.#allowed = new Set([bound, ...config.allowed_hosts.map((host) => bareAddress(host))]);
    this.#listed = new Set(config.cors_origins.map((origin) => origin.toLowerCase()));
    this.#secure = config.tls !== null && config.tls !== 'off';
    this.#secrets = SCOPES.flatMap((scope) => {
      const token = tokens?.[scope] ?? null;
      const admission = { scope, key: scope, token: null, session: null };
      return token === null ? [] : [{ digest: digestOf(token), admission }];
    });
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
        `Host "${authority.slice(0, MOST_REPEATED)}" is not answered: use localhost or the address the bridge listens on, or ` +
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
      `Requests from web pages of ${origin === '' ? 'an empty origin' : `"${origin.slice(0, MOST_REPEATED)}"`} are refused: add ` +
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
  #isOwnOrigin(origin: string, sent: string, request: IncomingMessage): boolean {
    const host = this.#homeOf(sent);
    const authority = /^https?:\/\/(.+)$/i.exec(origin)?.[1]?.toLowerCase();
    const name = authority === undefined ? null : hostOf(authority);
    if (name === null || !this.#knows(name, request)) return false;
    const port = portOf(authority!);
    if (authority === host.toLowerCase() || (port === '' && this.#allowed.has(name))) return true;
    return isLoopback(name) && isLoopback(hostOf(host) ?? '') && port === portOf(host);
  }

  /** The authority of this bridge's own pages, as a client calls it that has sent this Host. */
  #homeOf(host: string): string {
    return this.#pagePort === null ? host : `${host.replace(/:\d+$/, '')}:${this.#pagePort}`;
  }

  /** Whether the page that sends a request is one of this bridge: it may read the answer with its session. */
  isOwnPage(request: IncomingMessage): boolean {
    const { host = '', origin } = request.headers;
    return origin !== undefined && this.#isOwnOrigin(origin, host, request);
  }

  /** Takes over a session of another guard, or its end (null). */
  takeSession(key: string, session: Session | null): void {
    if (session === null) this.#sessions.delete(key);
    else this.#sessions.set(key, session);
    while (this.#sessions.size > MOST_SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value!);
  }

  /**
   * What the client of a request may do, by its bearer token or the cookie of its session.
   * @throws {HttpProblem} 401 with WWW-Authenticate, 403 for a cookie that a page of another origin sends along
   */
  admit(request: IncomingMessage): Admission {
    const open = this.#secrets.length === 0;
    const { authorization, cookie } = request.headers;
    if (open && authorization === undefined && cookie === undefined) return ANYBODY;
    const match = /^Bearer +(\S+) *$/i.exec(authorization ?? '');
    if (match !== null) {
      const found = this.#admissionOf(match[1]!);
      if (found !== null) return found;
      if (open) return ANYBODY;
      throw unauthorised(UNKNOWN_TOKEN);
    }
    const session = this.#sessionOf(request);
    if (session !== null) {
      this.#requireOwnPage(request);
      return session.admission;
    }
    if (open) return ANYBODY;
    throw unauthorised(
      'A token is needed: send the header "Authorization: Bearer <token>" with the token of http.token_file, or one with a name.',
    );
  }

  /** Whether what has been admitted once still is: its token may have been revoked, and its name given to another one. */
  stillAdmits({ token, key }: Admission): boolean {
    return token === null || this.#named.all.some((named) => keyOfToken(named) === key);
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
    const admission = this.#admissionOf(token);
    if (admission === null) throw unauthorised(UNKNOWN_TOKEN);
    const now = this.#clock.now();
    for (const [key, { ends }] of this.#sessions) if (ends < now) this.#sessions.delete(key);
    while (this.#sessions.size >= MOST_SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value!);
    const id = randomBytes(32).toString('base64url');
    const key = keyOf(id);
    const session = { admission: { ...admission, session: key }, ends: now + SESSION_TIME };
    this.#sessions.set(key, session);
    this.onSession(key, session);
    return { scope: admission.scope, cookie: this.#cookie(id, SESSION_TIME) };
  }

  /**
   * Ends the session of a request.
   * @returns the header Set-Cookie that makes the page forget it
   * @throws {HttpProblem} 403 when another page asks
   */
  closeSession(request: IncomingMessage): string {
    this.#requireOwnPage(request);
    const id = cookieOf(request);
    if (id !== null && this.#sessions.delete(keyOf(id))) this.onSession(keyOf(id), null);
    return this.#cookie('', 0);
  }

  /**
   * Another port of this host is the same site for a cookie, but not the page that the cookie was given to. The scheme may
   * differ: a proxy in front may encrypt.
   */
  #requireOwnPage({ headers: { origin, host = '' } }: IncomingMessage): void {
    const home = this.#homeOf(host).toLowerCase();
    if (origin === undefined || origin.replace(/^https?:\/\//i, '').toLowerCase() === home) return;
    throw new HttpProblem(403, 'The session is not of this page: send the token itself.');
  }

  #cookie(id: string, age: number): string {
    return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${this.#secure ? '; Secure' : ''}`;
  }

  #sessionOf(request: IncomingMessage): Session | null {
    const id = cookieOf(request);
    const session = id === null ? undefined : this.#sessions.get(keyOf(id));
    if (session === undefined || session.ends < this.#clock.now()) return null;
    return this.stillAdmits(session.admission) ? session : null;
  }

  /** Null for a token that is unknown. */
  #admissionOf(token: string): Admission | null {
    const sent = digestOf(token);
    // All are compared, so that the time says nothing of which one it was.
    const found = this.#secrets.filter(({ digest }) => timingSafeEqual(sent, digest));
    const [named] = this.#named.all.filter(({ digest }) => timingSafeEqual(sent, Buffer.from(digest, 'hex')));
    if (found[0] !== undefined) return found[0].admission;
    if (named === undefined) return null;
    return { scope: named.scope, key: keyOfToken(named), token: named.name, session: null };
  }
}

function keyOfToken({ name, scope, digest }: NamedToken): string {
  return `token ${name} ${scope} ${digest}`;
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
  return SENT_COOKIE.exec(request.headers.cookie ?? '')?.[1] ?? null;
}

/** Sessions are looked up by a digest, so that the time of the look-up says nothing of the ids there are. */
function keyOf(id: string): string {
  return digestOf(id).toString('hex');
}
