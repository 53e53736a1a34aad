import { expect, test } from 'vitest';
import type { ArmLink } from '../../../src/rt/driver/arm-link.ts';
import type { JointMap } from '../../../src/rt/messages.ts';
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
  const maps: JointMap[] = [{ from: 0, scale: 1, offset: 0, lower: -3, upper: 3 }];
  feel.begin(leader, 0, maps, source, { arm: 1, gripper: 0 });
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
  return { felt, feel, follower, leader, maps };
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

test('only what the leader follows of it is felt, and fades within 0.1 s when that is over', () => {
  const following = { follow: { code: FollowCode.following } };
  const ends: ((follower: ReturnType<typeof pressed>['follower']) => unknown)[] = [
    (follower) => Object.assign(follower, { source: null }),
    (follower) => Object.assign(follower, { source: following }),
    (follower) => Object.assign(follower.source!.follow!, { code: FollowCode.holding }),
    (follower) => Object.assign(follower.link, { up: false }),
    (follower) => follower.external.fill(Number.NaN),
  ];
  for (const end of ends) {
    const { felt, follower } = pressed();
    expect(felt(0, 40)).toBeCloseTo(1);
    end(follower);
    expect(felt(0, 10)).toBeCloseTo(0.5);
    expect(felt(0, 11)).toBe(0);
  }
});

test('as much is felt as was asked for last, at the gripper by a part of its own', () => {
  const { felt, feel, leader } = pressed();
  expect(felt(0, 40)).toBeCloseTo(1);
  feel.ask({ arm: 0.5, gripper: 0.2 });
  expect(felt(0)).toBeCloseTo(0.95);
  expect(felt(0, 40)).toBeCloseTo(0.5);
  leader.model.masks = { arm: Uint8Array.of(0), gripper: Uint8Array.of(1) } as never;
  expect(felt(0)).toBeCloseTo(0.2);
  feel.ask({ arm: 0, gripper: 0 });
  expect(felt(0, 40)).toBe(0);
});

test('a gripper may be all that is felt', () => {
  const { felt, feel, leader } = pressed();
  leader.model.masks = { arm: Uint8Array.of(0), gripper: Uint8Array.of(1) } as never;
  feel.ask({ arm: 0, gripper: 0.5 });
  expect(felt(0, 40)).toBeCloseTo(0.5);
});

test('what fades out is what was felt last, whatever pushes the follower meanwhile', () => {
  const { felt, follower } = pressed();
  expect(felt(0, 40)).toBeCloseTo(1);
  follower.source = null;
  follower.external.fill(-5);
  follower.link.readings.positions.fill(-2);
  expect(felt(0, 10)).toBeCloseTo(0.5);
});

test('a follower that a move drives is not felt, nor one that nobody has told to be', () => {
  const { felt, follower } = pressed();
  follower.source = {} as SetpointSource;
  expect(felt(0, 40)).toBe(0);
  const out = Float64Array.of(0);
  new Feel(follower).add(out, CYCLE, 10);
  expect([...out]).toEqual([0]);
});

test('the pushes of several followers add up, and one without a partner adds nothing', () => {
  const { feel, follower, maps } = pressed();
  follower.feltTime = 10;
  const out = Float64Array.of(0.3);
  for (let k = 0; k < 40; k++) feel.add(out.fill(0.3), CYCLE, 10);
  expect(out[0]).toBeCloseTo(1.3);
  maps[0] = { ...maps[0]!, from: -1 };
  feel.add(out.fill(0.3), CYCLE, 10);
  expect([...out]).toEqual([0.3]);
});

test('a follower fades in anew with each source that drives it', () => {
  const { felt, feel, follower, leader, maps } = pressed();
  expect(felt(0, 40)).toBeCloseTo(1);
  const next = { follow: { code: FollowCode.following } } as SetpointSource;
  follower.source = next;
  feel.begin(leader, 3, maps, next, { arm: 1, gripper: 1 });
  expect(feel.leader).toBe(3);
  expect(felt(0, 10)).toBeCloseTo(0.5);
});

test('stiff springs are worth while for a follower here of which something is to be felt, and for no other', () => {
  const { feel, follower } = pressed();
  expect(new Feel(follower).stiffens).toBe(false);
  expect(new Feel(follower).leader).toBe(-1);
  expect(feel.stiffens).toBe(true);
  feel.ask({ arm: 0, gripper: 0.5 });
  expect(feel.stiffens).toBe(true);
  feel.ask({ arm: 0, gripper: 0 });
  expect(feel.stiffens).toBe(false);
  feel.ask({ arm: 1, gripper: 1 });
  const { source } = follower;
  follower.source = null;
  expect(feel.stiffens).toBe(false);
  follower.source = {} as SetpointSource;
  expect(feel.stiffens).toBe(false);
  follower.source = source;
  (follower.link as { remote: boolean }).remote = true;
  expect(feel.stiffens).toBe(false);
});
