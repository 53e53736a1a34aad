// What `npm run check` and `npm test` run: type check, lint, and vitest, whose tests are counted.

import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countTests, failures, totalsLine } from './totals.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const reports = mkdtempSync(join(tmpdir(), 'arm-bridge-tests-'));
/** Each vitest that runs now, with a session of its own. */
const running = new Set();
process.on('exit', () => {
  for (const { pid } of running) {
    try {
      // What it has started is ended with it. A terminal's Ctrl-C reaches neither.
      process.kill(-pid, 'SIGTERM');
    } catch {
      // All of them have ended meanwhile, or vitest never began.
    }
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
/** How much tests that only calculate give way to those that have something waiting for them, as for `nice`. */
const ASIDE = 5;

/**
 * Runs vitest; its output goes to the terminal.
 * @param {string} title
 * @param {string} node the program, which is also the one that tests find
 * @param {string[]} args of vitest
 * @param {{folder?: string, env?: Record<string, string>, aside?: boolean}} [how] a copy of the checkout to run in, variables
 *   for it, and whether it gives way to what runs beside it
 * @returns {Promise<{passed: number, failed: number, skipped: number, told: string[]}>} `told`: each failure, in a paragraph
 */
export async function runTests(title, node, args, { folder = root, env = {}, aside = false } = {}) {
  const report = join(reports, `${runs++}.json`);
  const began = performance.now();
  process.stdout.write(`\n=== ${title}\n`);
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const lines = join(root, 'scripts', 'lib', 'line-reporter.mjs');
  const reporters = [`--reporter=${lines}`, '--reporter=json', `--outputFile.json=${report}`];
  const vitest = spawn(node, [program, 'run', ...reporters, ...args], {
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
  running.add(vitest);
  if (aside) giveWay(vitest.pid);
  const ended = await new Promise((resolve) => {
    vitest.once('error', ({ message }) => {
      process.stdout.write(`${title}: ${message}\n`);
      resolve(false);
    });
    vitest.once('exit', (code) => resolve(code === 0));
  });
  running.delete(vitest);
  let parsed = null;
  try {
    parsed = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    process.stdout.write(`${title}: vitest left no report\n`);
  }
  process.stdout.write(`${title}: ${seconds(began)}\n`);
  return { ...countTests(parsed, ended), told: failures(parsed, folder) };
}

/** Lets a whole session give way, where the kernel shares the processor out by session. */
function giveWay(pid) {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, `${ASIDE}`);
  } catch {
    // This kernel does not, or the program has not begun.
  }
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
