import loadMujoco from '@mujoco/mujoco';
import { expect, test } from 'vitest';
import { insertPeg, pickCube, turnScrew } from '../../bench/by-feel.ts';
import { FEETECH_GEAR } from '../mirror/support/felt.ts';

const mujoco = await loadMujoco();

test('a hand that feels what the gripper holds picks up the cube with a fraction of the force, and sooner', async () => {
  const [without, felt] = [await pickCube(mujoco, 0, FEETECH_GEAR), await pickCube(mujoco, 1, FEETECH_GEAR)];
  expect([without.felt, felt.felt]).toEqual([false, true]);
  for (const { height } of [without, felt]) expect(height).toBeGreaterThan(0.07);
  expect(felt.grip).toBeLessThan(0.5 * without.grip);
  expect(felt.time).toBeLessThan(without.time);
});

test('a hand that feels the rim finds the hole with the peg, and one that does not presses on', async () => {
  const [without, felt] = [await insertPeg(mujoco, 0, FEETECH_GEAR), await insertPeg(mujoco, 1, FEETECH_GEAR)];
  expect([without.felt, felt.felt]).toEqual([false, true]);
  expect(without.depth).toBeLessThan(0.005);
  expect(felt.depth).toBeGreaterThan(0.025);
  expect(felt.rim).toBeLessThan(0.8 * without.rim);
  expect(felt.grip).toBeLessThan(0.75 * without.grip);
});

test('a hand that feels when a screw is tight turns it with a fraction of the torque', async () => {
  const [without, felt] = [await turnScrew(mujoco, 0, FEETECH_GEAR), await turnScrew(mujoco, 1, FEETECH_GEAR)];
  expect([without.felt, felt.felt]).toEqual([false, true]);
  expect(felt.torque).toBeGreaterThan(0.2);
  expect(felt.torque).toBeLessThan(0.7 * without.torque);
});
