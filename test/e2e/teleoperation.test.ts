import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Bridge } from '../../src/bridge.ts';
import { DEFAULT_CONFIG_FILE, loadConfig } from '../../src/config/load.ts';
import type { SimulatedArms } from '../../src/host.ts';
import { startBridge } from '../support/compiled-bridge.ts';
import { BridgeClient, sleep } from './support/bridge.ts';
import { GoalWatch } from './support/goal-watch.ts';

const PAIR = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
/** Joints that are where they should be: droop that the model does not know, friction and backlash of control, rad. */
const NEAR = 0.03;

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
  await client.post('/move/leader/stop?release=hold');
  await client.post('/gravity/stop?robot_id=0&release=hold');
  for (const name of ['leader', 'follower']) await simulation.fault(name, { dead: [] });
  await simulation.hand('leader', null, 0);
});
afterAll(async () => {
  await bridge.close();
});

async function truth(name: string): Promise<number[]> {
  return (await simulation.truth(name)).positions;
}

function furthest(a: readonly number[], b: readonly number[]): number {
  return Math.max(...a.map((angle, j) => Math.abs(angle - b[j]!)));
}

describe('a start with leader and follower apart', () => {
  test('is refused where that is asked for, naming joint and difference, and nothing moves or changes its owner', async () => {
    expect((await client.post('/move/init?robot_id=1')).body.status).toBe('ok');
    const before = [await truth('leader'), await truth('follower')];
    const refused = await client.post('/move/leader/start', { ...PAIR, on_mismatch: 'refuse', mismatch_threshold: 20 });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toMatch(
      /leader to follower.*wrist_flex of the follower is \d+ degrees away.*20 allowed/,
    );
    expect(await client.arm(1)).toMatchObject({ state: 'ready', owner: null });
    expect(furthest(await truth('leader'), before[0]!)).toBeLessThan(0.01);
    expect(furthest(await truth('follower'), before[1]!)).toBeLessThan(0.01);
  });

  test('drives the leader to its follower where that is asked for, which does not move when the hand takes over', async () => {
    const held = await truth('follower');
    expect((await client.post('/move/leader/start', { ...PAIR, align: 'leader', on_mismatch: 'refuse' })).status).toBe(
      200,
    );
    expect(furthest(await truth('leader'), held)).toBeLessThan(NEAR);
    // The hand takes it while it goes limp.
    const names = bridge.arms.all[0]!.model.joints.map(({ name }) => name);
    await simulation.hand('leader', Object.fromEntries(names.map((name, j) => [name, held[j]!])), 0.5);
    await expect.poll(async () => (await client.arm(0)).state, { timeout: 20_000 }).toBe('connected');
    expect(furthest(await truth('follower'), held)).toBeLessThan(2 * NEAR);
    expect((await client.get('/status')).body.mirror.pairs[0]).toMatchObject({ state: 'mirroring', reason: '' });
    await client.post('/move/leader/stop');
    expect(await client.arm(0)).toMatchObject({ state: 'connected', owner: null });
  });
});

