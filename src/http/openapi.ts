import { z } from 'zod';
import { BridgeError } from '../arm/types.ts';
import { type Dialect, PHOSPHOBOT_TOLERANCES } from './dialect.ts';
import { HttpProblem, INTERNAL_ERROR, PROBLEM_TYPE, problemDetails, problemOf } from './errors.ts';
import { components } from './fields.ts';
import { type Headers, pathSchema, querySchema, type Route, TAGS } from './route.ts';
import { ROUTES } from './routes/index.ts';
import './schemas.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Version of the interface, not of the program. */
const INTERFACE_VERSION = '0.1.0';

/** What the descriptions depend on. */
export interface Described {
  /** Whether requests need a token. */
  readonly token: boolean;
  readonly dialect: Dialect;
  /** Address of the bridge: `host` with its port, `name` without. */
  readonly server?: { readonly host: string; readonly name: string; readonly encrypted: boolean };
  /** Whether stops have a port of their own. */
  readonly stops?: boolean;
}

export const DEFAULT_SERVER = { host: 'localhost:8020', name: 'localhost', encrypted: false };

/** Title, version and licence of a description. @param text summary of the interface */
export function info(text: string, dialect: Dialect): Json {
  return {
    title: 'Arm Bridge',
    version: INTERFACE_VERSION,
    description: text + (dialect === 'phosphobot' ? ' In the dialect of phosphobot: see docs/http.md.' : ''),
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    contact: { name: 'Arm Bridge contributors' },
  };
}

/** Name of a schema in the description. */
function nameOf(schema: z.ZodType): string {
  const entry = components.get(schema);
  if (entry === undefined) throw new Error('a schema of a route has no name: register it');
  return entry.id;
}

/** Reference to a schema by its name. */
export function reference(schema: z.ZodType): Json {
  return { $ref: `#/components/schemas/${nameOf(schema)}` };
}

/** Responses shared by operations, by name under `components/responses`: description and an example. */
const COMMON = {
  Unreadable: [
    'The body is no text or nested too deeply.',
    new HttpProblem(400, 'There was an error parsing the body: it is not UTF-8.'),
  ],
  Unauthorised: [
    'The token is missing or wrong.',
    new HttpProblem(
      401,
      'A token is needed: send the header "Authorization: Bearer <token>" with the token of http.token_file, or one with a name.',
    ),
  ],
  Forbidden: [
    'Host or Origin is not answered, or the token may only read.',
    new HttpProblem(
      403,
      'This token may only read and stop: send the token of http.token_file, or a named one with the scope control.',
    ),
  ],
  TooLarge: ['The body is larger than 64 KiB.', new HttpProblem(413, 'The request body is larger than 64 KiB.')],
  Compressed: [
    'The body is compressed.',
    new HttpProblem(415, 'The body is compressed: send it as it is, without Content-Encoding.'),
  ],
  Unexpected: [
    'The header Expect asks for something else than 100-continue.',
    new HttpProblem(417, 'The bridge knows no such expectation: leave out Expect, or send "Expect: 100-continue".'),
  ],
  Invalid: [
    'The request fails validation; nothing has been done.',
    new HttpProblem(422, [
      {
        type: 'greater_than_equal',
        loc: ['query', 'robot_id'],
        msg: 'Input should be greater than or equal to 0',
        input: -3,
        ctx: { ge: 0 },
      },
    ]),
  ],
  TooMany: [
    'Too many requests a second from one other computer.',
    new HttpProblem(429, 'More than 1000 requests a second from one client: wait a moment.'),
  ],
  Fault: ['A fault of the bridge; its log says more.', INTERNAL_ERROR],
  Unavailable: [
    'The control loop or a servo does not do its part, or there are too many connections.',
    new HttpProblem(503, 'The control loop has not run for a second. Restart the bridge.'),
  ],
} as const;

/** Example of the 409 of an operation that takes arms. */
const OWNED = problemOf(
  new BridgeError('owned', 'Arm follower is driven by mirroring, since 09:41:07 UTC.', {
    arm: { id: 1, name: 'follower' },
    remedy: 'take_over',
  }),
)!;

const described = (description: string, type = 'string'): Json => ({ description, schema: { type } });

