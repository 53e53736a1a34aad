import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../cli/support/program.ts';
import { calibrate } from '../../support/calibration.ts';
import { BridgeProcess, sleep } from '../support/bridge.ts';

/** Where the shoulder is led, rad; how near it must come. */
const FAR = 1.5;
const NEAR = 0.05;
const TRIES = 4;
const LOOKS = 100;

// What a pause does to each part is judged in virtual time (test/bridge/attendance.test.ts); here a process really stands.
test.skipIf(process.platform !== 'linux')(
  'a bridge that is kept from running for a moment goes on with its motion; after a long pause the arm is checked anew',
  async () => {
    const served = await serve();
    onTestFinished(() => served.end());
    const config = join(served.folder, 'bridge.yaml');
    calibrate(served.folder, ['arm']);
    writeFileSync(config, `arms: [{ name: arm, bus: "${served.url}" }]\nstate_folder: ${served.folder}\n`);
    const bridge = await BridgeProcess.start('--no-ros', '--config', config);
    onTestFinished(() => bridge.endStopped());
    const pause = async (duration: number): Promise<void> => {
      bridge.child.kill('SIGSTOP');
      await sleep(duration);
      bridge.child.kill('SIGCONT');
    };
    const pan = async (): Promise<number> => (await bridge.post('/joints/read')).body.angles[0];
    const patience = { timeout: 20_000, interval: 20 };
    /** Sends the shoulder to where it is not, and waits until it is on its way. */
    const onTheWay = async (goal: number): Promise<void> => {
      await bridge.raise();
      await bridge.post('/joints/write', { angles: [goal], joints_ids: [0] });
      await expect.poll(async () => goal * (await pan()), patience).toBeGreaterThan(0.1);
    };
    const arrives = async (goal: number): Promise<boolean> => {
      await onTheWay(goal);
      const told = bridge.log.length;
      await pause(0.7);
      await sleep(0.1);
      await pause(0.4);
      for (let looks = 0; looks < LOOKS; looks++) {
        if (/disconnected|silent|not answered/.test(bridge.log.slice(told))) return false;
        if (Math.abs((await pan()) - goal) < NEAR) return true;
        await sleep(0.1);
      }
      return false;
    };
    // The servos' own program may get no turn for as long, on a busy machine: not each time.
    const tries: boolean[] = [];
    while (!tries.at(-1) && tries.length < TRIES) tries.push(await arrives(FAR));
    expect(tries.at(-1)).toBe(true);

    await onTheWay(-FAR);
    await pause(2);
    await expect.poll(() => bridge.log, patience).toMatch(/arm is disconnected/);
    await expect.poll(async () => (await bridge.arm(0)).state, patience).toBe('ready');
    const held = await pan();
    await sleep(0.5);
    expect(Math.abs((await pan()) - held)).toBeLessThan(NEAR);
    expect(held).toBeGreaterThan(-FAR + 0.2);
  },
);
