import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chain } from '../../src/kinematics/chain.ts';
import { parseUrdf } from '../../src/kinematics/urdf.ts';
import { MujocoArm } from './mujoco.ts';
import { chain, generator, randomPositions, so101 } from './so101.ts';

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i]! - b[i]!));
  return most;
}

/** Same rotation: q and -q count as equal. */
function quaternionDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const same = largestDifference(a, b);
  return Math.min(
    same,
    largestDifference(
      a,
      Array.from(b, (value) => -value),
    ),
  );
}

describe('the SO-101 against numbers computed outside this project', () => {
  // From TheRobotStudio/SO-ARM100 @ fda892cb with g = 9.81: tool position (m) and holding torques (Nm).
  const cases = [
    {
      name: 'all joints at 0',
      q: Float64Array.of(0, 0, 0, 0, 0, 0),
      position: [0.391362, -0.000011, 0.226469],
      torques: [0, -0.5386, -0.45267, -0.11705, -0.00004, 0.00353],
    },
    {
      name: 'arm joints at 30 % of their range, gripper at 0',
      q: Float64Array.from(chain.limits, ({ lower, upper }, i) => (i === 5 ? 0 : lower + 0.3 * (upper - lower))),
      position: [-0.014539, -0.042052, 0.498003],
      torques: [0, 0.19305, 0.00035, 0.05378, -0.00093, -0.00053],
    },
  ];
  for (const { name, q, position, torques } of cases) {
    it(`agrees to the last digit given: ${name}`, () => {
      const pose = new Float64Array(12);
      chain.forward(q, pose);
      expect(largestDifference(pose.subarray(0, 3), position)).toBeLessThan(1e-6);
      const tau = new Float64Array(6);
      chain.gravityTorques(q, tau);
      // Torques are given with five decimals.
      expect(largestDifference(tau, torques)).toBeLessThan(5.1e-6);
    });
  }
});

describe('against MuJoCo over 200 random poses of the SO-101', () => {
  let mujoco: MujocoArm;
  const next = generator(1);
  const poses = Array.from({ length: 200 }, () => randomPositions(next));
  beforeAll(async () => {
    mujoco = await MujocoArm.load(so101.urdf);
  });
  afterAll(() => mujoco.dispose());

  it('places the tool within 1e-9', () => {
    const out = new Float64Array(12);
    const short = new Float64Array(7);
    for (const q of poses) {
      chain.forward(q, out);
      expect(largestDifference(out, mujoco.pose(q, 'tool'))).toBeLessThan(1e-9);
      chain.forwardQuaternion(q, short);
      expect(quaternionDifference(short.subarray(3), mujoco.quaternion(q, 'tool'))).toBeLessThan(1e-9);
    }
  });

  it('places every link within 1e-9, the jaw beside the tool too', () => {
    const out = new Float64Array(7 * chain.links.length);
    for (const q of poses.slice(0, 50)) {
      chain.linkPoses(q, out);
      for (const [i, link] of chain.links.entries()) {
        expect(largestDifference(out.subarray(7 * i, 7 * i + 3), mujoco.pose(q, link).slice(0, 3))).toBeLessThan(1e-9);
        expect(quaternionDifference(out.subarray(7 * i + 3, 7 * i + 7), mujoco.quaternion(q, link))).toBeLessThan(1e-9);
      }
    }
  });

  it('has its Jacobian within 1e-9', () => {
    const out = new Float64Array(36);
    for (const q of poses) {
      chain.jacobian(q, out);
      expect(largestDifference(out, mujoco.jacobian(q, 'tool'))).toBeLessThan(1e-9);
    }
  });

  it('has its gravity torques within 1e-9 Nm', () => {
    const out = new Float64Array(6);
    for (const q of poses) {
      chain.gravityTorques(q, out);
      expect(largestDifference(out, mujoco.gravityTorques(q))).toBeLessThan(1e-9);
    }
  });
});

describe('any chain a URDF can describe', () => {
  const text = `<robot name="mixed">
    <link name="base"/><link name="slide"/><link name="turn"/><link name="finger"/><link name="other"/><link name="tip"/>
    <joint name="lift" type="prismatic"><parent link="base"/><child link="slide"/><origin xyz="0 0 0.1" rpy="0.3 -0.2 0.5"/>
      <axis xyz="1 2 2"/><limit lower="-0.5" upper="0.5" effort="1" velocity="1"/></joint>
    <joint name="spin" type="continuous"><parent link="slide"/><child link="turn"/><origin xyz="0.2 0 0"/><axis xyz="0 -3 0"/></joint>
    <joint name="left" type="prismatic"><parent link="turn"/><child link="finger"/><origin xyz="0.1 0 0"/><axis xyz="0 1 0"/>
      <limit lower="0" upper="0.1" effort="1" velocity="1"/></joint>
    <joint name="right" type="prismatic"><parent link="turn"/><child link="other"/><origin xyz="0.1 0 0"/><axis xyz="0 1 0"/>
      <limit lower="-0.1" upper="0" effort="1" velocity="1"/><mimic joint="left" multiplier="-1" offset="0.01"/></joint>
    <joint name="end" type="fixed"><parent link="other"/><child link="tip"/><origin xyz="0 0 0.05"/></joint>
  </robot>`;
  const mixed = new Chain(parseUrdf(text), { base: 'base', tool: 'tip', joints: ['lift', 'spin', 'left'] });

  it('has the Jacobian that finite differences give, with slides, slanted axes and followers', () => {
    const q = Float64Array.of(0.12, 0.7, 0.03);
    const jacobian = new Float64Array(18);
    mixed.jacobian(q, jacobian);
    const step = 1e-6;
    for (let joint = 0; joint < 3; joint++) {
      const before = new Float64Array(12);
      const after = new Float64Array(12);
      const low = q.slice();
      const high = q.slice();
      low[joint] = low[joint]! - step;
      high[joint] = high[joint]! + step;
      mixed.forward(low, before);
      mixed.forward(high, after);
      for (let row = 0; row < 3; row++) {
        expect(jacobian[3 * row + joint]).toBeCloseTo((after[row]! - before[row]!) / (2 * step), 8);
      }
    }
    expect(mixed.limits[1]!.upper).toBe(Number.POSITIVE_INFINITY);
    expect(mixed.movesTool).toEqual([true, true, true]);
  });

  it('says which link or joint does not fit', () => {
    const options = { base: 'base', tool: 'tip', joints: ['lift', 'spin', 'left'] };
    expect(() => new Chain(parseUrdf(text), { ...options, tool: 'hand' })).toThrow('hand');
    expect(() => new Chain(parseUrdf(text), { ...options, joints: ['lift', 'left'] })).toThrow('spin');
    expect(() => new Chain(parseUrdf(text), { ...options, joints: ['lift', 'spin', 'end'] })).toThrow('end');
    expect(() => new Chain(parseUrdf(text), { ...options, joints: ['lift', 'spin', 'right'] })).toThrow('left');
    expect(() => new Chain(parseUrdf(text), { ...options, joints: ['lift', 'lift', 'left', 'spin'] })).toThrow('twice');
  });
});
