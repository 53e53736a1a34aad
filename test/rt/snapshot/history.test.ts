import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { HISTORY, SharedState } from '../../../src/rt/snapshot/shared-snapshot.ts';

/** Writes so many cycles of one joint, each with its number in its first field, and the opposite in its last. */
function written(shared: SharedState, from: number, count: number): void {
  const { scalars, arrays } = shared.arm(0);
  for (let number = from; number < from + count; number++) {
    scalars[0] = number;
    arrays.at(-1)![0] = -number;
    shared.keep(0);
  }
}

test('every cycle can be had by its number until it has been overwritten, by another thread too', () => {
  const shared = new SharedState([1], systemClock);
  const other = new SharedState([1], systemClock, shared.buffers);
  written(shared, 0, 10);
  const block = new Float64Array(other.blockLength(0));
  expect(other.kept(0)).toBe(10);
  for (let number = 0; number < 10; number++) {
    expect(other.recall(0, number, block)).toBe(true);
    expect([block[0], block.at(-1)]).toEqual([number, number === 0 ? -0 : -number]);
  }
  written(shared, 10, HISTORY);
  // The place of the oldest one is that which is written next.
  expect(other.recall(0, 10, block)).toBe(false);
  expect(other.recall(0, 11, block)).toBe(true);
  expect(block[0]).toBe(11);
  expect(other.recall(0, HISTORY + 9, block)).toBe(true);
  expect(block[0]).toBe(HISTORY + 9);
});

test('cycles are counted on where the count wraps', () => {
  const shared = new SharedState([1], systemClock);
  const words = new Int32Array(shared.memory(0), 0, 8);
  words[7] = -3;
  written(shared, 0, 6);
  const block = new Float64Array(shared.blockLength(0));
  expect(shared.kept(0)).toBe(3);
  expect(shared.recall(0, 2 ** 32 - 1, block)).toBe(true);
  expect(block[0]).toBe(2);
  expect(shared.recall(0, 2, block)).toBe(true);
  expect(block[0]).toBe(5);
});
