import type { Clock } from '../../clock.ts';
import { stepsToRadians } from '../../servo/calibration.ts';
import type { StartUp } from '../../servo/start-up.ts';
import { type Arming, both } from './arming.ts';
import { Connection } from './connection.ts';
import { planCheck, takeOver } from './servo-check.ts';
import type { ServoParts } from './servo-parts.ts';

const NOT_OPENED = 'not opened yet';
/**
 * Longest wait of a torque request for its check if answers are missing, s: later, the requester may have forgotten it.
 * The check takes less than a second on a sound line, and more than 3 s behind an adapter whose timer is 16 ms.
 */
const RENEW_LIMIT = 5;
/** The same if all answers come, but late, because the computer is busy, s. */
const BUSY_RENEW_LIMIT = 15;
/** Answers count as missing if at least one in this many is. */
const ONE_MISSING_OF = 10;

/** Reports of a connection to its link. */
export interface LinkListener {
  warning(text: string): void;
  /** A cycle that waits for the bus must go on. */
  settled(): void;
  /** Why torque must not be switched on, by the newest check; empty if it may be. */
  torqueRefusal(): string;
}

/** Carries out the decisions of an arm's connection: opens the bus, checks the servos, takes over what they hold. */
export class LinkConnection {
  /** Why the arm is not up; empty while it is. */
  reason = NOT_OPENED;
  /** Goals that the servos held at the last check, or when arming began, rad, by joint. */
  readonly adopted: Float64Array;
  readonly #parts: ServoParts;
  readonly #arming: Arming;
  readonly #listener: LinkListener;
  readonly #clock: Clock;
  readonly #connection: Connection;
  /** The newest check: when it began, s, and what it found; null before the first. */
  #check: { readonly began: number; readonly found: StartUp | null } = { began: 0, found: null };
  /** Callback of the torque request that waits for a check; null if there is none. */
  #asked: ((problem: string) => void) | null = null;
  /** When that request came, s. */
  #askedSince = 0;
  /** Bus requests that checks had made by then, and how many of them had no answer. */
  #madeBefore = 0;
  #missedBefore = 0;
  /** Warnings of the newest check. */
  #told: readonly string[] = [];

