// Programs that the tests compare the bridge with, in a virtual environment of their own in the cache folder.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createVenv } from './ros-prefix.mjs';
import { hashOf, readStamp, writeStamp } from './stamp.mjs';

const LOCK = 'scripts/locks/witness.lock';

/**
 * @param {string} root
 * @param {string} cache
 * @param {import('./platform.mjs').Python} python
 * @returns {{path: string, key: string, python: string}}
 */
export function locateWitness(root, cache, python) {
  const key = hashOf(readFileSync(join(root, LOCK)), python.version, python.executable, process.arch);
  const path = join(cache, `witness-${key}`);
  return { path, key, python: join(path, 'bin', 'python') };
}

/** Whether it was finished, and its Python is still there. */
export function witnessIsComplete({ path, key, python }) {
  return readStamp(join(path, '.complete')) === key && existsSync(python);
}

/**
 * Installs it at its final place; the caller holds the lock.
 * @param {string} root
 * @param {{path: string, key: string}} witness
 * @param {import('./platform.mjs').Python} python
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function buildWitness(root, { path, key }, python, run) {
  rmSync(join(path, '.complete'), { force: true });
  rmSync(path, { recursive: true, force: true });
  await createVenv(path, python, join(root, LOCK), run);
  await run(join(path, 'bin', 'python'), ['-c', 'import mujoco, numpy, scservo_sdk, serial, dynamixel_sdk, rustypot']);
  writeStamp(join(path, '.complete'), key);
}
