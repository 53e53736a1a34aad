import { describe, expect, test } from 'vitest';
import { Fitter, type RecordedPose } from '../../src/recording/replay.ts';
import { pose, so101 } from '../kinematics/so101.ts';

const NAMES = so101.joints.map(({ name }) => name);
const SERVO_STEP = (2 * Math.PI) / 4096;

const JOINTS = so101.joints.map(({ name, lower, upper, move }) => ({
  name,
  lower,
  upper,
  position: 0,
  velocity: 0.6 * move.velocity,
}));

/** All poses of a recording as the arm is to replay it. */
function fitted({ names, times, positions }: ReturnType<typeof track>, speed: number): RecordedPose[] {
  const fitter = new Fitter({ joints: JOINTS, speed }, names);
  const poses: RecordedPose[] = [];
  for (const [k, time] of times.entries()) {
    fitter.push(time, positions[k]!);
    for (let next = fitter.take(false); next !== null; next = fitter.take(false)) poses.push(next);
  }
  for (let next = fitter.take(true); next !== null; next = fitter.take(true)) poses.push(next);
  return poses;
}

/** The shoulder's way over time, the other joints at init. */
function track(times: readonly number[], shoulder: (time: number) => number) {
  const positions = times.map((time) => {
    const q = pose('init');
    q[0] = shoulder(time);
    return q;
  });
  return { names: NAMES, times, positions };
}
const every = (period: number, end: number) =>
  Array.from({ length: Math.round(end / period) + 1 }, (_, k) => k * period);

describe('a recording fitted to an arm', () => {
  test('takes joints by name, in whatever order they were recorded', () => {
    const recorded = track([0, 1], (time) => 0.1 * time);
    const turned = {
      names: [...NAMES].reverse(),
      times: recorded.times,
      positions: recorded.positions.map((q) => q.slice().reverse()),
    };
    expect(fitted(turned, 1)).toEqual(fitted(recorded, 1));
    expect(() => fitted({ ...recorded, names: NAMES.map((name) => `${name}_2`) }, 1)).toThrow(
      /has no joint shoulder_pan, but shoulder_pan_2/,
    );
  });

  test('takes names with the prefix that all of them have, but does not guess between two', () => {
    const recorded = track([0, 1], (time) => 0.1 * time);
    const named = (...prefixes: readonly string[]) => ({
      ...recorded,
      names: prefixes.flatMap((prefix) => NAMES.map((name) => `${prefix}${name}`)),
      positions: recorded.positions.map((q) => Float64Array.from(prefixes.flatMap(() => [...q]))),
    });
    expect(fitted(named('left_'), 1)).toEqual(fitted(recorded, 1));
    expect(fitted(named('left_', ''), 1)).toEqual(fitted(recorded, 1));
    expect(() => fitted(named('left_', 'right_'), 1)).toThrow(/joints of several arms in one message: left_, right_/);
  });

  test('keeps its times, or those of another speed, where the arm may be that fast; else it is slower', () => {
    const slow = track(every(0.02, 1), (time) => 0.3 * time);
    expect(fitted(slow, 1).at(-1)!.time).toBeCloseTo(1, 9);
    expect(fitted(slow, 0.5).at(-1)!.time).toBeCloseTo(2, 9);
    const fast = fitted(
      track([0, 0.1], (time) => 10 * time),
      1,
    );
    expect(1 / fast[1]!.time).toBeLessThan(so101.joints[0]!.move.velocity);
  });

  test('begins and ends exactly where it was recorded, and the steps of the encoder are smoothed out of it', () => {
    const coarse = (time: number) => Math.round((0.01 * time) / SERVO_STEP) * SERVO_STEP;
    const times = every(0.02, 4);
    const poses = fitted(track(times, coarse), 1).map(({ positions }) => positions);
    expect(poses[0]![0]).toBe(0);
    expect(poses.at(-1)![0]).toBe(coarse(4));
    const jump = (values: number[]) => Math.max(...values.slice(1).map((value, k) => Math.abs(value - values[k]!)));
    expect(jump(times.map(coarse))).toBeCloseTo(SERVO_STEP, 9);
    expect(jump(poses.slice(3, -3).map((q) => q[0]!))).toBeLessThan(0.3 * SERVO_STEP);
    for (const [k, q] of poses.entries()) expect(Math.abs(q[0]! - 0.01 * times[k]!)).toBeLessThan(SERVO_STEP);
  });

  test('is brought back to a limit that it was measured a little beyond, and refused further out', () => {
    const { upper } = so101.joints[0]!;
    const poses = fitted(
      track([0, 1], () => upper + 0.02),
      1,
    );
    expect(poses[0]!.positions[0]).toBe(upper);
    expect(() =>
      fitted(
        track([0, 1], (time) => upper + time),
        1,
      ),
    ).toThrow(/shoulder_pan goes to .* after 1.00 s/);
  });
});
