import { beforeEach, expect, test } from 'vitest';
import type { ActionParts, Actions } from '../../src/ros/action.ts';
import type { InputParts } from '../../src/ros/arm-inputs.ts';
import { type GripperGoal, GripperInputs, type ParallelGripperGoal } from '../../src/ros/gripper-inputs.ts';
import { ArmNames } from '../../src/ros/names.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';
import { FROM_ROS } from './support/fakes.ts';

let bridge: VirtualBridge;
let parallel: ActionParts<ParallelGripperGoal>;
let plain: ActionParts<GripperGoal>;
beforeEach(async () => {
  bridge = await VirtualBridge.start();
  const arm = bridge.arm();
  const { trajectories } = bridge.bridge;
  const about = { nodeName: '/arm/arm_bridge', namespace: '/arm', names: new ArmNames(arm, '') };
  const inputs = new GripperInputs({ ...about, arm, trajectories } as unknown as InputParts);
  const offered = new Map<string, unknown>();
  // The edge to rclnodejs: what it would call back with.
  const actions = { offer: (type: string, name: string, parts: unknown) => offered.set(`${name} ${type}`, parts) };
  inputs.offerActions(actions as unknown as Actions);
  const get = (key: string): unknown => offered.get(key);
  parallel = get(
    'gripper_controller/gripper_cmd control_msgs/action/ParallelGripperCommand',
  ) as ActionParts<ParallelGripperGoal>;
  plain = get('gripper_action_controller/gripper_cmd control_msgs/action/GripperCommand') as ActionParts<GripperGoal>;
  await bridge.until(bridge.bridge.motion.init(arm, { owner: { key: 'http', name: 'a person' }, takeOver: false }));
});

const send = <Goal>({ execute }: ActionParts<Goal>, goal: Goal) =>
  bridge.until(execute({ goal, ...FROM_ROS, signal: new AbortController().signal, tell: () => {} }));
const command = (position: number[], more: object = {}): ParallelGripperGoal => ({
  command: { name: ['gripper'], position, velocity: [], effort: [], ...more },
});

test('both action types move the gripper, and tell whether it has arrived or holds something', async () => {
  expect(await send(parallel, command([1]))).toMatchObject({
    state: 'succeeded',
    result: { stalled: false, reached_goal: true, state: { name: ['gripper'] } },
  });
  await bridge.lead('arm', { gripper: 0.6 }, 0.3);
  const { state, result } = await send(plain, { command: { position: 0, max_effort: 0.3 } });
  expect(state).toBe('succeeded');
  expect(result).toMatchObject({ stalled: true, reached_goal: false, position: expect.closeTo(0.6, 1) });
  expect(Math.abs((result as { effort: number }).effort)).toBeLessThan(0.32);
});

test('a goal that is wrong, or not to be carried out now, is rejected for a reason', async () => {
  const judged = (goal: ParallelGripperGoal) => parallel.judge!(goal);
  expect(judged(command([0.5], { velocity: [0.2], effort: [0.4] }))).toBeNull();
  expect(judged(command([0.5], { velocity: [0], effort: [0] }))).toBeNull();
  expect(judged(command([]))).toMatch(/one position, of the joint gripper/);
  expect(judged(command([0.5], { name: ['elbow'] }))).toMatch(/of the joint gripper/);
  expect(judged(command([Number.NaN]))).toMatch(/position of gripper is NaN/);
  expect(judged(command([0.5], { effort: [-1] }))).toMatch(/effort of gripper is -1/);
  expect(judged(command([0.5, 0.6], { name: [] }))).toMatch(/one position, of the joint gripper/);
  expect(judged(command([0.5], { effort: [0.1, 5] }))).toMatch(/one velocity and effort at most/);
  expect(judged(command([0.5], { velocity: [Number.NaN] }))).toMatch(/velocity of gripper is NaN/);
  expect(plain.judge!({ command: { position: Number.NaN, max_effort: 0 } })).toMatch(/position of gripper is NaN/);
  expect(plain.judge!({ command: { position: 0.5, max_effort: Number.NaN } })).toMatch(/effort of gripper is NaN/);
  expect(judged(command([7]))).toMatch(/gripper of arm arm cannot go to 7 rad/);
  expect(plain.judge!({ command: { position: 7, max_effort: 0 } })).toMatch(/cannot go to 7 rad/);
  await bridge.until(bridge.arm().stop('test'));
  expect(judged(command([0.5]))).toMatch(/stopped/);
});
