import fs, { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { McapFile } from '../../src/recording/mcap-file.ts';
import { openMcap } from '../../src/recording/mcap-read.ts';
import { TEXT } from '../../src/recording/ros-schemas.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

/** How much a disk still takes, bytes. */
interface Disk {
  left: number;
}

/** Files are written to a disk that takes no more than it says, until the test is over. */
function limitedDisk(): Disk {
  const disk = { left: Number.POSITIVE_INFINITY };
  const { writeSync } = fs;
  const write = (file: number, bytes: Uint8Array, offset = 0, length = bytes.length - offset, at?: number): number => {
    const taken = Math.min(length, disk.left);
    if (taken === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    disk.left -= taken;
    return writeSync(file, bytes, offset, taken, at);
  };
  const use = (writing: typeof writeSync): void => {
    fs.writeSync = writing;
    syncBuiltinESMExports();
  };
  use(write as typeof writeSync);
  onTestFinished(() => use(writeSync));
  return disk;
}

const MESSAGE = new Uint8Array(100);

test('a file that a full disk has taken half a chunk of can be read when it has been completed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-full-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'wave.mcap');
  const disk = limitedDisk();
  const file = await McapFile.create(path, 4096);
  const topic = await file.topic('/said', TEXT);
  for (let k = 0; k < 100; k++) await file.add(topic, MESSAGE, k);
  disk.left = 1000;
  const full = async (): Promise<void> => {
    for (let k = 100; k < 200; k++) await file.add(topic, MESSAGE, k);
  };
  await expect(full()).rejects.toThrow('no space left');
  disk.left = Number.POSITIVE_INFINITY;
  await file.end();
  const { reader, close } = await openMcap(path);
  let count = 0;
  for await (const { data } of reader.readMessages()) count += data.length === MESSAGE.length ? 1 : 0;
  close();
  expect(count).toBeGreaterThanOrEqual(100);
  expect(Number(reader.statistics?.messageCount)).toBe(count);
});

test('an episode on a disk that is full can be dropped; one that was to be kept says what to do, and can be deleted', async () => {
  const bridge = await VirtualBridge.startLight();
  const folder = join(bridge.folder, 'recordings');
  const start = async (name: string): Promise<void> => {
    expect((await bridge.post('/api/v1/episode/start', { name })).status).toBe(200);
    await bridge.pass(1);
  };
  const disk = limitedDisk();
  await start('dropped');
  disk.left = 0;
  expect((await bridge.post('/api/v1/episode/stop', { keep: false })).status).toBe(200);
  expect(readdirSync(folder)).toEqual([]);
  disk.left = Number.POSITIVE_INFINITY;
  await start('kept');
  disk.left = 0;
  const refused = await bridge.post('/api/v1/episode/stop', {});
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toMatch(/\\"kept\\" cannot be completed now \(.*once there is room/);
  expect((await bridge.ask('DELETE', '/api/v1/recordings/kept')).status).toBe(200);
  expect(readdirSync(folder)).toEqual([]);
});
