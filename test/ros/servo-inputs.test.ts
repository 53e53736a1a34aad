import pino from 'pino';
import { beforeEach, expect, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import type { InputParts } from '../../src/ros/arm-inputs.ts';
import { ArmFrames } from '../../src/ros/frames.ts';
import { ArmNames } from '../../src/ros/names.ts';
import { ServoInputs } from '../../src/ros/servo-inputs.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const FORWARD = 'forward_position_controller/commands';

let bridge: VirtualBridge;
let arm: Arm;
/** Hands a message to a topic. */
let publish: (topic: string, message: object) => void;
const lines: string[] = [];
beforeEach(async () => {
  bridge = await VirtualBridge.start();
  arm = bridge.arm();
  lines.length = 0;
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const { streams: joints, jog: jogging, trajectories } = bridge.bridge;
  const names = new ArmNames(arm, null);
  const frames = new ArmFrames(arm, names, { xyz: [0, 0, 0], rpy: [0, 0, 0] });
  const topics = new Map<string, (...args: unknown[]) => void>();
  publish = (topic, message) => topics.get(topic)!(message, { publisherGid: new Uint8Array(16) });
  // The edge to rclnodejs: what it would call back with.
  const node = {
    now: () => ({ nanoseconds: BigInt(Math.round(bridge.host.clock.wall() * 1e9)) }),
    getPublishersInfoByTopic: () => [],
    createSubscription: (_type: string, topic: string, _options: object, take: (...args: unknown[]) => void) =>
      topics.set(topic, take),
  };
  const about = { node, nodeName: '/arm/arm_bridge', namespace: '/arm', arm, names, frames, log, oldest: 0.5 };
  const parts = { ...about, joints, jogging, trajectories, qualities: { stream: {} } };
  new ServoInputs(parts as unknown as InputParts).accept();
  await bridge.until(bridge.bridge.motion.init(arm, { owner: { key: 'http', name: 'a person' }, takeOver: false }));
});

test('positions without that of the gripper drive the arm alone; as many as fit neither are refused', async () => {
  const { positions } = arm.read();
  const [pan, ...rest] = positions;
  for (let i = 0; i < 60; i++) {
    publish(FORWARD, { data: Float64Array.of(pan! + 0.2, ...rest.slice(0, -1)) });
    await bridge.pass(0.02);
  }
  expect(arm.ownerOf('arm')?.name).toBe(`the ROS topic /arm/${FORWARD}`);
  expect(arm.ownerOf('gripper')).toBeNull();
  expect(arm.read().positions[0]).toBeCloseTo(pan! + 0.2, 1);
  publish(FORWARD, { data: Float64Array.of(0, 0, 0) });
  expect(lines.at(-1)).toMatch(/refused: it has 3 positions; arm arm has 6 joints, the gripper may be left out/);
  publish(FORWARD, { data: Float64Array.of(0, 0, 0, 0, Number.NaN) });
  expect(lines.at(-1)).toMatch(/position of wrist_roll is NaN/);
});

test('a stream of poses leaves the gripper to whoever closes it', async () => {
  const { trajectories } = bridge.bridge;
  const gripper = { owner: { key: 'ros:gripper', name: 'the gripper controller' }, takeOver: false };
  const closing = trajectories.gripper(arm, { position: 0.9, velocity: 0.5, torque: null }, 0.03, gripper);
  await bridge.pass(0.1);
  const { position, orientation } = arm.toolPose(arm.read().positions);
  const header = { stamp: { sec: 0, nanosec: 0 }, frame_id: '' };
  publish('~/pose_target', { header, pose: { position: { ...position, z: position.z - 0.01 }, orientation } });
  await bridge.becomes(() => expect(arm.ownerOf('arm')?.name).toBe('the ROS topic /arm/arm_bridge/pose_target'));
  expect(arm.ownerOf('gripper')?.name).toBe('the gripper controller');
  expect(await bridge.until(closing)).toMatchObject({ reached: true, message: '' });
  expect(lines).toEqual([]);
});
