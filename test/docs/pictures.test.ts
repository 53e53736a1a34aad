import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { armChain, loadArmModel } from '../../src/arm/model.ts';
import { modelByName } from '../../src/servo/servo-models.ts';
import { ROOT } from './support/blocks.ts';

const { drawModelAtInit } = await import(pathToFileURL(join(ROOT, 'scripts/pictures/arm-at-init.mjs')).href);
const { drawCabling } = await import(pathToFileURL(join(ROOT, 'scripts/pictures/cabling.mjs')).href);
const { drawHorn } = await import(pathToFileURL(join(ROOT, 'scripts/pictures/horn.mjs')).href);

const CABLED = ['so101', 'koch', 'wx250s'];
const DRAWN = ['so101', 'so100', 'koch'];

test.each(DRAWN)('the picture of the %s shows its data as they are (else: node scripts/pictures/draw.mjs)', (name) => {
  const model = loadArmModel(name);
  expect(drawModelAtInit(model, armChain(model))).toBe(
    readFileSync(join(ROOT, `docs/pictures/${name}-at-init.svg`), 'utf8'),
  );
});

test.each(CABLED)('the cables of the %s are drawn as its data are (else: node scripts/pictures/draw.mjs)', (name) => {
  const supplies = (servo: string) => modelByName(servo)!.supplies;
  expect(drawCabling(loadArmModel(name), supplies)).toBe(
    readFileSync(join(ROOT, `docs/pictures/${name}-cabling.svg`), 'utf8'),
  );
});

test('the picture of the horns is as it is drawn (else: node scripts/pictures/draw.mjs)', () => {
  expect(drawHorn()).toBe(readFileSync(join(ROOT, 'docs/pictures/horn.svg'), 'utf8'));
});

const CHECKED = [...DRAWN.map((name) => `${name}-at-init.svg`), ...CABLED.map((name) => `${name}-cabling.svg`)];

test.each(['system.svg', 'force-feedback.svg', 'horn.svg', ...CHECKED])(
  '%s is well-formed and says in words what it shows',
  (name) => {
    const svg = readFileSync(join(ROOT, 'docs/pictures', name), 'utf8');
    expect(XMLValidator.validate(svg)).toBe(true);
    expect(svg).toMatch(/role="img" aria-label="[^"]{20,}"/);
  },
);
