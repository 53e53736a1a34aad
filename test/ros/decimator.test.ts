import { describe, expect, test } from 'vitest';
import { Decimator } from '../../src/ros/decimator.ts';

/** Times at which samples were taken out of a stream. */
function taken(rate: number, times: readonly number[]): number[] {
  const decimator = new Decimator(rate);
  return times.filter((time) => decimator.take(time));
}

/** A stream of samples `period` s apart with a deterministic jitter of up to `jitter` s. */
function stream(count: number, period: number, jitter: number): number[] {
  const start = 1_764_000_000;
  return Array.from({ length: count }, (_, index) => start + index * period + jitter * Math.sin(index * 12.9898));
}

describe('decimation', () => {
  test('takes every second sample of 200 Hz for 100 Hz, with 2 ms of jitter too', () => {
    const times = stream(2000, 0.005, 0.002);
    expect(taken(100, times)).toEqual(times.filter((_, index) => index % 2 === 0));
  });

  test.each([30, 60, 99, 150])('keeps a mean rate of %i Hz that does not divide the rate of the loop', (rate) => {
    const count = taken(rate, stream(2000, 0.005, 0.001)).length;
    expect(count).toBeGreaterThanOrEqual(rate * 10 - 1);
    expect(count).toBeLessThanOrEqual(rate * 10 + 1);
  });

  test('takes each sample once when asked for more than there is', () => {
    const times = stream(500, 0.005, 0.001);
    expect(taken(1000, times)).toEqual(times);
    const decimator = new Decimator(1000);
    expect(times.filter((time) => decimator.take(time) || decimator.take(time))).toHaveLength(times.length);
  });

  test('never takes one sample twice', () => {
    expect(taken(100, [10, 10, 10, 10.02, 10.02])).toEqual([10, 10.02]);
  });

  test('does not hurry after a pause, and goes on after the clock was set back', () => {
    expect(taken(100, [10, 12, 12.005, 12.01, 12.015, 12.02])).toEqual([10, 12, 12.01, 12.02]);
    expect(taken(100, [10, 10.01, 5, 5.005, 5.01])).toEqual([10, 10.01, 5, 5.01]);
  });
});
