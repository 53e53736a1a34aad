import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WITNESS_PYTHON, witness } from '../support/witness.ts';
import { BridgeProcess } from './support/bridge.ts';

const PATIENCE = { timeout: 60_000 };
/** Of a pair's episode this is more than two seconds. */
const MEGABYTE = 1e6;
const document = readFileSync(new URL('../../docs/recording.md', import.meta.url), 'utf8');
const example = /^```python\n([\s\S]*?)^```$/m.exec(document)![1]!;

test.skipIf(!WITNESS_PYTHON)(
  'an episode of a process that is killed in the middle of it is a bag after the next start',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-killed-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const start = async (): Promise<BridgeProcess> => {
      const bridge = await BridgeProcess.startWith({ ARM_BRIDGE_RECORDING_FOLDER: folder }, '--no-ros');
      onTestFinished(() => bridge.end('SIGKILL').then(() => {}));
      return bridge;
    };
    const killed = await start();
    const { body } = await killed.post('/api/v1/episode/start', {
      name: 'pick-1',
      dataset: 'pick',
      task: 'Put it away',
    });
    const { path } = body.episode;
    await expect.poll(() => statSync(`${path}.part`).size, PATIENCE).toBeGreaterThan(MEGABYTE);
    await killed.end('SIGKILL');
    await start();
    await expect.poll(() => existsSync(join(dirname(path), 'metadata.yaml')), PATIENCE).toBe(true);
    expect(readdirSync(dirname(path)).sort()).toEqual(['metadata.yaml', 'pick-1.mcap']);
    const script = new URL('../recording/read_episode.py', import.meta.url);
    const seen = await witness(script, dirname(path), path, example);
    const ended_early = 'the bridge ended while it was being recorded';
    expect(JSON.parse(readFileSync(join(folder, 'pick', 'dataset.json'), 'utf8')).episodes).toMatchObject([
      { name: 'pick-1', ended_early },
    ]);
    expect(seen).toMatchObject({
      bag: { custom: { task: 'Put it away', ended_early } },
      attachments: ['configuration.json'],
    });
    const { count, statistics, own, bag, rows } = seen as Record<string, number> & { bag: { messages: number } };
    expect([statistics, own, bag.messages]).toEqual([count, count, count]);
    expect(rows).toBeGreaterThan(100);
  },
);
