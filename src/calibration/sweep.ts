const TURN = 2 * Math.PI;

/** How far a hand has led the joints of an arm, rad, as its servos counted when it began: past a servo's wrap it counts on. */
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
   * Takes the newest sample. Between two samples a joint turns by less than half a turn, so of all whole turns the nearest
   * one is meant.
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

  /** From now on the ranges count anew, from where the joints are. */
  restart(): void {
    this.least.set(this.positions);
    this.most.set(this.positions);
  }
}
