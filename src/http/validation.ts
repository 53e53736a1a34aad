import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { LONGEST_NAME } from '../sizes.ts';
import { type Dialect, softened } from './dialect.ts';
import { type FieldError, HttpProblem } from './errors.ts';
import { JsonDepthError, JsonSyntaxError, readJson } from './json.ts';

const TEXTS: Readonly<Record<string, string>> = {
  missing: 'Field required',
  model_attributes_type: 'Input should be a valid dictionary or object to extract fields from',
  dict_type: 'Input should be a valid dictionary',
  list_type: 'Input should be a valid list',
  float_type: 'Input should be a valid number',
  float_parsing: 'Input should be a valid number: write it without quotes',
  finite_number: 'Input should be a finite number',
  int_type: 'Input should be a valid integer',
  int_parsing: 'Input should be a valid integer: write it without quotes',
  int_parsing_size: 'Input should be a valid integer: this one is too large',
  int_from_float: 'Input should be a valid integer, got a number with a fractional part',
  bool_type: 'Input should be a valid boolean',
  bool_parsing: 'Input should be a valid boolean, unable to interpret input',
  string_type: 'Input should be a valid string',
  string_pattern_mismatch: 'Input should be 1 to 64 letters, digits, "_" and "-"',
  extra_forbidden: 'Extra inputs are not permitted',
};
/** Texts that differ in a query, because all its values are text. */
const QUERY_TEXTS: Readonly<Record<string, string>> = {
  int_parsing: 'Input should be a valid integer, unable to parse string as an integer',
  float_parsing: 'Input should be a valid number',
};

/** Most faults in one answer; further ones are only counted. */
const MOST_FAULTS = 20;
/** Most bytes of sent text that one answer repeats over all its faults: in total, and for values. */
export const MOST_ECHO = 200;
const MOST_VALUES = 100;
const MAX_ECHO_DEPTH = 3;
const MAX_ECHO_ENTRIES = 20;
/** Most steps of a fault's location; no field of this interface is deeper. */
const MAX_PLACE = 8;

type Place = readonly (string | number)[];

/** Truncates a text to at most `bytes` bytes of UTF-8. */
function beginning(text: string, bytes: number): string {
  const head = text.slice(0, Math.max(0, bytes));
  // Remove the replacement character of a character that was cut in half.
  return Buffer.byteLength(head) <= bytes
    ? head
    : Buffer.from(head)
        .toString('utf8', 0, bytes)
        .replace(/\ufffd$/, '');
}

/** A sent value, shortened and as plain JSON. @param room most bytes */
export function echo(value: unknown, room: number, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
      return value.length > room || Buffer.byteLength(value) > room ? `${beginning(value, room)}...` : value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return Number(value);
    case 'object': {
      if (value === null) return null;
      if (depth === MAX_ECHO_DEPTH) return '...';
      let left = room;
      const shown = (item: unknown): unknown => {
        const one = echo(item, left, depth + 1);
        left -= Buffer.byteLength(JSON.stringify(one));
        return one;
      };
      if (Array.isArray(value)) {
        const items: unknown[] = [];
        for (let i = 0; i < value.length && i < MAX_ECHO_ENTRIES && left > 0; i++) items.push(shown(value[i]));
        return items;
      }
      const entries: [string, unknown][] = [];
      for (const key of Object.keys(value).slice(0, MAX_ECHO_ENTRIES)) {
        if (left <= 0) break;
        entries.push([String(shown(key)), shown((value as Readonly<Record<string, unknown>>)[key])]);
      }
      return Object.fromEntries(entries);
    }
    default:
      return value ?? null;
  }
}

/** Adds the texts of a value to `texts`. Items of lists are left out: they are names that the bridge knows. */
function addTexts(value: unknown, texts: Set<string>): void {
  if (typeof value === 'string') texts.add(value);
  else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const item of Object.values(value)) addTexts(item, texts);
  }
}

