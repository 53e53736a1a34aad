import { expect, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import { loadArmModel } from '../../src/arm/model.ts';
import { FollowerLag } from '../../src/mirror/follower-lag.ts';

const model = loadArmModel('so101');
const JOINTS = model.joints.length;
const PAN = 0;

/** A follower with one joint wanted here and measured there, rad. */
function follower(wanted: number, measured: number): Arm {
  const [setpoints, positions, alarms] = [wanted, measured, 0].map((value) =>
    new Float64Array(JOINTS).fill(0).fill(value, 0, 1),
  );
  return { name: 'follower', model, read: () => ({ setpoints, positions, alarms }) } as unknown as Arm;
}

test('a follower that is wanted beyond a limit says which joint stands at it, and nothing within rounding of it', () => {
  const { upper, lower } = model.joints[PAN]!;
  const look = (wanted: number, measured: number): string =>
    new FollowerLag(JOINTS).look(follower(wanted, measured), 0);
  expect(look(upper + 0.2, upper)).toBe('shoulder_pan of follower is at its limit');
  expect(look(lower - 0.2, lower)).toBe('shoulder_pan of follower is at its limit');
  expect(look(upper + 0.01, upper)).toBe('');
});

test('one that has stayed away for half a second is held back by something', () => {
  const behind = new FollowerLag(JOINTS);
  expect(behind.look(follower(0.5, 0.2), 0)).toBe('');
  expect(behind.look(follower(0.5, 0.2), 0.4)).toBe('');
  expect(behind.look(follower(0.5, 0.2), 0.6)).toBe('something holds shoulder_pan of follower back: it yields');
  expect(behind.look(follower(0.5, 0.5), 0.7)).toBe('');
});
