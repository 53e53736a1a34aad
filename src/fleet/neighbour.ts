import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { ask, type Credentials, Untrusted } from './ask.ts';
import { type BridgeOverview, bounded, bridgeOverview } from './overview.ts';

/** A bridge counts as silent after this long without an answer, s. */
const SILENT = 3;
/** Time limits of a poll and of a stop, s: a stop is answered when the joints rest, or after 1 s. */
const ASK_LIMIT = 1;
const STOP_LIMIT = 2;
/** Time limit of other commands, s: the start of a pair waits until the arm of the other machine is found. */
const DO_LIMIT = 15;
const UNAUTHORISED = 401;
const FORBIDDEN = 403;

export const NEIGHBOUR_STATES = ['unknown', 'answers', 'refuses', 'untrusted', 'silent'] as const;
export type NeighbourState = (typeof NEIGHBOUR_STATES)[number];

/** How a bridge became known: by the configuration, or by an announcement on the network, which it may have withdrawn. */
export type NeighbourSource = 'configured' | 'announced' | 'withdrawn';

/** An announced bridge that never answered is forgotten after this long, s. */
const FORGET = 60;
/**
 * An announced bridge that has answered is remembered for this long a silence, s: if it crashed, its arms still hold, and a
 * stop must name it. A bridge that withdrew its announcement has ended on purpose, and is forgotten once it is silent.
 */
const REMEMBER = 24 * 3600;

/** Outcome of a command to another bridge. */
export interface Outcome {
  readonly ok: boolean;
  readonly message: string;
}

/** Outcome of a stop on one port. */
interface StopAttempt extends Outcome {
  /** Whether the bridge has answered on that port. */
  readonly answered: boolean;
}

const outcomeAnswer = z.object({ status: z.string(), message: z.string().max(1000).nullish() });
const refusal = z.object({
  detail: z.string().max(1000),
  code: z.string().nullish(),
  remedy: z.string().nullish(),
});

/** Another bridge has not carried out a command; the message is human-readable. */
export class NeighbourRefusal extends Error {
  /** Error code of its answer; null: no answer, or the answer has no code. */
  readonly code: string | null;
  /** Remedy in its answer; null: none. */
  readonly remedy: string | null;

  constructor(message: string, code: string | null = null, remedy: string | null = null) {
    super(message);
    this.code = code;
    this.remedy = remedy;
  }
}

/** Another bridge, polled for the state of its arms. */
export class Neighbour {
  readonly url: string;
  source: NeighbourSource;
  /** Id in its announcement; null: none. */
  announcedId: string | null = null;
  /** `unknown` until it has answered, or has been silent for too long. */
  state: NeighbourState = 'unknown';
  /** Why it refuses, is not trusted or is silent; empty otherwise. */
  reason = '';
  /** Its last overview; null: none yet. */
  overview: BridgeOverview | null = null;
  /** Time of its last answer, seconds since the epoch; null: never. */
  seen: number | null = null;
  readonly #clock: Clock;
  readonly #credentials: () => Credentials;
  /** Time of its last answer, or else of its creation, s, monotonic clock. */
  #heard: number;
  #asking = false;

  /** @param url scheme, host and port @param credentials those in force now: their files may be renewed */
  constructor(clock: Clock, url: string, source: NeighbourSource, credentials: () => Credentials) {
    this.#clock = clock;
    this.url = url;
    this.source = source;
    this.#credentials = credentials;
    this.#heard = clock.now();
  }

  /** Id of its run, by its own answer if there is one; null: unknown. */
  get id(): string | null {
    return this.overview?.id ?? this.announcedId;
  }

  /**
   * Whether other programs may be told to send it a token: the configuration names it, or it has answered with a certificate
   * that the laboratory's authority has signed. Anything on the network can announce itself.
   */
  get vouchedFor(): boolean {
    if (this.source === 'configured') return true;
    return !this.#credentials().anyAuthority && this.seen !== null && this.state !== 'untrusted';
  }

  /** Time since its last answer, s. */
  get silence(): number {
    return this.#clock.now() - this.#heard;
  }

  /** Whether it has been silent for so long that it need not be named any more. */
  isForgotten(): boolean {
    switch (this.source) {
      case 'configured':
        return false;
      case 'announced':
        return this.silence > (this.overview === null ? FORGET : REMEMBER);
      case 'withdrawn':
        return this.silence > SILENT;
    }
  }

