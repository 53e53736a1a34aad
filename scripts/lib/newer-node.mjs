// A newer Node than the oldest one that the bridge supports, for running tests a second time: npm carries the binaries,
// and the lock file pins version and checksum. It is installed into the cache folder.

import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StepError } from './progress.mjs';
import { hashFiles, hashOf, readStamp, writeStamp } from './stamp.mjs';

const LOCK = 'scripts/locks/node-24';

/**
 * @param {string} root
 * @param {string} cache
 * @returns {{path: string, key: string, node: string}} node is the program that is there, or will be
 */
export function locateNewerNode(root, cache) {
  const key = hashOf(hashFiles(root, [join(root, LOCK)]), process.platform, process.arch);
  const path = join(cache, `node-24-${key}`);
  const node = join(path, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  return { path, key, node };
}

/** Whether it was finished. */
export function newerNodeIsComplete({ path, key, node }) {
  return readStamp(join(path, '.complete')) === key && existsSync(node);
}

/**
 * Installs it at its final place; the caller holds the lock.
 * @param {string} root
 * @param {{path: string, key: string, node: string}} newer
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 * @throws {StepError} when it cannot be fetched, or when there is none for this machine
 */
export async function installNewerNode(root, { path, key, node }, run) {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(root, LOCK, name), join(path, name));
  await run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: path });
  if (!existsSync(node)) throw new StepError(`npm carries none for ${process.platform} ${process.arch}`);
  await run(node, ['--version']);
  writeStamp(join(path, '.complete'), key);
}
