/** Lets Node run the TypeScript of this repository as it stands: `node --import ./explore/typescript.mjs file.ts`. */
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transform } from 'esbuild';

if (isMainThread) register(import.meta.url);

/** The hook of Node that reads a module's source. */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const file = fileURLToPath(url);
  const text = await readFile(file, 'utf8');
  const options = { loader: 'ts', format: 'esm', target: 'node20', sourcefile: file, sourcemap: 'inline' };
  const { code } = await transform(text, options);
  return { format: 'module', source: code, shortCircuit: true };
}
