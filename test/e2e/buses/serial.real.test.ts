import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registersByMaker, WITNESS_PYTHON } from '../../support/witness.ts';
import { RigBridge, SerialRig } from './support/rig.ts';

const PATIENCE = { timeout: 20_000, interval: 10 };
/** Joint movement that counts as none: servo steps of 0.0015 rad, rad. */
const STILL = 0.005;

// What an arm does when its port goes is judged in virtual time (test/bridge/unplugged.test.ts); here a real one goes.
describe.skipIf(process.platform !== 'linux')('an arm at a serial port', () => {
  let rig: SerialRig;
  let bridge: RigBridge;
  beforeAll(async () => {
    rig = await SerialRig.start();
    await rig.line.unplug();
    bridge = await RigBridge.start({ arm: `serial:${rig.path}` });
  });
  afterAll(async () => {
    await bridge.close();
    await rig.close();
  });

  async function becomes(state: string): Promise<void> {
    await expect.poll(() => bridge.arm(0), PATIENCE).toMatchObject({ state });
  }

  test('that is not there yet connects when it is plugged in', async () => {
    expect(await bridge.arm(0)).toMatchObject({
      state: 'disconnected',
      reason: expect.stringContaining('there is no'),
    });
    await rig.line.plugIn();
    await becomes('connected');
  });

  test('that is unplugged says so; plugged in again, nothing moves until it is asked to', async () => {
    await expect.poll(async () => (await bridge.post('/move/init')).body.status, PATIENCE).toBe('ok');
    const before = [...rig.positions];
    const goals = rig.goals();
    await rig.line.unplug();
    await becomes('disconnected');
    expect((await bridge.arm(0)).reason).toMatch(/has gone.*check the USB cable/);
    rig.forgetWrites();
    await rig.line.plugIn();
    await becomes('ready');
    expect(rig.goals()).toEqual(goals);
    for (const servo of rig.servos) expect(servo.to('torque_enable')).toEqual([]);
    for (const [i, angle] of before.entries()) expect(Math.abs(rig.positions[i]! - angle)).toBeLessThan(STILL);
  });

  test.skipIf(!WITNESS_PYTHON)(
    'leaves its gripper the protection that another program reads over the line',
    async () => {
      await bridge.close();
      const protection = ['16:2', '48:2', '28:2', '36:1', '55:1'];
      const of = (id: number): Promise<number[]> =>
        registersByMaker('feetech', rig.path, ...protection.map((register) => `${id}:${register}`));
      expect(await of(6)).toEqual([500, 500, 250, 25, 1]);
      // The factory's, where the arm's data ask for nothing.
      expect(await of(5)).toEqual([1000, 1000, 500, 80, 1]);
    },
  );
});
