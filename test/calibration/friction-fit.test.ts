import { expect, test } from 'vitest';
import { type DragSample, fitFriction } from '../../src/calibration/friction-fit.ts';

/** Speed over which the sign of friction changes in the bridge's own estimate, rad/s. */
const CHANGE = 0.1;
const SPEEDS = [0.2, 0.4, 0.6];

/** Samples of sweeps to and fro. @param more what the drive takes besides friction, Nm */
function swept(friction: number, damping: number, more: (position: number, speed: number) => number): DragSample[] {
  return SPEEDS.flatMap((top) =>
    [1, -1].flatMap((way) =>
      Array.from({ length: 40 }, (_, k) => {
        const [position, speed] = [1 + 0.01 * k, way * top];
        const drag = friction * Math.tanh(speed / CHANGE) + damping * speed + more(position, speed);
        return { position, speed, drag };
      }),
    ),
  );
}

test.each([
  ['exactly where nothing else is there', () => 0],
  ['beside a weight that the model does not know', (position: number) => 0.4 - 0.3 * position],
])('friction and damping are found %s', (_, more) => {
  const fit = fitFriction(swept(0.07, 0.5, more));
  expect(fit.friction).toBeCloseTo(0.07, 9);
  expect(fit.damping).toBeCloseTo(0.5, 9);
  expect(fit.residual).toBeLessThan(1e-9);
});

test('what is no friction is left over', () => {
  const { residual } = fitFriction(swept(0.07, 0.5, (position, speed) => (speed > 0 && position > 1.2 ? 0.5 : 0)));
  expect(residual).toBeGreaterThan(0.1);
});

test('helped motion comes out as negative friction', () => {
  expect(fitFriction(swept(-0.2, 0.5, () => 0)).friction).toBeCloseTo(-0.2, 9);
});
