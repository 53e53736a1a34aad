// node scripts/run-tests.mjs [arguments of vitest]
// Runs type check, lint and tests in a prepared checkout and counts them. Called by test.sh, which sets the environment.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countTests, failures, totalsLine } from './lib/totals.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const reports = mkdtempSync(join(tmpdir(), 'arm-bridge-tests-'));
process.on('exit', () => rmSync(reports, { recursive: true, force: true }));
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
  process.on(signal, () => process.exit(code));

/** Runs a program; its output goes to the terminal. Returns whether it ended with code 0. */
function passes(title, program, args, env) {
  process.stdout.write(`\n=== ${title}\n`);
  const { status, error } = spawnSync(program, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) process.stdout.write(`${title}: ${error.message}\n`);
  return status === 0;
}

/**
 * What a newer Node runs too: whatever leans on Node's own interfaces, and a whole session of a pair. Not schemathesis, for
 * which somebody else's program asks in any case.
 */
const ON_NEWER_NODE = [
  ...['arm', 'calibration', 'config', 'kinematics', 'motion', 'ports', 'recording', 'rt', 'servo'],
  ...readdirSync(join(root, 'test', 'http'))
    .filter((name) => name.endsWith('.test.ts') && name !== 'schemathesis.test.ts')
    .map((name) => `http/${name}`),
  'e2e/pair',
].map((name) => `test/${name}`);

/** Told at the end, where nobody has to look for it between what thousands of tests print. */
const failed = [];

/** Runs vitest with a Node, which is also the one that its tests find, and counts. */
function runTests(title, node, args) {
  const report = join(reports, `${title}.json`);
  const ended = passes(
    title,
    node,
    [
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...args,
    ],
    { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
  );
  let parsed = null;
  try {
    parsed = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    process.stdout.write(`${title}: vitest left no report\n`);
  }
  failed.push(...failures(parsed, root));
  return countTests(parsed, ended);
}

/** Runs a check of this package; its output goes to the terminal once it has ended. Resolves with whether it has passed. */
function check(title, script) {
  return new Promise((resolve) => {
    execFile('npm', ['run', '--silent', script], { cwd: root, maxBuffer: 2 ** 26 }, (error, output, errors) => {
      process.stdout.write(`\n=== ${title}\n${output}${errors}`);
      resolve(error === null);
    });
  });
}

const checks = await Promise.all([check('type check', 'typecheck'), check('lint', 'lint')]);
const chosen = process.argv.slice(2);
const totals = runTests('tests', process.execPath, chosen);
const newerNode = process.env.ARM_BRIDGE_NODE_24;
if (chosen.length === 0 && newerNode) {
  const again = runTests('tests on Node 24', newerNode, ON_NEWER_NODE);
  for (const name of Object.keys(totals)) totals[name] += again[name];
} else if (chosen.length === 0) {
  process.stdout.write('\nSKIPPED: no test was run on Node 24, since ARM_BRIDGE_NODE_24 names none\n');
}
for (const passed of checks) {
  if (passed) totals.passed += 1;
  else totals.failed += 1;
}
// npm may print after this program, so whoever needs the totals last (.ci/run) names a file for them.
if (process.env.TEST_TOTALS_FILE) writeFileSync(process.env.TEST_TOTALS_FILE, `${totalsLine(totals)}\n`);
for (const text of failed) process.stdout.write(`\n${text}\n`);
process.stdout.write(`\ntype check ${checks[0] ? 'passed' : 'failed'}, lint ${checks[1] ? 'passed' : 'failed'}, `);
process.stdout.write(`${totals.skipped} tests skipped\n${totalsLine(totals)}\n`);
process.exitCode = totals.failed === 0 ? 0 : 1;
