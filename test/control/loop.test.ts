import { afterEach, expect, test, vi } from 'vitest';
import type { ArmRuntime } from '../../src/control/arm-runtime.ts';
import { ControlLoop } from '../../src/control/loop.ts';
import { SharedState } from '../../src/control/snapshot.ts';

const RATE = 500;
/** Cycles that are looked at after each change of the clock. */
const CYCLES = 20;
const HOUR = 3600;
/** Stamps may be off the system clock by this, s: what the loop lets pass as drift, and how long two readings may take. */
const NEAR = 0.008;
/** Readings of two clocks that are further apart say nothing, ms: the thread was kept waiting between them. */
const TOGETHER = 1;
const PATIENCE = { timeout: 20_000, interval: 2 };

interface Step {
  /** s */
  readonly dt: number;
  /** What the loop takes the system clock to show, less what it shows, s. */
  readonly off: number;
}

afterEach(() => {
  vi.restoreAllMocks();
});

test('a system clock that is set forth and back changes the stamps of samples with it, and no step of a goal', async () => {
  const real = Date.now.bind(Date);
  let offset = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => real() + 1000 * offset);
  const steps: Step[] = [];
  const arm = {
    link: { begin: () => false, expire: () => {}, readTime: 0, onSettled: () => {} },
    goalTime: 0,
    step: (_: number, dt: number, epoch: number) => {
      const before = performance.now();
      const clock = Date.now();
      if (performance.now() - before < TOGETHER) steps.push({ dt, off: epoch + (before - clock) / 1000 });
    },
  } as unknown as ArmRuntime;
  const loop = new ControlLoop(new SharedState([1]), RATE);
  loop.add(arm);
  loop.start();
  try {
    for (offset of [0, HOUR, -HOUR, 0.02, 0]) {
      // Within a cycle or two, in each of which the loop itself may have been kept waiting.
      await expect.poll(() => Math.abs(steps.at(-1)?.off ?? HOUR), PATIENCE).toBeLessThan(NEAR);
      const from = steps.length;
      await expect.poll(() => steps.length, PATIENCE).toBeGreaterThan(from + CYCLES);
      for (const { off } of steps.slice(from, from + CYCLES)) {
        expect(Math.abs(off), `set by ${offset} s`).toBeLessThan(NEAR);
      }
    }
  } finally {
    loop.stop();
  }
  for (const { dt } of steps) {
    expect(dt).toBeGreaterThan(0);
    expect(dt).toBeLessThanOrEqual(2 / RATE);
  }
});
