import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Owner } from '../arm/types.ts';
import type { Clock } from '../clock.ts';
import { LONGEST_OWNER } from '../sizes.ts';
import { bareAddress, copyOf, isLoopback } from './addresses.ts';
import type { Dialect } from './dialect.ts';
import { HttpProblem } from './errors.ts';
import type { Admission } from './guard.ts';
import { PERSON } from './person.ts';

/** Header with the client's name. */
export const CLIENT_HEADER = 'x-arm-bridge-client';
const CLIENT_NAME = /^[A-Za-z0-9](?:[\w .:@/+-]{0,62}[\w.@/+-])?$/;
/** Cookie that identifies a page; set with its first file. */
const COOKIE = 'arm_bridge_client';
/** Cookie with the person's name, URL-encoded. A cookie, because a browser's WebSocket cannot send other headers. */
const PERSON_COOKIE = 'arm_bridge_person';
const SENT_PAGE = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{16,64})`);
const SENT_PERSON = new RegExp(`(?:^|;\\s*)${PERSON_COOKIE}=([\\w.~%-]+)`);
const COOKIE_AGE = 400 * 24 * 3600;
/** A client counts as gone after this long without a request and without an open stream, s. */
export const LEASE = 30;
/** Interval of the check for clients that have gone, s. */
const LOOK = 1;
/** Characters that count of the name of a client's program. */
const LONGEST_AGENT = 200;
/** Most clients remembered at once. */
const MOST_CLIENTS = 4096;
/** Key prefix of owners that are HTTP clients. */
const PREFIX = 'http:';

/** Sender of a request. */
export interface Client {
  readonly owner: Owner;
  /** Human-readable location: its address, or "this computer". */
  readonly from: string;
}

interface Presence {
  /** The name is the one of its last request. */
  readonly owner: { readonly key: string; name: string };
  /** Time of the last request, or of its answer, s, monotonic clock. */
  heard: number;
  streams: number;
  /** Requests that are not answered yet. */
  requests: number;
}

/** Identifying headers of a connection's last request, and the client they stand for. */
interface Identity {
  readonly key: string;
  readonly session: string | null;
  readonly said: string | readonly string[] | undefined;
  readonly cookie: string | undefined;
  readonly agent: string | undefined;
  readonly owner: Owner;
  readonly from: string;
}

/** A live stream or a WebSocket. */
interface Stream {
  readonly admission: Admission;
  readonly end: () => void;
}

/** Identifies HTTP clients, and tells when one has gone. */
export class Clients {
  readonly #clock: Clock;
  readonly #dialect: Dialect;
  readonly #present = new Map<string, Presence>();
  readonly #streams = new Set<Stream>();
  /** Cache by connection: nearly every request repeats the headers of the one before. */
  readonly #identities = new WeakMap<Socket, Identity>();
  /** The client heard last. */
  #last: Presence | null = null;
  readonly #listeners = new Set<{ readonly key: string; readonly call: () => void }>();

  constructor(dialect: Dialect, clock: Clock) {
    this.#dialect = dialect;
    this.#clock = clock;
  }

  /**
   * Identifies the sender of a request, and counts it as present. The name in the header comes first, then the session
   * of a page, a named token, the page's cookie, and last the address and program.
   * @throws {HttpProblem} 400 for an invalid name
   */
  of(request: IncomingMessage, admission: Admission): Client {
    const { owner, from, said } = this.#identityOf(request, admission);
    // Programs for phosphobot hand arms to one another without saying so: they count as one client.
    if (this.#dialect === 'phosphobot') {
      this.#hear(owner);
      return { owner, from };
    }
    return { owner: this.#named(owner, said === undefined), from };
  }

  /** Identifies the sender of a stop, which must not be refused for an invalid name: it then counts as one without. */
  ofStop(request: IncomingMessage, admission: Admission): Client {
    const { headers } = request;
    const said = headers[CLIENT_HEADER];
    if (said !== undefined && !isName(said)) headers[CLIENT_HEADER] = undefined;
    return this.of(request, admission);
  }

  #identityOf(request: IncomingMessage, admission: Admission): Identity {
    const { socket, headers } = request;
    const { key, session } = admission;
    const { [CLIENT_HEADER]: said, cookie, 'user-agent': agent } = headers;
    const known = this.#identities.get(socket);
    if (
      known?.key === key &&
      known.session === session &&
      known.said === said &&
      known.cookie === cookie &&
      known.agent === agent
    ) {
      return known;
    }
    const address = socket.remoteAddress ?? '';
    const here = address === '' || isLoopback(address);
    const from = here ? 'this computer' : bareAddress(address);
    const who = whoIs(request, admission, here ? 'on this computer' : `at ${from}`);
    const owner = {
      key: `${PREFIX}${this.#dialect === 'phosphobot' ? 'all' : who.key}`,
      name: who.name.slice(0, LONGEST_OWNER),
    };
    const identity = { key, session, said, cookie, agent, owner, from };
    this.#identities.set(socket, identity);
    return identity;
  }

  /**
   * Registers an open stream; its client stays present until the stream ends.
   * @param end ends the stream
   * @returns call it when the stream has ended
   */
  stays({ owner }: Client, admission: Admission, end: () => void): () => void {
    const stream = { admission, end };
    this.#streams.add(stream);
    this.#presence(owner).streams++;
    return () => {
      this.#streams.delete(stream);
      const presence = this.#presence(owner);
      presence.streams--;
      presence.heard = this.#clock.now();
    };
  }

  /** A request of a client, which may take longer than a lease, is under way. @returns call it when it is answered */
  waits({ owner }: Client): () => void {
    const presence = this.#presence(owner);
    presence.requests++;
    return () => {
      presence.requests--;
      presence.heard = this.#clock.now();
    };
  }

  /** A client has sent a message without a connection. */
  heard({ owner }: Pick<Client, 'owner'>): void {
    this.#hear(owner);
  }

  /** Calls `call` when the name of a page's person or program changes. @returns unsubscribes */
  onRenamed({ owner: { key } }: Client, call: () => void): () => void {
    const listener = { key, call };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends streams that would no longer be admitted. */
  endUnless(admits: (admission: Admission) => boolean): void {
    for (const { admission, end } of [...this.#streams]) if (!admits(admission)) end();
  }

  /** Whether an owner is an HTTP client with an open stream. */
  hears({ key }: Owner): boolean {
    return (this.#present.get(key)?.streams ?? 0) > 0;
  }

  /** Whether an owner is an HTTP client that has gone. */
  hasGone({ key }: Owner): boolean {
    if (!key.startsWith(PREFIX)) return false;
    const presence = this.#present.get(key);
    return presence === undefined || this.#isOver(presence);
  }

  /** Once a second, forgets clients that have gone, then calls `look`. */
  watch(look: () => void): { readonly cancel: () => void } {
    return this.#clock.every(
      LOOK,
      () => {
        for (const [key, presence] of this.#present) if (this.#isOver(presence)) this.#present.delete(key);
        look();
      },
      true,
    );
  }

  #isOver({ streams, requests, heard }: Presence): boolean {
    return streams <= 0 && requests <= 0 && this.#clock.now() - heard > LEASE;
  }

  /**
   * The shared owner object of a client: everyone who keeps it reads the current name.
   * @param tells whether a change is told; of a client with a name in its header only its address changes
   */
  #named({ key, name }: Owner, tells: boolean): Owner {
    const { owner } = this.#hear({ key, name });
    if (owner.name !== name) {
      owner.name = name;
      if (tells) for (const listener of this.#listeners) if (listener.key === key) listener.call();
    }
    return owner;
  }

  /** Moves the client to the end of the map, so that the longest silent one is first and is forgotten first. */
  #hear(owner: Owner): Presence {
    const presence = this.#presence(owner);
    presence.heard = this.#clock.now();
    if (presence === this.#last) return presence;
    this.#last = presence;
    this.#present.delete(owner.key);
    this.#present.set(owner.key, presence);
    return presence;
  }

  #presence({ key, name }: Owner): Presence {
    let presence = this.#present.get(key);
    if (presence !== undefined) return presence;
    if (this.#present.size >= MOST_CLIENTS) {
      const idle = [...this.#present].find(([, { streams, requests }]) => streams <= 0 && requests <= 0)?.[0];
      if (idle !== undefined) this.#present.delete(idle);
    }
    presence = { owner: { key, name }, heard: this.#clock.now(), streams: 0, requests: 0 };
    this.#present.set(key, presence);
    return presence;
  }
}

function isName(said: string | readonly string[]): boolean {
  return CLIENT_NAME.test(String(said).trim());
}

/** @param where human-readable location of the client */
function whoIs(request: IncomingMessage, admission: Admission, where: string): { key: string; name: string } {
  const { token, session, key } = admission;
  const said = request.headers[CLIENT_HEADER];
  if (said !== undefined) {
    if (!isName(said)) {
      throw new HttpProblem(
        400,
        'X-Arm-Bridge-Client is not a valid name: use 1 to 64 letters, digits, blanks and "_.:@/+-", a letter or digit first.',
      );
    }
    const name = String(said).trim();
    return {
      key: `${key} named ${name}`,
      name: token === null ? `"${name}" ${where}` : `"${name}" with token ${token}`,
    };
  }
  if (session !== null) {
    const page = pageName(request, session, where);
    return { key: `session ${session}`, name: token === null ? page : `${page} with token ${token}` };
  }
  if (token !== null) return { key, name: `token ${token}` };
  const page = pageOf(request);
  if (page !== null) {
    const id = createHash('sha256').update(page).digest('hex');
    return { key: `${key} page ${id}`, name: pageName(request, id, where) };
  }
  const agent = agentOf(request);
  return { key: `${key} ${where} ${agent}`, name: `an HTTP client ${where} (${programOf(agent)})` };
}

/**
 * Human-readable name of a page, with its program or the name its user gave. That name does not identify the client.
 * @param id its first characters distinguish the page from others
 */
function pageName(request: IncomingMessage, id: string, where: string): string {
  const page = `page ${id.slice(0, 4)} ${where}`;
  const person = personOf(request);
  return person === null ? `${page} (${programOf(agentOf(request))})` : `"${person}" (${page})`;
}

/** Null for an invalid name rather than an error: a stop must not be refused for it. */
function personOf(request: IncomingMessage): string | null {
  const said = SENT_PERSON.exec(request.headers.cookie ?? '')?.[1];
  if (said === undefined) return null;
  try {
    const name = decodeURIComponent(said);
    return PERSON.test(name) ? name : null;
  } catch {
    return null;
  }
}

/** The User-Agent, cut. */
function agentOf({ headers: { 'user-agent': agent = '' } }: IncomingMessage): string {
  return agent.length > LONGEST_AGENT ? copyOf(agent.slice(0, LONGEST_AGENT)) : agent;
}

/** Program name from the User-Agent, short enough for a sentence. */
function programOf(agent: string): string {
  const browser = /\b(Firefox|Edg|OPR|Chrome|Safari)\/\d+/.exec(agent)?.[0];
  const first = browser ?? agent.split(' ', 1)[0]!;
  return first.replace(/[^\w.+/-]/g, '').slice(0, 32) || 'unnamed program';
}

function pageOf(request: IncomingMessage): string | null {
  return SENT_PAGE.exec(request.headers.cookie ?? '')?.[1] ?? null;
}

/** Set-Cookie value that identifies a page; null if the page already has its cookie. */
export function pageCookie(request: IncomingMessage, secure: boolean): string | null {
  if (pageOf(request) !== null) return null;
  const id = randomBytes(16).toString('base64url');
  return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_AGE}${secure ? '; Secure' : ''}`;
}
