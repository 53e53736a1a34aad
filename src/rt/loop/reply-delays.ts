/** An arm, by the line time of its read, s. */
interface Asked {
  readonly link: { readonly readTime: number };
}

/** The thread wakes this long before the last answer is complete, s; half of it is the return to the event loop. */
const EARLY = 60e-6;
/** Shorter sleeps are not worth their cost; longer ones would keep messages waiting, s. */
const SHORTEST = 150e-6;
const LONGEST = 2e-3;
/** An answer that is complete this soon after the sleep had arrived before its end, s. */
const PROMPT = 50e-6;
/** Rates at which delays are learned, downwards and upwards, and the most that one answer counts upwards, s. */
const DOWN = 1 / 4;
const UP = 1 / 64;
const MOST = 200e-6;
/** After a sleep that was too long, the next one is shorter by this, s. */
const LESS = 10e-6;
/** A sleep that ends this late had to wait for a processor, s. */
const LATE = 300e-6;
/** Sleeps over which the share of late ones is averaged, the share that stops sleeping, and for how long, s. */
const MEMORY = 32;
const CONTENDED = 0.05;
const PAUSE = 1;

/**
 * Tells how long to sleep until the answers of all buses are almost complete. Replies come one by one, and waking for
 * each costs the thread more than handling them; after a sleep, it finds them all in one piece. The sleep must end
 * before the last answer, so that it costs no time: for this, each bus's reply delay beyond line time is learned from
 * its quicker answers.
 *
 * Where other programs want the processors too, a sleeper queues for its turn, while a thread woken by I/O runs at
 * once. Sleeping then stops, apart from an occasional trial.
 */
export class ReplyDelays {
  /** Reply delay of each bus beyond line time, s. */
  #delays: Float64Array;
  #began = 0;
  /** Bus whose answer set the length of the last sleep; -1 without one. */
  #slowest = -1;
  #until = 0;
  #woke = 0;
  /** Share of late wake-ups among the last sleeps. */
  #lateness = 0;
  /** No sleep before this instant, s. */
  #resume = 0;

  constructor(buses = 0) {
    this.#delays = new Float64Array(buses);
  }

  /** Adds a bus. Do not call from the control cycle. */
  add(): void {
    const delays = new Float64Array(this.#delays.length + 1);
    delays.set(this.#delays);
    this.#delays = delays;
  }

  /**
   * All buses were asked at `began` (s); those with 1 in `pending` have not answered.
   * @returns how long to sleep from `now` on, s; 0 for no sleep
   */
  duration(arms: readonly Asked[], pending: Uint8Array, began: number, now: number): number {
    this.#began = began;
    this.#slowest = -1;
    let due = 0;
    for (let i = 0; i < arms.length; i++) {
      const time = arms[i]!.link.readTime + this.#delays[i]!;
      if (pending[i] === 0 || time <= due) continue;
      due = time;
      this.#slowest = i;
    }
    const left = began + due - EARLY - now;
    this.#until = now + left;
    if (left >= SHORTEST && left <= LONGEST && now >= this.#resume) return left;
    this.#slowest = -1;
    return 0;
  }

  /** The sleep is over at `now`, s. */
  woke(now: number): void {
    this.#woke = now;
    this.#lateness += ((now - this.#until > LATE ? 1 : 0) - this.#lateness) / MEMORY;
    if (this.#lateness <= CONTENDED) return;
    this.#resume = now + PAUSE;
    this.#lateness = CONTENDED;
  }

  /**
   * The read of bus `index` has been answered at `now` (s), without a repeat.
   * @param readTime line time of the read, s
   */
  answered(index: number, readTime: number, now: number): void {
    const delay = now - this.#began - readTime;
    const known = this.#delays[index]!;
    if (this.#slowest >= 0 && now - this.#woke < PROMPT) {
      // The answer came at an unknown time in the sleep. Only the bus that set the sleep learns: it was too long.
      if (index === this.#slowest) this.#delays[index] = known - LESS;
      return;
    }
    this.#delays[index] = known + (delay < known ? (delay - known) * DOWN : Math.min(delay - known, MOST) * UP);
  }
}
