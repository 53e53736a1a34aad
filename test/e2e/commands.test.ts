import { expect, test } from 'vitest';
import { runToEnd } from './support/bridge.ts';

test.each([
  ['kalibrate', 'calibrate'],
  ['doctr --json', 'doctor'],
  ['--port 8021 set-up', 'setup'],
  ['registers raed', 'read'],
  ['setup --model so101 sevro', 'servo'],
  ['calibrate improt', 'import'],
])('arm-bridge %s names what may be meant', async (words, meant) => {
  const { errors } = await runToEnd(...words.split(' '));
  expect(errors).toMatch(new RegExp(`unknown command '[\\w-]+'\\n\\(Did you mean ${meant}\\?\\)`));
});

test('a word that is like no command is refused, and starts nothing', async () => {
  const { code, errors, output } = await runToEnd('everything');
  expect([code, output]).toEqual([1, '']);
  expect(errors).toContain("unknown command 'everything'");
});
