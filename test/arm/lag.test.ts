import { expect, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import { Lag } from '../../src/arm/lag.ts';
import { loadArmModel } from '../../src/arm/model.ts';

const model = loadArmModel('so101');
const JOINTS = model.joints.length;
const PAN = 0;
const PUSHES = model.joints[PAN]!.torqueLimit / 2;

/**
 * A follower with one joint wanted here and measured there, rad.
 * @param effort of its servo, Nm @param range to either side that its servo keeps to, rad
 */
function follower(wanted: number, measured: number, effort = PUSHES, range = Number.POSITIVE_INFINITY): Arm {
  const first = (value: number, others = 0): Float64Array => new Float64Array(JOINTS).fill(others).fill(value, 0, 1);
  const snapshot = {
    setpoints: first(wanted),
    goals: first(wanted),
    positions: first(measured),
    velocities: first(0),
    efforts: first(effort),
    alarms: first(0),
    servoLower: first(-range, Number.NEGATIVE_INFINITY),
    servoUpper: first(range, Number.POSITIVE_INFINITY),
  };
  return { name: 'follower', model, read: () => snapshot } as unknown as Arm;
}

test('a follower that is wanted beyond a limit says which joint stands at it, and nothing within rounding of it', () => {
  const { upper, lower } = model.joints[PAN]!;
  const look = (wanted: number, measured: number): string => new Lag(JOINTS).look(follower(wanted, measured), 0);
  expect(look(upper + 0.2, upper)).toBe('shoulder_pan of follower is at its limit');
  expect(look(lower - 0.2, lower)).toBe('shoulder_pan of follower is at its limit');
  expect(look(upper + 0.01, upper)).toBe('');
});

test('one whose servo keeps to limits of its own says so, instead of that something holds it', () => {
  const narrow = new Lag(JOINTS);
  for (const now of [0, 0.6])
    expect(narrow.look(follower(0.5, 0.2, PUSHES, 0.2), now)).toBe(
      'shoulder_pan of follower is at the position limit of its servo: calibrate the arm to set it anew (arm-bridge calibrate)',
    );
});

test('one that has stayed away for half a second and does not push has a servo at fault', () => {
  const deaf = new Lag(JOINTS);
  deaf.look(follower(0.5, 0.2, 0), 0);
  expect(deaf.look(follower(0.5, 0.2, 0), 0.6)).toMatch(
    /^shoulder_pan of follower does not move, and its servo does not push/,
  );
});

test('one whose efforts are not known has no cause that only these could tell', () => {
  const untold = new Lag(JOINTS);
  untold.look(follower(0.5, 0.2, Number.NaN), 0);
  expect(untold.look(follower(0.5, 0.2, Number.NaN), 0.6)).toBe(
    'shoulder_pan of follower does not follow its goals: something holds it back, or its servo is at fault',
  );
});

test('one that has stayed away for half a second is held back by something', () => {
  const behind = new Lag(JOINTS);
  expect(behind.look(follower(0.5, 0.2), 0)).toBe('');
  expect(behind.look(follower(0.5, 0.2), 0.4)).toBe('');
  expect(behind.look(follower(0.5, 0.2), 0.6)).toBe('something holds shoulder_pan of follower back');
  expect(behind.look(follower(0.5, 0.5), 0.7)).toBe('');
});
