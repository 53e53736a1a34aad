import { describe, expect, test } from 'vitest';
import { jointSetups } from '../../../src/arm/joint-setups.ts';
import { loadArmModel } from '../../../src/arm/model.ts';
import { Following } from '../../../src/rt/joint/following.ts';

const CYCLE = 0.005;
const NONE = Float64Array.of(0);
const ONE = Float64Array.of(1);
const [pan] = jointSetups(loadArmModel('so101'));
const joint = {
  stiffness: Float64Array.of(pan!.stiffness),
  damping: Float64Array.of(pan!.damping),
  friction: Float64Array.of(pan!.friction),
  inertia: Float64Array.of(pan!.inertia),
};

/** A joint that is where `motion` says, for goals that move at `speed`, rad/s. */
function drive(motion: (t: number, goal: number) => number, speed: number, seconds: number, droop = 0): number | null {
  const following = new Following(joint);
  following.begin(NONE, 0);
  for (let k = 1; k * CYCLE <= seconds; k++) {
    const t = k * CYCLE;
    const goal = speed * (t - CYCLE);
    const position = Float64Array.of(motion(t, goal));
    following.measure(position, t);
    following.step(Float64Array.of(goal + droop), Float64Array.of(droop), ONE, position, t);
    if (following.isBehind(0)) return t;
  }
  return null;
}

/** A spring with damping and inertia, as the servo of the joint is. */
function spring(scale: number, load = 0): (t: number, goal: number) => number {
  let position = 0;
  let velocity = 0;
  return (_, goal) => {
    for (let k = 0; k < 5; k++) {
      const pull = pan!.stiffness * scale * (goal - position) - load - pan!.damping * velocity;
      velocity += (pull / pan!.inertia) * (CYCLE / 5);
      position += velocity * (CYCLE / 5);
    }
    return position;
  };
}

describe('a joint', () => {
  test('that follows as its drive explains is never said to stay behind, slow or quick', () => {
    for (const speed of [0.05, 0.5, 1.5, 3]) expect(drive(spring(1), speed, 1)).toBeNull();
  });

  test('whose springs are a fifth softer or harder, or that carries what the model does not know, neither', () => {
    expect(drive(spring(0.8), 1.5, 1)).toBeNull();
    expect(drive(spring(1.2), 1.5, 1)).toBeNull();
    let load = 0;
    const carrying = spring(1, 0.5);
    expect(
      drive(
        (t, goal) => {
          load = carrying(t, goal);
          return load;
        },
        1,
        1,
      ),
    ).toBeNull();
  });

  test.each([
    [1.5, 0.1],
    [3, 0.1],
  ])('that is held at a speed of %s rad/s is found within %s s', (speed, most) => {
    const found = drive(() => 0, speed, 2);
    expect(found).not.toBeNull();
    expect(found!).toBeLessThan(most + 0.06 / speed);
  });

  test('that a register slows to 0.46 rad/s is found in a move at 1.5 rad/s', () => {
    const found = drive((t) => 0.46 * t, 1.5, 2);
    expect(found).not.toBeNull();
    expect(found!).toBeLessThan(0.2);
  });

  test('that runs away from goals that rest is found too', () => {
    expect(drive((t) => 3 * t, 0, 1)).toBeLessThan(0.1);
  });
});

test('a load that has been learned is forgotten as soon as the joint is where it should be without it', () => {
  const following = new Following(joint);
  following.begin(NONE, 0);
  let t = 0;
  const sag = (by: number, seconds: number): void => {
    for (const end = t + seconds; t < end; ) {
      t += CYCLE;
      const position = Float64Array.of(-by);
      following.measure(position, t);
      following.step(NONE, NONE, ONE, position, t);
    }
  };
  // It comes little by little, as when somebody leans on the arm, and goes at once.
  for (let by = 0; by <= 0.14; by += 0.01) sag(by, 0.3);
  sag(0.14, 2);
  expect(following.learned[0]).toBeCloseTo(-0.14, 2);
  sag(0, 0.05);
  expect(Math.abs(following.learned[0]!)).toBeLessThan(0.01);
  expect(Math.abs(following.deviations[0]!)).toBeLessThan(0.01);
});

test('after a gap between two samples nothing is judged: joints are taken to be where they are', () => {
  const following = new Following(joint);
  following.begin(NONE, 0);
  following.step(Float64Array.of(1), NONE, ONE, NONE, 0.005);
  following.step(Float64Array.of(1), NONE, ONE, Float64Array.of(0.6), 0.2);
  expect(following.deviations[0]).toBe(0);
  expect(following.isSuspect(0)).toBe(false);
});

test('the same sample counts once', () => {
  const following = new Following(joint);
  following.begin(NONE, 0);
  for (let k = 0; k < 50; k++) following.step(Float64Array.of(1), NONE, ONE, Float64Array.of(-1), 0.005);
  expect(following.isSuspect(0)).toBe(true);
  expect(following.isBehind(0)).toBe(false);
});

test('speeds are those of the last four samples', () => {
  const following = new Following(joint);
  following.begin(NONE, 0);
  for (let k = 1; k <= 10; k++) following.measure(Float64Array.of(0.01 * k), 0.005 * k);
  expect(following.velocities[0]).toBeCloseTo(2, 9);
  following.measure(Float64Array.of(9), 0.05);
  expect(following.velocities[0]).toBeCloseTo(2, 9);
});

