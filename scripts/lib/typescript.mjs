// The bridge itself and its control page: TypeScript to dist/.

import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashFiles, hashOf, readStamp, writeStamp } from './stamp.mjs';

const stampPath = (root) => join(root, 'dist', '.arm-bridge-build');

const INPUTS = [
  ...['src', 'web', 'clients/typescript/src', 'package.json', 'tsconfig.json'],
  ...['scripts/build.mjs', 'scripts/lib/bundled-licences.mjs', 'scripts/lib/page.mjs'],
];

/** What dist/ depends on: sources, compiler options, and the packages that go into it. */
export function buildKey(root) {
  const inputs = INPUTS.map((name) => join(root, name));
  return hashOf(hashFiles(root, inputs), readFileSync(join(root, 'package-lock.json')));
}

/** Whether dist/ belongs to the sources as they are. */
export function buildIsCurrent(root) {
  return existsSync(join(root, 'dist', 'main.js')) && readStamp(stampPath(root)) === buildKey(root);
}

/**
 * Compiles src/ and web/, which takes the client of clients/typescript with it. What was there before stays until all of it is done, for a bridge may be running from it.
 * @param {string} root
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function buildTypeScript(root, run) {
  const key = buildKey(root);
  const dist = join(root, 'dist');
  const [draft, old] = ['new', 'old'].map((name) => join(root, 'build', `dist.${name}`));
  await run(process.execPath, [join('scripts', 'build.mjs'), draft], { cwd: root });
  rmSync(old, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(draft, dist);
  rmSync(old, { recursive: true, force: true });
  writeStamp(stampPath(root), key);
}
