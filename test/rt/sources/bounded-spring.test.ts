import { describe, expect, test } from 'vitest';
import type { ArmLink } from '../../../src/rt/driver/arm-link.ts';
import type { JointMap } from '../../../src/rt/messages.ts';
import { BoundedSpring } from '../../../src/rt/sources/bounded-spring.ts';

const CYCLE = 0.005;
const STIFFNESS = 10;
const SAME: JointMap = { from: 0, scale: 1, offset: 0, lower: -3, upper: 3 };

/** A follower with one joint at 0.3 rad, and what a hand at an angle feels of it, Nm. */
function follower(map = SAME, remote = false) {
  const arm = {
    link: {
      remote,
      gain: Float64Array.of(1),
      readings: { positions: Float64Array.of(0.3) },
    } as unknown as ArmLink,
    model: { stiffness: Float64Array.of(STIFFNESS), masks: {} as never },
    source: null,
    external: Float64Array.of(0),
    velocities: Float64Array.of(0),
    feltTime: 0,
  };
  const spring = new BoundedSpring(arm);
  spring.begin();
  const felt = (hand: number, cycles = 1): number => {
    for (let k = 0; k < cycles; k++) {
      spring.locate(CYCLE);
      spring.step(Float64Array.of(hand), [map], CYCLE);
    }
    return spring.torques[0]!;
  };
  return { arm, spring, felt, push: (torque: number) => arm.external.fill(torque) };
}

describe('of a follower, a hand feels', () => {
  test('nothing while it only lags behind', () => {
    const { felt, push } = follower();
    expect(felt(0)).toBeCloseTo(0);
    expect(felt(0.6)).toBeCloseTo(0);
    // Friction and inertia look like a push, the more so at speed.
    push(0.08);
    expect(felt(0)).toBeCloseTo(0);
    push(-0.08);
    expect(felt(0.6)).toBeCloseTo(0);
  });

  test('less of a push the faster it moves, because it may be none', () => {
    const { arm, felt, push } = follower();
    for (const velocity of [2, -2]) {
      arm.velocities[0] = velocity;
      push(0.2);
      expect(felt(0)).toBeCloseTo(0);
    }
    // 0.1 Nm and 0.06 Nm per rad/s are not counted, the rest four times.
    push(0.4);
    expect(felt(0)).toBeCloseTo(4 * (0.4 - 0.1 - 0.12));
  });

  test('a push to either side, in its direction alone, and no more than the way between them is worth', () => {
    const { felt, push } = follower();
    push(0.4);
    expect(felt(0)).toBeCloseTo(1.2);
    expect(felt(0.25)).toBeCloseTo(0.5);
    expect(felt(0.6)).toBeCloseTo(0);
    const other = follower();
    other.push(-0.4);
    expect(other.felt(0.6)).toBeCloseTo(-1.2);
    expect(other.felt(0.35)).toBeCloseTo(-0.5);
    expect(other.felt(0)).toBeCloseTo(0);
  });

  test('a push that has ended less and less for a fifth of a second', () => {
    const { felt, push } = follower();
    push(0.4);
    felt(0);
    push(0);
    expect(felt(0, 40)).toBeCloseTo(1.2 / Math.E, 2);
    expect(felt(0, 200)).toBeLessThan(0.02);
    push(-0.4);
    felt(0.6);
    push(0);
    expect(felt(0.6, 40)).toBeCloseTo(-1.2 / Math.E, 2);
  });

  test('nothing of what was before it began', () => {
    const { arm, spring, felt, push } = follower();
    push(0.4);
    felt(0);
    arm.link.readings.positions[0] = 0.5;
    spring.begin();
    expect([spring.torques[0], spring.place[0]]).toEqual([0, 0.5]);
    push(0);
    expect(felt(0)).toBe(0);
  });

  test('what its own servo would pull with: half with half of its gain', () => {
    const { arm, felt, push } = follower();
    push(2);
    expect(felt(0.2)).toBeCloseTo(1);
    arm.link.gain[0] = 0.5;
    expect(felt(0.2)).toBeCloseTo(0.5);
  });

  test('the push at its own joint, which may turn the other way and further', () => {
    const { felt, push } = follower({ ...SAME, scale: -2, offset: 0.5 });
    push(2);
    // The hand at 0.15 wants the follower at 0.2: it is pushed up by 1 Nm, which turns the hand down.
    expect(felt(0.15)).toBeCloseTo(-2);
  });

  test('nothing where the joint has no partner, or nobody knows what pushes it or where it is', () => {
    const alone = follower({ ...SAME, from: -1 });
    alone.push(2);
    expect(alone.felt(0.2)).toBe(0);
    const { arm, felt, push } = follower();
    push(Number.NaN);
    expect(felt(0.2)).toBe(0);
    push(2);
    arm.link.readings.positions[0] = Number.NaN;
    expect(felt(0.2)).toBe(0);
  });
});

describe('where a follower is', () => {
  test('is taken as it is measured here, and smoothed over 0.1 s where that comes late from another machine', () => {
    const here = follower();
    const there = follower(SAME, true);
    for (const { arm } of [here, there]) arm.link.readings.positions[0] = 1.3;
    here.felt(0);
    expect(here.spring.place[0]).toBe(1.3);
    there.felt(0);
    expect(there.spring.place[0]).toBeCloseTo(0.3 + 0.05, 2);
    there.felt(0, 19);
    expect(there.spring.place[0]).toBeCloseTo(1.3 - 1 / Math.E, 3);
  });
});
