import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Bridge } from '../../src/bridge.ts';
import { DEFAULT_CONFIG_FILE, loadConfig } from '../../src/config/load.ts';
import type { SimulatedArms } from '../../src/host.ts';
import { startBridge } from '../support/compiled-bridge.ts';
import { GoalWatch } from '../support/goal-watch.ts';
import { BridgeClient } from './support/bridge.ts';

const PAIR = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };

let bridge: Bridge;
let simulation: SimulatedArms;
/** Of the follower, through each test. */
let watch: GoalWatch;
const client = new BridgeClient();
beforeAll(async () => {
  const config = loadConfig(DEFAULT_CONFIG_FILE, {}, { port: 0, ros: false });
  bridge = await startBridge(config, pino({ level: 'silent' }));
  simulation = bridge.simulation!;
  client.url = `http://127.0.0.1:${bridge.address.port}`;
  expect((await client.post('/move/init')).body.status).toBe('ok');
});
beforeEach(async () => {
  await client.post('/move/leader/stop?release=hold');
  await lead({});
  expect((await client.post('/move/leader/start', PAIR)).status).toBe(200);
  await expect.poll(async () => (await pair()).state, { timeout: 8000 }).toBe('mirroring');
  watch = new GoalWatch(bridge.arms.all[1]!);
});
afterEach(() => watch.expectSafe());
afterAll(async () => {
  await client.post('/stop');
  await bridge.close();
});

const names = (): string[] => bridge.arms.all[0]!.model.joints.map(({ name }) => name);

async function truth(name: string): Promise<number[]> {
  return (await simulation.truth(name)).positions;
}

async function lead(joints: Record<string, number>): Promise<void> {
  const pose = await truth('leader');
  const held = Object.fromEntries(names().map((name, j) => [name, pose[j]!]));
  await simulation.hand('leader', { ...held, ...joints }, 0.6);
}

async function pair(): Promise<{ state: string; reason: string }> {
  return (await client.get('/status')).body.mirror.pairs[0];
}

test('a flood of requests does not make the follower lose its leader', async () => {
  await lead({ shoulder_pan: -0.4 });
  const flood = Array.from({ length: 300 }, () => client.post('/end-effector/read?robot_id=1', { sync: false }));
  await Promise.all(flood);
  // A machine that is busy otherwise may hold a sample up, after which the follower ramps.
  expect(['ramping', 'mirroring']).toContain((await pair()).state);
  expect((await pair()).reason).toBe('');
  await expect.poll(async () => (await truth('follower'))[0]!, { timeout: 20_000 }).toBeCloseTo(-0.4, 1);
});