  /** Polls the bridge, unless a poll is running. */
  async look(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      const { status, body } = await ask(
        this.#clock,
        new URL('/api/v1/bridge', this.url),
        'GET',
        this.#credentials(),
        ASK_LIMIT,
      );
      this.#heard = this.#clock.now();
      this.seen = this.#clock.wall();
      const { data } = bridgeOverview.safeParse(body);
      const overview = data === undefined ? null : bounded(data);
      if (status === 200 && overview !== null) {
        this.state = 'answers';
        this.reason = '';
        this.overview = overview;
      } else {
        this.state = 'refuses';
        this.reason = this.#refusalOf(status, body);
      }
    } catch (error) {
      const untrusted = error instanceof Untrusted;
      if (!untrusted && this.silence < SILENT) return;
      this.state = untrusted ? 'untrusted' : 'silent';
      this.reason = (error as Error).message;
    } finally {
      this.#asking = false;
    }
  }

  /**
   * Sends a command, within the rights of the token there.
   * @param path path of a route, with its query
   * @returns the outcome
   * @throws {NeighbourRefusal}
   */
  async command(path: string, order: object): Promise<Outcome> {
    const name = this.overview?.name ?? this.url;
    const told = await ask(
      this.#clock,
      new URL(path, this.url),
      'POST',
      this.#credentials(),
      DO_LIMIT,
      JSON.stringify(order),
    ).catch((error: Error) => {
      throw new NeighbourRefusal(`${name}: ${error.message}. Look at its page whether it has been done.`);
    });
    const { status, body } = told;
    const { data: done } = outcomeAnswer.safeParse(body);
    if (status === 200 && done !== undefined) return { ok: done.status === 'ok', message: done.message ?? '' };
    const { data } = refusal.safeParse(body);
    const open = status === UNAUTHORISED || status === FORBIDDEN ? ' It can be done on its own page.' : '';
    throw new NeighbourRefusal(`${name}: ${this.#refusalOf(status, body)}${open}`, data?.code, data?.remedy);
  }

  /**
   * Stops all its arms, over its main port and its stop port at once: the first success counts. The ports wait for the joints
   * for different times, so a failure of one of them counts only if the other one does not succeed either.
   */
  async stop(): Promise<Outcome> {
    const port = this.overview?.stop_port ?? null;
    const ways = [new URL('/api/v1/stop', this.url)];
    if (port !== null) {
      const alone = new URL('/stop', this.url);
      alone.port = String(port);
      ways.push(alone);
    }
    const attempts = ways.map((way) => this.#stopAt(way));
    const successes = attempts.map(async (attempt) => {
      const { ok, message } = await attempt;
      return ok ? { ok, message } : Promise.reject(new Error(message));
    });
    return Promise.any(successes).catch(async () => {
      const failures = await Promise.all(attempts);
      const { ok, message } = failures.find(({ answered }) => answered) ?? failures[0]!;
      return { ok, message };
    });
  }

  /** Outcome of a stop whose answer nobody waits for any more, because this bridge was silent before. */
  unconfirmedStop(): Outcome {
    const since = `silent for ${Math.round(this.silence)} s`;
    return { ok: false, message: `Not confirmed: ${since} (${this.reason}). Use its power switch.` };
  }

  async #stopAt(way: URL): Promise<StopAttempt> {
    const failed = (answered: boolean, why: string): StopAttempt => ({
      ok: false,
      message: `Not stopped: ${why}. Use its power switch.`,
      answered,
    });
    try {
      const { status, body } = await ask(this.#clock, way, 'POST', this.#credentials(), STOP_LIMIT);
      const { data } = outcomeAnswer.safeParse(body);
      if (status !== 200 || data === undefined) return failed(true, this.#refusalOf(status, body));
      return { ok: data.status === 'ok', message: data.message ?? '', answered: true };
    } catch (error) {
      return failed(false, (error as Error).message);
    }
  }

  #refusalOf(status: number, body: unknown): string {
    const told = refusal.safeParse(body);
    const words = told.success ? told.data.detail : `it answers ${status}`;
    if (status === UNAUTHORISED || status === FORBIDDEN) return `${words} (${this.#askedWith()})`;
    return told.success ? words : `${words}: it is no bridge, or one of another version`;
  }

  /** With what it has been asked, or what to do so that it is asked with a token. */
  #askedWith(): string {
    const { token } = this.#credentials();
    if (token !== null) return 'the token of fleet.token_file';
    if (this.source === 'configured') return 'asked without a token: name one in fleet.token_file';
    return (
      'found on the network, and asked without a token: name it in fleet.bridges, or give it a certificate that an ' +
      'authority of fleet.authority has signed'
    );
  }
}
