import { expect, test } from 'vitest';
import { assault } from '../../bench/assault.ts';
import { BridgeProcess } from './support/bridge.ts';

const SEED = 20260101;
const ATTACKS = 1500;

test('requests that nobody should send are refused or bounded: no fault of the bridge, no motion outside limits', async () => {
  const bridge = await BridgeProcess.start('--no-ros');
  try {
    await bridge.post('/move/init');
    const { sent, answers, failures, faults, watched } = await assault(bridge.url, SEED, 0, ATTACKS);
    expect(failures).toEqual([]);
    expect(faults).toEqual([]);
    expect(watched).toBeGreaterThan(0);
    expect(Object.keys(sent)).toHaveLength(10);
    // Not 409: whether an attack finds an arm that another one has stopped depends on how fast both are.
    for (const status of [101, 200, 400, 403, 404, 405, 413, 422, 431]) expect([...answers.keys()]).toContain(status);
    await bridge.post('/stop/reset');
    for (const id of [0, 1]) {
      await expect
        .poll(async () => (await bridge.arm(id)).state, { timeout: 20_000 })
        .not.toMatch(/disconnected|stopped/);
    }
    expect(bridge.child.exitCode).toBeNull();
    expect(bridge.log.split('\n').filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
  } finally {
    await bridge.endStopped();
  }
});