/** A header of every answer, described only where people look for what has gone wrong. */
const REQUEST_ID = { 'X-Request-Id': described('By which the log and /api/v1/events know this request.') };
const RETRY = { 'Retry-After': described('Ask again after this time, s.', 'integer') };

/** Headers of error responses by status, besides that of all. */
const ERROR_HEADERS: Readonly<Record<number, Json>> = {
  401: { 'WWW-Authenticate': described('The scheme, Bearer.') },
  415: { 'Accept-Encoding': described('`identity`.') },
  429: {
    ...RETRY,
    'RateLimit-Limit': described(
      'Requests a second that one other computer may send. It is told in each answer.',
      'integer',
    ),
    'RateLimit-Remaining': described('How many it may send now. It is told in each answer.', 'integer'),
    'RateLimit-Reset': described('Time until it may send as many as ever, s. It is told in each answer.', 'integer'),
  },
  503: RETRY,
};

const errorHeaders = (status: number): Json => ({ headers: { ...REQUEST_ID, ...ERROR_HEADERS[status] } });

function answer(description: string, schema: Json, example?: unknown): Json {
  return { description, content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } } };
}

/** Id of the request of each example. */
const EXAMPLE_ID = 'req-1f';

/** An error response in both media types that `Accept` can choose. @param like an example */
function refusal(status: number, description: string, like?: HttpProblem): Json {
  const formOf = (name: string, example: unknown): Json => ({
    schema: { $ref: `#/components/schemas/${name}` },
    ...(like === undefined ? {} : { example }),
  });
  const plain = { detail: like?.detail, request_id: EXAMPLE_ID };
  return {
    description,
    ...errorHeaders(status),
    content: {
      'application/json': formOf(status === 422 ? 'HTTPValidationError' : 'HTTPError', plain),
      [PROBLEM_TYPE]: formOf('ProblemDetails', like && problemDetails(like, EXAMPLE_ID)),
    },
  };
}

function commonResponses(): Json {
  return Object.fromEntries(
    Object.entries(COMMON).map(([name, [description, like]]) => [name, refusal(like.status, description, like)]),
  );
}

/** Parameter objects from a schema. */
function parametersOf(schema: z.ZodObject, place: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as Json;
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      description,
      ...(rest.type === 'array' ? { style: 'form', explode: false } : {}),
      schema: rest,
    };
  });
}

const headerParameters = (headers: Headers = {}): Json[] =>
  Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));

/** Headers of a response. */
function headersOf(headers: Headers | undefined): Json {
  if (headers === undefined) return {};
  const all = Object.entries(headers).map(([name, description]) => [name, described(description)]);
  return { headers: Object.fromEntries(all) };
}

/** An optional body may also be null. */
function requestBody({ schema, optional, example }: NonNullable<Route['body']>): Json {
  const one = reference(schema);
  return {
    required: optional !== true,
    content: { 'application/json': { schema: optional === true ? { anyOf: [one, { type: 'null' }] } : one, example } },
  };
}

function fileBody({ description, media, most, example }: NonNullable<Route['file']>): Json {
  const schema = { type: 'string', format: 'binary', maxLength: most };
  return { required: true, description, content: { [media]: { schema, example } } };
}

function responsesOf(route: Route, takesParameters: boolean): Json {
  const { answer: success, failure, refusals, access, body, file } = route;
  const common: (keyof typeof COMMON)[] = ['Forbidden', 'Unexpected', 'Fault', 'Unavailable'];
  if (access !== 'open') common.push('Unauthorised');
  if (access !== 'stop') common.push('TooMany');
  if (body !== undefined) common.push('Unreadable', 'TooLarge', 'Compressed');
  if (file !== undefined) common.push('Compressed');
  if (body !== undefined || takesParameters) common.push('Invalid');
  const responses: Record<number, Json> = {};
  for (const name of common) responses[COMMON[name][1].status] = { $ref: `#/components/responses/${name}` };
  for (const [text, description] of Object.entries(refusals)) {
    const status = Number(text);
    const takes = 'take_over' in querySchema(route).shape;
    responses[status] = refusal(status, description, takes && status === OWNED.status ? OWNED : undefined);
  }
  if (failure !== undefined) {
    responses[503] = {
      ...answer(failure.description, reference(failure.schema), failure.example),
      ...errorHeaders(503),
    };
  }
  const { description, example } = success;
  const headers = headersOf(success.headers);
  if ('media' in success) {
    const { part, known } = success;
    const schema = success.schema === undefined ? { type: 'string' } : reference(success.schema);
    const content = { [success.media]: { schema, example } };
    responses[200] = { description, ...headers, content };
    if (part !== undefined) responses[206] = { ...part, ...headersOf(part.headers), content };
    if (known !== undefined) responses[304] = { ...known, ...headersOf(known.headers) };
  } else {
    responses[success.status ?? 200] = { ...answer(description, reference(success.schema), example), ...headers };
  }
  return responses;
}

