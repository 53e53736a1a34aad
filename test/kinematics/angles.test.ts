import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AngleTargets,
  anglesFromRotation,
  OrientationGoal,
  orientationError,
  principalAngle,
  rotationFromAngles,
  VERTICAL_PITCH,
} from '../../src/kinematics/angles.ts';
import {
  angleBetween,
  identityRotation,
  multiplyQuaternions,
  multiplyRotations,
  quaternionFromRotation,
  type Rotation,
  rotateVector,
  rotationFromAxisAngle,
  rotationFromQuaternion,
  rotationFromRollPitchYaw,
} from '../../src/kinematics/frames.ts';
import { generator } from './so101.ts';

const DEGREE = Math.PI / 180;

const rotations = fc
  .tuple(
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }),
    fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }),
  )
  .map(([z, heading, angle]) => {
    const side = Math.sqrt(1 - z * z);
    return rotationFromAxisAngle(side * Math.cos(heading), side * Math.sin(heading), z, angle);
  });

const about = {
  x: (angle: number) => rotationFromAxisAngle(1, 0, 0, angle),
  y: (angle: number) => rotationFromAxisAngle(0, 1, 0, angle),
  z: (angle: number) => rotationFromAxisAngle(0, 0, 1, angle),
};

/** The definition, put together from single rotations. */
function defined(pitch: number, yaw: number, roll: number, init: Rotation): Rotation {
  const d = multiplyRotations(multiplyRotations(about.z(yaw), about.y(-pitch)), about.x(roll));
  return multiplyRotations(d, init);
}

describe('the three angles', () => {
  it('are those of D = Rz(yaw) Ry(-pitch) Rx(roll)', () => {
    fc.assert(
      fc.property(rotations, fc.double({ min: -7, max: 7, noNaN: true }), (init, a) => {
        const angles = { pitch: a, yaw: 2 * a - 1, roll: 3 - a };
        expect(
          angleBetween(rotationFromAngles(angles, init), defined(angles.pitch, angles.yaw, angles.roll, init)),
        ).toBeLessThan(1e-9);
      }),
    );
  });

  it('have the signs that the interface promises', () => {
    const identity = identityRotation();
    const nose = (angles: { pitch: number; yaw: number; roll: number }) =>
      rotateVector(quaternionFromRotation(rotationFromAngles(angles, identity)), { x: 1, y: 0, z: 0 });
    expect(nose({ pitch: 0.3, yaw: 0, roll: 0 }).z).toBeCloseTo(Math.sin(0.3), 12);
    expect(nose({ pitch: 0, yaw: 0.3, roll: 0 }).y).toBeCloseTo(Math.sin(0.3), 12);
    // Clockwise seen from behind: the left side goes up.
    const left = rotateVector(quaternionFromRotation(rotationFromAngles({ pitch: 0, yaw: 0, roll: 0.3 }, identity)), {
      x: 0,
      y: 1,
      z: 0,
    });
    expect(left.z).toBeCloseTo(Math.sin(0.3), 12);
  });

  it('read and written back give the same orientation', () => {
    fc.assert(
      fc.property(rotations, rotations, (r, init) => {
        const angles = anglesFromRotation(r, init);
        expect(Math.abs(angles.pitch)).toBeLessThanOrEqual(Math.PI / 2);
        for (const angle of [angles.yaw, angles.roll]) {
          expect(angle).toBeGreaterThan(-Math.PI);
          expect(angle).toBeLessThanOrEqual(Math.PI);
        }
        const back = rotationFromAngles(angles, init);
        const vertical = angles.roll === 0 && Math.abs(angles.pitch) > 88.9 * DEGREE;
        expect(angleBetween(back, r)).toBeLessThan(vertical ? 1.0001 * DEGREE : 1e-9);
        const again = anglesFromRotation(back, init);
        expect(angleBetween(rotationFromAngles(again, init), back)).toBeLessThan(1e-9);
      }),
      { numRuns: 500 },
    );
  });

  it('read roll 0 within a degree of vertical, and the nearest orientation to what is there', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -0.999, max: 0.999, noNaN: true }),
        fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }),
        fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }),
        fc.boolean(),
        (tilt, yaw, roll, down) => {
          const pitch = (down ? -1 : 1) * (90 - Math.abs(tilt)) * DEGREE;
          const r = defined(pitch, yaw, roll, identityRotation());
          const angles = anglesFromRotation(r, identityRotation());
          expect(angles.roll).toBe(0);
          expect(Math.abs(angles.pitch)).toBeGreaterThanOrEqual(VERTICAL_PITCH - 0.5 * DEGREE);
          expect(angleBetween(rotationFromAngles(angles, identityRotation()), r)).toBeLessThan(1.0001 * DEGREE);
        },
      ),
    );
  });

  it('lie in (-pi, pi]', () => {
    expect(principalAngle(-Math.PI)).toBe(Math.PI);
    expect(principalAngle(3 * Math.PI)).toBe(Math.PI);
    expect(principalAngle(-0.5)).toBe(-0.5);
    expect(principalAngle(2 * Math.PI - 0.5)).toBeCloseTo(-0.5, 12);
  });
});

