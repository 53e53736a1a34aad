// What the bridge and the tests inherit from the preparation, as shell commands.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { installFolder, pythonWrapper } from './interfaces.mjs';

/** Variables that belong to the preparation: a value inherited from an earlier one must not survive. */
const OWN = [
  'ARM_BRIDGE_COMPOSE',
  'ARM_BRIDGE_NODE_24',
  'ARM_BRIDGE_OTHER_ROS',
  'ARM_BRIDGE_ROS_PREPARATION',
  'ARM_BRIDGE_ROS_UNAVAILABLE',
  'ARM_BRIDGE_ROS_PYTHON',
  'ARM_BRIDGE_ROS_LD_LIBRARY_PATH',
  'ARM_BRIDGE_WITNESS_PYTHON',
];

/**
 * Environment of the bridge for a ROS 2 that is ready.
 * @param {string} root
 * @param {import('./ros.mjs').Ros} ros
 * @returns {Record<string, string>}
 */
export function rosVariables(root, ros) {
  const names =
    ros.kind === 'PyPI'
      ? ['AMENT_PREFIX_PATH', 'ROS_DISTRO', 'ROS_VERSION', 'ROS_PYTHON_VERSION', 'RMW_IMPLEMENTATION']
      : ['AMENT_PREFIX_PATH', 'LD_LIBRARY_PATH', 'ROS_DISTRO'];
  const variables = Object.fromEntries(names.map((name) => [name, ros.env[name]]));
  if (ros.kind === 'PyPI') variables.CMAKE_PREFIX_PATH = `${installFolder(root)}:${ros.prefix.path}`;
  variables.ARM_BRIDGE_ROS_PYTHON = pythonWrapper(root);
  variables.ARM_BRIDGE_ROS_LD_LIBRARY_PATH = ros.libraryPath.join(':');
  return variables;
}

/**
 * What a bridge must have in its environment from the beginning when its ROS 2 becomes ready while it runs: the program
 * that loads libraries reads LD_LIBRARY_PATH once, and forgets folders that are not there when it first looks.
 * @param {string} root
 * @param {import('./ros.mjs').Ros} ros
 * @returns {Record<string, string>}
 */
export function futureVariables(root, ros) {
  mkdirSync(join(installFolder(root), 'lib'), { recursive: true });
  const { LD_LIBRARY_PATH } = ros.kind === 'PyPI' ? {} : rosVariables(root, ros);
  return LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH };
}

/**
 * Shell commands that set these variables and unset what an earlier preparation may have left.
 * @param {Record<string, string>} variables
 * @returns {string}
 */
export function shellLines(variables) {
  const unset = OWN.filter((name) => variables[name] === undefined);
  const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`);
  return `${[`unset ${unset.join(' ')}`, ...lines].join('\n')}\n`;
}
