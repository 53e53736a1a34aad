import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileDisk } from '../../src/disk.ts';
import { FolderLock } from '../../src/recording/folder-lock.ts';
import { Library } from '../../src/recording/library.ts';
import { freeBytes, RESERVE } from '../../src/recording/recorder.ts';
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

test('that room runs out is told once before it does, in the log and by the status, and again after there was enough', async () => {
  const bridge = await VirtualBridge.start({
    recording: { folder: mkdtempSync(join(tmpdir(), 'arm-bridge-quota-')), quota: 2 },
  });
  const { folder } = (await bridge.get('/api/v1/recordings')).body;
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const warning = async (): Promise<string> => (await bridge.get('/status')).body.recording_warning;
  const fill = (bytes: number): void => writeFileSync(join(folder, 'other'), Buffer.alloc(bytes));
  const logged = () => bridge.told('(recording.quota): delete recordings');
  // A tenth of the quota is little; for that to end, there has to be a fifth more.
  const steps = [
    [1.75, '', 0],
    [1.85, 'may take 0 MB more, of 2 MB', 1],
    [1.95, 'may take 0 MB more, of 2 MB', 1],
    [1.79, 'may take 0 MB more, of 2 MB', 1],
    [1.7, '', 1],
    [2.5, 'take more than 2 MB', 2],
  ] as const;
  for (const [filled, told, times] of steps) {
    fill(filled * MEGABYTE);
    await bridge.pass(6);
    expect([filled, await warning()]).toEqual([filled, told === '' ? '' : expect.stringContaining(told)]);
    expect(logged()).toHaveLength(times);
  }
  // The list agrees.
  expect((await bridge.get('/api/v1/recordings')).body.warning).toBe(await warning());
});

test('an episode that has run out of room says so until it is ended, grows no more, and takes no marks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-quota-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const recording = { folder: join(folder, 'recordings'), quota: 1 };
  const bridge = await VirtualBridge.start({ arms: ARMS, recording }, folder);
  const problem = 'the quota (recording.quota) is used up';
  const state = async () => (await bridge.get('/api/v1/episode')).body.episode;
  expect((await bridge.post('/api/v1/episode/start', { name: 'long' })).body.episode.problem).toBeNull();
  expect((await bridge.post('/api/v1/episode/mark', { text: 'here' })).body.status).toBe('ok');
  await bridge.becomes(() => expect(bridge.told('the recording "long" has ended early')).toHaveLength(1), 40);
  const ended = await state();
  await bridge.pass(2);
  expect(await state()).toEqual({ ...ended, name: 'long', problem });
  for (const path of ['/api/v1/episode/mark', '/api/v1/episode/stop']) {
    const { body } = await bridge.post(path, {});
    expect([path, body.status, body.message]).toEqual([path, 'error', `The episode ended early: ${problem}.`]);
  }
  expect(await state()).toBeNull();
  // People who make a training set of it are told, whatever else is said of it.
  expect((await bridge.post('/api/v1/recordings/long', { name: 'longer' })).status).toBe(200);
  expect((await bridge.post('/api/v1/recordings/longer', { task: 'pick' })).status).toBe(200);
  const { recordings } = (await bridge.get('/api/v1/recordings')).body;
  expect(recordings).toMatchObject([{ name: 'longer', task: 'pick', ended_early: problem }]);
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

test('what the disk has free is promised to one file that is being received alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-quota-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const library = new Library(folder, Number.POSITIVE_INFINITY, fileDisk, new FolderLock(() => 'held'));
  const most = Math.floor(0.6 * (freeBytes(folder) - RESERVE));
  const first = library.receive('first', most);
  expect(() => library.receive('second', most)).toThrow(/There is room for \d+ MB/);
  rmSync(first);
  library.receive('second', most);
});
