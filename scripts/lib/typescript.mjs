// The bridge itself and its control page: TypeScript to dist/.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashFiles, hashOf, readStamp, writeStamp } from './stamp.mjs';

const stampPath = (root) => join(root, 'dist', '.arm-bridge-build');

/** What dist/ depends on: sources, compiler options, and the packages whose types and compiler are used. */
export function buildKey(root) {
  const inputs = ['src', 'web', 'scripts/build-page.mjs', 'tsconfig.json', 'tsconfig.build.json', 'package.json'].map(
    (name) => join(root, name),
  );
  return hashOf(hashFiles(root, inputs), readFileSync(join(root, 'package-lock.json')));
}

/** Whether dist/ belongs to the sources as they are. */
export function buildIsCurrent(root) {
  return existsSync(join(root, 'dist', 'main.js')) && readStamp(stampPath(root)) === buildKey(root);
}

/**
 * Compiles src/ and web/ to an empty dist/, so that a removed source leaves nothing behind.
 * @param {string} root
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function buildTypeScript(root, run) {
  const key = buildKey(root);
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root });
  await run(process.execPath, [join('scripts', 'build-page.mjs')], { cwd: root });
  writeStamp(stampPath(root), key);
}
