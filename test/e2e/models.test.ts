import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BridgeProcess } from './support/bridge.ts';

/** Arms besides the SO-101, each in simulation behind the bus of its own servos. */
const MODELS = ['so100', 'koch', 'wx250s'];
/** cm, from the tool's place at init: within reach of each of them. */
const TARGETS = [
  { x: 0, y: 4, z: 3 },
  { x: -3, y: -4, z: 0 },
];

let folder: string;
let bridge: BridgeProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-models-'));
  const config = join(folder, 'bridge.yaml');
  const arms = MODELS.map((model) => ({ name: model, model, bus: `sim:${model}` }));
  writeFileSync(config, JSON.stringify({ arms, pairs: [] }));
  bridge = await BridgeProcess.start('--no-ros', '--config', config);
});
afterAll(async () => {
  await bridge?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Tool position of MuJoCo's own state, cm. */
async function truth(id: number): Promise<number[]> {
  const { x, y, z } = (await bridge.get(`/sim/truth?robot_id=${id}`)).body.tool.position;
  return [x * 100, y * 100, z * 100];
}

test.each(MODELS)(
  'a simulated %s goes to init and to targets about it, opens its gripper, and draws no warning',
  async (model) => {
    const id = MODELS.indexOf(model);
    // Three simulated arms that start on a busy machine may be asked before they keep up.
    const init = async () => (await bridge.post(`/move/init?robot_id=${id}`)).body;
    await expect.poll(init, { timeout: 20_000 }).toMatchObject({ status: 'ok' });
    const zero = await truth(id);
    for (const target of TARGETS) {
      const { body } = await bridge.post(`/move/absolute?robot_id=${id}`, {
        ...target,
        open: 1,
        position_tolerance: 0.2,
      });
      expect(body).toMatchObject({ status: 'ok', message: null });
      const [x, y, z] = (await truth(id)).map((value, i) => value - zero[i]!) as [number, number, number];
      // What the tolerance leaves, here and at init, and half a step of each encoder.
      expect(Math.hypot(x - target.x, y - target.y, z - target.z)).toBeLessThan(0.5);
    }
    expect((await bridge.post(`/end-effector/read?robot_id=${id}`, {})).body.open).toBeGreaterThan(0.9);
    expect(bridge.log.split('\n').filter((line) => line.includes(`"${model}: `))).toEqual([]);
  },
);

test('all of them are lowered and limp at the end', async () => {
  const { code } = await bridge.end('SIGTERM');
  expect(code).toBe(0);
  expect(bridge.log).not.toContain('was not lowered');
});
