import type { Arm, Caller, Joints, Owner } from '../arm/types.ts';
import { BridgeError, Cancelled } from '../arm/types.ts';
import type { Clock, Timer } from '../clock.ts';
import { messageOf } from '../message-of.ts';
import type { Clients } from './clients.ts';
import { HttpProblem } from './errors.ts';
import { Faults } from './validation.ts';

/** Most motions kept; running motions are always kept. */
const MOST_MOTIONS = 100;
/** Longest wait for a cancelled motion to end, s. */
const END_LIMIT = 2;
/** Most motions in one answer, and most characters kept of a failure message. */
export const MOST_LISTED = 50;
const LONGEST_MESSAGE = 300;
const MOST_KEYS = 1000;

export const MOTION_STATES = ['moving', 'done', 'failed', 'cancelled'] as const;

/** Outcome of a motion. */
export interface MotionEnd {
  readonly ok: boolean;
  /** Why it was not completed; null if it was. */
  readonly message: string | null;
}

/** A motion that has started. It outlives its request, so it keeps nothing of it: no body and no connection. */
export interface Motion {
  readonly id: string;
  readonly arm: Arm;
  readonly kind: string;
  readonly owner: Owner;
  /** Id of its request; null if it was no HTTP request. */
  readonly request: string | null;
  /** Seconds since the epoch. */
  readonly began: number;
  /** Its part of the arm, and the number of its present leg; that of its last session, if it needed several. */
  taken: { readonly motion: number | null; readonly joints: Joints };
  state: (typeof MOTION_STATES)[number];
  message: string | null;
  /** Seconds since the epoch; null while it runs. */
  ended: number | null;
}

interface Under {
  readonly motion: Motion;
  readonly cancel: AbortController;
  /** No request waits for it, so it ends when its client has gone. */
  readonly alone: boolean;
  /** Reason for cancelling; null if it is not cancelled. */
  why: string | null;
  /** Resolves when it has ended. */
  readonly over: Promise<void>;
}

/** The motion of an idempotency key. */
interface Keyed {
  readonly asked: string;
  /** Settles when the motion has begun, or has been refused; null if its client has gone. */
  readonly living: Promise<Motion | null>;
}

/**
 * Motions of HTTP clients, both those a request waits for and those followed by id. A motion is listed from the moment
 * its client has the arm.
 */
export class Motions {
  readonly #clock: Clock;
  readonly #motions = new Map<string, Under>();
  readonly #keys = new Map<string, Keyed>();
  #next = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs a motion whose request waits for it.
   * @param work receives a caller whose signal also aborts when the motion is cancelled
   */
  run<T extends MotionEnd>(arm: Arm, kind: string, caller: Caller, work: (caller: Caller) => Promise<T>): Promise<T> {
    return this.#run(arm, kind, caller, work, false, () => {});
  }

