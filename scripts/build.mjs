// node scripts/build.mjs [FOLDER]: compiles src/ and builds the control page, to dist/ or to another folder. Types are not
// checked, which takes ten times as long: `npm run typecheck` does that.

import { readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildPage } from './lib/page.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = resolve(process.argv[2] ?? join(root, 'dist'));
rmSync(out, { recursive: true, force: true });

/** Each source becomes a file of its own, as with tsc; imports name the compiled files. */
const asFiles = {
  name: 'as files',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/\.ts$/, '.js'), external: true },
    );
  },
};

const sources = readdirSync(join(root, 'src'), { recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(root, 'src', name));
await Promise.all([
  build({
    entryPoints: sources,
    outdir: out,
    outbase: join(root, 'src'),
    tsconfig: join(root, 'tsconfig.build.json'),
    bundle: true,
    packages: 'external',
    plugins: [asFiles],
    platform: 'node',
    format: 'esm',
    target: 'node20.20',
    sourcemap: true,
    logLevel: 'warning',
  }),
  buildPage(root, join(out, 'page')),
]);
