/** Requests that nobody should send: made of the bridge's own description, mutated, and always the same for a seed and a number. */

type Schema = Readonly<Record<string, unknown>>;

/** An operation of the description, with a body that it takes. */
export interface Target {
  readonly method: string;
  readonly path: string;
  /** Body as a tree of JSON texts; null where it takes none. */
  readonly body: Tree | null;
  readonly query: readonly string[];
}

/** A JSON document whose leaves are texts, so that they need not be JSON. */
export type Tree = string | Tree[] | { [name: string]: Tree };

/** What is done on one connection. */
export interface Attack {
  readonly kind: Kind;
  /** Bytes to send, with this many ms between one and the next. */
  readonly chunks: readonly Buffer[];
  readonly pause: number;
  /** The sending side is closed after the last one, and answers are waited for all the same. */
  readonly halfClosed: boolean;
}

/** What moves an arm by an emulated hand, or changes what it is: no request is to keep such a thing from working. */
const LEFT_OUT = new Set(['/sim/hand', '/calibrate', '/robot/disconnect', '/robot/add-connection']);

/** Uniform numbers from 0 to 1: mulberry32, by Tommy Ettinger, public domain. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Dice {
  readonly random: () => number;

  constructor(seed: number) {
    this.random = randomOf(seed);
  }

  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  chance(part: number): boolean {
    return this.random() < part;
  }
}

const NUMBERS = [
  ...['NaN', 'Infinity', '-Infinity', '1e309', '-1e309', '1e308', '-1.7976931348623157e308', '5e-324', '1e-320', '-0'],
  ...['0', '-1', '1', '0.1', '-30', '1000', '99999999999999999999', `1${'0'.repeat(400)}`, `-${'9'.repeat(5000)}`],
  ...['2147483648', '4294967296', '9007199254740993', '0x10', '01', '1.', '.5', '+1', '1e', '--1', '1_000', 'nan'],
];
const VALUES = [
  ...NUMBERS,
  ...[
    'null',
    'true',
    'false',
    '""',
    '"1"',
    '"NaN"',
    '[]',
    '{}',
    '[[]]',
    '[null]',
    '{"x":{}}',
    '"\\u0000"',
    '"\\ud800"',
  ],
  ...[
    '"__proto__"',
    '"é"',
    '"\u2028"',
    `"${'a'.repeat(3000)}"`,
    '{"__proto__":{"x":1}}',
    '[1,2,3,4,5,6,7,8,9]',
    '"\\x"',
  ],
  ...[`[${'0,'.repeat(2000)}0]`, 'undefined', '', "'x'", '/*x*/1', '"\t"', '{"a":1,"a":2}', '1 2', '\ufeff1'],
];
const NAMES = ['__proto__', 'constructor', 'x', 'angles', '', 'robot_id', 'toString', 'a'.repeat(500), '\\u0000', 'é'];
const TEXTS = ['', '0', '1', '-1', '1e3', 'NaN', '9'.repeat(6000), 'true', '%00', '%', '%ff', '0.0', '../x', '[]', 'é'];
const HEADERS = [
  ...[
    'Content-Length: -1',
    'Content-Length: 5\r\nContent-Length: 6',
    'Content-Length: 99999999999',
    'Content-Length: x',
  ],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: chunked\r\nContent-Length: 3',
  ],
  ...[
    'Host: evil.example',
    'Host:',
    'Host: localhost\r\nHost: 127.0.0.1',
    'Origin: https://evil.example',
    'Origin: null',
  ],
  ...[
    'Expect: 100-continue',
    'Expect: x',
    'Connection: upgrade\r\nUpgrade: h2c',
    'Connection: close',
    'Upgrade: websocket',
  ],
  ...[`Cookie: ${'a=b;'.repeat(2000)}`, `X-Long: ${'x'.repeat(20_000)}`, 'x: \u0001', ': empty', 'No colon', ' folded'],
  ...['Authorization: Bearer x', 'Authorization: Basic eDp5', 'Content-Type: text/plain', 'Content-Type: a/b; q="'],
  ...['Content-Encoding: gzip', 'Range: bytes=0-0', 'Accept: \u00ff', 'X-Forwarded-For: 10.0.0.1', '__proto__: x'],
];
const METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'HEAD',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'get',
  'X',
];
const PATHS = [
  ...[
    '/',
    '//',
    '/%',
    '/%00',
    '/../../etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/a'.repeat(3000),
    '*',
    'http://x/status',
  ],
  ...[
    '/api/v1/arms/__proto__/motion',
    '/api/v1/arms/%ff/urdf',
    '/assets/../../package.json',
    '/status#x',
    '/é',
    '/\u0000',
  ],
];
const PREFACES = [
  ...[
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET /status\r\n\r\n',
    'GET /status HTTP/0.9\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01',
  ],
  ...['GET /status HTTP/1.1\n\n', 'POST /stop HTTP/9.9\r\n\r\n', '\r\n\r\n\r\n', '\x00'.repeat(64), 'GET'],
];