  /**
   * Starts a motion that continues after its request has been answered.
   * @throws {BridgeError} if it is refused
   * @throws {HttpProblem} 400 if it ends without having taken the arm
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
   * Starts a motion once for each key; a repeated request gets the same motion. A motion that never started, or that
   * ends at once because its client hung up while it was planned, leaves the key free: the repetition starts it anew.
   * @param key idempotency key, after the key of its client and a blank
   * @param asked content of the request, equal for equal requests
   * @param caller of `begin`
   * @throws {HttpProblem} 422 if the key was used for another motion
   */
  async once(key: string, asked: string, { signal }: Caller, begin: () => Promise<Motion>): Promise<Motion> {
    for (let before = this.#keys.get(key); before !== undefined; before = this.#keys.get(key)) {
      if (before.asked !== asked) {
        const faults = new Faults();
        const msg = 'This Idempotency-Key belongs to another motion: send a new key with each motion';
        faults.add('value_error', ['header', 'Idempotency-Key'], key.split(' ').at(-1), msg);
        faults.refuse();
      }
      const motion = await before.living;
      if (motion !== null) return motion;
    }
    const motion = begin();
    const keyed: Keyed = { asked, living: this.#living(motion, signal, () => this.#forget(key, keyed)) };
    // The request itself waits for `motion`, and a repetition need not come.
    keyed.living.catch(() => {});
    this.#keys.set(key, keyed);
    if (this.#keys.size > MOST_KEYS) this.#keys.delete(this.#keys.keys().next().value!);
    return motion;
  }

  /**
   * Waits until a motion has begun. The signal that ends the motion decides, not the state of the connection, which may be
   * lost before the signal aborts, and then ends no motion.
   * @param onLost called if it has not begun, or has and will end at once
   * @returns null if its client has gone
   */
  async #living(begun: Promise<Motion>, signal: AbortSignal | undefined, onLost: () => void): Promise<Motion | null> {
    try {
      const motion = await begun;
      if (signal?.aborted !== true) return motion;
    } catch (error) {
      if (signal?.aborted !== true) {
        onLost();
        throw error;
      }
    }
    onLost();
    return null;
  }

  #forget(key: string, keyed: Keyed): void {
    if (this.#keys.get(key) === keyed) this.#keys.delete(key);
  }

  /** Motions of an arm, newest first. */
  of(arm: Arm): Motion[] {
    return [...this.#motions.values()].flatMap(({ motion }) => (motion.arm === arm ? [motion] : [])).reverse();
  }

  /** @throws {HttpProblem} 404 */
  get(arm: Arm, id: string): Motion {
    return this.#find(arm, id).motion;
  }

  /**
   * Cancels a motion: its arm decelerates and holds. Resolves when it does, or after some seconds.
   * @returns `over` if the motion was over before, `braking` if it has not ended in time
   * @throws {BridgeError} owned
   */
  async cancel(arm: Arm, id: string, caller: Caller): Promise<'over' | 'holds' | 'braking'> {
    const under = this.#find(arm, id);
    if (under.motion.ended !== null) return 'over';
    const { joints } = under.motion.taken;
    // A client may always cancel its own motion: another owner may have the arm's other joints.
    const own = under.motion.owner.key === caller.owner.key;
    const refused = own ? null : arm.refusalFor(caller);
    if (refused !== null) throw refused;
    this.#end(under, `cancelled by ${caller.owner.name}`);
    let timer: Timer | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = this.#clock.after(END_LIMIT, () => resolve('late'));
    });
    const end = await Promise.race([under.over, late]);
    timer?.cancel();
    if (end === 'late') return 'braking';
    // The motion has ended where it began to brake.
    await arm.standing(joints);
    return 'holds';
  }

  /** Cancels unattended motions whose clients have gone. */
  endForsaken(clients: Clients): void {
    for (const under of this.#motions.values()) {
      const { motion, alone } = under;
      if (alone && motion.ended === null && clients.hasGone(motion.owner)) {
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
    let onOver = (): void => {};
    const over = new Promise<void>((resolve) => {
      onOver = resolve;
    });
    const onTaken: Caller['onTaken'] = (taken): void => {
      if (under !== null) {
        under.motion.taken = taken;
        return;
      }
      under = { motion: this.#make(arm, kind, caller, taken), cancel, alone, why: null, over };
      this.#keep(under);
      onBegun(under.motion);
    };
    const settle = ({ ok, message }: MotionEnd): void => {
      const { motion, why } = under ?? { motion: null, why: null };
      if (motion === null) return;
      motion.state = ok ? 'done' : why === null ? 'failed' : 'cancelled';
      motion.message = ok ? null : ((why ?? message)?.slice(0, LONGEST_MESSAGE) ?? null);
      motion.ended = this.#clock.wall();
      // The session would keep the request.
      motion.taken = { motion: null, joints: motion.taken.joints };
      onOver();
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

  #make(arm: Arm, kind: string, { owner, origin }: Caller, taken: Motion['taken']): Motion {
    const id = `${Math.round(this.#clock.wall()).toString(36)}-${(++this.#next).toString(36)}`;
    const request = origin?.request ?? null;
    const began = this.#clock.wall();
    return { id, arm, kind, owner, request, began, taken, state: 'moving', message: null, ended: null };
  }

  #keep(under: Under): void {
    this.#motions.set(under.motion.id, under);
    if (this.#motions.size <= MOST_MOTIONS) return;
    const over = [...this.#motions.values()].find(({ motion }) => motion.ended !== null);
    if (over !== undefined) this.#motions.delete(over.motion.id);
  }
}
