import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SourceStatus } from '../../../src/rt/sources/setpoint-source.ts';
import { type WaypointPath, Waypoints, waypointFault } from '../../../src/rt/sources/waypoints.ts';

const TOP = Float64Array.of(1.5, 1);
const LIMITS = {
  names: ['shoulder', 'elbow'],
  lower: Float64Array.of(-1, -2),
  upper: Float64Array.of(1, 2),
  velocity: TOP,
};
const REST = Float64Array.of(0, 0);

function path(times: number[], positions: number[], velocities: number[] | null = null): WaypointPath {
  return {
    times: Float64Array.from(times),
    positions: Float64Array.from(positions),
    velocities: velocities === null ? null : Float64Array.from(velocities),
  };
}

function begun(way: WaypointPath, start = REST, velocities = new Float64Array(2)): Waypoints {
  const source = new Waypoints(way, TOP);
  source.begin(start, velocities, 0);
  return source;
}

function at(source: Waypoints, t: number): { status: SourceStatus; q: number[] } {
  const out = new Float64Array(2);
  const status = source.next(t, 0.005, out);
  return { status, q: [...out] };
}

test('an arm passes every waypoint at its time, ends exactly at the last one, and is done then', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.double({ min: 0.05, max: 2, noNaN: true }), fc.nat(200), fc.nat(200)), {
        minLength: 1,
        maxLength: 12,
      }),
      (steps) => {
        let t = 0;
        const times = steps.map(([dt]) => {
          t += dt;
          return t;
        });
        const positions = steps.flatMap(([, a, b]) => [a / 100 - 1, b / 100 - 1]);
        const source = begun(path(times, positions));
        expect(source.duration).toBe(times.at(-1));
        for (const [k, time] of times.entries()) {
          const { status, q } = at(source, time);
          expect(q[0]).toBeCloseTo(positions[2 * k]!, 12);
          expect(q[1]).toBeCloseTo(positions[2 * k + 1]!, 12);
          expect(status).toBe(k === times.length - 1 ? SourceStatus.done : SourceStatus.running);
        }
        expect(at(source, t + 1).q).toEqual(positions.slice(-2));
      },
    ),
    { numRuns: 100, seed: 3 },
  );
});

test('without given velocities the way is smooth and stays between neighbouring waypoints', () => {
  const times = [0.5, 0.9, 1.5, 1.6, 3];
  const positions = [0.4, 0.1, 0.8, -0.2, 0.8, -0.3, 0.7, -0.9, -0.5, -1];
  const knots = [0, 0, ...positions];
  const source = begun(path(times, positions));
  const h = 1e-3;
  let before = [0, 0];
  const speeds = [0, 0];
  for (let step = 1; step <= 3000; step++) {
    const { q } = at(source, step * h);
    const k = times.findIndex((time) => step * h <= time + 1e-9);
    for (const i of [0, 1]) {
      const speed = (q[i]! - before[i]!) / h;
      // Velocities are continuous: no step changes them by more than its share of the sharpest bend.
      expect(Math.abs(speed - speeds[i]!)).toBeLessThan(0.4);
      const ends = [knots[2 * k + i]!, knots[2 * k + 2 + i]!];
      expect(q[i]!).toBeGreaterThanOrEqual(Math.min(...ends) - 1e-9);
      expect(q[i]!).toBeLessThanOrEqual(Math.max(...ends) + 1e-9);
      speeds[i] = speed;
    }
    before = q;
  }
  expect(Math.abs(speeds[0]!)).toBeLessThan(0.01);
});

test('between given velocities the way is the cubic of a joint trajectory controller, from the present speed on', () => {
  // From 0 at 0.3 rad/s to 0.5 at 0 rad/s within 1 s: x = 0.3 t + 0.9 t^2 - 0.7 t^3.
  const source = begun(path([1], [0.5, 0], [0, 0]), REST, Float64Array.of(0.3, 0));
  for (const t of [0.1, 0.25, 0.5, 0.9]) {
    expect(at(source, t).q[0]).toBeCloseTo(0.3 * t + 0.9 * t ** 2 - 0.7 * t ** 3, 12);
  }
});

test('a waypoint at time 0 where the arm is already, as planners send it, is where it begins', () => {
  const way = path([0, 1], [0.01, 0, 0.5, 0]);
  expect(waypointFault(way, REST, LIMITS)).toBeNull();
  const source = begun(way);
  expect(at(source, 0).q).toEqual([0, 0]);
  expect(at(source, 1).q).toEqual([0.5, 0]);
  const alone = begun(path([0], [0, 0]));
  expect(at(alone, 0)).toEqual({ status: SourceStatus.done, q: [0, 0] });
});

test.each([
  ['no waypoints', path([], []), /no waypoints/],
  ['a row too short', path([1], [0]), /2 numbers for each of its 1 waypoints/],
  ['times that do not rise', path([1, 1], [0, 0, 0, 0]), /time of waypoint 2 of 2 \(1 s\)/],
  ['a time before the start', path([-1], [0, 0]), /waypoint 1 of 1 \(-1 s\)/],
  ['a time that is no number', path([Number.NaN], [0, 0]), /waypoint 1 of 1/],
  ['a position that is no number', path([1], [0, Number.NaN]), /position of elbow in waypoint 1/],
  [
    'a position beyond a limit',
    path([1, 2], [0, 0, 1.2, 0]),
    /shoulder would go to 1.200 rad in waypoint 2.*-1.000 to 1.000/,
  ],
  [
    'a segment that is too fast',
    path([1, 1.5], [0, 0, 0, 0.8]),
    /elbow would need 1.600 rad\/s from waypoint 1 to 2.*0.800 s/,
  ],
  ['a start that is too fast', path([0.1], [0.5, 0]), /shoulder would need 5.000 rad\/s from the start/],
  ['a jump at time 0', path([0], [0.5, 0]), /shoulder would jump by 0.500 rad/],
  [
    'a velocity beyond its limit',
    path([1, 2], [0, 0, 0, 0], [2, 0, 0, 0]),
    /shoulder would pass waypoint 1 of 2 at 2.000/,
  ],
  ['a last waypoint in motion', path([1], [0, 0], [0, 0.2]), /elbow does not rest/],
])('%s is refused, naming joint and waypoint', (_what, way, message) => {
  expect(waypointFault(way, REST, LIMITS)).toMatch(message);
});
