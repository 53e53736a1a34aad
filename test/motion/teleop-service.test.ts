import { beforeEach, expect, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import { BridgeError, type Caller } from '../../src/arm/types.ts';
import type { TeleopService } from '../../src/motion/teleop-service.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const CALLER: Caller = { owner: { key: 'http', name: 'an HTTP client' }, takeOver: false };
const OTHER: Caller = { owner: { key: 'mirror', name: 'mirroring' }, takeOver: false };

let bridge: VirtualBridge;
let arm: Arm;
let service: TeleopService;
beforeEach(async () => {
  bridge = await VirtualBridge.start();
  arm = bridge.arm();
  service = bridge.bridge.teleoperation;
  await bridge.until(bridge.bridge.motion.init(arm, CALLER));
  await bridge.pass(1);
});

/** A message of a hand at a height (m), 20 ms after the last one unless told otherwise. @returns why the arm does not follow */
async function feed(
  z: number,
  { sent = null as number | null, after = 0.02, sender = 'right', caller = CALLER } = {},
): Promise<string | null> {
  await bridge.pass(after);
  const hand = { x: 0, y: 0, z, pitch: 0, yaw: 0, roll: 0 };
  try {
    return service.feed(arm, sender, { hand, open: 0, timestamp: sent }, caller);
  } catch (error) {
    if (error instanceof BridgeError) return error.message;
    throw error;
  }
}

/** Height of the tool above that of `init`, as it is asked for once the arm has caught up, m. */
async function height(z: number): Promise<number> {
  for (let k = 0; k < 40; k++) await feed(z);
  return arm.toolPose(arm.read().setpoints).position.z - bridge.bridge.motion.zero(arm).position.z;
}

test('the first message takes the arm and moves nothing; the next lead it by what the hand has moved', async () => {
  expect(await feed(1.3)).toBeNull();
  expect(arm.owner?.key).toBe('http');
  expect(await height(1.3)).toBeCloseTo(0, 3);
  expect(await height(1.32)).toBeCloseTo(0.02, 3);
});

test('after a pause it begins anew, from where the arm is asked to be and the hand is', async () => {
  await feed(1);
  const before = await height(1.03);
  await bridge.pass(0.25);
  await feed(0.4);
  expect(await height(0.4)).toBeCloseTo(before, 3);
  expect(await height(0.38)).toBeCloseTo(before - 0.02, 3);
});

test('the tool moves further or less far than the hand; a change begins anew from where both are', async () => {
  service.scaling = 0.5;
  await feed(1);
  expect(await height(1.04)).toBeCloseTo(0.02, 3);
  service.scaling = 2;
  expect(await height(1.05)).toBeCloseTo(0.02, 3);
  expect(await height(1.06)).toBeCloseTo(0.04, 3);
});

test('messages that are out of order or late are dropped, whatever the clock of the sender shows', async () => {
  await feed(1, { sent: 9000 });
  await feed(1.01, { sent: 9000.02 });
  expect(await feed(0.9, { sent: 9000.01 })).toMatch(/sent later has come before/);
  expect(await feed(0.9, { sent: 9000.02 })).toMatch(/sent later has come before/);
  // 0.15 s in a queue pass, 0.25 s do not.
  expect(await feed(1.02, { sent: 9000.05, after: 0.12 })).toBeNull();
  expect(await feed(0.9, { sent: 9000.06, after: 0.14 })).toMatch(/under way for too long/);
  // A queue that empties: the newest counts again.
  expect(await feed(1.03, { sent: 9000.36 })).toBeNull();
  // A clock that was set back is learnt anew after a while of silence.
  expect(await feed(1.03, { sent: 10, after: 0.02 })).toMatch(/dropped/);
  expect(await feed(1.03, { sent: 12, after: 2 })).toBeNull();
});

test('one hand leads at a time; when it has gone the next one may', async () => {
  await feed(1);
  expect(await feed(2, { sender: 'left' })).toBe('arm arm is led by another hand');
  service.leave('left');
  expect(arm.owner).not.toBeNull();
  service.leave('right');
  expect(arm.owner).toBeNull();
  expect(await feed(2, { sender: 'left' })).toBeNull();
});

test('an arm of somebody else is not led, and taken over when that is asked for', async () => {
  await bridge.until(arm.takeOver(OTHER));
  expect(await feed(1)).toMatch(/driven by mirroring/);
  expect(await feed(1, { caller: { ...CALLER, takeOver: true }, after: 0.6 })).toBeNull();
});

test('a hand that goes on over a stop and a reset does not lead the arm until it has paused', async () => {
  await feed(1);
  await height(1.03);
  await bridge.until(arm.stop('test'));
  expect(await feed(1)).toMatch(/stopped/);
  await bridge.until(arm.reset());
  expect(await feed(0.9)).toMatch(/pause the stream/);
  expect(await feed(0.9, { after: 0.3 })).toMatch(/pause the stream/);
  expect(await feed(0.9, { after: 0.6 })).toBeNull();
});

test('a hand that goes on through a long stop does not lead the arm by its reset alone', async () => {
  await feed(1);
  await bridge.until(arm.stop('test'));
  for (let round = 0; round < 60; round++) expect(await feed(1, { after: 0.2 })).toMatch(/stopped/);
  await bridge.until(arm.reset());
  expect(await feed(0.9, { after: 0.2 })).toMatch(/pause the stream/);
  expect(await feed(0.9, { after: 0.6 })).toBeNull();
});

test('a limp arm is not led', async () => {
  await bridge.until(bridge.bridge.torque.off(arm, true, CALLER));
  expect(await feed(1)).toBe('arm arm is connected, not ready');
});
