import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { type Dialect, softened } from './dialect.ts';
import { type FieldError, HttpProblem } from './errors.ts';
import { LONGEST_NAME } from './fields.ts';
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
/** The same for a query, all of which is text. */
const QUERY_TEXTS: Readonly<Record<string, string>> = {
  int_parsing: 'Input should be a valid integer, unable to parse string as an integer',
  float_parsing: 'Input should be a valid number',
};

/** Faults that one answer tells; further ones are counted. */
const MOST_FAULTS = 20;
/** Bytes of what was sent that one answer repeats, all its faults together: in all, and of values. */
const MOST_ECHO = 200;
const MOST_VALUES = 100;
const MAX_ECHO_DEPTH = 3;
const MAX_ECHO_ENTRIES = 20;
/** Steps of the place of a fault that are told; no field of this interface lies deeper. */
const MAX_PLACE = 8;

type Place = readonly (string | number)[];

/** The beginning of a text, of so many bytes at most. */
function beginning(text: string, bytes: number): string {
  const head = text.slice(0, Math.max(0, bytes));
  // What is left of a character that has been cut is not one.
  return Buffer.byteLength(head) <= bytes
    ? head
    : Buffer.from(head)
        .toString('utf8', 0, bytes)
        .replace(/\ufffd$/, '');
}

/** What was sent, in a form that JSON can carry. @param room bytes that it may take */
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

/** Collects what is wrong with a request. Its size is bounded whatever the request holds. */
export class Faults {
  readonly #told: FieldError[] = [];
  #more = 0;
  #room = MOST_ECHO;
  #roomForValues = MOST_VALUES;
  /** Steps that were named before: they are counted once. */
  readonly #named = new Set<string>();

  /** @param loc place of the fault, from `body` or `query` on @param input what was sent there @param ctx bounds that were missed */
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

  /** A step of a place as it is told: the client may have chosen it. */
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

  /** A word that is none of those that its place takes. */
  notOneOf(loc: Place, input: unknown, words: readonly string[]): void {
    const expected = words
      .map((word) => `'${word}'`)
      .join(', ')
      .replace(/, ([^,]*)$/, ' or $1');
    this.add('literal_error', loc, input, `Input should be ${expected}`, { expected });
  }

  /** A name that is none of those known at its place. */
  unknownName(loc: Place, input: unknown, known: readonly string[]): void {
    this.add('extra_forbidden', loc, input, `${TEXTS.extra_forbidden}. Known names: ${known.join(', ')}`);
  }

  /** @throws {HttpProblem} 422 when there are any */
  refuse(): void {
    if (this.#told.length === 0) return;
    const rest =
      this.#more === 0 ? [] : [{ type: 'too_many_errors', loc: [], msg: `and ${this.#more} more`, input: null }];
    throw new HttpProblem(422, [...this.#told, ...rest]);
  }

  /** Adds what a schema found wrong with a value. */
  addIssue(issue: z.core.$ZodIssue, value: unknown, where: 'body' | 'query'): void {
    const path = issue.path as (string | number)[];
    // A parameter of a query is one text.
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
    // An empty text where a list is wanted: that it is no list is said already.
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

/** Adds the first number of a document that is not finite, wherever it stands, also in a field that nobody reads. */
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

/** A value that was sent, and whether all its numbers are known to be finite. */
interface Sent {
  readonly value: unknown;
  readonly finite: boolean;
}

/** What phosphobot's clients may leave out of a body, filled in. */
export type Complete = (body: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** A body that a route takes. */
export interface BodyShape<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  /** It may be left out, or null: its defaults apply. */
  readonly optional?: true;
  /** What the phosphobot dialect takes for the fields that are left out. */
  readonly complete?: Complete;
}

/** @param bytes anything but a buffer: no body */
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

/** What `sent` says by a schema; what is wrong with it is added to `faults`. */
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
 * Reads a message of a WebSocket as the body of a request is read.
 * @throws {HttpProblem} 422 with its faults; 400 for one that is nested too deeply
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

/** Whether a body says nothing: it has no bytes, or is an empty object. */
function isEmpty(bytes: unknown, contentType: string | undefined): boolean {
  if (!(bytes instanceof Buffer) || bytes.length === 0) return true;
  return bytes.length === 2 && bytes[0] === OPEN && bytes[1] === CLOSE && isJson(contentType);
}

const OPEN = '{'.charCodeAt(0);
const CLOSE = '}'.charCodeAt(0);

/** Reads a body; what is wrong with it is added to `faults`. @throws {HttpProblem} 400 for one that is no text */
type ReadBody = (bytes: unknown, contentType: string | undefined, faults: Faults) => unknown;

/** How the bodies of a route are read. */
export function bodyReader(shape: BodyShape, dialect: Dialect): ReadBody {
  const empty: Sent = { value: {}, finite: true };
  const optional = shape.optional === true;
  let nothing: unknown;
  return (bytes, contentType, faults) => {
    // Most bodies that may be left out say nothing: it need not be judged each time what that means.
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

/** Reads the query of a URL, of equal names the last; what is wrong with it is added to `faults`. */
export function readQuery<Schema extends z.ZodType>(url: string, schema: Schema, faults: Faults): z.output<Schema> {
  const start = url.indexOf('?');
  const sent = start < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start)));
  const result = schema.safeParse(sent);
  if (result.success) return result.data;
  for (const issue of result.error.issues) faults.addIssue(issue, sent, 'query');
  // Nobody reads it: the faults are told instead.
  return undefined as z.output<Schema>;
}
