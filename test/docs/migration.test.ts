import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHANNELS, ROUTES } from '../../src/http/routes/index.ts';
import { ROOT } from './support/blocks.ts';

const text = readFileSync(join(ROOT, 'docs/migration.md'), 'utf8');
/** Operations of phosphobot 0.3.134, from its source: all that its routers declare. */
const THEIRS = readFileSync(new URL('./support/phosphobot-operations.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

const rows = [...text.matchAll(/^\| (`(?:GET|POST|WEBSOCKET) .*?) \| (same|different|not) \| (.*)\|$/gm)].map(
  ([, operations, verdict, why]) => ({
    operations: [...operations!.matchAll(/`([^`]*)`/g)].map((match) => match[1]!),
    verdict: verdict!,
    why: why!.trim(),
  }),
);

test('it names every operation of phosphobot once, with what is different and what is there instead', () => {
  expect(rows.flatMap(({ operations }) => operations).sort()).toEqual([...THEIRS].sort());
  for (const { verdict, why, operations } of rows) {
    if (verdict !== 'same') expect([operations, why]).toEqual([operations, expect.stringMatching(/.{20}/)]);
  }
});

test('what it says is here is here, and the rest is not', () => {
  const here = new Set([
    ...ROUTES.map(({ method, path }) => `${method} ${path}`),
    ...CHANNELS.map(({ path }) => `WEBSOCKET ${path}`),
  ]);
  const pages = ['GET /', 'GET /control', 'GET /calibration'];
  for (const { operations, verdict } of rows) {
    for (const operation of operations) {
      if (!pages.includes(operation)) expect([operation, here.has(operation)]).toEqual([operation, verdict !== 'not']);
    }
  }
});
