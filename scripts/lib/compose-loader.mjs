// The loader of the Compose Specification, with which the tests read docker/compose.yaml: a small Go program of this
// repository, built into the cache folder. go.sum pins what it is made of.

import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { hashFiles, hashOf } from './stamp.mjs';

const SOURCE = 'scripts/compose-loader';

/**
 * @param {string} root
 * @param {string} cache
 * @returns {string} where the program is, or will be
 */
export function locateComposeLoader(root, cache) {
  return join(cache, `compose-loader-${hashOf(hashFiles(root, [join(root, SOURCE)]), process.platform, process.arch)}`);
}

/** Whether it has been built. */
export const composeLoaderIsComplete = (program) => existsSync(program);

/**
 * Builds it; the caller holds the lock.
 * @param {string} root
 * @param {string} program
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function buildComposeLoader(root, program, run) {
  const draft = `${program}.${process.pid}`;
  // No newer Go is fetched for it, and nothing but what go.sum names.
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' };
  await run('go', ['build', '-o', draft, '.'], { cwd: join(root, SOURCE), env });
  renameSync(draft, program);
}
