// Which ROS 2 will be used: the one that is sourced, or the one from PyPI; and the environment each needs.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { installFolder, isOurInstall, pythonRecord } from './interfaces.mjs';
import { findPython, missingBuildTools, missingLine, which, whyNoWheels } from './platform.mjs';
import {
  DISTRO,
  isOurPrefix,
  libraryFolders,
  locatePrefix,
  prefixEnvironment,
  prefixIsComplete,
} from './ros-prefix.mjs';
import { hashOf } from './stamp.mjs';

/**
 * @typedef {object} Ros
 * @property {'sourced' | 'PyPI'} kind
 * @property {string} distro such as "jazzy"
 * @property {string} identity changes whenever something built against it must be built again
 * @property {string} python interpreter that has its rclpy
 * @property {import('./ros-prefix.mjs').Prefix | null} prefix null when sourced
 * @property {string[]} missing tools that building against it needs and this machine lacks (platform.mjs)
 * @property {NodeJS.ProcessEnv} env in which things are built against it, the package of this checkout included
 * @property {string[]} libraryPath what rclpy needs in LD_LIBRARY_PATH; for PyPI known once the prefix is complete
 */

/**
 * The prefixes of a ROS 2 that somebody sourced, without those that the preparation itself has made and exported.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]}
 */
export function sourcedPrefixes(root, env) {
  const entries = (env.AMENT_PREFIX_PATH ?? '').split(delimiter).filter((entry) => entry !== '');
  return entries.filter(
    (entry) => resolve(entry) !== installFolder(root) && !isOurInstall(entry) && !isOurPrefix(entry),
  );
}

/**
 * Finds the ROS 2 to use; nothing is installed.
 * @param {string} root
 * @param {string} cache
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {{ros: Ros, ignored?: string} | {reason: string}} the reason says why there can be none, and what to do;
 *   `ignored` what of the environment is left aside, for people
 */
export function findRos(root, cache, env = process.env) {
  const prefixes = sourcedPrefixes(root, env);
  const base = prefixes.find((prefix) => existsSync(join(prefix, 'share', 'rcl', 'package.xml')));
  if (base !== undefined) return findSourced(root, prefixes, base, env);
  const found = findWheels(root, cache, env);
  if (prefixes.length === 0) return found;
  // A workspace that was built on a ROS 2 which is not sourced, for one.
  const ignored = `AMENT_PREFIX_PATH (${prefixes.join(', ')}) holds no ROS 2 and is left aside`;
  return 'reason' in found ? { reason: `${ignored}; ${found.reason}` } : { ...found, ignored };
}

/** The name of a release, which a service started without a shell lacks in its environment; null if it cannot be told. */
function distroOf(base, env) {
  if (env.ROS_DISTRO) return env.ROS_DISTRO;
  if (basename(dirname(base)) === 'ros') return basename(base);
  const hooks = join(base, 'share', 'ros_environment', 'environment');
  const hook = existsSync(hooks) ? readdirSync(hooks).find((name) => name.endsWith('ros_distro.sh')) : undefined;
  return hook === undefined ? null : (/ROS_DISTRO=(\w+)/.exec(readFileSync(join(hooks, hook), 'utf8'))?.[1] ?? null);
}

function findSourced(root, prefixes, base, env) {
  const distro = distroOf(base, env);
  if (distro === null) return { reason: `ROS_DISTRO is not set: source the setup.bash of the ROS 2 in ${base}` };
  const python = which('python3', env.PATH);
  if (python === null) return { reason: missingLine(['python']) };
  const own = installFolder(root);
  const libraryPath = [
    join(own, 'lib'),
    ...(env.LD_LIBRARY_PATH ?? '').split(delimiter).filter((entry) => entry !== ''),
  ];
  const ros = {
    kind: 'sourced',
    distro,
    identity: hashOf(...prefixes, readFileSync(join(base, 'share', 'rcl', 'package.xml'))),
    python,
    prefix: null,
    missing: missingBuildTools({ sourced: true }, env.PATH),
    env: {
      ...env,
      ROS_DISTRO: distro,
      AMENT_PREFIX_PATH: [own, ...prefixes].join(delimiter),
      LD_LIBRARY_PATH: libraryPath.join(delimiter),
    },
    libraryPath,
  };
  return { ros };
}

/**
 * The Python with which ROS 2 has been prepared for this checkout, as long as it and its prefix are there: asking all that
 * the machine has takes a while, and another that comes first by now would be no reason to begin anew.
 */
function usedPython(root, cache, distro) {
  try {
    const python = JSON.parse(readFileSync(pythonRecord(root), 'utf8'));
    return existsSync(python.executable) && prefixIsComplete(locatePrefix(root, cache, python, distro)) ? python : null;
  } catch {
    return null;
  }
}

/**
 * The ROS 2 of a distribution from PyPI; nothing is installed.
 * @param {string} root
 * @param {string} cache
 * @param {NodeJS.ProcessEnv} env
 * @param {string} [distro]
 * @returns {{ros: Ros} | {reason: string}}
 */
export function findWheels(root, cache, env, distro = DISTRO) {
  const impossible = whyNoWheels();
  if (impossible !== null) return { reason: impossible };
  const python = usedPython(root, cache, distro) ?? findPython();
  const missing = [
    ...(python?.missing ?? ['python', 'venv', 'headers']),
    ...missingBuildTools({ sourced: false }, env.PATH),
  ];
  if (python === null || python.missing.includes('python')) return { reason: missingLine(missing) };
  const prefix = locatePrefix(root, cache, python, distro);
  const ros = {
    kind: 'PyPI',
    distro,
    identity: hashOf(prefix.path, prefix.key),
    python: join(prefix.path, 'bin', 'python'),
    prefix,
    missing,
    env: {
      ...prefixEnvironment(prefix, env),
      AMENT_PREFIX_PATH: [installFolder(root), prefix.path].join(delimiter),
    },
    get libraryPath() {
      return [join(installFolder(root), 'lib'), ...(prefixIsComplete(prefix) ? libraryFolders(prefix) : [])];
    },
  };
  return { ros };
}

/**
 * How a ROS 2 is shown to a person.
 * @param {Ros} ros
 * @returns {string}
 */
export function describeRos(ros) {
  return ros.kind === 'PyPI' ? `ROS 2 ${ros.distro} from PyPI in ${ros.prefix.path}` : `ROS 2 ${ros.distro} as sourced`;
}
