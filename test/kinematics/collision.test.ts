import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chain } from '../../src/kinematics/chain.ts';
import { CollisionModel } from '../../src/kinematics/collision.ts';
import { parseUrdf } from '../../src/kinematics/urdf.ts';
import { ARMS, randomPositionsOf } from './arms.ts';
import { MujocoArm } from './mujoco.ts';
import { chain, generator, pose, so101 } from './so101.ts';

const model = new CollisionModel(chain);

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
    const slides = new Chain(parseUrdf(text), { base: 'base', tool: 'end', joints: ['x', 'z'] });
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

/** A box, a cylinder, a capsule and a sphere that slide and turn past each other and over the floor. */
const SHAPES = `<robot name="shapes"><link name="base_link"/><link name="rail">BODY</link>
  <link name="box">BODY<collision><origin xyz="0.05 0 0" rpy="0.3 0.2 0.1"/><geometry><box size="0.2 0.06 0.02"/></geometry></collision></link>
  <link name="arm">BODY</link><link name="tube">BODY<collision><origin xyz="0 0 0.1" rpy="0 0.4 0"/><geometry><cylinder radius="0.03" length="0.3"/></geometry></collision></link>
  <link name="pill">BODY<collision><origin xyz="0.2 0 0" rpy="0.7 0 0"/><geometry><capsule radius="0.04" length="0.1"/></geometry></collision></link>
  <link name="ball">BODY<collision><origin xyz="-0.2 0 0"/><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="lift" type="prismatic"><parent link="base_link"/><child link="rail"/><origin xyz="0 0 0.25"/><axis xyz="0 0 1"/>LIMIT</joint>
  <joint name="aside" type="prismatic"><parent link="rail"/><child link="box"/><axis xyz="1 0 0"/>LIMIT</joint>
  <joint name="sweep" type="prismatic"><parent link="rail"/><child link="arm"/><axis xyz="0 1 0"/>LIMIT</joint>
  <joint name="tilt" type="revolute"><parent link="arm"/><child link="tube"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="wave" type="revolute"><parent link="arm"/><child link="pill"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="nod" type="revolute"><parent link="arm"/><child link="ball"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
</robot>`
  .replaceAll('LIMIT', '<limit lower="-0.2" upper="0.2" effort="1" velocity="1"/>')
  .replaceAll(
    'BODY',
    '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>',
  );

const shapes = new Chain(parseUrdf(SHAPES), {
  base: 'base_link',
  tool: 'box',
  joints: ['lift', 'aside', 'sweep', 'tilt', 'wave', 'nod'],
});

/** Pairs of links that are never checked: one joint connects them, or the first link and the floor below it. */
function neighbours({ description, base }: Chain): (a: string, b: string) => boolean {
  const above = (link: string) => description.joints.find(({ child }) => child === link);
  /** The first link of the body that fixed joints make of several. */
  const body = (link: string): string => {
    const joint = above(link);
    return joint?.type === 'fixed' ? body(joint.parent) : link;
  };
  const parent = (link: string): string | null => {
    const joint = above(body(link));
    return joint ? body(joint.parent) : null;
  };
  return (a, b) => {
    if (a === 'floor' || b === 'floor') return [null, base].includes(parent(a === 'floor' ? b : a));
    return body(a) === body(b) || parent(a) === body(b) || parent(b) === body(a);
  };
}

describe.each([
  ...ARMS.map(({ name, model, chain: arm }) => ({ name, urdf: model.urdf, arm })),
  { name: 'every shape', urdf: SHAPES, arm: shapes },
])('$name against the contacts of MuJoCo', ({ urdf, arm }) => {
  let mujoco: MujocoArm;
  beforeAll(async () => {
    mujoco = await MujocoArm.load(urdf);
  });
  afterAll(() => mujoco.dispose());

  it('calls no pose free in which bodies overlap by more than a millimetre, nor many that are free touching', () => {
    const checked = new CollisionModel(arm);
    const connected = neighbours(arm);
    const next = generator(21);
    const poses = 400;
    let early = 0;
    let deep = 0;
    for (let i = 0; i < poses; i++) {
      const q = randomPositionsOf(arm, next, 0);
      const deepest = mujoco.contacts(q).find(({ a, b }) => !connected(a, b));
      const contact = checked.check(q);
      if (deepest && deepest.distance < -0.001) {
        deep++;
        expect(contact, `${deepest.a} and ${deepest.b} at ${[...q].join(', ')}`).not.toBeNull();
      }
      if (!deepest && contact) early++;
    }
    expect(deep).toBeGreaterThan(0.05 * poses);
    expect(early).toBeLessThan(0.06 * poses);
  });
});

describe('the SO-101 against the contacts of MuJoCo', () => {
  let mujoco: MujocoArm;
  beforeAll(async () => {
    mujoco = await MujocoArm.load(so101.urdf);
  });
  afterAll(() => mujoco.dispose());

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
