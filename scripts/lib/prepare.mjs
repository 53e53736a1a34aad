// The preparation: brings a checkout from whatever state it is in to one in which the bridge can run.

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, INSTALL, installChromium, mayInstall } from './chromium.mjs';
import { buildCompose, composeIsComplete, locateCompose } from './compose.mjs';
import { futureVariables, rosVariables } from './environment.mjs';
import { signalMarked } from './leftovers.mjs';
import { findLerobotPython, installLerobot, lerobotIsComplete, locateLerobot } from './lerobot.mjs';
import { acquireLock } from './lock.mjs';
import { installNewerNode, locateNewerNode, newerNodeIsComplete } from './newer-node.mjs';
import { installPackages, packagesAreCurrent } from './npm-packages.mjs';
import { prepareOtherRos } from './other-ros.mjs';
import { cacheFolder, findPython, missingLine, nodeTooOld } from './platform.mjs';
import {
  addressOf,
  npmCache,
  SPACE,
  shareDisk,
  whyNoConfiguration,
  whyNoNetwork,
  whyNoSpace,
  whyNotListen,
  whyNotWritable,
} from './preflight.mjs';
import { Progress, StepError } from './progress.mjs';
import { describeRos, findRos } from './ros.mjs';
import { buildRos, rosIsReady, timeLeft, together } from './ros-build.mjs';
import { OTHER_DISTRO, prefixIsComplete } from './ros-prefix.mjs';
import { run as runProgram } from './run.mjs';
import { buildIsCurrent, buildTypeScript } from './typescript.mjs';
import { buildWitness, locateWitness, witnessIsComplete } from './witness.mjs';

/** How much what goes on beside a running bridge gives way to it, as for `nice`. */
const NICENESS = 10;

/**
 * @typedef {object} Wish
 * @property {boolean} ros whether ROS 2 is wanted
 * @property {boolean} rosRequired whether to fail without it, rather than go on
 * @property {boolean} bridge whether a bridge is to be started, rather than a command run that ends by itself
 * @property {boolean} witness whether the tests' oracles are wanted
 * @property {boolean} lerobot whether LeRobot is wanted, for the tests of its plug-ins
 * @property {boolean} compose whether the tests' Docker Compose is wanted
 * @property {boolean} otherRos whether another release of ROS 2 for running tests a second time is wanted
 * @property {boolean} newerNode whether a newer Node for running tests a second time is wanted
 * @property {boolean} browser whether a browser for the test of the control page is wanted
 */

/** Options of the bridge that are followed by a value. */
const WITH_VALUE = ['--config', '--port', '--host'];
const ANSWERED = ['--help', '-h', '--version', '-V'];

/** Whether arguments name one of the commands besides the bridge, or ask something that is answered without it. */
function isCommand(args) {
  for (let i = 0; i < args.length && args[i] !== '--ros-args'; i++) {
    if (ANSWERED.includes(args[i]) || !args[i].startsWith('-')) return true;
    if (WITH_VALUE.includes(args[i])) i++;
  }
  return false;
}

/**
 * Reads from the arguments of the bridge what has to be prepared for them.
 * @param {'start' | 'run' | 'test'} purpose
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Wish}
 */
export function wishOf(purpose, args, env = process.env) {
  const tests = purpose === 'test';
  const bridge = !tests && !isCommand(args);
  const ros = (tests || bridge) && !args.includes('--no-ros') && env.ARM_BRIDGE_ROS_ENABLED !== 'false';
  return {
    ros,
    rosRequired: tests,
    bridge,
    witness: tests && ros,
    lerobot: tests,
    compose: tests,
    otherRos: tests && ros,
    newerNode: tests,
    browser: tests,
  };
}

/**
 * Prepares the checkout; says on stderr what it does.
 * @param {string} root
 * @param {Wish} wish
 * @returns {Promise<Record<string, string>>} variables for the bridge or the tests
 * @throws {StepError} when the bridge cannot run, or when ROS is required and impossible
 */
export async function prepare(root, wish) {
  const context = makeContext(root);
  return withLog(context, async () => {
    const ros = planRos(context, wish);
    await checkPackages(context, ros);
    const packages = preparePackages(context);
    // Some of it is downloaded and some compiled: side by side that takes much less time.
    const [prepared, tools, other] = await together(
      rosOrReason(context, ros, packages),
      prepareTools(context, wish),
      wish.otherRos ? prepareOther(context, packages) : {},
      packages.then(() => prepareProgram(context)),
    );
    context.progress.note(`ready, ${prepared.ros}`);
    return { ...prepared.variables, ...tools, ...other };
  });
}

