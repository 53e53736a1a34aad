// What `npm run doctor` prints.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rosVariables } from './environment.mjs';
import { interfaceHash, interfacesAreCurrent } from './interfaces.mjs';
import { packagesAreCurrent, packagesKey } from './npm-packages.mjs';
import {
  cacheFolder,
  findPython,
  glibcVersion,
  installCommand,
  missingBuildTools,
  missingLine,
  nodeHeadersPrefix,
  nodeTooOld,
  packageManager,
  which,
  whyNoWheels,
} from './platform.mjs';
import { addonIsCurrent, addonPath, isInstalled, messagesAreCurrent } from './rclnodejs.mjs';
import { describeRos, findRos } from './ros.mjs';
import { rosIsReady } from './ros-build.mjs';
import { prefixIsComplete } from './ros-prefix.mjs';
import { buildIsCurrent, buildKey } from './typescript.mjs';
import { locateWitness, witnessIsComplete } from './witness.mjs';

const LABEL_WIDTH = 22;

/** First line that a program prints about itself, or null when it is not there or does not run. */
function firstLine(program, args) {
  try {
    const text = execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return text.split('\n')[0].trim();
  } catch {
    return null;
  }
}

/** Makes of a thing that is or is not there one word about what the next `npm start` does. */
const state = (isCurrent) => (isCurrent ? 'ready' : 'to be made');

/**
 * What the preparation found, what it will use, what is missing and how to install it.
 * @param {string} root the checkout
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {{title: string, lines: Record<string, string>}[]}
 */
export function report(root, env = process.env) {
  const sections = [];
  const section = (title) => sections.push({ title, lines: {} });
  const line = (label, text) => {
    sections.at(-1).lines[label] = text;
  };
  const cache = cacheFolder(env);
  const manager = packageManager();
  const howTo = (...missing) => `missing; to install: ${installCommand(missing, manager)}`;

  section('Found');
  line('system', `${process.platform} ${process.arch}, ${glibcVersion() ? `glibc ${glibcVersion()}` : 'no glibc'}`);
  line('Node', `${process.version} at ${process.execPath}, ${nodeTooOld() ?? describeHeaders()}`);
  line('npm', firstLine('npm', ['--version']) ?? 'missing; it comes with Node');
  const python = findPython();
  if (python === null) {
    line('Python', howTo('python', 'venv', 'headers'));
  } else {
    line(
      'Python',
      `${python.version} at ${python.executable}${python.missing.includes('python') ? `; ${howTo('python')}` : ''}`,
    );
    line('Python venv', python.missing.includes('venv') ? howTo('venv') : 'present');
    line('Python headers', python.missing.includes('headers') ? howTo('headers') : python.include);
  }
  const tools = missingBuildTools({ sourced: true }, env.PATH);
  line(
    'C/C++ compiler',
    tools.includes('compiler') ? howTo('compiler') : (firstLine('c++', ['--version']) ?? 'present'),
  );
  line(
    'make',
    tools.includes('make') ? 'none; needed only with a sourced ROS 2' : (firstLine('make', ['--version']) ?? 'present'),
  );
  line('CMake', tools.includes('cmake') ? 'none; needed only with a sourced ROS 2' : which('cmake', env.PATH));
  line(
    'sourced ROS 2',
    env.AMENT_PREFIX_PATH ? `${env.ROS_DISTRO ?? 'ROS_DISTRO is not set'}, ${env.AMENT_PREFIX_PATH}` : 'none',
  );
  line('ROS 2 from PyPI', whyNoWheels() ?? 'possible here');
  line('cache folder', `${cache}${existsSync(cache) ? '' : ' (not there yet)'}`);
  const kept = existsSync(cache)
    ? readdirSync(cache).filter((name) => /^(ros|witness|node-24)-[0-9a-f]+$/.test(name))
    : [];
  line('kept in it', kept.length > 0 ? kept.join(', ') : 'nothing');

  section('Will be used by the next `npm start`');
  line('npm packages', `${state(packagesAreCurrent(root))}, lock ${packagesKey(root)}`);
  const found = findRos(root, cache, env);
  if ('reason' in found) {
    line('ROS 2', `none: ${found.reason}`);
  } else {
    const { ros } = found;
    const ready = ros.prefix === null || prefixIsComplete(ros.prefix);
    line('ROS 2', `${describeRos(ros)}, ${state(ready)}`);
    line('interface package', `${state(ready && interfacesAreCurrent(root, ros))}, definitions ${interfaceHash(root)}`);
    line(
      'rclnodejs',
      isInstalled(root)
        ? `${relative(root, addonPath(root))}, ${state(addonIsCurrent(root, ros))}`
        : 'not installed yet',
    );
    line('messages', isInstalled(root) ? state(messagesAreCurrent(root, ros)) : 'to be made');
    if (ros.missing.length > 0) line('ROS 2 lacks', missingLine(ros.missing, manager));
  }
  line('bridge', `dist/main.js, ${state(buildIsCurrent(root))}, sources ${buildKey(root)}`);
  if (python !== null && !python.missing.includes('python')) {
    const witness = locateWitness(root, cache, python);
    line('oracles of the tests', `${witness.path}, ${state(witnessIsComplete(witness))}`);
  }
  line('log', describeLog(root));
  return sections;
}

/**
 * The report for a terminal.
 * @param {ReturnType<typeof report>} sections
 * @returns {string}
 */
export function reportText(sections) {
  const text = ({ title, lines }) =>
    [title, ...Object.entries(lines).map(([label, what]) => `${`${label}:`.padEnd(LABEL_WIDTH)} ${what}`)].join('\n');
  return sections.map(text).join('\n\n');
}

/**
 * Environment in which the next `npm start` would run the bridge, as far as it is prepared.
 * @param {string} root the checkout
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Record<string, string>}
 */
export function readyVariables(root, env = process.env) {
  const found = findRos(root, cacheFolder(env), env);
  if ('reason' in found) return { ARM_BRIDGE_ROS_UNAVAILABLE: found.reason };
  const { ros } = found;
  return rosIsReady(root, ros)
    ? rosVariables(root, ros)
    : { ARM_BRIDGE_ROS_UNAVAILABLE: 'it is not prepared yet: npm start does it' };
}

function describeHeaders() {
  const prefix = nodeHeadersPrefix();
  return prefix === null ? 'headers will be downloaded' : `headers in ${join(prefix, 'include', 'node')}`;
}

function describeLog(root) {
  const folder = join(root, 'build', 'log');
  const logs = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('prepare-')) : [];
  const newest = logs.sort().at(-1);
  return newest === undefined ? 'build/log/, none yet' : join('build', 'log', newest);
}
