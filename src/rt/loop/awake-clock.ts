/** A cycle is late by no more than this unless its thread, or the whole machine, has been kept from running, s. */
const LATEST = 0.1;
/** A longer pause counts fully as silence, s, because nobody knows what happened in it. */
export const LONGEST_PAUSE = 1;

/**
 * Clock for judging the silence of others: it leaves out short pauses of this host. While other programs or virtual
 * machines have the processor, the host hears nobody, but nobody has been silent.
 */
export class AwakeClock {
  /** Awake time, s. */
  time = 0;
  #last = Number.NaN;
  readonly #longestPause: number;
  readonly #latest: number;

  /**
   * @param longestPause longest pause that is left out, s
   * @param latest most that a late cycle counts for, s
   */
  constructor(longestPause = LONGEST_PAUSE, latest = LATEST) {
    this.#longestPause = longestPause;
    this.#latest = latest;
  }

  /** Call once per cycle. @param now monotonic, s */
  advance(now: number): void {
    const gap = now - this.#last;
    this.#last = now;
    if (gap > 0) this.time += gap > this.#longestPause ? gap : Math.min(gap, this.#latest);
  }
}
