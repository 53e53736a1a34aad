import { describe, expect, it } from 'vitest';
import { orientationError } from '../../src/kinematics/angles.ts';
import { CollisionModel } from '../../src/kinematics/collision.ts';
import { IDENTITY_QUATERNION, quaternionFromRotation, rotationFromQuaternion } from '../../src/kinematics/frames.ts';
import { InverseKinematics, type InverseTarget } from '../../src/kinematics/inverse.ts';
import { chain, generator, pose, randomPositions } from './so101.ts';

const LEVEL = { init: IDENTITY_QUATERNION, pitch: 0, yaw: null, roll: null };

function target(q: Float64Array, withOrientation: boolean): InverseTarget {
  const out = new Float64Array(12);
  chain.forward(q, out);
  const position = { x: out[0]!, y: out[1]!, z: out[2]! };
  if (!withOrientation) return { position };
  return { position, orientation: { init: quaternionFromRotation(out.slice(3)), pitch: 0, yaw: 0, roll: 0 } };
}

/** Errors measured by forward kinematics, not by what the solver says of itself. */
function measured(
  q: Float64Array,
  { position, orientation }: InverseTarget,
): { position: number; orientation: number } {
  const out = new Float64Array(12);
  chain.forward(q, out);
  return {
    position: Math.hypot(out[0]! - position.x, out[1]! - position.y, out[2]! - position.z),
    orientation: orientation
      ? orientationError(out.slice(3), rotationFromQuaternion(orientation.init), orientation)
      : 0,
  };
}

function farthest(a: Float64Array, b: Float64Array): number {
  return Math.max(...a.map((value, i) => Math.abs(value - b[i]!)));
}

describe('inverse kinematics of the SO-101', () => {
  const solver = new InverseKinematics(chain);

  it('solves 99.9 % of 1000 poses to 0.1 mm and 1 mrad from the init pose, within the limits', {
    timeout: 60_000,
  }, () => {
    const next = generator(11);
    let solved = 0;
    for (let i = 0; i < 1000; i++) {
      const wanted = target(randomPositions(next, 0.01), true);
      const result = solver.solve(wanted, pose('init'));
      const error = measured(result.q, wanted);
      if (result.reachable && error.position < 1e-4 && error.orientation < 1e-3) solved++;
      for (const [joint, { lower, upper }] of chain.limits.entries()) {
        expect(result.q[joint]).toBeGreaterThanOrEqual(lower);
        expect(result.q[joint]).toBeLessThanOrEqual(upper);
      }
    }
    expect(solved).toBeGreaterThanOrEqual(999);
  });

  it('solves 300 positions with free orientation', { timeout: 60_000 }, () => {
    const next = generator(12);
    for (let i = 0; i < 300; i++) {
      const wanted = target(randomPositions(next, 0.01), false);
      const result = solver.solve(wanted, pose('init'));
      expect(result.reachable).toBe(true);
      expect(measured(result.q, wanted).position).toBeLessThan(1e-4);
      expect(result.orientationError).toBe(0);
    }
  });

  it('keeps the position where five joints cannot give the orientation, and reports the orientation it leaves', {
    timeout: 60_000,
  }, () => {
    const next = generator(13);
    for (let i = 0; i < 60; i++) {
      const { position } = target(randomPositions(next, 0.05), false);
      const angle = (): number => (2 * next() - 1) * 3;
      const orientation = { init: IDENTITY_QUATERNION, pitch: angle() / 2, yaw: angle(), roll: angle() };
      const result = solver.solve({ position, orientation }, pose('init'));
      const error = measured(result.q, { position, orientation });
      expect(error.position).toBeLessThan(1e-4);
      expect(result.orientationError).toBeCloseTo(error.orientation, 9);
    }
  });

  it('finds no orientation worse than a dense search does, at the same position', { timeout: 60_000 }, () => {
    const next = generator(14);
    const thorough = new InverseKinematics(chain, { starts: 200 });
    for (let i = 0; i < 15; i++) {
      const { position } = target(randomPositions(next, 0.2), false);
      const orientation = { init: IDENTITY_QUATERNION, pitch: 0.6 * next(), yaw: 2 * next() - 1, roll: 2 * next() - 1 };
      const result = solver.solve({ position, orientation }, pose('init'));
      const best = thorough.solve({ position, orientation }, pose('init'));
      expect(result.orientationError).toBeLessThan(best.orientationError + 0.01);
    }
  });

  it('does not move when the tool is where it shall be', () => {
    const next = generator(15);
    for (let i = 0; i < 100; i++) {
      const q = randomPositions(next, 0.01);
      expect(farthest(solver.solve(target(q, false), q).q, q)).toBeLessThan(1e-6);
      expect(farthest(solver.solve(target(q, true), q).q, q)).toBeLessThan(1e-6);
    }
  });

  it('stays near the seed for a near target and leaves the gripper alone', () => {
    const next = generator(16);
    for (let i = 0; i < 100; i++) {
      const q = randomPositions(next, 0.15);
      const seed = q.map((value) => value + 0.1 * (2 * next() - 1));
      const free = solver.solve(target(q, false), seed);
      // The pose that made the target is one solution; the answer is no farther away, counted over all joints.
      const away = (p: Float64Array): number => Math.hypot(...p.slice(0, 5).map((value, j) => value - seed[j]!));
      expect(away(free.q)).toBeLessThanOrEqual(away(q) + 1e-3);
      expect(free.q[5]).toBe(seed[5]);
    }
  });

  it('gives equal answers to equal questions, whatever was asked in between', () => {
    const next = generator(17);
    const wanted = target(randomPositions(next, 0.01), true);
    const first = solver.solve(wanted, pose('init')).q.slice();
    solver.solve(target(randomPositions(next, 0.01), false), pose('rest'));
    expect(solver.solve(wanted, pose('init')).q).toEqual(first);
    expect(new InverseKinematics(chain).solve(wanted, pose('init')).q).toEqual(first);
  });

  it('names the nearest position for one that is out of reach', () => {
    const far = { position: { x: 2, y: 0, z: 0.1166 } };
    const result = solver.solve(far, pose('init'));
    expect(result.reachable).toBe(false);
    // Straight ahead at shoulder height the arm reaches about 0.49 m: shoulder axis at 0.069 and 0.42 m of arm.
    expect(result.position.x).toBeGreaterThan(0.45);
    expect(result.position.x).toBeLessThan(0.52);
    expect(result.positionError).toBeCloseTo(measured(result.q, far).position, 9);
    const better = generator(18);
    const out = new Float64Array(12);
    for (let i = 0; i < 2000; i++) {
      chain.forward(randomPositions(better, 0.01), out);
      expect(Math.hypot(out[0]! - 2, out[1]!, out[2]! - 0.1166)).toBeGreaterThan(result.positionError - 1e-3);
    }
  });

  it('takes only poses that are allowed, and stops short of a position that none reaches', () => {
    const collision = new CollisionModel(chain);
    const careful = new InverseKinematics(chain, { accept: (q) => collision.check(q) === null });
    const below = careful.solve({ position: { x: 0.25, y: 0, z: -0.05 } }, pose('init'));
    expect(below.reachable).toBe(false);
    expect(collision.check(below.q)).toBeNull();
    expect(below.position.z).toBeLessThan(0.05);
    const low = careful.solve({ position: { x: 0.25, y: 0, z: 0.02 } }, pose('init'));
    expect(low.reachable).toBe(true);
    expect(collision.check(low.q)).toBeNull();
  });
});

