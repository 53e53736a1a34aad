// node scripts/run-tests.mjs [arguments of vitest]
// Runs type check, lint and tests in a prepared checkout and counts them. Called by test.sh, which sets the environment.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks, runScript, runTests, tell } from './lib/checks.mjs';
import { copyCheckout, otherEnvironment } from './lib/other-ros.mjs';

/** Folders whose unit tests only calculate, which a newer Node does alike: it runs those of all others. */
const ONLY_CALCULATE = ['calibration', 'explore', 'kinematics', 'mirror', 'motion', 'moveit'];
/** What a newer Node runs besides unit tests: what leans on Node's own interfaces, and a whole session of a pair. */
const ON_NEWER_NODE = [
  ...['http/live', 'http/server', 'http/tls', 'http/connections', 'http/teleop'].map((name) => `test/${name}.edge`),
  ...['servo/', 'rt/', 'e2e/pair'].map((name) => `test/${name}`),
];

/**
 * What another release of ROS 2 runs: all that is judged at the graph itself (names, types, bytes, qualities of service,
 * streams, services, parameters, discovery), and of whole bridges what shows the rest, by names: actions, frames, latched
 * topics, launch files, and a leader and a follower on two bridges.
 */
const GRAPH = ['--project', 'ros', 'test/ros/'];
const WHOLE = [
  ...['real', 'e2e', 'ros'].flatMap((project) => ['--project', project]),
  ...['test/e2e/ros.real', 'test/e2e/two-machines', 'test/launch/launch'],
  '-t',
  [
    ...[
      'late joiner',
      '/diagnostics has',
      '/tf and',
      'trajectory arrives',
      'is rejected',
      'rqt_console',
      'whoever looks',
    ],
    ...['gripper goes', 'as parameters', 'mirroring starts', 'another bridge goes', 'starts without arguments'],
  ].join('|'),
];

/** Unit tests on a newer Node, and the same people and faults each time: what breaks a rule in them has changed. */
async function calculate(newerNode) {
  const beside = { beside: true };
  const tests = [];
  if (newerNode) {
    const others = readdirSync(new URL('../test', import.meta.url))
      .filter((name) => !ONLY_CALCULATE.includes(name))
      .map((name) => `test/${name}`);
    tests.push(await runTests('unit tests on Node 24', newerNode, ['--project', 'unit', ...others], beside));
  }
  return { tests, checks: [await runScript('an hour of faults in virtual time', 'explore:hour', beside)] };
}

/** What is judged on another release of ROS 2, in a copy of the checkout. */
async function runOtherRos(folder) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  copyCheckout(root, folder);
  const tools = process.env.ARM_BRIDGE_ROS2_TOOLS ?? join(root, '..', 'shared', 'witness', 'ros2-tools.py');
  const elsewhere = { folder, env: { ...otherEnvironment(folder), ARM_BRIDGE_ROS2_TOOLS: tools } };
  const title = `ROS 2 ${elsewhere.env.ROS_DISTRO}`;
  const graph = await runTests(title, process.execPath, GRAPH, elsewhere);
  return [graph, await runTests(`a bridge on ${title}`, process.execPath, WHOLE, elsewhere)];
}

const projects = (...names) => names.flatMap((name) => ['--project', name]);
const run = (title, ...names) => runTests(title, process.execPath, projects(...names));

/** Everything, one kind after the other: what takes the whole processor, what mostly waits, what must not be disturbed. */
async function runAll() {
  const [checks, unit] = await Promise.all([runChecks(), run('unit tests', 'unit')]);
  const newerNode = process.env.ARM_BRIDGE_NODE_24;
  // While bridges and programs are waited for, there is time to calculate.
  const [edges, calculated] = await Promise.all([run('edges', 'edge', 'ros', 'e2e'), calculate(newerNode)]);
  const tests = [unit, edges, ...calculated.tests];
  if (newerNode) {
    tests.push(await runTests('edges on Node 24', newerNode, [...projects('edge', 'e2e'), ...ON_NEWER_NODE]));
  } else process.stdout.write('\nSKIPPED: no test was run on Node 24, since ARM_BRIDGE_NODE_24 names none\n');
  const otherRos = process.env.ARM_BRIDGE_OTHER_ROS;
  if (otherRos) tests.push(...(await runOtherRos(otherRos)));
  else process.stdout.write('\nSKIPPED: no test was run on another ROS 2, since ARM_BRIDGE_OTHER_ROS names none\n');
  tests.push(await run('the control page, and what is judged in real time', 'page', 'real'));
  return [[...checks, ...calculated.checks], tests];
}

/** What somebody has chosen, with the checks. */
async function runChosen(args) {
  const [checks, tests] = await Promise.all([runChecks(), runTests('tests', process.execPath, args)]);
  return [checks, [tests]];
}

const chosen = process.argv.slice(2);
const [checks, tests] = await (chosen.length === 0 ? runAll() : runChosen(chosen));
const line = tell(checks, tests);
// npm may print after this program, so whoever needs the totals last (.ci/run) names a file for them.
if (process.env.TEST_TOTALS_FILE) writeFileSync(process.env.TEST_TOTALS_FILE, `${line}\n`);
