import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type Dialect, softened } from './dialect.ts';
import { type FieldError, HttpProblem } from './errors.ts';
import { plainBoolean } from './fields.ts';
import { JsonDepthError, JsonSyntaxError, parseJson } from './json.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly dialect: Dialect;
  }
  interface FastifyRequest {
    /** Content-Type of the request; the server's own choice of a parser never sees it. */
    sentType: string | undefined;
  }
}

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

const MAX_ECHO_TEXT = 200;
const MAX_ECHO_DEPTH = 3;
const MAX_ECHO_ENTRIES = 20;

/** What was sent, in a size that a reply can carry and a form that JSON can. */
export function echo(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
      return value.length > MAX_ECHO_TEXT ? `${value.slice(0, MAX_ECHO_TEXT)}...` : value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return Number(value);
    case 'object': {
      if (value === null) return null;
      if (depth === MAX_ECHO_DEPTH) return '...';
      if (Array.isArray(value)) return value.slice(0, MAX_ECHO_ENTRIES).map((item) => echo(item, depth + 1));
      const entries = Object.entries(value).slice(0, MAX_ECHO_ENTRIES);
      return Object.fromEntries(entries.map(([key, item]) => [echo(key), echo(item, depth + 1)]));
    }
    default:
      return value ?? null;
  }
}

function fault(type: string, loc: (string | number)[], input: unknown, ctx?: Record<string, unknown>): FieldError {
  const msg = TEXTS[type] ?? type;
  return { type, loc, msg, input: echo(input), ...(ctx === undefined ? {} : { ctx }) };
}

/** A field below its bound, in the body unless `loc` says otherwise. */
export function belowBound(loc: (string | number)[], input: unknown, ge: number): FieldError {
  return {
    type: 'greater_than_equal',
    loc,
    msg: `Input should be greater than or equal to ${ge}`,
    input: echo(input),
    ctx: { ge },
  };
}

/** A field above its bound. */
export function aboveBound(loc: (string | number)[], input: unknown, le: number): FieldError {
  return {
    type: 'less_than_equal',
    loc,
    msg: `Input should be less than or equal to ${le}`,
    input: echo(input),
    ctx: { le },
  };
}

/** A parameter of the query that is no number. */
export function notANumber(loc: (string | number)[], text: string): FieldError {
  return { ...fault('float_parsing', loc, text), msg: 'Input should be a valid number' };
}

/** A word that is none of those that its place takes. */
export function notOneOf(loc: (string | number)[], input: unknown, words: readonly string[]): FieldError {
  const expected = words
    .map((word) => `'${word}'`)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1');
  return { ...fault('literal_error', loc, input, { expected }), msg: `Input should be ${expected}` };
}

/** A name that is none of those known at its place. */
export function unknownName(loc: (string | number)[], input: unknown, known: readonly string[]): FieldError {
  const error = fault('extra_forbidden', loc, input);
  return { ...error, msg: `${error.msg}. Known names: ${known.join(', ')}` };
}

function child(parent: unknown, key: PropertyKey): unknown {
  return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, key)
    ? (parent as Record<PropertyKey, unknown>)[key]
    : undefined;
}

function faultsOf(issue: z.core.$ZodIssue, body: unknown): FieldError[] {
  const path = issue.path as (string | number)[];
  const loc = ['body', ...path];
  let parent: unknown;
  let input = body;
  for (const key of path) {
    parent = input;
    input = child(input, key);
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => fault('extra_forbidden', [...loc, key], child(input, key)));
  }
  if (input === undefined) return [fault('missing', loc, parent)];
  if (issue.code === 'invalid_value') return [notOneOf(loc, input, issue.values.map(String))];
  // An empty text where a list is wanted: that it is no list is said already.
  if (issue.code === 'too_small' && issue.origin === 'string') return [];
  if (issue.code === 'too_small' && issue.origin === 'array') {
    const least = Number(issue.minimum);
    const actual = Array.isArray(input) ? input.length : 0;
    const msg = `List should have at least ${least} item after validation, not ${actual}`;
    const ctx = { field_type: 'List', min_length: least, actual_length: actual };
    return [{ type: 'too_short', loc, msg, input: echo(input), ctx }];
  }
  if (issue.code === 'too_small' && issue.inclusive === false) {
    const gt = Number(issue.minimum);
    return [{ type: 'greater_than', loc, msg: `Input should be greater than ${gt}`, input: echo(input), ctx: { gt } }];
  }
  if (issue.code === 'too_small') return [belowBound(loc, input, Number(issue.minimum))];
  if (issue.code === 'too_big') return [aboveBound(loc, input, Number(issue.maximum))];
  return [fault(issue.message, loc, input)];
}

