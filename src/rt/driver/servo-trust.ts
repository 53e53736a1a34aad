import { defineMachine, Running } from '../../machine.ts';
import { AwakeClock, LONGEST_PAUSE } from '../loop/awake-clock.ts';

/** A servo that has been silent for this long (s) and this many cycles gets no goal until its torque has been read. */
const QUIET = 0.05;
const QUIET_CYCLES = 5;
/** During a pause of the host of this length any servo may have lost its supply, s. */
export const PAUSE = 0.1;
/** Silence after which a servo counts as dead, s. */
const SILENCE = 0.5;
/** The same for a simulated servo, which waits for a busy host, s. */
const SIMULATED_SILENCE = 5;
/** Fraction of the watchdog's time after which it may have expired: a servo's answer arrives later than its request. */
const DOZE = 0.8;
/** Time for the others to lower the arm, s; more than the way down may take. */
const GRACE = 10;

/** Liveness of one servo: whether the loop may send it goals. */
export const SERVO_TRUST = defineMachine({
  name: 'Trust in a servo',
  states: {
    trusted: 'it gets goals',
    muted: 'it was silent for a moment and may have lost power: no goals until its torque has been read',
    dead: 'it does not answer: the others lower the arm',
    limp: 'it answers, but has lost its torque by itself: the others lower the arm',
  },
  inputs: {
    quiet: 'it has been silent for 50 ms and five cycles, or the host has stood still for 0.1 s',
    silent: 'it has been silent for 0.5 s (simulated: 5 s)',
    heard: 'it has answered',
    dozed: 'it has answered after so long that its watchdog may have expired: it would refuse goals',
    proven: 'its torque has been read and is as commanded',
    fell: 'its torque is off without a command',
    checked: 'the arm has been checked again',
  },
  effects: {
    lose: 'report that it no longer carries the arm',
    doubt: 'have the arm checked again',
  },
  initial: 'trusted',
  table: {
    trusted: {
      quiet: 'muted',
      silent: ['dead', 'lose'],
      heard: null,
      dozed: ['muted', 'doubt'],
      proven: null,
      fell: ['limp', 'lose'],
      checked: null,
    },
    muted: {
      quiet: null,
      silent: ['dead', 'lose'],
      heard: null,
      dozed: ['muted', 'doubt'],
      proven: 'trusted',
      fell: ['limp', 'lose'],
      checked: 'trusted',
    },
    dead: {
      quiet: null,
      silent: null,
      heard: ['muted', 'doubt'],
      dozed: ['muted', 'doubt'],
      proven: null,
      fell: null,
      checked: 'trusted',
    },
    limp: {
      quiet: null,
      silent: 'dead',
      heard: null,
      dozed: null,
      proven: null,
      fell: null,
      checked: 'trusted',
    },
  },
});

/** Why the servos of an arm are not enough to go on with. */
export type Loss = 'none' | 'some' | 'all' | 'returned';

/**
 * Which servos of an arm can be counted on. One that is dead or limp while the others carry the arm does not end it at
 * once: they are given time to lower it, until that is done or given up.
 */
export class ServoTrust {
  /** 1 for each servo that carries nothing: it is dead or limp. */
  readonly lost: Uint8Array;
  /** 1 for each servo that may be sent goals. */
  readonly trusted: Uint8Array;
  /** How many are lost, and the first of them; -1 for none. */
  count = 0;
  first = -1;
  /** Some servo is muted. */
  anyMuted = false;
  /** Some servo was muted since the arm was checked: it may have restarted, and what it was set to be gone. */
  uncertain = false;
  readonly #machines: readonly Running<
    keyof typeof SERVO_TRUST.states,
    keyof typeof SERVO_TRUST.inputs,
    keyof typeof SERVO_TRUST.effects
  >[];
  readonly #silence: number;
  readonly #doze: number;
  readonly #clock: AwakeClock;
  /** When the cycle before this one began, s; 0 before the first. */
  #before = 0;
  /** When each was heard last, by that clock, s, and cycles since. */
  readonly #heard: Float64Array;
  readonly #missed: Uint32Array;
  /** The others carry on until then, s; infinite while none is lost. */
  #until = Number.POSITIVE_INFINITY;
  #returned = false;
  #news = false;

