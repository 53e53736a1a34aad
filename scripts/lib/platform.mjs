// What this machine has: Python, compiler, make, system libraries; and which command installs what it lacks.

import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** Wheels of ROS 2 exist for these CPython versions only. */
const PYTHON_MINORS = { first: 10, last: 14 };
/** The wheels are built against this glibc. */
const GLIBC = { major: 2, minor: 28 };

/** The oldest Node that runs the bridge. */
const NODE = [20, 20, 2];

/** What a person calls each thing, and the packages that bring it. */
const PACKAGES = {
  python: { name: 'Python 3.10 to 3.14', apt: ['python3'], dnf: ['python3'], brew: ['python@3.12'] },
  venv: { name: "Python's venv module", apt: ['python3-venv'], dnf: ['python3'], brew: ['python@3.12'] },
  headers: { name: "Python's C headers", apt: ['python3-dev'], dnf: ['python3-devel'], brew: ['python@3.12'] },
  compiler: { name: 'a C/C++ compiler', apt: ['build-essential'], dnf: ['gcc', 'gcc-c++'], brew: null },
  make: { name: 'make', apt: ['build-essential'], dnf: ['make'], brew: null },
  cmake: { name: 'CMake', apt: ['cmake'], dnf: ['cmake'], brew: ['cmake'] },
};

/**
 * Full path of a program, or null.
 * @param {string} program
 * @param {string} [path] value of PATH
 * @returns {string | null}
 */
export function which(program, path = process.env.PATH ?? '') {
  for (const folder of program.includes('/') ? [''] : path.split(delimiter)) {
    const candidate = join(folder, program);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not here; the next folder may have it.
    }
  }
  return null;
}

/** glibc version of this Node process, such as "2.36"; null on another C library or system. */
export function glibcVersion() {
  return process.platform === 'linux' ? (process.report.getReport().header.glibcVersionRuntime ?? null) : null;
}

/**
 * Why the wheels of ROS 2 cannot run here, or null when they can.
 * @param {{platform: string, arch: string, glibc: string | null}} [machine]
 * @returns {string | null}
 */
export function whyNoWheels(machine = { platform: process.platform, arch: process.arch, glibc: glibcVersion() }) {
  const { platform, arch, glibc } = machine;
  if (platform !== 'linux' || arch !== 'x64') {
    return `ROS 2 from PyPI exists for Linux x86_64 only, and this is ${platform} ${arch}: source an installed ROS 2 first`;
  }
  if (glibc === null)
    return 'ROS 2 from PyPI needs glibc, and this system has another C library: source an installed ROS 2 first';
  const [major = 0, minor = 0] = glibc.split('.').map(Number);
  if (major < GLIBC.major || (major === GLIBC.major && minor < GLIBC.minor)) {
    return `ROS 2 from PyPI needs glibc ${GLIBC.major}.${GLIBC.minor}, and this system has ${glibc}: source an installed ROS 2 first`;
  }
  return null;
}

const PYTHON_PROBE = `
import importlib.util as u, json, os, sys, sysconfig
print(json.dumps({
  "implementation": sys.implementation.name,
  "minor": sys.version_info[1] if sys.version_info[0] == 3 else -1,
  "version": "%d.%d.%d" % sys.version_info[:3],
  "executable": os.path.realpath(sys.executable),
  "venv": u.find_spec("venv") is not None and u.find_spec("ensurepip") is not None,
  "include": sysconfig.get_path("include"),
}))`;

/**
 * @typedef {object} Python
 * @property {string} command as it was called
 * @property {string} executable real path of the interpreter
 * @property {string} version such as "3.11.7"
 * @property {number} minor
 * @property {string} include folder of Python.h
 * @property {string[]} missing of "python", "venv", "headers"
 */

/**
 * @param {string} command
 * @returns {Python | null} null when it does not run
 */