/** The first number of a document that is not finite, wherever it stands, also in a field that nobody reads. */
function nonFinite(value: unknown, loc: (string | number)[]): FieldError | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : fault('finite_number', loc, value);
  if (typeof value !== 'object' || value === null) return null;
  const isList = Array.isArray(value);
  for (const [key, item] of Object.entries(value)) {
    const error = nonFinite(item, [...loc, isList ? Number(key) : key]);
    if (error !== null) return error;
  }
  return null;
}

const BYTE_ORDER_MARK = 0xfeff;
const UNREADABLE = 'There was an error parsing the body';

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const media = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase().split('/');
  return media.length === 2 && media[0] === 'application' && (media[1] === 'json' || media[1]!.endsWith('+json'));
}

/** No body at all, as opposed to a body that says null. */
const NOTHING = Symbol('no body');

function sentBody(request: FastifyRequest): unknown {
  const bytes = request.body;
  if (!(bytes instanceof Buffer) || bytes.length === 0) return NOTHING;
  if (!isJson(request.sentType)) return bytes.toString('utf8');
  if (!isUtf8(bytes)) throw new HttpProblem(400, `${UNREADABLE}: it is not UTF-8.`);
  const text = bytes.toString('utf8');
  return parsed(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
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

/** What a route takes besides its path. */
export interface RequestShape<Body extends z.ZodType> {
  /** `robot_id`: 0 when it is left out, or `all` for every arm; false: the route takes none. */
  readonly robotId: 'default' | 'all' | false;
  /** Whether `take_over` is read. */
  readonly takeOver?: boolean;
  readonly body?: Body;
  /** An optional body may be missing or null: its defaults apply. */
  readonly bodyOptional?: boolean;
  /** What the phosphobot dialect takes for the fields that are left out. */
  readonly complete?: (body: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

export interface ReadRequest<Body extends z.ZodType> {
  /** Null: every arm, or the route takes none. */
  readonly robotId: number | null;
  readonly takeOver: boolean;
  readonly body: z.output<Body>;
}

const INTEGER_TEXT = /^[+-]?(\d+(?:_\d+)*)(?:\.0+)?$/;
const MAX_INTEGER_DIGITS = 4300;

function readRobotId(text: string | undefined, fallback: number | null, faults: FieldError[]): number | null {
  if (text === undefined) return fallback;
  const loc = ['query', 'robot_id'];
  const match = INTEGER_TEXT.exec(text.trim());
  if (match === null) {
    const error = fault('int_parsing', loc, text);
    faults.push({ ...error, msg: 'Input should be a valid integer, unable to parse string as an integer' });
    return fallback;
  }
  if (match[1]!.replaceAll('_', '').replace(/^0+/, '').length > MAX_INTEGER_DIGITS) {
    faults.push(fault('int_parsing_size', loc, text));
    return fallback;
  }
  return Number(text.trim().replaceAll('_', ''));
}

function readTakeOver(text: string | undefined, faults: FieldError[]): boolean {
  const value = plainBoolean(text ?? false);
  if (typeof value === 'boolean') return value;
  faults.push(fault('bool_parsing', ['query', 'take_over'], text));
  return false;
}

/** A body as the phosphobot dialect reads it. */
function asPhosphobot(schema: z.ZodType, complete: RequestShape<z.ZodType>['complete'], sent: unknown): unknown {
  const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent);
  const whole = isObject && complete !== undefined ? complete(sent as Readonly<Record<string, unknown>>) : sent;
  return isObject ? softened(schema, whole) : sent;
}

/** What `sent` says by a schema; what is wrong with it is added to `faults`. */
function judged(
  sent: unknown,
  schema: z.ZodType,
  faults: FieldError[],
  dialect: Dialect,
  complete?: RequestShape<z.ZodType>['complete'],
): unknown {
  const present = dialect === 'phosphobot' ? asPhosphobot(schema, complete, sent) : sent;
  const result = schema.safeParse(present);
  if (!result.success) {
    faults.push(...result.error.issues.flatMap((issue) => faultsOf(issue, present)));
    return undefined;
  }
  const error = nonFinite(present, ['body']);
  if (error !== null) faults.push(error);
  return result.data;
}

/**
 * Reads a message of a WebSocket as the body of a request is read.
 * @throws {HttpProblem} 422 with every fault; 400 for one that is nested too deeply
 */
export function readMessage<Body extends z.ZodType>(text: string, schema: Body, dialect: Dialect): z.output<Body> {
  const faults: FieldError[] = [];
  const body = judged(parsed(text), schema, faults, dialect);
  if (faults.length > 0) throw new HttpProblem(422, faults);
  return body as z.output<Body>;
}

/** Query parameters by name, of equal names the last. */
export function queryOf(request: FastifyRequest): ReadonlyMap<string, string> {
  return queryIn(request.raw.url ?? '');
}

const NO_QUERY: ReadonlyMap<string, string> = new Map();

function queryIn(url: string): ReadonlyMap<string, string> {
  const start = url.indexOf('?');
  return start < 0 ? NO_QUERY : new Map(new URLSearchParams(url.slice(start)));
}

type QueryShape = Pick<RequestShape<z.ZodType>, 'robotId' | 'takeOver'>;
type ReadQuery = Pick<ReadRequest<z.ZodType>, 'robotId' | 'takeOver'>;

function judgedQuery(url: string, shape: QueryShape, faults: FieldError[]): ReadQuery {
  const query = queryIn(url);
  const fallback = shape.robotId === 'default' ? 0 : null;
  return {
    robotId: shape.robotId === false ? null : readRobotId(query.get('robot_id'), fallback, faults),
    takeOver: shape.takeOver === true && readTakeOver(query.get('take_over'), faults),
  };
}

/** Reads the query of a request that has nothing else. @throws {HttpProblem} 422 with every fault */
export function readQuery(url: string, shape: QueryShape): ReadQuery {
  const faults: FieldError[] = [];
  const query = judgedQuery(url, shape, faults);
  if (faults.length > 0) throw new HttpProblem(422, faults);
  return query;
}

/**
 * Reads query and body of a request and checks both before anything is done.
 * @throws {HttpProblem} 422 with every fault, query first; 400 for a body that is no UTF-8 or nested too deeply
 */
export function readRequest<Body extends z.ZodType>(
  request: FastifyRequest,
  shape: RequestShape<Body>,
): ReadRequest<Body> {
  const sent = shape.body === undefined ? NOTHING : sentBody(request);
  const faults: FieldError[] = [];
  const { robotId, takeOver } = judgedQuery(request.raw.url ?? '', shape, faults);
  let body: unknown;
  if (shape.body !== undefined) {
    if (sent === NOTHING && shape.bodyOptional !== true) {
      faults.push(fault('missing', ['body'], null));
    } else {
      const given = shape.bodyOptional === true && (sent === NOTHING || sent === null) ? {} : sent;
      body = judged(given, shape.body, faults, request.server.dialect, shape.complete);
    }
  }
  if (faults.length > 0) throw new HttpProblem(422, faults);
  return { robotId, takeOver, body: body as z.output<Body> };
}
