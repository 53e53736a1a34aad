// LeRobot, for the tests of clients/lerobot, in a virtual environment of its own in the cache folder.

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { probePython } from './platform.mjs';
import { createVenv } from './ros-prefix.mjs';
import { hashOf, readStamp, writeStamp } from './stamp.mjs';

const LOCK = 'scripts/locks/lerobot.lock';
/** Versions of CPython that LeRobot runs on, the ones it is tried with first. */
const MINORS = [12, 13];

/**
 * A Python that LeRobot runs on: of PATH, or one that pyenv has installed beside the usual one.
 * @returns {import('./platform.mjs').Python | null} null when there is none
 */
export function findLerobotPython() {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const installed = existsSync(versions) ? readdirSync(versions).sort() : [];
  const commands = MINORS.flatMap((minor) => [
    `python3.${minor}`,
    ...installed.filter((name) => name.startsWith(`3.${minor}.`)).map((name) => join(versions, name, 'bin', 'python')),
  ]);
  for (const command of ['python3', ...commands]) {
    const python = probePython(command);
    if (python !== null && MINORS.includes(python.minor) && !python.missing.includes('venv')) return python;
  }
  return null;
}

/**
 * @param {string} root
 * @param {string} cache
 * @param {import('./platform.mjs').Python} python
 * @returns {{path: string, key: string, python: string}}
 */
export function locateLerobot(root, cache, python) {
  const key = hashOf(readFileSync(join(root, LOCK)), python.version, python.executable, process.arch);
  const path = join(cache, `lerobot-${key}`);
  return { path, key, python: join(path, 'bin', 'python') };
}

/** Whether it was finished, and its Python is still there. */
export function lerobotIsComplete({ path, key, python }) {
  return readStamp(join(path, '.complete')) === key && existsSync(python);
}

/**
 * Installs it at its final place; the caller holds the lock.
 * @param {string} root
 * @param {{path: string, key: string}} lerobot
 * @param {import('./platform.mjs').Python} python
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function installLerobot(root, { path, key }, python, run) {
  rmSync(path, { recursive: true, force: true });
  await createVenv(path, python, join(root, LOCK), run);
  writeStamp(join(path, '.complete'), key);
}
