import { expect, test } from 'vitest';
import { toldOfSpacing } from '../../web/units.ts';

test('curves of a long recording say how coarse they are, and those of a short one need not', () => {
  const every = (spacing: number) => Array.from({ length: 300 }, (_, i) => 2 + spacing * i);
  expect(toldOfSpacing(every(0.05))).toBe('');
  expect(toldOfSpacing(every(0.4))).toMatch(/^The curves have a sample every 0\.4 s: /);
  expect(toldOfSpacing([1])).toBe('');
});
