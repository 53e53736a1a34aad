import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chain } from '../../src/kinematics/chain.ts';
import { CollisionModel } from '../../src/kinematics/collision.ts';
import { MujocoArm } from './mujoco.ts';
import { chain, generator, pose, randomPositions, so101 } from './so101.ts';

const model = new CollisionModel(chain);

/** Links that a joint connects: their bodies meet at it. */
const NEIGHBOURS = new Set([
  'base_link shoulder',
  'shoulder upper_arm',
  'lower_arm upper_arm',
  'lower_arm wrist',
  'gripper_link wrist',
  'gripper_link jaw',
]);

describe('collision check of the SO-101', () => {
  for (const name of so101.poses.keys()) {
    it(`lets the pose ${name} stand`, () => expect(model.check(pose(name))).toBeNull());
  }

  const ways = [
    ['rest', 'init'],
    ['init', 'rest'],
    ['rest', 'park'],
    ['park', 'init'],
    ['init', 'park'],
    ['init', 'hello'],
    ['hello', 'rest'],
  ] as const;
  for (const [from, to] of ways) {
    it(`lets the arm go straight from ${from} to ${to}`, () => {
      expect(model.checkPath(pose(from), pose(to))).toBeNull();
    });
  }

  it('sees the gripper in the base', () => {
    const contact = new CollisionModel(chain, { floor: null }).check(Float64Array.of(0, -1.5, 1.6, 1.6, 0, 0));
    expect(contact).not.toBeNull();
    expect(['base_link', 'shoulder']).toContain(contact!.a);
    expect(contact!.distance).toBeLessThan(0);
  });

  it('sees the tool below the floor, unless there is none', () => {
    const q = Float64Array.of(0, 0.9, 0.5, 0.5, 0, 0);
    expect(model.check(q)).toMatchObject({ b: 'floor' });
    expect(new CollisionModel(chain, { floor: null }).check(q)).toBeNull();
  });

  it('sees a touch in the middle of a way whose ends are free', () => {
    const from = Float64Array.of(0, 0.7, -0.6, 0.9, 0, 0);
    const to = Float64Array.of(0, 0, 1.5, -1.1, 0, 0);
    expect(model.check(from)).toBeNull();
    expect(model.check(to)).toBeNull();
    const contact = model.checkPath(from, to);
    expect(contact).toMatchObject({ a: 'gripper_link', b: 'floor' });
    expect(contact!.at).toBeGreaterThan(0.3);
    expect(contact!.at).toBeLessThan(0.7);
  });

  it('lets a limp arm that has sunk onto the floor rise, and not sink deeper', () => {
    const sunk = pose('rest');
    sunk[3] = sunk[3]! + 0.15;
    expect(model.check(sunk)).toMatchObject({ b: 'floor' });
    expect(model.checkPath(sunk, pose('init'))).toBeNull();
    const deeper = sunk.slice();
    deeper[3] = deeper[3]! + 0.1;
    expect(model.checkPath(sunk, deeper)).toMatchObject({ b: 'floor' });
  });

  it('measures distances: capsules of known place and size', () => {
    const text = `<robot name="r"><link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
      <link name="mid"/><link name="end"><collision><origin xyz="0 0 0"/><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision></link>
      <joint name="x" type="prismatic"><parent link="base"/><child link="mid"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
      <joint name="z" type="prismatic"><parent link="mid"/><child link="end"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>`;
    const slides = Chain.fromUrdf(text, { base: 'base', tool: 'end', joints: ['x', 'z'] });
    const near = new CollisionModel(slides, { clearance: 10, floor: null });
    expect(near.check(Float64Array.of(0.5, 0))!.distance).toBeCloseTo(0.35, 12);
    expect(near.check(Float64Array.of(0.1, 0.1))!.distance).toBeCloseTo(-0.05, 12);
    // Beyond the end of the cylinder the distance is that of its cap: a sphere of its radius.
    expect(near.check(Float64Array.of(0.3, 0.6))!.distance).toBeCloseTo(Math.hypot(0.3, 0.4) - 0.15, 12);
    const floor = new CollisionModel(slides, { clearance: 10, floor: -1 });
    floor.check(Float64Array.of(0, -0.3));
    expect(new CollisionModel(slides, { floor: -0.49 }).check(Float64Array.of(5, -0.3))).toMatchObject({ b: 'floor' });
    expect(new CollisionModel(slides, { floor: -0.51 }).check(Float64Array.of(5, -0.3))).toBeNull();
  });
});

describe('against the contacts of MuJoCo', () => {
  let mujoco: MujocoArm;
  beforeAll(async () => {
    mujoco = await MujocoArm.load(so101.urdf);
  });
  afterAll(() => mujoco.dispose());

  it('calls no pose free in which bodies overlap by more than a millimetre, nor many that are free touching', () => {
    const next = generator(21);
    let early = 0;
    const poses = 500;
    for (let i = 0; i < poses; i++) {
      const q = randomPositions(next);
      const deepest = mujoco.contacts(q).find(({ a, b }) => !NEIGHBOURS.has([a, b].sort().join(' ')));
      const contact = model.check(q);
      if (deepest && deepest.distance < -0.001) expect(contact, [...q].join(', ')).not.toBeNull();
      if (!deepest && contact) early++;
    }
    expect(early).toBeLessThan(0.05 * poses);
  });

  it('agrees that named poses touch nothing', () => {
    for (const name of so101.poses.keys()) expect(mujoco.contacts(pose(name))).toEqual([]);
  });

  it('lets a limp arm lie at the rest pose: nothing sinks by more than 0.1 rad', { timeout: 60_000 }, () => {
    // Friction 0.052 Nm and damping 0.6 Nm s/rad stand in the URDF, the servo's armature is 0.028 kg m².
    const lying = mujoco.fall(pose('rest'), 6, 0.028);
    for (const [joint, position] of lying.entries()) {
      expect(Math.abs(position - pose('rest')[joint]!)).toBeLessThan(0.1);
    }
    expect(model.checkPath(Float64Array.from(lying), pose('init'))).toBeNull();
  });
});
