import { describe, expect, test } from 'vitest';
import { type DriveModel, Lead } from '../../../src/rt/sources/lead.ts';

const DT = 0.005;
/** Damping and inertia over stiffness, s and s^2, friction over stiffness, rad: about those of an SO-101. */
const D = 0.04;
const J = 0.002;
const F = 0.01;
/** What the filter is documented to cost, s: three equal lags. */
const LAG = 3 / 80;

const drive = (damping: number, inertia: number, friction: number, smooth = true): DriveModel => ({
  damping: Float64Array.of(damping),
  inertia: Float64Array.of(inertia),
  friction: Float64Array.of(friction),
  smooth,
});

/** Goals for a path that is given as a function of time, from rest at its beginning. */
function goals(model: DriveModel, path: (t: number) => number, seconds: number, part = 1): number[] {
  const lead = new Lead(model);
  lead.reset(Float64Array.of(path(0)));
  const out = new Float64Array(1);
  return Array.from({ length: Math.round(seconds / DT) }, (_, i) => {
    lead.step(Float64Array.of(path((i + 1) * DT)), DT, Float64Array.of(part), out);
    return out[0]!;
  });
}

test('a path that begins at rest anywhere goes out as it is', () => {
  for (const goal of goals(drive(D, J, F), () => 0.7, 0.2)) expect(goal).toBeCloseTo(0.7, 12);
});

describe('on a ramp, once the filter has settled', () => {
  const SPEED = 0.8;
  const ramp = (t: number): number => SPEED * t;
  const beyond = (model: DriveModel, part?: number): number => goals(model, ramp, 1, part).at(-1)! - ramp(1);

  test('the goal is late by the filter alone where the drive costs nothing', () => {
    expect(beyond(drive(0, 0, 0))).toBeCloseTo(-SPEED * LAG, 1);
    expect(beyond(drive(0, J, 0))).toBeCloseTo(beyond(drive(0, 0, 0)), 6);
  });

  test('damping and friction are led by a part of what they cost where a part is asked for', () => {
    const filter = beyond(drive(0, 0, 0));
    const all = beyond(drive(D, 0, F)) - filter;
    expect(all).toBeGreaterThan(D * SPEED * 0.75);
    expect(beyond(drive(D, 0, F), 0.25) - filter).toBeCloseTo(all / 4, 9);
    expect(beyond(drive(D, 0, F), 0)).toBeCloseTo(filter, 9);
  });

  test('friction is led less while the joint hardly moves, and the other way when it goes back', () => {
    const slow = (sign: number): number => {
      const path = (t: number): number => sign * 0.02 * t;
      return goals(drive(0, 0, F), path, 1).at(-1)! - goals(drive(0, 0, 0), path, 1).at(-1)!;
    };
    expect(slow(1)).toBeGreaterThan(0.1 * F);
    expect(slow(1)).toBeLessThan(0.2 * F);
    expect(slow(-1)).toBeCloseTo(-slow(1), 9);
  });
});

test('a bridge that owns the servos of a remote arm smooths and leads itself: the path goes out as it comes', () => {
  const path = (t: number): number => Math.sin(40 * t);
  const sent = goals(drive(D, J, F, false), path, 0.5);
  for (const [i, goal] of sent.entries()) expect(goal).toBe(path((i + 1) * DT));
});

test('inertia is led while the speed changes, by most of what that costs', () => {
  const A = 4;
  const path = (t: number): number => (A * t * t) / 2;
  const led = goals(drive(0, J, 0), path, 0.5).at(-1)! - goals(drive(0, 0, 0), path, 0.5).at(-1)!;
  expect(led).toBeGreaterThan(0.6 * J * A);
  expect(led).toBeLessThan(1.01 * J * A);
});

test('a path that is moved as a whole goes on from there, without any speed', () => {
  const lead = new Lead(drive(D, J, F));
  lead.reset(Float64Array.of(0.2));
  lead.shift(0, 0.3);
  const out = new Float64Array(1);
  lead.step(Float64Array.of(0.5), DT, Float64Array.of(1), out);
  expect(out[0]).toBeCloseTo(0.5, 12);
});