describe('while it runs', () => {
  /** Of an SO-101's joints, and the part of it with which a follower goes on pressing on what holds it back, Nm. */
  const TORQUE_LIMIT = 2.94;
  const YIELDS_TO = 0.4 * TORQUE_LIMIT;
  const ELBOW = 2;
  const names = (): string[] => bridge.arms.all[0]!.model.joints.map(({ name }) => name);

  async function lead(joints: Record<string, number>): Promise<void> {
    const pose = await truth('leader');
    await simulation.hand(
      'leader',
      { ...Object.fromEntries(names().map((name, j) => [name, pose[j]!])), ...joints },
      0.6,
    );
  }

  /** Of the follower, through each test. */
  let watch: GoalWatch;

  async function pair(): Promise<{ state: string; reason: string }> {
    return (await client.get('/status')).body.mirror.pairs[0];
  }

  beforeAll(async () => {
    await client.post('/move/leader/stop?release=hold');
    expect((await client.post('/move/init?robot_id=1')).body.status).toBe('ok');
    expect((await client.post('/move/init?robot_id=0')).body.status).toBe('ok');
  });

  beforeEach(async () => {
    await lead({});
    expect((await client.post('/move/leader/start', PAIR)).status).toBe(200);
    await expect.poll(async () => (await pair()).state, { timeout: 8000 }).toBe('mirroring');
    watch = new GoalWatch(bridge.arms.all[1]!);
  });

  afterEach(() => watch.expectSafe());

  test('a follower that something holds back yields, says so, is not overloaded, and goes on when it is free', async () => {
    const held = (await truth('follower'))[ELBOW]!;
    await simulation.hand('follower', { elbow_flex: held }, 0.3);
    await lead({ elbow_flex: held + 0.8 });
    await expect
      .poll(async () => (await pair()).reason, { timeout: 6000 })
      .toMatch(/something holds elbow_flex of follower/);
    await expect
      .poll(async () => Math.abs((await simulation.truth('follower')).motorTorques[ELBOW]!), { timeout: 20_000 })
      .toBeLessThan(YIELDS_TO + 0.15);
    expect((await client.arm(1)).servos.every((servo: { alarms: number }) => servo.alarms === 0)).toBe(true);
    await simulation.hand('follower', null, 0);
    await expect.poll(async () => (await pair()).reason, { timeout: 6000 }).toBe('');
    await expect.poll(async () => (await truth('follower'))[ELBOW]! - held, { timeout: 6000 }).toBeGreaterThan(0.7);
  });

  test('a start of a pair that runs is refused and changes nothing; a second stop says that nothing runs', async () => {
    const refused = await client.post('/move/leader/start', PAIR);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toMatch(/already running/);
    expect((await pair()).state).toBe('mirroring');
    const before = await truth('follower');
    const stops = await Promise.all([client.post('/move/leader/stop'), client.post('/move/leader/stop')]);
    expect(stops.map(({ body }) => body.status).sort()).toEqual(['error', 'ok']);
    expect((await client.post('/move/leader/stop')).body.message).toMatch(/not running/);
    expect(furthest(await truth('follower'), before)).toBeLessThan(NEAR);
    expect(await client.arm(1)).toMatchObject({ state: 'ready', torque: true, owner: null });
  });

  test('a main thread that is blocked for 2 s stops nothing: the follower goes on following', async () => {
    const target = (await truth('leader')).map((angle, j) => angle + (j === 0 ? 0.5 : 0));
    await simulation.hand('leader', Object.fromEntries(names().map((name, j) => [name, target[j]!])), 1);
    const until = performance.now() + 2000;
    while (performance.now() < until);
    // It has arrived meanwhile, not afterwards.
    expect(furthest(await truth('follower'), target)).toBeLessThan(2 * NEAR);
    expect(await pair()).toMatchObject({ state: 'mirroring', reason: '' });
  });

  test.each(['leader', 'follower'])(
    'a bus of the %s that is cut ends the pair, which says so; the other arm does not move, and nothing resumes',
    async (cut) => {
      const follower = await truth('follower');
      await simulation.fault(cut, { dead: [1, 2, 3, 4, 5, 6] });
      await expect
        .poll(async () => (await client.get('/status')).body.mirror.reason, { timeout: 20_000 })
        .toMatch(
          new RegExp(`arm ${cut}: (the arm is disconnected .*no servo has answered|its servos have not answered)`),
        );
      await simulation.fault(cut, { dead: [] });
      const id = cut === 'leader' ? 0 : 1;
      await expect.poll(async () => (await client.arm(id)).state, { timeout: 8000 }).not.toBe('disconnected');
      await lead({ shoulder_pan: 0.4 });
      await sleep(0.8);
      expect((await client.get('/status')).body.leader_follower_status).toBe(false);
      expect(furthest(await truth('follower'), follower)).toBeLessThan(NEAR);
      expect(await client.arm(1)).toMatchObject({ state: 'ready', torque: true, owner: null });
      await lead({ shoulder_pan: follower[0]! });
      await sleep(0.8);
    },
  );

  test('a flood of requests does not make the follower lose its leader', async () => {
    await lead({ shoulder_pan: -0.4 });
    const flood = Array.from({ length: 300 }, () => client.post('/end-effector/read?robot_id=1', { sync: false }));
    await Promise.all(flood);
    expect(await pair()).toMatchObject({ state: 'mirroring', reason: '' });
    await expect.poll(async () => (await truth('follower'))[0]!, { timeout: 20_000 }).toBeCloseTo(-0.4, 1);
  });

  test('a start during a move of the same client ends the move, which says so, and nothing jumps', async () => {
    await client.post('/move/leader/stop?release=hold');
    const move = client.post('/move/absolute?robot_id=1', { x: -4, y: 10, z: 4 });
    await sleep(0.3);
    const refused = await client.post('/move/leader/start', PAIR);
    expect(refused.status).toBe(409);
    expect((await client.post('/move/leader/start?take_over=true', PAIR)).status).toBe(200);
    expect((await move).body).toMatchObject({ status: 'error' });
    expect((await move).body.message).toMatch(/taken over by leader-follower control/);
    expect(['ramping', 'mirroring']).toContain((await pair()).state);
  });
});

describe('an arm that floats', () => {
  const full = { gravity_compensation_values: { shoulder: 100, elbow: 100, wrist: 100 } };

  test('stays where it is, belongs to gravity compensation, and holds without a jump when it is stopped', async () => {
    expect((await client.post('/move/init?robot_id=0')).body.status).toBe('ok');
    const before = await truth('leader');
    expect((await client.post('/gravity/start?robot_id=0', full)).body.status).toBe('ok');
    expect(await client.arm(0)).toMatchObject({ state: 'floating', owner: 'gravity compensation' });
    expect((await client.post('/move/init?robot_id=0')).status).toBe(409);
    await sleep(2);
    expect(furthest(await truth('leader'), before)).toBeLessThan(NEAR);
    const floated = await truth('leader');
    expect((await client.post('/gravity/stop?robot_id=0')).body).toMatchObject({ status: 'ok' });
    expect(await client.arm(0)).toMatchObject({ state: 'ready', torque: true, owner: null });
    await sleep(0.5);
    expect(furthest(await truth('leader'), floated)).toBeLessThan(0.01);
    expect((await client.post('/gravity/stop?robot_id=0')).body).toMatchObject({ status: 'error' });
  });

  test('as leader holds at the stop, is lowered to its rest pose and released; the follower holds', async () => {
    expect((await client.post('/move/init?robot_id=0')).body.status).toBe('ok');
    expect((await client.post('/move/init?robot_id=1')).body.status).toBe('ok');
    const start = { ...PAIR, enable_gravity_compensation: true, ...full };
    expect((await client.post('/move/leader/start', start)).status).toBe(200);
    const held = await truth('follower');
    expect((await client.post('/move/leader/stop')).body.status).toBe('ok');
    await expect.poll(async () => (await client.arm(0)).state, { timeout: 15_000, interval: 100 }).toBe('connected');
    const rest = [...bridge.arms.all[0]!.model.poses.get('rest')!];
    expect(furthest((await truth('leader')).slice(0, 4), rest.slice(0, 4))).toBeLessThan(0.2);
    expect(await client.arm(1)).toMatchObject({ state: 'ready', torque: true, owner: null });
    expect(furthest(await truth('follower'), held)).toBeLessThan(2 * NEAR);
  });
});
