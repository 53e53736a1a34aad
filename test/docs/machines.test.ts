import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { drawn, MACHINES } from '../support/machines.ts';

const DOCUMENT = fileURLToPath(new URL('../../ARCHITECTURE.md', import.meta.url));
const BEGIN = '<!-- machines: written by ARM_BRIDGE_WRITE=1 npx vitest run test/docs/machines.test.ts -->\n';
const END = '<!-- /machines -->';

test('ARCHITECTURE.md draws every machine as its table has it', () => {
  const text = readFileSync(DOCUMENT, 'utf8');
  const from = text.indexOf(BEGIN) + BEGIN.length;
  const to = text.indexOf(END);
  expect(from, 'the document has the place for the machines').toBeGreaterThan(BEGIN.length);
  const wanted = `\n${MACHINES.map(drawn).join('\n')}\n`;
  if (process.env.ARM_BRIDGE_WRITE) writeFileSync(DOCUMENT, text.slice(0, from) + wanted + text.slice(to));
  else expect(text.slice(from, to)).toBe(wanted);
});
