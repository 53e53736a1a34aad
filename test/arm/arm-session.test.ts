import { beforeEach, expect, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import { BridgeError, type Caller } from '../../src/arm/types.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const caller = (key: string, takeOver = false): Caller => ({ owner: { key, name: `owner ${key}` }, takeOver });
const A = caller('a');

let bridge: VirtualBridge;
let arm: Arm;
beforeEach(async () => {
  bridge = await VirtualBridge.start();
  arm = bridge.arm();
});

/** Joint positions of the physics, rad. */
const truth = async () => (await bridge.host.arms!.truth('arm')).positions;

/** By how far any joint of the physics has moved in a time, rad. */
async function moved(duration: number): Promise<number> {
  const before = await truth();
  await bridge.pass(duration);
  return Math.max(...(await truth()).map((angle, i) => Math.abs(angle - before[i]!)));
}

const on = () => bridge.until(bridge.bridge.torque.on(arm, A));
const toInit = () => ({ kind: 'trajectory', goal: arm.model.poses.get('init')!.slice(), speed: null }) as const;

test('a command resolves when the snapshot shows what it has done', async () => {
  const session = arm.claim(A);
  expect(await bridge.until(session.torqueOn())).toBeNull();
  expect(arm.read()).toMatchObject({ holding: true, state: 'ready' });
  await bridge.until(session.begin(toInit()));
  expect(arm.read().state).toBe('moving');
  await bridge.until(session.stop());
  expect(arm.read().state).toBe('ready');
  expect(arm.owner).toBeNull();
});

test('a stop while torque is being switched on ends that: no torque goes on after the stop has been answered', async () => {
  // At each moment of arming, cycle by cycle.
  for (let delay = 0; delay < 0.3; delay += 0.005) {
    const session = arm.claim(A);
    const arming = session.torqueOn().catch((error: unknown) => error);
    await bridge.pass(delay);
    await bridge.until(arm.stop('test'));
    const { torque } = arm.read();
    const ended = await bridge.until(arming);
    if (ended !== null) expect(ended instanceof BridgeError ? ended.code : ended).toMatch(/stopped/);
    await bridge.pass(0.3);
    if (!torque) expect(arm.read().torque, `stopped after ${delay} s`).toBe(false);
    await bridge.until(arm.reset());
    const { torque: left } = arm.read();
    await bridge.pass(0.3);
    expect(arm.read().torque, `reset after a stop after ${delay} s`).toBe(left);
    if (left) await bridge.until(bridge.bridge.torque.off(arm, true, A));
  }
});

test('what a session has asked for never acts once the session is over, though it is on its way', async () => {
  await on();
  const session = arm.claim(A);
  const driving = session.begin(toInit());
  session.end();
  await expect(bridge.until(driving)).rejects.toMatchObject({ code: 'owned' });
  expect(await moved(1)).toBeLessThan(0.01);
  expect(arm.read().state).toBe('ready');
});

test('a motion whose arm is stopped and reset while it is on its way to the control loop does not begin', async () => {
  await on();
  const session = arm.claim(A);
  const driving = session.drive(toInit());
  const stop = arm.stop('test');
  expect(await bridge.until(driving)).toBe('stopped (test)');
  await bridge.until(stop);
  await bridge.until(arm.reset());
  expect(await moved(2)).toBeLessThan(0.02);
});

test('who takes an arm over ends what drove it, and the one before is told by whom', async () => {
  await on();
  const first = arm.claim(A);
  const driving = first.drive(toInit());
  await bridge.pass(0.3);
  expect(() => arm.claim(caller('b'))).toThrow('Arm arm is driven by owner a, since ');
  const second = arm.claim(caller('b', true));
  expect(await bridge.until(driving)).toBe('taken over by owner b');
  await bridge.pass(0.5);
  expect(await moved(1)).toBeLessThan(0.01);
  expect(arm.owner?.key).toBe('b');
  second.end();
  expect(arm.owner).toBeNull();
});

test('a client that goes and a time limit each end a motion in a hold', async () => {
  await on();
  const gone = new AbortController();
  const session = arm.claim({ ...A, signal: gone.signal });
  const driving = session.drive(toInit());
  await bridge.pass(0.2);
  gone.abort();
  expect(await bridge.until(driving)).toMatch(/the client has gone/);
  session.end();
  await bridge.pass(0.5);
  const limited = arm.claim(A, { timeLimit: 0.2 });
  expect(await bridge.until(limited.drive(toInit()))).toBe('time limit of 0.2 s');
  limited.end();
  await bridge.pass(0.5);
  expect(await moved(1)).toBeLessThan(0.01);
});

test('what is asked for before an interruption, and planned while it comes, cannot take the arm', async () => {
  await on();
  const interruptions: (() => Promise<unknown>)[] = [
    async () => {
      await arm.stop('test');
      await arm.reset();
    },
    async () => {
      await bridge.bridge.motion.sleep(arm, A);
      await bridge.bridge.torque.on(arm, A);
    },
    async () => {
      bridge.host.arms!.get('arm').unplug();
      while (arm.read().state !== 'disconnected') await arm.nextCycle();
      bridge.host.arms!.get('arm').plugIn();
      while (arm.read().state === 'disconnected') await arm.nextCycle();
    },
    async () => arm.claim(caller('b', true)).end(),
  ];
  for (const interrupt of interruptions) {
    const ask = arm.ask();
    await bridge.until(interrupt());
    expect(() => arm.claim(A, { ask })).toThrow(BridgeError);
    arm.claim(A).end();
  }
});

test('of two things that are planned at once the one that was asked for last wins', () => {
  const first = arm.ask();
  const second = arm.ask();
  arm.claim(A, { ask: first }).end();
  arm.claim(A, { ask: second }).end();
  expect(() => arm.claim(A, { ask: first })).toThrow(/something newer/);
});

test('a stop that comes while an earlier one is being released is not released with it', async () => {
  await bridge.until(arm.stop('by the first'));
  const reset = arm.reset();
  const again = arm.stop('by the second');
  await expect(bridge.until(reset)).rejects.toThrow('Arm arm is stopped (by the second).');
  await bridge.until(again);
  expect(arm.latched).toBe(true);
  await bridge.until(arm.reset());
  expect(arm.read().state).toBe('connected');
});

test('a reset of an arm that is not stopped ends nothing', async () => {
  await on();
  const session = arm.claim(A);
  const driving = session.drive(toInit());
  await bridge.pass(0.2);
  await bridge.until(arm.reset());
  expect(await bridge.until(driving)).toBeNull();
  expect(session.lost).toBeNull();
});

test('whoever asks an arm for its servos while it is being asked shares the next read', async () => {
  const began = bridge.host.time.now;
  const first = await bridge.until(arm.servos.read());
  const once = bridge.host.time.now - began;
  expect(first).toHaveLength(arm.model.joints.length);
  const early = arm.servos.read();
  await bridge.pass(once / 2);
  const many = Array.from({ length: 100 }, () => arm.servos.read());
  const told = await bridge.until(Promise.all([early, ...many]));
  expect(bridge.host.time.now - began).toBeLessThan(3.5 * once);
  // What the late ones are told was read after they asked.
  expect(new Set(told).size).toBe(2);
});
