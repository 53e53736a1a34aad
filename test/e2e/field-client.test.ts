import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { WITNESS_PYTHON, witness } from '../support/witness.ts';
import { BridgeProcess } from './support/bridge.ts';
import { HAS_PHOSPHOBOT, phosphobot } from './support/phosphobot.ts';

/** What a move may leave, and what the encoders may round, cm. */
const NEAR = 1;

let bridge: BridgeProcess;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-field-'));
  const file = join(folder, 'bridge.json');
  const arms = [{ name: 'arm', model: 'so100', bus: 'sim:so100' }];
  writeFileSync(file, JSON.stringify({ http: { dialect: 'phosphobot' }, arms, recording: { folder } }));
  bridge = await BridgeProcess.start('--no-ros', '--config', file);
});
afterAll(async () => {
  await bridge.endStopped();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(!WITNESS_PYTHON)(
  'a program written for phosphobot moves an arm, whose tool is where pinocchio finds it',
  async () => {
    const script = new URL('./support/field_client.py', import.meta.url);
    const report = await witness(script, bridge.url, loadArmModel('so100').toolLink);
    const ok = { status: 'ok', message: null };
    expect(report).toMatchObject({ status: ['so100'], relative: 'ok', write: ok, torque: ok, sleep: 'ok' });
    const { circle } = report as { circle: { status: string; position: number; read: number; open: number }[] };
    expect(circle).toHaveLength(2);
    for (const point of circle) {
      expect(point.status).toBe('ok');
      expect(point.position).toBeLessThan(NEAR);
      expect(point.read).toBeLessThan(NEAR);
      expect(point.open).toBeLessThan(0.05);
    }
  },
);

/** Where the tool really is, m: by the physics. */
async function tool(): Promise<{ x: number; y: number; z: number }> {
  return (await bridge.get('/sim/truth')).body.tool.position;
}

test('a target within the tolerance is gone to all the same', async () => {
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
  const before = await tool();
  // The tolerance of this dialect is 3 cm.
  expect((await bridge.post('/move/absolute', { x: 0, y: 1, z: 0 })).body.status).toBe('ok');
  const after = await tool();
  expect(Math.abs(after.y - before.y - 0.01)).toBeLessThan(0.004);
});

test('an init that failed is not the last: the next one goes there, and the pose reads zero', async () => {
  expect((await bridge.post('/move/absolute', { x: -4, y: 8, z: -4 })).body.status).toBe('ok');
  const failed = bridge.post('/move/init');
  await expect.poll(async () => (await bridge.arm(0)).state, { timeout: 20_000, interval: 5 }).toBe('moving');
  await bridge.post('/stop');
  expect((await failed).body.status).toBe('error');
  await bridge.post('/stop/reset');
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
  const { x, y, z } = (await bridge.post('/end-effector/read', { sync: true })).body;
  expect(Math.hypot(x, y, z)).toBeLessThan(NEAR);
});

test.skipIf(!HAS_PHOSPHOBOT)(
  'each method of phosphobot’s own client of another phosphobot does here what it does there',
  async () => {
    const report = await phosphobot(bridge.url, 'methods');
    expect(report).toMatchObject({
      config: [6, 5, [1, 2, 3, 4, 5, 6], 4096],
      observation: [7, 6],
      torque: 6,
      voltage: Array(6).fill(expect.closeTo(7.4, 0)),
      status: 'phosphobot',
      connected: false,
    });
    const { zero, absolute, relative, gripper, set, write } = report as Record<string, number[]> &
      Record<'gripper' | 'set' | 'write', number>;
    for (const value of zero!) expect(Math.abs(value)).toBeLessThan(NEAR);
    expect(Math.hypot(absolute![0]!, absolute![1]! - 3, absolute![2]! + 3)).toBeLessThan(NEAR);
    expect(relative![2]! - absolute![2]!).toBeCloseTo(1, 0);
    expect(gripper).toBeCloseTo(0.7, 1);
    expect(set).toBeCloseTo(0, 1);
    expect(write).toBeCloseTo(5, 0);
  },
);
