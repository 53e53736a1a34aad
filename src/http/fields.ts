import { z } from 'zod';
import { LONGEST_NAME } from '../sizes.ts';

/**
 * Field schemas of requests. The message of an issue is the type of the field error (`float_type`, `int_from_float`,
 * ...); validation.ts supplies the text. Everything of variable length has a maximum size.
 */

/** All schemas with a name in the OpenAPI description. */
export const components = z.registry<{ id: string }>();

/** Most characters of a path or an address. */
export const LONGEST_PATH = 128;

/** Marks a float literal beyond 64-bit integers. An integer literal of that size is a valid integer. */
const OVERSIZED = Symbol('float beyond 64-bit integers');
const INTEGER_RANGE = 2 ** 63;

const TRUE = new Set(['1', 'on', 't', 'true', 'y', 'yes']);
const FALSE = new Set(['0', 'off', 'f', 'false', 'n', 'no']);

/** Converts 0, 1 or a word such as "yes" to a boolean; anything else is returned unchanged. */
export function plainBoolean(value: unknown): unknown {
  const word = typeof value === 'string' ? value.toLowerCase() : typeof value === 'number' ? String(value) : '';
  if (TRUE.has(word)) return true;
  return FALSE.has(word) ? false : value;
}

function plainNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

function plainInteger(value: unknown): unknown {
  if (typeof value === 'number' && Number.isFinite(value) && Math.abs(value) >= INTEGER_RANGE) return OVERSIZED;
  return plainNumber(value);
}

function isNonFinite(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}

function numberType({ input }: { readonly input?: unknown }): string {
  if (isNonFinite(input)) return 'finite_number';
  return typeof input === 'string' ? 'float_parsing' : 'float_type';
}

function integerType({ input }: { readonly input?: unknown }): string {
  if (isNonFinite(input)) return 'finite_number';
  if (input === OVERSIZED) return 'int_parsing_size';
  return typeof input === 'string' ? 'int_parsing' : 'int_type';
}

function booleanType({ input }: { readonly input?: unknown }): string {
  if (typeof input === 'string') return 'bool_parsing';
  const fits = typeof input === 'bigint' || (Number.isInteger(input) && Math.abs(input as number) < INTEGER_RANGE);
  return fits && BigInt.asIntN(64, BigInt(input as number)) === BigInt(input as number) ? 'bool_parsing' : 'bool_type';
}

interface Bounds {
  readonly min?: number;
  /** Exclusive lower bound. */
  readonly above?: number;
  readonly max?: number;
}

/** A JSON number; text and booleans are refused. */
export function number({ min, above, max }: Bounds = {}) {
  let schema = z.number({ error: numberType });
  if (above !== undefined) schema = schema.gt(above);
  if (min !== undefined) schema = schema.min(min);
  if (max !== undefined) schema = schema.max(max);
  return z.preprocess(plainNumber, schema);
}

function wholeNumber({ min, max }: Omit<Bounds, 'above'>) {
  let schema = z
    .number({ error: integerType })
    .refine(Number.isInteger, { abort: true, error: () => 'int_from_float' });
  if (min !== undefined) schema = schema.min(min);
  if (max !== undefined) schema = schema.max(max);
  return schema.meta({ type: 'integer' });
}

/** A JSON number without a fraction: 2.0 is valid. */
export function integer(bounds: Omit<Bounds, 'above'> = {}) {
  return z.preprocess(plainInteger, wholeNumber(bounds));
}

export function boolean() {
  return z.boolean({ error: booleanType });
}

/** One of the given words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: () => 'literal_error' });
}

/** Any text of at most `max` characters. */
export function word(max: number) {
  return z.string({ error: () => 'string_type' }).max(max);
}

/** A text that matches a pattern. The pattern must be anchored and must bound the length. */
export function text(pattern: RegExp) {
  return z.string({ error: () => 'string_type' }).regex(pattern, { error: () => 'string_pattern_mismatch' });
}

