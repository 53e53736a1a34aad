/** Cycles without new positions for so long steer no motion: the arm brakes and its motion ends, s. */
const STALE = 0.25;

/** How old an arm's positions are, by the time that its cycles have lasted: a computer that pauses makes nothing old. */
export class PositionsAge {
  /** Time that the arm's cycles have lasted, s. */
  time = 0;
  /** By that time, when positions came last, and the instant at which these were measured. */
  #came = 0;
  #measured = 0;

  /** True when positions are too old to steer a motion. */
  get stale(): boolean {
    return this.time - this.#came > STALE;
  }

  /**
   * One cycle.
   * @param dt time since the last one, s
   * @param measured instant of the newest positions, s
   * @returns whether they are new
   */
  advance(dt: number, measured: number): boolean {
    this.time += dt;
    if (measured === this.#measured) return false;
    this.#measured = measured;
    this.#came = this.time;
    return true;
  }
}
