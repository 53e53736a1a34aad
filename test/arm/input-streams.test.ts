import { beforeEach, expect, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import type { Caller } from '../../src/arm/types.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const caller = (key: string, takeOver = false): Caller => ({ owner: { key, name: `owner ${key}` }, takeOver });
/** Of a stream, s. */
const PERIOD = 0.02;

let bridge: VirtualBridge;
let arm: Arm;
beforeEach(async () => {
  bridge = await VirtualBridge.start();
  arm = bridge.arm();
  await bridge.until(bridge.bridge.torque.on(arm, caller('somebody')));
});

/** A message that lets the base of the arm turn. */
function jog(by: Caller, speed = 0.3): string | null {
  const velocities = Float64Array.from(arm.model.joints, (_, i) => (i === 0 ? speed : 0));
  return bridge.bridge.jog.feed(arm, { kind: 'joints', velocities }, by)?.message ?? null;
}

/** A message that asks for a position of the base, rad. */
function ask(position: number): string | null {
  const names = ['shoulder_pan'];
  return bridge.bridge.streams.command(arm, names, Float64Array.of(position), caller('topic'))?.message ?? null;
}

/** Sends for a while. @returns what the last message was answered */
async function stream(send: () => string | null, duration: number): Promise<string | null> {
  let answer = send();
  for (let passed = 0; passed < duration; passed += PERIOD) {
    await bridge.pass(PERIOD);
    answer = send();
  }
  return answer;
}

const pan = () => arm.read().positions[0]!;

test('the first message takes a ready arm, the next ones keep it, half a second of silence gives it back', async () => {
  expect(jog(caller('a'))).toBeNull();
  expect(arm.owner?.key).toBe('a');
  expect(await stream(() => jog(caller('a')), 1)).toBeNull();
  expect(pan()).toBeGreaterThan(0.2);
  expect(arm.read().state).toBe('moving');
  await bridge.pass(0.7);
  expect(arm.owner).toBeNull();
  expect(arm.read().state).toBe('ready');
});

test('speeds of zero take no arm, keep the one that is driven, and are the pause after which a stick drives again', async () => {
  expect(await stream(() => jog(caller('a'), 0), 0.4)).toBeNull();
  expect(arm.owner).toBeNull();
  expect(await stream(() => jog(caller('a')), 0.4)).toBeNull();
  expect(await stream(() => jog(caller('a'), 0), 1)).toBeNull();
  expect(arm.owner?.key).toBe('a');
  const rest = pan();
  await bridge.post('/stop');
  await bridge.post('/stop/reset');
  expect(jog(caller('a'))).toMatch(/pause the stream/);
  expect(await stream(() => jog(caller('a'), 0), 0.6)).toBeNull();
  expect(arm.owner).toBeNull();
  expect(Math.abs(pan() - rest)).toBeLessThan(0.005);
  expect(jog(caller('a'))).toBeNull();
});

test('another owner is refused with the name of the present one, or takes the arm over, which the first then loses', async () => {
  jog(caller('a'));
  await bridge.pass(PERIOD);
  expect(jog(caller('b'))).toMatch(/^Arm arm is driven by owner a, since [\d:]+ UTC\.$/);
  await bridge.pass(0.51);
  expect(jog(caller('b', true))).toBeNull();
  expect(arm.owner?.key).toBe('b');
  expect(jog(caller('a'))).toMatch(/^Arm arm is driven by owner b, /);
});

test('a limp arm is refused with what to do, and takes up the stream after a pause alone', async () => {
  await bridge.until(bridge.bridge.torque.off(arm, true, caller('somebody')));
  const refused = bridge.bridge.jog.feed(
    arm,
    { kind: 'joints', velocities: new Float64Array(arm.model.joints.length).fill(0.1) },
    caller('a'),
  );
  expect(refused).toMatchObject({ message: 'arm arm is connected, not ready', remedy: 'torque_on' });
  // A stream that goes on is not what switches the arm on, nor what then drives it.
  const on = bridge.bridge.torque.on(arm, caller('somebody'));
  await stream(() => jog(caller('a')), 0.4);
  await bridge.until(on);
  expect(await stream(() => jog(caller('a')), 1)).toMatch(/pause the stream for 0.5 s first/);
  await bridge.pass(0.51);
  expect(jog(caller('a'))).toBeNull();
});

test('messages that are refused are one event with a count, and those of an HTTP request are left to its answer', async () => {
  const motions = async () => (await bridge.ask('GET', '/api/v1/events?act=motion&limit=9')).body.events;
  await bridge.until(arm.stop('test'));
  const before = (await motions()).length;
  await stream(() => ask(0.3), 1);
  const page = { who: 'a page', from: 'this computer', what: 'WebSocket /api/v1/live', request: 'mbqk2f1c-1z' };
  jog({ ...caller('http:page'), origin: page });
  const events = await motions();
  expect(events).toHaveLength(before + 1);
  expect(events[0]).toMatchObject({ who: 'owner topic', outcome: 'refused', message: 'arm arm is stopped, not ready' });
  expect(events[0].count).toBeGreaterThan(40);
});

test('the bridge takes no more messages once it ends', () => {
  bridge.bridge.jog.close();
  expect(jog(caller('a'))).toBe('the bridge is ending');
});

test('its owner ends it at once and may begin another; nobody else does', async () => {
  jog(caller('a'));
  await bridge.pass(PERIOD);
  await bridge.until(bridge.bridge.jog.stop(arm, caller('b')));
  expect(arm.owner?.key).toBe('a');
  await bridge.until(bridge.bridge.jog.stop(arm, caller('a')));
  expect(arm.owner).toBeNull();
  expect(jog(caller('a'))).toBeNull();
});

test('a stream that goes on over a stop and a reset does not move the arm until it has paused', async () => {
  await stream(() => ask(0.3), 1.5);
  const before = pan();
  await bridge.until(arm.stop('test'));
  expect(await stream(() => ask(-0.9), 1)).toBe('arm arm is stopped, not ready');
  const reset = arm.reset();
  await stream(() => ask(-0.9), 0.1);
  await bridge.until(reset);
  expect(await stream(() => ask(-0.9), 2)).toMatch(/pause the stream/);
  expect(Math.abs(pan() - before)).toBeLessThan(0.05);
  await bridge.pass(0.51);
  expect(await stream(() => ask(-0.2), 2)).toBeNull();
  expect(pan()).toBeCloseTo(-0.2, 1);
});

test('a pause that is shorter does not count, nor one that was before the reset', async () => {
  await stream(() => ask(0.3), 1);
  await bridge.until(arm.stop('test'));
  await bridge.pass(1);
  await bridge.until(arm.reset());
  await bridge.pass(0.3);
  expect(ask(-0.9)).toMatch(/pause the stream/);
  await bridge.pass(0.3);
  expect(ask(-0.9)).toMatch(/pause the stream/);
  await bridge.pass(0.6);
  expect(ask(0.2)).toBeNull();
});

test('a stream that has lost its arm to a move does not take it back when the move is over', async () => {
  await stream(() => ask(0.3), 1);
  const move = bridge.bridge.motion.init(arm, caller('mover', true));
  await stream(() => ask(0.9), 4);
  expect((await bridge.until(move)).ok).toBe(true);
  expect(await stream(() => ask(0.9), 1)).toMatch(/pause the stream/);
  expect(Math.abs(pan())).toBeLessThan(0.05);
});

test('a stream that nobody has heard of takes the arm right after a reset: it is asked for anew', async () => {
  await bridge.until(arm.stop('test'));
  await bridge.until(arm.reset());
  expect(ask(0.1)).toBeNull();
});

test('a stream that begins right after torque on takes the arm, also one that has driven it before torque went off', async () => {
  expect(jog(caller('a'))).toBeNull();
  for (const next of ['a', 'b']) {
    await bridge.pass(0.51);
    await bridge.until(bridge.bridge.torque.off(arm, true, caller('somebody', true)));
    await bridge.until(bridge.bridge.torque.on(arm, caller('somebody')));
    expect(jog(caller(next))).toBeNull();
  }
});
