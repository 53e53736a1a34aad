import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SourceStatus } from '../../src/control/source.ts';
import { lasting, positionAt, quickest } from '../../src/motion/profile.ts';
import { HEADROOM, synchronised, Trajectory } from '../../src/motion/trajectory.ts';

const V = 1.5;
const A = 6;
const number = (size: number) => fc.double({ min: -size, max: size, noNaN: true });

function extremes(profile: ReturnType<typeof quickest>): { speed: number; acceleration: number } {
  const h = 1e-4;
  let speed = 0;
  let acceleration = 0;
  const steps = 400;
  for (let i = 1; i < steps; i++) {
    const t = (profile.end * i) / steps;
    const before = positionAt(profile, t - h);
    const at = positionAt(profile, t);
    const after = positionAt(profile, t + h);
    if (t - h <= 0 || t + h >= profile.end) continue;
    speed = Math.max(speed, Math.abs(after - before) / (2 * h));
    acceleration = Math.max(acceleration, Math.abs(after - 2 * at + before) / (h * h));
  }
  return { speed, acceleration };
}

test('from any position and velocity a profile ends at its goal, within its limits and without a jump', () => {
  fc.assert(
    fc.property(
      number(3),
      number(V),
      number(3),
      fc.double({ min: 1, max: 3, noNaN: true }),
      (start, v, goal, stretch) => {
        const fast = quickest(start, v, goal, V, A);
        for (const profile of [fast, lasting(fast.end * stretch, fast)]) {
          expect(positionAt(profile, 0)).toBe(start);
          expect(positionAt(profile, profile.end)).toBe(goal);
          expect(positionAt(profile, profile.end - 1e-7)).toBeCloseTo(goal, 5);
          expect(positionAt(profile, profile.accelerated + 1e-9)).toBeCloseTo(
            positionAt(profile, profile.accelerated - 1e-9),
            6,
          );
          const { speed, acceleration } = extremes(profile);
          expect(speed).toBeLessThanOrEqual(V + 1e-3);
          expect(acceleration).toBeLessThanOrEqual(A + 0.05);
        }
      },
    ),
    { numRuns: 150, seed: 2 },
  );
});

test('a stretched profile takes the time that is asked for', () => {
  fc.assert(
    fc.property(
      number(3),
      number(V),
      number(3),
      fc.double({ min: 1, max: 3, noNaN: true }),
      (start, v, goal, stretch) => {
        const fast = quickest(start, v, goal, V, A);
        fc.pre(Math.abs(fast.cruise) > 1e-3 && fast.end > 0.05);
        expect(lasting(fast.end * stretch, fast).end).toBeCloseTo(fast.end * stretch, 3);
      },
    ),
    { numRuns: 150, seed: 3 },
  );
});

test('the quickest profile is the time-optimal one: rest to rest in 2 sqrt(d/a), or d/v + v/a', () => {
  expect(quickest(0, 0, 0.1, V, A).end).toBeCloseTo(2 * Math.sqrt(0.1 / A), 9);
  expect(quickest(0, 0, 2, V, A).end).toBeCloseTo(2 / V + V / A, 9);
});

const limits = { velocity: Float64Array.of(V, V, V), acceleration: Float64Array.of(A, A, A) };

test('from rest all joints go straight and arrive together', () => {
  const start = Float64Array.of(0, 1, -1);
  const goal = Float64Array.of(1, 0.5, -1);
  const profiles = synchronised(start, new Float64Array(3), goal, limits);
  const { end } = profiles[0]!;
  for (const t of [0.1, 0.3, 0.5, 0.9].map((share) => share * end)) {
    const share = positionAt(profiles[0]!, t);
    expect(positionAt(profiles[1]!, t)).toBeCloseTo(1 - share / 2, 12);
    expect(positionAt(profiles[2]!, t)).toBe(-1);
  }
  expect(end).toBeCloseTo(1 / (V * HEADROOM) + V / A, 9);
});

test('a trajectory says its duration before it starts and is done after it', () => {
  const trajectory = new Trajectory(Float64Array.of(0.5, 0, 0), limits);
  trajectory.begin(new Float64Array(3), Float64Array.of(0, 1, 0), 100);
  const out = new Float64Array(3);
  expect(trajectory.duration).toBeGreaterThan(0.4);
  expect(trajectory.next(100 + trajectory.duration - 0.01, 0.005, out)).toBe(SourceStatus.running);
  expect(trajectory.next(100.005 + trajectory.duration, 0.005, out)).toBe(SourceStatus.done);
  expect([...out]).toEqual([0.5, 0, 0]);
});

test('a trajectory to where the arm already is ends at once and stays there', () => {
  const trajectory = new Trajectory(Float64Array.of(1, 2, 3), limits);
  trajectory.begin(Float64Array.of(1, 2, 3), new Float64Array(3), 0);
  const out = new Float64Array(3);
  expect(trajectory.duration).toBe(0);
  expect(trajectory.next(0.005, 0.005, out)).toBe(SourceStatus.done);
  expect([...out]).toEqual([1, 2, 3]);
});
