import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const MEGABYTE = 1e6;
const ARMS = [0, 1, 2, 3].map((id) => ({ name: `arm${id}`, id, bus: 'sim:so101' }));

test('recordings that are made at once take no more together than the quota, but for what comes in 5 s', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-quota-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const recordings = join(folder, 'recordings');
  const bridge = await VirtualBridge.start({ arms: ARMS, recording: { folder: recordings, quota: 1 } }, folder);
  for (const { id, name } of ARMS) {
    const { body } = await bridge.post(`/recording/start?robot_id=${id}`, { name, rate: 200 });
    expect(body.status).toBe('ok');
  }
  await bridge.becomes(() => expect(bridge.told('the quota (recording.quota) is used up')).toHaveLength(4), 40);
  const used = readdirSync(recordings).reduce((sum, name) => sum + statSync(join(recordings, name)).size, 0);
  expect(used).toBeLessThan(2.5 * MEGABYTE);
});

test('files that are received at once have room for all of them, or the later ones are refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-quota-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const recordings = join(folder, 'recordings');
  const bridge = await VirtualBridge.start({ recording: { folder: recordings, quota: 1 } }, folder);
  const receive = (name: string, bytes: number): Promise<string> =>
    bridge.until(bridge.bridge.recordings.receive(name, bytes));
  const first = await receive('first', 0.6 * MEGABYTE);
  await expect(receive('second', 0.6 * MEGABYTE)).rejects.toThrow('There is room for 0 MB');
  await expect(receive('first', 0.1 * MEGABYTE)).rejects.toThrow('"first" is being received');
  await receive('third', 0.3 * MEGABYTE);
  // It did not arrive: its room is free again.
  rmSync(first);
  await receive('second', 0.6 * MEGABYTE);
});
