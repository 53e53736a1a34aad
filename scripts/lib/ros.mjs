// Which ROS 2 will be used: the one that is sourced, or the one from PyPI; and the environment each needs.

import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve, sep } from 'node:path';
import { installFolder, isOurInstall } from './interfaces.mjs';
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
 * @returns {{ros: Ros} | {reason: string}} the reason says why there can be none, and what to do
 */
export function findRos(root, cache, env = process.env) {
  const prefixes = sourcedPrefixes(root, env);
  return prefixes.length > 0 ? findSourced(root, prefixes, env) : findWheels(root, cache, env);
}

function findSourced(root, prefixes, env) {
  const base = prefixes.find((prefix) => existsSync(join(prefix, 'share', 'rcl', 'package.xml')));
  if (base === undefined || !env.ROS_DISTRO) {
    const what = base === undefined ? 'none of its folders holds a ROS 2' : 'ROS_DISTRO is not';
    return {
      reason: `AMENT_PREFIX_PATH is set but ${what}: source the setup.bash of a ROS 2, or unset AMENT_PREFIX_PATH`,
    };
  }
  const python = which('python3', env.PATH);
  if (python === null) return { reason: missingLine(['python']) };
  const own = installFolder(root);
  const libraryPath = [
    join(own, 'lib'),
    ...(env.LD_LIBRARY_PATH ?? '').split(delimiter).filter((entry) => entry !== ''),
  ];
  const ros = {
    kind: 'sourced',
    distro: env.ROS_DISTRO,
    identity: hashOf(...prefixes, readFileSync(join(base, 'share', 'rcl', 'package.xml'))),
    python,
    prefix: null,
    missing: missingBuildTools({ cmake: true }, env.PATH),
    env: {
      ...env,
      AMENT_PREFIX_PATH: [own, ...prefixes].join(delimiter),
      LD_LIBRARY_PATH: libraryPath.join(delimiter),
    },
    libraryPath,
  };
  return { ros };
}

function findWheels(root, cache, env) {
  const impossible = whyNoWheels();
  if (impossible !== null) return { reason: impossible };
  if (`${cache}${sep}`.startsWith(`${root}${sep}`)) {
    return {
      reason: `the cache folder ${cache} lies inside this checkout, which CMake refuses: set XDG_CACHE_HOME elsewhere`,
    };
  }
  const python = findPython();
  const missing = [
    ...(python?.missing ?? ['python', 'venv', 'headers']),
    ...missingBuildTools({ cmake: false }, env.PATH),
  ];
  if (python === null || python.missing.includes('python')) return { reason: missingLine(missing) };
  const prefix = locatePrefix(root, cache, python);
  const ros = {
    kind: 'PyPI',
    distro: DISTRO,
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
