import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AngleTargets, anglesFromRotation, orientationError } from '../../src/kinematics/angles.ts';
import { CollisionModel } from '../../src/kinematics/collision.ts';
import { IDENTITY_QUATERNION, quaternionFromRotation, rotationFromQuaternion } from '../../src/kinematics/frames.ts';
import { InverseKinematics, type InverseTarget } from '../../src/kinematics/inverse.ts';
import { ARMS, positionsAt, randomPositionsOf } from './arms.ts';
import { MujocoArm } from './mujoco.ts';
import { generator } from './so101.ts';

/** Distance from the limits (rad) that the solver under test keeps. */
const MARGIN = 0.002;

const SUBSETS: readonly (readonly (keyof AngleTargets)[])[] = [
  [],
  ['pitch'],
  ['yaw'],
  ['roll'],
  ['pitch', 'yaw'],
  ['pitch', 'roll'],
  ['yaw', 'roll'],
  ['pitch', 'yaw', 'roll'],
];

describe.each(ARMS)('inverse kinematics of $name', ({ model, chain }) => {
  const home = model.poses.get('init')!;
  const solver = new InverseKinematics(chain, { margin: MARGIN });
  const collision = new CollisionModel(chain);
  const frame = new Float64Array(12);
  let mujoco: MujocoArm;
  beforeAll(async () => {
    mujoco = await MujocoArm.load(model.urdf);
  });
  afterAll(() => mujoco.dispose());

  /** A target that the pose `q` has by MuJoCo, with the angles of `given`. */
  function targetOf(q: Float64Array, given: readonly (keyof AngleTargets)[]): InverseTarget {
    const [x, y, z, ...rotation] = mujoco.pose(q, chain.tool);
    const angles = anglesFromRotation(Float64Array.from(rotation), rotationFromQuaternion(IDENTITY_QUATERNION));
    const pick = (name: keyof AngleTargets): number | null => (given.includes(name) ? angles[name] : null);
    const orientation = { init: IDENTITY_QUATERNION, pitch: pick('pitch'), yaw: pick('yaw'), roll: pick('roll') };
    return { position: { x: x!, y: y!, z: z! }, orientation };
  }

  /** A pose whose tool is not vertical: there yaw and roll are one, and readings a degree off. */
  function notVertical(next: () => number): Float64Array {
    for (;;) {
      const q = randomPositionsOf(chain, next, 0.005);
      if (Math.abs(mujoco.pose(q, chain.tool)[9]!) < 0.999) return q;
    }
  }

  /** Errors of a pose by MuJoCo. */
  function errors(q: Float64Array, target: InverseTarget): { position: number; orientation: number } {
    const [x, y, z, ...rotation] = mujoco.pose(q, chain.tool);
    const { position, orientation } = target;
    return {
      position: Math.hypot(x! - position.x, y! - position.y, z! - position.z),
      orientation: orientation
        ? orientationError(Float64Array.from(rotation), rotationFromQuaternion(orientation.init), orientation)
        : 0,
    };
  }

  function expectWithinMargin(q: Float64Array): void {
    for (const [joint, moves] of chain.movesTool.entries()) {
      if (!moves) {
        expect(q[joint]).toBe(home[joint]);
        continue;
      }
      const { lower, upper } = chain.limits[joint]!;
      expect(q[joint]).toBeGreaterThanOrEqual(lower + MARGIN - 1e-12);
      expect(q[joint]).toBeLessThanOrEqual(upper - MARGIN + 1e-12);
    }
  }

  it.each(SUBSETS.map((given) => ({ given, name: given.join(', ') || 'no angle' })))(
    'brings the tool back to where a pose has it, with $name given, within the margin of the limits',
    ({ given }) => {
      const next = generator(31);
      let solved = 0;
      const count = 200;
      for (let i = 0; i < count; i++) {
        const target = targetOf(notVertical(next), given);
        const { q, reachable } = solver.solve(target, home);
        const error = errors(q, target);
        if (reachable && error.position < 1e-4 && error.orientation < 1e-3) solved++;
        expectWithinMargin(q);
      }
      expect(solved).toBeGreaterThanOrEqual(count - 1);
    },
  );

  it('solves 99.9 % of 1000 whole poses to 0.1 mm and 1 mrad', () => {
    const next = generator(32);
    let solved = 0;
    for (let i = 0; i < 1000; i++) {
      chain.forward(randomPositionsOf(chain, next, 0.0021), frame);
      const [x, y, z] = frame;
      const init = quaternionFromRotation(frame.slice(3));
      const target = { position: { x: x!, y: y!, z: z! }, orientation: { init, pitch: 0, yaw: 0, roll: 0 } };
      const error = errors(solver.solve(target, home).q, target);
      if (error.position < 1e-4 && error.orientation < 1e-3) solved++;
    }
    expect(solved).toBeGreaterThanOrEqual(999);
  });

  it('answers equal questions equally, moves nothing where nothing is asked, and says the errors it leaves', () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    const parts = fc.array(part, { minLength: chain.dof, maxLength: chain.dof });
    const angle = fc.option(fc.double({ min: -1.5, max: 1.5, noNaN: true }), { nil: null });
    const other = new InverseKinematics(chain, { margin: MARGIN });
    fc.assert(
      fc.property(parts, parts, angle, angle, angle, (there, from, pitch, yaw, roll) => {
        const seed = positionsAt(chain, from, 0.003);
        const position = targetOf(positionsAt(chain, there, 0.003), []).position;
        const target = { position, orientation: { init: IDENTITY_QUATERNION, pitch, yaw, roll } };
        const first = solver.solve(target, seed);
        expect(other.solve(target, seed)).toEqual(first);
        // The position never pays for the orientation.
        expect(first.reachable).toBe(true);
        const error = errors(first.q, target);
        expect(error.position).toBeLessThan(1e-4);
        expect(Math.abs(first.orientationError - error.orientation)).toBeLessThan(1e-6);
        const here = targetOf(seed, ['pitch', 'yaw', 'roll']);
        if (errors(seed, here).orientation < 1e-9) {
          const stays = solver.solve(here, seed).q;
          for (const [joint, value] of stays.entries()) expect(Math.abs(value - seed[joint]!)).toBeLessThan(1e-6);
        }
      }),
      { numRuns: 100, seed: 33 },
    );
  });

  /** The least distance to a position that many searches without derivatives find, m. */
  function nearestByTrial(
    target: readonly number[],
    next: () => number,
    starts: number,
    allowed: (q: Float64Array) => boolean,
  ): number {
    const from = (q: Float64Array): number => {
      chain.forward(q, frame);
      return Math.hypot(frame[0]! - target[0]!, frame[1]! - target[1]!, frame[2]! - target[2]!);
    };
    let least = Number.POSITIVE_INFINITY;
    for (let start = 0; start < starts; start++) {
      let q = randomPositionsOf(chain, next, MARGIN);
      for (let draw = 0; draw < 40; draw++) {
        const other = randomPositionsOf(chain, next, MARGIN);
        if (allowed(other) && (!allowed(q) || from(other) < from(q))) q = other;
      }
      let distance = from(q);
      for (let step = 0.3; step > 1e-3; step /= 2) {
        for (let misses = 0; misses < 20; misses++) {
          const other = q.map((value, joint) => {
            const { lower, upper } = chain.limits[joint]!;
            const moved = value + (next() < 0.5 ? 0 : step * (2 * next() - 1));
            return Math.min(upper - MARGIN, Math.max(lower + MARGIN, moved));
          });
          const nearer = from(other);
          if (nearer >= distance || !allowed(other)) continue;
          distance = nearer;
          q = other;
          misses = 0;
        }
      }
      if (allowed(q)) least = Math.min(least, distance);
    }
    return least;
  }

  it('names the nearest reachable pose of positions out of reach: no search finds one nearer by 2 mm', () => {
    const next = generator(34);
    let asked = 0;
    while (asked < 12) {
      const position = { x: 2 * next() - 1, y: 2 * next() - 1, z: 1.6 * next() - 0.8 };
      const { q, reachable, ...result } = solver.solve({ position }, home);
      const [x, y, z] = mujoco.pose(q, chain.tool);
      expect(Math.hypot(x! - result.position.x, y! - result.position.y, z! - result.position.z)).toBeLessThan(1e-9);
      expect(Math.abs(errors(q, { position }).position - result.positionError)).toBeLessThan(1e-9);
      expectWithinMargin(q);
      if (reachable) continue;
      asked++;
      const least = nearestByTrial([position.x, position.y, position.z], next, 8, () => true);
      expect(result.positionError).toBeLessThan(least + 0.002);
    }
  });

  it('stops short of positions that it reaches only by touching: no search finds an allowed one nearer by 1 cm', () => {
    const next = generator(35);
    const allowed = (q: Float64Array): boolean => collision.check(q) === null;
    const careful = new InverseKinematics(chain, { margin: MARGIN, accept: allowed });
    for (const [x, y, z] of [
      [0.2, 0, -0.04],
      [0.15, 0.15, -0.06],
      [0.3, -0.1, -0.02],
      [0, -0.2, -0.05],
    ] as const) {
      const { q, reachable, positionError } = careful.solve({ position: { x, y, z } }, home);
      expect(reachable).toBe(false);
      expect(allowed(q)).toBe(true);
      expect(positionError).toBeLessThan(nearestByTrial([x, y, z], next, 8, allowed) + 0.01);
    }
  });
});
