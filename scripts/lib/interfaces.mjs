// The interface package of this repository: message definitions in msg/, built for C, C++ and Python into build/ros.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sharedLibraries } from './ros-prefix.mjs';
import { hashFiles, hashOf, readStamp, writeStamp } from './stamp.mjs';

const INPUTS = ['msg', 'srv', 'action', 'package.xml', 'CMakeLists.txt', 'scripts/launcher.in'];

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
  return hashOf(interfaceHash(root), ros.identity, ros.distro, root);
}

/** Whether build/ros belongs to the definitions and to this ROS 2. */
export function interfacesAreCurrent(root, ros) {
  return readStamp(stampPath(root)) === interfacesKey(root, ros) && existsSync(pythonWrapper(root));
}

/**
 * Configures, builds and installs the package.
 * @param {string} root
 * @param {import('./ros.mjs').Ros} ros
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function buildInterfaces(root, ros, run) {
  const key = interfacesKey(root, ros);
  const folder = join(root, 'build', 'ros');
  const build = join(folder, 'build');
  rmSync(stampPath(root), { force: true });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(build, { recursive: true });
  const options = { env: ros.env };
  const generator = ros.prefix === null ? [] : ['-G', 'Ninja'];
  await run(
    'cmake',
    [
      ...generator,
      '-S',
      root,
      '-B',
      build,
      '-DCMAKE_BUILD_TYPE=Release',
      `-DCMAKE_INSTALL_PREFIX=${installFolder(root)}`,
      `-DPython3_EXECUTABLE=${ros.python}`,
      '-DPython3_FIND_VIRTUALENV=ONLY',
      '-DBUILD_TESTING=OFF',
      '-DARM_BRIDGE_INSTALL_DATA=OFF',
    ],
    options,
  );
  await run('cmake', ['--build', build, '--parallel'], options);
  await run('cmake', ['--install', build], options);
  if (ros.prefix !== null) {
    const rpath = `$ORIGIN:${join(ros.prefix.path, 'lib')}`;
    const libraries = sharedLibraries(join(installFolder(root), 'lib'));
    await run('patchelf', ['--force-rpath', '--set-rpath', rpath, ...libraries], options);
  }
  writePythonWrapper(root, ros);
  writeStamp(stampPath(root), key);
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