  /**
   * @param watchdog time of silence after which servos stop by themselves, s; infinite for those that do not
   * @param simulated they wait for a busy host
   */
  constructor(servos: number, watchdog: number, simulated: boolean) {
    this.#machines = Array.from({ length: servos }, () => new Running(SERVO_TRUST));
    this.#silence = simulated ? SIMULATED_SILENCE : SILENCE;
    // Their watchdogs count while the host stands still, too.
    this.#clock = new AwakeClock(watchdog === Number.POSITIVE_INFINITY ? LONGEST_PAUSE : 0);
    this.#doze = DOZE * watchdog;
    this.lost = new Uint8Array(servos);
    this.trusted = new Uint8Array(servos).fill(1);
    this.#heard = new Float64Array(servos);
    this.#missed = new Uint32Array(servos);
  }

  /** The arm has been checked: all of its servos answer and are as they are to be. */
  checked(now: number): void {
    for (let i = 0; i < this.#machines.length; i++) this.#put(i, 'checked', now);
    this.#heard.fill(this.#clock.time);
    this.#missed.fill(0);
    this.#returned = false;
    this.#news = false;
    this.uncertain = false;
    this.#until = Number.POSITIVE_INFINITY;
    this.#combine();
  }

  /** A cycle begins: sees who has fallen silent. @param now monotonic, s */
  advance(now: number): void {
    this.#clock.advance(now);
    const { time } = this.#clock;
    const paused = this.#before !== 0 && now - this.#before > PAUSE;
    this.#before = now;
    for (let i = 0; i < this.#machines.length; i++) {
      const gap = time - this.#heard[i]!;
      if (paused || (gap > QUIET && this.#missed[i]! >= QUIET_CYCLES)) {
        this.uncertain = true;
        this.#put(i, 'quiet', now);
      }
      if (gap > this.#silence) this.#put(i, 'silent', now);
    }
    this.#combine();
  }

  /** A read has settled, in which a servo has answered or not. */
  answered(index: number, answered: boolean, now: number): void {
    if (!answered) {
      this.#missed[index]!++;
      return;
    }
    const gap = this.#clock.time - this.#heard[index]!;
    this.#missed[index] = 0;
    this.#heard[index] = this.#clock.time;
    this.#put(index, gap > this.#doze ? 'dozed' : 'heard', now);
  }

  /** No servo was asked in this cycle, since something else has their bus. */
  skipped(): void {
    for (let i = 0; i < this.#missed.length; i++) this.#missed[i]!++;
  }

  /** The torque of a servo has been read and is as it was left. */
  proven(index: number, now: number): void {
    this.#put(index, 'proven', now);
  }

  /** A servo has lost its torque by itself. */
  fell(index: number, now: number): void {
    this.#put(index, 'fell', now);
  }

  /** Nobody lowers the arm any more, or it is down. */
  giveUp(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  /**
   * What of the arm is lost.
   * @param carries the others hold it, and no torque command is under way
   */
  loss(carries: boolean, now: number): Loss {
    if (this.#returned) return 'returned';
    if (this.count === 0) return 'none';
    if (!carries || this.count === this.#machines.length) return 'all';
    if (this.#until === Number.POSITIVE_INFINITY) this.#until = now + GRACE;
    return now <= this.#until ? 'some' : 'all';
  }

  /** True once after a servo has been lost. */
  takeNews(): boolean {
    const news = this.#news;
    this.#news = false;
    return news;
  }

  /** Whether a servo answers and is limp. */
  isLimp(index: number): boolean {
    return this.#machines[index]!.state === 'limp';
  }

  /** For people. */
  silenceText(label: string): string {
    return this.count === this.#machines.length
      ? `no servo has answered for ${this.#silence} s: check its power and its bus cable`
      : `${label} has not answered for ${this.#silence} s: check the cable into it`;
  }

  #put(index: number, input: keyof typeof SERVO_TRUST.inputs, now: number): void {
    const effects = this.#machines[index]!.put(input, now);
    for (let i = 0; i < effects.length; i++) {
      if (effects[i] === 'doubt') this.#returned = true;
      else this.#news = true;
    }
  }

  #combine(): void {
    this.count = 0;
    this.first = -1;
    this.anyMuted = false;
    for (let i = this.#machines.length - 1; i >= 0; i--) {
      const { state } = this.#machines[i]!;
      this.trusted[i] = state === 'trusted' ? 1 : 0;
      this.lost[i] = state === 'dead' || state === 'limp' ? 1 : 0;
      if (state === 'muted') this.anyMuted = true;
      if (this.lost[i] === 0) continue;
      this.count++;
      this.first = i;
    }
  }
}
