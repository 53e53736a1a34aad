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
  acceleration: Float64Array.of(6, 4),
};
const REST = Float64Array.of(0, 0);

function path(
  times: number[],
  positions: number[],
  velocities: number[] | null = null,
  accelerations: number[] | null = null,
): WaypointPath {
  return {
    times: Float64Array.from(times),
    positions: Float64Array.from(positions),
    velocities: velocities === null ? null : Float64Array.from(velocities),
    accelerations: accelerations === null ? null : Float64Array.from(accelerations),
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

/** Speeds of both joints about a time that comes after those that were asked for before, rad/s. */
function speedsAt(source: Waypoints, t: number): number[] {
  const h = 1e-6;
  const before = at(source, t - h).q;
  const after = at(source, t + h).q;
  return after.map((angle, i) => (angle - before[i]!) / (2 * h));
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

test('without given velocities the way is the one of SciPy’s PCHIP between the first and the last pose', () => {
  // scipy 1.17.1, CubicHermiteSpline with the inner derivatives of PchipInterpolator and those of the ends as they are here.
  const times = [1, 1.5, 3, 3.4];
  const rows = [
    [0.2, -0.3],
    [0.5, -0.9],
    [0.6, -1],
    [0.3, -1.2],
  ];
  const expected: readonly (readonly [number, number, number])[] = [
    [0.5, 0.060294117647, 0.004411764706],
    [1.1, 0.249314027149, -0.400683565797],
    [1.25, 0.361199095023, -0.630427531837],
    [1.4, 0.46502081448, -0.838263674955],
    [2.25, 0.575961538462, -0.951957327575],
    [3.2, 0.45, -1.106900726392],
  ];
  const source = new Waypoints(path(times, rows.flat()), Float64Array.of(9, 9));
  source.begin(Float64Array.of(0, 0.1), Float64Array.of(0, 0.2), 100);
  for (const [t, a, b] of expected) {
    const { q } = at(source, 100 + t);
    expect(q[0]).toBeCloseTo(a, 9);
    expect(q[1]).toBeCloseTo(b, 9);
  }
  // Begun again it begins with its first segment.
  source.begin(Float64Array.of(0, 0.1), Float64Array.of(0, 0.2), 200);
  expect(at(source, 200.5).q[0]).toBeCloseTo(0.060294117647, 9);
});

test('velocities that are chosen keep to the limits of the joints', () => {
  // Two even steps at 2 rad/s: the pose between them would be passed at that.
  const source = new Waypoints(path([0.5, 1], [1, -1, 2, -2]), Float64Array.of(1.5, 1));
  source.begin(REST, REST, 0);
  const [first, second] = speedsAt(source, 0.5);
  expect(first).toBeCloseTo(1.5, 4);
  expect(second).toBeCloseTo(-1, 4);
});

test('velocities that are given are passed at every pose but the one that is left out at time 0', () => {
  const source = new Waypoints(path([0, 1, 2], [0, 0, 0.5, -0.5, 0.8, -1], [9, 9, 0.4, -0.6, 0, 0]), TOP);
  source.begin(REST, REST, 0);
  const [first, second] = speedsAt(source, 1);
  expect(first).toBeCloseTo(0.4, 4);
  expect(second).toBeCloseTo(-0.6, 4);
});

test('between given velocities the way is the cubic of a joint trajectory controller, from the present speed on', () => {
  // From 0 at 0.3 rad/s to 0.5 at 0 rad/s within 1 s: x = 0.3 t + 0.9 t^2 - 0.7 t^3.
  const source = begun(path([1], [0.5, 0], [0, 0]), REST, Float64Array.of(0.3, 0));
  for (const t of [0.1, 0.25, 0.5, 0.9]) {
    expect(at(source, t).q[0]).toBeCloseTo(0.3 * t + 0.9 * t ** 2 - 0.7 * t ** 3, 12);
  }
});

test('with given accelerations the way is the quintic of a joint trajectory controller', () => {
  // numpy 2.4: six coefficients of each segment, solved for from what is given at both of its ends.
  const expected: readonly (readonly [number, number])[] = [
    [0.05, 0.111109985352],
    [0.2, 0.199625],
    [0.33, 0.291870916445],
    [0.4, 0.32],
    [0.55, 0.352326171875],
    [0.7, 0.2988125],
    [0.95, 0.094015407986],
    [1, 0.05],
    [1.2, -0.134678555098],
    [1.45, -0.306625],
    [1.8, -0.396149062643],
    [1.9, -0.4],
  ];
  const times = [0.4, 1, 1.9];
  const [positions, velocities, accelerations] = [
    [0.32, 0, 0.05, 0, -0.4, 0],
    [0.35, 0, -0.9, 0, 0, 0],
    [0.6, 0, -1.2, 0, 0.8, 0],
  ];
  const [start, speed, acceleration] = [Float64Array.of(0.1, 0), Float64Array.of(0.2, 0), Float64Array.of(-1, 0)];
  // In motion already; and with the accelerations of a pose at time 0, whatever the arm's are.
  const onwards = new Waypoints(path(times, positions, velocities, accelerations), TOP);
  onwards.begin(start, speed, 10, acceleration);
  const planned = path([0, ...times], [0.1, 0, ...positions], [0.2, 0, ...velocities], [-1, 0, ...accelerations]);
  const anew = new Waypoints(planned, TOP);
  anew.begin(start, speed, 10, Float64Array.of(3, 3));
  for (const source of [onwards, anew]) {
    for (const [t, q] of expected) {
      const { status, q: reached } = at(source, 10 + t);
      expect(reached[0]).toBeCloseTo(q, 9);
      expect(reached[1]).toBe(0);
      expect(status).toBe(t === 1.9 ? SourceStatus.done : SourceStatus.running);
    }
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

const NEAR = 1e-9;

test.each([
  ['a position at its limit, as rounded', path([3], [1 + 0.9e-6, -2 - 0.9e-6])],
  ['a speed at its limit, as rounded', path([1], [0.9, 1 + 0.9e-3])],
  ['exactly the limit of speed', path([0.5, 1], [0.75, 0, 0, 0])],
  ['a passing speed at its limit', path([1, 2], [0, 0, 0, 0], [1.5 * (1 + 0.9e-3), -1, 0, 0])],
  ['a last pose at rest, as rounded', path([1], [0, 0], [0.9e-6, -0.9e-6])],
  ['a start that is near the arm', path([0, 1], [0.05, -0.05, 0, 0])],
  ['velocities that are left out', path([1, 2], [0.1, 0, 0.2, 0])],
])('%s is driven', (_what, way) => {
  expect(waypointFault(way, REST, LIMITS)).toBeNull();
});

test.each([
  ['a position beyond the lower limit', path([1], [-1.011, 0]), /shoulder would go to -1.011 rad/],
  ['a position beyond the upper limit', path([1], [1.011, 0]), /shoulder would go to 1.011 rad/],
  ['a speed just above its limit', path([1], [0, 1 + 2e-3]), /elbow would need 1.002 rad\/s.*at least 1.002 s/],
  ['a quick first segment backwards', path([0.2], [0, -0.5]), /elbow would need 2.500 rad\/s from the start.*0.500 s/],
  ['a start that is too far from the arm', path([0, 1], [0.1 + NEAR, 0, 0, 0]), /jump by 0.100 rad/],
  [
    'a passing speed backwards',
    path([1, 2], [0, 0, 0, 0], [0, -1.1, 0, 0]),
    /elbow would pass waypoint 1 of 2 at -1.100/,
  ],
  [
    'a speed of a later pose',
    path([1, 2, 3], [0, 0, 0, 0, 0, 0], [0, 0, 0, 1.1, 0, 0]),
    /pass waypoint 2 of 3 at 1.100/,
  ],
  [
    'a velocity that is no number',
    path([1, 2], [0, 0, 0, 0], [0, Number.NaN, 0, 0]),
    /velocity of elbow in waypoint 1 of 2/,
  ],
  ['a last pose in motion backwards', path([1], [0, 0], [-0.2, 0]), /shoulder does not rest/],
  ['too few velocities', path([1, 2], [0, 0, 0, 0], [0, 0]), /2 numbers for each of its 2 waypoints/],
  ['too few accelerations', path([1], [0, 0], [0, 0], [0]), /2 numbers for each of its 1 waypoints/],
  [
    'an acceleration that is no number',
    path([1], [0, 0], [0, 0], [0, Number.NaN]),
    /acceleration of elbow in waypoint 1/,
  ],
  [
    'an acceleration beyond its limit',
    path([1, 2], [0, 0, 0, 0], [0, 0, 0, 0], [7.4, 5.1, 0, 0]),
    /elbow would accelerate with 5.100 rad\/s² in waypoint 1 of 2, its limit is 4.000 rad\/s²/,
  ],
  ['a second time before the first', path([1, 0.5], [0, 0, 0, 0]), /time of waypoint 2 of 2 \(0.5 s\).*\(1 s\)/],
  ['an endless time', path([Number.POSITIVE_INFINITY], [0, 0]), /time of waypoint 1 of 1 \(Infinity s\).*\(0 s\)/],
  [
    'a later segment that is too fast',
    path([1, 2, 2.1], [0.5, 0, 0.5, 0, 0.8, 0]),
    /shoulder would need 3.000 rad\/s from waypoint 2 to 3/,
  ],
])('%s is refused', (_what, way, message) => {
  expect(waypointFault(way, REST, LIMITS)).toMatch(message);
});

test('a path that comes in pieces is driven as the whole one is', () => {
  const times = Array.from({ length: 12 }, (_, k) => 0.2 * (k + 1));
  const positions = times.flatMap((time) => [0.2 * Math.sin(2 * time), 0.3 * Math.cos(time) - 0.3]);
  const whole = begun(path(times, positions));
  const parted = begun({ ...path(times.slice(0, 5), positions.slice(0, 10)), duration: 2.4 });
  expect(parted.duration).toBe(2.4);
  for (let t = 0; t < 2.5; t += 0.01) {
    // While the first ones are passed, and in the middle of a segment.
    if (Math.abs(t - 0.73) < 1e-9) {
      const more = { ...path(times.slice(5), positions.slice(10)), last: true };
      expect(parted.extend(more, LIMITS)).toBeNull();
    }
    const [one, other] = [at(whole, t), at(parted, t)];
    expect(other.status).toBe(one.status);
    for (const i of [0, 1]) expect(other.q[i]!).toBeCloseTo(one.q[i]!, 12);
  }
});

test('a path with accelerations is not extended by poses that have none', () => {
  const still = new Float64Array(4);
  const given = { velocities: still, accelerations: still, duration: 4 };
  const source = begun({ ...path([1, 2], [0.5, 0, 0.8, 0]), ...given });
  expect(source.extend({ ...path([3], [0.9, 0]), last: true }, LIMITS)).toMatch(/accelerations/);
  expect(at(source, 0.5).q.every(Number.isFinite)).toBe(true);
});

test('a path whose next piece is late holds before its last pose, and goes on from there at the same speed', () => {
  const source = begun({ ...path([1, 2], [0.5, 0, 1, 0]), duration: 4 });
  expect(at(source, 0.9).status).toBe(SourceStatus.running);
  expect(at(source, 1.5)).toEqual({ status: SourceStatus.hold, q: [0.5, 0] });
  expect(at(source, 7)).toEqual({ status: SourceStatus.hold, q: [0.5, 0] });
  expect(source.extend({ ...path([3, 4], [1, 0, 0.8, 0]), last: true }, LIMITS)).toBeNull();
  expect(at(source, 7.01).status).toBe(SourceStatus.running);
  expect(at(source, 8).q[0]!).toBeCloseTo(1, 6);
  expect(at(source, 10)).toEqual({ status: SourceStatus.done, q: [0.8, 0] });
});

test.each([
  ['a time that is over', path([2], [0.8, 0]), /does not come after/],
  ['a pose beyond a limit', path([3], [2, 0]), /shoulder would go to 2\.000 rad/],
  ['a pose that is too far', path([2.1], [-0.9, 0]), /shoulder would need/],
])('a piece is refused and changes nothing: %s', (_, piece, fault) => {
  const source = begun({ ...path([1, 2], [0.5, 0, 0.8, 0]), duration: 4 });
  expect(source.extend({ ...piece, last: true }, LIMITS)).toMatch(fault);
  expect(source.extend({ ...path([3], [0.5, 0]), last: true }, LIMITS)).toBeNull();
  expect(source.extend({ ...path([5], [0.5, 0]), last: true }, LIMITS)).toMatch(/nothing can follow/);
});
