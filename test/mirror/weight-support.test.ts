import { expect, test } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import type { Caller } from '../../src/arm/types.ts';
import { DEFAULT_GRAVITY } from '../../src/mirror/mirroring.ts';
import { supportOf } from '../../src/mirror/weight-support.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const caller = (key: string): Caller => ({ owner: { key, name: `owner ${key}` }, takeOver: true });

test('an arm that is taken over while it is being made to float is left to whoever took it', async () => {
  const bridge = await VirtualBridge.start();
  const arm = bridge.arm();
  for (let delay = 0; delay < 0.4; delay += 0.02) {
    const start = bridge.bridge.gravity.start(arm, DEFAULT_GRAVITY, caller('http')).then(
      () => 'floats',
      (error: unknown) => error,
    );
    await bridge.pass(delay);
    const session = arm.claim(caller('page'));
    const outcome = await bridge.until(start);
    if (outcome !== 'floats') {
      expect(outcome).toMatchObject({ code: 'owned', message: 'Arm arm does not float: taken over by owner page.' });
    }
    await bridge.pass(0.1);
    expect(arm.owner?.key).toBe('page');
    expect(arm.read().state).not.toBe('floating');
    session.end();
  }
});

test('what floats goes limp, is lowered or holds at the end, as it is asked', async () => {
  const bridge = await VirtualBridge.start();
  const arm = bridge.arm();
  for (const [release, torque] of [
    ['hold', true],
    ['lower', false],
    ['now', false],
  ] as const) {
    await bridge.until(bridge.bridge.gravity.start(arm, DEFAULT_GRAVITY, caller('http')));
    expect(arm.read().state).toBe('floating');
    // Whoever has not started it cannot know whether a hand has it.
    const strange = bridge.bridge.gravity.stop(arm, { ...caller('page'), takeOver: false }, 'now');
    await expect(bridge.until(strange)).rejects.toMatchObject({
      code: 'owned',
      message: expect.stringContaining('floats for owner http'),
    });
    expect(arm.read().state).toBe('floating');
    const stopping = caller(release === 'hold' ? 'page' : 'http');
    expect(await bridge.until(bridge.bridge.gravity.stop(arm, stopping, release))).toBe(true);
    await bridge.pass(5);
    expect(arm.read().torque, release).toBe(torque);
    expect(arm.owner).toBeNull();
  }
  expect(await bridge.until(bridge.bridge.gravity.stop(arm, caller('http')))).toBe(false);
});

test.each([
  [DEFAULT_GRAVITY, [0.1, 1, 0.5, 0.1, 0.1, 0.1]],
  [{ shoulder: 30, elbow: 70, wrist: 100 }, [1, 0.3, 0.7, 1, 1, 1]],
])('%j supports the weight at each joint by its own percentage', (gravity, support) => {
  expect([...supportOf(loadArmModel('so101'), gravity)]).toEqual(support);
});
