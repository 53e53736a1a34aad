import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { querySchema } from '../../src/http/route.ts';
import { ROUTES } from '../../src/http/routes/index.ts';
import { buildApp, fakeServices } from './fakes.ts';

/**
 * Every route, by its own declaration: its example with one thing wrong. Each is refused at its place, and nothing moves.
 */

interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
}

type Place = readonly (string | number)[];
/** A value that is wrong, with the place and the type of its fault. */
type Wrong = readonly [value: unknown, place: Place, type: RegExp];

const typesOf = ({ type, anyOf = [] }: Schema): string[] => [
  ...[type ?? []].flat(),
  ...anyOf.flatMap((one) => typesOf(one)),
];

const filled = (length: number): string => 'x'.repeat(length);

/** What a value by this schema must not be. */
function wrongs(schema: Schema, place: Place, good: unknown): Wrong[] {
  const { anyOf, enum: words, items, properties = {}, additionalProperties: values } = schema;
  if (anyOf !== undefined) {
    const other = anyOf.find(({ type }) => type !== 'null')!;
    return wrongs(other, place, good);
  }
  const types = typesOf(schema);
  const isMap = typeof values === 'object';
  const found: Wrong[] = [];
  if (words !== undefined)
    return [
      [`${filled(300)}`, place, /literal_error/],
      [7, place, /literal_error/],
    ];
  if (types.includes('number') || types.includes('integer')) {
    found.push(['1', place, /_parsing$/], [true, place, /_type$/], [[], place, /_type$/]);
    const { minimum, exclusiveMinimum, maximum } = schema;
    if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) found.push([minimum - 1, place, /greater_than/]);
    if (exclusiveMinimum !== undefined) found.push([exclusiveMinimum, place, /greater_than/]);
    if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) found.push([maximum + 1, place, /less_than/]);
    if (types.includes('integer')) found.push([1.5, place, /int_from_float/]);
  }
  if (types.includes('boolean')) found.push([1, place, /bool_/], ['true', place, /bool_/], [null, place, /bool_/]);
  if (types.includes('string')) {
    found.push([1, place, /string_type/], [filled(600), place, /string_too_long|string_pattern/]);
  }
  if (types.includes('array')) {
    found.push(['', place, /list_type/], [{}, place, /list_type/]);
    const item = Array.isArray(good) ? good[0] : undefined;
    if (schema.maxItems !== undefined) found.push([Array(schema.maxItems + 1).fill(item), place, /too_long/]);
    if ((schema.minItems ?? 0) > 0) found.push([[], place, /too_short/]);
    for (const [value, inner, type] of wrongs(items ?? {}, [...place, 0], item)) found.push([[value], inner, type]);
  }
  if (types.includes('object')) {
    found.push([[], place, /(dict|attributes)_type/], ['x', place, /(dict|attributes)_type/]);
    if (isMap && schema.maxProperties !== undefined) {
      const many = Object.fromEntries(Array.from({ length: schema.maxProperties + 1 }, (_, i) => [`name${i}`, 0]));
      found.push([many, place, /too_long/], [{ [filled(65)]: 0 }, [...place, filled(64), '[key]'], /string_too_long/]);
      for (const [value, , type] of wrongs(values as Schema, [...place, 'some'], 0)) {
        found.push([{ some: value }, [...place, 'some'], type]);
      }
    }
  }
  const whole = (good ?? {}) as Readonly<Record<string, unknown>>;
  for (const [name, field] of Object.entries(properties)) {
    const inner = wrongs(field, [...place, name], whole[name]);
    for (const [value, at, type] of inner) found.push([{ ...whole, [name]: value }, at, type]);
    if (schema.required?.includes(name)) {
      const { [name]: _left, ...rest } = whole;
      found.push([rest, [...place, name], /^missing$/]);
    }
  }
  return found;
}

const services = fakeServices();
const app = buildApp(services);
afterAll(() => app.close());

const withBody = ROUTES.filter(({ body }) => body !== undefined).map((route) => [route.path, route] as const);

test.each(withBody)('%s refuses every body with one thing wrong, at its place', async (path, { body, method }) => {
  for (const arm of services.arms.all) Object.assign(arm, { initialised: true, state: 'ready', detached: false });
  const schema = z.toJSONSchema(body!.schema, { io: 'input' }) as Schema;
  const cases = wrongs(schema, ['body'], body!.example);
  expect(cases.length).toBeGreaterThan(2);
  for (const [value, place, type] of cases) {
    const reply = await app.inject({
      method,
      url: path.replace('{name}', 'leader'),
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(value),
    });
    const faults = reply.statusCode === 422 ? reply.json().detail : [];
    const found = faults.find((fault: { loc: Place }) => JSON.stringify(fault.loc) === JSON.stringify(place));
    expect([path, value, reply.statusCode, found?.type]).toEqual([path, value, 422, expect.stringMatching(type)]);
  }
  expect(services.motion.moves).toEqual([]);
  expect(services.mirror.started).toBeNull();
});

test('every route refuses a query with one thing wrong, at its place', async () => {
  let tried = 0;
  for (const route of ROUTES) {
    const { properties = {} } = z.toJSONSchema(querySchema(route), { io: 'input' }) as Schema;
    for (const [name, field] of Object.entries(properties)) {
      const types = typesOf(field);
      const bad = [
        ...(types.includes('integer') || types.includes('number') ? ['x', '1,5', ''] : []),
        ...(types.includes('boolean') ? ['maybe', '2', ''] : []),
        ...(field.enum === undefined ? [] : ['other', '']),
        ...(field.maximum === undefined || field.maximum === Number.MAX_SAFE_INTEGER
          ? []
          : [String(field.maximum + 1)]),
        ...(types.includes('array') ? [Array(100).fill('arms').join(',')] : []),
      ];
      for (const text of bad) {
        const url = `${route.path.replace('{name}', 'leader')}?${name}=${encodeURIComponent(text)}`;
        const json = { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(route.body?.example) };
        const reply = await app.inject({ method: route.method, url, ...(route.body === undefined ? {} : json) });
        expect([url, reply.statusCode, reply.json().detail?.[0]?.loc]).toEqual([url, 422, ['query', name]]);
        tried++;
      }
    }
  }
  expect(tried).toBeGreaterThan(100);
});
