import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { armChain, armModels, loadArmModel } from '../../src/arm/model.ts';
import { CollisionModel, FLOOR } from '../../src/kinematics/collision.ts';
import { WITNESS_PYTHON } from '../support/witness.ts';
import { HAS_XACRO, robotOf } from './support/robots.ts';

const POSES = 200;
/** The table of the SRDF is met up to this early: Coal meets it with capsules, the bridge with the shapes in them, m. */
const EARLY = 0.03;

/** What Pinocchio and Coal find to touch in poses of a robot. */
function touching(robot: { urdf: string; srdf: string }, joints: readonly string[], poses: readonly number[][]) {
  const script = fileURLToPath(new URL('witness.py', import.meta.url));
  const input = JSON.stringify({ urdf: robot.urdf, srdf: robot.srdf, joints, poses });
  const { status, stdout, stderr } = spawnSync(WITNESS_PYTHON!, [script], { input, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as { removed: number; touching: string[][] };
}

describe.skipIf(!HAS_XACRO).each(armModels())('the world in which MoveIt plans for one %s', (name) => {
  const model = loadArmModel(name);
  const chain = armChain(model);
  const joints = model.joints.map((joint) => joint.name);
  let state = 7;
  const next = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  const random = Array.from({ length: POSES }, () =>
    model.joints.map(({ lower, upper }) => lower + next() * (upper - lower)),
  );
  const named = [...model.poses.values()].map((pose) => [...pose]);
  let found: ReturnType<typeof touching>;
  beforeAll(() => {
    const robot = robotOf({ arms: [{ name: 'arm', model: name, bus: 'ros' }] }, { arms: ['arm'] });
    if ('error' in robot) throw new Error(robot.error);
    found = touching(robot, joints, [...named, ...random]);
  });

  test('is free in every named pose', () => {
    expect(found.removed).toBeGreaterThan(0);
    expect(found.touching.slice(0, named.length)).toEqual(named.map(() => []));
  });

  test('holds whatever the bridge would refuse, and little else', () => {
    const strict = new CollisionModel(chain);
    const early = new CollisionModel(chain, { clearance: 0, floor: EARLY });
    let refused = 0;
    for (const [index, pose] of random.entries()) {
      const pairs = found.touching[named.length + index]!;
      const contact = strict.check(Float64Array.from(pose));
      const where = `${JSON.stringify(pose)}: ${JSON.stringify(contact)} ${pairs}`;
      if (contact !== null) {
        refused++;
        expect(pairs, where).not.toEqual([]);
      } else if (pairs.length > 0) {
        expect(
          pairs.filter((pair) => !pair.includes('table')),
          where,
        ).toEqual([]);
        expect(early.check(Float64Array.from(pose))?.b, where).toBe(FLOOR);
      }
    }
    // Both happen often enough to tell.
    expect(refused).toBeGreaterThan(POSES / 20);
    expect(refused).toBeLessThan(POSES);
  });
});
