/** Bins per doubling. */
const RESOLUTION = 8;
/** Smallest value that is resolved, s. */
const SMALLEST = 1e-5;
const BINS = 20 * RESOLUTION;

/** Distribution of durations from 10 us to 10 s within 9 %, in fixed memory. */
export class Histogram {
  readonly #counts = new Float64Array(BINS);
  #total = 0;
  #longest = 0;

  /** Longest value, exact, s; 0 without values. */
  get longest(): number {
    return this.#longest;
  }

  /** @param value s */
  add(value: number): void {
    const bin = Math.floor(Math.log2(Math.max(value, SMALLEST) / SMALLEST) * RESOLUTION);
    this.#counts[Math.min(bin, BINS - 1)]!++;
    this.#total++;
    if (value > this.#longest) this.#longest = value;
  }

  /** Adds the values of another histogram. */
  merge(other: Histogram): void {
    for (let bin = 0; bin < BINS; bin++) this.#counts[bin]! += other.#counts[bin]!;
    this.#total += other.#total;
    if (other.#longest > this.#longest) this.#longest = other.#longest;
  }

  /** Value below which the share `part` (0..1) of all values lies, s; 0 without values. */
  percentile(part: number): number {
    let left = part * this.#total;
    for (let bin = 0; bin < BINS; bin++) {
      left -= this.#counts[bin]!;
      // The upper end of a bin may lie above all its values.
      if (left <= 0) return Math.min(SMALLEST * 2 ** ((bin + 1) / RESOLUTION), this.#longest);
    }
    return this.#longest;
  }

  clear(): void {
    this.#counts.fill(0);
    this.#total = 0;
    this.#longest = 0;
  }
}
