import { expect, it } from 'vitest';
import { Gear } from '../../src/sim/gear.ts';

const DEGREE = Math.PI / 180;
const MOTOR = [{ noLoadSpeed: 2, stallTorque: 1 }];

it('passes the torque on where there is no play', () => {
  expect(new Gear({}, MOTOR).step(0.001, 1.5, 0.3, 0)).toBe(1.5);
});

it('passes no torque on while the motor crosses the play, to either side', () => {
  const gear = new Gear({ backlash: 1 * DEGREE }, MOTOR);
  const push = (torque: number): number => {
    for (let steps = 1; ; steps++) if (gear.step(0.001, torque, 0, 0) === torque) return steps;
  };
  // 2 rad/s: half of it first, from the middle, then all of it.
  expect(push(1)).toBe(Math.ceil((0.5 * DEGREE) / 0.002));
  expect(push(-1)).toBe(Math.ceil(DEGREE / 0.002));
});

it('is crossed by two motors that share a torque at the speed at which one of them would cross it with its half', () => {
  const steps = (motors: typeof MOTOR, torque: number): number => {
    const gear = new Gear({ backlash: 1 * DEGREE }, motors);
    for (let count = 1; ; count++) if (gear.step(0.001, torque, 0, 0) === torque) return count;
  };
  expect(steps([...MOTOR, ...MOTOR], 1)).toBe(steps(MOTOR, 0.5));
});

it('draws a limp joint to the places where it likes to stand', () => {
  const gear = new Gear({ detents: { perTurn: 29, torque: 0.05 } }, MOTOR);
  const turn = (2 * Math.PI) / 29;
  expect(gear.step(0.001, 0, 0, 0)).toBeCloseTo(0, 9);
  expect(gear.step(0.001, 0, turn / 4, 0)).toBeCloseTo(-0.05, 9);
  expect(gear.step(0.001, 0, -turn / 4, 0)).toBeCloseTo(0.05, 9);
});
