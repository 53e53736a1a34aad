// The preparation: brings a checkout from whatever state it is in to one in which the bridge can run.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { findChromium, INSTALL, installChromium, mayInstall } from './chromium.mjs';
import { buildComposeLoader, composeLoaderIsComplete, locateComposeLoader } from './compose-loader.mjs';
import { rosVariables } from './environment.mjs';
import { buildInterfaces, interfacesAreCurrent } from './interfaces.mjs';
import { signalMarked } from './leftovers.mjs';
import { acquireLock } from './lock.mjs';
import { installNewerNode, locateNewerNode, newerNodeIsComplete } from './newer-node.mjs';
import { installPackages, packagesAreCurrent } from './npm-packages.mjs';
import { cacheFolder, findPython, missingLine, nodeTooOld } from './platform.mjs';
import { Progress, StepError } from './progress.mjs';
import { addonIsCurrent, buildAddon, generateMessages, isInstalled, messagesAreCurrent } from './rclnodejs.mjs';
import { describeRos, findRos } from './ros.mjs';
import { buildPrefix, prefixIsComplete } from './ros-prefix.mjs';
import { run as runProgram } from './run.mjs';
import { buildIsCurrent, buildTypeScript } from './typescript.mjs';
import { buildWitness, locateWitness, witnessIsComplete } from './witness.mjs';

/**
 * @typedef {object} Wish
 * @property {boolean} ros whether ROS 2 is wanted
 * @property {boolean} rosRequired whether to fail without it, rather than go on
 * @property {boolean} witness whether the tests' oracles are wanted
 * @property {boolean} composeLoader whether the tests' loader of compose files is wanted
 * @property {boolean} newerNode whether a newer Node for running tests a second time is wanted
 * @property {boolean} browser whether a browser for the test of the control page is wanted
 */

/**
 * Reads from the arguments of the bridge what has to be prepared for them.
 * @param {'start' | 'test'} purpose
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Wish}
 */
export function wishOf(purpose, args, env = process.env) {
  if (purpose === 'test') {
    const ros = env.ARM_BRIDGE_ROS_ENABLED !== 'false';
    return { ros, rosRequired: true, witness: ros, composeLoader: true, newerNode: true, browser: true };
  }
  const answersAndEnds = args.some((arg) => ['--help', '-h', '--version', '-V'].includes(arg));
  const ros = !args.includes('--no-ros') && env.ARM_BRIDGE_ROS_ENABLED !== 'false' && !answersAndEnds;
  return { ros, rosRequired: false, witness: false, composeLoader: false, newerNode: false, browser: false };
}

/**
 * Prepares the checkout; says on stderr what it does.
 * @param {string} root
 * @param {Wish} wish
 * @returns {Promise<Record<string, string>>} variables for the bridge or the tests
 * @throws {StepError} when the bridge cannot run, or when ROS is required and impossible
 */
export async function prepare(root, wish) {
  const tooOld = nodeTooOld();
  if (tooOld !== null) throw new StepError(tooOld);
  const progress = new Progress({ root });
  const token = randomUUID();
  const context = {
    root,
    cache: cacheFolder(),
    progress,
    token,
    run: (program, args, options) => runProgram(program, args, { progress, token, ...options }),
  };
  endOnSignals(context);
  const lock = await lockWithNotice(context, join(root, 'build', 'prepare.lock'), 'this checkout');
  try {
    const variables = await prepareLocked(context, wish);
    return variables;
  } catch (error) {
    if (error instanceof StepError && progress.logPath !== null) error.message += `; details in ${progress.logPath}`;
    throw error;
  } finally {
    lock.release();
  }
}

async function prepareLocked(context, wish) {
  const { root, progress, run } = context;
  if (!packagesAreCurrent(root)) await progress.step('npm packages: installing', () => installPackages(root, run));
  // Some of it is downloaded and some compiled: side by side that takes much less time.
  const [prepared, tools] = await together(
    wish.ros ? rosOrReason(context, wish) : { variables: {}, ros: 'ROS not asked for' },
    prepareTools(context, wish),
    buildIsCurrent(root) ? null : progress.step('TypeScript: compiling', () => buildTypeScript(root, run)),
  );
  progress.note(`ready, ${prepared.ros}`);
  return { ...prepared.variables, ...tools };
}

/** The results of all works; when one has failed, throws its error once the others have ended too. */
async function together(...works) {
  const ends = await Promise.allSettled(works);
  for (const { status, reason } of ends) if (status === 'rejected') throw reason;
  return ends.map(({ value }) => value);
}

