/** Bins per doubling. */
const RESOLUTION = 8;
/** Smallest value told apart, s. */
const SMALLEST = 1e-5;
const BINS = 20 * RESOLUTION;

/** Distribution of durations from 10 us to 10 s within 9 %, in fixed memory. */
export class Histogram {
  readonly #counts = new Uint32Array(BINS);
  #total = 0;

  /** @param value s */
  add(value: number): void {
    const bin = Math.floor(Math.log2(Math.max(value, SMALLEST) / SMALLEST) * RESOLUTION);
    this.#counts[Math.min(bin, BINS - 1)]!++;
    this.#total++;
  }

  /** Value below which the share `part` (0..1) of all values lies, s; 0 without values. */
  percentile(part: number): number {
    if (this.#total === 0) return 0;
    let left = part * this.#total;
    for (let bin = 0; bin < BINS; bin++) {
      left -= this.#counts[bin]!;
      if (left <= 0) return SMALLEST * 2 ** ((bin + 1) / RESOLUTION);
    }
    return SMALLEST * 2 ** (BINS / RESOLUTION);
  }

  clear(): void {
    this.#counts.fill(0);
    this.#total = 0;
  }
}
