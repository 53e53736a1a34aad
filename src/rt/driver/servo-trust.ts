import { defineMachine, Running } from '../../machine.ts';
import { AwakeClock, LONGEST_PAUSE } from '../loop/awake-clock.ts';

/** A servo that has been silent for this long (s) and this many cycles gets no goal until its torque has been read. */
const QUIET = 0.05;
const QUIET_CYCLES = 5;
/** If the host pauses for this long, any servo may have lost its supply meanwhile, s. */
export const PAUSE = 0.1;
/** Silence after which a servo counts as dead, s. */
const SILENCE = 0.5;
/** The same for a simulated servo, which waits for a busy host, s. */
const SIMULATED_SILENCE = 5;
/** Fraction of the watchdog's time after which it may have expired: a servo's answer arrives later than its request. */
const DOZE = 0.8;
/** Time for the others to lower the arm, s; longer than the way down may take, at first as usual, then at a crawl. */
const GRACE = 35;

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

/**
 * Which servos of an arm are lost: none; some, while the others carry it; all, or the others do not carry it; or a lost
 * servo has returned, or a watchdog may have expired.
 */
export type Loss = 'none' | 'some' | 'all' | 'returned';

/**
 * Which servos of an arm can be relied on. If a servo is dead or limp while the others carry the arm, the arm is not
 * ended at once: the others get time to lower it, until it is down or lowering is given up.
 */
export class ServoTrust {
  /** 1 for each servo that carries nothing: it is dead or limp. */
  readonly lost: Uint8Array;
  /** 1 for each servo that may be sent goals. */
  readonly trusted: Uint8Array;
  /** Number of lost servos, and the slot index of the first; -1 for none. */
  count = 0;
  first = -1;
  /** Some servo is muted. */
  anyMuted = false;
  /** Since the arm was checked some servo was muted, so that it may have lost its settings, or has been set otherwise. */
  uncertain = false;
  readonly #machines: readonly Running<
    keyof typeof SERVO_TRUST.states,
    keyof typeof SERVO_TRUST.inputs,
    keyof typeof SERVO_TRUST.effects
  >[];
  readonly #silence: number;
  readonly #doze: number;
  readonly #clock: AwakeClock;
  /** When the previous cycle began, s; 0 before the first. */
  #before = 0;
  /** When each servo was last heard, on `#clock`, s, and cycles since. */
  readonly #heard: Float64Array;
  readonly #missed: Uint32Array;
  /** The others carry on until then, s; infinite while none is lost. */
  #until = Number.POSITIVE_INFINITY;
  #returned = false;
  /** 1 for each lost servo that `takeNews` has not returned yet. */
  readonly #news: Uint8Array;

  /**
   * @param watchdog time of silence after which servos stop by themselves, s; infinite for servos that do not
   * @param simulated the servos are simulated, and wait for a busy host
   */
  constructor(servos: number, watchdog: number, simulated: boolean) {
    this.#machines = Array.from({ length: servos }, () => new Running(SERVO_TRUST));
    this.#silence = simulated ? SIMULATED_SILENCE : SILENCE;
    // Watchdogs go on counting while the host is paused.
    this.#clock = new AwakeClock(watchdog === Number.POSITIVE_INFINITY ? LONGEST_PAUSE : 0);
    this.#doze = DOZE * watchdog;
    this.lost = new Uint8Array(servos);
    this.trusted = new Uint8Array(servos).fill(1);
    this.#news = new Uint8Array(servos);
    this.#heard = new Float64Array(servos);
    this.#missed = new Uint32Array(servos);
  }

  /** The arm has been checked: all its servos answer and are set correctly. */
  checked(now: number): void {
    for (let i = 0; i < this.#machines.length; i++) this.#put(i, 'checked', now);
    this.#heard.fill(this.#clock.time);
    this.#missed.fill(0);
    this.#returned = false;
    this.#news.fill(0);
    this.uncertain = false;
    this.#until = Number.POSITIVE_INFINITY;
    this.#combine();
  }

  /** A cycle begins: detects servos that have fallen silent. @param now monotonic, s */
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

  /** A read has settled. @param answered whether this servo has answered it */
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

  /** No servo was read in this cycle, because a transaction has the bus. */
  skipped(): void {
    for (let i = 0; i < this.#missed.length; i++) this.#missed[i]!++;
  }

  /** A servo's torque has been read and is as expected. */
  proven(index: number, now: number): void {
    this.#put(index, 'proven', now);
  }

  /** A servo has lost its torque by itself. */
  fell(index: number, now: number): void {
    this.#put(index, 'fell', now);
  }

  /** The arm is down, or nobody lowers it any more. */
  giveUp(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  /**
   * Which servos are lost.
   * @param carries the others hold the arm, and no torque command is under way
   */
  loss(carries: boolean, now: number): Loss {
    if (this.#returned) return 'returned';
    if (this.count === 0) return 'none';
    if (!carries || this.count === this.#machines.length) return 'all';
    if (this.#until === Number.POSITIVE_INFINITY) this.#until = now + GRACE;
    return now <= this.#until ? 'some' : 'all';
  }

  /** Slot index of a servo that has been lost since the arm was checked, each once; -1: there is no other. */
  takeNews(): number {
    const index = this.#news.indexOf(1);
    if (index >= 0) this.#news[index] = 0;
    return index;
  }

  /** Whether a servo answers and is limp. */
  isLimp(index: number): boolean {
    return this.#machines[index]!.state === 'limp';
  }

  /** Message for people: this servo, or every servo, is silent. */
  silenceText(label: string): string {
    return this.count === this.#machines.length
      ? `no servo has answered for ${this.#silence} s: check its power and its bus cable`
      : `${label} has not answered for ${this.#silence} s: check the cable into it`;
  }

  #put(index: number, input: keyof typeof SERVO_TRUST.inputs, now: number): void {
    const effects = this.#machines[index]!.put(input, now);
    for (let i = 0; i < effects.length; i++) {
      if (effects[i] === 'doubt') this.#returned = true;
      else {
        this.#news[index] = 1;
        // The way down around it takes as long again.
        this.#until = Number.POSITIVE_INFINITY;
      }
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
