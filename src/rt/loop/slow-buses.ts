/** After this many cycles in a row without an answer, one is waited for long; the next time after twice as many. */
const FIRST_TRIAL = 8;
/** A cycle answered only after a repeat counts as this share of a missed one: a lost answer is likelier then. */
const ASKED_TWICE = 1 / 4;
/** The long wait beyond the usual time, s: the timer of a USB adapter, and some. */
const LONG = 0.02;
/** Time allowed for an answer, as a multiple of the time that one has taken. */
const MARGIN = 1.5;
/** A bus's extra time shrinks by these shares: after an answer in time, and after no answer. */
const FORGET = 0.02;
const GIVE_UP = 0.5;

/**
 * Learns which buses answer too late for a cycle, because an adapter's timer is long or the machine is busy. A loop
 * that always gave up too soon would never hear them, so it waits for them and runs slower.
 */
export class SlowBuses {
  /** Extra time for the first answer of each bus, beyond the time that all are given, s. */
  #learned = new Float64Array();
  /** Cycles in a row without a timely answer to the first request, and how many of them bring a long wait. */
  #missed = new Float64Array();
  #trial = new Float64Array();

  /** Adds a bus. Do not call from the control cycle. */
  add(): void {
    const count = this.#learned.length + 1;
    this.#learned = grown(this.#learned, new Float64Array(count));
    this.#missed = grown(this.#missed, new Float64Array(count));
    this.#trial = grown(this.#trial, new Float64Array(count).fill(FIRST_TRIAL));
  }

  /** Extra time for the first answer of bus `index` in this cycle, s. */
  allowed(index: number): number {
    return this.#missed[index]! >= this.#trial[index]! ? LONG : this.#learned[index]!;
  }

  /** The bus has not answered in time, not even to the repeated request. */
  missed(index: number): void {
    this.#count(index, 1);
    this.#learned[index] = this.#learned[index]! * GIVE_UP;
  }

  /**
   * The bus has answered.
   * @param time from request to answer, s; NaN if unknown, because the request was repeated
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
