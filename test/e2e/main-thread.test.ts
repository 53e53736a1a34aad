import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BridgeProcess, sleep } from './support/bridge.ts';

/** The main thread stands still for so long, s. */
const BUSY = 4;
/** Makes the main thread stand still when a file appears, as work that nobody has thought of would. */
const FAULT =
  'data:text/javascript,' +
  encodeURIComponent(
    "import { existsSync, rmSync } from 'node:fs';" +
      "import { isMainThread } from 'node:worker_threads';" +
      'const file = process.env.ARM_BRIDGE_TEST_FAULT;' +
      'const word = new Int32Array(new SharedArrayBuffer(4));' +
      `const look = () => { if (existsSync(file)) { rmSync(file); Atomics.wait(word, 0, 0, ${1000 * BUSY}); } };` +
      'if (isMainThread) setInterval(look, 10).unref();',
  );

let folder: string;
let fault: string;
let bridge: BridgeProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-main-'));
  fault = join(folder, 'fault');
  bridge = await BridgeProcess.startWith(
    { NODE_OPTIONS: `--import ${FAULT}`, ARM_BRIDGE_TEST_FAULT: fault, XDG_STATE_HOME: folder },
    '--no-ros',
  );
});
afterAll(async () => {
  await bridge?.endStopped();
  rmSync(folder, { recursive: true, force: true });
});

async function pan(id: number): Promise<number> {
  return (await bridge.get(`/sim/truth?robot_id=${id}`)).body.joints.shoulder_pan;
}

test('a follower does not go on with its leader while the main thread stands still, nor afterwards', async () => {
  expect((await bridge.post('/move/init?robot_id=1')).body).toMatchObject({ status: 'ok' });
  const start = { robot_pairs: [{ leader_id: 0, follower_id: 1 }], enable_gravity_compensation: false };
  expect((await bridge.post('/move/leader/start', start)).status).toBe(200);
  const following = async (): Promise<string> => (await bridge.get('/status')).body.mirror.pairs[0].state;
  await expect.poll(following, { timeout: 20_000 }).toBe('mirroring');
  // 0.15 rad/s
  await bridge.post('/sim/hand?robot_id=0', { joints: { shoulder_pan: 1.2 }, duration: 8 });
  await expect.poll(() => pan(1), { timeout: 10_000 }).toBeGreaterThan(0.05);
  writeFileSync(fault, '');
  await sleep(0.1);
  // Answered when the main thread runs again.
  const follower = await pan(1);
  expect((await pan(0)) - follower).toBeGreaterThan(0.2);
  const { body } = await bridge.get('/status');
  expect(body.leader_follower_status).toBe(false);
  expect(body.mirror.reason).toMatch(/would have heard no stop: every arm was made to hold, until it is asked again/);
  expect(body.arms[1]).toMatchObject({ state: 'ready', owner: null, reason: expect.stringMatching(/heard no stop/) });
  await expect
    .poll(() => bridge.log)
    .toMatch(/the main thread did not run for 4\.\d s and would have heard no stop: follower had to brake/);
  await sleep(1);
  expect(Math.abs((await pan(1)) - follower)).toBeLessThan(0.02);
  expect((await bridge.post('/move/init?robot_id=1')).body).toMatchObject({ status: 'ok' });
});
