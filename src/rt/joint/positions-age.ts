/** After this time without new positions the arm brakes and its motion ends, s. */
const STALE = 0.25;

/** Age of an arm's positions in cycle time, so that a pause of the computer does not age them. */
export class PositionsAge {
  /** Cycle time so far, the sum of all `dt`, s. */
  time = 0;
  /** When positions came last, in cycle time, s, and when these were measured, s. */
  #came = 0;
  #measured = 0;

  /** True when positions are too old to steer a motion. */
  get stale(): boolean {
    return this.time - this.#came > STALE;
  }

  /**
   * One cycle.
   * @param dt time since the last one, s
   * @param measured time of the newest positions, s
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
