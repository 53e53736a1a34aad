import { expect, test } from 'vitest';
import { Watchdog } from '../../../src/rt/driver/watchdog.ts';

/** Content of the register with which servos stop by themselves. */
const COUNTS = 25;

function makeWatchdog() {
  const written: number[] = [];
  const watchdog = new Watchdog(COUNTS, (value) => written.push(value));
  const tend = (guard: boolean, cycles: number): number[] => {
    written.length = 0;
    for (let k = 0; k < cycles; k++) watchdog.tend(guard, k);
    return [...written];
  };
  return { watchdog, tend, written };
}

test('is set three times in a row, each after a 0 that wakes a servo whose watchdog has run out, and then left alone', () => {
  const { tend } = makeWatchdog();
  expect(tend(true, 20)).toEqual([0, COUNTS, 0, COUNTS, 0, COUNTS]);
  expect(tend(true, 20)).toEqual([]);
});

test('is cleared three times when the arm is limp or soft, also when nobody knows what it was', () => {
  const { tend, watchdog, written } = makeWatchdog();
  expect(tend(false, 20)).toEqual([0, 0, 0]);
  tend(true, 20);
  expect(tend(false, 20)).toEqual([0, 0, 0]);
  written.length = 0;
  watchdog.checked(5);
  expect(written).toEqual([0]);
  expect(tend(false, 20)).toEqual([0, 0, 0]);
});

test('a change of mind begins the writes anew', () => {
  const { tend } = makeWatchdog();
  tend(true, 2);
  expect(tend(false, 1)).toEqual([0]);
  expect(tend(true, 9)).toEqual([0, COUNTS, 0, COUNTS, 0, COUNTS]);
});

test('is cleared at once before a check, in which servos may hear nothing for long, where it has been set', () => {
  const { tend, watchdog, written } = makeWatchdog();
  watchdog.quiet(0);
  expect(written).toEqual([]);
  for (const cycles of [1, 20]) {
    tend(true, cycles);
    written.length = 0;
    watchdog.quiet(20);
    expect(written).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    watchdog.quiet(21);
    expect(written).toHaveLength(8);
  }
});

test('is not cleared before the first check behind a port that has been opened anew: other servos may be there', () => {
  const { tend, watchdog, written } = makeWatchdog();
  tend(true, 20);
  written.length = 0;
  watchdog.forget(20);
  watchdog.quiet(21);
  expect(written).toEqual([]);
});
