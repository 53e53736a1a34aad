import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAIN } from './support/program.ts';

let folder: string;
const recordings = (): string => join(folder, 'arm-bridge/recordings');
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-export-'));
  for (const name of ['pick', 'reach']) {
    mkdirSync(join(recordings(), name), { recursive: true });
    writeFileSync(join(recordings(), name, 'dataset.json'), '{}');
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Nothing is installed where the program looks. */
function run(...args: string[]): Promise<{ code: number; told: string }> {
  const env = { PATH: folder, HOME: folder, XDG_DATA_HOME: folder };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, 'export', ...args], { env, cwd: folder }, (error, _, told) =>
      resolve({ code: error === null ? 0 : Number(error.code), told }),
    );
  });
}

test('arm-bridge export says in one line how the exporter is installed, for a dataset by its name or its folder', async () => {
  for (const dataset of ['pick', './arm-bridge/recordings/pick']) {
    const { code, told } = await run('--lerobot', dataset, 'made', '--fps', '10');
    expect([code, told.trim().split('\n')]).toEqual([
      2,
      [
        expect.stringMatching(
          /^arm-bridge export: arm-bridge-to-lerobot is not installed here: pip install .*docs\/lerobot\.md/,
        ),
      ],
    ]);
  }
});

test('arm-bridge export names the datasets that there are', async () => {
  expect((await run('--lerobot', 'wave')).told).toContain(
    `there is no dataset "wave" in ${recordings()}: it has pick, reach`,
  );
  expect((await run('--lerobot', './wave')).told).toContain('./wave is no dataset of a bridge: it has no dataset.json');
});
