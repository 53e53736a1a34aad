import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BridgeProcess, sleep } from './support/bridge.ts';
import { FaultyBridge } from './support/faulty-bridge.ts';

/** The main thread stands still for so long, s. */
const BUSY = 4;

let faulty: FaultyBridge;
let bridge: BridgeProcess;
beforeAll(async () => {
  faulty = await FaultyBridge.start(
    'main',
    `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${1000 * BUSY});`,
  );
  bridge = faulty.process;
});
afterAll(() => faulty?.end());

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
  faulty.provoke();
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
