import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Segment } from '../../../src/rt/sources/segment.ts';
import { finePoses, shapeFault } from '../../../src/rt/sources/waypoint-shape.ts';
import { type WaypointPath, Waypoints, waypointFault } from '../../../src/rt/sources/waypoints.ts';

const LIMITS = {
  names: ['shoulder', 'elbow'],
  lower: Float64Array.of(-1, -2),
  upper: Float64Array.of(1, 2),
  velocity: Float64Array.of(1.5, 1),
  acceleration: Float64Array.of(6, 4),
};
const REST = Float64Array.of(0, 0);

const path = (times: number[], positions: number[], velocities?: number[], accelerations?: number[]): WaypointPath => ({
  times: Float64Array.from(times),
  positions: Float64Array.from(positions),
  velocities: velocities === undefined ? null : Float64Array.from(velocities),
  accelerations: accelerations === undefined ? null : Float64Array.from(accelerations),
});

describe('the peak of a quintic lies inside its segment', () => {
  // From rest to rest it is 15/8 of the average speed, and 10/sqrt(3) times way over time squared.
  const restToRest = (way: number, time: number) => path([time], [way, 0], [0, 0], [0, 0]);

  test.each([
    ['speed within its limit', restToRest(0.8, 1), null],
    ['speed a tenth above it, as of plans at the limits', restToRest(0.87, 1), null],
    ['speed above that', restToRest(0.9, 1), /between the start and waypoint 1 of 1 shoulder would need 1.688 rad\/s/],
    // At 0.4 s 0.3 rad need 1.406 rad/s and 10.825 rad/s^2.
    ['acceleration above its limit', restToRest(0.3, 0.4), /shoulder would need 10.8\d\d rad\/s², its limit is 6.000/],
    [
      'the second waypoint',
      path([1, 1.5], [0.1, 0, 0.1, 0.5], [0, 0, 0, 0], [0, 0, 0, 0]),
      /waypoint 1 and waypoint 2/,
    ],
    ['no accelerations, which is left to the gate', path([0.4], [0.3, 0], [0, 0]), null],
  ])('%s', (_what, way, fault) => {
    // Neither poses nor averages tell.
    expect(waypointFault(way, REST, LIMITS)).toBeNull();
    const found = shapeFault(way, REST, LIMITS, false);
    if (fault === null) expect(found).toBeNull();
    else expect(found).toMatch(fault);
  });
});

test('a path from the measured pose, which a load has bent away from the setpoints, is judged by itself', () => {
  const way = path([0, 0.1, 0.8], [0.05, 0, 0.06, 0, 0.3, 0], [0, 0, 0.2, 0, 0, 0], [2, 0, 1, 0, 0, 0]);
  expect(waypointFault(way, REST, LIMITS) ?? shapeFault(way, REST, LIMITS, false)).toBeNull();
});

test('a swing beyond a position limit between two poses that are within is refused', () => {
  // From 0.9 at 1 rad/s back to 0.9 at rest within 1 s: the cubic goes 4/27 further.
  const way = path([1, 2], [0.9, 0, 0.9, 0], [1, 0, 0, 0]);
  expect(waypointFault(way, Float64Array.of(0.8, 0), LIMITS)).toBeNull();
  expect(shapeFault(way, Float64Array.of(0.8, 0), LIMITS, false)).toMatch(
    /^between waypoint 1 and waypoint 2 of 2 shoulder would swing to 1.048 rad .* -1.000 to 1.000 rad$/,
  );
  expect(shapeFault(path([1, 2], [0.8, 0, 0.8, 0], [1, 0, 0, 0]), REST, LIMITS, false)).toBeNull();
});

test('of an arm in motion the way to the first pose is not judged, unless a pose at time 0 tells it', () => {
  const quick = path([0.1, 1], [0.14, 0, 0.3, 0], [1.4, 0, 0, 0], [0, 0, 0, 0]);
  expect(shapeFault(quick, REST, LIMITS, false)).toMatch(/between the start and waypoint 1 of 2/);
  expect(shapeFault(quick, REST, LIMITS, true)).toBeNull();
  const told = (speed: number) =>
    path([0, 0.1, 1], [0, 0, 0.14, 0, 0.3, 0], [speed, 0, 1.4, 0, 0, 0], [0, 0, 0, 0, 0, 0]);
  expect(shapeFault(told(1.4), REST, LIMITS, true)).toBeNull();
  expect(shapeFault(told(0), REST, LIMITS, true)).toMatch(/between waypoint 1 and waypoint 2 of 3/);
});