/** Kinds of attacks with the weight of each. */
const KINDS = {
  field: 45,
  bytes: 18,
  header: 10,
  path: 6,
  bomb: 1,
  pipeline: 4,
  halfClosed: 4,
  slow: 2,
  preface: 2,
  frames: 8,
} as const;
export type Kind = keyof typeof KINDS;

function sampleOf(schema: Schema, components: Readonly<Record<string, Schema>>, depth = 0): Tree {
  const { $ref, anyOf, enum: words, type, items, properties, default: fallback } = schema;
  if (typeof $ref === 'string') return sampleOf(components[$ref.split('/').at(-1)!]!, components, depth);
  if (Array.isArray(anyOf)) return sampleOf(anyOf[0] as Schema, components, depth);
  if (Array.isArray(words)) return JSON.stringify(words[0]);
  if (depth > 6) return 'null';
  if (type === 'object' || properties !== undefined) {
    const entries = Object.entries((properties ?? {}) as Record<string, Schema>);
    return Object.fromEntries(entries.map(([name, part]) => [name, sampleOf(part, components, depth + 1)]));
  }
  if (type === 'array') return [0, 1].map(() => sampleOf((items ?? {}) as Schema, components, depth + 1));
  if (fallback !== undefined) return JSON.stringify(fallback);
  if (type === 'boolean') return 'false';
  return type === 'string' ? '"x"' : '0';
}

/** The operations of a description as `GET /openapi.json` gives it, with names of arms put in. */
export function targetsOf(description: Schema, arm: string): Target[] {
  const { schemas } = description.components as { schemas: Readonly<Record<string, Schema>> };
  const targets: Target[] = [];
  for (const [path, operations] of Object.entries(description.paths as Record<string, Record<string, Schema>>)) {
    if (LEFT_OUT.has(path)) continue;
    for (const [method, operation] of Object.entries(operations)) {
      const { content } = (operation.requestBody ?? {}) as { content?: Record<string, { schema: Schema }> };
      const schema = content?.['application/json']?.schema;
      const parameters = (operation.parameters ?? []) as { name: string; in: string }[];
      targets.push({
        method: method.toUpperCase(),
        path: path.replace('{name}', arm),
        body: schema === undefined ? null : sampleOf(schema, schemas),
        query: parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name),
      });
    }
  }
  return targets;
}

function textOf(tree: Tree): string {
  if (typeof tree === 'string') return tree;
  if (Array.isArray(tree)) return `[${tree.map(textOf).join(',')}]`;
  return `{${Object.entries(tree)
    .map(([name, part]) => `"${name}":${textOf(part)}`)
    .join(',')}}`;
}

