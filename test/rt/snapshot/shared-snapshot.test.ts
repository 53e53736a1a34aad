import { expect, test } from 'vitest';
import { nextCycle } from '../../../src/arm/next-cycle.ts';
import { systemClock } from '../../../src/clock.ts';
import { SharedState } from '../../../src/rt/snapshot/shared-snapshot.ts';

test('a wait that begins between the count of a cycle and its notice goes on until the next cycle', async () => {
  const shared = new SharedState([1], systemClock);
  const seen = shared.cycle;
  let over = false;
  const waiting = nextCycle(shared, systemClock, seen, 5).then(() => {
    over = true;
  });
  // The notice of the cycle that has been seen: nothing is counted any more.
  expect(Atomics.notify(new Int32Array(shared.buffers.loop), 0)).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(over).toBe(false);
  shared.finishCycle();
  await waiting;
  expect(shared.cycle).toBe(seen + 1);
});

test('a wait ends when its time is over without a cycle, and at once when the cycle has passed already', async () => {
  const shared = new SharedState([1], systemClock);
  const seen = shared.cycle;
  await nextCycle(shared, systemClock, seen, 0.02);
  expect(shared.cycle).toBe(seen);
  shared.finishCycle();
  await nextCycle(shared, systemClock, seen, 60);
});
