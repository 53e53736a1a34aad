/** After so many cycles in a row without an answer one is waited for long; the next time after twice as many. */
const FIRST_TRIAL = 8;
/** Cycles in a row that were answered when they had been asked twice count for so much less: lost answers are likelier then. */
const ASKED_TWICE = 1 / 4;
/** So long beyond the usual, s: the timer of a USB adapter, and some. */
const LONG = 0.02;
/** An answer is given this share of the time that one has taken. */
const MARGIN = 1.5;
/** What a bus is given beyond the usual goes back by this share when it answers in time, and when it does not answer. */
const FORGET = 0.02;
const GIVE_UP = 0.5;

/**
 * Learns which buses answer later than a cycle has time for: the timer of an adapter is long, or the machine busy. A loop
 * that gave up each of their answers too soon would hear nothing of them; so it waits for them, and is slower.
 */
export class SlowBuses {
  /** Time that each bus is given for its first answer beyond what all are given, s. */
  #learned = new Float64Array();
  /** Cycles in a row in which it did not answer its first request in time, and the number of them at which one is waited for long. */
  #missed = new Float64Array();
  #trial = new Float64Array();

  /** There is one bus more. Not for every cycle. */
  add(): void {
    const count = this.#learned.length + 1;
    this.#learned = grown(this.#learned, new Float64Array(count));
    this.#missed = grown(this.#missed, new Float64Array(count));
    this.#trial = grown(this.#trial, new Float64Array(count).fill(FIRST_TRIAL));
  }

  /** How much longer than usual the first answer of bus `index` is waited for in this cycle, s. */
  allowed(index: number): number {
    return this.#missed[index]! >= this.#trial[index]! ? LONG : this.#learned[index]!;
  }

  /** It has not answered in time, not even when it was asked again. */
  missed(index: number): void {
    this.#count(index, 1);
    this.#learned[index] = this.#learned[index]! * GIVE_UP;
  }

  /**
   * It has answered.
   * @param time from the request to the answer, s; NaN where nobody knows, as it was asked twice
   * @param usual time that every bus is given, s
   */
  answered(index: number, time: number, usual: number): void {
    if (Number.isNaN(time)) {
      this.#count(index, ASKED_TWICE);
      return;
    }
    this.#missed[index] = 0;
    this.#trial[index] = FIRST_TRIAL;
    const learned = this.#learned[index]!;
    if (time > usual) this.#learned[index] = Math.max(learned, Math.min(MARGIN * time - usual, LONG));
    else this.#learned[index] = learned * (1 - FORGET);
  }

  #count(index: number, cycles: number): void {
    if (this.#missed[index]! >= this.#trial[index]!) this.#trial[index] = 2 * this.#trial[index]!;
    this.#missed[index] = this.#missed[index]! + cycles;
  }
}

function grown<T extends Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
