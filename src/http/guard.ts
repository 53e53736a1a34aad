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

/** Lifetime of a page's session, s: a working day. */
const SESSION_TIME = 12 * 3600;
/** Most sessions at once; a new one replaces the oldest. */
export const MOST_SESSIONS = 256;
/** Most characters of a Host or Origin repeated in an answer. */
const MOST_REPEATED = 64;
/** Its name ends with the port of the page, because a browser sends the cookies of a host to all of its ports. */
const COOKIE = 'arm_bridge_session';
const SENT_COOKIES = new RegExp(`(?:^|;\\s*)${COOKIE}(?:_\\d+)?=([\\w-]+)`, 'g');
const UNKNOWN_TOKEN = 'The token is not the one of http.token_file, nor one with a name that is still valid.';

/** Access rights that a request has proven: none needed, by a token, or by the session of a page. */
export interface Admission {
  readonly scope: Scope;
  /** The same for all requests with the same token. */
  readonly key: string;
  /** Name of the named token; null for others. */
  readonly token: string | null;
  /** Digest of the session id; null if the request has the token itself. */
  readonly session: string | null;
}

const ANYBODY: Admission = { scope: 'control', key: '', token: null, session: null };

/** Session of a page that has sent a valid token. */
export interface Session {
  readonly admission: Admission;
  /** Expiry, s, monotonic clock. */
  readonly ends: number;
}

/** Admits or refuses a request by its headers alone. */
export class Guard {
  readonly #allowed: ReadonlySet<string>;
  readonly #listed: ReadonlySet<string>;
  readonly #secrets: readonly { readonly digest: Buffer; readonly admission: Admission }[];
  readonly #named: NamedTokens;
  readonly #sessions = new Map<string, Session>();
  readonly #secure: boolean;
  /** Port that serves the bridge's own pages; null: the port of the request. */
  readonly #pagePort: number | null;
  /** Called when a session begins, and when it ends early (with null). */
  onSession: (key: string, session: Session | null) => void = () => {};
  /** Last Host header accepted regardless of the connection. */
  #knownHost: string | null = null;
  readonly #clock: Clock;

  /**
   * @param tokens null: no token is needed
   * @param named named tokens; they may change while the bridge runs
   * @param pagePort port of the bridge's own pages, if another server serves them; null: this server does
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
    // When bound to all addresses, the local address of this connection counts as the bound address.
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
    // A host accepted only as the local address of this connection is checked again on the next one.
    const host = hostOf(authority)!;
    if (isLoopback(host) || this.#allowed.has(host)) this.#knownHost = authority;
  }

  /**
   * Checks Host and Origin: refuses web pages of other sites, and foreign names that resolve to this computer (DNS
   * rebinding). Call it before the body is read, also for upgrades.
   * @throws {HttpProblem} 400 for a missing Host header or several, 403
   */
  checkSource(request: IncomingMessage): void {
    const { host = '', origin } = request.headers;
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      throw new HttpProblem(400, 'The request has no Host header: HTTP/1.1 needs one.');
    }
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

  /** Whether pages of an origin may read responses (CORS). */
  mayRead(origin: string): boolean {
    return this.#listed.has(origin.toLowerCase());
  }