/**
 * Prepares what the bridge needs to run without ROS 2, hands over its environment, and goes on with ROS 2 beside it. From
 * then on the terminal belongs to the bridge, which is told how far ROS 2 is.
 * @param {string} root
 * @param {Wish} wish
 * @param {string[]} args of the bridge
 * @param {(variables: Record<string, string>, pending: boolean) => void} handOver gives the bridge its environment;
 *   `pending` says whether more comes
 * @param {(news: object) => void} tell tells the running bridge: {step, left}, {ready: variables} or {failed: reason}
 * @throws {StepError} when the bridge cannot run
 */
export async function prepareBeside(root, wish, args, handOver, tell) {
  const context = makeContext(root);
  const { progress } = context;
  await withLog(context, async () => {
    const why = wish.bridge ? (whyNoConfiguration(args) ?? (await whyNotListen(addressOf(root, args)))) : null;
    if (why !== null) throw new StepError(why);
    const ros = planRos(context, wish);
    await checkPackages(context, ros);
    if (ros.plan !== 'build') {
      await preparePackages(context);
      await prepareProgram(context);
      handOver(ros.variables, false);
      return;
    }
    context.niceness = NICENESS;
    const packages = preparePackages(context);
    // Its failure is told when the bridge runs.
    const prepared = rosOrReason(context, ros, packages);
    prepared.catch(() => {});
    await packages;
    await prepareProgram(context);
    handOver({ ...futureVariables(root, ros.ros), ARM_BRIDGE_ROS_PREPARATION: '3' }, true);
    const step = (title) => tell({ step: title, left: Math.round(timeLeft(progress.running, progress.elapsed)) });
    progress.handOver(step);
    const { variables } = await prepared;
    const { ARM_BRIDGE_ROS_UNAVAILABLE: failed } = variables;
    tell(failed === undefined ? { ready: variables } : { failed });
  });
}

function makeContext(root) {
  const tooOld = nodeTooOld();
  if (tooOld !== null) throw new StepError(tooOld);
  const progress = new Progress({ root });
  const token = randomUUID();
  const context = {
    root,
    cache: cacheFolder(),
    progress,
    token,
    niceness: 0,
    run: (program, args, options) => runProgram(program, args, { progress, token, ...options }),
  };
  context.underLock = (lock, what, isDone, work) => underLock(context, lock, what, isDone, work);
  endOnSignals(context);
  return context;
}

async function withLog({ progress }, work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StepError && progress.logPath !== null) error.message += `; details in ${progress.logPath}`;
    throw error;
  }
}

/**
 * What becomes of ROS 2: `use` it as it is, `build` what it lacks, or do `without`, with variables that say why. What
 * cannot be had is told at once.
 */
function planRos({ root, cache, progress }, wish) {
  const required = wish.rosRequired;
  const without = (reason) => {
    if (required) throw new StepError(reason);
    progress.note(`without ROS 2: ${reason}`);
    return { plan: 'without', variables: { ARM_BRIDGE_ROS_UNAVAILABLE: reason } };
  };
  if (!wish.ros && (wish.bridge || wish.browser)) return { plan: 'without', variables: {} };
  const found = findRos(root, cache);
  if ('reason' in found) return wish.ros ? without(found.reason) : { plan: 'without', variables: {} };
  const { ros, ignored } = found;
  if (rosIsReady(root, ros)) return { plan: 'use', ros, variables: rosVariables(root, ros) };
  if (!wish.ros) {
    return { plan: 'without', variables: { ARM_BRIDGE_ROS_UNAVAILABLE: 'it is not prepared yet: npm start does it' } };
  }
  if (ignored !== undefined) progress.note(ignored);
  const reason =
    (ros.missing.length > 0 ? missingLine(ros.missing) : null) ??
    (lacksPrefix(ros)
      ? (whyNotWritable(cache, 'set XDG_CACHE_HOME to another folder') ?? whyNoSpaceForRos(root, cache))
      : null);
  return reason === null ? { plan: 'build', ros, required, variables: {} } : without(reason);
}

const lacksPrefix = ({ prefix }) => prefix !== null && !prefixIsComplete(prefix);

