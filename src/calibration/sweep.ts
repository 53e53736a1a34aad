const TURN = 2 * Math.PI;

/**
 * Ranges over which a user moves the joints by hand, rad, as the servos counted at the start. Counts on across the
 * encoder wrap.
 */
export class Sweep {
  readonly positions: Float64Array;
  readonly least: Float64Array;
  readonly most: Float64Array;

  constructor(joints: number) {
    this.positions = new Float64Array(joints).fill(Number.NaN);
    this.least = new Float64Array(joints);
    this.most = new Float64Array(joints);
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
      const position = Number.isNaN(last) ? angle : angle + TURN * Math.round((last - angle) / TURN);
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
