import { beforeEach, expect, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import type { Caller } from '../../src/arm/types.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const A: Caller = { owner: { key: 'a', name: 'owner a' }, takeOver: false };
const TOLERANCE = 0.03;

let bridge: VirtualBridge;
let arm: Arm;
beforeEach(async () => {
  bridge = await VirtualBridge.start();
  arm = bridge.arm();
  await bridge.until(bridge.bridge.motion.init(arm, A));
});

const grip = (position: number) =>
  bridge.bridge.trajectories.gripper(arm, { position, velocity: null, torque: null }, TOLERANCE, A);
const gripper = () => arm.read().positions[arm.model.gripper!.index]!;

test('a gripper command ends when its arm is lost while the gripper is still short of its goal', async () => {
  const gripping = grip(1.5);
  await bridge.pass(0.3);
  bridge.host.arms!.get('arm').unplug();
  const outcome = await bridge.until(gripping);
  expect(outcome).toMatchObject({ reached: false, stalled: false });
  expect(outcome.message).toMatch(/the arm is disconnected/);
});

test('a system clock that is set ahead does not make a gripper on its way stand', async () => {
  const gripping = grip(1.5);
  await bridge.pass(0.2);
  bridge.host.time.wallOffset += 3600;
  expect(await bridge.until(gripping)).toEqual({ reached: true, stalled: false, message: '' });
  expect(gripper()).toBeCloseTo(1.5, 1);
});

test('a gripper that something holds stands short of its goal, and says so', async () => {
  await bridge.until(bridge.host.arms!.hand('arm', { gripper: gripper() }, 0.1));
  const outcome = await bridge.until(grip(1.5));
  expect(outcome).toEqual({ reached: false, stalled: true, message: '' });
});

test('what the gripper cannot do is refused', async () => {
  await expect(bridge.until(grip(9))).rejects.toThrow(/gripper of arm arm cannot go to 9 rad: its limits are/);
  await bridge.until(bridge.bridge.torque.off(arm, true, A));
  await expect(bridge.until(grip(1))).rejects.toMatchObject({
    message: 'Arm arm is connected, not ready.',
    remedy: 'torque_on',
  });
});

test.each(['in the middle of its way', 'before it begins'])(
  'a gripper whose servo takes no goals %s is told, and not taken for one that holds something',
  async (when) => {
    const deaf = () => bridge.fault('arm', { servos: { 6: { ignoresGoals: true } } });
    if (when === 'before it begins') await deaf();
    const gripping = grip(gripper() + (when === 'before it begins' ? 0.05 : 1));
    if (when !== 'before it begins') {
      await bridge.pass(0.3);
      await deaf();
    }
    const outcome = await bridge.until(gripping);
    expect(outcome).toMatchObject({ reached: false, stalled: false });
    expect(outcome.message).toContain('the servo of gripper does not take its goals');
  },
);

test('whatever moves the gripper alone, or with the arm, fails when its servo takes no goals', async () => {
  await bridge.fault('arm', { servos: { 6: { ignoresGoals: true } } });
  const open = (arm.gripperOpening(arm.read().positions) ?? 0) > 0.5 ? 0 : 1;
  for (const body of [{ open }, { x: 2, open }]) {
    const { status, message } = (await bridge.post('/move/absolute', body)).body;
    expect([status, message]).toEqual([
      'error',
      expect.stringContaining('the servo of gripper does not take its goals'),
    ]);
  }
});