function withReplaced(value: unknown, replaced: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    let text = value;
    for (const [sent, shown] of replaced) text = text.replaceAll(sent, shown);
    return text;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withReplaced(item, replaced));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withReplaced(item, replaced)]));
}

/**
 * An answer that repeats at most {@link MOST_ECHO} bytes of the texts in a body. Names stay whole; longer texts share
 * the bytes that the names leave, the shortest first.
 * @param sent body of the request
 */
export function repeatingLittle<T>(answer: T, sent: unknown): T {
  const texts = new Set<string>();
  addTexts(sent, texts);
  let room = MOST_ECHO;
  const replaced = new Map<string, string>();
  const sizes = [...texts].map((text) => ({ text, size: Buffer.byteLength(text) })).sort((a, b) => a.size - b.size);
  for (const { text, size } of sizes) {
    if (size > LONGEST_NAME && size > room) replaced.set(text, `${beginning(text, room)}...`);
    room = Math.max(0, room - size);
  }
  return replaced.size === 0 ? answer : (withReplaced(answer, replaced) as T);
}

/** Collects the faults of a request. Its size is bounded for any request. */
export class Faults {
  readonly #told: FieldError[] = [];
  #more = 0;
  #room = MOST_ECHO;
  #roomForValues = MOST_VALUES;
  /** Steps already named: each counts against the room once. */
  readonly #named = new Set<string>();

