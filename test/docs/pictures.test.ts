import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { armChain, loadArmModel } from '../../src/arm/model.ts';
import { ROOT } from './support/blocks.ts';

const { drawModelAtInit } = await import(pathToFileURL(join(ROOT, 'scripts/pictures/arm-at-init.mjs')).href);

test('the picture of the SO-101 shows its data as they are (else: node scripts/pictures/draw.mjs)', () => {
  const model = loadArmModel('so101');
  expect(drawModelAtInit(model, armChain(model))).toBe(
    readFileSync(join(ROOT, 'docs/pictures/so101-at-init.svg'), 'utf8'),
  );
});

test.each(['system.svg', 'so101-at-init.svg'])('%s is well-formed and says in words what it shows', (name) => {
  const svg = readFileSync(join(ROOT, 'docs/pictures', name), 'utf8');
  expect(XMLValidator.validate(svg)).toBe(true);
  expect(svg).toMatch(/role="img" aria-label="[^"]{20,}"/);
});
