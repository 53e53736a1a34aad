import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lasting, positionAt, quickest } from '../../../src/rt/sources/profile.ts';
import { SourceStatus } from '../../../src/rt/sources/setpoint-source.ts';
import { durationOf, HEADROOM, synchronised, Trajectory, wayAt } from '../../../src/rt/sources/trajectory.ts';

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

const ENDLESS = Float64Array.of(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
const limits = { velocity: Float64Array.of(V, V, V), acceleration: Float64Array.of(A, A, A), jerk: ENDLESS };
const still = () => new Float64Array(3);

test('from rest all joints go straight and arrive together', () => {
  const start = Float64Array.of(0, 1, -1);
  const goal = Float64Array.of(1, 0.5, -1);
  for (const jerk of [ENDLESS, Float64Array.of(40, 60, 50)]) {
    const ways = synchronised(start, still(), still(), goal, { ...limits, jerk });
    const end = durationOf(ways[0]!);
    for (const t of [0.1, 0.3, 0.5, 0.9].map((share) => share * end)) {
      const share = wayAt(ways[0]!, t);
      expect(wayAt(ways[1]!, t)).toBeCloseTo(1 - share / 2, 12);
      expect(wayAt(ways[2]!, t)).toBe(-1);
    }
    const window = jerk === ENDLESS ? 0 : A / 40;
    expect(end).toBeCloseTo(1 / (V * HEADROOM) + V / A + window, 9);
  }
});

test('a trajectory says its duration before it starts and is done after it', () => {
  const trajectory = new Trajectory(Float64Array.of(0.5, 0, 0), limits);
  trajectory.begin(still(), Float64Array.of(0, 1, 0), 100, still());
  const out = new Float64Array(3);
  expect(trajectory.duration).toBeGreaterThan(0.4);
  expect(trajectory.next(100 + trajectory.duration - 0.01, 0.005, out)).toBe(SourceStatus.running);
  expect(trajectory.next(100.005 + trajectory.duration, 0.005, out)).toBe(SourceStatus.done);
  expect([...out]).toEqual([0.5, 0, 0]);
});

test('a trajectory to where the arm already is ends at once and stays there', () => {
  for (const jerk of [ENDLESS, Float64Array.of(40, 60, 50)]) {
    const trajectory = new Trajectory(Float64Array.of(1, 2, 3), { ...limits, jerk });
    trajectory.begin(Float64Array.of(1, 2, 3), still(), 0, still());
    const out = new Float64Array(3);
    expect(trajectory.duration).toBe(0);
    expect(trajectory.next(0.005, 0.005, out)).toBe(SourceStatus.done);
    expect([...out]).toEqual([1, 2, 3]);
  }
});

/** Setpoints of trajectories of which each is given a new goal after some of its time, every `dt` s. */
function retargeted(goals: readonly number[][], parts: readonly number[], jerk: Float64Array, dt: number) {
  const rows: number[][] = [[0, 0, 0]];
  const velocities = still();
  const accelerations = still();
  const at = still();
  const seams: number[] = [];
  for (const [n, goal] of goals.entries()) {
    const trajectory = new Trajectory(Float64Array.from(goal), { ...limits, jerk });
    trajectory.begin(at, velocities, 0, accelerations);
    const last = n === goals.length - 1;
    const steps = Math.ceil((trajectory.duration * (last ? 1 : parts[n]!)) / dt) + 1;
    seams.push(rows.length - 1);
    for (let k = 1; k <= steps; k++) {
      trajectory.next(k * dt, dt, at);
      rows.push([...at]);
    }
    // How it moves at that moment, by central differences: backward ones would be those of half a step before.
    const [before, after] = [still(), still()];
    trajectory.next(steps * dt - dt, dt, before);
    trajectory.next(steps * dt + dt, dt, after);
    for (let i = 0; i < 3; i++) {
      velocities[i] = (after[i]! - before[i]!) / (2 * dt);
      accelerations[i] = (after[i]! - 2 * at[i]! + before[i]!) / (dt * dt);
    }
  }
  return { rows, seams };
}

test('under any change of goal in flight no limit is exceeded, nothing jumps and the last goal is met exactly', () => {
  const dt = 0.0005;
  const pose = fc.array(number(2), { minLength: 3, maxLength: 3 });
  const part = fc.double({ min: 0.05, max: 0.95, noNaN: true });
  const jerks = fc.constantFrom(ENDLESS, Float64Array.of(60, 60, 60), Float64Array.of(30, 200, 80));
  fc.assert(
    fc.property(
      fc.array(pose, { minLength: 2, maxLength: 4 }),
      fc.array(part, { minLength: 4, maxLength: 4 }),
      jerks,
      (goals, parts, jerk) => {
        const { rows, seams } = retargeted(goals, parts, jerk, dt);
        expect(rows.at(-1)).toEqual(goals.at(-1));
        for (let i = 0; i < 3; i++) {
          const speeds = rows.slice(1).map((row, k) => (row[i]! - rows[k]![i]!) / dt);
          const rates = speeds.slice(1).map((speed, k) => (speed - speeds[k]!) / dt);
          const jolts = rates.slice(1).map((rate, k) => (rate - rates[k]!) / dt);
          expect(Math.max(...speeds.map(Math.abs))).toBeLessThanOrEqual(V);
          expect(Math.max(...rates.map(Math.abs))).toBeLessThanOrEqual(A);
          // The corner of two jerks of opposite sign within a step shows as up to twice the jerk where a goal changes.
          const atSeam = (k: number) => seams.some((seam) => Math.abs(k + 1 - seam) <= 2);
          const share = jolts.map((jolt, k) => Math.abs(jolt) / jerk[i]! / (atSeam(k) ? 2 : 1));
          expect(Math.max(...share)).toBeLessThanOrEqual(1);
        }
      },
    ),
    { numRuns: 60, seed: 5 },
  );
});

test('with a limit of jerk a way from rest takes the time that is known to be least', () => {
  const jerk = Float64Array.of(30, 30, 30);
  const [v, a, j] = [V * HEADROOM, A * HEADROOM, 30 * HEADROOM];
  const end = (way: number) =>
    durationOf(synchronised(still(), still(), still(), Float64Array.of(way, 0, 0), { ...limits, jerk })[0]!);
  // With a cruise: way over speed, plus the time of one change of speed, which jerk makes longer by its own (a / j).
  expect(end(2)).toBeCloseTo(2 / v + v / a + a / j, 6);
  // Without one, where the full acceleration is just reached or longer: two equal halves, each of way/2.
  const half = (peak: number) => (peak * (peak / a + a / j)) / 2;
  const way = 2 * half(0.9 * v);
  expect(end(way)).toBeCloseTo(2 * ((0.9 * v) / a + a / j), 6);
});
