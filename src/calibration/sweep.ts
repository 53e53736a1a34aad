const TURN = 2 * Math.PI;

/**
 * Ranges over which a user moves the joints by hand, rad, as the servos counted at the start. Counts on across the
 * encoder wrap. Zeros are made of them, so a position is the middle one of the last three samples: a single wrong one
 * counts for nothing.
 */
export class Sweep {
  readonly positions: Float64Array;
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** The sample before the newest, and the one before that. */
  readonly #before: Float64Array;
  readonly #first: Float64Array;

  constructor(joints: number) {
    this.positions = new Float64Array(joints).fill(Number.NaN);
    this.least = new Float64Array(joints);
    this.most = new Float64Array(joints);
    this.#before = new Float64Array(joints).fill(Number.NaN);
    this.#first = new Float64Array(joints).fill(Number.NaN);
  }

  /**
   * Adds the newest sample. A joint turns less than half a turn between two samples, so the nearest whole turn is the
   * right one.
   */
  add(measured: ArrayLike<number>): void {
    for (let i = 0; i < this.positions.length; i++) {
      const angle = measured[i]!;
      if (!Number.isFinite(angle)) continue;
      const last = this.positions[i]!;
      const newest = Number.isNaN(last) ? angle : angle + TURN * Math.round((last - angle) / TURN);
      const [before, first] = [this.#before[i]!, this.#first[i]!];
      this.#first[i] = before;
      this.#before[i] = newest;
      const middle = Math.max(Math.min(newest, before), Math.min(Math.max(newest, before), first));
      const position = Number.isNaN(first) ? newest : middle;
      if (Number.isNaN(last)) {
        this.least[i] = position;
        this.most[i] = position;
      }
      this.positions[i] = position;
      this.least[i] = Math.min(this.least[i]!, position);
      this.most[i] = Math.max(this.most[i]!, position);
    }
  }

  /** Restarts the ranges at the present positions. */
  restart(): void {
    this.least.set(this.positions);
    this.most.set(this.positions);
  }
}
