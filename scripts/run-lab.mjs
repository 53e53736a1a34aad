// node scripts/run-lab.mjs [arguments of vitest]
// Runs the tests of test/lab in a prepared checkout and counts them. Called by test-lab.sh, which sets the environment.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countTests, failures, totalsLine } from './lib/totals.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** What the tests keep for their next run. */
const folder = process.env.ARM_BRIDGE_LAB_FOLDER || '/var/cache/arm-bridge-lab';
/** The tests write here what this machine lacks; see unavailable in test/lab/support/run.ts. */
const whyNotFile = join(folder, 'why-not');
/** Longest wait for another run on this machine, s. */
const TURN_LIMIT = 1200;
/** The engine's --cgroup-parent in test/lab/support/engine.ts. */
const OWN_CONTROL_GROUP = 'arm-bridge-lab';
/** A run that takes longer is told, s: it takes about this long on two quiet cores. */
const LONG = 900;
/** Exit code for a turn that did not come. */
const NO_TURN = 75;

/** Why no container can be run here; null when it can. */
function whyNot() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'its images are built on Linux x86_64 alone';
  if (process.getuid() !== 0) return 'an engine of its own needs root: sudo npm run test:lab';
  if (spawnSync('apt-get', ['--version']).status !== 0) return 'the engine comes from the packages of Debian 12';
  if (!process.env.ARM_BRIDGE_COMPOSE) return 'Docker Compose is missing, which needs Go';
  if (!process.env.ARM_BRIDGE_NODE_24) return 'Node 24 is missing, of which the base image is made';
  const namespaces = ['--net', '--mount', '--ipc', '--pid', '--fork', '--mount-proc'];
  const { status, stderr } = spawnSync('unshare', [...namespaces, 'ip', 'link', 'set', 'lo', 'up']);
  if (status !== 0) return `no namespaces can be made here: ${stderr ?? ''}`.trim();
  return null;
}

/**
 * The command that runs another one in process and mount namespaces of its own, one run at a time. When it ends or is
 * killed, or this program is, the kernel ends all that it has started (engine, containers, a booted system) and unmounts
 * what they mounted.
 */
function contained(command) {
  const lock = ['flock', '--no-fork', '--timeout', String(TURN_LIMIT), '--conflict-exit-code', String(NO_TURN)];
  const namespaces = [
    'unshare',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount',
    '--propagation',
    'private',
    '--mount-proc',
  ];
  // The first process of the namespace is a shell, which collects what has lost its parent.
  const shell = ['sh', '-c', '"$@"; exit $?', 'sh'];
  return ['--pdeathsig', 'KILL', ...lock, join(folder, 'lock'), ...namespaces, ...shell, ...command];
}

/** Control groups of the containers and of the system that systemd-nspawn boots, which no namespace takes away. */
function controlGroups() {
  const hierarchies = '/sys/fs/cgroup';
  const places = existsSync(hierarchies) ? ['.', ...readdirSync(hierarchies)] : [];
  const names = [OWN_CONTROL_GROUP, 'payload', 'supervisor'];
  return places
    .flatMap((place) => names.map((name) => join(hierarchies, place, name)))
    .filter((path) => existsSync(path));
}

/** Removes a control group and those below it. Its files go with it. */
function removeControlGroup(path) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) removeControlGroup(join(path, entry.name));
  }
  rmdirSync(path);
}

/** Also those that a killed run has left. @param {string[]} before those that were there, perhaps somebody else's */
function removeControlGroups(before) {
  const own = (path) => basename(path) === OWN_CONTROL_GROUP || !before.includes(path);
  for (const path of controlGroups().filter(own)) {
    try {
      removeControlGroup(path);
    } catch (error) {
      process.stdout.write(`the control group ${path} is left: ${error.message}\n`);
    }
  }
}

/** @param {{passed: number, failed: number, skipped: number}} totals */
function tell(totals) {
  // npm may print after this program, so whoever needs the totals last (.ci/run) names a file for them.
  if (process.env.TEST_TOTALS_FILE) writeFileSync(process.env.TEST_TOTALS_FILE, `${totalsLine(totals)}\n`);
  process.stdout.write(`\n${totals.skipped} tests skipped\n${totalsLine(totals)}\n`);
  process.exitCode = totals.failed === 0 ? 0 : 1;
}

/** @param {string} reason */
function skip(reason) {
  process.stdout.write(`\nSKIPPED: the laboratory is not tried out: ${reason}\n`);
  tell({ passed: 0, failed: 0, skipped: 0 });
}

function main() {
  const reason = whyNot();
  if (reason !== null) return skip(reason);
  mkdirSync(folder, { recursive: true });
  const report = join(folder, 'report.json');
  for (const file of [report, whyNotFile]) rmSync(file, { force: true });
  const args = ['run', '--config', 'test/lab/vitest.config.ts', '--reporter=verbose', '--reporter=json'];
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const command = [process.execPath, vitest, ...args, `--outputFile.json=${report}`, ...process.argv.slice(2)];
  const before = controlGroups();
  const { status } = spawnSync('setpriv', contained(command), { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  removeControlGroups(before);
  if (status === NO_TURN) return skip(`another run has used ${folder} for more than ${TURN_LIMIT} s`);
  if (existsSync(whyNotFile)) return skip(readFileSync(whyNotFile, 'utf8'));
  let parsed = null;
  try {
    parsed = JSON.parse(readFileSync(report, 'utf8'));
    // Without the wait for another run.
    const took = Math.round((Date.now() - parsed.startTime) / 1000);
    process.stdout.write(`\nthe laboratory took ${took} s${took > LONG ? `, more than the usual ${LONG} s` : ''}\n`);
  } catch {
    process.stdout.write('vitest left no report\n');
  }
  for (const text of failures(parsed, root)) process.stdout.write(`\n${text}\n`);
  tell(countTests(parsed, status === 0));
}

main();
