import { originOf } from '../arm/journal.ts';
import type { Arm, Caller, Owner } from '../arm/types.ts';
import type { Clients } from './clients.ts';
import { HttpProblem } from './errors.ts';
import type { HttpServices } from './services.ts';

/** An unanswered ask ends after this time, s; a refused ask cannot be repeated earlier. */
export const ASK_TIME = 60;
/** The outcome of an ask can be read for this long after that time, s. */
const KEPT = 10;
/** Most asks kept at once. */
export const MOST_ASKS = 64;

export const ASK_STATES = ['open', 'given', 'refused', 'over'] as const;

/** One client asks another for an arm. An ask moves nothing. */
export interface Ask {
  readonly id: string;
  readonly arm: Arm;
  readonly asker: Owner;
  /** Who is asked: the owner of the arm, or the starter of the pair that has it. */
  readonly owner: Owner;
  /** Seconds since the epoch. */
  readonly ends: number;
  readonly state: (typeof ASK_STATES)[number];
  /** Human-readable state. */
  readonly message: string;
}

type Draft = { -readonly [Field in keyof Ask]: Ask[Field] } & {
  /** Time of the ask, s, monotonic clock. */
  readonly put: number;
  /** An answer is being carried out. */
  answering: boolean;
};

/** Asks between HTTP clients: one for each asker and arm. */
export class Asks {
  readonly #services: Pick<HttpServices, 'clock' | 'mirror'>;
  readonly #clients: Clients;
  readonly #asks = new Map<string, Draft>();
  #next = 0;
  #changes = 1;

  constructor(services: Pick<HttpServices, 'clock' | 'mirror'>, clients: Clients) {
    this.#services = services;
    this.#clients = clients;
  }

  /** Change counter. It starts at 1 so that a client that has seen 0 receives the current asks. */
  get changes(): number {
    return this.#changes;
  }

  /** The oldest first. */
  get all(): Iterable<Ask> {
    return this.#asks.values();
  }

  /**
   * Asks for an arm, or returns the existing ask.
   * @returns null if nobody else has the arm
   * @throws {BridgeError} owned, if the owner has no live stream open and would not hear of the ask
   * @throws {HttpProblem} 503 if there are too many asks
   */
  put(arm: Arm, asker: Owner): Ask | null {
    this.look();
    const owner = this.#holderOf(arm);
    if (owner === null || owner.key === asker.key) return null;
    const before = [...this.#asks.values()].find((ask) => ask.arm === arm && ask.asker.key === asker.key);
    if (before?.owner.key === owner.key && (before.state === 'open' || before.state === 'refused')) return before;
    const refused = arm.refusalFor({ owner: asker, takeOver: false });
    if (refused !== null && !this.#clients.hears(owner)) throw refused;
    if (before !== undefined) this.#asks.delete(before.id);
    if (this.#asks.size >= MOST_ASKS)
      throw new HttpProblem(503, 'Too many people ask for arms: ask again in a minute.');
    const { clock } = this.#services;
    const id = `${Math.round(clock.wall()).toString(36)}-${(++this.#next).toString(36)}`;
    const ask: Draft = {
      id,
      arm,
      asker,
      owner,
      ends: clock.wall() + ASK_TIME,
      state: 'open',
      message: `${owner.name} is asked for ${arm.name}.`,
      put: clock.now(),
      answering: false,
    };
    this.#asks.set(id, ask);
    this.#changes++;
    return ask;
  }

  /**
   * Answers an ask. Giving the arm away releases it: it holds and is free, and its pair ends.
   * @throws {HttpProblem} 404, 403 if the caller was not asked, 409 if the ask is over
   * @throws {BridgeError} if the arm cannot be released
   */
  async answer(arm: Arm, id: string, give: boolean, caller: Caller): Promise<Ask> {
    this.look();
    const ask = this.#asks.get(id);
    if (ask === undefined || ask.arm !== arm)
      throw new HttpProblem(404, 'There is no such request for the arm, or it is over.');
    const { owner } = ask;
    if (owner.key !== caller.owner.key) throw new HttpProblem(403, `This is asked of ${owner.name} alone.`);
    if (ask.state !== 'open' || ask.answering)
      throw new HttpProblem(409, 'This request for the arm has been answered already.');
    if (!give) {
      this.#settle(ask, 'refused', `${owner.name} keeps ${arm.name} for now.`);
      return ask;
    }
    ask.answering = true;
    try {
      await this.#giveAway(arm, caller);
      this.#settle(ask, 'given', `${owner.name} gives ${arm.name} away: it is free.`);
    } finally {
      ask.answering = false;
    }
    return ask;
  }

  /** Closes asks that have become pointless, and deletes old ones. */
  look(): void {
    const now = this.#services.clock.now();
    for (const ask of this.#asks.values()) {
      const { arm, owner, put } = ask;
      if (now - put > ASK_TIME + KEPT) {
        this.#asks.delete(ask.id);
        this.#changes++;
      } else if (ask.state === 'open' && !ask.answering) {
        const holder = this.#holderOf(arm);
        if (holder === null) this.#settle(ask, 'over', `${arm.name} is free.`);
        else if (holder.key !== owner.key) this.#settle(ask, 'over', `${holder.name} has ${arm.name} now.`);
        else if (now - put > ASK_TIME) this.#settle(ask, 'over', `${owner.name} has not answered.`);
        else if (this.#clients.hasGone(ask.asker)) this.#settle(ask, 'over', 'Who has asked has gone.');
      }
    }
  }

  #settle(ask: Draft, state: Ask['state'], message: string): void {
    ask.state = state;
    ask.message = message;
    this.#changes++;
  }

  /** Who can give the arm away; null: the arm is free. */
  #holderOf(arm: Arm): Owner | null {
    const { owner } = arm;
    return owner?.client ?? owner;
  }

  async #giveAway(arm: Arm, caller: Caller): Promise<void> {
    const { mirror } = this.#services;
    if (mirror.starterOf(arm) === null) {
      await arm.release(caller);
      return;
    }
    const reason = `${caller.owner.name} has given arm ${arm.name} away`;
    await arm.journal.during('release', arm.name, originOf(caller), () => mirror.leave(arm, reason));
  }
}
