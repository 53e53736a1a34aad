// What `npm run check` and `npm test` run: type check, lint, and vitest, whose tests are counted.

import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countTests, failures, totalsLine } from './totals.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const reports = mkdtempSync(join(tmpdir(), 'arm-bridge-tests-'));
/** The vitest that runs now, with a session of its own; undefined between two. */
let vitest;
process.on('exit', () => {
  try {
    // What it has started is ended with it. A terminal's Ctrl-C reaches neither.
    if (vitest !== undefined) process.kill(-vitest.pid, 'SIGTERM');
  } catch {
    // All of them have ended meanwhile, or vitest never began.
  }
  rmSync(reports, { recursive: true, force: true });
});
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
  process.on(signal, () => process.exit(code));

/** Scripts of package.json that judge the sources without running them. */
const SCRIPTS = {
  'type check': 'typecheck',
  'type check of the page': 'typecheck:page',
  'type check of the client': 'typecheck:client',
  lint: 'lint',
};

const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(0)} s`;

/** Runs a script of package.json; its output goes to the terminal once it has ended. Resolves with whether it has passed. */
export function runScript(title, script) {
  const began = performance.now();
  return new Promise((resolve) => {
    execFile('npm', ['run', '--silent', script], { cwd: root, maxBuffer: 2 ** 26 }, (error, output, errors) => {
      const told = error === null ? `passed, ${seconds(began)}` : 'FAILED';
      process.stdout.write(`\n=== ${title}: ${told}\n${output}${errors}`);
      resolve({ title, passed: error === null });
    });
  });
}

/** Runs all of them side by side. @returns {Promise<{title: string, passed: boolean}[]>} */
export function runChecks() {
  return Promise.all(Object.entries(SCRIPTS).map(([title, script]) => runScript(title, script)));
}

let runs = 0;

/**
 * Runs vitest; its output goes to the terminal.
 * @param {string} title
 * @param {string} node the program, which is also the one that tests find
 * @param {string[]} args of vitest
 * @param {{folder?: string, env?: Record<string, string>}} [elsewhere] a copy of the checkout to run in, and variables for it
 * @returns {Promise<{passed: number, failed: number, skipped: number, told: string[]}>} `told`: each failure, in a paragraph
 */
export async function runTests(title, node, args, { folder = root, env = {} } = {}) {
  const report = join(reports, `${runs++}.json`);
  const began = performance.now();
  process.stdout.write(`\n=== ${title}\n`);
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const atOnce = join(root, 'scripts', 'lib', 'failures-at-once.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--reporter=${atOnce}`, `--outputFile.json=${report}`];
  vitest = spawn(node, [program, 'run', ...reporters, ...args], {
    cwd: folder,
    // Linux shares the processor out by session. Bridges wake hundreds of times per second, and in one session with busy
    // programs they would keep those of other sessions from it, such as browsers.
    detached: true,
    // What outlives a bridge is not to meet this user's own, or that of the next run.
    env: {
      ...process.env,
      ...env,
      XDG_STATE_HOME: join(reports, 'state'),
      PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = await new Promise((resolve) => {
    vitest.once('error', ({ message }) => {
      process.stdout.write(`${title}: ${message}\n`);
      resolve(false);
    });
    vitest.once('exit', (code) => resolve(code === 0));
  });
  vitest = undefined;
  let parsed = null;
  try {
    parsed = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    process.stdout.write(`${title}: vitest left no report\n`);
  }
  process.stdout.write(`${title}: ${seconds(began)}\n`);
  return { ...countTests(parsed, ended), told: failures(parsed, folder) };
}

/**
 * Tells the end of it all: what failed, where nobody has to look for it between what thousands of tests print, and how
 * many. Sets the exit code.
 * @param {{title: string, passed: boolean}[]} checks each counts as a test
 * @param {{passed: number, failed: number, skipped: number, told: string[]}[]} tests
 */
export function tell(checks, tests) {
  const sum = (name) => tests.reduce((count, each) => count + each[name], 0);
  const bad = checks.filter(({ passed }) => !passed);
  const totals = { passed: sum('passed') + checks.length - bad.length, failed: sum('failed') + bad.length };
  const line = totalsLine(totals);
  for (const text of tests.flatMap(({ told }) => told)) process.stdout.write(`\n${text}\n`);
  for (const { title } of bad) process.stdout.write(`\nFAILED: ${title}\n`);
  process.stdout.write(`\n${sum('skipped')} tests skipped\n${line}\n`);
  process.exitCode = totals.failed === 0 ? 0 : 1;
  return line;
}
