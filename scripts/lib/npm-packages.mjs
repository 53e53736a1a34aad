// npm packages, exactly those of package-lock.json.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, readStamp, writeStamp } from './stamp.mjs';

const stampPath = (root) => join(root, 'node_modules', '.arm-bridge-packages');

/** What node_modules depends on. Install scripts do not run, but optional packages differ by platform. */
export function packagesKey(root) {
  return hashOf(readFileSync(join(root, 'package-lock.json')), process.platform, process.arch);
}

/**
 * Whether node_modules holds what the lock file says: by our own stamp, or by npm's list of what it installed, so that a
 * folder filled with npm by hand is not thrown away.
 * @param {string} root
 * @returns {boolean}
 */
export function packagesAreCurrent(root) {
  if (readStamp(stampPath(root)) === packagesKey(root)) return true;
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
    const present = JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8')).packages;
    const ownOptional = Object.keys(wanted[''].optionalDependencies ?? {}).map((name) => `node_modules/${name}`);
    for (const [path, entry] of Object.entries(wanted)) {
      if (path === '') continue;
      // npm leaves out what other platforms need, and what only that needs.
      const mayBeAbsent = entry.optional && !ownOptional.includes(path);
      if (present[path] === undefined ? !mayBeAbsent : present[path].integrity !== entry.integrity) return false;
    }
    return Object.keys(present).every((path) => wanted[path] !== undefined);
  } catch {
    return false;
  }
}

/**
 * Installs the packages. Scripts of packages do not run: only rclnodejs has one, and rclnodejs.mjs builds it.
 * @param {string} root
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function installPackages(root, run) {
  const flags = [
    '--ignore-scripts',
    '--prefer-offline',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
  ];
  await run('npm', ['ci', ...flags], { cwd: root });
  writeStamp(stampPath(root), packagesKey(root));
}
