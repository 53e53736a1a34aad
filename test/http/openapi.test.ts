import { afterAll, beforeAll, expect, test } from 'vitest';
import { querySchema } from '../../src/http/route.ts';
import { CHANNELS, ROUTES } from '../../src/http/routes/index.ts';
import { httpError, httpValidationError, problemDetails } from '../../src/http/schemas.ts';
import { buildApp, fakeServices } from './fakes.ts';

interface Schema {
  type?: string | string[];
  $ref?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  default?: unknown;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxLength?: number;
  format?: string;
  maxProperties?: number;
}
type Content = Record<string, { schema: Schema; example?: unknown }>;
interface Response {
  $ref?: string;
  description?: string;
  content?: Content;
  headers?: object;
}
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: { name: string; in: string; required: boolean; description: string; schema: Schema }[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Response>;
}
interface Problem {
  status: number;
  code: string;
}
interface Description {
  openapi: string;
  info: { version: string; license: unknown; contact: unknown };
  servers: { url: string }[];
  security?: unknown;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response>; securitySchemes?: unknown };
}

const app = buildApp(fakeServices());
let description: Description;
beforeAll(async () => {
  const reply = await app.inject({ method: 'GET', url: '/openapi.json', headers: { host: 'localhost:8020' } });
  expect(reply.statusCode).toBe(200);
  description = reply.json() as Description;
});
afterAll(() => app.close());

const operations = (): [string, string, Operation][] =>
  Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, string, Operation] => [
      method.toUpperCase(),
      path,
      operation,
    ]),
  );

