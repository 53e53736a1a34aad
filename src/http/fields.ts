import { z } from 'zod';

/** Every schema that has a name in the OpenAPI description. */
export const components = z.registry<{ id: string }>();

/** Stands for a float literal that no 64-bit integer holds; an integer literal of that size is one. */
const OVERSIZED = Symbol('float beyond 64-bit integers');
const INTEGER_RANGE = 2 ** 63;

const TRUE = new Set(['1', 'on', 't', 'true', 'y', 'yes']);
const FALSE = new Set(['0', 'off', 'f', 'false', 'n', 'no']);

/** The boolean that clients in the field may write as 0, 1 or a word; anything else comes back as it is. */
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

/** A JSON number without fraction: 2.0 is one. */
export function integer({ min, max }: Omit<Bounds, 'above'> = {}) {
  let schema = z
    .number({ error: integerType })
    .refine(Number.isInteger, { abort: true, error: () => 'int_from_float' });
  if (min !== undefined) schema = schema.min(min);
  if (max !== undefined) schema = schema.max(max);
  return z.preprocess(plainInteger, schema.meta({ type: 'integer' }));
}

export function boolean() {
  return z.preprocess(plainBoolean, z.boolean({ error: booleanType }));
}

/** Any text. */
export function word() {
  return z.string({ error: () => 'string_type' });
}

/** A text that a pattern fits as a whole. */
export function text(pattern: RegExp) {
  return z.string({ error: () => 'string_type' }).regex(pattern, { error: () => 'string_pattern_mismatch' });
}

export const asModel = { error: () => 'model_attributes_type' };
export const asMap = { error: () => 'dict_type' };
export const asList = { error: () => 'list_type' };
