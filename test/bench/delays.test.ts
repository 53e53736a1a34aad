import { expect, it } from 'vitest';
import { type Course, delays } from '../../bench/two-bridges.ts';

/** Goals of a joint that swings to and fro, each 5 ms, `late` s after the swing. */
function swing(late: number, offset = 0): Course {
  return Array.from({ length: 1200 }, (_, i) => {
    const time = 100 + offset + i * 0.005;
    return [time, 0.8 * Math.sin(2 * (time - late))] as const;
  });
}

it.each([0, 0.0062, 0.041])('goals that are %s s later are found to be that, whenever each is sampled', (late) => {
  const found = delays(swing(0), swing(late, 0.0017));
  expect(found.length).toBeGreaterThan(800);
  expect(Math.abs(found[0]! - late)).toBeLessThan(1e-4);
  expect(Math.abs(found.at(-1)! - late)).toBeLessThan(1e-4);
});