export function probePython(command) {
  try {
    const text = execFileSync(command, ['-c', PYTHON_PROBE], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const found = JSON.parse(text);
    const missing = [];
    const fits = found.minor >= PYTHON_MINORS.first && found.minor <= PYTHON_MINORS.last;
    if (!fits || found.implementation !== 'cpython') missing.push('python');
    if (!found.venv) missing.push('venv');
    if (!existsSync(join(found.include, 'Python.h'))) missing.push('headers');
    return { command, ...found, missing };
  } catch {
    return null;
  }
}

/**
 * The first Python that has all that is needed, or else the one that lacks least.
 * @returns {Python | null} null when there is no Python at all
 */
export function findPython() {
  const commands = ['python3'];
  for (let minor = PYTHON_MINORS.last; minor >= PYTHON_MINORS.first; minor--) commands.push(`python3.${minor}`);
  let best = null;
  for (const command of commands) {
    if (which(command) === null) continue;
    const python = probePython(command);
    if (python === null) continue;
    if (python.missing.length === 0) return python;
    if (best === null || python.missing.length < best.missing.length) best = python;
  }
  return best;
}

/**
 * What is missing to compile: of "compiler", "make", "cmake".
 * @param {{sourced: boolean}} needs whether things are built against a sourced ROS 2, by CMake and make
 * @param {string} [path] value of PATH
 * @returns {string[]}
 */
export function missingBuildTools({ sourced }, path) {
  const missing = [];
  const has = (...names) => names.some((name) => which(name, path) !== null);
  const compilers = [
    [process.env.CC, 'cc', 'gcc', 'clang'],
    [process.env.CXX, 'c++', 'g++', 'clang++'],
  ];
  // CC may carry options ("ccache gcc"): its first word is the program.
  if (compilers.some(([own, ...names]) => !has(...(own ? [own.split(' ')[0]] : []), ...names)))
    missing.push('compiler');
  if (sourced) missing.push(...['make', 'cmake'].filter((name) => !has(name)));
  return missing;
}

/**
 * Package manager of this machine.
 * @param {{platform: string, osRelease: string}} [machine]
 * @returns {'apt' | 'dnf' | 'brew' | null}
 */
export function packageManager(machine = { platform: process.platform, osRelease: readOsRelease() }) {
  if (machine.platform === 'darwin') return 'brew';
  const ids = [...machine.osRelease.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap((match) => match[1].split(' '));
  if (ids.some((id) => id === 'debian' || id === 'ubuntu')) return 'apt';
  if (ids.some((id) => id === 'fedora' || id === 'rhel')) return 'dnf';
  return null;
}

function readOsRelease() {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}

/**
 * The command that installs what is missing.
 * @param {string[]} missing keys of PACKAGES
 * @param {'apt' | 'dnf' | 'brew' | null} manager
 * @returns {string}
 */
export function installCommand(missing, manager) {
  if (manager === null)
    return `install ${missing.map((key) => PACKAGES[key].name).join(', ')} with your package manager`;
  if (manager === 'brew') {
    const formulas = [...new Set(missing.flatMap((key) => PACKAGES[key].brew ?? []))];
    const commands = missing.some((key) => PACKAGES[key].brew === null) ? ['xcode-select --install'] : [];
    if (formulas.length > 0) commands.push(`brew install ${formulas.join(' ')}`);
    return commands.join(' && ');
  }
  const packages = [...new Set(missing.flatMap((key) => PACKAGES[key][manager]))];
  return `sudo ${manager} install ${packages.join(' ')}`;
}

/**
 * One line that names what is missing and the command that installs it.
 * @param {string[]} missing keys of PACKAGES
 * @param {'apt' | 'dnf' | 'brew' | null} [manager]
 * @returns {string}
 */
export function missingLine(missing, manager = packageManager()) {
  return `missing: ${missing.map((key) => PACKAGES[key].name).join(', ')}; to install: ${installCommand(missing, manager)}`;
}

/**
 * What to do when Node is older than the bridge needs (package.json, "engines"); null when it is not.
 * @param {string} [version] such as "20.20.2"
 * @returns {string | null}
 */
export function nodeTooOld(version = process.versions.node) {
  const [major, minor, patch] = version.split('.').map(Number);
  const [least, leastMinor, leastPatch] = NODE;
  const order = major - least || minor - leastMinor || patch - leastPatch;
  return order >= 0
    ? null
    : `Node ${version} is too old: install ${NODE.join('.')} or newer, for example with nvm install 20`;
}

/**
 * Prefix of the Node that runs this, when it brings its own headers of the same version; null otherwise.
 * @returns {string | null}
 */
export function nodeHeadersPrefix() {
  const prefix = dirname(dirname(process.execPath));
  try {
    const header = readFileSync(join(prefix, 'include', 'node', 'node_version.h'), 'utf8');
    const part = (name) => header.match(new RegExp(`#define NODE_${name}_VERSION (\\d+)`))?.[1];
    return `${part('MAJOR')}.${part('MINOR')}.${part('PATCH')}` === process.versions.node ? prefix : null;
  } catch {
    return null;
  }
}

/**
 * The folder of this user that clones share.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string}
 */
export function cacheFolder(env = process.env) {
  // By the XDG specification a relative path counts as unset.
  const base = env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : join(env.HOME || homedir(), '.cache');
  return join(base, 'arm-bridge');
}
