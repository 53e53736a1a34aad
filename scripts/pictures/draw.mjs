// node scripts/pictures/draw.mjs
// Writes the pictures of docs/pictures/ that are drawn from the robots' data. Needs a compiled bridge (npm run build).

import { writeFileSync } from 'node:fs';
import { drawModelAtInit } from './arm-at-init.mjs';
import { drawCabling } from './cabling.mjs';
import { drawHorn } from './horn.mjs';

const { armChain, loadArmModel } = await import(new URL('../../dist/arm/model.js', import.meta.url).href);
const { modelByName } = await import(new URL('../../dist/servo/servo-models.js', import.meta.url).href);

const write = (name, text) => {
  const file = new URL(`../../docs/pictures/${name}.svg`, import.meta.url);
  writeFileSync(file, text);
  process.stdout.write(`${file.pathname}\n`);
};

// The WidowX 250s is larger than the page.
for (const name of ['so101', 'so100', 'koch']) {
  const model = loadArmModel(name);
  write(`${name}-at-init`, drawModelAtInit(model, armChain(model)));
}
// An SO-100 is cabled as an SO-101.
for (const name of ['so101', 'koch', 'wx250s']) {
  write(
    `${name}-cabling`,
    drawCabling(loadArmModel(name), (servo) => modelByName(servo).supplies),
  );
}
write('horn', drawHorn());
