// node scripts/pictures/draw.mjs
// Writes the pictures of docs/pictures/ that are drawn from the robots' data. Needs a compiled bridge (npm run build).

import { writeFileSync } from 'node:fs';
import { drawModelAtInit } from './arm-at-init.mjs';

const { armChain, loadArmModel } = await import(new URL('../../dist/arm/model.js', import.meta.url).href);

// The WidowX 250s is larger than the page.
for (const name of ['so101', 'so100', 'koch']) {
  const model = loadArmModel(name);
  const file = new URL(`../../docs/pictures/${name}-at-init.svg`, import.meta.url);
  writeFileSync(file, drawModelAtInit(model, armChain(model)));
  process.stdout.write(`${file.pathname}\n`);
}
