/**
 * Chooses from a stream of samples those that make a stream of a lower rate. The times at which one is due lie on a
 * grid, so that the mean rate is the asked one whatever the jitter; of the samples around such a time the nearest is
 * taken, judged by the interval to the sample before.
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
   * @param time of the sample at hand, s
   * @returns whether it is to be used; never twice for one time
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
