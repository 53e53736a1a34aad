import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp, fakeServices } from './fakes.ts';

interface Schema {
  type?: string | string[];
  $ref?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  examples?: unknown[];
}
interface Operation {
  operationId: string;
  tags: string[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string }>;
}
interface Description {
  openapi: string;
  info: { version: string };
  security?: unknown;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes?: unknown };
}

const app = buildApp(fakeServices());
let description: Description;
beforeAll(async () => {
  const reply = await app.inject({ method: 'GET', url: '/openapi.json' });
  expect(reply.statusCode).toBe(200);
  description = reply.json() as Description;
});
afterAll(() => app.close());

test('the interface is version 0.1.0 with the components and the tag that clients generate code from', () => {
  expect(description.openapi).toBe('3.1.0');
  expect(description.info.version).toBe('0.1.0');
  expect(Object.keys(description.components.schemas)).toEqual(
    expect.arrayContaining([
      'AbsoluteMoveRequest',
      'EndEffectorReadRequest',
      'EndEffectorPosition',
      'StartLeaderArmControlRequest',
      'RobotPairRequest',
      'StatusResponse',
      'HTTPValidationError',
      'ValidationError',
    ]),
  );
  for (const path of ['/move/init', '/move/absolute', '/end-effector/read', '/move/leader/start']) {
    expect(description.paths[path]!.post!.tags).toEqual(['control']);
  }
});

test('every route of the server is described, and nothing else', async () => {
  for (const [path, item] of Object.entries(description.paths)) {
    for (const method of Object.keys(item)) {
      expect(app.hasRoute({ method: method.toUpperCase() as 'GET', url: path.replace(/\{(\w+)\}/g, ':$1') })).toBe(
        true,
      );
    }
  }
  const described = Object.values(description.paths).flatMap((item) => Object.keys(item)).length;
  const routed = [...app.printRoutes({ commonPrefix: false }).matchAll(/\b(GET|POST|DELETE)\b/g)].length;
  expect(routed).toBe(described + 2); // the description does not describe itself, nor the page
});

test('every reference leads to a component, and every operation has an id of its own', () => {
  const names = new Set(Object.keys(description.components.schemas));
  const text = JSON.stringify(description);
  for (const [, name] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) expect(names).toContain(name);
  expect(text).not.toMatch(/"\$(id|schema)"/);
  expect([...text.matchAll(/"\$ref":"(?!#\/components\/schemas\/)/g)]).toEqual([]);
  const ids = Object.values(description.paths).flatMap((item) => Object.values(item).map((o) => o.operationId));
  expect(new Set(ids).size).toBe(ids.length);
});

test('fields carry their type, default and bounds', () => {
  const move = description.components.schemas.AbsoluteMoveRequest!;
  expect(move.required ?? []).toEqual([]);
  expect(Object.keys(move.properties!)).toEqual([
    'x',
    'y',
    'z',
    'rx',
    'ry',
    'rz',
    'open',
    'max_trials',
    'position_tolerance',
    'orientation_tolerance',
    'path',
  ]);
  expect(move.properties!.rx).toMatchObject({ type: ['number', 'null'], default: null });
  expect(move.properties!.open!.anyOf![0]).toMatchObject({ type: 'number', minimum: 0, maximum: 1 });
  expect(move.properties!.max_trials).toMatchObject({ type: 'integer', minimum: 1, default: 10 });
  expect(move.properties!.position_tolerance).toMatchObject({ type: 'number', minimum: 0, default: 0.5 });
  expect(move.properties!.orientation_tolerance).toMatchObject({ type: 'number', minimum: 0, default: 3 });
  const start = description.components.schemas.StartLeaderArmControlRequest!;
  expect(start.required).toEqual(['robot_pairs']);
  expect(start.properties!.robot_pairs).toMatchObject({
    type: 'array',
    minItems: 1,
    items: { $ref: '#/components/schemas/RobotPairRequest' },
  });
  expect(start.properties!.gravity_compensation_values).toMatchObject({
    default: { shoulder: 100, elbow: 50, wrist: 10 },
  });
  expect(description.components.schemas.RobotPairRequest!.required).toEqual(['leader_id', 'follower_id']);
});

test('bodies are required exactly where the server wants one', async () => {
  for (const [path, { post }] of Object.entries(description.paths)) {
    if (post?.requestBody === undefined) continue;
    const reply = await app.inject({ method: 'POST', url: path });
    const isMissing = reply.statusCode === 422 && reply.json().detail[0].type === 'missing';
    expect([path, isMissing]).toEqual([path, post.requestBody.required]);
  }
});

test('a body that may be left out may be null, by the description and for the server', async () => {
  const optional = Object.entries(description.paths).flatMap(([path, { post }]) =>
    post?.requestBody?.required === false
      ? [{ path, schema: post.requestBody.content['application/json']!.schema }]
      : [],
  );
  expect(optional.length).toBeGreaterThan(3);
  for (const { path, schema } of optional) {
    expect(schema.anyOf).toContainEqual({ type: 'null' });
    const headers = { 'content-type': 'application/json' };
    const reply = await app.inject({ method: 'POST', url: path, headers, payload: 'null' });
    expect([path, reply.statusCode]).not.toEqual([path, 422]);
  }
});

test('what cannot be read as text is 400, which every operation with a body tells of', async () => {
  for (const [path, { post }] of Object.entries(description.paths)) {
    if (post?.requestBody === undefined) continue;
    expect([path, Object.keys(post.responses)]).toEqual([path, expect.arrayContaining(['400', '413', '422'])]);
    const url = path.replace('{name}', 'leader');
    const headers = { 'content-type': 'application/json' };
    const reply = await app.inject({ method: 'POST', url, headers, payload: Buffer.from([0x22, 0xff, 0x22]) });
    expect([path, reply.statusCode]).toEqual([path, 400]);
  }
});

test('security is declared exactly when a token is configured', async () => {
  expect(description).not.toHaveProperty('security');
  const token = '0123456789abcdef';
  const guarded = buildApp(fakeServices({ token }));
  const reply = await guarded.inject({ url: '/openapi.json', headers: { authorization: `Bearer ${token}` } });
  await guarded.close();
  expect(reply.json()).toMatchObject({
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  });
});

test('every body has an example, which a bridge carries out', async () => {
  const services = fakeServices();
  for (const arm of services.arms.all) arm.initialised = true;
  const whole = buildApp(services);
  for (const [path, { post }] of Object.entries(description.paths)) {
    const schema = post?.requestBody?.content['application/json']?.schema;
    if (schema === undefined) continue;
    const name = (schema.$ref ?? schema.anyOf!.find(({ $ref }) => $ref !== undefined)!.$ref!).split('/').at(-1)!;
    const example = description.components.schemas[name]!.examples?.[0];
    expect([name, example]).toEqual([name, expect.any(Object)]);
    const url = path.replace('{name}', 'follower');
    const headers = { 'content-type': 'application/json' };
    const reply = await whole.inject({ method: 'POST', url, headers, payload: JSON.stringify(example) });
    expect([path, reply.statusCode, reply.json().status ?? 'ok']).toEqual([path, 200, 'ok']);
  }
  await whole.close();
});
