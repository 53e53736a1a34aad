import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { loadConfig } from '../../src/config/load.ts';
import { jointMaps } from '../../src/rt/sources/joint-map.ts';
import { ROOT } from './support/blocks.ts';

/** Documents whose YAML blocks with arms are whole configurations. */
const DOCUMENTS = ['docs/getting-started.md', 'docs/hardware.md', 'docs/migration.md'];
const WHOLE = DOCUMENTS.flatMap((document) =>
  [...readFileSync(join(ROOT, document), 'utf8').matchAll(/^( *)```yaml\n([\s\S]*?)^ *```$/gm)]
    .filter(([, , text]) => /^ *arms:$/m.test(text!))
    .map(([, indent, text], number) => ({
      document,
      number,
      text: text!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    })),
);

const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-configurations-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('every document that shows configurations is looked at', () => {
  expect(new Set(WHOLE.map(({ document }) => document))).toEqual(new Set(DOCUMENTS));
});

test.each(WHOLE)('configuration $number of $document is one, of arms that there are and pairs that fit', ({ text }) => {
  const file = join(folder, 'config.yaml');
  writeFileSync(file, text);
  const { arms, pairs } = loadConfig(file);
  const models = new Map(arms.map(({ name, model, variant }) => [name, loadArmModel(model, variant)]));
  for (const { leader, follower } of pairs) {
    const maps = jointMaps(models.get(leader)!, models.get(follower)!, {}, false);
    if (typeof maps === 'string') throw new Error(maps);
    // Every joint of the leader leads one.
    expect(maps.filter(({ from }) => from >= 0)).toHaveLength(models.get(leader)!.joints.length);
  }
});
