// Another release of ROS 2 from PyPI, on which tests run as well. rclnodejs is built within its own folder for one release, so
// a copy of this checkout below build/ has an rclnodejs of its own; all else of npm it shares.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rosVariables } from './environment.mjs';
import { StepError } from './progress.mjs';
import { findWheels } from './ros.mjs';
import { buildRos } from './ros-build.mjs';

/** What a copy does not take from the checkout: it has its own. */
const OWN = ['.git', 'build', 'node_modules'];
const PACKAGE = 'rclnodejs';

const environmentFile = (copy) => join(copy, 'build', 'environment.json');

/**
 * Brings the copy up to date with the checkout. To be called before tests run in it.
 * @param {string} root the checkout
 * @param {string} copy
 * @param {string[]} [without] names that are left out
 */
export function copyCheckout(root, copy, without = []) {
  mkdirSync(join(copy, 'build'), { recursive: true });
  for (const name of readdirSync(root)) {
    if (OWN.includes(name) || without.includes(name)) continue;
    rmSync(join(copy, name), { recursive: true, force: true });
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  // A workspace that holds the checkout holds each package once.
  writeFileSync(join(copy, 'COLCON_IGNORE'), '');
}

/** Gives the copy all packages of npm: links, but for rclnodejs, which is copied without what has been built in it. */
function copyPackages(root, copy) {
  const from = join(root, 'node_modules');
  const to = join(copy, 'node_modules');
  const manifest = (folder) => join(folder, PACKAGE, 'package.json');
  if (!existsSync(manifest(from))) return;
  const same = existsSync(manifest(to)) && readFileSync(manifest(to)).equals(readFileSync(manifest(from)));
  if (!same) {
    rmSync(to, { recursive: true, force: true });
    const built = ['build', 'generated'].map((name) => join(from, PACKAGE, name));
    cpSync(join(from, PACKAGE), join(to, PACKAGE), { recursive: true, filter: (name) => !built.includes(name) });
  }
  for (const name of readdirSync(from)) {
    // What tools keep there belongs to one checkout.
    if (name === PACKAGE || (name.startsWith('.') && name !== '.bin')) continue;
    rmSync(join(to, name), { recursive: true, force: true });
    symlinkSync(join(from, name), join(to, name));
  }
}

/**
 * Prepares a copy of the checkout for tests on another release.
 * @param {object} context of the preparation (prepare.mjs)
 * @param {string} distro
 * @param {Promise<unknown>} packages resolves when npm's packages are there
 * @returns {Promise<string>} the folder of the copy
 * @throws {StepError} when it cannot be done
 */
export async function prepareOtherRos(context, distro, packages) {
  const { root, cache, progress } = context;
  const copy = join(root, 'build', distro);
  copyCheckout(root, copy, ['dist']);
  const found = findWheels(copy, cache, process.env, distro);
  if ('reason' in found) throw new StepError(found.reason);
  const { ros } = found;
  const named = { step: (title, work, usual) => progress.step(`${distro}, for tests: ${title}`, work, usual) };
  await buildRos(
    { ...context, root: copy, progress: named },
    ros,
    packages.then(() => copyPackages(root, copy)),
  );
  writeFileSync(environmentFile(copy), JSON.stringify(rosVariables(copy, ros)));
  return copy;
}

/** Variables with which programs in a prepared copy run. */
export function otherEnvironment(copy) {
  return JSON.parse(readFileSync(environmentFile(copy), 'utf8'));
}
