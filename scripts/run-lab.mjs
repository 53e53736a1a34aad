// node scripts/run-lab.mjs [arguments of vitest]
// Runs the tests of test/lab in a prepared checkout and counts them. Called by test-lab.sh, which sets the environment.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countTests, failures, totalsLine } from './lib/totals.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Why no container can be run here; null when it can. */
function whyNot() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'its images are built on Linux x86_64 alone';
  if (process.getuid() !== 0) return 'an engine of its own needs root: sudo npm run test:lab';
  if (spawnSync('apt-get', ['--version']).status !== 0) return 'the engine comes from the packages of Debian 12';
  if (!process.env.ARM_BRIDGE_COMPOSE_LOADER) return 'the loader of compose files is missing, which needs Go';
  if (!process.env.ARM_BRIDGE_NODE_24) return 'Node 24 is missing, of which the base image is made';
  const namespaces = ['--net', '--mount', '--ipc', 'ip', 'link', 'set', 'lo', 'up'];
  if (spawnSync('unshare', namespaces).status !== 0) return 'no network namespaces can be made here';
  return null;
}

/** @param {{passed: number, failed: number, skipped: number}} totals */
function tell(totals) {
  // npm may print after this program, so whoever needs the totals last (.ci/run) names a file for them.
  if (process.env.TEST_TOTALS_FILE) writeFileSync(process.env.TEST_TOTALS_FILE, `${totalsLine(totals)}\n`);
  process.stdout.write(`\n${totals.skipped} tests skipped\n${totalsLine(totals)}\n`);
  process.exitCode = totals.failed === 0 ? 0 : 1;
}

const reason = whyNot();
if (reason !== null) {
  process.stdout.write(`\nSKIPPED: the laboratory is not tried out: ${reason}\n`);
  tell({ passed: 0, failed: 0, skipped: 0 });
} else {
  const reports = mkdtempSync(join(tmpdir(), 'arm-bridge-lab-'));
  process.on('exit', () => rmSync(reports, { recursive: true, force: true }));
  const report = join(reports, 'report.json');
  const args = ['run', '--config', 'test/lab/vitest.config.ts', '--reporter=verbose', '--reporter=json'];
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, ...args, `--outputFile.json=${report}`, ...process.argv.slice(2)],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  let parsed = null;
  try {
    parsed = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    process.stdout.write('vitest left no report\n');
  }
  for (const text of failures(parsed, root)) process.stdout.write(`\n${text}\n`);
  tell(countTests(parsed, status === 0));
}
