import { expect, test } from 'vitest';
import { LoopLoad, withCause } from '../../src/arm/loop-load.ts';

/** A loop at 200 Hz for a time of which a share is late. @param seconds of looks */
function ran(load: LoopLoad, seconds: number, share: number, longest: number, from = 0): number {
  for (let second = 0; second <= seconds; second++) {
    const cycles = from + 200 * second;
    load.look({ cycles, late: Math.round(share * (cycles - from)), longestPeriod: longest });
  }
  return from + 200 * seconds;
}

test('a loop that keeps up gives no reason, one of which many cycles are late says how many', () => {
  const quiet = new LoopLoad();
  ran(quiet, 12, 0.01, 0.006);
  expect(quiet.trouble).toBe('');
  const busy = new LoopLoad();
  ran(busy, 12, 0.14, 0.232);
  expect(busy.trouble).toBe('this computer is too busy: 14 % of cycles late in the last 10 s, the longest by 232 ms');
});

test('a pause is told for ten seconds', () => {
  const load = new LoopLoad();
  load.look({ cycles: 0, late: 0, longestPeriod: 0.005 });
  load.look({ cycles: 200, late: 1, longestPeriod: 1.24 });
  for (let second = 2; second < 10; second++) load.look({ cycles: 200 * second, late: 1, longestPeriod: 0.005 });
  expect(load.trouble).toBe('this computer was paused for 1.2 s');
  for (let second = 10; second < 14; second++) load.look({ cycles: 200 * second, late: 1, longestPeriod: 0.005 });
  expect(load.trouble).toBe('');
});

test('silence is given that cause, and what has nothing to do with it is not', () => {
  const trouble = 'this computer is too busy: 14 % of cycles late';
  const silent = 'no servo has answered for 0.5 s: check its power and its bus cable';
  expect(withCause(silent, trouble)).toBe(`${trouble}; ${silent}`);
  expect(withCause(silent, '')).toBe(silent);
  expect(withCause('the port has been unplugged', trouble)).toBe('the port has been unplugged');
});
