import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { ask, type Credentials } from './ask.ts';
import { type BridgeOverview, bridgeOverview } from './overview.ts';

/** A bridge that has not answered for so long is silent, s. */
const SILENT = 3;
/** A question and a stop wait for so long, s: a stop is answered when the joints rest, or after a second. */
const ASK_LIMIT = 1;
const STOP_LIMIT = 2;
const UNAUTHORISED = 401;
const FORBIDDEN = 403;

export const NEIGHBOUR_STATES = ['unknown', 'answers', 'refuses', 'silent'] as const;
export type NeighbourState = (typeof NEIGHBOUR_STATES)[number];

/** What became of a stop of another bridge. */
export interface StopOutcome {
  readonly ok: boolean;
  readonly message: string;
}

const stopAnswer = z.object({ status: z.string(), message: z.string().max(1000).nullish() });
const refusal = z.object({ detail: z.string().max(1000) });

/** Another bridge: asked again and again how its arms are. */
export class Neighbour {
  readonly url: string;
  /** The configuration names it; others have been found on the network. */
  readonly configured: boolean;
  /** `unknown` until it has answered, or not answered in time. */
  state: NeighbourState = 'unknown';
  /** Why it refuses or is silent; empty otherwise. */
  reason = '';
  /** What it said last; null: nothing yet. */
  overview: BridgeOverview | null = null;
  /** When it was heard last, seconds since the epoch; null: never. */
  seen: number | null = null;
  readonly #clock: Clock;
  readonly #credentials: Credentials;
  /** When it was heard last, or first asked, s. */
  #heard: number;
  #asking = false;

  /** @param url scheme, host and port */
  constructor(clock: Clock, url: string, configured: boolean, credentials: Credentials) {
    this.#clock = clock;
    this.url = url;
    this.configured = configured;
    this.#credentials = credentials;
    this.#heard = clock.now();
  }

  /** Time since it was heard, s. */
  get silence(): number {
    return this.#clock.now() - this.#heard;
  }

  /** Asks it how its arms are, unless it is being asked. */
  async look(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      const { status, body } = await ask(
        this.#clock,
        new URL('/api/v1/bridge', this.url),
        'GET',
        this.#credentials,
        ASK_LIMIT,
      );
      this.#heard = this.#clock.now();
      this.seen = this.#clock.wall();
      const overview = bridgeOverview.safeParse(body);
      if (status === 200 && overview.success) {
        this.state = 'answers';
        this.reason = '';
        this.overview = overview.data;
      } else {
        this.state = 'refuses';
        this.reason = refusalOf(status, body);
      }
    } catch (error) {
      if (this.silence < SILENT) return;
      this.state = 'silent';
      this.reason = (error as Error).message;
    } finally {
      this.#asking = false;
    }
  }

  /** Stops all its arms: by its main port and by the one that hears stops alone, whichever answers first. */
  async stop(): Promise<StopOutcome> {
    const port = this.overview?.stop_port ?? null;
    const ways = [new URL('/api/v1/stop', this.url)];
    if (port !== null) {
      const alone = new URL('/stop', this.url);
      alone.port = String(port);
      ways.push(alone);
    }
    const outcomes = ways.map(async (way) => {
      const { status, body } = await ask(this.#clock, way, 'POST', this.#credentials, STOP_LIMIT);
      const told = stopAnswer.safeParse(body);
      if (status !== 200 || !told.success) throw new Error(refusalOf(status, body));
      return { ok: told.data.status === 'ok', message: told.data.message ?? '' };
    });
    try {
      return await Promise.any(outcomes);
    } catch (error) {
      const causes = (error as AggregateError).errors as Error[];
      return { ok: false, message: `Not stopped: ${causes[0]!.message}. Use its power switch.` };
    }
  }
}

function refusalOf(status: number, body: unknown): string {
  const told = refusal.safeParse(body);
  const words = told.success ? told.data.detail : `it answers ${status}`;
  if (status === UNAUTHORISED || status === FORBIDDEN) return `${words} (the token of fleet.token_file)`;
  return told.success ? words : `${words}: it is no bridge, or one of another version`;
}