/** The smallest angle to any orientation with the given angles, by a grid that is refined around its best cells. */
function bruteForce(r: Rotation, init: Rotation, { pitch, yaw, roll }: AngleTargets): number {
  const range = (given: number | null, reach: number): [number, number] =>
    given === null ? [-reach, reach] : [given, given];
  const error = (p: number, y: number, o: number): number => angleBetween(defined(p, y, o, init), r);
  const values = ([low, high]: [number, number], count: number): number[] =>
    low === high ? [low] : Array.from({ length: count + 1 }, (_, i) => low + ((high - low) * i) / count);
  const ranges = [range(pitch, Math.PI / 2), range(yaw, Math.PI), range(roll, Math.PI)] as const;
  let cells: { at: number[]; value: number }[] = [];
  for (const p of values(ranges[0], 24)) {
    for (const y of values(ranges[1], 48)) {
      for (const o of values(ranges[2], 48)) cells.push({ at: [p, y, o], value: error(p, y, o) });
    }
  }
  let width = (7.5 * Math.PI) / 180;
  for (let level = 0; level < 12; level++) {
    cells = cells.sort((a, b) => a.value - b.value).slice(0, 4);
    const finer: typeof cells = [...cells];
    for (const { at } of cells) {
      const near = at.map((value, i): [number, number] => {
        const [low, high] = ranges[i]!;
        return [Math.max(low, value - width), Math.min(high, value + width)];
      });
      for (const p of values(near[0]!, 4)) {
        for (const y of values(near[1]!, 4)) {
          for (const o of values(near[2]!, 4)) finer.push({ at: [p, y, o], value: error(p, y, o) });
        }
      }
    }
    cells = finer;
    width /= 2;
  }
  return Math.min(...cells.map(({ value }) => value));
}

describe('orientation error', () => {
  const next = generator(7);
  const angle = (): number => (2 * next() - 1) * Math.PI;
  const random = (): Rotation => rotationFromRollPitchYaw(angle(), Math.asin(2 * next() - 1), angle());
  const masks = [1, 2, 3, 4, 5, 6, 7];
  const given = (mask: number): AngleTargets => ({
    pitch: mask & 1 ? (next() - 0.5) * Math.PI : null,
    yaw: mask & 2 ? angle() : null,
    roll: mask & 4 ? angle() : null,
  });

  for (const mask of masks) {
    const named = ['pitch', 'yaw', 'roll'].filter((_, i) => mask & (1 << i)).join(', ');
    it(`is the smallest rotation to any orientation that has the given ${named}`, () => {
      for (let i = 0; i < 12; i++) {
        const [r, init, angles] = [random(), random(), given(mask)];
        expect(orientationError(r, init, angles)).toBeCloseTo(bruteForce(r, init, angles), 3);
      }
    });

    it(`is taken away by its own correction: ${named}`, () => {
      for (let i = 0; i < 200; i++) {
        const [r, init, angles] = [random(), random(), given(mask)];
        const goal = new OrientationGoal(angles, init);
        const nearest = goal.nearest(r);
        expect(angleBetween(nearest, r)).toBeCloseTo(goal.angle, 9);
        expect(orientationError(nearest, init, angles)).toBeLessThan(1e-7);
      }
    });
  }

  it('is 0 when all angles are free', () => {
    expect(orientationError(random(), random(), { pitch: null, yaw: null, roll: null })).toBe(0);
  });

  it('knows a tool that is upside down, whichever angles are free', () => {
    const over = about.x(Math.PI);
    expect(orientationError(over, identityRotation(), { pitch: null, yaw: null, roll: 0 })).toBeCloseTo(Math.PI / 2, 9);
    expect(orientationError(over, identityRotation(), { pitch: 0, yaw: null, roll: 0 })).toBeCloseTo(Math.PI, 9);
  });

  it('does not count differences of Euler angles: far apart numbers near vertical are near', () => {
    const a = defined(89.5 * DEGREE, 0, 0, identityRotation());
    expect(orientationError(a, identityRotation(), { pitch: 89.5 * DEGREE, yaw: 1, roll: -1 })).toBeLessThan(0.02);
  });
});

describe('quaternions', () => {
  it('and matrices are the same rotation, also at half turns', () => {
    fc.assert(
      fc.property(rotations, (r) => {
        expect(angleBetween(rotationFromQuaternion(quaternionFromRotation(r)), r)).toBeLessThan(1e-9);
      }),
    );
    for (const axis of ['x', 'y', 'z'] as const) {
      const half = about[axis](Math.PI);
      const q = quaternionFromRotation(half);
      expect(Math.abs(q[axis])).toBeCloseTo(1, 12);
      expect(angleBetween(rotationFromQuaternion(q), half)).toBeLessThan(1e-9);
    }
  });

  it('multiply as their matrices do', () => {
    fc.assert(
      fc.property(rotations, rotations, (a, b) => {
        const product = multiplyQuaternions(quaternionFromRotation(a), quaternionFromRotation(b));
        expect(angleBetween(rotationFromQuaternion(product), multiplyRotations(a, b))).toBeLessThan(1e-9);
      }),
    );
  });
});
