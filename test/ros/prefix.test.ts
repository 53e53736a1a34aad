import { expect, test } from 'vitest';
import type { MoveService } from '../../src/motion/move-service.ts';
import type { ActionParts, Actions } from '../../src/ros/action.ts';
import { ArmStatus } from '../../src/ros/arm-status.ts';
import { offerMoves } from '../../src/ros/move-actions.ts';
import { ArmNames } from '../../src/ros/names.ts';
import type { Qualities } from '../../src/ros/qos.ts';
import type { RosNode } from '../../src/ros/rclnodejs.ts';
import { FakeArm, FROM_ROS, fakeArm } from './support/fakes.ts';

interface Told {
  readonly header: { readonly frame_id: string };
}

test.each([
  [null, 'arm/base_link'],
  ['auto', 'arm_base_link'],
  ['x_', 'x_base_link'],
])('with joints named by %s, status and moves tell the frame that /tf has', async (prefix, frame) => {
  const arm = fakeArm(Object.assign(new FakeArm(0, 'arm'), { initialised: true }));
  const names = new ArmNames(arm, prefix);
  const told: Told[] = [];
  const node = { createPublisher: () => ({ publish: (message: Told) => told.push(message) }) };
  new ArmStatus(node as unknown as RosNode, arm, names, {} as Qualities).publish();

  const origin = { position: { x: 0, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } };
  const outcome = { ok: true, message: '', trials: 1, duration: 1, positionError: 0, orientationError: 0 };
  const motion = { zero: () => origin, moveAbsolute: async () => outcome, moveRelative: async () => outcome };
  const offered: ActionParts<object>[] = [];
  const actions = { offer: (_type: string, _name: string, parts: ActionParts<object>) => offered.push(parts) };
  offerMoves(actions as unknown as Actions, arm, names, motion as unknown as MoveService, '/arm/arm_bridge');
  const nothing = { x: [], y: [], z: [], pitch: [], yaw: [], roll: [], opening: [], path: '' };
  const goal = { ...nothing, max_trials: 1, position_tolerance: 0, orientation_tolerance: 0, take_over: false };
  for (const { execute } of offered) {
    const { signal } = new AbortController();
    await execute({ goal, ...FROM_ROS, signal, tell: (feedback) => told.push(feedback() as Told) });
  }
  expect(told.map(({ header }) => header.frame_id)).toEqual([frame, frame, frame]);
});
