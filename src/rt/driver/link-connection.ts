import type { Clock } from '../../clock.ts';
import { stepsToRadians } from '../../servo/calibration.ts';
import type { StartUp } from '../../servo/start-up.ts';
import { type Arming, both } from './arming.ts';
import { Connection } from './connection.ts';
import { planCheck, takeOver } from './servo-check.ts';
import type { ServoParts } from './servo-parts.ts';

const NOT_OPENED = 'not opened yet';
/**
 * Torque waits no longer than this for the check before it where answers are missing, s: whoever has asked may have forgotten it by
 * then. The check takes less than a second on a sound line, and more than 3 s behind an adapter whose timer is 16 ms.
 */
const RENEW_LIMIT = 5;
/** Where all answers come, but late, since the computer is busy, s. */
const BUSY_RENEW_LIMIT = 15;
/** Answers are missing where one of so many is. */
const ONE_MISSING_OF = 10;

/** What a connection tells its link. */
export interface LinkListener {
  warning(text: string): void;
  /** A cycle that waits for the bus is to go on. */
  settled(): void;
  /** Why torque must not be switched on, by the newest check; empty when it may. */
  torqueRefusal(): string;
}

/** Carries out what the connection of an arm decides: opens its bus, has its servos checked, takes over what they hold. */
export class LinkConnection {
  /** Why the arm is not up; empty while it is. */
  reason = NOT_OPENED;
  /** Goals that the servos held when they were checked last, or began to be armed, rad, by joint. */
  readonly adopted: Float64Array;
  readonly #parts: ServoParts;
  readonly #arming: Arming;
  readonly #listener: LinkListener;
  readonly #clock: Clock;
  readonly #connection: Connection;
  /** What the newest check found, and when it began, s. */
  #check: { readonly began: number; readonly found: StartUp | null } = { began: 0, found: null };
  /** Who waits for a check that torque has to wait for; null: nobody. */
  #asked: ((problem: string) => void) | null = null;
  /** Since when, s. */
  #askedSince = 0;
  /** Requests of checks until then, and how many of them had no answer. */
  #madeBefore = 0;
  #missedBefore = 0;

  constructor(parts: ServoParts, arming: Arming, listener: LinkListener) {
    const { session } = parts;
    this.#parts = parts;
    this.#arming = arming;
    this.#listener = listener;
    this.#clock = session.clock;
    this.adopted = new Float64Array(parts.joints.length);
    session.onLost = ({ message }) => this.#put('lost', message);
    this.#connection = new Connection({
      open: () =>
        session.open((outcome) => {
          if ('problem' in outcome) this.#put('failed', outcome.problem);
          else {
            for (const advice of outcome.result) listener.warning(advice);
            this.#put('opened');
          }
        }),
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

  /** Some servo held when it was checked last: what is only set in a limp servo was left as it was. */
  get foundHolding(): boolean {
    return this.#check.found?.servos.some(({ torque }) => torque) === true;
  }

  /** Torque has been asked for, and waits for a check. */
  get waiting(): boolean {
    return this.#asked !== null;
  }

  /** Once a cycle while servos are not read: tries again when its time has come. @param now monotonic, s */
  advance(now: number): void {
    if (this.waiting) this.#limitWait(now - this.#askedSince);
    this.#connection.advance(now);
  }

  /** Refuses torque that has waited too long for a check. @param waited s */
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

  /** What the servos hold is to be found out anew. */
  doubt(why: string): void {
    this.#put('doubt', why);
  }

  /** Torque has been asked for; what the servos are set to is found out before. @param settle is told why it does not come */
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
    this.#put('renew');
  }

  /** Tells whoever waits for torque, before it was begun to be switched on, why it does not come. */
  answer(problem: string): void {
    const asked = this.#asked;
    this.#asked = null;
    asked?.(problem);
  }

  /** Servos have been read back: those with torque hold these goals, whatever they were sent last. */
  adoptTaken(): void {
    const { slots, torque, measurements } = this.#parts;
    for (let i = 0; i < this.adopted.length; i++) {
      if (torque.holds[i] === 1) this.adopted[i] = stepsToRadians(slots[i]!.calibration, measurements.taken[i]!);
    }
  }

  /** Lets go of the bus until `attach`. @param done is called when the port is free */
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

  /** Hands an input to the connection. @param why it is not up then, for people */
  #put(input: Parameters<Connection['put']>[0], why = ''): void {
    const { state } = this.#connection;
    // Whoever has taken the arm off its bus has said why.
    if (why !== '' && state !== 'detached' && state !== 'leaving') this.reason = why;
    if (input === 'lost' || input === 'doubt') this.#arming.lose(why, this.#clock.now());
    this.#connection.put(input, this.#clock.now());
    if (!this.up) this.answer(this.reason);
  }

  #beginCheck(): void {
    const { expected, overloaded } = planCheck(this.#parts);
    const began = this.#clock.now();
    this.#parts.session.check(expected, overloaded, (outcome) => {
      if ('problem' in outcome) this.#put('failed', outcome.problem);
      else {
        this.#check = { began, found: outcome.result };
        this.#put('checked');
      }
    });
  }

  #take(): void {
    const { began, found } = this.#check;
    const told = takeOver(this.#parts, found!, began, this.#clock.now(), this.adopted);
    this.reason = '';
    const refusal = this.#listener.torqueRefusal();
    for (const text of told) this.#listener.warning(text);
    if (refusal !== '') this.#listener.warning(`no torque: ${refusal}`);
    const asked = this.#asked;
    this.#asked = null;
    if (asked !== null && refusal !== '') asked(`no torque: ${refusal}`);
    else if (asked !== null) this.#arming.ask(true, this.#clock.now(), asked);
  }
}
