/** Something whose read takes so long on the line, s: an arm. */
interface Asked {
  readonly link: { readonly readTime: number };
}

/** The thread is to be awake so long before the last answer is whole, s: half of it is the way back to its events. */
const EARLY = 60e-6;
/** Sleeps below this are not worth their cost; longer ones would keep messages waiting, s. */
const SHORTEST = 150e-6;
const LONGEST = 2e-3;
/** An answer that is whole so soon after the sleep was there before its end, s. */
const PROMPT = 50e-6;
/** Delays are learned in steps of this share, downwards and upwards, and at most that far upwards, s. */
const DOWN = 1 / 4;
const UP = 1 / 64;
const MOST = 200e-6;
/** A sleep that was too long is the next time shorter by this, s. */
const LESS = 10e-6;
/** A sleep that ends so late had to wait for a processor, s. */
const LATE = 300e-6;
/** Sleeps over which the share of late ones is judged, the share from which on there are none, and for how long, s. */
const MEMORY = 32;
const CONTENDED = 0.05;
const PAUSE = 1;

/**
 * Tells how long to sleep until the answers of all buses are about to be whole. Replies come one by one, and waking for
 * each of them costs the thread more than handling them; asleep, it finds them all in one piece. How much later than the
 * line allows the quicker answers are is learned, bus by bus, so that the sleep ends before the last one and costs no
 * time.
 *
 * Where other programs want the processors too, a sleeper waits for its turn, while one that is woken by data takes the
 * place of who brought it. There are no sleeps then, apart from a trial now and again.
 */
export class ReplyDelays {
  /** What the answers of each bus take beyond the line's time, s. */
  #delays: Float64Array;
  #began = 0;
  /** Bus whose answer the last sleep was measured by; -1 without one. */
  #slowest = -1;
  #until = 0;
  #woke = 0;
  /** Share of late ends among the last sleeps. */
  #lateness = 0;
  /** No sleep before this instant, s. */
  #resume = 0;

  constructor(buses = 0) {
    this.#delays = new Float64Array(buses);
  }

  /** There is one bus more. Not for every cycle. */
  add(): void {
    const delays = new Float64Array(this.#delays.length + 1);
    delays.set(this.#delays);
    this.#delays = delays;
  }

  /**
   * All buses were asked at `began` (s); those with 1 in `pending` have not answered.
   * @returns how long to sleep from `now` on, s; 0 for not at all
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
   * The read of bus `index` has been answered at `now` (s) without having been repeated.
   * @param readTime what the line needed for it, s
   */
  answered(index: number, readTime: number, now: number): void {
    const delay = now - this.#began - readTime;
    const known = this.#delays[index]!;
    if (this.#slowest >= 0 && now - this.#woke < PROMPT) {
      // How long it had been there nobody saw; of the other buses, nothing is to be learned from it.
      if (index === this.#slowest) this.#delays[index] = known - LESS;
      return;
    }
    this.#delays[index] = known + (delay < known ? (delay - known) * DOWN : Math.min(delay - known, MOST) * UP);
  }
}
