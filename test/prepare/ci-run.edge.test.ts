import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const CI = join(import.meta.dirname, '../../.ci/run');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-ci-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What .ci/run says last, and its exit code, when npm does this for `npm test` and for `npm run test:lab`. */
function run(forTest: string, forLab: string): [string, number | null] {
  const npm = join(folder, 'npm');
  writeFileSync(npm, `#!/bin/sh\ncase "$*" in\n  test) ${forTest} ;;\n  'run test:lab') ${forLab} ;;\nesac\n`);
  chmodSync(npm, 0o755);
  const { stdout, status } = spawnSync('bash', [CI], {
    encoding: 'utf8',
    env: { PATH: `${folder}:/usr/bin:/bin`, TMPDIR: folder },
  });
  return [stdout.trim().split('\n').at(-1)!, status];
}

const totals = (line: string, code = 0) => `echo "${line}" > "$TEST_TOTALS_FILE"; echo noise; exit ${code}`;

test.each([
  ['both succeed', totals('10 passed, 0 failed'), totals('3 passed, 0 failed'), '13 passed, 0 failed', 0],
  ['the laboratory skips', totals('10 passed, 0 failed'), totals('0 passed, 0 failed'), '10 passed, 0 failed', 0],
  ['the laboratory fails', totals('10 passed, 0 failed'), totals('2 passed, 1 failed', 1), '12 passed, 1 failed', 1],
  ['both fail', totals('9 passed, 1 failed', 1), totals('1 passed, 2 failed', 1), '10 passed, 3 failed', 1],
  ['one ends early', 'exit 1', totals('3 passed, 0 failed'), '3 passed, 1 failed', 1],
  ['the other is killed', totals('10 passed, 0 failed'), 'kill -9 $$', '10 passed, 1 failed', 1],
  [
    'totals and exit code disagree',
    totals('10 passed, 0 failed', 1),
    totals('3 passed, 0 failed'),
    '13 passed, 1 failed',
    1,
  ],
])('.ci/run adds up what was tested when %s', (_, forTest, forLab, line, code) => {
  expect(run(forTest, forLab)).toEqual([line, code]);
});
