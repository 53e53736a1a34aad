import { describe, expect, test } from 'vitest';
import type { Chain } from '../../../src/kinematics/chain.ts';
import { CRAWL, crawlPart } from '../../../src/rt/joint/crawl.ts';
import { controlModel } from '../../../src/rt/joint/make-control-model.ts';
import { StallGuard, yieldLimits } from '../../../src/rt/joint/stall-guard.ts';
import { YieldGuard } from '../../../src/rt/joint/yield-guard.ts';
import type { JointSetup } from '../../../src/rt/messages.ts';

/** Nm, s, Nm and Nm/rad. */
const LIMITS = { torque: 1, time: 0.5, hold: 0.4 };
const STIFFNESS = 10;
const REACH = LIMITS.hold / STIFFNESS;

/** A joint that is held at 0 while its goal is at `target`. @returns the goals that are sent, cycle by cycle */
function press(guard: StallGuard, target: number, cycles: number, load = 1.1, velocity = 0, from = 0): number[] {
  return Array.from({ length: cycles }, (_, k) => guard.step(target, 0, velocity, load, STIFFNESS, from + k * 0.1));
}

describe('a joint that presses without moving', () => {
  test.each([0.5, -0.5])(
    'towards %s is drawn back once that has lasted, to where it holds on with less torque',
    (target) => {
      const sent = press(new StallGuard(LIMITS), target, 8, Math.sign(target) * 1.1);
      expect(sent).toEqual([...Array(7).fill(target), Math.sign(target) * REACH]);
    },
  );

  test('goes on holding at that distance from where it is, until it is asked for less', () => {
    const guard = new StallGuard(LIMITS);
    press(guard, 0.5, 7);
    expect(guard.step(0.5, 0.1, 0, 0.2, STIFFNESS, 1)).toBeCloseTo(0.1 + REACH, 9);
    expect(guard.step(0.13, 0.1, 0, 0.2, STIFFNESS, 1.1)).toBe(0.13);
    // From here on it has to press as long again.
    expect(press(guard, 0.5, 7, 1.1, 0, 2)).toEqual(Array(7).fill(0.5));
  });

  test('is left alone while it moves, carries little, or has pressed for a moment only', () => {
    expect(press(new StallGuard(LIMITS), 0.5, 20, 1)).toEqual(Array(20).fill(0.5));
    expect(press(new StallGuard(LIMITS), 0.5, 20, 1.1, 0.05)).toEqual(Array(20).fill(0.5));
    expect(press(new StallGuard(LIMITS), 0.5, 20, -1.1, -0.06)).toEqual(Array(20).fill(0.5));
    const guard = new StallGuard(LIMITS);
    press(guard, 0.5, 5);
    expect(guard.step(0.5, 0, 0, 0, STIFFNESS, 0.5)).toBe(0.5);
    expect(press(guard, 0.5, 6, 1.1, 0, 0.6)).toEqual(Array(6).fill(0.5));
  });

  test('is free at once when its goal comes to its other side, however far', () => {
    const guard = new StallGuard(LIMITS);
    press(guard, -0.5, 7, -1.1);
    expect(guard.stalled).toBe(true);
    expect(guard.step(0.5, 0, 0, -0.4, STIFFNESS, 0.7)).toBe(0.5);
    expect(guard.step(0.6, 0.2, 2, 0.4, STIFFNESS, 0.8)).toBe(0.6);
    expect(guard.stalled).toBe(false);
  });

  test('is judged by measurements: one that grows old says nothing of what came after it', () => {
    const guard = new StallGuard(LIMITS);
    for (let k = 0; k < 50; k++) expect(guard.step(0.5, 0, 0, 1.1, STIFFNESS, 1)).toBe(0.5);
    // Between these two it may have moved anywhere.
    expect(guard.step(0.5, 0, 0, 1.1, STIFFNESS, 2)).toBe(0.5);
    expect(press(guard, 0.5, 7, 1.1, 0, 2)).toEqual([...Array(6).fill(0.5), 0.5]);
    expect(guard.stalled).toBe(true);
  });

  test('that has no limits of its own yields well below what overloads a servo', () => {
    expect(yieldLimits(2)).toEqual({ torque: 1.2, time: 0.5, hold: 0.8 });
  });
});