/** Changes a document in one place, somewhere in it. */
function mutated(tree: Tree, dice: Dice): Tree {
  if (typeof tree === 'string' || dice.chance(0.05)) return dice.of(VALUES);
  if (Array.isArray(tree)) {
    if (tree.length === 0 || dice.chance(0.2)) return dice.chance(0.5) ? [...tree, dice.of(VALUES)] : tree.slice(1);
    const at = dice.below(tree.length);
    return tree.map((part, i) => (i === at ? mutated(part, dice) : part));
  }
  const names = Object.keys(tree);
  if (names.length === 0 || dice.chance(0.1)) return { ...tree, [dice.of(NAMES)]: dice.of(VALUES) };
  const name = dice.of(names);
  if (dice.chance(0.1)) return Object.fromEntries(Object.entries(tree).filter(([key]) => key !== name));
  return { ...tree, [name]: dice.chance(0.6) ? mutated(tree[name]!, dice) : dice.of(NUMBERS) };
}

function queryOf({ query }: Target, dice: Dice): string {
  const named = query.filter(() => dice.chance(0.3)).map((name) => `${name}=${dice.of(TEXTS)}`);
  return named.length === 0 ? '' : `?${named.join('&')}`;
}

function requestOf(target: Target, dice: Dice, extra = '', path = ''): Buffer {
  let { body } = target;
  for (let left = 1 + dice.below(3); body !== null && left > 0; left--) body = mutated(body, dice);
  const text = body === null ? '' : textOf(body);
  const place = path === '' ? `${target.path}${queryOf(target, dice)}` : path;
  const method = path === '' && extra === '' ? target.method : dice.of([target.method, dice.of(METHODS)]);
  const type = text === '' ? '' : 'Content-Type: application/json\r\n';
  const more = extra === '' ? '' : `${extra}\r\n`;
  const length = /^(content-length|transfer-encoding)/i.test(extra)
    ? ''
    : `Content-Length: ${Buffer.byteLength(text)}\r\n`;
  return Buffer.from(`${method} ${place} HTTP/1.1\r\nHost: localhost\r\n${type}${more}${length}\r\n${text}`);
}

function withWrongBytes(bytes: Buffer, dice: Dice): Buffer {
  let result = bytes;
  for (let left = 1 + dice.below(6); left > 0; left--) {
    const at = dice.below(result.length);
    const before = result.subarray(0, at);
    const change = dice.below(4);
    if (change === 0) result = Buffer.concat([before, Buffer.of(dice.below(256)), result.subarray(at + 1)]);
    else if (change === 1)
      result = Buffer.concat([before, Buffer.of(dice.below(256), dice.below(256)), result.subarray(at)]);
    else if (change === 2) result = Buffer.concat([before, result.subarray(at + 1 + dice.below(8))]);
    else result = Buffer.concat([result, result.subarray(at)]);
  }
  return result;
}

