import { expect, test } from 'vitest';
import { VirtualTime } from '../../../explore/virtual-clock.ts';
import type { ArmController } from '../../../src/rt/joint/arm-controller.ts';
import { ControlLoop } from '../../../src/rt/loop/control-loop.ts';
import { timingAt } from '../../../src/rt/loop/loop-timing.ts';
import { LoopField, SharedState } from '../../../src/rt/snapshot/shared-snapshot.ts';

const RATE = 500;
const PERIOD = 1 / RATE;
const HOUR = 3600;
/** Stamps may be off the system clock by this, s: what the loop lets pass as drift. */
const NEAR = 0.005;

/** An arm on a bus that answers so long after it has been asked, s, if it is waited for. */
function makeArm(time: VirtualTime, delay: () => number) {
  const heard: boolean[] = [];
  const asked: number[] = [];
  const steps: { readonly at: number; readonly dt: number; readonly offset: number }[] = [];
  const retries: number[] = [];
  let expired = 0;
  const timer = time.lane('bus').timer(() => settle(true));
  const link = {
    readTime: 0,
    late: false,
    onSettled: () => {},
    begin: (_now: number): boolean => {
      asked.push(time.now);
      expired = 0;
      timer.start(delay());
      return true;
    },
    expire: () => {
      // Asked again, and then given up.
      expired++;
      if (expired === 1) retries.push(time.now);
      if (expired === 2) settle(false);
    },
  };
  function settle(answered: boolean): void {
    timer.cancel();
    heard.push(answered);
    // What answers here is the first request.
    link.late = answered && expired > 0;
    link.onSettled();
  }
  const step = (_: number, dt: number, offset: number): void => void steps.push({ at: time.now, dt, offset });
  const arm = { link, goalTime: 0, step } as unknown as ArmController;
  return { arm, link, asked, heard, steps, retries };
}

const makeLoop = (...delays: readonly (() => number)[]) => loopAt(RATE, ...delays);

function loopAt(rate: number, ...delays: readonly (() => number)[]) {
  const time = new VirtualTime();
  const control = time.lane('control');
  const joints = delays.map(() => 1);
  const shared = new SharedState(joints, control);
  const loop = new ControlLoop(shared, rate, control);
  const arms = delays.map((delay) => makeArm(time, delay));
  for (const { arm } of arms) loop.add(arm);
  loop.start();
  return { time, control, shared, loop, arms, arm: arms[0]! };
}

test('cycles follow each other at the rate, and each steps by the time since the one before', () => {
  const { time, arm } = makeLoop(() => 0.0003);
  time.runSync(1);
  expect(arm.steps.length).toBeGreaterThanOrEqual(RATE - 1);
  for (const { dt } of arm.steps.slice(1)) expect(dt).toBeCloseTo(PERIOD, 9);
});

test('a thread that was kept from running steps by two periods at most, and gives up the cycles that it has missed', () => {
  const { time, control, arm } = makeLoop(() => 0.0003);
  time.runSync(0.5);
  const before = arm.steps.length;
  control.pause(0.3);
  time.runSync(1);
  for (const { dt } of arm.steps) expect(dt).toBeLessThanOrEqual(2 * PERIOD + 1e-9);
  expect(arm.steps.length - before).toBeLessThan(0.21 * RATE + 2);
});

test('over an hour in which the system clock gains 180 ms on the other, stamps stay with it, and steps of goals as long as ever', () => {
  const rate = 20;
  const { time, arm } = loopAt(rate, () => 0.0003);
  const start = time.wallOffset;
  for (let second = 1; second <= HOUR; second++) {
    time.runSync(second);
    time.wallOffset = start + 50e-6 * second;
  }
  expect(arm.steps.length).toBeGreaterThan(rate * HOUR - 2);
  for (const { at, offset } of arm.steps) expect(Math.abs(offset - start - 50e-6 * at)).toBeLessThan(NEAR + 1e-4);
  for (const { dt } of arm.steps.slice(1)) expect(dt).toBeCloseTo(1 / rate, 6);
});

test('a system clock that is set forth and back changes the stamps of samples with it, and no step of a goal', () => {
  const { time, arm } = makeLoop(() => 0.0003);
  const start = time.wallOffset;
  for (const offset of [0, HOUR, -HOUR, 0.02, 0]) {
    time.wallOffset = start + offset;
    const from = arm.steps.length;
    time.runSync(time.now + 0.2);
    for (const { offset: stamp } of arm.steps.slice(from + 2))
      expect(Math.abs(stamp - time.wallOffset)).toBeLessThan(NEAR);
  }
  for (const { dt } of arm.steps.slice(1)) expect(dt).toBeCloseTo(PERIOD, 9);
});

test('a bus that answers later than a cycle has time for is found out, waited for, and after that not any longer', () => {
  let delay = 0.012;
  const { time, arm } = makeLoop(() => delay);
  time.runSync(3);
  expect(arm.heard.slice(-50).every(Boolean)).toBe(true);
  delay = 0.0003;
  time.runSync(6);
  const [first, last] = [arm.asked.at(-21)!, arm.asked.at(-1)!];
  expect((last - first) / 20).toBeCloseTo(PERIOD, 6);
  // One that is silent is waited for now and again, and less and less often.
  delay = 1e6;
  const from = arm.asked.length;
  time.runSync(12);
  const waits = arm.asked.slice(from).map((at, i, all) => (all[i + 1] ?? at) - at);
  const long = waits.map((wait, i) => (wait > 0.018 ? i : -1)).filter((i) => i >= 0);
  expect(long.length).toBeGreaterThan(3);
  for (let k = 2; k < long.length; k++) expect(long[k]! - long[k - 1]!).toBeGreaterThan(long[k - 1]! - long[k - 2]!);
});

