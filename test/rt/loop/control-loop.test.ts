import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { ArmController } from '../../../src/rt/joint/arm-controller.ts';
import { ControlLoop } from '../../../src/rt/loop/control-loop.ts';
import { SharedState } from '../../../src/rt/snapshot/shared-snapshot.ts';

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
      const before = 1000 * systemClock.now();
      const clock = Date.now();
      if (1000 * systemClock.now() - before < TOGETHER) steps.push({ dt, off: epoch + (before - clock) / 1000 });
    },
  } as unknown as ArmController;
  const loop = new ControlLoop(new SharedState([1], systemClock), RATE, systemClock);
  loop.add(arm);
  loop.start();
  try {
    for (offset of [0, HOUR, -HOUR, 0.02, 0]) {
      // Within a cycle or two, in each of which the loop itself may have been kept waiting. Steps from before say nothing.
      const set = steps.length;
      const newest = (): number => (steps.length > set ? Math.abs(steps.at(-1)!.off) : HOUR);
      await expect.poll(newest, PATIENCE).toBeLessThan(NEAR);
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

/** A bus that answers so long after it has been asked, ms, if it is waited for. */
function slowArm(delay: () => number) {
  const heard: boolean[] = [];
  const asked: number[] = [];
  let expired = 0;
  let timer: NodeJS.Timeout | undefined;
  const link = {
    readTime: 0,
    onSettled: () => {},
    begin: () => {
      asked.push(performance.now());
      expired = 0;
      timer = setTimeout(() => settle(true), delay());
      return true;
    },
    expire: () => {
      // Asked again, and then given up.
      expired++;
      if (expired === 2) settle(false);
    },
  };
  function settle(answered: boolean): void {
    clearTimeout(timer);
    heard.push(answered);
    link.onSettled();
  }
  let steps = 0;
  const arm = { link, goalTime: 0, step: () => void steps++ } as unknown as ArmController;
  return { arm, asked, heard, steps: () => steps };
}

test('a bus that answers later than a cycle has time for is found out, waited for, and after that not any longer', async () => {
  let delay = 12;
  const slow = slowArm(() => delay);
  const loop = new ControlLoop(new SharedState([1], systemClock), RATE, systemClock);
  loop.add(slow.arm);
  loop.start();
  try {
    await expect.poll(() => slow.heard.slice(-50).filter(Boolean).length, PATIENCE).toBe(50);
    delay = 0;
    const fast = (): number => {
      const times = slow.asked.slice(-21);
      return times.length < 21 ? Number.POSITIVE_INFINITY : (times.at(-1)! - times[0]!) / 20;
    };
    await expect.poll(fast, PATIENCE).toBeLessThan(8);
    // One that is silent is waited for now and again, and less and less often.
    delay = 1e6;
    const from = slow.asked.length;
    await expect.poll(() => slow.asked.length, PATIENCE).toBeGreaterThan(from + 150);
    const waits = slow.asked.slice(from).map((time, i, all) => (all[i + 1] ?? time) - time);
    expect(waits.slice(40, 60).filter((wait) => wait > 18).length).toBeLessThan(5);
  } finally {
    loop.stop();
  }
});

test('all buses are asked before any has answered, and arms are stepped when all have', async () => {
  const arms = [slowArm(() => 1), slowArm(() => 0)];
  const order: string[] = [];
  for (const [i, { arm }] of arms.entries()) {
    const { begin } = arm.link;
    arm.link.begin = (now) => {
      order.push(`asked ${i}`);
      return begin(now);
    };
    arm.step = () => void order.push(`stepped ${i}`);
  }
  const loop = new ControlLoop(new SharedState([1, 1], systemClock), RATE, systemClock);
  for (const { arm } of arms) loop.add(arm);
  loop.start();
  try {
    await expect.poll(() => order.length, PATIENCE).toBeGreaterThan(40);
  } finally {
    loop.stop();
  }
  for (let i = 0; i + 4 <= order.length; i += 4) {
    expect(order.slice(i, i + 4)).toEqual(['asked 0', 'asked 1', 'stepped 0', 'stepped 1']);
  }
  expect(arms.every(({ heard }) => heard.some(Boolean))).toBe(true);
});
