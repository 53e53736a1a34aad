/**
 * Selects samples of a stream to form a stream of a lower rate. Due times lie on a grid, so that the mean rate is exact
 * whatever the jitter. The sample nearest to a due time is selected, judged by the interval since the previous sample.
 */
export class Decimator {
  readonly #period: number;
  #due = Number.NEGATIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  /** @param rate Hz */
  constructor(rate: number) {
    this.#period = 1 / rate;
  }

  /**
   * @param time of the present sample, s
   * @returns whether to use the sample; true at most once per time
   */
  take(time: number): boolean {
    if (time === this.#last) return false;
    const interval = Math.min(Math.abs(time - this.#last), this.#period);
    this.#last = time;
    // A clock that was set back, or a stream that paused, starts a new grid.
    if (Math.abs(this.#due - time) > 2 * this.#period) this.#due = time;
    if (time + interval / 2 < this.#due) return false;
    this.#due += this.#period;
    return true;
  }
}