/** What tests ask for besides the bridge. */
async function prepareTools(context, wish) {
  const variables = {};
  if (wish.witness) variables.ARM_BRIDGE_WITNESS_PYTHON = await prepareWitness(context);
  if (wish.composeLoader) await prepareComposeLoader(context, variables);
  if (wish.newerNode) await prepareNewerNode(context, variables);
  if (wish.browser) await prepareBrowser(context, variables);
  return variables;
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

/** Not every machine has Go, and only the test of docker/compose.yaml asks for it: it is skipped without. */
async function prepareComposeLoader(context, variables) {
  const { root, cache, progress, run } = context;
  const program = locateComposeLoader(root, cache);
  const isComplete = () => composeLoaderIsComplete(program);
  const build = () => buildComposeLoader(root, program, run);
  try {
    if (!isComplete()) {
      await underLock(context, program, isComplete, () => progress.step('loader of compose files: building', build));
    }
    variables.ARM_BRIDGE_COMPOSE_LOADER = program;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    progress.note(
      `no loader of compose files (Go 1.24 and its module proxy are needed), its test will be skipped: ${error.message}`,
    );
  }
}

/** Without it, run-tests.mjs says loudly that nothing is run on it. */
async function prepareNewerNode(context, variables) {
  const { root, cache, progress, run } = context;
  const newer = locateNewerNode(root, cache);
  const isComplete = () => newerNodeIsComplete(newer);
  const install = () => progress.step('Node 24 from npm: installing', () => installNewerNode(root, newer, run));
  try {
    if (!isComplete()) await underLock(context, newer.path, isComplete, install);
    variables.ARM_BRIDGE_NODE_24 = newer.node;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    progress.note(`no Node 24, no tests will be run on it: ${error.message}`);
  }
}

async function rosOrReason(context, wish) {
  try {
    return await prepareRos(context);
  } catch (error) {
    if (wish.rosRequired || !(error instanceof StepError)) throw error;
    const { progress } = context;
    const reason = progress.logPath === null ? error.message : `${error.message}; details in ${progress.logPath}`;
    progress.note(`going on without ROS: ${reason}`);
    return { variables: { ARM_BRIDGE_ROS_UNAVAILABLE: reason }, ros: 'without ROS' };
  }
}

async function prepareRos(context) {
  const { root, cache, progress, run } = context;
  const found = findRos(root, cache);
  if ('reason' in found) throw new StepError(found.reason);
  const { ros } = found;
  if (!isInstalled(root))
    throw new StepError('npm has left out the optional package rclnodejs: delete node_modules and try again');
  const needTools = () => {
    if (ros.missing.length > 0) throw new StepError(missingLine(ros.missing));
  };
  if (ros.prefix !== null && !prefixIsComplete(ros.prefix)) {
    needTools();
    await underLock(
      context,
      ros.prefix.path,
      () => prefixIsComplete(ros.prefix),
      () => progress.step(`ROS 2 ${ros.distro} from PyPI: installing`, () => buildPrefix(root, ros.prefix, run)),
    );
  }
  if (!interfacesAreCurrent(root, ros)) {
    needTools();
    await progress.step('interface packages: building', () => buildInterfaces(root, ros, run));
  }
  if (!addonIsCurrent(root, ros)) {
    needTools();
    await progress.step('rclnodejs: building', () => buildAddon(root, ros, run));
  }
  if (!messagesAreCurrent(root, ros)) {
    await progress.step('rclnodejs: generating messages', () => generateMessages(root, ros, run));
  }
  return { variables: rosVariables(root, ros), ros: `with ${describeRos(ros)}` };
}

async function prepareWitness(context) {
  const { root, cache, progress, run } = context;
  const python = findPython();
  if (python === null || python.missing.includes('python')) throw new StepError(missingLine(['python', 'venv']));
  const witness = locateWitness(root, cache, python);
  if (!witnessIsComplete(witness)) {
    await underLock(
      context,
      witness.path,
      () => witnessIsComplete(witness),
      () => progress.step('oracles of the tests from PyPI: installing', () => buildWitness(root, witness, python, run)),
    );
  }
  return witness.python;
}

/** Builds a folder of the cache unless another checkout does so first. */
async function underLock(context, folder, isComplete, build) {
  const lock = await lockWithNotice(context, `${folder}.lock`, folder);
  try {
    if (!isComplete()) await build();
  } finally {
    lock.release();
  }
}

function lockWithNotice({ progress, token }, path, what) {
  const onWait = (owner) => progress.note(`waiting for process ${owner?.pid ?? 'unknown'}, which prepares ${what}`);
  return acquireLock(path, { token, onWait });
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
