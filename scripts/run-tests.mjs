// node scripts/run-tests.mjs [arguments of vitest]
// Runs type check, lint and tests in a prepared checkout and counts them. Called by test.sh, which sets the environment.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countTests, totalsLine } from './lib/totals.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const reports = mkdtempSync(join(tmpdir(), 'arm-bridge-tests-'));
const report = join(reports, 'vitest.json');
process.on('exit', () => rmSync(reports, { recursive: true, force: true }));
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
  process.on(signal, () => process.exit(code));

/** Runs a program of node_modules/.bin or npm; its output goes to the terminal. Returns whether it ended with code 0. */
function passes(title, program, args) {
  process.stdout.write(`\n=== ${title}\n`);
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) process.stdout.write(`${title}: ${error.message}\n`);
  return status === 0;
}

const bin = (name) => join(root, 'node_modules', '.bin', name);

const checks = [
  passes('type check', 'npm', ['run', '--silent', 'typecheck']),
  passes('lint', 'npm', ['run', '--silent', 'lint']),
];
const ended = passes('tests', bin('vitest'), [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
]);

let parsed = null;
try {
  parsed = JSON.parse(readFileSync(report, 'utf8'));
} catch {
  process.stdout.write('tests: vitest left no report\n');
}
const totals = countTests(parsed, ended);
for (const passed of checks) {
  if (passed) totals.passed += 1;
  else totals.failed += 1;
}
// npm may print after this program, so whoever needs the totals last (.ci/run) names a file for them.
if (process.env.TEST_TOTALS_FILE) writeFileSync(process.env.TEST_TOTALS_FILE, `${totalsLine(totals)}\n`);
process.stdout.write(`\ntype check ${checks[0] ? 'passed' : 'failed'}, lint ${checks[1] ? 'passed' : 'failed'}, `);
process.stdout.write(`${totals.skipped} tests skipped\n${totalsLine(totals)}\n`);
process.exitCode = totals.failed === 0 ? 0 : 1;
