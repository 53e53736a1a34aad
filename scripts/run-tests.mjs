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
const GRAPH = [...projects('ros'), 'test/ros/'];
const WHOLE = [
  ...projects('real', 'e2e', 'ros'),
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

/** What judges the sources by calculating alone, one after the other. */
async function runWhatCalculates(newerNode) {
  const tests = [await runTests('unit tests', process.execPath, projects('unit', 'sweep'), { aside: true })];
  // The same people and faults each time: what breaks a rule in them has changed since they were explored.
  const hour = await runScript('an hour of faults in virtual time', 'explore:hour');
  if (newerNode) {
    const others = readdirSync(new URL('../test', import.meta.url))
      .filter((name) => !ONLY_CALCULATE.includes(name))
      .map((name) => `test/${name}`);
    const which = [...projects('unit'), ...others];
    tests.push(await runTests('unit tests on Node 24', newerNode, which, { aside: true }));
  }
  return { tests, hour };
}

/** What waits for programs, graphs and sockets most of the time. */
async function runWhatWaits(newerNode, otherRos) {
  const tests = [await runTests('edges', process.execPath, projects('edge', 'ros', 'e2e'))];
  const edges = [...projects('edge', 'e2e'), ...ON_NEWER_NODE];
  if (newerNode) tests.push(await runTests('edges on Node 24', newerNode, edges));
  if (otherRos) tests.push(await runTests(otherRos.title, process.execPath, GRAPH, otherRos));
  return tests;
}

/** Browsers, which need both cores, and what is judged in real time: with nothing beside them. */
async function runAlone(otherRos) {
  const tests = [await runTests('browsers and real time', process.execPath, projects('page', 'real'))];
  if (otherRos) tests.push(await runTests(`a bridge on ${otherRos.title}`, process.execPath, WHOLE, otherRos));
  return tests;
}

/** A copy of this checkout with another release of ROS 2, which stands in a folder. */
function copyWithRos(folder) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  copyCheckout(root, folder);
  const tools = process.env.ARM_BRIDGE_ROS2_TOOLS ?? join(root, '..', 'shared', 'witness', 'ros2-tools.py');
  const env = { ...otherEnvironment(folder), ARM_BRIDGE_ROS2_TOOLS: tools };
  return { title: `ROS 2 ${env.ROS_DISTRO}`, folder, env };
}

async function runAll() {
  const { ARM_BRIDGE_NODE_24: newerNode, ARM_BRIDGE_OTHER_ROS: folder } = process.env;
  if (!newerNode) skip('Node 24', 'ARM_BRIDGE_NODE_24');
  if (!folder) skip('another ROS 2', 'ARM_BRIDGE_OTHER_ROS');
  const otherRos = folder ? copyWithRos(folder) : null;
  const [checks, waiting, { tests, hour }] = await Promise.all([
    runChecks(),
    runWhatWaits(newerNode, otherRos),
    runWhatCalculates(newerNode),
  ]);
  return { checks: [...checks, hour], tests: [...waiting, ...tests, ...(await runAlone(otherRos))] };
}

/** Only the tests that somebody has asked for. */
async function runChosen(chosen) {
  const [checks, tests] = await Promise.all([runChecks(), runTests('tests', process.execPath, chosen)]);
  return { checks, tests: [tests] };
}

/** Arguments that have vitest run these of its projects. */
function projects(...names) {
  return names.flatMap((name) => ['--project', name]);
}

const chosen = process.argv.slice(2);
const { checks, tests } = await (chosen.length === 0 ? runAll() : runChosen(chosen));
const line = tell(checks, tests);
// npm may print after this program, so whoever needs the totals last (.ci/run) names a file for them.
if (process.env.TEST_TOTALS_FILE) writeFileSync(process.env.TEST_TOTALS_FILE, `${line}\n`);
