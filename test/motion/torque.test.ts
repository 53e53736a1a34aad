import { describe, expect, test } from 'vitest';
import type { Caller } from '../../src/arm/types.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const caller = (key: string, takeOver = false): Caller => ({ owner: { key, name: `owner ${key}` }, takeOver });
const A = caller('a');
const B = caller('b');

/** Lets a torque command end, and says what came of it. */
const outcome = (bridge: VirtualBridge, command: Promise<unknown>): Promise<unknown> =>
  bridge.until(
    command.then(
      () => 'ok',
      (error: unknown) => error,
    ),
  );

describe('torque on for an arm that is being let go', () => {
  /** An arm that fades out as a leader does that a hand is to take, or is lowered. */
  async function lettingGo(how: 'fade' | 'lower', passed: number): Promise<VirtualBridge> {
    const bridge = await VirtualBridge.startLight();
    const arm = bridge.arm();
    await bridge.until(bridge.bridge.motion.init(arm, A));
    if (how === 'lower') void bridge.bridge.torque.off(arm, false, A).catch(() => {});
    else {
      const support = new Float64Array(arm.model.joints.length).fill(1);
      await bridge.until(arm.claim(A).begin({ kind: 'float', support, fade: 1, gains: null }));
    }
    await bridge.pass(passed);
    return bridge;
  }

  test.each(['fade', 'lower'] as const)('by a %s: it holds afterwards, or the answer is an error', async (how) => {
    for (const passed of [0.3, 0.98, 0.995, 1.005, 2]) {
      const bridge = await lettingGo(how, passed);
      const answer = await outcome(bridge, bridge.bridge.torque.on(bridge.arm(), A));
      await bridge.pass(4);
      const { holding } = bridge.arm().read();
      if (answer === 'ok') expect(holding, `${how}, after ${passed} s`).toBe(true);
      else expect(answer).toMatchObject({ message: expect.stringContaining('its torque is going off') });
    }
  });

  test('is refused to somebody else, who may take it over', async () => {
    const bridge = await lettingGo('fade', 0.3);
    expect(await outcome(bridge, bridge.bridge.torque.on(bridge.arm(), B))).toMatchObject({ code: 'owned' });
    expect(await outcome(bridge, bridge.bridge.torque.on(bridge.arm(), caller('b', true)))).toBe('ok');
    await bridge.pass(2);
    expect(bridge.arm().read().holding).toBe(true);
  });
});

test('torque off for an arm whose torque is being switched on leaves it limp', async () => {
  const bridge = await VirtualBridge.startLight();
  const arm = bridge.arm();
  for (let passed = 0; passed < 0.2; passed += 0.01) {
    const on = bridge.bridge.torque.on(arm, A).catch(() => {});
    await bridge.pass(passed);
    expect(await outcome(bridge, bridge.bridge.torque.off(arm, true, A)), `after ${passed} s`).toBe('ok');
    await bridge.until(on);
    await bridge.pass(0.5);
    expect(arm.read().torque, `after ${passed} s`).toBe(false);
  }
});

test('torque on leaves alone what is driven and what somebody keeps', async () => {
  const bridge = await VirtualBridge.startLight();
  const arm = bridge.arm();
  const moving = bridge.bridge.motion.init(arm, A);
  await bridge.becomes(() => expect(arm.read().state).toBe('moving'));
  expect(await outcome(bridge, bridge.bridge.torque.on(arm, B))).toBe('ok');
  expect(await bridge.until(moving)).toMatchObject({ ok: true });
});

test('torque on that waits for its servos is over when its arm is asked to go limp, or is stopped, meanwhile', async () => {
  const bridge = await VirtualBridge.startLight();
  const arm = bridge.arm();
  await bridge.until(bridge.bridge.torque.on(arm, A));
  const stale = outcome(bridge, bridge.bridge.torque.on(arm, A));
  const off = bridge.bridge.torque.off(arm, true, A);
  expect(await stale).toBeInstanceOf(Error);
  await bridge.until(off);
  await bridge.pass(0.5);
  expect(arm.read().torque).toBe(false);

  await bridge.until(bridge.bridge.torque.on(arm, A));
  const late = outcome(bridge, bridge.bridge.torque.on(arm, A));
  void bridge.post('/stop');
  expect(await late).toMatchObject({ code: 'stopped' });
});
