import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Bridge } from '../../src/bridge.ts';
import { DEFAULT_CONFIG_FILE, loadConfig } from '../../src/config/load.ts';
import type { SimulatedArms } from '../../src/host.ts';
import { startBridge } from '../support/compiled-bridge.ts';
import { BridgeClient, sleep } from './support/bridge.ts';

/** Longest that a servo may be silent before it is taken for dead, s. */
const SILENCE = 0.5;
/** What a person may have to wait on a loaded machine, lowering included, ms; only the outcome counts. */
const PATIENCE = { timeout: 20_000, interval: 20 };
/** A joint that the bridge lowers is so near to where it is to go, rad. */
const DOWN = 0.1;
/** Joint movement that counts as none: servo steps of 0.0015 rad, and springs that settle, rad. */
const STILL = 0.01;
const ELBOW = 3;
const ALL = [1, 2, 3, 4, 5, 6];

let bridge: Bridge;
let simulation: SimulatedArms;
const client = new BridgeClient();
beforeAll(async () => {
  const config = loadConfig(DEFAULT_CONFIG_FILE, {}, { port: 0, ros: false });
  bridge = await startBridge(config, pino({ level: 'silent' }));
  simulation = bridge.simulation!;
  client.url = `http://127.0.0.1:${bridge.address.port}`;
});
beforeEach(async () => {
  await client.post('/move/leader/stop');
  for (const name of ['leader', 'follower']) {
    await simulation.fault(name, { dead: [], loseRate: 0, corruptRate: 0 });
    await simulation.hand(name, null, 0);
  }
  await expect.poll(async () => (await client.arm(1)).state, PATIENCE).not.toBe('disconnected');
  await expect.poll(async () => (await client.arm(0)).state, PATIENCE).not.toBe('disconnected');
  expect((await client.post('/move/init?robot_id=1')).body).toMatchObject({ status: 'ok' });
});
afterAll(async () => {
  await bridge.close();
});

async function truth(name: string): Promise<number[]> {
  return (await simulation.truth(name)).positions;
}

function expectStill(before: readonly number[], after: readonly number[]): void {
  for (const [j, angle] of before.entries()) expect(Math.abs(after[j]! - angle), `joint ${j}`).toBeLessThan(STILL);
}

async function disconnected(id: number): Promise<void> {
  await expect.poll(async () => (await client.arm(id)).state, PATIENCE).toBe('disconnected');
}

async function back(id: number): Promise<void> {
  await expect.poll(async () => (await client.arm(id)).state, PATIENCE).toBe('ready');
}

