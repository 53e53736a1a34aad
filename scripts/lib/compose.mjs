// Docker Compose, with which the tests read and run docker/compose.yaml: Debian 12 has no package of it. Go builds it into the
// cache folder from its module proxy; scripts/compose/go.mod names its version, go.sum pins what it is made of.

import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { hashFiles, hashOf } from './stamp.mjs';

const SOURCE = 'scripts/compose';
const MODULE = 'github.com/docker/compose/v5';

/**
 * @param {string} root
 * @param {string} cache
 * @returns {string} where the program is, or will be
 */
export function locateCompose(root, cache) {
  return join(cache, `docker-compose-${hashOf(hashFiles(root, [join(root, SOURCE)]), process.platform, process.arch)}`);
}

/** Whether it has been built. */
export const composeIsComplete = (program) => existsSync(program);

/**
 * Builds it; the caller holds the lock.
 * @param {string} root
 * @param {string} program
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function buildCompose(root, program, run) {
  const draft = `${program}.${process.pid}`;
  // No newer Go is fetched for it, and nothing but what go.sum names. Nothing of it is written in C.
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly', CGO_ENABLED: '0' };
  const smaller = ['-trimpath', '-ldflags=-s -w'];
  await run('go', ['build', ...smaller, '-o', draft, `${MODULE}/cmd`], { cwd: join(root, SOURCE), env });
  renameSync(draft, program);
}