  /**
   * Whether a page belongs to this bridge: its authority equals the Host of the request, or both are loopback names
   * with the same port, or it comes through a proxy in `allowed_hosts`. A page on another port may belong to any
   * program.
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

  /** Authority of this bridge's own pages, for a client that sends this Host. */
  #homeOf(host: string): string {
    return this.#pagePort === null ? host : `${host.replace(/:\d+$/, '')}:${this.#pagePort}`;
  }

  /** Whether a page of this bridge sends the request: it may read the response with its session. */
  isOwnPage(request: IncomingMessage): boolean {
    const { host = '', origin } = request.headers;
    return origin !== undefined && this.#isOwnOrigin(origin, host, request);
  }

  /** Copies a session, or its end (null), from another guard. */
  takeSession(key: string, session: Session | null): void {
    if (session === null) this.#sessions.delete(key);
    else this.#sessions.set(key, session);
    while (this.#sessions.size > MOST_SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value!);
  }

  /**
   * Determines the access rights of a request by its bearer token or session cookie.
   * @throws {HttpProblem} 401 with WWW-Authenticate; 403 for a session cookie sent by a page of another origin
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

  /**
   * Whether an admission is still valid: its session may have ended, or its named token may have been revoked, and the
   * name reused.
   */
  stillAdmits({ token, key, session }: Admission): boolean {
    if (session !== null && !this.#lasts(this.#sessions.get(session))) return false;
    return token === null || this.#named.all.some((named) => keyOfToken(named) === key);
  }

  #lasts(session: Session | undefined): boolean {
    return session !== undefined && session.ends >= this.#clock.now();
  }

  /** @throws {HttpProblem} 403 if the scope does not allow the route */
  checkScope(scope: Scope, access: Access): void {
    if (scope === 'control' || access !== 'control') return;
    throw new HttpProblem(
      403,
      'This token may only read and stop: send the token of http.token_file, or a named one with the scope control.',
    );
  }

  /**
   * Begins a session for a page that sends a valid token.
   * @returns its Set-Cookie value; null if no token is needed
   * @throws {HttpProblem} 401 for a wrong token
   */
  openSession(request: IncomingMessage, token: string): { readonly scope: Scope; readonly cookie: string | null } {
    if (this.#secrets.length === 0) return { scope: 'control', cookie: null };
    const admission = this.#admissionOf(token);
    if (admission === null) throw unauthorised(UNKNOWN_TOKEN);
    for (const [key, session] of this.#sessions) if (!this.#lasts(session)) this.#sessions.delete(key);
    while (this.#sessions.size >= MOST_SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value!);
    const id = randomBytes(32).toString('base64url');
    const key = keyOf(id);
    const session = { admission: { ...admission, session: key }, ends: this.#clock.now() + SESSION_TIME };
    this.#sessions.set(key, session);
    this.onSession(key, session);
    return { scope: admission.scope, cookie: this.#cookie(request, id, SESSION_TIME) };
  }

  /**
   * Ends the session of a request.
   * @returns the Set-Cookie value that deletes the cookie
   * @throws {HttpProblem} 403 if the page is not the bridge's own
   */
  closeSession(request: IncomingMessage): string {
    this.#requireOwnPage(request);
    for (const key of keysIn(request)) if (this.#sessions.delete(key)) this.onSession(key, null);
    return this.#cookie(request, '', 0);
  }

  /**
   * Requires that a session cookie comes from the bridge's own page: browsers send it from other ports of this host
   * too. The scheme may differ because a proxy may encrypt.
   */
  #requireOwnPage({ headers: { origin, host = '' } }: IncomingMessage): void {
    const home = this.#homeOf(host).toLowerCase();
    if (origin === undefined || origin.replace(/^https?:\/\//i, '').toLowerCase() === home) return;
    throw new HttpProblem(403, 'The session belongs to another page: send the token itself.');
  }

  #cookie({ headers: { host = '' } }: IncomingMessage, id: string, age: number): string {
    const port = portOf(this.#homeOf(host));
    return `${COOKIE}${port === '' ? '' : `_${port}`}=${id}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${this.#secure ? '; Secure' : ''}`;
  }

  #sessionOf(request: IncomingMessage): Session | null {
    for (const key of keysIn(request)) {
      const session = this.#sessions.get(key);
      if (session !== undefined && this.stillAdmits(session.admission)) return session;
    }
    return null;
  }

  /** Null for an unknown token. */
  #admissionOf(token: string): Admission | null {
    const sent = digestOf(token);
    // Compares all tokens so that the time taken does not reveal which one matched.
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

/** Node reads only the first Host header; a proxy on the way may read the last. */
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

/** Keys of the sessions that the cookies of a request may belong to: of this bridge and of others on its host. */
function keysIn({ headers: { cookie = '' } }: IncomingMessage): string[] {
  return cookie === '' ? [] : Array.from(cookie.matchAll(SENT_COOKIES), ([, id]) => keyOf(id!));
}

/** Sessions are looked up by digest so that lookup time reveals nothing about existing ids. */
function keyOf(id: string): string {
  return digestOf(id).toString('hex');
}
