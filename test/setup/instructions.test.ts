import { expect, test } from 'vitest';
import { armToSetUp, type SetupArm } from '../../src/setup/arm.ts';
import { connectAll, connectOne } from '../../src/setup/instructions.ts';

const one = (arm: SetupArm, id: number): string => connectOne(arm, arm.servos.find((servo) => servo.id === id)!);

test('each servo of a Koch is connected to its own voltage, since 12 V destroys the small ones', () => {
  const follower = armToSetUp('koch', 'follower');
  expect(one(follower, 3)).toBe(
    'Connect only the servo for the elbow flex (XL330-M288) to the adapter, and switch its 5 V supply on, not 12 V.',
  );
  expect(one(follower, 2)).toBe(
    'Connect only the servo for the shoulder lift (XL430-W250) to the adapter, and switch its 12 V supply on, not 5 V.',
  );
  expect(connectAll(follower)).toBe(
    'Connect all servos of the arm one behind the other, with the step-down converter from 12 V to 5 V before the servos ' +
      'XL330-M288, which 12 V would destroy, and switch the 12 V supply on.',
  );
  const leader = armToSetUp('koch', 'leader');
  expect(one(leader, 1)).toContain('(XL330-M077) to the adapter, and switch its 5 V supply on.');
  expect(connectAll(leader)).toBe(
    'Connect all servos of the arm one behind the other, and switch their 5 V supply on.',
  );
});

test('two models for one voltage need no converter, and servos sold for several voltages are told by their print', () => {
  expect(connectAll(armToSetUp('wx250s', 'follower'))).toBe(
    'Connect all servos of the arm one behind the other, and switch their 12 V supply on.',
  );
  const so101 = armToSetUp('so101', 'leader');
  expect(one(so101, 6)).toBe(
    'Connect only the servo for the gripper (STS3215, the one with C046, gear 1/147) to the adapter, and switch its supply on: ' +
      '7.4 V or 12 V, whichever is printed on it.',
  );
  expect(connectAll(so101)).toBe(
    'Connect all servos of the arm one behind the other, and switch their supply on: 7.4 V or 12 V, whichever is printed on them.',
  );
});