test('a bus whose answers come when it has just been asked again is not asked again in the cycles that follow', () => {
  const { time, arm } = makeLoop(() => 0.0015);
  time.runSync(1);
  expect(arm.heard.every(Boolean)).toBe(true);
  expect(arm.retries.length).toBe(1);
});

test('all buses are asked before any has answered, and arms are stepped when all have', () => {
  const { time, arms } = makeLoop(
    () => 0.0006,
    () => 0.0001,
  );
  const order: string[] = [];
  for (const [i, { link, arm }] of arms.entries()) {
    const { begin } = link;
    link.begin = (now) => {
      order.push(`asked ${i}`);
      return begin(now);
    };
    arm.step = () => void order.push(`stepped ${i}`);
  }
  time.runSync(0.1);
  expect(order.length).toBeGreaterThan(40);
  // Before the first whole cycle the arms were as they had been made.
  const from = order.indexOf('asked 0');
  for (let i = from; i + 4 <= order.length; i += 4) {
    expect(order.slice(i, i + 4)).toEqual(['asked 0', 'asked 1', 'stepped 0', 'stepped 1']);
  }
});

test('a loop that is stopped asks no bus any more, and what answers then steps nothing', () => {
  const { time, loop, arm } = makeLoop(() => 0.0003);
  time.runSync(0.1);
  const asked = arm.asked.length;
  loop.stop();
  time.runSync(0.2);
  expect(arm.asked.length - asked).toBeLessThan(2);
  expect(arm.steps.length).toBeLessThanOrEqual(arm.asked.length);
});

test('an arm that feels another one is stepped after it, wherever it stands, and each once in a cycle', () => {
  const { time, arms } = makeLoop(
    () => 0.0003,
    () => 0.0003,
    () => 0.0003,
  );
  const order: number[] = [];
  for (const [i, { arm }] of arms.entries()) arm.step = () => void order.push(i);
  Object.assign(arms[0]!.arm, { feels: true });
  time.runSync(0.1);
  expect(order.length).toBeGreaterThan(100);
  for (let i = order.indexOf(1); i + 3 <= order.length; i += 3) expect(order.slice(i, i + 3)).toEqual([1, 2, 0]);
});

test('a link that calls back without a read, as when its port closes, ends no cycle', () => {
  const { time, arms } = makeLoop(
    () => 0.0002,
    () => 0.0006,
  );
  const [quick, slow] = [arms[0]!, arms[1]!];
  // It is not read, and calls back in the middle of each cycle, and between cycles.
  quick.link.begin = () => false;
  const spurious = time.lane('closing').timer(() => {
    quick.link.onSettled();
    spurious.start(0.0001);
  });
  spurious.start(0.0001);
  time.runSync(0.2);
  expect(slow.heard.length).toBeGreaterThan(90);
  expect(slow.heard.every(Boolean)).toBe(true);
  expect(slow.steps.length).toBe(slow.heard.length);
});

test('an answer that came while the thread was kept from running is read before its deadline counts', () => {
  const { time, control, arm } = makeLoop(() => 0.0003);
  for (let k = 1; k <= 20; k++) {
    time.runSync(k * 0.05);
    control.pause(0.02);
  }
  time.runSync(1.2);
  expect(arm.heard.every(Boolean)).toBe(true);
  expect(arm.retries).toEqual([]);
});

test('a bus that never answers is asked again and given up in each cycle, and leaves 0.4 of the rate', () => {
  const { time, arm } = makeLoop(() => 1e6);
  time.runSync(1);
  // Long waits for what may be slow are few.
  expect(arm.asked.length).toBeGreaterThan(0.4 * RATE);
  expect(arm.heard.some(Boolean)).toBe(false);
  expect(arm.retries.length).toBeGreaterThanOrEqual(arm.heard.length);
  const waits = arm.retries.map((at, i) => at - arm.asked[i]!);
  for (const wait of waits) expect(wait).toBeGreaterThan(0.35 * PERIOD - 1e-9);
});

test('when the main thread falls silent all motion is abandoned once, and when it is back, the length of its silence is told', () => {
  const { time, shared, loop, arms } = makeLoop(
    () => 0.0003,
    () => 0.0003,
  );
  const abandoned: [number, number][] = [];
  for (const [i, { arm }] of arms.entries()) arm.abandon = () => void abandoned.push([i, time.now]);
  const silences: number[] = [];
  loop.onAttended = (silence) => silences.push(silence);
  const beat = (until: number): void => {
    while (time.now < until) {
      shared.beat();
      time.runSync(time.now + 0.02);
    }
  };
  beat(0.5);
  expect(abandoned).toEqual([]);
  expect(silences.length).toBe(1);
  time.runSync(1.5);
  expect(abandoned.map(([i]) => i)).toEqual([0, 1]);
  for (const [, at] of abandoned) expect(at - 0.5).toBeCloseTo(0.25, 1);
  beat(2);
  expect(silences.length).toBe(2);
  expect(silences[1]).toBeCloseTo(1, 1);
  expect(abandoned.length).toBe(2);
});

test('how long goals take from the beginning of their cycle is told where goals are sent, and only there', () => {
  const tell = (goals: boolean) => {
    const { time, shared, arm } = makeLoop(() => 0.0004);
    const { step } = arm.arm;
    arm.arm.step = (now, dt, offset) => {
      step.call(arm.arm, now, dt, offset);
      if (goals) Object.assign(arm.arm, { goalTime: now });
    };
    time.runSync(10);
    return timingAt(shared.loop, LoopField.latency).total;
  };
  expect(tell(false).longest).toBe(0);
  expect(tell(true).longest).toBeCloseTo(0.0004, 5);
});
