import { beforeEach, expect, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import type { Caller } from '../../src/arm/types.ts';
import { StreamSessions } from '../../src/http/live/stream-sessions.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const ME: Caller = { owner: { key: 'me', name: 'my program' }, takeOver: false };
const OTHER: Caller = { owner: { key: 'other', name: 'another program' }, takeOver: false };
/** Of a stream, s. */
const PERIOD = 1 / 30;

let bridge: VirtualBridge;
let arm: Arm;
let sessions: StreamSessions;
const socket = {};
beforeEach(async () => {
  bridge = await VirtualBridge.startLight();
  arm = bridge.arm();
  const { arms, jog, streams } = bridge.bridge;
  sessions = new StreamSessions(arms, jog, streams, arm.clock);
  await bridge.until(bridge.bridge.torque.on(arm, ME));
});

const send = (positions: Record<string, number>, client: object = socket, caller = ME): string | null =>
  sessions.take(client, { type: 'joints', arm: arm.id, positions }, caller);
const goal = (name: string): number =>
  arm.read().setpoints[arm.model.joints.findIndex((joint) => joint.name === name)]!;

/** Sends goals 30 times a second, each made from the time since the first, s. */
async function stream(duration: number, positions: (t: number) => Record<string, number>): Promise<string | null> {
  let answer: string | null = null;
  for (let i = 0; i * PERIOD < duration && answer === null; i++) {
    answer = send(positions(i * PERIOD));
    await bridge.pass(PERIOD);
  }
  return answer;
}

test('goals of joints are approached slowly at first, then followed, and one beyond a limit goes as far as the limit', async () => {
  const before = goal('shoulder_pan');
  expect(await stream(0.5, () => ({ shoulder_pan: before + 1 }))).toBeNull();
  // 0.6 rad/s, and some time to begin.
  expect(goal('shoulder_pan') - before).toBeGreaterThan(0.2);
  expect(goal('shoulder_pan') - before).toBeLessThan(0.31);
  expect(await stream(2.5, () => ({ shoulder_pan: before + 1 }))).toBeNull();
  expect(goal('shoulder_pan')).toBeCloseTo(before + 1, 2);
  expect(await stream(5, () => ({ shoulder_pan: 100 }))).toBeNull();
  const { upper } = arm.model.joints[0]!;
  expect(goal('shoulder_pan')).toBeCloseTo(upper, 2);
  expect(arm.read().state).toBe('moving');
});

test('goals that move are followed once the arm has caught up with them', async () => {
  const before = goal('elbow_flex');
  const swing = (t: number) => ({ elbow_flex: before - 0.2 * (1 - Math.cos(2 * t)) });
  expect(await stream(6, swing)).toBeNull();
  expect(goal('elbow_flex')).toBeCloseTo(swing(6).elbow_flex, 1);
});

test('a client that goes, and one that falls silent, leave the arm holding', async () => {
  const before = goal('shoulder_pan');
  for (const end of [() => sessions.leave(socket), () => {}]) {
    expect(await stream(1, (t) => ({ shoulder_pan: before + 0.4 * t }))).toBeNull();
    const left = goal('shoulder_pan');
    end();
    await bridge.pass(1);
    expect(arm.read().state).toBe('ready');
    expect(arm.owner).toBeNull();
    // 0.2 s at 0.4 rad/s, and a way to brake.
    expect(Math.abs(goal('shoulder_pan') - left)).toBeLessThan(0.15);
    await bridge.pass(1);
  }
});

test('goals are refused while another client leads, after a stop, and by an arm without torque', async () => {
  expect(send({ shoulder_pan: 0.1 })).toBeNull();
  expect(send({ shoulder_pan: 0.2 }, {})).toBe('arm arm is driven by another client');
  await bridge.pass(PERIOD);
  expect(sessions.take({}, { type: 'jog', arm: 0, joints: {} }, OTHER)).toMatch(/driven by another client/);
  await bridge.post('/api/v1/stop');
  expect(send({ shoulder_pan: 0.2 })).toMatch(/stopped/);
  await bridge.post('/api/v1/stop/reset');
  expect(send({ shoulder_pan: 0.2 })).toMatch(/pause the stream for 0.5 s first/);
  await bridge.pass(1);
  expect(send({ shoulder_pan: 0.2 })).toBeNull();
  sessions.leave(socket);
  await bridge.pass(0.5);
  expect((await bridge.post('/torque/toggle', { torque_status: false, force: true })).status).toBe(200);
  await bridge.pass(1);
  expect(send({ shoulder_pan: 0.2 })).toMatch(/not ready/);
});