function operationOf(route: Route, token: boolean): Json {
  const parameters = [
    ...parametersOf(pathSchema(route), 'path'),
    ...parametersOf(querySchema(route), 'query'),
    ...headerParameters(route.headers),
  ];
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    ...(token && route.access === 'open' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route.body) }),
    ...(route.file === undefined ? {} : { requestBody: fileBody(route.file) }),
    responses: responsesOf(route, parameters.length > 0),
  };
}

/** Component schemas from the zod schemas, without `$id` and `$schema`, which OpenAPI components must not have. */
function plainSchemas(): Record<string, Json> {
  const { schemas } = z.toJSONSchema(components, {
    target: 'draft-2020-12',
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $id: _id, $schema: _schema, ...schema }]) => [id, { title: id, ...schema }]),
  );
}

/** Component schemas for the phosphobot dialect. */
function inPhosphobot(schemas: Record<string, Json>): Record<string, Json> {
  const swapped = (name: string, change: (properties: Json) => Json = (same) => same): Json => {
    const schema = schemas[name]!;
    const properties = schema.properties as Record<string, Json>;
    const { ry, rz } = properties;
    const angles = {
      ry: { ...ry, description: rz!.description },
      rz: { ...rz, description: ry!.description },
    };
    return { ...schema, properties: change({ ...properties, ...angles }) };
  };
  const move = (name: string): Json => {
    const tolerances = (properties: Json): Json => ({
      ...properties,
      ...Object.fromEntries(
        Object.entries(PHOSPHOBOT_TOLERANCES).map(([tolerance, fallback]) => {
          const field = properties[tolerance] as Json;
          const description = String(field.description)
            .replace('in centimetres', 'in metres')
            .replace('in degrees', 'in radians');
          return [tolerance, { ...field, default: fallback, description }];
        }),
      ),
    });
    const schema = swapped(name, tolerances);
    return { ...schema, description: `${schema.description} Tolerances are metres and radians.` };
  };
  return {
    ...schemas,
    AbsoluteMoveRequest: move('AbsoluteMoveRequest'),
    RelativeMoveRequest: move('RelativeMoveRequest'),
    TeleopRequest: swapped('TeleopRequest'),
    EndEffectorPosition: swapped('EndEffectorPosition'),
  };
}

const made = new Map<Dialect, Readonly<Record<string, Json>>>();

/** All named schemas for a dialect. */
export function componentSchemas(dialect: Dialect): Readonly<Record<string, Json>> {
  const known = made.get(dialect);
  if (known !== undefined) return known;
  const schemas = dialect === 'phosphobot' ? inPhosphobot(plainSchemas()) : plainSchemas();
  made.set(dialect, schemas);
  return schemas;
}

/** OpenAPI 3.1 description, made from the route declarations. */
export function openApi({ token, dialect, server = DEFAULT_SERVER }: Described): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of ROUTES) {
    const path = paths[route.path] ?? {};
    path[route.method.toLowerCase()] = operationOf(route, token);
    paths[route.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: info('Moves robot arms, mirrors a leader arm to its followers and reads end effectors.', dialect),
    servers: [{ url: `${server.encrypted ? 'https' : 'http'}://${server.host}`, description: 'This bridge.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    ...(token ? { security: [{ bearer: [] }] } : {}),
    paths,
    components: {
      schemas: componentSchemas(dialect),
      responses: commonResponses(),
      ...(token ? { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } : {}),
    },
  };
}
