import { Arm } from './arm.ts';
import { BridgeError, problemOf } from './errors.ts';
import type { components, paths } from './interface.ts';
import { eventsOf, type LiveFrame, type LiveOptions, liveFrames } from './live.ts';
import { Episode, Recordings } from './recordings.ts';

export type Schemas = components['schemas'];

type Method = 'get' | 'post' | 'delete';
/** Paths of the interface with an operation of a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];
type Operation<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never;
type BodyOf<O> = O extends { requestBody?: { content: { 'application/json': infer B } } } ? B : undefined;
type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? Q : never;
type InPathOf<O> = O extends { parameters: { path: infer V } } ? V : never;
type Answered<S extends number> = { responses: Record<S, { content: { 'application/json': unknown } }> };
type AnswerOf<O> =
  O extends Answered<200>
    ? O['responses'][200]['content']['application/json']
    : O extends Answered<202>
      ? O['responses'][202]['content']['application/json']
      : string;

export interface Asked<O> {
  readonly body?: BodyOf<O>;
  readonly query?: QueryOf<O>;
  /** What stands in the path for `{name}`. */
  readonly path?: InPathOf<O>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** One request, whatever it asks for. */
export interface Sent {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** In place of a body, as it is. */
  readonly file?: Blob | Uint8Array<ArrayBuffer> | ArrayBuffer;
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Media type of the answer: JSON when left out. */
  readonly accept?: string;
}

/** How a motion is meant. */
export interface Meaning {
  /** Take the arm from whoever drives it. */
  readonly take_over?: boolean;
  /** Move it slowly although its angles may be wrong. */
  readonly uncalibrated?: boolean;
  /** The arm decelerates to a hold when it aborts. */
  readonly signal?: AbortSignal;
}

type Moving = Omit<Meaning, 'signal'>;

/** The fields that have a value. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** What becomes of an arm that floated: it is lowered and released, holds, or is released at once and falls. */
export type Release = 'lower' | 'hold' | 'now';

export interface BridgeOptions {
  /** Where the bridge listens to more than its own computer. */
  readonly token?: string;
  /** Tells this program from others; null: a page that the bridge serves, which it tells by a cookie. */
  readonly name?: string | null;
  /** In place of the one of the platform. */
  readonly fetch?: typeof fetch;
}

/** Origin of the page that this runs in; null where it is in none, or in a file that nobody serves. */
function servedBy(): string | null {
  const origin = (globalThis as { location?: { origin: string } }).location?.origin ?? 'null';
  return origin === 'null' ? null : origin;
}

const RANDOM = 1e9;
/** A stop that another port has confirmed may take so long to end, ms. */
const LATE = 1000;
/** What the bridge takes for a name of a program. */
export const NAME = /^[A-Za-z0-9](?:[\w .:@/+-]{0,62}[\w.@/+-])?$/;

function hasFailed(answer: unknown): answer is { message?: string | null; request_id?: string } {
  return typeof answer === 'object' && answer !== null && (answer as { status?: unknown }).status === 'error';
}

/** For JSON.stringify, which would write null for NaN: a motion takes null as "keep this". @throws {RangeError} */
function onlyFinite(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError(`"${key}" is ${value}, no number to send`);
  return value;
}

/** A bridge, by the address at which it serves HTTP. In a page that the bridge serves itself it may be left out. */
export class Bridge {
  readonly url: string;
  readonly name: string | null;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;
  /** Port that hears stops alone; null: none; undefined: not known yet. */
  #stopPort: number | null | undefined;
  /** Stops that are under way although another port has confirmed them: the bridge may hear them late. */
  readonly #late = new Set<Promise<unknown>>();
  /** The recordings that the bridge keeps. */
  readonly recordings = new Recordings(this);
  /** What all arms do together, as it is recorded. */
  readonly episode = new Episode(this);

