import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { querySchema, type Route } from '../../src/http/route.ts';
import { ROUTES } from '../../src/http/routes/index.ts';
import { type Random, seededRandom } from '../../src/sim/random.ts';
import { PAIR, VirtualBridge } from '../support/virtual-bridge.ts';

/**
 * What a whole bridge answers to random legal requests of all routes is what /openapi.json says, judged by Ajv.
 * `ARM_BRIDGE_ANSWERS=100000` asks so many in each dialect.
 */
const REQUESTS = Number(process.env.ARM_BRIDGE_ANSWERS ?? 1000);
/** Time from one request to the next, s: most come while others are under way. */
const PAUSE = 0.05;
/** After so many requests the arms are made to move again. */
const ROUND = 40;
/** Requests that are under way at once, at most. */
const MOST_OPEN = 30;

interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}
interface Declared {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

const WORDS = ['leader', 'follower', 'wave', 'init', 'rest', 'shoulder_pan', 'gripper', 'cube', 'z'];
const ARMS = ['leader', 'follower'];
/** Whoever has an arm is in the way of the others. */
const PEOPLE = ['ada', 'ben'];
/** Errors have another form for those who accept it. */
const ACCEPTED = ['application/json', 'application/json, application/problem+json'];
const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];

const oneOf = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)]!;

/** A value that a schema allows, as somebody might send it. @param like one that does something */
function drawn(schema: Schema, random: Random, like: unknown): unknown {
  if (like !== undefined && random() < 0.6) return like;
  const { anyOf, enum: words, properties = {}, items, additionalProperties: values, required = [] } = schema;
  if (schema.const !== undefined) return schema.const;
  if (words !== undefined) return oneOf(random, words);
  if (anyOf !== undefined) return drawn(oneOf(random, anyOf), random, undefined);
  switch (oneOf(random, [schema.type ?? 'string'].flat())) {
    case 'null':
      return null;
    case 'boolean':
      return random() < 0.5;
    case 'integer':
    case 'number': {
      const lowest = Math.max(schema.minimum ?? -3, -1e3);
      const value = lowest + random() * (Math.min(schema.maximum ?? 3, lowest + 6) - lowest);
      return [schema.type].flat().includes('number') ? value : Math.round(value);
    }
    case 'array': {
      const most = Math.min(schema.maxItems ?? 6, Math.max(6, schema.minItems ?? 0));
      const length = Math.max(schema.minItems ?? 0, Math.floor(random() * (most + 1)));
      return Array.from({ length }, () => drawn(items ?? {}, random, undefined));
    }
    case 'object': {
      if (typeof values === 'object') return { [oneOf(random, JOINTS)]: drawn(values, random, undefined) };
      const known = (like ?? {}) as Readonly<Record<string, unknown>>;
      const kept = Object.entries(properties).filter(([name]) => required.includes(name) || random() < 0.5);
      return Object.fromEntries(kept.map(([name, field]) => [name, drawn(field, random, known[name])]));
    }
    default:
      return oneOf(random, WORDS);
  }
}

function requestOf(route: Route, random: Random): { readonly url: string; readonly payload?: object } {
  const { properties = {} } = z.toJSONSchema(querySchema(route), { io: 'input' }) as Schema;
  const asked = Object.entries(properties)
    .filter(([name]) => random() < (name === 'robot_id' || name === 'take_over' ? 0.8 : 0.2))
    .map(([name, field]): [string, string] => {
      if (name === 'arm') return [name, random() < 0.9 ? oneOf(random, ARMS) : 'nobody'];
      if (name === 'robot_id') return [name, random() < 0.95 ? oneOf(random, ['0', '1']) : '7'];
      return [name, String(name === 'take_over' ? true : drawn(field, random, undefined))];
    });
  const path = route.path.replace(/\{(\w+)\}/g, (_, name) => {
    if (name !== 'name') return oneOf(random, ['1', 'wave', 'shoulder_pan']);
    return oneOf(random, route.target === 'named' && random() < 0.95 ? ARMS : WORDS);
  });
  const url = `${path}?${new URLSearchParams(asked)}`;
  if (route.body === undefined) return { url };
  const schema = z.toJSONSchema(route.body.schema, { io: 'input' }) as Schema;
  const body = drawn(schema, random, route.body.example);
  return typeof body === 'object' && body !== null ? { url, payload: body } : { url };
}