/** The packages come first: they take their part of a disk on which both are. */
function whyNoSpaceForRos(root, cache) {
  const beside = !packagesAreCurrent(root) && shareDisk(root, cache);
  return beside
    ? whyNoSpace(cache, SPACE.ros + SPACE.packages, 'ROS 2 from PyPI, with what npm installs on it,')
    : whyNoSpace(cache, SPACE.ros, 'ROS 2 from PyPI');
}

/** Says at once what would otherwise keep npm busy for minutes, and then fail. */
async function checkPackages({ root, progress }, ros) {
  const packages = !packagesAreCurrent(root);
  if (packages || !buildIsCurrent(root)) {
    const reason =
      whyNotWritable(join(root, 'build'), 'run npm start as the user to whom this checkout belongs') ??
      (packages
        ? whyNotWritable(npmCache(), 'npm keeps its packages there; set npm_config_cache to another folder')
        : null) ??
      (packages ? whyNoSpace(root, SPACE.packages, 'what npm installs') : null);
    if (reason !== null) throw new StepError(reason);
  }
  const prefix = ros.plan === 'build' && lacksPrefix(ros.ros);
  if (!packages && !prefix) return;
  const parts = [
    ...(packages ? [`${SPACE.packages} MB for the packages of npm`] : []),
    ...(prefix ? [`${SPACE.ros} MB for ROS 2 from PyPI`] : []),
  ];
  progress.note(`disk that this needs: ${parts.join(' and ')}`);
  const unreachable = await whyNoNetwork();
  if (unreachable !== null) progress.note(unreachable);
}

async function preparePackages(context) {
  const { root, progress, run } = context;
  const install = () => progress.step('npm packages: installing', () => installPackages(root, run), 20);
  // ROS 2 is built within them, by another start of this checkout perhaps.
  const alone = () =>
    context.underLock(join(root, 'build', 'ros.lock'), 'ROS 2 for this checkout', () => false, install);
  await lockedOnce(context, () => packagesAreCurrent(root), alone);
}

async function prepareProgram(context) {
  const { root, progress, run } = context;
  const build = () => progress.step('bridge and page: compiling', () => buildTypeScript(root, run), 4);
  await lockedOnce(context, () => buildIsCurrent(root), build);
}

const lockedOnce = ({ root, underLock }, isDone, work) =>
  underLock(join(root, 'build', 'prepare.lock'), 'this checkout', isDone, work);

/** What tests ask for besides the bridge. */
async function prepareTools(context, wish) {
  const variables = {};
  if (wish.witness) variables.ARM_BRIDGE_WITNESS_PYTHON = await prepareWitness(context);
  if (wish.lerobot) await prepareLerobot(context, variables);
  if (wish.compose) await prepareCompose(context, variables);
  if (wish.newerNode) await prepareNewerNode(context, variables);
  if (wish.browser) await prepareBrowser(context, variables);
  if (wish.witness || wish.lerobot) keepBytecode(context, variables);
  return variables;
}

/**
 * Python programs of the tests are started by the hundred: each would compile all that it imports where none may write
 * beside the sources, as in most containers.
 */
function keepBytecode({ root }, variables) {
  const folder = join(root, 'build', 'python');
  // What tests have installed in folders of their own is not there any more.
  rmSync(join(folder, tmpdir()), { recursive: true, force: true });
  Object.assign(variables, { PYTHONPYCACHEPREFIX: folder, PYTHONDONTWRITEBYTECODE: '' });
}

/** A browser is looked for, and installed where that is allowed; the tests skip loudly what they cannot do without one. */
async function prepareBrowser({ progress, run }, variables) {
  if (findChromium() === null && mayInstall()) {
    try {
      await progress.step('Chromium for the test of the control page: installing', () => installChromium(run));
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      progress.note(`Chromium cannot be installed: ${error.message}`);
    }
  }
  const chromium = findChromium();
  if (chromium === null) progress.note(`no Chromium: the test of the control page will be skipped; ${INSTALL}`);
  else variables.ARM_BRIDGE_CHROMIUM = chromium;
}