  constructor(url?: string, { token, name, fetch: own }: BridgeOptions = {}) {
    const given = (url ?? servedBy() ?? 'http://localhost:8020').replace(/\/+$/, '');
    this.url = given.includes('://') ? given : `http://${given}`;
    this.name = name === undefined ? `javascript-${Math.floor(Math.random() * RANDOM).toString(36)}` : name;
    if (this.name !== null && !NAME.test(this.name)) {
      throw new RangeError(
        `"${this.name}" is no name: 1 to 64 letters, digits, blanks and "_.:@/+-", a letter or digit first`,
      );
    }
    this.#headers = {
      ...(this.name === null ? {} : { 'x-arm-bridge-client': this.name }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    this.#fetch = own ?? ((...asked) => fetch(...asked));
  }

  /**
   * One request.
   * @throws {BridgeError} for an answer that is an error, and for none
   * @throws {RangeError} for a number in `body` that JSON cannot express
   */
  async send(method: string, path: string, sent: Sent = {}): Promise<Response> {
    const response = await this.#sendTo(this.url, method, path, sent);
    // Learned before it is needed: later, the bridge or the browser may be too busy to tell it.
    if (this.#stopPort === undefined) this.status().catch(() => {});
    return response;
  }

  async #sendTo(
    base: string,
    method: string,
    path: string,
    { body, file, query = {}, headers = {}, signal, accept = 'application/json' }: Sent,
  ): Promise<Response> {
    const url = new URL(`${base}${path}`);
    // A page is told from others by its session, which counts on another port of its host too.
    const session = this.name === null && base !== this.url;
    for (const [name, value] of Object.entries(query)) if (value != null) url.searchParams.set(name, String(value));
    const sent = file ?? (body === undefined ? undefined : JSON.stringify(body, onlyFinite));
    const type = file === undefined ? 'application/json' : 'application/octet-stream';
    let response: Response;
    try {
      response = await this.#fetch(url, {
        method,
        headers: {
          ...this.#headers,
          accept: `${accept}, application/problem+json`,
          ...(sent === undefined ? {} : { 'content-type': type }),
          ...headers,
        },
        ...(sent === undefined ? {} : { body: sent }),
        ...(signal === undefined ? {} : { signal }),
        ...(session ? { credentials: 'include' as const } : {}),
      });
    } catch (cause) {
      if (signal?.aborted) throw cause;
      throw this.unreachable(cause);
    }
    if (response.ok) return response;
    const told: unknown = await response.json().catch(() => null);
    throw problemOf(response.status, told, response.headers.get('x-request-id'));
  }

  /**
   * Any operation of the interface, which /docs of a running bridge lists.
   * @throws {BridgeError} refused, not done (`status: "error"`), or nobody answers
   */
  async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    { path: named, ...sent }: Asked<Operation<P, M>> = {},
  ): Promise<AnswerOf<Operation<P, M>>> {
    const values = (named ?? {}) as Readonly<Record<string, unknown>>;
    const filled = String(path).replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
    const response = await this.send(method.toUpperCase(), filled, sent as Sent);
    return (await this.read(response)) as AnswerOf<Operation<P, M>>;
  }

  /** What nobody has answered, or not to its end. */
  unreachable(cause?: unknown): BridgeError {
    // A browser keeps from the page what a bridge says that does not answer pages of its origin.
    const foreign = 'location' in globalThis && servedBy() !== new URL(this.url).origin;
    const remedy = foreign ? 'origin' : 'start';
    return new BridgeError(`no answer from the bridge at ${this.url}`, { code: 'unreachable', remedy, cause });
  }

  /** The JSON of an answer, or its text where it is none. @throws {BridgeError} not done (`status: "error"`), or broken off */
  async read(response: Response): Promise<unknown> {
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const answer: unknown = await (isJson ? response.json() : response.text()).catch((cause) => {
      throw this.unreachable(cause);
    });
    if (!hasFailed(answer)) return answer;
    const requestId = answer.request_id ?? response.headers.get('x-request-id');
    throw new BridgeError(answer.message ?? 'not done', { code: 'not_done', requestId, status: 200, answer });
  }

  /** State of the bridge and its arms. */
  async status(): Promise<Schemas['BridgeStatus']> {
    const known = this.#stopPort;
    // Not asked for a second time by the request itself.
    this.#stopPort ??= null;
    try {
      const status = await this.call('get', '/status');
      this.#stopPort = status.stop_port;
      return status;
    } catch (error) {
      this.#stopPort = known;
      throw error;
    }
  }

  /** What the arms are, and in `now` how they are. */
  async arms(): Promise<Schemas['ArmOverview'][]> {
    return (await this.call('get', '/api/v1/arms')).arms;
  }

  /** An arm by its name or its id in the bridge's configuration. Asks nothing yet. */
  arm(key: string | number = 0): Arm {
    return new Arm(this, key);
  }

  /** The id that an arm has now. @throws {BridgeError} for a name that no arm has */
  async idOf(key: string | number): Promise<number> {
    return typeof key === 'number' ? key : (await overview(this, key)).id;
  }

  /** The name that an arm has now. @throws {BridgeError} for an id that no arm has */
  async nameOf(key: string | number): Promise<string> {
    return typeof key === 'string' ? key : (await overview(this, key)).name;
  }

  /**
   * All arms brake and hold, and refuse every motion until reset(). Asks the port that hears stops alone too, if the
   * bridge has answered anything before: the rest of it may be busy, or a browser's connections to it. The first confirmation
   * counts.
   * @param query which arm; left out: all
   */
  async stop(query: QueryOf<paths['/api/v1/stop']['post']> = {}): Promise<Schemas['StopResponse']> {
    const ending = new AbortController();
    const stopAt = async (base: string) => {
      const sent = { query, signal: ending.signal };
      return (await this.read(await this.#sendTo(base, 'POST', '/api/v1/stop', sent))) as Schemas['StopResponse'];
    };
    const own = new URL(this.url);
    if (this.#stopPort != null) own.port = String(this.#stopPort);
    const stops = (this.#stopPort == null ? [this.url] : [this.url, own.origin]).map(stopAt);
    try {
      return await Promise.any(stops);
    } catch (error) {
      const faults: unknown[] = (error as AggregateError).errors;
      throw faults.find((fault) => fault instanceof BridgeError && fault.status !== null) ?? faults[0];
    } finally {
      // A request that still waits for a connection must not stop arms that have been reset meanwhile.
      const limit = setTimeout(() => ending.abort(), LATE);
      const late = Promise.allSettled(stops).then(() => {
        clearTimeout(limit);
        this.#late.delete(late);
      });
      this.#late.add(late);
    }
  }

  /** Where other computers open the page, and the token that lets them look and stop alone; each null where there is none. */
  invitation(): Promise<Schemas['Invitation']> {
    return this.call('get', '/api/v1/invitation');
  }

  /** This bridge and the others of its laboratory, with how their arms are. */
  async bridges(): Promise<Schemas['BridgesAnswer']> {
    const answer = await this.call('get', '/api/v1/bridges');
    const others = [...answer.others];
    while (others.length < answer.total) {
      const more = await this.call('get', '/api/v1/bridges', { query: { offset: others.length } });
      // A bridge may have gone meanwhile.
      if (more.others.length === 0) break;
      others.push(...more.others);
    }
    return { ...answer, others };
  }

  /** All arms of all bridges of the laboratory stop. @throws {BridgeError} naming the bridges that have not confirmed it */
  stopAll(): Promise<Schemas['BridgesStopAnswer']> {
    return this.call('post', '/api/v1/bridges/stop');
  }

  /** Ends the stop. Nothing moves by that. @param query which arm; left out: all */
  async reset(query: QueryOf<paths['/api/v1/stop/reset']['post']> = {}): Promise<Schemas['StopResponse']> {
    // A stop of this client that the bridge has not heard on both ports yet would be newer than the reset.
    await Promise.all(this.#late);
    return this.call('post', '/api/v1/stop/reset', { query });
  }

  /**
   * The followers do from now on as the leader is led by hand; they approach it slowly first.
   * @param request further fields of /move/leader/start
   */
  async mirror(
    leader: Arm | string | number,
    followers: Arm | string | number | readonly (Arm | string | number)[],
    request: Omit<Schemas['StartLeaderArmControlRequest'], 'robot_pairs'> & Moving = {},
  ): Promise<Schemas['StatusResponse']> {
    const { take_over, uncalibrated, ...fields } = request;
    const id = (arm: Arm | string | number): Promise<number> => this.idOf(arm instanceof Arm ? arm.key : arm);
    const leader_id = await id(leader);
    const followed = await Promise.all([followers].flat().map((arm) => id(arm as Arm | string | number)));
    const robot_pairs = followed.map((follower_id) => ({ leader_id, follower_id }));
    const query = given({ take_over, uncalibrated });
    return this.call('post', '/move/leader/start', { body: { ...fields, robot_pairs }, query });
  }

  /**
   * One pair, beside those that run.
   * @param leader name @param follower name @param request further fields of /api/v1/pairs/start
   */
  startPair(
    leader: string,
    follower: string,
    { take_over, uncalibrated, ...fields }: Omit<Schemas['PairStartRequest'], 'leader' | 'follower'> & Moving = {},
  ): Promise<Schemas['StatusResponse']> {
    const query = given({ take_over, uncalibrated });
    return this.call('post', '/api/v1/pairs/start', { body: { ...fields, leader, follower }, query });
  }

  /** The follower of one pair holds where it is; the other pairs go on. */
  endPair(follower: string): Promise<Schemas['StatusResponse']> {
    return this.call('post', '/api/v1/pairs/end', { body: { follower } });
  }

  /** A pair of any two arms of the laboratory, each with the address of its bridge as bridges() tells it; none: this one. */
  startPairAcross(
    leader: Schemas['BridgeArm'],
    follower: Schemas['BridgeArm'],
    {
      take_over,
      uncalibrated,
      ...fields
    }: Omit<Schemas['BridgesPairStartRequest'], 'leader' | 'follower'> & Moving = {},
  ): Promise<Schemas['StatusResponse']> {
    const query = given({ take_over, uncalibrated });
    return this.call('post', '/api/v1/bridges/pairs/start', { body: { ...fields, leader, follower }, query });
  }

  /** Ends such a pair. @param bridge address of the bridge that has the leader; null: this one */
  endPairAcross(follower: string, bridge: string | null = null): Promise<Schemas['StatusResponse']> {
    return this.call('post', '/api/v1/bridges/pairs/end', { body: { follower, bridge } });
  }

  /**
   * The followers hold where they are.
   * @param release what becomes of leaders whose weight is held: with `take_over` they are let go at once although somebody else
   *   has started them
   */
  stopMirroring(release?: Release, { take_over }: Pick<Meaning, 'take_over'> = {}): Promise<Schemas['StatusResponse']> {
    return this.call('post', '/move/leader/stop', { query: given({ release, take_over }) });
  }

  /** The pairs that mirror, each with its rate and latency, and why mirroring has ended. */
  pairs(): Promise<Schemas['PairList']> {
    return this.call('get', '/api/v1/pairs');
  }

  /** Who did what, and what came of it: the newest first. @param query which of it; `since` in seconds since the epoch; to go back, `before` is the `id` of the last */
  async events(query: QueryOf<paths['/api/v1/events']['get']> = {}): Promise<Schemas['JournalEvent'][]> {
    return (await this.call('get', '/api/v1/events', { query })).events;
  }

  /**
   * The newest lines of the bridge's log, from number `start` on. To follow it, pass `next` as `start`; to go back, pass
   * `first` as `before`.
   */
  log(start = 0, before?: number): Promise<Schemas['LogAnswer']> {
    return this.call('get', '/api/v1/log', { query: { start, ...(before === undefined ? {} : { before }) } });
  }

  /** The configuration in use, without secrets. */
  config(): Promise<AnswerOf<paths['/api/v1/config']['get']>> {
    return this.call('get', '/api/v1/config');
  }

  /** Frames of the live stream, for ever: first `hello`, then those of the topics. One that breaks is taken up anew. */
  live(options: LiveOptions = {}): AsyncGenerator<LiveFrame, void, void> {
    const { topics, rate } = options;
    const query = { ...(topics ? { topics: topics.join(',') } : {}), ...(rate ? { rate } : {}) };
    const open = async (signal: AbortSignal) =>
      eventsOf(await this.send('GET', '/api/v1/live', { query, signal, accept: 'text/event-stream' }));
    return liveFrames(open, options);
  }
}

/**
 * An arm's entry of arms().
 * @param key its name, or its id: another arm may have that when the bridge starts again
 * @throws {BridgeError} when there is none
 */
export async function overview(bridge: Bridge, key: string | number): Promise<Schemas['ArmOverview']> {
  const arms = await bridge.arms();
  const arm = arms.find(({ id, name }) => (typeof key === 'string' ? name : id) === key);
  if (arm !== undefined) return arm;
  const known = arms.map(({ name, id }) => `${name} (${id})`).join(', ') || 'none';
  const what = typeof key === 'string' ? `arm "${key}"` : `arm with the id ${key}`;
  throw new BridgeError(`the bridge has no ${what}, only ${known}`, { code: 'unknown_arm' });
}
