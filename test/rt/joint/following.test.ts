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
