import { Vector3 } from 'three';
import { expect, test } from 'vitest';
import { ForceArrow } from '../../web/scene/force-arrow.ts';

type Frame = Parameters<ForceArrow['show']>[0];

/** An arm whose tool is pushed with a force, N in its base frame. */
const pushed = (force: [number, number, number] | null, fields: Partial<Frame> = {}): Frame => ({
  wrench: force === null ? null : { force, moment: [0, 0, 0] },
  tool: { position: [0.2, 0.1, 0.3], orientation: [0, 0, 0, 1] },
  state: 'mirroring',
  ...fields,
});

/** Where an arrow points, and its length, m. */
function tipOf({ arrow }: ForceArrow): readonly number[] {
  arrow.updateMatrixWorld(true);
  const tip = arrow.cone.getWorldPosition(new Vector3());
  return tip.sub(arrow.position).toArray();
}

test('the arrow stands at the tool, along what pushes it, 12 mm a newton and 0.25 m at most', () => {
  const force = new ForceArrow();
  expect(force.show(pushed([0, -5, 0]))).toBe(true);
  expect(force.arrow.visible).toBe(true);
  expect(force.arrow.position.toArray()).toEqual([0.2, 0.1, 0.3]);
  const [x, y, z] = tipOf(force);
  expect(y).toBeCloseTo(-0.06);
  expect(Math.hypot(x!, z!)).toBeCloseTo(0);
  force.show(pushed([0, 0, 100]));
  expect(tipOf(force)[2]).toBeCloseTo(0.25);
});

test('of an arm that floats it points where the arm pushes the hand', () => {
  const force = new ForceArrow();
  force.show(pushed([5, 0, 0], { state: 'floating' }));
  expect(tipOf(force)[0]).toBeCloseTo(-0.06);
  // The leader holds again, with the same torques.
  expect(force.show(pushed([5, 0, 0], { state: 'ready' }))).toBe(true);
  expect(tipOf(force)[0]).toBeCloseTo(0.06);
});

test('below 1 N, and where force or tool are not known, there is none', () => {
  const force = new ForceArrow();
  expect(force.show(pushed([0.9, 0, 0]))).toBe(false);
  expect(force.arrow.visible).toBe(false);
  expect(force.show(pushed([1, 0, 0]))).toBe(true);
  for (const frame of [pushed([0.5, 0, 0]), pushed(null), pushed([5, 0, 0], { tool: null })]) {
    force.show(pushed([5, 0, 0]));
    expect(force.show(frame)).toBe(true);
    expect(force.arrow.visible).toBe(false);
  }
});

test('only a change that is seen has the scene drawn anew', () => {
  const force = new ForceArrow();
  force.show(pushed([5, 0, 0]));
  expect(force.show(pushed([5.1, 0.1, 0]))).toBe(false);
  expect(force.show(pushed([5.3, 0, 0]))).toBe(true);
  force.show(pushed([5.3, 0, 0], { tool: { position: [0, 0, 0.4], orientation: [0, 0, 0, 1] } }));
  expect(force.arrow.position.toArray()).toEqual([0, 0, 0.4]);
});