describe('a follower’s joint that presses without moving', () => {
  /** A joint at `position` presses towards 0.5. @returns the goals that are sent, cycle by cycle */
  const led = (guard: YieldGuard, cycles: number, from: number, load = 1.1, position = 0): number[] =>
    Array.from({ length: cycles }, (_, k) =>
      guard.step(0.5, position, 0, load, STIFFNESS, from + k * 0.1, from + k * 0.1),
    );

  test('is drawn back once that has lasted, and follows what gives way to it', () => {
    const guard = new YieldGuard(LIMITS);
    expect(led(guard, 8, 0)).toEqual([...Array(6).fill(0.5), REACH, REACH]);
    expect(guard.step(0.5, 0.1, 0, 0.2, STIFFNESS, 0.8, 0.8)).toBeCloseTo(0.1 + REACH, 9);
    expect(guard.step(0.13, 0.1, 0, 0.2, STIFFNESS, 0.9, 0.9)).toBe(0.13);
    // From here on it has to press as long again.
    expect(led(guard, 7, 1)).toEqual([...Array(6).fill(0.5), REACH]);
  });

  test('does not take its goal along when something moves it back, until it has pressed as long again', () => {
    const guard = new YieldGuard(LIMITS);
    led(guard, 7, 0);
    expect(led(guard, 1, 0.7, 0.7, -0.03)[0]).toBeCloseTo(REACH, 9);
    const sent = led(guard, 8, 0.8, 1.1, -0.07);
    expect(sent.slice(0, 6)).toEqual(Array(6).fill(REACH));
    expect(sent.slice(6)).toEqual(Array(2).fill(-0.07 + REACH));
  });

  test('is free at once when its goal comes to its other side, and once nobody has watched it for a while', () => {
    const guard = new YieldGuard(LIMITS);
    led(guard, 7, 0);
    expect(guard.step(-0.5, 0, 0, 0.2, STIFFNESS, 0.7, 0.7)).toBe(-0.5);
    expect(led(guard, 7, 0.8).at(-1)).toBe(REACH);
    expect(led(guard, 1, 1.7, 0.2, -0.4)).toEqual([0.5]);
  });

  test('is left alone while it moves, or carries little', () => {
    expect(led(new YieldGuard(LIMITS), 20, 0, 1)).toEqual(Array(20).fill(0.5));
    const moving = new YieldGuard(LIMITS);
    for (let k = 0; k < 20; k++) expect(moving.step(0.5, 0, 0.05, 1.1, STIFFNESS, k * 0.1, k * 0.1)).toBe(0.5);
  });
});

describe('an arm whose angles may be wrong', () => {
  test('crawls: no joint is quicker than 0.3 rad/s, and all slow down alike', () => {
    expect(CRAWL).toBe(0.3);
    expect(crawlPart([1.5, 3, 0.6])).toBeCloseTo(0.1, 9);
    expect(crawlPart([0.2, 0.1])).toBe(1);
    expect(crawlPart([])).toBe(1);
  });
});

test('what drives joints has each number of their set-up in its place', () => {
  const joint = (k: number): JointSetup =>
    ({
      ...{ name: `joint ${k}`, lower: -k, upper: k, moveVelocity: 2 * k, mirrorVelocity: 3 * k },
      ...{ moveAcceleration: 4 * k, mirrorAcceleration: 5 * k, stiffness: 6 * k, damping: 7 * k, friction: 8 * k },
      ...{ inertia: 9 * k, torqueLimit: 10 * k, stall: k === 1 ? LIMITS : null },
    }) as unknown as JointSetup;
  const chain = { gravityTorques: (q: Float64Array, out: Float64Array) => out.set(q) } as unknown as Chain;
  const model = controlModel('arm', [joint(1), joint(2)], chain);
  const { limits, masks, stall, yield: yielding, gravity, ...rest } = model;
  expect(masks).toEqual({ all: Uint8Array.of(1, 1), arm: Uint8Array.of(1, 1), gripper: Uint8Array.of(0, 0) });
  expect(
    Object.fromEntries(Object.entries(rest).map(([name, of]) => [name, typeof of === 'string' ? of : [...of]])),
  ).toEqual({
    name: 'arm',
    joints: ['joint 1', 'joint 2'],
    stiffness: [6, 12],
    damping: [7, 14],
    friction: [8, 16],
    inertia: [9, 18],
    torqueLimit: [10, 20],
    // Half of it is what a hand may have to hold against.
    floatTorque: [5, 10],
  });
  expect([...limits.lower, ...limits.upper]).toEqual([-1, -2, 1, 2]);
  expect([limits.velocity, limits.acceleration].flatMap(({ move, mirror }) => [[...move], [...mirror]])).toEqual([
    [2, 4],
    [3, 6],
    [4, 8],
    [5, 10],
  ]);
  expect(stall.map((guard) => guard?.limits ?? null)).toEqual([LIMITS, null]);
  expect(yielding.map((guard) => guard?.limits)).toEqual([yieldLimits(10), yieldLimits(20)]);
  const torques = new Float64Array(2);
  gravity(Float64Array.of(1, 2), torques);
  expect([...torques]).toEqual([1, 2]);
});
