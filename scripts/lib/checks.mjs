// What `npm run check` and `npm test` run: type check, lint, and vitest, whose tests are counted.

import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countTests, failures, totalsLine } from './totals.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const reports = mkdtempSync(join(tmpdir(), 'arm-bridge-tests-'));
process.on('exit', () => rmSync(reports, { recursive: true, force: true }));
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

/** Begins a command that gives way to all others: for what only calculates, beside what must not be late. */
const GIVE_WAY = ['nice', '-n', '5'];

/**
 * Runs a script of package.json; its output goes to the terminal once it has ended. Resolves with whether it has passed.
 * @param {{beside?: boolean}} [how] `beside`: it gives way to what runs beside it
 */
export function runScript(title, script, { beside = false } = {}) {
  const began = performance.now();
  const [program, ...args] = [...(beside ? GIVE_WAY : []), 'npm', 'run', '--silent', script];
  return new Promise((resolve) => {
    execFile(program, args, { cwd: root, maxBuffer: 2 ** 26 }, (error, output, errors) => {
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
 * @param {{folder?: string, env?: Record<string, string>, beside?: boolean}} [how] a copy of the checkout to run in, and
 *   variables for it; `beside`: it gives way to what runs beside it, and its output comes once it has ended
 * @returns {Promise<{passed: number, failed: number, skipped: number, told: string[]}>} `told`: each failure, in a paragraph
 */
export async function runTests(title, node, args, { folder = root, env = {}, beside = false } = {}) {
  const report = join(reports, `${runs++}.json`);
  const began = performance.now();
  let output = `\n=== ${title}\n`;
  const write = (text) => {
    if (beside) output += text;
    else process.stdout.write(text);
  };
  if (!beside) process.stdout.write(output);
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const [program, ...rest] = [...(beside ? GIVE_WAY : []), node, vitest, 'run', ...reporters, ...args];
  const child = spawn(program, rest, {
    cwd: folder,
    // What outlives a bridge is not to meet this user's own, or that of the next run.
    env: {
      ...process.env,
      ...env,
      XDG_STATE_HOME: join(reports, 'state'),
      PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    },
    stdio: ['ignore', ...(beside ? ['pipe', 'pipe'] : ['inherit', 'inherit'])],
  });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', write);
  const ended = await new Promise((resolve) => {
    child.once('error', ({ message }) => {
      write(`${title}: ${message}\n`);
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  });
  let parsed = null;
  try {
    parsed = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    write(`${title}: vitest left no report\n`);
  }
  write(`${title}: ${seconds(began)}\n`);
  if (beside) process.stdout.write(output);
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