describe('a servo that is silent', () => {
  test('for 0.1 s is borne: the arm holds, and a move goes on to its target', async () => {
    const before = await truth('follower');
    await simulation.fault('follower', { dead: [ELBOW] });
    await sleep(0.1);
    await simulation.fault('follower', { dead: [] });
    expect(await client.arm(1)).toMatchObject({ state: 'ready', torque: true });
    expectStill(before, await truth('follower'));

    const move = client.post('/move/absolute?robot_id=1', { x: -3, y: 8, z: 3 });
    await sleep(0.3);
    await simulation.fault('follower', { dead: [ELBOW] });
    await sleep(0.1);
    await simulation.fault('follower', { dead: [] });
    expect((await move).body).toMatchObject({ status: 'ok' });
  });

  test('for longer is dead: the others lower the arm around it and hold; the reason names servo and joint; it comes back unmoved', async () => {
    const before = await truth('follower');
    const rest = bridge.arms.all[1]!.model.poses.get('rest')!;
    await simulation.fault('follower', { dead: [ELBOW] });
    await expect
      .poll(async () => (await client.arm(1)).owner, PATIENCE)
      .toMatch(/^the protection of its servos \(servo 3 \(elbow_flex\) has not answered/);
    const refused = await client.post('/move/init?robot_id=1&take_over=true');
    expect(refused.body.detail).toMatch(/kept for the protection of its servos/);
    expect((await client.arm(1)).sample_age).toBeGreaterThan(SILENCE);
    await disconnected(1);
    const arm = await client.arm(1);
    expect(arm.reason).toMatch(/servo 3 \(elbow_flex\) has not answered.*; the other servos have lowered it and hold/);
    const lowered = await truth('follower');
    for (const [j, angle] of lowered.entries()) {
      expect(Math.abs(angle - (j === ELBOW - 1 ? before : rest)[j]!), `joint ${j}`).toBeLessThan(DOWN);
    }
    for (const [route, body] of [
      ['/end-effector/read?robot_id=1', { sync: true }],
      ['/move/absolute?robot_id=1', { x: 1 }],
      ['/move/init?robot_id=1', undefined],
      ['/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] }],
    ] as const) {
      const refused = await client.post(route, body);
      expect(refused.status).toBe(400);
      expect(refused.body.detail).toMatch(/follower is disconnected: .*servo 3 \(elbow_flex\).*Last good sample: 20/);
    }
    expect((await client.post('/move/init?robot_id=0')).body.status).toBe('ok');
    expect((await client.arm(0)).owner).toBeNull();
    expectStill(lowered, await truth('follower'));

    await simulation.fault('follower', { dead: [] });
    await back(1);
    expect(await client.arm(1)).toMatchObject({ torque: true, owner: null });
    await sleep(0.5);
    expectStill(lowered, await truth('follower'));
    expect((await client.post('/move/init?robot_id=1')).body.status).toBe('ok');
    expect((await client.arm(1)).reason).toBe('');
  });

  test('and answers again while the arm is being lowered is not sent anything before it has been asked; all hold', async () => {
    await simulation.fault('follower', { dead: [ELBOW] });
    await expect
      .poll(async () => (await client.arm(1)).owner, PATIENCE)
      .toMatch(/^the protection of its servos \(servo 3 \(elbow_flex\) has not answered/);
    await sleep(0.2);
    await simulation.fault('follower', { dead: [] });
    await expect.poll(async () => (await client.arm(1)).owner, PATIENCE).toBeNull();
    await back(1);
    await sleep(0.3);
    const held = await truth('follower');
    await sleep(0.5);
    expectStill(held, await truth('follower'));
    expect(await client.arm(1)).toMatchObject({ state: 'ready', torque: true, owner: null });
  });

  test('in an arm that a person has stopped leaves it holding where it is', async () => {
    await client.post('/stop?robot_id=1');
    const before = await truth('follower');
    await simulation.fault('follower', { dead: [ELBOW] });
    await disconnected(1);
    await sleep(0.5);
    expectStill(before, await truth('follower'));
    await simulation.fault('follower', { dead: [] });
    await expect.poll(async () => (await client.arm(1)).state, PATIENCE).toBe('stopped');
    await client.post('/stop/reset');
  });

  test('in the middle of a move ends it with the reason, and nothing resumes it', async () => {
    const move = client.post('/move/absolute?robot_id=1', { x: -5, y: 15, z: 5 });
    await sleep(0.4);
    await simulation.fault('follower', { dead: [ELBOW] });
    const { status, body } = await move;
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'error' });
    expect(body.message).toMatch(/not answered|protection/);
    await disconnected(1);
    await sleep(0.5);
    const held = await truth('follower');
    await simulation.fault('follower', { dead: [] });
    await back(1);
    await sleep(0.5);
    expectStill(held, await truth('follower'));
  });

  test('as leader makes the follower hold; the pair ends with the reason, and does not go on by itself', async () => {
    await client.post('/move/init?robot_id=0');
    await client.post('/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] });
    // Before, it would be lowered: it goes limp over 2 s.
    await expect.poll(async () => (await client.arm(0)).state, PATIENCE).toBe('connected');
    await simulation.fault('leader', { dead: [ELBOW] });
    await sleep(0.3);
    const held = await truth('follower');
    await disconnected(0);
    // The pair has ended at once; the follower is told to hold in the next cycle.
    await expect.poll(async () => (await client.arm(1)).state, PATIENCE).toBe('ready');
    const { body } = await client.get('/status');
    expect(body.mirror.reason).toMatch(/leader: the arm is disconnected .*servo 3 \(elbow_flex\)/);
    expect(body.arms[1]).toMatchObject({ state: 'ready', torque: true, owner: null });
    await simulation.fault('leader', { dead: [] });
    await expect.poll(async () => (await client.arm(0)).state, PATIENCE).not.toBe('disconnected');
    await sleep(0.3);
    expect((await client.get('/status')).body.leader_follower_status).toBe(false);
    expectStill(held, await truth('follower'));
  });
});

test('a bus on which nobody answers says so, and its arm comes back unmoved; a stop meanwhile lasts until its reset', async () => {
  const before = await truth('follower');
  await simulation.fault('follower', { dead: ALL });
  await disconnected(1);
  expect((await client.arm(1)).reason).toMatch(/no servo|no answer/);
  await client.post('/stop?robot_id=1');
  expect((await client.post('/stop/reset')).body).toMatchObject({ status: 'ok', robots: [1] });
  await simulation.fault('follower', { dead: [] });
  await back(1);
  await sleep(0.3);
  expectStill(before, await truth('follower'));
});

test('servos whose supply was off come back limp, are not switched on by themselves, and are by /move/init', async () => {
  await simulation.fault('follower', { dead: ALL, powerCycle: true });
  await disconnected(1);
  await sleep(0.5);
  const fallen = await truth('follower');
  await simulation.fault('follower', { dead: [] });
  await expect.poll(async () => (await client.arm(1)).state, PATIENCE).toBe('connected');
  await sleep(0.5);
  expect(await client.arm(1)).toMatchObject({ state: 'connected', torque: false, owner: null });
  expectStill(fallen, await truth('follower'));
  expect((await client.post('/move/init?robot_id=1')).body.status).toBe('ok');
});

test.each([
  ['lost', { loseRate: 0.01 }],
  ['corrupt', { corruptRate: 0.01 }],
])('with one reply in a hundred %s, moves reach their targets', async (_, fault) => {
  await simulation.fault('follower', fault);
  for (const target of [
    { x: 0, y: 8, z: 0 },
    { x: -6, y: -6, z: 4, rx: -15 },
    { x: 2, y: 0, z: -6 },
  ]) {
    const { body } = await client.post('/move/absolute?robot_id=1', {
      ...target,
      position_tolerance: 0.2,
      orientation_tolerance: 1,
    });
    expect(body).toMatchObject({ status: 'ok', message: null });
    expect((await client.arm(1)).state).toBe('ready');
  }
});
