import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonDepthError, JsonSyntaxError, MAX_DEPTH, readJson } from '../../src/http/json.ts';

const parseJson = (text: string): unknown => readJson(text).value;

/** The same by the parser of our own, which reads what the built-in one refuses: NaN. */
const parseSlowly = (text: string): unknown => (parseJson(`[NaN, ${text}]`) as unknown[])[1];

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? Number(item) : item)));
}

test('every JSON document reads as the built-in parser reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      for (const parse of [parseJson, parseSlowly]) expect(plain(parse(text))).toEqual(plain(JSON.parse(text)));
    }),
  );
});

test('every text that the built-in parser refuses is refused, but for NaN and Infinity', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '\\',
    '\\u00',
    '1',
    '-',
    '.',
    'e',
    'nul',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const text = parts.join('');
      let expected: unknown = JsonSyntaxError;
      try {
        expected = plain(JSON.parse(text));
      } catch {
        expect(() => parseJson(text)).toThrow(JsonSyntaxError);
        return;
      }
      expect(plain(parseJson(text))).toEqual(expected);
    }),
  );
});

/** Reasons and places as CPython 3.11's json module gives them. */
const FAULTS: readonly (readonly [text: string, reason: string, offset: number])[] = [
  ['', 'Expecting value', 0],
  ['  ', 'Expecting value', 2],
  ['hello', 'Expecting value', 0],
  ['{', 'Expecting property name enclosed in double quotes', 1],
  ["{'x': 1}", 'Expecting property name enclosed in double quotes', 1],
  ['{"x": 1,}', 'Expecting property name enclosed in double quotes', 8],
  ['{}{}', 'Extra data', 2],
  ['{"x" 1}', "Expecting ':' delimiter", 5],
  ['{"x":}', 'Expecting value', 5],
  ['{"x": 1 "y": 2}', "Expecting ',' delimiter", 8],
  ['{"x": 1', "Expecting ',' delimiter", 7],
  ['[', 'Expecting value', 1],
  ['[1,]', 'Expecting value', 3],
  ['[1 2]', "Expecting ',' delimiter", 3],
  ['-', 'Expecting value', 0],
  ['01', 'Extra data', 1],
  ['1.', 'Extra data', 1],
  ['.5', 'Expecting value', 0],
  ['"abc', 'Unterminated string starting at', 0],
  ['{"a": "b', 'Unterminated string starting at', 6],
  ['"a\nb"', 'Invalid control character at', 2],
  ['"a\\x"', 'Invalid \\escape', 2],
  ['"\\u12g4"', 'Invalid \\uXXXX escape', 2],
  ['"\\u1234', 'Invalid \\uXXXX escape', 2],
  ['nullx', 'Extra data', 4],
  ['"\u{1f600}" x', 'Extra data', 4],
];

test.each(FAULTS)('%j: %s at %i', (text, reason, offset) => {
  expect(() => parseJson(text)).toThrow(expect.objectContaining({ reason, offset }));
});

test('NaN and Infinity are numbers, so that validation can name their field', () => {
  expect(parseJson('[NaN, Infinity, -Infinity, 1e400]')).toEqual([Number.NaN, Infinity, -Infinity, Infinity]);
});

test('a large integer is told from a large float', () => {
  expect(parseJson('[123456789012345678901234567890, 1e20]')).toEqual([123456789012345678901234567890n, 1e20]);
});

test('whether all numbers are known to be finite is told', () => {
  for (const text of ['{"a": [1, -2.5e3, {"b": 9007199254740991}]}', '[]', 'null', '"NaN"'])
    expect([text, readJson(text).finite]).toEqual([text, true]);
  for (const text of ['[NaN]', '{"a": {"b": [0, 1e400]}}', '-Infinity'])
    expect([text, readJson(text).finite]).toEqual([text, false]);
});

test('no key is special, and of equal keys the last wins', () => {
  for (const parse of [parseJson, parseSlowly]) {
    const value = parse('{"__proto__": {"polluted": true}, "constructor": 1, "a": 1, "a": 2}') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'a']);
    expect((value as { a: number }).a).toBe(2);
    expect((value as { polluted?: boolean }).polluted).toBeUndefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  }
});

test('deep nesting is refused before the stack is in danger', () => {
  expect(() => parseJson('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH))).not.toThrow();
  expect(() => parseJson('['.repeat(1_000_000))).toThrow(JsonDepthError);
  expect(() => parseJson('{"a":'.repeat(200_000))).toThrow(JsonDepthError);
});