  constructor(parts: ServoParts, arming: Arming, listener: LinkListener) {
    const { session } = parts;
    this.#parts = parts;
    this.#arming = arming;
    this.#listener = listener;
    this.#clock = session.clock;
    this.adopted = new Float64Array(parts.joints.length);
    session.onLost = ({ message }) => this.#put('lost', message);
    this.#connection = new Connection({
      open: () => {
        parts.watchdog?.forget(this.#clock.now());
        session.open((outcome) => {
          if ('problem' in outcome) this.#put('failed', outcome.problem);
          else {
            for (const advice of outcome.result) listener.warning(advice);
            this.#put('opened');
          }
        });
      },
      check: () => this.#beginCheck(),
      take: () => this.#take(),
      settle: () => {
        session.bus.abandon();
        listener.settled();
      },
      close: () => {
        session.bus.abandon();
        session.close();
      },
    });
  }

  get up(): boolean {
    return this.#connection.up;
  }

  /** Servos are read and written in each cycle. */
  get reading(): boolean {
    return this.#connection.reading;
  }

  /** A torque request waits for a check. */
  get waiting(): boolean {
    return this.#asked !== null;
  }

  /**
   * Call once per cycle, before its read: begins the check that a torque request waits for, and retries when the time
   * has come.
   * @param now monotonic, s
   * @param free no transaction is running on the bus, and none has a servo's EEPROM open
   */
  advance(now: number, free: boolean): void {
    if (this.waiting) this.#limitWait(now - this.#askedSince);
    if (!this.reading) this.#connection.advance(now);
    else if (this.waiting && free) this.#put('renew');
  }

  /** Refuses a torque request that has waited too long for its check. @param waited s */
  #limitWait(waited: number): void {
    if (waited <= RENEW_LIMIT) return;
    const { made, missed } = this.#parts.session.asks;
    const disturbed = (missed - this.#missedBefore) * ONE_MISSING_OF >= made - this.#madeBefore;
    if (disturbed) {
      this.answer(
        `its servos could not be checked within ${RENEW_LIMIT} s: the line to them is disturbed, check its cables`,
      );
    } else if (waited > BUSY_RENEW_LIMIT) {
      this.answer(
        `its servos could not be checked within ${BUSY_RENEW_LIMIT} s, although they answer: this computer is too busy, end other programs`,
      );
    }
  }

  /** Has the servos checked again, because their state is uncertain. @param why for people */
  doubt(why: string): void {
    this.#put('doubt', why);
  }

  /**
   * Has the servos checked before torque goes on, from the next cycle on: the read of this one may be under way.
   * @param settle called with the reason for a failure; with an empty string on success
   */
  renew(settle: (problem: string) => void): void {
    if (this.#asked !== null) {
      this.#asked = both(this.#asked, settle);
      return;
    }
    this.#asked = settle;
    this.#askedSince = this.#clock.now();
    const { made, missed } = this.#parts.session.asks;
    this.#madeBefore = made;
    this.#missedBefore = missed;
  }

  /** Refuses the torque request that waits for a check, for this reason. */
  answer(problem: string): void {
    const asked = this.#asked;
    this.#asked = null;
    asked?.(problem);
  }

  /** Adopts the goals read back from servos with torque, whatever they were sent last. */
  adoptTaken(): void {
    const { slots, torque, measurements } = this.#parts;
    for (let i = 0; i < this.adopted.length; i++) {
      if (torque.holds[i] === 1) this.adopted[i] = stepsToRadians(slots[i]!.calibration, measurements.taken[i]!);
    }
  }

  /** Releases the bus until `attach`. @param done called when the port is free */
  detach(reason: string, done: () => void): void {
    const { session } = this.#parts;
    session.abandon(reason);
    this.#arming.lose(reason, this.#clock.now());
    this.#put('detach', reason);
    this.reason = reason;
    session.close(done);
  }

  attach(): void {
    const { state } = this.#connection;
    if (state !== 'detached' && state !== 'leaving') return;
    this.#put('attach', NOT_OPENED);
    this.reason = NOT_OPENED;
  }

  /** Hands an input to the connection. @param why the arm is then not up, for people */
  #put(input: Parameters<Connection['put']>[0], why = ''): void {
    const { state } = this.#connection;
    // The request that took the arm off its bus has given the reason.
    if (why !== '' && state !== 'detached' && state !== 'leaving') this.reason = why;
    if (input === 'lost' || input === 'doubt') this.#arming.lose(why, this.#clock.now());
    this.#connection.put(input, this.#clock.now());
    if (!this.up) this.answer(this.reason);
  }

  #beginCheck(): void {
    const { expected, overloaded, goesOn } = planCheck(this.#parts);
    const began = this.#clock.now();
    this.#parts.watchdog?.quiet(began);
    this.#parts.session.check(expected, overloaded, goesOn, (outcome) => {
      if ('problem' in outcome) this.#put('failed', outcome.problem);
      else {
        this.#check = { began, found: outcome.result };
        this.#put('checked');
      }
    });
  }

  #take(): void {
    const { began, found } = this.#check;
    const asked = this.#asked;
    this.#asked = null;
    const told = takeOver(this.#parts, found!, began, this.#clock.now(), this.adopted, asked !== null);
    this.reason = '';
    const refusal = this.#listener.torqueRefusal();
    if (refusal !== '') told.push(`no torque: ${refusal}`);
    // Whoever switches torque on again and again is told once.
    const known = asked === null ? [] : this.#told;
    for (const text of told) if (!known.includes(text)) this.#listener.warning(text);
    this.#told = told;
    if (asked !== null && refusal !== '') asked(`no torque: ${refusal}`);
    else if (asked !== null) this.#arming.ask(true, this.#clock.now(), asked);
  }
}
