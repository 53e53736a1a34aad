import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chain } from '../../src/kinematics/chain.ts';
import { parseUrdf } from '../../src/kinematics/urdf.ts';
import { ARMS, randomPositionsOf } from './arms.ts';
import { generator } from './so101.ts';

const python = process.env.ARM_BRIDGE_WITNESS_PYTHON;
if (!python) {
  console.warn('SKIPPED: no other program checks kinematics: ARM_BRIDGE_WITNESS_PYTHON is not set (npm test sets it)');
}

/** Slides, slanted axes, a joint without end, a follower on the way to the tool, and masses off every axis. */
const MASS = (x: number): string =>
  `<inertial><origin xyz="${x} 0.02 -0.03"/><mass value="0.${x * 10 + 3}"/>
    <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>`;
const MIXED = `<robot name="mixed">
  <link name="base"/><link name="slide">${MASS(0.1)}</link><link name="turn">${MASS(0.2)}</link>
  <link name="finger">${MASS(0.3)}</link><link name="other">${MASS(0.4)}</link><link name="tip">${MASS(0.1)}</link>
  <joint name="lift" type="prismatic"><parent link="base"/><child link="slide"/><origin xyz="0 0 0.1" rpy="0.3 -0.2 0.5"/>
    <axis xyz="1 2 2"/><limit lower="-0.5" upper="0.5" effort="1" velocity="1"/></joint>
  <joint name="spin" type="continuous"><parent link="slide"/><child link="turn"/><origin xyz="0.2 0 0"/><axis xyz="0 -3 1"/></joint>
  <joint name="left" type="revolute"><parent link="turn"/><child link="finger"/><origin xyz="0.1 0 0" rpy="1 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="right" type="revolute"><parent link="finger"/><child link="other"/><origin xyz="0.1 0 0"/><axis xyz="1 1 0"/>
    <limit lower="-4" upper="4" effort="1" velocity="1"/><mimic joint="left" multiplier="-1.5" offset="0.2"/></joint>
  <joint name="end" type="fixed"><parent link="other"/><child link="tip"/><origin xyz="0 0 0.05" rpy="0.1 0.2 0.3"/></joint>
</robot>`;

interface Case {
  readonly name: string;
  readonly urdf: string;
  readonly chain: Chain;
  readonly poses: readonly Float64Array[];
}

const next = generator(1);
const mixed = new Chain(parseUrdf(MIXED), { base: 'base', tool: 'tip', joints: ['lift', 'spin', 'left'] });
const CASES: readonly Case[] = [
  ...ARMS.map(({ name, model, chain }) => ({
    name,
    urdf: model.urdf,
    chain,
    poses: Array.from({ length: 200 }, () => randomPositionsOf(chain, next, 0)),
  })),
  {
    name: 'a chain of every kind of joint',
    urdf: MIXED,
    chain: mixed,
    poses: Array.from({ length: 200 }, () => Float64Array.of(next() - 0.5, 6 * next() - 3, 2 * next() - 1)),
  },
];

interface Answer {
  readonly pose: readonly number[];
  readonly jacobian: readonly number[];
  readonly torques: readonly number[];
}

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i]! - b[i]!));
  return most;
}

describe.runIf(python)('200 random poses of each arm, by MuJoCo and Pinocchio', () => {
  let answers: Record<'mujoco' | 'pinocchio', Answer>[][];
  beforeAll(() => {
    const requests = CASES.map(({ urdf, chain, poses }) => ({
      urdf,
      tool: chain.tool,
      joints: chain.joints,
      poses: poses.map((q) => [...q]),
    }));
    answers = JSON.parse(
      execFileSync(python!, [fileURLToPath(new URL('witness.py', import.meta.url))], {
        input: JSON.stringify(requests),
        encoding: 'utf8',
        maxBuffer: 64 * 2 ** 20,
      }),
    );
  });

  for (const [index, { name, chain, poses }] of CASES.entries()) {
    for (const library of ['mujoco', 'pinocchio'] as const) {
      it(`${name}: tool pose, Jacobian and gravity torques within 1e-9 of ${library}`, () => {
        const pose = new Float64Array(12);
        const jacobian = new Float64Array(6 * chain.dof);
        const torques = new Float64Array(chain.dof);
        for (const [at, q] of poses.entries()) {
          const answer = answers[index]![at]![library];
          chain.forwardJacobian(q, pose, jacobian);
          chain.gravityTorques(q, torques);
          expect(largestDifference(pose, answer.pose)).toBeLessThan(1e-9);
          expect(largestDifference(jacobian, answer.jacobian)).toBeLessThan(1e-9);
          expect(largestDifference(torques, answer.torques)).toBeLessThan(1e-9);
        }
      });
    }
  }
});

/** Growth of the heap that calls which allocate nothing stay below, bytes. */
const FREE = 20_000;

describe('calls of a control cycle', () => {
  // A function that V8 has replaced within a loop begins each call in the interpreter, for as long as it likes.
  beforeAll(() => setFlagsFromString('--no-use-osr'));
  afterAll(() => setFlagsFromString('--use-osr'));

  it.each(CASES)('allocate nothing: $name', ({ chain, poses }) => {
    const pose = new Float64Array(12);
    const jacobian = new Float64Array(6 * chain.dof);
    const torques = new Float64Array(chain.dof);
    const run = (): number => {
      for (let round = 0; round < 20; round++) {
        for (const q of poses) {
          chain.forwardJacobian(q, pose, jacobian);
          chain.gravityTorques(q, torques);
        }
      }
      return process.memoryUsage().heapUsed;
    };
    // Until it is compiled it allocates, which a busy machine does late; a collection in between would hide what was
    // allocated, or the runner allocate beside it: the least of several counts.
    let least = Number.POSITIVE_INFINITY;
    for (let count = 0; count < 60 && least >= FREE; count++) {
      const before = process.memoryUsage().heapUsed;
      least = Math.min(least, Math.abs(run() - before));
    }
    // 4000 poses: one number on the heap for each would be 48 kB and more.
    expect(least).toBeLessThan(FREE);
  });
});
