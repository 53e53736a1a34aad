import { expect, test } from 'vitest';
import { Gains } from '../../../src/rt/driver/gains.ts';

/** The servo takes what is written to it until nothing is left to be written. */
function settle(gains: Gains): number {
  while (gains.pending) gains.confirm(0, gains.wanted[0]!);
  return gains.wanted[0]!;
}

test('a servo that is connected anew with a gain that it was given to work with gets its own one back', () => {
  const gains = new Gains([0], null);
  gains.found(0, 32, 1 / 32, null);
  gains.work([0.5]);
  expect(settle(gains)).toBe(16);
  expect([gains.works, gains.restored]).toEqual([true, false]);
  gains.found(0, 16, 1 / 32, null);
  expect(settle(gains)).toBe(32);
  gains.soften([0.375], [1]);
  gains.work([0.25]);
  expect(settle(gains)).toBe(12);
  expect(gains.works).toBe(false);
  gains.restore();
  expect(settle(gains)).toBe(8);
  gains.found(0, 8, 1 / 32, null);
  expect(settle(gains)).toBe(32);
  // Another servo, which somebody has set otherwise.
  gains.found(0, 40, 1 / 32, null);
  expect(settle(gains)).toBe(40);
  expect(gains.restored).toBe(true);
});
