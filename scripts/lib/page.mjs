// The control page and the page of the interface: web/, with a compressed copy of each file beside it.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Files that are served as they are. */
const PLAIN = ['index.html', 'docs.html', 'icon.svg'];

/**
 * Builds it to an empty folder.
 * @param {string} root the checkout
 * @param {string} out
 * @returns {Promise<number>} size of all files, compressed, bytes
 */
export async function buildPage(root, out) {
  const web = join(root, 'web');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const common = {
    outdir: out,
    bundle: true,
    minify: true,
    target: 'es2022',
    logLevel: 'warning',
    legalComments: 'eof',
  };
  await build({ ...common, entryPoints: [join(web, 'main.ts'), join(web, 'docs.ts')], format: 'esm', splitting: true });
  await build({ ...common, entryPoints: [join(web, 'stop.ts')], format: 'iife' });
  await build({ ...common, entryPoints: [join(web, 'style.css'), join(web, 'docs.css')], target: 'chrome123' });
  for (const name of PLAIN) copyFileSync(join(web, name), join(out, name));
  const textOf = (file) => readFileSync(join(root, file), 'utf8').trim();
  const licences = [
    ['three', textOf('node_modules/three/LICENSE')],
    ['uPlot', textOf('node_modules/uplot/LICENSE')],
    ['qr', textOf('node_modules/qr/LICENSE-MIT')],
    // Its package has the notice at the end of its README, and names Apache-2.0, which this project has too.
    ['urdf-loader', textOf('node_modules/urdf-loader/README.md').split('# LICENSE').at(-1).trim(), textOf('LICENSE')],
  ];
  writeFileSync(join(out, 'licences.txt'), `${licences.flat().join('\n\n')}\n`);

  let size = 0;
  for (const name of readdirSync(out)) {
    const compressed = gzipSync(readFileSync(join(out, name)), { level: 9 });
    writeFileSync(join(out, `${name}.gz`), compressed);
    size += compressed.length;
  }
  return size;
}
