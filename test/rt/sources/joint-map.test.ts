import { describe, expect, test } from 'vitest';
import { jointMaps, type MappedModel, mapPositions, unmapPositions } from '../../../src/rt/sources/joint-map.ts';

/** A joint whose angle of its role is `sign * (position - zero)`, rad. */
const joint = (name: string, role: string, sign: number, zero: number) => ({ name, role, roleFrame: { sign, zero } });

/** Two models that share no name of a joint: what means the same is told by the role. */
const LEADER: MappedModel = {
  name: 'small',
  joints: [
    joint('base', 'shoulder_pan', 1, 0),
    joint('upper', 'shoulder_lift', -1, 0.5),
    joint('claw', 'gripper', 1, 0),
  ],
  gripper: { index: 2, closed: 0.2, open: 1.2 },
};
const FOLLOWER: MappedModel = {
  name: 'large',
  joints: [
    joint('jaw', 'gripper', 1, 0),
    joint('lift', 'shoulder_lift', 1, -0.3),
    joint('forearm', 'forearm_roll', 1, 0),
    joint('waist', 'shoulder_pan', -1, 0.1),
  ],
  gripper: { index: 0, closed: 0.05, open: 0.01 },
};

function mapped(invert = false, positions = [0.4, 0.2, 0.7]): number[] {
  const maps = jointMaps(LEADER, FOLLOWER, {}, invert);
  if (typeof maps === 'string') throw new Error(maps);
  const out = Float64Array.of(9, 9, 9, 9);
  mapPositions(maps, Float64Array.from(positions), out);
  return [...out];
}

describe('joints of different models', () => {
  test('point the same way: the angle of the role is the same on both', () => {
    const [, lift, , waist] = mapped();
    // Of the leader: -1 * (0.2 - 0.5) and 1 * (0.4 - 0); of the follower: 1 * (q + 0.3) and -1 * (q - 0.1).
    expect(lift! + 0.3).toBeCloseTo(0.3, 12);
    expect(-(waist! - 0.1)).toBeCloseTo(0.4, 12);
  });

  test('are mirrored where they turn about the middle plane, and nowhere else', () => {
    const [, lift, , waist] = mapped(true);
    expect(lift).toBeCloseTo(mapped()[1]!, 12);
    expect(-(waist! - 0.1)).toBeCloseTo(-0.4, 12);
  });

  test.each([
    ['closed', 0.2, 0.05],
    ['open', 1.2, 0.01],
    ['half open', 0.7, 0.03],
  ])('grippers go by their opening: %s', (_, leader, follower) => {
    expect(mapped(false, [0, 0, leader])[0]).toBeCloseTo(follower, 12);
  });

  test('a joint whose role the leader has not stays where it is', () => {
    expect(mapped()[2]).toBe(9);
  });

  test('without the frame of a role, or with no gripper on one side, the joint is named', () => {
    const bare = { ...FOLLOWER, joints: FOLLOWER.joints.map((each) => ({ ...each, roleFrame: null })) };
    expect(jointMaps(LEADER, bare, {}, false)).toMatch(/^a small cannot lead a large: joint lift of the large has no/);
    const blunt = { ...LEADER, joints: LEADER.joints.map(({ name, role }) => ({ name, role })) };
    expect(jointMaps(blunt, FOLLOWER, {}, false)).toMatch(/joint upper of the small has no role_sign/);
    for (const [leader, follower] of [
      [{ ...LEADER, gripper: null }, FOLLOWER],
      [LEADER, { ...FOLLOWER, gripper: null }],
    ] as const) {
      // Then a gripper is a joint like any other.
      const maps = jointMaps(leader, follower, {}, false);
      expect(maps[0]).toMatchObject({ from: 2, scale: 1, offset: 0 });
    }
  });
});

describe('joints of the same model', () => {
  test('go one to one, by their place, also where the model tells no roles', () => {
    const model = { ...LEADER, joints: LEADER.joints.map(({ name }) => ({ name, role: 'the same' })) };
    const maps = jointMaps(model, model, {}, false);
    expect(maps).toEqual([0, 1, 2].map((from) => expect.objectContaining({ from, scale: 1, offset: 0 })));
  });

  test('are mirrored about their zero, which need not be that of the servo', () => {
    const model = { ...LEADER, joints: [joint('base', 'shoulder_pan', -1, 0.2)], gripper: null };
    const maps = jointMaps(model, model, {}, true);
    if (typeof maps === 'string') throw new Error(maps);
    const out = new Float64Array(1);
    mapPositions(maps, Float64Array.of(0.5), out);
    expect(out[0]).toBeCloseTo(-0.1, 12);
    const plain = { ...model, joints: [{ name: 'base', role: 'shoulder_pan' }] };
    expect(jointMaps(plain, plain, {}, true)).toMatchObject([{ scale: -1, offset: 0 }]);
  });
});

describe('what a pair’s configuration says of a joint', () => {
  test('scales and shifts what is mapped, and keeps it within its bounds', () => {
    const maps = jointMaps(LEADER, FOLLOWER, { waist: { scale: 0.5, offset: 0.2, lower: -0.1, upper: 0.3 } }, false);
    if (typeof maps === 'string') throw new Error(maps);
    const waist = (base: number): number => {
      const out = new Float64Array(4);
      mapPositions(maps, Float64Array.of(base, 0, 0), out);
      return out[3]!;
    };
    // Unscaled it would be 0.1 - base.
    expect(waist(0.2)).toBeCloseTo(0.5 * (0.1 - 0.2) + 0.2, 12);
    expect(waist(-3)).toBe(0.3);
    expect(waist(3)).toBe(-0.1);
  });

  test('must be of a joint that the follower has', () => {
    const fault = jointMaps(LEADER, FOLLOWER, { elbow: {} }, false);
    expect(fault).toBe('the pair\'s joint "elbow" is none of the follower\'s joints: jaw, lift, forearm, waist');
  });
});

test('positions of the follower are taken back to those of the leader; what leads nothing stays', () => {
  const maps = jointMaps(LEADER, FOLLOWER, { jaw: { scale: 0 } }, true);
  if (typeof maps === 'string') throw new Error(maps);
  const follower = new Float64Array(4);
  mapPositions(maps, Float64Array.of(0.4, 0.2, 0.7), follower);
  const leader = Float64Array.of(9, 9, 9);
  unmapPositions(maps, follower, leader);
  expect(leader[0]).toBeCloseTo(0.4, 12);
  expect(leader[1]).toBeCloseTo(0.2, 12);
  // A gripper that is not led says nothing of the leader's.
  expect(leader[2]).toBe(9);
});
