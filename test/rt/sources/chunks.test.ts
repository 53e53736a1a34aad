import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkPath, from } from '../../../src/motion/chunk-path.ts';
import { type ChunkPath, Chunks, LINGER } from '../../../src/rt/sources/chunks.ts';
import { SourceStatus } from '../../../src/rt/sources/setpoint-source.ts';

const DT = 0.005;
/** rad/s and rad/s^2 of moves; a chunk's own way has at most as much of both. */
const VELOCITY = 1.5;
const ACCELERATION = 6;
const LIMITS = {
  lower: Float64Array.of(-9, -9),
  upper: Float64Array.of(9, 9),
  passing: Float64Array.of(3, 3),
  braking: Float64Array.of(6, 6),
};
const BLEND = {
  velocity: Float64Array.of(VELOCITY, VELOCITY),
  acceleration: Float64Array.of(ACCELERATION, ACCELERATION),
};

/** A wave of the first joint, and of the second where it is not left alone. */
function wave(start: number, centre: number, phase: number, alone: boolean, count = 30): ChunkPath {
  const times = Float64Array.from({ length: count }, (_, k) => start + k / 30);
  const rows = Array.from(times, (t) => {
    const at = centre + 0.5 * Math.sin(1.5 * t + phase);
    return [at, alone ? Number.NaN : -at];
  });
  return chunkPath(times, Float64Array.from(rows.flat()), 0.2, LIMITS);
}

/** A source that begins in the middle of a motion, and what it has given, cycle by cycle. */
function started() {
  let t = 10;
  const source = new Chunks(BLEND, () => t);
  source.begin(Float64Array.of(0.3, 0), Float64Array.of(0.4, 0), t, Float64Array.of(-1, 0));
  const out = Float64Array.of(0.3, 0);
  const given = [[0.3 - 0.4 * DT, 0], [...out]];
  const pass = (duration: number): SourceStatus => {
    let status: SourceStatus = SourceStatus.running;
    for (let cycle = 0; cycle < Math.round(duration / DT); cycle++) {
      t += DT;
      status = source.next(t, DT, out);
      given.push([...out]);
    }
    return status;
  };
  const stand = (duration: number): void => {
    t += duration;
  };
  return { source, given, pass, now: () => t, stand };
}

test('whatever chunks come and when, position and velocity go on without a step, and the joints rest at the end', () => {
  const chunk = fc.record({
    ahead: fc.double({ min: -0.9, max: 0.6, noNaN: true }),
    centre: fc.double({ min: -1.5, max: 1.5, noNaN: true }),
    phase: fc.double({ min: 0, max: 6, noNaN: true }),
    alone: fc.boolean(),
    gap: fc.double({ min: 0.01, max: 1.5, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(chunk, { minLength: 1, maxLength: 6 }), (chunks) => {
      const { source, given, pass, now } = started();
      for (const { ahead, centre, phase, alone, gap } of chunks) {
        expect(source.take(from(wave(now() + ahead, centre, phase, alone), now()))).toBeNull();
        pass(gap);
      }
      expect(pass(14)).toBe(SourceStatus.done);
      let most = 0;
      for (let k = 2; k < given.length; k++) {
        for (const i of [0, 1]) {
          const [a, b, c] = [given[k - 2]![i]!, given[k - 1]![i]!, given[k]![i]!];
          most = Math.max(most, Math.abs(c - 2 * b + a) / DT ** 2);
        }
      }
      // The chunk's own acceleration and that of taking over, which begins from what there was.
      expect(most).toBeLessThan(4 * ACCELERATION);
      expect(given.at(-1)).toEqual(given.at(-2));
    }),
    { numRuns: 300 },
  );
});

test('it is done some time after the last point, and a pause of the loop is no jump', () => {
  const { source, given, pass, now, stand } = started();
  source.take(wave(now(), 0, 0, false));
  expect(pass(0.4)).toBe(SourceStatus.running);
  stand(0.3);
  pass(DT);
  const [before, after] = given.slice(-2);
  expect(Math.abs(after![0]! - before![0]!)).toBeLessThan(VELOCITY * DT);
  pass(source.end - now() + LINGER - 0.02);
  expect(pass(DT)).toBe(SourceStatus.running);
  expect(pass(0.1)).toBe(SourceStatus.done);
});

test('through points of a curve goes the curve, with its speeds', () => {
  const { times, positions, velocities } = wave(0, 0, 0, true);
  for (let k = 4; k < 26; k++) {
    expect(positions[2 * k]).toBeCloseTo(0.5 * Math.sin(1.5 * times[k]!), 12);
    expect(velocities[2 * k]).toBeCloseTo(0.75 * Math.cos(1.5 * times[k]!), 3);
  }
  expect(velocities.at(-2)).toBe(0);
});

test('what is no chunk is refused and changes nothing', () => {
  const { source, pass, now } = started();
  const path = wave(now(), 0, 0, false);
  expect(source.take({ ...path, positions: path.positions.slice(1) })).toMatch(/a number for each joint/);
  expect(source.take({ ...path, times: path.times.map(() => 1) })).toMatch(/do not increase/);
  expect(source.take({ ...path, blend: Number.NaN })).not.toBeNull();
  expect(pass(2)).toBe(SourceStatus.done);
});
