// node scripts/run-tests.mjs [arguments of vitest]
// Runs type check, lint and tests in a prepared checkout and counts them. Called by test.sh, which sets the environment.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks, runScript, runTests, tell } from './lib/checks.mjs';
import { copyCheckout, otherEnvironment } from './lib/other-ros.mjs';

/**
 * Folders whose unit tests only calculate, most of them whole bridges in virtual time, which a newer Node does alike: it runs
 * those of all others here, and all with `npm run check`.
 */
const ONLY_CALCULATE = [
  'arm',
  'bench',
  'bridge',
  'calibration',
  'explore',
  'kinematics',
  'mirror',
  'motion',
  'moveit',
  'recording',
  'setup',
];
/** What a newer Node runs besides unit tests: what leans on Node's own interfaces, and a whole session of a pair. */
const ON_NEWER_NODE = [
  ...['http/live', 'http/server', 'http/tls', 'http/connections', 'http/teleop'].map((name) => `test/${name}.edge`),
  ...['servo/', 'rt/', 'e2e/pair'].map((name) => `test/${name}`),
];

/**
 * What another release of ROS 2 runs: all that is judged at the graph itself (names, types, bytes, qualities of service,
 * streams, services, parameters, discovery), and of whole bridges what shows the rest, by names: actions, frames, latched
 * topics, launch files, MoveIt's parameters, some commands of ros2, and a leader and a follower on two bridges.
 */
const GRAPH = ['--project', 'ros', 'test/ros/'];
const WHOLE = [
  ...['real', 'e2e', 'ros'].flatMap((project) => ['--project', project]),
  ...['test/e2e/ros.real', 'test/e2e/two-machines', 'test/launch/launch', 'test/launch/documents'],
  'test/launch/moveit',
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
    ...[
      'gripper goes',
      'as parameters',
      'mirroring starts',
      'another bridge goes',
      'simulated_pair.* starts without arguments',
      'ros2 topic list',
      'ros2 service call',
      'gives move_group what it needs',
    ],
  ].join('|'),
];

const skip = (what, variable) =>
  process.stdout.write(`\nSKIPPED: no test was run on ${what}, since ${variable} names none\n`);

/** The unit tests that a newer Node may run otherwise. */
function runOnNewerNode(node) {
  const others = readdirSync(new URL('../test', import.meta.url))
    .filter((name) => !ONLY_CALCULATE.includes(name))
    .map((name) => `test/${name}`);
  return runTests('unit tests on Node 24', node, ['--project', 'unit', ...others]);
}

async function runOnOtherRos(folder) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  copyCheckout(root, folder);
  const tools = process.env.ARM_BRIDGE_ROS2_TOOLS ?? join(root, '..', 'shared', 'witness', 'ros2-tools.py');
  const elsewhere = { folder, env: { ...otherEnvironment(folder), ARM_BRIDGE_ROS2_TOOLS: tools } };
  const title = `ROS 2 ${elsewhere.env.ROS_DISTRO}`;
  return [
    await runTests(title, process.execPath, GRAPH, elsewhere),
    await runTests(`a bridge on ${title}`, process.execPath, WHOLE, elsewhere),
  ];
}

const chosen = process.argv.slice(2);
// The unit tests come first, beside which nothing is late.
const [checks, everything] = await Promise.all([runChecks(), runTests('tests', process.execPath, chosen)]);
const tests = [everything];
if (chosen.length === 0) {
  const { ARM_BRIDGE_NODE_24: newerNode, ARM_BRIDGE_OTHER_ROS: otherRos } = process.env;
  // The same people and faults each time: what breaks a rule in them has changed since they were explored.
  const hour = runScript('an hour of faults in virtual time', 'explore:hour');
  if (newerNode) tests.push(await runOnNewerNode(newerNode));
  else skip('Node 24', 'ARM_BRIDGE_NODE_24');
  checks.push(await hour);
  const edges = ['--project', 'edge', '--project', 'e2e', ...ON_NEWER_NODE];
  if (newerNode) tests.push(await runTests('edges on Node 24', newerNode, edges));
  if (otherRos) tests.push(...(await runOnOtherRos(otherRos)));
  else skip('another ROS 2', 'ARM_BRIDGE_OTHER_ROS');
}
const line = tell(checks, tests);
// npm may print after this program, so whoever needs the totals last (.ci/run) names a file for them.
if (process.env.TEST_TOTALS_FILE) writeFileSync(process.env.TEST_TOTALS_FILE, `${line}\n`);