test('fine poses lead along the path that is driven, as near as a hundredth of a radian', () => {
  const value = fc.double({ min: -1, max: 1, noNaN: true });
  const row = fc.tuple(fc.double({ min: 0.1, max: 3, noNaN: true }), value, value, value, value, value, value);
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), fc.integer({ min: 0, max: 2 }), (rows, known) => {
      let t = 0;
      const times = rows.map(([dt]) => {
        t += dt;
        return t;
      });
      const way = path(
        times,
        rows.flatMap(([, a, b]) => [a, b]),
        known > 0 ? rows.flatMap(([, , , a, b]) => [a, b]) : undefined,
        known > 1 ? rows.flatMap(([, , , , , a, b]) => [a, b]) : undefined,
      );
      const { positions, waypoints } = finePoses(way, REST, LIMITS.velocity);
      const chain = [
        REST,
        ...Array.from({ length: positions.length / 2 }, (_, k) => positions.subarray(2 * k, 2 * k + 2)),
      ];
      const source = new Waypoints(way, LIMITS.velocity);
      source.begin(REST, REST, 0);
      const q = new Float64Array(2);
      for (let step = 1; step < 200; step++) {
        const now = (t * step) / 200;
        source.next(now, 0, q);
        const waypoint = times.findIndex((time) => now <= time);
        // Of the straight ways that lead to its waypoint one passes near it.
        const near = chain.findIndex((end, k) => {
          if (k === 0 || waypoints[k - 1] !== waypoint) return false;
          const from = chain[k - 1]!;
          const [dx, dy] = [end[0]! - from[0]!, end[1]! - from[1]!];
          const length = dx * dx + dy * dy;
          const part = length === 0 ? 0 : ((q[0]! - from[0]!) * dx + (q[1]! - from[1]!) * dy) / length;
          const at = Math.min(Math.max(part, 0), 1);
          return Math.hypot(q[0]! - from[0]! - at * dx, q[1]! - from[1]! - at * dy) <= 0.01 * Math.SQRT2;
        });
        expect(near).toBeGreaterThan(0);
      }
    }),
    { numRuns: 100, seed: 5 },
  );
});

test('the bounds of a segment hold all of it, and are not far off', () => {
  const value = fc.double({ min: -3, max: 3, noNaN: true });
  fc.assert(
    fc.property(
      fc.tuple(value, value, value, value, value, value),
      fc.double({ min: 0.05, max: 3, noNaN: true }),
      (v, h) => {
        const way = new Segment();
        way.quintic(h, ...v);
        const [p0, v0, a0, p1, v1, a1] = v;
        expect(way.at(0)).toBeCloseTo(p0, 14);
        expect(way.at(1)).toBeCloseTo(p1, 14);
        // Finite differences of positions alone.
        const n = 2000;
        const q = Array.from({ length: n + 1 }, (_, k) => way.at(k / n));
        const d = h / n;
        const speeds = q.slice(1).map((at, k) => (at - q[k]!) / d);
        const changes = speeds.slice(1).map((speed, k) => (speed - speeds[k]!) / d);
        const [speed, change] = [speeds, changes].map((all) => Math.max(...all.map(Math.abs)));
        expect(Math.abs(speeds[0]! - v0) / (1 + Math.abs(speed!))).toBeLessThan(0.02);
        expect(Math.abs(changes[0]! - a0) / (1 + Math.abs(change!))).toBeLessThan(0.02);
        expect(Math.abs(speeds.at(-1)! - v1) / (1 + Math.abs(speed!))).toBeLessThan(0.02);
        expect(Math.abs(changes.at(-1)! - a1) / (1 + Math.abs(change!))).toBeLessThan(0.02);
        expect(way.speedAbove(1.02 * speed! + 1e-3)).toBeNull();
        expect(way.speedAbove(0.97 * speed! - 1e-3)).not.toBeNull();
        expect(way.accelerationAbove(1.02 * change! + 1e-3)).toBeNull();
        expect(way.accelerationAbove(0.95 * change! - 1e-3)).not.toBeNull();
        const [least, most] = [Math.min(...q), Math.max(...q)];
        expect(way.outside(least - 1e-3, most + 1e-3)).toBeNull();
        if (most - least > 0.1) expect(way.outside(least, most - 0.05 * (most - least))).not.toBeNull();
      },
    ),
    { numRuns: 200, seed: 9 },
  );
});
