import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Owner } from '../arm/types.ts';
import type { Clock } from '../clock.ts';
import { bareAddress, isLoopback } from './addresses.ts';
import type { Dialect } from './dialect.ts';
import { HttpProblem } from './errors.ts';
import type { Admission } from './guard.ts';
import { PERSON } from './person.ts';

/** How a client says who it is. */
export const CLIENT_HEADER = 'x-arm-bridge-client';
const CLIENT_NAME = /^[A-Za-z0-9](?:[\w .:@/+-]{0,62}[\w.@/+-])?$/;
/** How a page says so, which it was given with its first file. */
const COOKIE = 'arm_bridge_client';
/** How a page says what the person at it is called, encoded as in a URL: a WebSocket of a browser carries cookies alone. */
const PERSON_COOKIE = 'arm_bridge_person';
const SENT_PAGE = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{16,64})`);
const SENT_PERSON = new RegExp(`(?:^|;\\s*)${PERSON_COOKIE}=([\\w.~%-]+)`);
const COOKIE_AGE = 400 * 24 * 3600;
/** A client is gone when it has sent no request, and has had no stream open, for this long, s. */
export const LEASE = 30;
/** How often it is looked who has gone, s. */
const LOOK = 1;
/** Clients that are remembered at once. */
const MOST_CLIENTS = 4096;
/** Owners that are clients of HTTP have keys that begin so. */
const PREFIX = 'http:';

/** Who a request is from. */
export interface Client {
  readonly owner: Owner;
  /** Where it is, for people: its address, or that it is on this computer. */
  readonly from: string;
}

interface Presence {
  /** Called as it was when it was heard last. */
  readonly owner: { readonly key: string; name: string };
  /** When it was heard last, s by the monotonic clock. */
  heard: number;
  streams: number;
}

/** What the requests of one connection say of who sends them, and who that is. */
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

/** Tells the clients of HTTP apart, and when each of them has gone. */
export class Clients {
  readonly #clock: Clock;
  readonly #dialect: Dialect;
  readonly #present = new Map<string, Presence>();
  readonly #streams = new Set<Stream>();
  /** Of connections: nearly always each request says the same as the one before. */
  readonly #identities = new WeakMap<Socket, Identity>();
  /** Who was heard last. */
  #last: Presence | null = null;
  readonly #listeners = new Set<{ readonly key: string; readonly call: () => void }>();

  constructor(dialect: Dialect, clock: Clock) {
    this.#dialect = dialect;
    this.#clock = clock;
  }

  /**
   * Who sends a request, who is there from now on: whoever has a token with a name or a page's session, or else whom the header
   * names, whose cookie it is, or whose address and program these are.
   * @throws {HttpProblem} 400 for a name that is none
   */
  of(request: IncomingMessage, admission: Admission): Client {
    const { owner, from } = this.#identityOf(request, admission);
    // Programs that were written for phosphobot hand arms to one another without a word: they are one client.
    if (this.#dialect === 'phosphobot') {
      this.#hear(owner);
      return { owner, from };
    }
    return { owner: this.#named(owner), from };
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
    const owner = { key: `${PREFIX}${this.#dialect === 'phosphobot' ? 'all' : who.key}`, name: who.name };
    const identity = { key, session, said, cookie, agent, owner, from };
    this.#identities.set(socket, identity);
    return identity;
  }

  /**
   * A client has a stream open, and is there for as long.
   * @param end ends it @returns to be called when it has ended
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

  /** Calls `call` when a client is called otherwise than before; returns how to stop listening. */
  onRenamed({ owner: { key } }: Client, call: () => void): () => void {
    const listener = { key, call };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the streams of those who would not be admitted any more. */
  endUnless(admits: (admission: Admission) => boolean): void {
    for (const { admission, end } of [...this.#streams]) if (!admits(admission)) end();
  }

  /** Whether an owner is a client of HTTP that has a stream open. */
  hears({ key }: Owner): boolean {
    return (this.#present.get(key)?.streams ?? 0) > 0;
  }

  /** Whether an owner is a client of HTTP that has gone. */
  hasGone({ key }: Owner): boolean {
    if (!key.startsWith(PREFIX)) return false;
    const presence = this.#present.get(key);
    return presence === undefined || this.#isOver(presence);
  }

  /** Calls `look` once a second, when those who have gone have been forgotten. */
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

  #isOver({ streams, heard }: Presence): boolean {
    return streams <= 0 && this.#clock.now() - heard > LEASE;
  }

  /** A client by the one object that all who have to do with it keep: they read how it is called now. */
  #named({ key, name }: Owner): Owner {
    const { owner } = this.#hear({ key, name });
    if (owner.name !== name) {
      owner.name = name;
      for (const listener of this.#listeners) if (listener.key === key) listener.call();
    }
    return owner;
  }

  /** Those who were heard last come last: whoever has been silent for longest is forgotten first. */
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
      const idle = [...this.#present].find(([, { streams }]) => streams <= 0)?.[0];
      if (idle !== undefined) this.#present.delete(idle);
    }
    presence = { owner: { key, name }, heard: this.#clock.now(), streams: 0 };
    this.#present.set(key, presence);
    return presence;
  }
}

/** @param where the client is, for people */
function whoIs(request: IncomingMessage, admission: Admission, where: string): { key: string; name: string } {
  const { token, session, key } = admission;
  const said = request.headers[CLIENT_HEADER];
  if (said !== undefined) {
    const name = String(said).trim();
    if (!CLIENT_NAME.test(name)) {
      throw new HttpProblem(
        400,
        'X-Arm-Bridge-Client is no name: 1 to 64 letters, digits, blanks and "_.:@/+-", a letter or digit first.',
      );
    }
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
  const agent = (request.headers['user-agent'] ?? '').slice(0, 200);
  return { key: `${key} ${where} ${agent}`, name: `an HTTP client ${where} (${programOf(agent)})` };
}

/**
 * A page for people: by the program, or by how the person at it says to be called, which tells nobody from anybody.
 * @param id of which the beginning tells it from others
 */
function pageName(request: IncomingMessage, id: string, where: string): string {
  const page = `page ${id.slice(0, 4)} ${where}`;
  const person = personOf(request);
  return person === null ? `${page} (${programOf(request.headers['user-agent'])})` : `"${person}" (${page})`;
}

/** What is no name counts as none: a stop that comes with it is not to be refused. */
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

/** The program that a client says it is, short enough for a sentence. */
function programOf(agent = ''): string {
  const browser = /\b(Firefox|Edg|OPR|Chrome|Safari)\/\d+/.exec(agent)?.[0];
  const first = browser ?? agent.split(' ', 1)[0]!;
  return first.replace(/[^\w.+/-]/g, '').slice(0, 32) || 'unnamed program';
}

function pageOf(request: IncomingMessage): string | null {
  return SENT_PAGE.exec(request.headers.cookie ?? '')?.[1] ?? null;
}

/** The cookie by which a page is told from others, as the header Set-Cookie says it; null for one that has it. */
export function pageCookie(request: IncomingMessage, secure: boolean): string | null {
  if (pageOf(request) !== null) return null;
  const id = randomBytes(16).toString('base64url');
  return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_AGE}${secure ? '; Secure' : ''}`;
}