describe('the init pose of the SO-101', () => {
  const collision = new CollisionModel(chain);
  const solver = new InverseKinematics(chain, { accept: (q) => collision.check(q) === null });
  const out = new Float64Array(12);

  it('has the tool level and pointing along +x, exactly', () => {
    chain.forward(pose('init'), out);
    const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    for (let i = 0; i < 9; i++) expect(Math.abs(out[3 + i]! - identity[i]!)).toBeLessThan(1e-9);
  });

  const directions = [
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
  ] as const;
  for (const [x, y, z] of directions) {
    for (const [length, orientation] of [
      [0.08, undefined],
      [0.05, LEVEL],
    ] as const) {
      it(`lets the tool go ${length * 100} cm straight along ${x}, ${y}, ${z} ${orientation ? 'with its pitch' : 'freely'}`, () => {
        chain.forward(pose('init'), out);
        const [fromX, fromY, fromZ] = out;
        let q = pose('init');
        for (let way = 0.005; way < length + 1e-9; way += 0.005) {
          const position = { x: fromX! + way * x, y: fromY! + way * y, z: fromZ! + way * z };
          const wanted = orientation ? { position, orientation } : { position };
          const result = solver.solve(wanted, q);
          expect(result.reachable).toBe(true);
          expect(measured(result.q, wanted).position).toBeLessThan(1e-4);
          expect(measured(result.q, wanted).orientation).toBeLessThan(1e-3);
          // A way, not a row of unconnected poses.
          expect(farthest(result.q, q)).toBeLessThan(0.15);
          expect(collision.checkPath(q, result.q)).toBeNull();
          q = result.q.slice();
        }
      });
    }
  }
});
