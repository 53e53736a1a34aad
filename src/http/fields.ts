import { z } from 'zod';

/**
 * The fields that requests are made of. The message of an issue is the type of the field error (`float_type`,
 * `int_from_float`, ...); validation.ts words it. Whatever can be long has a largest size.
 */

/** Every schema that has a name in the OpenAPI description. */
export const components = z.registry<{ id: string }>();

/** Bounds of what a request can name. */
export const MOST_JOINTS = 32;
export const MOST_PAIRS = 16;
/** Characters of a name, and of a path or an address. */
export const LONGEST_NAME = 64;
export const LONGEST_PATH = 128;

/** Stands for a float literal that no 64-bit integer holds; an integer literal of that size is one. */
const OVERSIZED = Symbol('float beyond 64-bit integers');
const INTEGER_RANGE = 2 ** 63;

const TRUE = new Set(['1', 'on', 't', 'true', 'y', 'yes']);
const FALSE = new Set(['0', 'off', 'f', 'false', 'n', 'no']);

/** The boolean that 0, 1 or a word stands for; anything else comes back as it is. */
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
  /** It is larger than this. */
  readonly above?: number;
  readonly max?: number;
}

/** A JSON number; text and booleans are none. */
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

/** A JSON number without fraction: 2.0 is one. */
export function integer(bounds: Omit<Bounds, 'above'> = {}) {
  return z.preprocess(plainInteger, wholeNumber(bounds));
}

export function boolean() {
  return z.boolean({ error: booleanType });
}

/** One of some words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: () => 'literal_error' });
}

/** Any text of at most `max` characters. */
export function word(max: number) {
  return z.string({ error: () => 'string_type' }).max(max);
}

/** A text that a pattern fits as a whole. The pattern bounds its length. */
export function text(pattern: RegExp) {
  return z.string({ error: () => 'string_type' }).regex(pattern, { error: () => 'string_pattern_mismatch' });
}

/** Refuses what is too large before its parts are looked at: judging each of 30 000 wrong items takes 0.1 s. */
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

/** Rows of numbers. What stands behind the first one that is none is not judged: that would take as long for each of them. */
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
 * Fields of a query. What is sent is text.
 */

const INTEGER_TEXT = /^[+-]?(\d+(?:_\d+)*)(?:\.0+)?$/;
const MOST_DIGITS = 4300;

/** The integer that a text stands for, as Python reads it; other texts come back as they are. */
function integerOfText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const digits = INTEGER_TEXT.exec(value.trim())?.[1];
  if (digits === undefined) return value;
  if (digits.replaceAll('_', '').replace(/^0+/, '').length > MOST_DIGITS) return OVERSIZED;
  const sent = Number(value.trim().replaceAll('_', ''));
  // Python's integers have no end.
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

/** Words separated by commas. */
export function queryList<Item extends z.ZodType>(item: Item, sizes: Sizes) {
  const wordsOf = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    return value === '' ? [] : value.split(',', sizes.max + 1).map((one) => one.trim());
  };
  return z.preprocess(wordsOf, list(item, sizes));
}
