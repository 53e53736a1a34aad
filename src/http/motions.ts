import type { Arm, Caller } from '../arm/types.ts';
import { BridgeError, Cancelled, messageOf } from '../arm/types.ts';
import type { Clock } from '../clock.ts';
import type { Clients } from './clients.ts';
import { HttpProblem } from './errors.ts';

/** Motions that are kept, those under way always. */
const MOST_MOTIONS = 100;
/** Motions in one answer at most, and characters that are kept of why one was not completed. */
export const MOST_LISTED = 50;
const LONGEST_MESSAGE = 300;
const MOST_KEYS = 1000;

export const MOTION_STATES = ['moving', 'done', 'failed', 'cancelled'] as const;

/** What a motion comes to. */
export interface MotionEnd {
  readonly ok: boolean;
  /** Why it was not completed; null when it was. */
  readonly message: string | null;
}

/** A motion that has begun. */
export interface Motion {
  readonly id: string;
  readonly arm: Arm;
  readonly kind: string;
  readonly caller: Caller;
  /** Seconds since the epoch. */
  readonly began: number;
  state: (typeof MOTION_STATES)[number];
  message: string | null;
  /** Seconds since the epoch; null while it is under way. */
  ended: number | null;
}

interface Under {
  readonly motion: Motion;
  readonly cancel: AbortController;
  /** Nobody waits for its answer: it ends when its client has gone. */
  readonly alone: boolean;
  /** Why it is cancelled; null while it is not. */
  why: string | null;
}

/**
 * The motions that clients of HTTP have asked for, whether they wait for the answer or look after them by their ids. A motion is
 * one from the moment at which its client has the arm.
 */
export class Motions {
  readonly #clock: Clock;
  readonly #motions = new Map<string, Under>();
  readonly #keys = new Map<string, { readonly asked: string; readonly motion: Promise<Motion> }>();
  #next = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs a motion for a client that waits for it.
   * @param work given a caller whose signal also aborts when the motion is cancelled
   */
  run<T extends MotionEnd>(arm: Arm, kind: string, caller: Caller, work: (caller: Caller) => Promise<T>): Promise<T> {
    return this.#run(arm, kind, caller, work, false, () => {});
  }

  /**
   * Begins a motion that goes on when its request has been answered.
   * @throws {BridgeError} as it is refused @throws {HttpProblem} 400 for one that cannot be done
   */
  start(arm: Arm, kind: string, caller: Caller, work: (caller: Caller) => Promise<MotionEnd>): Promise<Motion> {
    return new Promise((resolve, reject) => {
      this.#run(arm, kind, caller, work, true, resolve).then(
        ({ message }) => reject(new HttpProblem(400, message ?? 'There was nothing to move.')),
        reject,
      );
    });
  }

  /**
   * Begins a motion, unless its client has asked for it already.
   * @param key that the client has given it @param asked what it is to be, equal for equal requests
   * @throws {HttpProblem} 422 for a key that stood for another one
   */
  once(key: string, asked: string, begin: () => Promise<Motion>): Promise<Motion> {
    const before = this.#keys.get(key);
    if (before !== undefined) {
      if (before.asked === asked) return before.motion;
      throw new HttpProblem(422, 'This Idempotency-Key has stood for another motion: give each motion one of its own.');
    }
    const motion = begin();
    this.#keys.set(key, { asked, motion });
    if (this.#keys.size > MOST_KEYS) this.#keys.delete(this.#keys.keys().next().value!);
    // What has not begun may be asked for again.
    motion.catch(() => this.#keys.delete(key));
    return motion;
  }

  /** The newest first. */
  of(arm: Arm): Motion[] {
    return [...this.#motions.values()].flatMap(({ motion }) => (motion.arm === arm ? [motion] : [])).reverse();
  }

  /** @throws {HttpProblem} 404 */
  get(arm: Arm, id: string): Motion {
    return this.#find(arm, id).motion;
  }

  /** Ends a motion: its arm decelerates and holds. @returns false when it was over @throws {BridgeError} owned */
  cancel(arm: Arm, id: string, caller: Caller): boolean {
    const under = this.#find(arm, id);
    if (under.motion.ended !== null) return false;
    // Somebody else may have its other joints.
    const own = under.motion.caller.owner.key === caller.owner.key;
    const refused = own ? null : arm.refusalFor(caller);
    if (refused !== null) throw refused;
    this.#end(under, `cancelled by ${caller.owner.name}`);
    return true;
  }

  /** Ends what nobody looks after any more. */
  endForsaken(clients: Clients): void {
    for (const under of this.#motions.values()) {
      const { motion, alone } = under;
      if (alone && motion.ended === null && clients.hasGone(motion.caller.owner)) {
        this.#end(under, 'its client has not been heard for a while');
      }
    }
  }

  /** Ends all motions. */
  close(): void {
    for (const under of this.#motions.values()) this.#end(under, 'the bridge is ending');
  }

  #end(under: Under, why: string): void {
    under.why ??= why;
    under.cancel.abort(new Cancelled(why));
  }

  #find(arm: Arm, id: string): Under {
    const found = this.#motions.get(id);
    if (found !== undefined && found.motion.arm === arm) return found;
    throw new HttpProblem(404, `Arm ${arm.name} has no motion of this id, or none any more.`);
  }

  async #run<T extends MotionEnd>(
    arm: Arm,
    kind: string,
    caller: Caller,
    work: (caller: Caller) => Promise<T>,
    alone: boolean,
    onBegun: (motion: Motion) => void,
  ): Promise<T> {
    const cancel = new AbortController();
    let under: Under | null = null;
    const onTaken = (): void => {
      if (under !== null) return;
      under = { motion: this.#make(arm, kind, caller), cancel, alone, why: null };
      this.#keep(under);
      onBegun(under.motion);
    };
    const settle = ({ ok, message }: MotionEnd): void => {
      const { motion, why } = under ?? { motion: null, why: null };
      if (motion === null) return;
      motion.state = ok ? 'done' : why === null ? 'failed' : 'cancelled';
      motion.message = ok ? null : ((why ?? message)?.slice(0, LONGEST_MESSAGE) ?? null);
      motion.ended = this.#clock.wall();
    };
    const asker: Caller = {
      ...caller,
      onTaken,
      get signal() {
        const { signal } = caller;
        return signal === undefined ? cancel.signal : AbortSignal.any([signal, cancel.signal]);
      },
    };
    try {
      const end = await work(asker);
      settle(end);
      return end;
    } catch (error) {
      settle({ ok: false, message: error instanceof BridgeError ? error.message : messageOf(error) });
      throw error;
    }
  }

  #make(arm: Arm, kind: string, caller: Caller): Motion {
    const id = `${Math.round(this.#clock.wall()).toString(36)}-${(++this.#next).toString(36)}`;
    return { id, arm, kind, caller, began: this.#clock.wall(), state: 'moving', message: null, ended: null };
  }

  #keep(under: Under): void {
    this.#motions.set(under.motion.id, under);
    if (this.#motions.size <= MOST_MOTIONS) return;
    const over = [...this.#motions.values()].find(({ motion }) => motion.ended !== null);
    if (over !== undefined) this.#motions.delete(over.motion.id);
  }
}