test.each(['standard', 'phosphobot'])(
  'every answer of a bridge is what its description says, in the dialect %s',
  { timeout: 3_600_000 },
  async (dialect) => {
    const random = seededRandom(18);
    const bridge = await VirtualBridge.startLight({ ...PAIR, http: { dialect } });
    const { http } = bridge.bridge;
    const description = (await bridge.get('/openapi.json')).body;
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    ajv.addSchema(description, 'openapi');
    const judges = new Map<string, ReturnType<typeof ajv.compile>>();
    // A live stream has no end, and what is uploaded is no JSON.
    const routes = ROUTES.filter(({ method, path }) => {
      const operation = description.paths[path][method.toLowerCase()];
      const streams = Object.values<Declared>(operation.responses).some(
        ({ content = {} }) => 'text/event-stream' in content,
      );
      const { content = {} } = operation.requestBody ?? {};
      return !streams && Object.keys(content).every((type) => type === 'application/json');
    });
    const faults: string[] = [];
    const seen = new Map<string, number>();
    const judged = new Set<string>();

    const judge = (route: Route, url: string, status: number, type: string, payload: string): void => {
      const where = `${route.method} ${url}: ${status}`;
      const { responses } = description.paths[route.path][route.method.toLowerCase()];
      seen.set(String(status), (seen.get(String(status)) ?? 0) + 1);
      const declared: Declared | undefined = responses[status];
      if (declared === undefined) {
        faults.push(`${where} is not declared: ${payload.slice(0, 200)}`);
        return;
      }
      const place = declared.$ref ?? `#/paths/${key(route.path)}/${route.method.toLowerCase()}/responses/${status}`;
      const response: Declared =
        declared.$ref === undefined ? declared : description.components.responses[declared.$ref.split('/').at(-1)!];
      const media = type.split(';')[0]!;
      if (response.content !== undefined && !(media in response.content)) {
        faults.push(`${where} is ${media}, of which nothing is declared: ${payload.slice(0, 200)}`);
        return;
      }
      if (response.content?.[media]?.schema === undefined || !/[/+]json$/.test(media)) return;
      judged.add(media);
      const ref = `openapi${place}/content/${key(media)}/schema`;
      const check = judges.get(ref) ?? ajv.compile({ $ref: ref });
      judges.set(ref, check);
      if (!check(JSON.parse(payload))) {
        faults.push(`${where}: ${ajv.errorsText(check.errors)}: ${payload.slice(0, 300)}`);
      }
    };

    const open = new Set<Promise<void>>();
    const ask = (route: Route): void => {
      const { url, payload } = requestOf(route, random);
      const { method } = route;
      const headers = {
        host: '127.0.0.1',
        'x-arm-bridge-client': oneOf(random, PEOPLE),
        accept: oneOf(random, ACCEPTED),
      };
      const asking = http
        .inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
        .then(({ statusCode, headers: told, payload: answer }) =>
          judge(route, url, statusCode, String(told['content-type'] ?? ''), answer),
        )
        .finally(() => open.delete(asking));
      open.add(asking);
    };

    for (let i = 0; i < REQUESTS; i++) {
      if (i % ROUND === 0) {
        for (const robot_name of ARMS)
          await bridge.post('/robot/add-connection', { robot_name, connection_details: {} });
        await bridge.post('/stop/reset');
        await bridge.post('/move/init?take_over=true');
      }
      ask(routes[i % routes.length]!);
      await bridge.pass(PAUSE);
      if (open.size >= MOST_OPEN) await bridge.until(Promise.race(open));
    }
    await bridge.until(Promise.all(open));
    expect(faults.slice(0, 10)).toEqual([]);
    expect([...judged].sort()).toEqual(['application/json', 'application/problem+json']);
    // Most of what was asked was done, and not refused.
    expect(seen.get('200')! + (seen.get('202') ?? 0), JSON.stringify([...seen])).toBeGreaterThan(REQUESTS / 2);
  },
);

/** A part of a JSON pointer. */
const key = (text: string): string =>
  text.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
