// The licences of packages whose code stands in compiled files.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the licence of each package that some of these files belong to.
 * @param {string} root the checkout
 * @param {readonly string[]} files from the working directory, as esbuild names them
 * @param {string} out
 */
export function writeLicences(root, files, out) {
  const folders = new Set(
    files.flatMap((file) => /(node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  );
  const texts = [...folders].sort().map((folder) => {
    const place = join(root, folder);
    const { name, version, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
    const file = readdirSync(place).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text = file === undefined ? '' : `\n\n${readFileSync(join(place, file), 'utf8').trim()}`;
    return `${name} ${version}, ${license}${text}\n`;
  });
  writeFileSync(out, texts.join('\n\n'));
}
