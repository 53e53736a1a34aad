/** A cycle is late by no more than this unless its thread, or the whole machine, has been kept from running, s. */
const LATEST = 0.1;
/** Of a longer pause nobody knows what happened in it, so that all of it counts, s. */
export const LONGEST_PAUSE = 1;

/**
 * Time by which the silence of others is judged: a host that does not run for a moment, since other programs or other
 * virtual machines have the processor, has heard nobody, but nobody has been silent.
 */
export class AwakeClock {
  /** Time lived through, s. */
  time = 0;
  #last = Number.NaN;
  readonly #longestPause: number;
  readonly #latest: number;

  /**
   * @param longestPause that is left out, s
   * @param latest what a cycle that is late counts for at most, s
   */
  constructor(longestPause = LONGEST_PAUSE, latest = LATEST) {
    this.#longestPause = longestPause;
    this.#latest = latest;
  }

  /** Once every cycle. @param now monotonic, s */
  advance(now: number): void {
    const gap = now - this.#last;
    this.#last = now;
    if (gap > 0) this.time += gap > this.#longestPause ? gap : Math.min(gap, this.#latest);
  }
}
