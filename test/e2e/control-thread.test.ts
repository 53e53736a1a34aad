import { afterAll, beforeAll, expect, test } from 'vitest';
import { furthest } from '../support/poses.ts';
import { type BridgeProcess, sleep } from './support/bridge.ts';
import { FaultyBridge } from './support/faulty-bridge.ts';

let faulty: FaultyBridge;
let bridge: BridgeProcess;
beforeAll(async () => {
  faulty = await FaultyBridge.start('control', "throw new Error('a fault of the test');");
  bridge = faulty.process;
});
afterAll(() => faulty?.end());

async function truth(id: number): Promise<number[]> {
  return Object.values((await bridge.get(`/sim/truth?robot_id=${id}`)).body.joints);
}

async function crash(times: number): Promise<void> {
  faulty.provoke();
  const told = (): number => bridge.log.split('the control thread has failed; servos hold').length - 1;
  await expect.poll(told, { timeout: 10_000 }).toBe(times);
  for (const id of [0, 1]) {
    await expect.poll(async () => (await bridge.arm(id)).state, { timeout: 10_000 }).toBe('ready');
  }
}

test('a control thread that fails while mirroring is started again, late too: owners are told, arms hold unmoved and can be driven', async () => {
  expect((await bridge.post('/move/init')).body).toMatchObject({ status: 'ok' });
  const start = {
    robot_pairs: [{ leader_id: 0, follower_id: 1 }],
    enable_gravity_compensation: true,
    gravity_compensation_values: { shoulder: 100, elbow: 100, wrist: 100 },
  };
  expect((await bridge.post('/move/leader/start', start)).status).toBe(200);
  await sleep(0.5);
  const before = [await truth(0), await truth(1)];
  faulty.delay();
  await crash(1);
  const { body } = await bridge.get('/status');
  expect(body.leader_follower_status).toBe(false);
  expect(body.mirror.reason).toMatch(/disconnected \(the control thread has failed \(a fault of the test\)/);
  for (const id of [0, 1]) {
    expect(await bridge.arm(id)).toMatchObject({ state: 'ready', torque: true, owner: null });
    expect(furthest(await truth(id), before[id]!)).toBeLessThan(0.05);
  }
  // The leader's servos get their own gains back meanwhile.
  await sleep(0.5);
  expect(furthest(await truth(0), before[0]!)).toBeLessThan(0.05);
  expect((await bridge.post('/move/init')).body).toMatchObject({ status: 'ok' });
});

test('a stop outlasts the control thread that was told of it', async () => {
  await bridge.post('/stop?robot_id=1');
  faulty.provoke();
  await expect
    .poll(() => bridge.log.split('the control thread has failed; servos hold').length - 1, { timeout: 10_000 })
    .toBe(2);
  await expect.poll(async () => (await bridge.arm(1)).state, { timeout: 10_000 }).toBe('stopped');
  expect((await bridge.post('/move/init?robot_id=1')).status).not.toBe(200);
  expect((await bridge.post('/stop/reset')).body.status).toBe('ok');
});