/** Checks the size before the items: validating 30 000 wrong items would take 0.1 s. */
function atMost(max: number, origin: 'array' | 'object', sizeOf: (value: unknown) => number) {
  return (value: unknown, context: z.core.$RefinementCtx<unknown>): unknown => {
    if (sizeOf(value) <= max) return value;
    context.issues.push({ code: 'too_big', origin, maximum: max, inclusive: true, input: value, path: [] });
    return z.NEVER;
  };
}

interface Sizes {
  readonly min?: number;
  readonly max: number;
}

export function list<Item extends z.ZodType>(item: Item, { min, max }: Sizes) {
  const items = z.array(item, { error: () => 'list_type' }).max(max);
  const sizeOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
  return z.preprocess(atMost(max, 'array', sizeOf), min === undefined ? items : items.min(min));
}

/** Rows of numbers. Validation ends at the first non-number, because many wrong items would take too long. */
export function table(sizes: { readonly rows: Sizes; readonly columns: Sizes }) {
  const { rows, columns } = sizes;
  const isNumber = (value: unknown): boolean => typeof value === 'bigint' || Number.isFinite(value);
  const upToFault = (value: unknown): unknown => {
    if (!Array.isArray(value) || value.length > rows.max) return value;
    for (const [k, row] of value.entries()) {
      if (!Array.isArray(row) || row.length > columns.max) return value.slice(0, k + 1);
      const fault = row.findIndex((item) => !isNumber(item));
      if (fault >= 0 && typeof row[fault] !== 'bigint') return [...value.slice(0, k), row.slice(0, fault + 1)];
    }
    return value;
  };
  return z.preprocess(upToFault, list(list(number(), columns), rows));
}

/** Values by name. */
export function map<Value extends z.ZodType>(value: Value, { max }: Sizes) {
  const sizeOf = (sent: unknown): number => (typeof sent === 'object' && sent !== null ? Object.keys(sent).length : 0);
  const entries = z.record(z.string().max(LONGEST_NAME), value, asMap).meta({ maxProperties: max });
  return z.preprocess(atMost(max, 'object', sizeOf), entries);
}

export const asModel = { error: () => 'model_attributes_type' };
export const asMap = { error: () => 'dict_type' };

/**
 * Fields of a query: they arrive as text.
 */

const INTEGER_TEXT = /^[+-]?(\d+(?:_\d+)*)(?:\.0+)?$/;
const MOST_DIGITS = 4300;

/** Parses an integer as Python does; any other text is returned unchanged. */
function integerOfText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const digits = INTEGER_TEXT.exec(value.trim())?.[1];
  if (digits === undefined) return value;
  if (digits.replaceAll('_', '').replace(/^0+/, '').length > MOST_DIGITS) return OVERSIZED;
  const sent = Number(value.trim().replaceAll('_', ''));
  // Python's integers are unbounded.
  return Number.isFinite(sent) ? sent : Math.sign(sent) * Number.MAX_VALUE;
}

export function queryInteger(bounds: Omit<Bounds, 'above'> = {}) {
  return z.preprocess(integerOfText, wholeNumber(bounds));
}

export function queryNumber({ min, max }: { readonly min: number; readonly max: number }) {
  const numberOfText = (value: unknown): unknown => {
    const sent = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return Number.isFinite(sent) ? sent : value;
  };
  return z.preprocess(numberOfText, z.number({ error: numberType }).min(min).max(max));
}

export function queryBoolean() {
  return z.preprocess(plainBoolean, boolean());
}

/** A comma-separated list. */
export function queryList<Item extends z.ZodType>(item: Item, sizes: Sizes) {
  const wordsOf = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    return value === '' ? [] : value.split(',', sizes.max + 1).map((one) => one.trim());
  };
  return z.preprocess(wordsOf, list(item, sizes));
}
