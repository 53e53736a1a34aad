import { CdrWriter, EncapsulationKind } from '@foxglove/cdr';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeJointState, decodeJointTrajectory, JointStateEncoder } from '../../src/ros/cdr.ts';
import { encodeTrajectory } from './support/trajectories.ts';

const NAMES = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];
const POSITIONS = Float64Array.of(0.1, -0.2, Math.PI, -1e-9, 0, 1.5);
const VELOCITIES = Float64Array.of(1, 2, 3, -4, 5.5, 0);
const EFFORTS = Float64Array.of(0.01, -2.94, 0, 1, 2, 3);
const STAMP = 1_764_000_000.25;

describe('CDR', () => {
  test('a JointState reads back as it was written, unknown fields as empty', () => {
    const encoder = new JointStateEncoder(NAMES);
    const message = decodeJointState(encoder.encode(STAMP, POSITIONS, VELOCITIES, null));
    const none = new Float64Array();
    expect(message).toEqual({
      stamp: STAMP,
      frame: '',
      names: NAMES,
      positions: POSITIONS,
      velocities: VELOCITIES,
      efforts: none,
    });
    const other = decodeJointState(encoder.encode(STAMP, POSITIONS, null, EFFORTS));
    expect([other.velocities, other.efforts]).toEqual([none, EFFORTS]);
  });

  test('a stamp rounds to whole nanoseconds and carries into the seconds', () => {
    const encoder = new JointStateEncoder(['a']);
    const stamp = (seconds: number) => {
      const bytes = encoder.encode(seconds, Float64Array.of(0), null, null);
      return [bytes.readInt32LE(4), bytes.readUInt32LE(8)];
    };
    expect(stamp(0)).toEqual([0, 0]);
    expect(stamp(1 - 1e-10)).toEqual([1, 0]);
    expect(stamp(1.5)).toEqual([1, 500_000_000]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2 ** 31 - 2, noNaN: true }), (seconds) => {
        const [sec, nanosec] = stamp(seconds);
        expect(nanosec).toBeLessThan(1e9);
        expect(sec! + nanosec! * 1e-9).toBeCloseTo(seconds, 6);
      }),
    );
  });

  test('the other byte order reads the same', () => {
    const writer = new CdrWriter({ kind: EncapsulationKind.CDR_BE });
    writer.int32(7).uint32(500_000_000).string('somewhere').sequenceLength(2).string('a').string('bc');
    writer.sequenceLength(2).float64Array([1.5, -2]).sequenceLength(0).sequenceLength(0);
    const { stamp, names, positions } = decodeJointState(writer.data);
    expect([stamp, names, [...positions]]).toEqual([7.5, ['a', 'bc'], [1.5, -2]]);
  });

  test('truncated or damaged bytes are refused and never make a huge array', () => {
    const whole = new JointStateEncoder(NAMES).encode(STAMP, POSITIONS, VELOCITIES, null);
    const velocitiesEnd = whole.length - 4;
    for (let length = 0; length < velocitiesEnd; length++) {
      expect(() => decodeJointState(whole.subarray(0, length)), `${length} bytes`).toThrow(RangeError);
    }
    fc.assert(
      fc.property(fc.nat(velocitiesEnd - 1), fc.nat(255), (at, value) => {
        const damaged = Buffer.from(whole);
        damaged[at] = value;
        try {
          const { names, positions } = decodeJointState(damaged);
          expect(names.length + positions.length).toBeLessThan(whole.length);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

describe('a JointTrajectory', () => {
  const point = (k: number) => ({
    positions: Float64Array.of(k, -k),
    velocities: k % 2 === 0 ? new Float64Array() : Float64Array.of(0.1 * k, 0),
    accelerations: new Float64Array(),
    effort: new Float64Array(),
    time_from_start: { sec: k, nanosec: 250_000_000 },
  });
  const message = {
    header: { stamp: { sec: 7, nanosec: 5 } },
    joint_names: ['a', 'shoulder_pan'],
    points: [1, 2, 3].map(point),
  };

  test('reads back as it was written, in either byte order', () => {
    expect(decodeJointTrajectory(encodeTrajectory(message))).toEqual(message);
    expect(decodeJointTrajectory(encodeTrajectory(message, EncapsulationKind.CDR_BE))).toEqual(message);
    const empty = { ...message, joint_names: [], points: [] };
    expect(decodeJointTrajectory(encodeTrajectory(empty))).toEqual(empty);
  });

  test('that is truncated or damaged is refused and never makes a huge array', () => {
    const whole = encodeTrajectory(message);
    for (let length = 0; length < whole.length; length++) {
      expect(() => decodeJointTrajectory(whole.subarray(0, length)), `${length} bytes`).toThrow(RangeError);
    }
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
        const damaged = whole.slice();
        damaged[at] = value;
        try {
          expect(decodeJointTrajectory(damaged).points.length).toBeLessThanOrEqual(whole.length);
        } catch (error) {
          // A count that still fits into the message may be more than an arm has.
          if (!(error instanceof RangeError)) expect(String(error)).toMatch(/names \d+ joints/);
        }
      }),
    );
  });
});