test('speeds are over five positions, and begin anew where joints are taken to rest', () => {
  const following = new Following(joint);
  following.begin(NONE, 1);
  expect(following.measured).toBe(1);
  // One that jumps is seen for as long as it is among them.
  for (let k = 1; k <= 5; k++) following.measure(Float64Array.of(0.1), 1 + 0.01 * k);
  expect(following.velocities[0]).toBeCloseTo(0, 9);
  following.measure(Float64Array.of(0.3), 1.06);
  expect(following.velocities[0]).toBeCloseTo(0.2 / 0.04, 9);
  expect(following.measured).toBe(1.06);
  following.begin(Float64Array.of(0.5), 2);
  expect([following.measured, following.velocities[0]]).toEqual([2, 0]);
  following.measure(Float64Array.of(0.52), 2.01);
  expect(following.velocities[0]).toBeCloseTo(2, 9);
});

/** What a joint deviates by most whose spring, damping and friction are those of the model. @param each cycles in which it is sampled */
function asModelled(gain: number, droop: number, each: number, goalAt: (t: number) => number): number {
  const following = new Following(joint);
  following.begin(NONE, 0);
  let position = 0;
  let velocity = 0;
  let most = 0;
  const FINE = 50;
  for (let k = 1; k <= 400; k++) {
    const goal = goalAt((k - 1) * CYCLE) + droop;
    for (let n = 0; n < FINE; n++) {
      const pull = pan!.stiffness * gain * (goal - droop - position);
      const drag = pan!.damping * velocity + pan!.friction * Math.tanh(velocity / 0.1);
      velocity += ((pull - drag) / pan!.inertia) * (CYCLE / FINE);
      position += velocity * (CYCLE / FINE);
    }
    if (k % each !== 0) continue;
    following.step(
      Float64Array.of(goal),
      Float64Array.of(droop),
      Float64Array.of(gain),
      Float64Array.of(position),
      k * CYCLE,
    );
    most = Math.max(most, Math.abs(following.deviations[0]!));
  }
  return most;
}

describe('what a joint is expected to do', () => {
  const moved = (t: number): number => (t < 0.2 ? 0 : Math.min(0.6, 2 * (t - 0.2)));

  test.each([
    [1, 0],
    [0.3, 0],
    [1, 0.15],
    [0.5, -0.1],
  ])('is what its spring does with %s of its gain under a droop of %s rad', (gain, droop) => {
    expect(asModelled(gain, droop, 1, moved)).toBeLessThan(0.025);
  });

  test('is so too between samples that come late', () => {
    expect(asModelled(1, 0, 4, (t) => (t < 0.2 ? 0 : 0.1))).toBeLessThan(0.05);
  });

  test('leaves it a band, more of it where it droops and where it moves', () => {
    /** The joint stays so far from its goal from here on. */
    const behind = (away: number, droop = 0): boolean => {
      const following = new Following(joint);
      following.begin(NONE, 0);
      for (let k = 1; k <= 3; k++)
        following.step(Float64Array.of(droop), Float64Array.of(droop), ONE, Float64Array.of(away), k * CYCLE);
      return following.isSuspect(0);
    };
    expect([behind(0.058), behind(-0.058), behind(0.064), behind(-0.064)]).toEqual([false, false, true, true]);
    // A quarter of the droop may be wrong.
    expect([behind(0.095, 0.16), behind(0.095, -0.16), behind(0.105, 0.16)]).toEqual([false, false, true]);
  });

  test('takes three cycles and 15 ms to be found wrong, and one to be right again', () => {
    const following = new Following(joint);
    following.begin(NONE, 0);
    const told: boolean[] = [];
    const away = (position: number, t: number): void => {
      following.step(NONE, NONE, ONE, Float64Array.of(position), t);
      told.push(following.isBehind(0));
    };
    for (let k = 1; k <= 5; k++) away(0.3, k * CYCLE);
    expect(told).toEqual([false, false, false, true, true]);
    expect(following.isSuspect(0)).toBe(true);
    away(0, 6 * CYCLE);
    expect([following.isSuspect(0), following.isBehind(0)]).toEqual([false, false]);
    told.length = 0;
    // Samples 20 ms apart: three of them.
    for (let k = 1; k <= 3; k++) away(0.3, 6 * CYCLE + k * 0.02);
    expect(told).toEqual([false, false, true]);
  });

  test('is learned from a load that lasts, by 0.2 rad at most', () => {
    const following = new Following(joint);
    following.begin(NONE, 0);
    let by = 0;
    let t = 0;
    for (; t < 20; t += CYCLE) {
      by = Math.max(-0.5, by - 0.0004);
      following.step(NONE, NONE, ONE, Float64Array.of(by), t + CYCLE);
      if (following.isSuspect(0)) break;
    }
    expect(following.learned[0]).toBeCloseTo(-0.2, 3);
    expect(by).toBeLessThan(-0.25);
    // It is not forgotten while the joint is where it was learned.
    const other = new Following(joint);
    other.begin(NONE, 0);
    for (let k = 1; k <= 1000; k++) other.step(NONE, NONE, ONE, Float64Array.of(0.05), k * CYCLE);
    expect(other.learned[0]).toBeCloseTo(0.05, 3);
    expect(other.deviations[0]).toBeCloseTo(0, 3);
    other.adopt(NONE);
    expect([other.learned[0], other.deviations[0], other.isSuspect(0)]).toEqual([0, 0, false]);
  });
});