  /**
   * @param loc location of the fault, from `body` or `query` on
   * @param input value sent there
   * @param ctx violated bounds
   */
  add(
    type: string,
    loc: Place,
    input: unknown,
    msg = TEXTS[type] ?? type,
    ctx?: Readonly<Record<string, unknown>>,
  ): void {
    if (this.#told.length === MOST_FAULTS) {
      this.#more++;
      return;
    }
    const place = loc.slice(0, MAX_PLACE).map((step) => (typeof step === 'string' ? this.#name(step) : step));
    const shown = echo(input, Math.min(this.#room, this.#roomForValues));
    const size = Buffer.byteLength(JSON.stringify(shown));
    this.#room -= size;
    this.#roomForValues -= size;
    this.#told.push({ type, loc: place, msg, input: shown, ...(ctx === undefined ? {} : { ctx }) });
  }

  /** Shortens a step of a location, because the client may have chosen its text. */
  #name(step: string): string {
    if (this.#named.has(step)) return step;
    const name = beginning(step, LONGEST_NAME);
    const size = Buffer.byteLength(name);
    if (size > this.#room) return '...';
    this.#room -= size;
    if (name === step) this.#named.add(step);
    return name;
  }

  belowBound(loc: Place, input: unknown, ge: number): void {
    this.add('greater_than_equal', loc, input, `Input should be greater than or equal to ${ge}`, { ge });
  }

  aboveBound(loc: Place, input: unknown, le: number): void {
    this.add('less_than_equal', loc, input, `Input should be less than or equal to ${le}`, { le });
  }

  /** The value is not one of the allowed words. */
  notOneOf(loc: Place, input: unknown, words: readonly string[]): void {
    const expected = words
      .map((word) => `'${word}'`)
      .join(', ')
      .replace(/, ([^,]*)$/, ' or $1');
    this.add('literal_error', loc, input, `Input should be ${expected}`, { expected });
  }

  /** The name is not one of the known names. */
  unknownName(loc: Place, input: unknown, known: readonly string[]): void {
    this.add('extra_forbidden', loc, input, `${TEXTS.extra_forbidden}. Known names: ${known.join(', ')}`);
  }

  /** @throws {HttpProblem} 422 if there are faults */
  refuse(): void {
    if (this.#told.length === 0) return;
    const rest =
      this.#more === 0 ? [] : [{ type: 'too_many_errors', loc: [], msg: `and ${this.#more} more`, input: null }];
    throw new HttpProblem(422, [...this.#told, ...rest]);
  }

  /** Adds an issue that a schema found in `value`. */
  addIssue(issue: z.core.$ZodIssue, value: unknown, where: 'body' | 'query'): void {
    const path = issue.path as (string | number)[];
    // A query parameter is a single text, so its location has one step.
    const loc = [where, ...(where === 'query' ? path.slice(0, 1) : path)];
    let parent: unknown;
    let input = value;
    for (const key of where === 'query' ? path.slice(0, 1) : path) {
      parent = input;
      input = child(input, key);
    }
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) this.add('extra_forbidden', [...loc, key], child(input, key));
    } else if (issue.code === 'invalid_key') {
      this.#tooLong([...loc, '[key]'], path.at(-1), 'string', LONGEST_NAME);
    } else if (input === undefined) {
      this.add('missing', loc, parent);
    } else if (issue.code === 'invalid_value') {
      this.notOneOf(loc, input, issue.values.map(String));
    } else if (issue.code === 'too_small') {
      this.#tooSmall(loc, input, issue);
    } else if (issue.code === 'too_big') {
      if (issue.origin === 'number') this.aboveBound(loc, input, Number(issue.maximum));
      else this.#tooLong(loc, input, issue.origin, Number(issue.maximum));
    } else {
      const texts = where === 'query' ? QUERY_TEXTS : TEXTS;
      this.add(issue.message, loc, input, texts[issue.message]);
    }
  }

  #tooSmall(loc: Place, input: unknown, { origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): void {
    const least = Number(minimum);
    // An empty text in place of a list: already reported as list_type.
    if (origin === 'string') return;
    if (origin === 'array') {
      const actual = Array.isArray(input) ? input.length : 0;
      const msg = `List should have at least ${least} item after validation, not ${actual}`;
      this.add('too_short', loc, input, msg, { field_type: 'List', min_length: least, actual_length: actual });
    } else if (inclusive === false) {
      this.add('greater_than', loc, input, `Input should be greater than ${least}`, { gt: least });
    } else {
      this.belowBound(loc, input, least);
    }
  }

  #tooLong(loc: Place, input: unknown, origin: string, most: number): void {
    if (origin === 'string') {
      const msg = `String should have at most ${most} characters`;
      this.add('string_too_long', loc, input, msg, { max_length: most });
      return;
    }
    const actual = Array.isArray(input) ? input.length : Object.keys(Object(input)).length;
    const field = origin === 'array' ? 'List' : 'Dictionary';
    const msg = `${field} should have at most ${most} items after validation, not ${actual}`;
    this.add('too_long', loc, input, msg, { field_type: field, max_length: most, actual_length: actual });
  }
}

function child(parent: unknown, key: PropertyKey): unknown {
  return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, key)
    ? (parent as Record<PropertyKey, unknown>)[key]
    : undefined;
}

/** Adds the first non-finite number of a document, even if it is in a field that is not used. */
function addNonFinite(value: unknown, faults: Faults): void {
  const place: (string | number)[] = ['body'];
  const found = (item: unknown): boolean => {
    if (typeof item === 'number') {
      if (Number.isFinite(item)) return false;
      faults.add('finite_number', place, item);
      return true;
    }
    if (typeof item !== 'object' || item === null) return false;
    const isList = Array.isArray(item);
    for (const key of Object.keys(item)) {
      place.push(isList ? Number(key) : key);
      if (found((item as Readonly<Record<string, unknown>>)[key])) return true;
      place.pop();
    }
    return false;
  };
  found(value);
}

const BYTE_ORDER_MARK = 0xfeff;
const UNREADABLE = 'There was an error parsing the body';

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const media = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase().split('/');
  return media.length === 2 && media[0] === 'application' && (media[1] === 'json' || media[1]!.endsWith('+json'));
}

/** A parsed value, and whether all its numbers are known to be finite. */
interface Sent {
  readonly value: unknown;
  readonly finite: boolean;
}

/** Fills in the fields that phosphobot's clients may leave out. */
export type Complete = (body: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** Body of a route. */
export interface BodyShape<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  /** The body may be left out or null; the defaults then apply. */
  readonly optional?: true;
  /** Values of missing fields in the phosphobot dialect. */
  readonly complete?: Complete;
}

/** @param bytes anything but a Buffer means no body @returns null for no body */
function sentBody(bytes: unknown, contentType: string | undefined): Sent | null {
  if (!(bytes instanceof Buffer) || bytes.length === 0) return null;
  if (!isJson(contentType)) return { value: bytes.toString('utf8'), finite: true };
  if (!isUtf8(bytes)) throw new HttpProblem(400, `${UNREADABLE}: it is not UTF-8.`);
  const text = bytes.toString('utf8');
  return parsed(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
}

function parsed(text: string): Sent {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof JsonDepthError) throw new HttpProblem(400, `${UNREADABLE}: it is ${error.message}.`);
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new HttpProblem(422, [
      {
        type: 'json_invalid',
        loc: ['body', error.offset],
        msg: 'JSON decode error',
        input: {},
        ctx: { error: error.reason },
      },
    ]);
  }
}

/** A body as the phosphobot dialect reads it. */
function asPhosphobot(schema: z.ZodType, complete: Complete | undefined, sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent;
  return softened(schema, complete === undefined ? sent : complete(sent as Readonly<Record<string, unknown>>));
}

/** Validates `sent`, and adds its faults to `faults`. @returns undefined if it is invalid */
function judged({ value, finite }: Sent, shape: BodyShape, faults: Faults, dialect: Dialect): unknown {
  const { schema, complete } = shape;
  const present = dialect === 'phosphobot' ? asPhosphobot(schema, complete, value) : value;
  const result = schema.safeParse(present);
  if (result.success) {
    if (!finite) addNonFinite(present, faults);
    return result.data;
  }
  for (const issue of result.error.issues) faults.addIssue(issue, present, 'body');
  return undefined;
}

/**
 * Reads a WebSocket message like a request body.
 * @throws {HttpProblem} 422 with the faults; 400 if it is nested too deeply
 */
export function readMessage<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
  dialect: Dialect,
): z.output<Schema> {
  const faults = new Faults();
  const message = judged(parsed(text), { schema }, faults, dialect);
  faults.refuse();
  return message as z.output<Schema>;
}