function bombOf(target: Target, dice: Dice): Buffer {
  const depth = 50_000;
  const body = dice.of([
    () => '['.repeat(depth),
    () => '{"a":'.repeat(depth),
    () => `${'['.repeat(depth)}${']'.repeat(depth)}`,
    () => `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
    () => `"${'\\u0041'.repeat(100_000)}`,
    () => `[${'1e400,'.repeat(100_000)}1]`,
    () => ' '.repeat(1_200_000),
    () => '9'.repeat(900_000),
  ])();
  const head = `${target.method} ${target.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json`;
  return Buffer.from(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
}

/** What a client of the live stream or of teleoperation by hand may say, and what it may not. */
function messageOf(dice: Dice): string {
  const number = (): string => dice.of(NUMBERS);
  const three = (): string => `[${number()},${number()},${number()}]`;
  return dice.of([
    () => `{"type":"jog","arm":${number()},"joints":{"shoulder_pan":${number()},"${dice.of(NAMES)}":${number()}}}`,
    () => `{"type":"jog","arm":${dice.below(2)},"joints":{"shoulder_pan":${number()}}}`,
    () => `{"type":"jog","arm":${dice.below(2)},"twist":{"linear":${three()},"angular":${three()},"frame":"tool"}}`,
    () => `{"type":"subscribe","topics":["${dice.of(['arms', 'log', 'x'])}"],"rate":${number()}}`,
    () =>
      `{"x":${number()},"y":${number()},"z":${number()},"rx":0,"ry":0,"rz":0,"open":${number()},"timestamp":${number()}}`,
    () => dice.of(VALUES),
  ])();
}

/** A frame of RFC 6455, masked with zeros, with bits that may be wrong. */
function frameOf(dice: Dice): Buffer {
  const sound = dice.chance(0.5);
  const payload = Buffer.from(dice.chance(0.8) ? messageOf(dice) : 'x'.repeat(dice.below(40_000)));
  const first = sound ? 0x81 : dice.below(256);
  const masked = sound || dice.chance(0.7) ? 0x80 : 0;
  const length = sound ? payload.length : dice.of([payload.length, payload.length, 0, 0xffff_ffff]);
  const head =
    length < 126
      ? Buffer.of(first, masked | length)
      : length < 65_536
        ? Buffer.of(first, masked | 126, length >> 8, length & 255)
        : Buffer.concat([Buffer.of(first, masked | 127, 0, 0, 0, 0), Buffer.of(255, 255, 255, 255)]);
  return Buffer.concat([head, masked === 0 ? Buffer.alloc(0) : Buffer.alloc(4), payload]);
}

function framesOf(dice: Dice): Buffer[] {
  const path = dice.of(['/api/v1/live', '/move/teleop/ws', '/move/teleop/ws?robot_id=1']);
  const version = dice.chance(0.9) ? '13' : dice.of(TEXTS);
  const upgrade =
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Sec-WebSocket-Version: ${version}\r\nSec-WebSocket-Key: ${dice.chance(0.9) ? 'dGhlIHNhbXBsZSBub25jZQ==' : 'x'}\r\n\r\n`;
  return [Buffer.from(upgrade), ...Array.from({ length: 1 + dice.below(6) }, () => frameOf(dice))];
}

function kindOf(dice: Dice): Kind {
  let left = dice.random() * Object.values(KINDS).reduce((sum, weight) => sum + weight, 0);
  for (const [kind, weight] of Object.entries(KINDS)) {
    left -= weight;
    if (left < 0) return kind as Kind;
  }
  return 'field';
}

/** Attack number `index` of a seed. */
export function attackOf(targets: readonly Target[], seed: number, index: number): Attack {
  const dice = new Dice(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
  const kind = kindOf(dice);
  const target = dice.of(targets);
  const one = (): Buffer => requestOf(target, dice);
  const plain = { kind, pause: 0, halfClosed: false };
  switch (kind) {
    case 'field':
      return { ...plain, chunks: [one()] };
    case 'bytes':
      return { ...plain, chunks: [withWrongBytes(one(), dice)] };
    case 'header':
      return { ...plain, chunks: [requestOf(target, dice, dice.of(HEADERS))] };
    case 'path':
      return { ...plain, chunks: [requestOf(target, dice, '', dice.of(PATHS))] };
    case 'bomb':
      return { ...plain, chunks: [bombOf(target, dice)] };
    case 'pipeline':
      return {
        ...plain,
        chunks: [Buffer.concat(Array.from({ length: 2 + dice.below(20) }, () => requestOf(dice.of(targets), dice)))],
      };
    case 'halfClosed': {
      const bytes = one();
      return { ...plain, chunks: [bytes.subarray(0, 1 + dice.below(bytes.length))], halfClosed: true };
    }
    case 'slow': {
      const bytes = one();
      const cut = 1 + dice.below(bytes.length);
      return { ...plain, chunks: [...bytes.subarray(0, cut)].slice(-5).map((byte) => Buffer.of(byte)), pause: 20 };
    }
    case 'preface':
      return { ...plain, chunks: [Buffer.from(dice.of(PREFACES), 'latin1')] };
    case 'frames':
      return { ...plain, chunks: framesOf(dice), pause: 1 };
  }
}
