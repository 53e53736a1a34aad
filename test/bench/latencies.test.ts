import { expect, it } from 'vitest';
import { latencies } from '../../bench/latencies.ts';

it('what is sent has arrived with the first change behind it, and what is sent before the last has settled is left out', () => {
  const changed = [0.5, 1.005, 1.01, 1.2, 2.002, 2.007];
  expect(latencies([1, 2], changed)).toMatchObject({ unsettled: 0 });
  expect(latencies([1, 2], changed).found.map((time) => Math.round(1000 * time))).toEqual([2, 5]);
  expect(latencies([1, 1.25], changed)).toEqual({ found: [expect.closeTo(0.005, 9)], unsettled: 1 });
  expect(latencies([3], changed).found).toEqual([Number.POSITIVE_INFINITY]);
});
