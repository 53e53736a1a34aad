import { expect, test } from 'vitest';
import type { ArmLink } from '../../../src/rt/driver/arm-link.ts';
import { FollowCode } from '../../../src/rt/snapshot/arm-fields.ts';
import { Feel, type FeelingArm } from '../../../src/rt/sources/feel.ts';
import type { SetpointSource } from '../../../src/rt/sources/setpoint-source.ts';

const CYCLE = 0.005;

/** A follower that is 0.1 rad away from its leader and pressed with 1 Nm, and the feedback of it. */
function pressed() {
  const arm = (position: number) => ({
    link: {
      remote: false,
      up: true,
      gain: Float64Array.of(1),
      readings: { positions: Float64Array.of(position) },
    } as unknown as ArmLink,
    model: { stiffness: Float64Array.of(10), masks: { arm: Uint8Array.of(1), gripper: Uint8Array.of(0) } as never },
    source: null as SetpointSource | null,
    external: Float64Array.of(1),
    velocities: Float64Array.of(0),
    feltTime: 0,
  });
  const [follower, leader] = [arm(0.1), arm(0)];
  const source = { follow: { code: FollowCode.following } } as SetpointSource;
  follower.source = source;
  const feel = new Feel(follower satisfies FeelingArm);
  feel.begin(leader, 0, [{ from: 0, scale: 1, offset: 0, lower: -3, upper: 3 }], source, { arm: 1, gripper: 0 });
  let now = 10;
  /** @param age of the follower's newest sample, s @returns what is felt, Nm */
  const felt = (age: number, cycles = 1): number => {
    const out = Float64Array.of(0);
    for (let k = 0; k < cycles; k++) {
      now += CYCLE;
      follower.feltTime = now - age;
      feel.add(out.fill(0), CYCLE, now);
    }
    return out[0]!;
  };
  return { felt, follower };
}

test('a push fades as the newest sample ages, is gone with a sample of 0.1 s, and fades in when samples come again', () => {
  const { felt } = pressed();
  expect(felt(0.036, 40)).toBeCloseTo(1);
  expect(felt(0.05)).toBeCloseTo(1);
  expect(felt(0.075)).toBeCloseTo(0.5);
  expect(felt(0.1)).toBeCloseTo(0);
  expect(felt(1, 20)).toBe(0);
  expect(felt(0, 10)).toBeCloseTo(0.5);
  expect(felt(0, 10)).toBeCloseTo(1);
});

test('a lost sample weakens a push for a moment, and late ones of a slow bus do not', () => {
  const { felt } = pressed();
  felt(0, 40);
  const pushes = Array.from({ length: 100 }, (_, k) => felt((k % 8) * CYCLE));
  expect(Math.min(...pushes)).toBeCloseTo(1);
  expect(felt(0.072)).toBeGreaterThan(0.5);
  expect(felt(0, 10)).toBeCloseTo(1);
});
