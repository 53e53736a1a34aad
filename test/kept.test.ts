import { expect, test } from 'vitest';
import { keeping } from '../src/kept.ts';

test('what was made of a text is kept until others were asked for after it', () => {
  const made: string[] = [];
  const read = keeping((text) => {
    made.push(text);
    return { text };
  }, 2);
  const first = read('a');
  expect(read('a')).toBe(first);
  read('b');
  expect(read('a')).toBe(first);
  read('c');
  expect(read('a')).toBe(first);
  expect(read('b')).toEqual({ text: 'b' });
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

test('an error is thrown each time, and costs no other result', () => {
  const read = keeping((text) => {
    if (text === 'wrong') throw new Error(text);
    return { text };
  }, 1);
  const kept = read('right');
  expect(() => read('wrong')).toThrow('wrong');
  expect(() => read('wrong')).toThrow('wrong');
  expect(read('right')).toBe(kept);
});