/** Not every machine has the Python that LeRobot asks for: its tests are skipped loudly without. */
async function prepareLerobot({ root, cache, progress, run, underLock }, variables) {
  const python = findLerobotPython();
  if (python === null) {
    progress.note('no CPython 3.12 or 3.13: the tests with LeRobot will be skipped');
    return;
  }
  const lerobot = locateLerobot(root, cache, python);
  const install = () =>
    progress.step('LeRobot from PyPI: installing', () => installLerobot(root, lerobot, python, run));
  try {
    await underLock(`${lerobot.path}.lock`, lerobot.path, () => lerobotIsComplete(lerobot), install);
    variables.ARM_BRIDGE_LEROBOT_PYTHON = lerobot.python;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    progress.note(`no LeRobot, its tests will be skipped: ${error.message}`);
  }
}

/** Not every machine has Go, and only the tests of docker/compose.yaml ask for it: they are skipped without. */
async function prepareCompose({ root, cache, progress, run, underLock }, variables) {
  const program = locateCompose(root, cache);
  const build = () =>
    progress.step('Docker Compose from its Go module: building', () => buildCompose(root, program, run));
  try {
    await underLock(`${program}.lock`, program, () => composeIsComplete(program), build);
    variables.ARM_BRIDGE_COMPOSE = program;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    progress.note(
      `no Docker Compose (Go 1.24.9 and its module proxy are needed), its tests will be skipped: ${error.message}`,
    );
  }
}

/** Without it, run-tests.mjs says loudly that nothing is run on it. */
async function prepareNewerNode({ root, cache, progress, run, underLock }, variables) {
  const newer = locateNewerNode(root, cache);
  const install = () => progress.step('Node 24 from npm: installing', () => installNewerNode(root, newer, run));
  try {
    await underLock(`${newer.path}.lock`, newer.path, () => newerNodeIsComplete(newer), install);
    variables.ARM_BRIDGE_NODE_24 = newer.node;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    progress.note(`no Node 24, no tests will be run on it: ${error.message}`);
  }
}

/** Without it, run-tests.mjs says loudly that nothing is run on it. */
async function prepareOther(context, packages) {
  try {
    return { ARM_BRIDGE_OTHER_ROS: await prepareOtherRos(context, OTHER_DISTRO, packages) };
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    context.progress.note(`no ROS 2 ${OTHER_DISTRO}, no tests will be run on it: ${error.message}`);
    return {};
  }
}

async function prepareWitness({ root, cache, progress, run, underLock }) {
  const python = findPython();
  if (python === null || python.missing.includes('python')) throw new StepError(missingLine(['python', 'venv']));
  const witness = locateWitness(root, cache, python);
  const build = () =>
    progress.step('oracles of the tests from PyPI: installing', () => buildWitness(root, witness, python, run));
  await underLock(`${witness.path}.lock`, witness.path, () => witnessIsComplete(witness), build);
  return witness.python;
}

/** Carries the plan for ROS 2 out. @returns its variables, and what is said of it */
async function rosOrReason(context, { plan, ros, variables, required }, packages) {
  const { root, progress, niceness } = context;
  if (plan !== 'build') return { variables, ros: plan === 'use' ? `with ${describeRos(ros)}` : 'without ROS' };
  try {
    const run = (program, args, options) => context.run(program, args, { niceness, ...options });
    await buildRos({ ...context, run }, ros, packages);
    return { variables: rosVariables(root, ros), ros: `with ${describeRos(ros)}` };
  } catch (error) {
    if (required || !(error instanceof StepError)) throw error;
    const reason = progress.logPath === null ? error.message : `${error.message}; details in ${progress.logPath}`;
    progress.note(`going on without ROS: ${reason}`);
    return { variables: { ARM_BRIDGE_ROS_UNAVAILABLE: reason }, ros: 'without ROS' };
  }
}

/** Does a work unless it is done, or another process does it first. */
async function underLock({ progress, token }, path, what, isDone, work) {
  if (isDone()) return;
  const onWait = (owner) => progress.note(`waiting for process ${owner?.pid ?? 'unknown'}, which prepares ${what}`);
  const lock = await acquireLock(path, { token, onWait });
  try {
    if (!isDone()) await work();
  } finally {
    lock.release();
  }
}

/**
 * Ends what the preparation has started when a signal comes, or when the shell that waits for it is gone; the locks are
 * released as the process exits.
 */
function endOnSignals({ progress, token }) {
  const end = (code) => {
    progress.note('interrupted; the next run goes on from here');
    signalMarked(token, 'SIGTERM');
    process.exit(code);
  };
  process.once('SIGHUP', () => end(129));
  process.once('SIGINT', () => end(130));
  process.once('SIGTERM', () => end(143));
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(1), 500).unref();
}