/** Whether a body is missing or an empty object. */
function isEmpty(bytes: unknown, contentType: string | undefined): boolean {
  if (!(bytes instanceof Buffer) || bytes.length === 0) return true;
  return bytes.length === 2 && bytes[0] === OPEN && bytes[1] === CLOSE && isJson(contentType);
}

const OPEN = '{'.charCodeAt(0);
const CLOSE = '}'.charCodeAt(0);

/** Reads a body, and adds its faults to `faults`. @throws {HttpProblem} 400 if it is not UTF-8 or nested too deeply */
type ReadBody = (bytes: unknown, contentType: string | undefined, faults: Faults) => unknown;

/** Makes the reader of a route's bodies. */
export function bodyReader(shape: BodyShape, dialect: Dialect): ReadBody {
  const empty: Sent = { value: {}, finite: true };
  const optional = shape.optional === true;
  let nothing: unknown;
  return (bytes, contentType, faults) => {
    // Most optional bodies are empty, so the defaults are parsed once.
    if (optional && isEmpty(bytes, contentType)) {
      nothing ??= Object.freeze(judged(empty, shape, faults, dialect));
      return nothing;
    }
    const sent = sentBody(bytes, contentType);
    if (sent === null) {
      faults.add('missing', ['body'], null);
      return undefined;
    }
    return judged(optional && sent.value === null ? empty : sent, shape, faults, dialect);
  };
}

/** Reads the query of a URL, and adds its faults to `faults`. The last of equal names wins. */
export function readQuery<Schema extends z.ZodType>(url: string, schema: Schema, faults: Faults): z.output<Schema> {
  const start = url.indexOf('?');
  const sent = start < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start)));
  const result = schema.safeParse(sent);
  if (result.success) return result.data;
  for (const issue of result.error.issues) faults.addIssue(issue, sent, 'query');
  // Never used: the caller refuses the request because of the faults.
  return undefined as z.output<Schema>;
}