test('the interface is version 0.1.0 with the components and the tag that clients generate code from', () => {
  expect(description.openapi).toBe('3.1.0');
  expect(description.info).toMatchObject({ version: '0.1.0', license: { identifier: 'Apache-2.0' } });
  expect(description.info.contact).toBeDefined();
  expect(description.servers).toMatchObject([{ url: 'http://localhost:8020' }]);
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

test('every route of the server is declared, and nothing else', () => {
  for (const [method, path] of operations()) {
    expect(app.hasRoute({ method: method as 'GET', url: path.replace(/\{(\w+)\}/g, ':$1') })).toBe(true);
  }
  expect(operations()).toHaveLength(ROUTES.length);
  const routed = [...app.printRoutes({ commonPrefix: false }).matchAll(/\b(GET|POST|DELETE)\b/g)].length;
  expect(routed).toBe(ROUTES.length + 3); // the two descriptions do not describe themselves, nor the page
});

test('every reference leads to a component, and every operation has an id of its own', () => {
  const { schemas, responses } = description.components;
  const text = JSON.stringify(description);
  for (const [, kind, name] of text.matchAll(/"\$ref":"#\/components\/(schemas|responses)\/([^"]+)"/g)) {
    expect(Object.keys(kind === 'schemas' ? schemas : responses)).toContain(name);
  }
  expect(text).not.toMatch(/"\$(id|schema)"/);
  expect([...text.matchAll(/"\$ref":"(?!#\/components\/(schemas|responses)\/)/g)]).toEqual([]);
  const ids = [...ROUTES, ...CHANNELS].map(({ id }) => id).filter((id) => id !== 'live');
  expect(new Set(ids).size).toBe(ids.length);
});

test('every operation says what it does, shows a body and an answer, and names the errors that it may answer with', () => {
  for (const [method, path, { summary, description: text, parameters = [], requestBody, responses }] of operations()) {
    const where = `${method} ${path}`;
    expect([where, summary.length > 3, text.length > 10]).toEqual([where, true, true]);
    for (const parameter of parameters) expect([where, parameter.description]).toEqual([where, expect.any(String)]);
    for (const content of [requestBody?.content, (responses['200'] ?? responses['202'])!.content]) {
      for (const { example } of Object.values(content ?? {})) expect([where, example]).not.toEqual([where, undefined]);
    }
    const { access } = ROUTES.find((route) => route.method === method && route.path === path)!;
    const expected = [
      ...[responses['202'] === undefined ? '200' : '202', '403', '500', '503'],
      ...(access === 'open' ? [] : ['401']),
      ...(access === 'stop' ? [] : ['429']),
      ...(requestBody === undefined ? [] : ['400', '413', '415', '422']),
      ...(parameters.length === 0 ? [] : ['422']),
    ];
    expect([where, Object.keys(responses)]).toEqual([where, expect.arrayContaining(expected)]);
    // Whoever takes an arm is told of the one who has it. Anybody may end a pair.
    const takes = parameters.some(({ name }) => name === 'take_over') && !path.endsWith('/pairs/end');
    if (takes) expect([where, Object.keys(responses)]).toEqual([where, expect.arrayContaining(['409'])]);
  }
});

test('wherever a query takes the id of an arm it takes its name too', () => {
  const lacking = ROUTES.filter((route) => {
    const { shape } = querySchema(route);
    return 'robot_id' in shape && !('arm' in shape);
  });
  expect(lacking.map(({ path }) => path)).toEqual([]);
});

test('headers of requests and of answers are described where a route reads or sends them', () => {
  const headersOf = (path: string, method: string) => {
    const { parameters = [], responses } = description.paths[path]![method]!;
    const sent = parameters.filter(({ in: place }) => place === 'header');
    const told = Object.entries(responses).flatMap(([status, { headers }]) =>
      headers === undefined || Number(status) >= 400 ? [] : [[status, Object.keys(headers)]],
    );
    return [sent.map(({ name, required }) => [name, required]), Object.fromEntries(told)];
  };
  expect(headersOf('/api/v1/arms/{name}/urdf', 'get')).toEqual([
    [['If-None-Match', false]],
    { 200: ['ETag'], 304: ['ETag'] },
  ]);
  expect(headersOf('/api/v1/recordings/{name}/file', 'get')).toEqual([
    [['Range', false]],
    { 200: ['Accept-Ranges'], 206: ['Content-Range'] },
  ]);
  expect(headersOf('/api/v1/arms/{name}/motions', 'post')).toEqual([
    [['Idempotency-Key', false]],
    { 202: ['Location'] },
  ]);
  const { responses } = description.paths['/api/v1/arms/{name}/motions']!.post!;
  expect(Object.keys(responses[409]!.headers!)).toEqual(['X-Request-Id']);
});

test('errors are described with their headers, and with examples that their schemas allow', () => {
  const { responses: common } = description.components;
  const schemas = { HTTPError: httpError, HTTPValidationError: httpValidationError, ProblemDetails: problemDetails };
  const judge = (where: string, { content = {} }: Response): void => {
    for (const { schema, example } of Object.values(content)) {
      const name = schema.$ref!.split('/').at(-1) as keyof typeof schemas;
      expect([where, schemas[name].safeParse(example).error?.issues]).toEqual([where, undefined]);
    }
  };
  for (const [name, response] of Object.entries(common)) judge(name, response);
  const named = Object.values(common).map(({ content }) => content!['application/problem+json']!.example as Problem);
  expect(named.map(({ status, code }) => [status, code])).toEqual([
    [400, 'bad_request'],
    [401, 'unauthorised'],
    [403, 'forbidden'],
    [413, 'too_large'],
    [415, 'compressed'],
    [417, 'unknown_expectation'],
    [422, 'invalid'],
    [429, 'too_many'],
    [500, 'internal'],
    [503, 'unavailable'],
  ]);
  for (const { code } of named) {
    expect(description.components.schemas.ProblemDetails!.properties!.code!.description).toContain(`\`${code}\``);
  }
  const headers = Object.entries(common).map(([name, response]) => [name, Object.keys(response.headers!)]);
  expect(Object.fromEntries(headers)).toMatchObject({
    Unauthorised: ['X-Request-Id', 'WWW-Authenticate'],
    Forbidden: ['X-Request-Id'],
    TooMany: ['X-Request-Id', 'Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
    Unavailable: ['X-Request-Id', 'Retry-After'],
  });
  const taking = operations().filter(
    ([, , { parameters = [], responses }]) => '409' in responses && parameters.some(({ name }) => name === 'take_over'),
  );
  expect(taking.length).toBeGreaterThan(10);
  for (const [method, path, { responses }] of taking) {
    judge(`${method} ${path}`, responses[409]!);
    const { content } = responses[409]!;
    expect(content!['application/problem+json']!.example).toMatchObject({ code: 'owned', remedy: 'take_over' });
  }
  // Its body is not that of other errors, but its header is.
  expect(description.paths['/healthz']!.get!.responses[503]!.headers).toHaveProperty('Retry-After');
});

test('examples are what the schemas of their answers allow, and nothing besides', () => {
  for (const { path, answer, failure } of ROUTES) {
    for (const one of [answer, failure]) {
      if (one === undefined || 'media' in one) continue;
      const { data, error } = one.schema.safeParse(one.example);
      expect([path, error?.issues]).toEqual([path, undefined]);
      expect([path, data]).toEqual([path, one.example]);
    }
  }
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
    maxItems: 16,
    items: { $ref: '#/components/schemas/RobotPairRequest' },
  });
  const { properties } = description.components.schemas.GravityCompensationValues!;
  expect(Object.entries(properties!).map(([name, field]) => [name, field.default])).toEqual([
    ['shoulder', 100],
    ['elbow', 50],
    ['wrist', 10],
  ]);
  expect(description.components.schemas.RobotPairRequest!.required).toEqual(['leader_id', 'follower_id']);
});

/** Calls `visit` with every schema that is reached from one. */
function walk(schema: Schema, visit: (schema: Schema) => void): void {
  if (schema.$ref !== undefined) {
    walk(description.components.schemas[schema.$ref.split('/').at(-1)!]!, visit);
    return;
  }
  visit(schema);
  const { anyOf = [], oneOf = [], properties = {}, items, additionalProperties } = schema;
  for (const part of [...anyOf, ...oneOf, ...Object.values(properties)]) walk(part, visit);
  if (items !== undefined) walk(items, visit);
  if (typeof additionalProperties === 'object') walk(additionalProperties, visit);
}

test('every list, map and text of a request has a largest size', async () => {
  const roots = operations().flatMap(([, , { parameters = [], requestBody }]) => [
    // The server bounds all headers together.
    ...parameters.flatMap(({ in: place, schema }) => (place === 'header' ? [] : [schema])),
    ...Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
  ]);
  const { channels } = (await app.inject('/asyncapi.json')).json() as { channels: object };
  // The port of the stop has one of its own.
  expect(Object.keys(channels)).toHaveLength(CHANNELS.length + 1);
  roots.push(
    ...['LiveSubscribe', 'LiveJog', 'LiveChunk', 'LiveStop'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  );
  const unbounded: Schema[] = [];
  for (const root of roots) {
    walk(root, (schema) => {
      const types = [schema.type ?? []].flat();
      const isMap = typeof schema.additionalProperties === 'object';
      if (types.includes('array') && (schema.maxItems ?? 999) > 500) unbounded.push(schema);
      if (isMap && ((schema.maxProperties ?? 99) > 64 || (schema.propertyNames?.maxLength ?? 99) > 64)) {
        unbounded.push(schema);
      }
      const isWord = schema.enum !== undefined || schema.const !== undefined;
      // A file is read piece by piece: its size is bounded, but not by what fits into memory.
      if (schema.format === 'binary' && schema.maxLength !== undefined) return;
      const isBounded = isWord || (schema.maxLength ?? 9999) <= 512 || /\{\d+,\d+\}\$$/.test(schema.pattern ?? '');
      if (types.includes('string') && !isBounded) unbounded.push(schema);
    });
  }
  expect(unbounded).toEqual([]);
});

test('no field has an object for its default: generators of clients leave out what has', () => {
  const faults: Schema[] = [];
  for (const name of Object.keys(description.components.schemas)) {
    walk({ $ref: `#/components/schemas/${name}` }, (schema) => {
      if (typeof schema.default === 'object' && schema.default !== null) faults.push(schema);
    });
  }
  expect(faults).toEqual([]);
});

test('bodies are required exactly where the server wants one', async () => {
  for (const [path, { post }] of Object.entries(description.paths)) {
    if (post?.requestBody?.content['application/json'] === undefined) continue;
    const reply = await app.inject({ method: 'POST', url: path.replace('{name}', 'leader') });
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

test('what cannot be read as text is 400, and what is compressed 415', async () => {
  for (const [path, { post }] of Object.entries(description.paths)) {
    if (post?.requestBody === undefined) continue;
    const url = path.replace('{name}', 'leader');
    const headers = { 'content-type': 'application/json' };
    if (post.requestBody.content['application/json'] !== undefined) {
      const reply = await app.inject({ method: 'POST', url, headers, payload: Buffer.from([0x22, 0xff, 0x22]) });
      expect([path, reply.statusCode]).toEqual([path, 400]);
    }
    const packed = await app.inject({
      method: 'POST',
      url,
      headers: { ...headers, 'content-encoding': 'gzip' },
      payload: Buffer.from([0x1f, 0x8b, 8]),
    });
    expect([path, packed.statusCode, packed.headers['accept-encoding']]).toEqual([path, 415, 'identity']);
    expect(packed.json().detail).toContain('compressed');
  }
});

test('security is declared exactly when a token is configured', async () => {
  expect(description).not.toHaveProperty('security');
  const token = '0123456789abcdef';
  const guarded = buildApp(fakeServices({ token }));
  const headers = { authorization: `Bearer ${token}` };
  const reply = await guarded.inject({ url: '/openapi.json', headers });
  const bearer = { type: 'http', scheme: 'bearer' };
  expect(reply.json()).toMatchObject({
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer } },
    paths: { '/healthz': { get: { security: [] } } },
  });
  const sockets = (await guarded.inject({ url: '/asyncapi.json', headers })).json();
  await guarded.close();
  expect(sockets).toMatchObject({
    servers: { bridge: { security: [{ $ref: '#/components/securitySchemes/bearer' }] } },
    components: { securitySchemes: { bearer } },
  });
});

test('behind a proxy that ends TLS the descriptions lead to the proxy', async () => {
  const services = fakeServices();
  services.config.allowed_hosts = ['arms.example'];
  const app = buildApp(services);
  const serversOf = async (url: string, proto: string) => {
    const headers = { host: 'arms.example', 'x-forwarded-proto': proto };
    return (await app.inject({ url, headers })).json().servers;
  };
  expect(await serversOf('/openapi.json', 'https')).toMatchObject([{ url: 'https://arms.example' }]);
  expect(await serversOf('/openapi.json', 'http')).toMatchObject([{ url: 'http://arms.example' }]);
  expect(await serversOf('/asyncapi.json', 'https')).toMatchObject({ bridge: { protocol: 'wss' } });
  await app.close();
});

test('a bridge carries out the example of every body, and answers what its route declares', async () => {
  const services = fakeServices();
  const whole = buildApp(services);
  let motion = '';
  for (const { method, path, body, file, answer } of ROUTES) {
    for (const arm of services.arms.all) Object.assign(arm, { initialised: true, state: 'ready', detached: false });
    if ('media' in answer && answer.media === 'text/event-stream') continue;
    // Nobody can be asked for an arm where nobody watches a stream.
    if (path.endsWith('/ask/{ask}')) continue;
    const url = path.replace('{name}', 'follower').replace('{motion}', motion);
    const json = { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body?.example) };
    // It has begun by then.
    services.calibration.step ||= 1;
    const sentFile = file === undefined ? {} : { payload: file.example };
    const reply = await whole.inject({ method, url, ...(body === undefined ? sentFile : json) });
    expect([path, reply.statusCode]).toEqual([path, answer.status ?? 200]);
    motion = /motions\/(.*)/.exec(String(reply.headers.location))?.[1] ?? motion;
    if ('media' in answer) {
      expect([path, reply.headers['content-type']]).toEqual([path, expect.stringContaining(answer.media)]);
      continue;
    }
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    const sent = reply.json();
    expect([path, answer.schema.safeParse(sent).error?.issues]).toEqual([path, undefined]);
    expect([path, sent.status ?? 'ok']).not.toEqual([path, 'error']);
  }
  await whole.close();
});
