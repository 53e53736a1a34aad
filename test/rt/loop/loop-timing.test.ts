import { expect, test } from 'vitest';
import { histogramOf, LoopTiming, timingAt } from '../../../src/rt/loop/loop-timing.ts';
import { LoopField, PERIOD_BINS } from '../../../src/rt/snapshot/shared-snapshot.ts';

/** Share by which a percentile may be off: a bin's width. */
const WIDTH = 0.095;

/** Value below which the share `part` of all lies, by sorting them. */
function percentile(values: readonly number[], part: number): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(part * values.length) - 1]!;
}

/** Runs cycles of the given periods, s; as many latencies and latenesses are made of them. */
function run(figures: Float64Array, periods: readonly number[]): void {
  const timing = new LoopTiming(figures, 200);
  let now = 100;
  timing.cycle(now, 0, 0);
  for (const period of periods) {
    now += period;
    timing.written(period / 5);
    timing.cycle(now, period, period - 0.005);
  }
}

test('percentiles since the start and of the last 10 s are those of the cycles', () => {
  const figures = new Float64Array(LoopField.count);
  // A bad minute long ago, and 20 s of a slightly uneven rhythm.
  const bad = Array.from({ length: 6000 }, (_, i) => (i % 10 === 0 ? 0.03 : 0.0075));
  const good = Array.from({ length: 4000 }, (_, i) => 0.005 + ((i * 7919) % 100) * 1e-5);
  run(figures, [...bad, ...good]);
  const { recent, total } = timingAt(figures, LoopField.periods);
  const near = (value: number, expected: number): void => {
    expect(value).toBeGreaterThan(expected * (1 - WIDTH));
    expect(value).toBeLessThan(expected * (1 + WIDTH));
  };
  near(recent.p50, percentile(good, 0.5));
  near(recent.p99, percentile(good, 0.99));
  expect(recent.longest).toBeCloseTo(Math.max(...good), 9);
  near(total.p50, percentile([...bad, ...good], 0.5));
  near(total.p99, percentile([...bad, ...good], 0.99));
  expect(total.longest).toBe(0.03);
  near(timingAt(figures, LoopField.latency).recent.p99, percentile(good, 0.99) / 5);
  expect(timingAt(figures, LoopField.lateness).recent.longest).toBeCloseTo(Math.max(...good) - 0.005, 9);
  expect(figures[LoopField.late]).toBe(6000 / 10);
});

test('no percentile exceeds the longest value', () => {
  const figures = new Float64Array(LoopField.count);
  run(figures, new Array(500).fill(0.005));
  expect(timingAt(figures, LoopField.periods).total).toEqual({ p50: 0.005, p99: 0.005, longest: 0.005 });
});

test('periods of the last 10 s are counted in even bins up to twice the wanted one', () => {
  const figures = new Float64Array(LoopField.count);
  const old = new Array(1000).fill(0.003);
  const recent = Array.from({ length: 2000 }, (_, i) => [0.0051, 0.0049, 0.0049, 0.03][i % 4]!);
  run(figures, [...old, ...recent]);
  const { width, counts } = histogramOf(figures);
  expect(width).toBeCloseTo(0.00025, 12);
  const seen = new Map([...counts.entries()].filter(([, count]) => count > 0));
  expect([...seen.keys()]).toEqual([19, 20, PERIOD_BINS - 1]);
  expect(seen.get(19)! / seen.get(20)!).toBeCloseTo(2, 1);
  expect(seen.get(PERIOD_BINS - 1)).toBeCloseTo(seen.get(20)!, -1);
});
