import { LoopField, PERIOD_BINS } from '../snapshot/shared-snapshot.ts';
import { Histogram } from './histogram.ts';

/** Interval at which the figures are updated, s. */
const SLICE = 1;
/** Slices that "recent" covers. */
const SLICES = 10;

/** Offsets of a distribution's figures from the first one. */
const TimingField = {
  recentMedian: 0,
  recentP99: 1,
  recentLongest: 2,
  median: 3,
  p99: 4,
  longest: 5,
} as const;

/** Median, 99th percentile and longest of a duration, s; percentiles within 9 %, 0 before the first second is over. */
export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/** A duration of each cycle over the last 10 s, and since the start. */
export interface CycleTiming {
  readonly recent: Percentiles;
  readonly total: Percentiles;
}

/** Reads the timing of one duration from the loop's block of the shared snapshot; its figures begin at `at`. */
export function timingAt(figures: Float64Array, at: number): CycleTiming {
  const figure = (field: keyof typeof TimingField): number => figures[at + TimingField[field]]!;
  return {
    recent: { p50: figure('recentMedian'), p99: figure('recentP99'), longest: figure('recentLongest') },
    total: { p50: figure('median'), p99: figure('p99'), longest: figure('longest') },
  };
}

/** Cycles of the last 10 s by their period. */
export interface PeriodHistogram {
  /** Width of a bin, s. The first bin begins at 0, and the last holds all longer periods too. */
  readonly width: number;
  readonly counts: readonly number[];
}

/** Reads the periods of the last 10 s from the loop's block of the shared snapshot. */
export function histogramOf(figures: Float64Array): PeriodHistogram {
  return {
    width: widthOf(figures[LoopField.rate]!),
    counts: [...figures.subarray(LoopField.histogram, LoopField.histogram + PERIOD_BINS)],
  };
}

/** Width of a bin, s: the bins reach to twice the period of this rate, Hz. */
const widthOf = (rate: number): number => 2 / rate / PERIOD_BINS;

/** Distribution of a duration of each cycle, over the last 10 s and since the start. Allocates only when it is made. */
class Timing {
  readonly #slices = Array.from({ length: SLICES }, () => new Histogram());
  readonly #recent = new Histogram();
  readonly #all = new Histogram();
  #slice = 0;

  add(value: number): void {
    this.#slices[this.#slice]!.add(value);
    this.#all.add(value);
  }

  /** Writes the figures, in the order of `TimingField`, and begins the next slice. */
  publish(out: Float64Array, at: number): void {
    this.#recent.clear();
    for (const slice of this.#slices) this.#recent.merge(slice);
    out[at + TimingField.recentMedian] = this.#recent.percentile(0.5);
    out[at + TimingField.recentP99] = this.#recent.percentile(0.99);
    out[at + TimingField.recentLongest] = this.#recent.longest;
    out[at + TimingField.median] = this.#all.percentile(0.5);
    out[at + TimingField.p99] = this.#all.percentile(0.99);
    out[at + TimingField.longest] = this.#all.longest;
    this.#slice = (this.#slice + 1) % SLICES;
    this.#slices[this.#slice]!.clear();
  }
}

/** Periods of the last 10 s in even bins. Allocates only when it is made. */
class PeriodBins {
  readonly #slices = Array.from({ length: SLICES }, () => new Float64Array(PERIOD_BINS));
  readonly #width: number;
  #slice = 0;

  /** @param rate Hz; if it is infinite, all periods are in the last bin */
  constructor(rate: number) {
    this.#width = widthOf(rate);
  }

  add(period: number): void {
    const bin = Math.min(Math.floor(period / this.#width), PERIOD_BINS - 1);
    this.#slices[this.#slice]![bin]!++;
  }

  /** Writes the counts and begins the next slice. */
  publish(out: Float64Array, at: number): void {
    for (let bin = 0; bin < PERIOD_BINS; bin++) {
      let count = 0;
      for (let slice = 0; slice < SLICES; slice++) count += this.#slices[slice]![bin]!;
      out[at + bin] = count;
    }
    this.#slice = (this.#slice + 1) % SLICES;
    this.#slices[this.#slice]!.fill(0);
  }
}

/** Measures the timing of the control loop, and writes its figures to the shared block once a second. */
export class LoopTiming {
  readonly #figures: Float64Array;
  /** A cycle that begins this long after the previous one is late, s. */
  readonly #late: number;
  readonly #period = new Timing();
  readonly #lateness = new Timing();
  readonly #latency = new Timing();
  readonly #histogram: PeriodBins;
  #sliceStart = Number.NaN;
  #sliceCycles = 0;
  #sliceLongest = 0;

  /**
   * @param figures the loop's block of the shared snapshot
   * @param rate Hz; infinite: no cycle is late
   */
  constructor(figures: Float64Array, rate: number) {
    this.#figures = figures;
    this.#late = Number.isFinite(rate) ? 1.5 / rate : Number.POSITIVE_INFINITY;
    this.#histogram = new PeriodBins(rate);
    figures[LoopField.rate] = rate;
  }

  /**
   * A cycle begins at `now` (s).
   * @param period time since the previous cycle began, s
   * @param lateness how late it began, s
   */
  cycle(now: number, period: number, lateness: number): void {
    const figures = this.#figures;
    this.#lateness.add(lateness);
    if (Number.isNaN(this.#sliceStart)) {
      this.#sliceStart = now;
      return;
    }
    this.#period.add(period);
    this.#histogram.add(period);
    if (period > this.#late) figures[LoopField.late] = figures[LoopField.late]! + 1;
    this.#sliceLongest = Math.max(this.#sliceLongest, period);
    this.#sliceCycles++;
    if (now - this.#sliceStart < SLICE) return;
    figures[LoopField.period] = (now - this.#sliceStart) / this.#sliceCycles;
    figures[LoopField.longestPeriod] = this.#sliceLongest;
    this.#period.publish(figures, LoopField.periods);
    this.#lateness.publish(figures, LoopField.lateness);
    this.#latency.publish(figures, LoopField.latency);
    this.#histogram.publish(figures, LoopField.histogram);
    this.#sliceStart = now;
    this.#sliceCycles = 0;
    this.#sliceLongest = 0;
  }

  /** Goals have been handed to the line, `latency` (s) after the reads of their samples began. */
  written(latency: number): void {
    this.#latency.add(latency);
  }
}
