import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import { systemClock } from '../../src/clock.ts';
import { ConfigError } from '../../src/config/load.ts';
import { isLoopback } from '../../src/http/addresses.ts';
import { Guard } from '../../src/http/guard.ts';
import { Limits } from '../../src/http/limits.ts';
import { checkBind, readCertificate, readTokens } from '../../src/http/tokens.ts';
import { buildApp, fakeServices } from './fakes.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';

async function status(headers: Record<string, string>, options: Parameters<typeof fakeServices>[0] = {}, body = '{}') {
  const services = fakeServices(options);
  services.arms.all[0]!.initialised = true;
  const app = buildApp(services);
  const reply = await app.inject({
    method: 'POST',
    url: '/move/absolute',
    headers: { 'content-type': 'application/json', ...headers },
    payload: body,
  });
  await app.close();
  return { code: reply.statusCode, reply, moves: services.motion.moves.length };
}

test.each([
  'https://example.com',
  'null',
  '',
  'http://localhost.example.com',
  'http://example.com:8020',
  'http://localhost@example.com',
  'http://example.com/localhost',
  'http://localhost:8020/path',
  'file://localhost',
  'http://127.0.0.1.example.com',
  'http://0x7f.1',
  'http://localhost, http://example.com',
])('a page of origin "%s" moves nothing', async (origin) => {
  const { code, moves, reply } = await status({ origin });
  expect([code, moves]).toEqual([403, 0]);
  expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  expect(reply.json().detail).toContain('http.allowed_hosts');
});

test.each([
  ['http://localhost:8020', 'localhost:8020'],
  ['https://LOCALHOST', 'localhost'],
  ['http://127.0.0.1:8020', 'localhost:8020'],
  ['http://[::1]:5173', '[::1]:5173'],
  ['http://192.168.7.1:8020', '192.168.7.1:8020'],
  // Behind a proxy that keeps the Host, and behind one that does not.
  ['https://lab.test:8443', 'lab.test:8443'],
  ['https://lab.test', 'localhost:8020'],
])('the own page, of origin %s, is answered at %s', async (origin, host) => {
  const config = { host: '192.168.7.1', allowed_hosts: ['lab.test'] };
  const headers = { origin, host, authorization: `Bearer ${TOKEN}` };
  const { code, reply } = await status(headers, { config, token: TOKEN });
  expect(code).toBe(200);
  expect(reply.headers['access-control-allow-origin']).toBeUndefined();
});

test.each([
  'http://localhost:3000',
  'http://127.0.0.1',
  'http://[::1]:8021',
  'http://192.168.7.1:3000',
  'http://lab.test:3000',
])('a page on another port, %s, may be anybody’s: it moves nothing, with a body or without', async (origin) => {
  const config = { host: '192.168.7.1', allowed_hosts: ['lab.test'] };
  const headers = { origin, host: 'localhost:8020' };
  expect((await status(headers, { config })).code).toBe(403);
  const services = fakeServices({ config });
  const app = buildApp(services);
  const reply = await app.inject({ method: 'POST', url: '/move/init', headers });
  expect([reply.statusCode, reply.json().detail]).toEqual([403, expect.stringContaining('http.cors_origins')]);
  expect(services.arms.all.some(({ initialised }) => initialised)).toBe(false);
  await app.close();
});

test.each([
  'http://localhost:3000',
  'https://LOCALHOST',
  'http://127.0.0.1:8020',
  'http://[::1]:5173',
  'http://lab.test',
])('a page of origin %s is answered and may read the answer when it is listed', async (origin) => {
  const listed = await status({ origin }, { config: { cors_origins: [origin] } });
  expect(listed.code).toBe(200);
  expect(listed.reply.headers['access-control-allow-origin']).toBe(origin);
  expect(listed.reply.headers.vary).toBe('Origin');
});

test('a page of a listed origin may read the headers that clients go by, of errors too', async () => {
  const origin = 'http://localhost:3000';
  const app = buildApp(fakeServices({ config: { host: '192.168.7.1', rate_limit: 1, cors_origins: [origin] } }));
  const headers = { origin, host: '192.168.7.1:8020' };
  const ask = () => app.inject({ url: '/openapi.json', headers, remoteAddress: '192.168.7.2' });
  const [first, second] = [await ask(), await ask()];
  await app.close();
  expect([first.statusCode, second.statusCode]).toEqual([200, 429]);
  const readable = String(second.headers['access-control-expose-headers']).split(', ');
  expect(readable).toEqual(
    expect.arrayContaining(['x-request-id', 'location', 'content-range', 'accept-ranges', 'content-disposition']),
  );
  for (const name of ['etag', 'retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
    expect({ ...first.headers, ...second.headers }).toHaveProperty(name);
    expect(readable).toContain(name);
  }
});

test('the form of an error depends on Accept, so caches are told to keep both apart', async () => {
  const foreign = await status({ origin: 'http://example.com' });
  const invalid = await status({}, {}, '{broken');
  expect([foreign.code, invalid.code]).toEqual([403, 422]);
  expect([foreign.reply.headers.vary, invalid.reply.headers.vary]).toEqual(['Accept', 'Accept']);
  const origin = 'http://localhost:3000';
  const listed = await status({ origin }, { config: { cors_origins: [origin] } }, '{broken');
  expect(listed.reply.headers.vary).toBe('Origin, Accept');
});

test.each(['example.com', 'localhost.example.com:8020', '192.168.1.5', 'user@localhost', 'localhost:80:80', '[::2]'])(
  'Host "%s" is not answered: a name may have been pointed at this computer',
  async (host) => {
    const { code, moves } = await status({ host });
    expect([code, moves]).toEqual([403, 0]);
  },
);

test.each(['localhost', 'LocalHost:8020', '127.0.0.1', '127.5.5.5:1', '[::1]:8020', '192.168.7.1:8020', 'bridge.lab'])(
  'Host %s is answered',
  async (host) => {
    const config = { host: '192.168.7.1', allowed_hosts: ['bridge.lab'] };
    const headers = { host, authorization: `Bearer ${TOKEN}` };
    expect((await status(headers, { config, token: TOKEN })).code).toBe(200);
  },
);

test('a refusal comes before the body is looked at', async () => {
  expect((await status({ origin: 'http://example.com' }, {}, 'x'.repeat(2 * 1024 * 1024))).code).toBe(403);
  expect((await status({}, { token: TOKEN }, '{broken')).code).toBe(401);
});

test('a preflight of an own origin is answered, also without the token that browsers do not send with it', async () => {
  const app = buildApp(fakeServices({ token: TOKEN, config: { cors_origins: ['http://localhost:3000'] } }));
  const reply = await app.inject({
    method: 'OPTIONS',
    url: '/move/init',
    headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
  });
  await app.close();
  expect(reply.statusCode).toBe(200);
  expect(reply.headers['access-control-allow-methods']).toContain('POST');
  const sendable = String(reply.headers['access-control-allow-headers']).split(', ');
  expect(sendable).toEqual(expect.arrayContaining(['authorization', 'idempotency-key', 'if-none-match', 'range']));
});

test('with a token every request needs it, on every path', async () => {
  const app = buildApp(fakeServices({ token: TOKEN }));
  for (const [method, url] of [
    ['POST', '/stop'],
    ['GET', '/status'],
    ['GET', '/openapi.json'],
    ['POST', '/nowhere'],
  ] as const) {
    for (const authorization of [
      undefined,
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(1)}`,
      `Basic ${TOKEN}`,
      TOKEN,
      '',
    ]) {
      const reply = await app.inject({ method, url, headers: authorization === undefined ? {} : { authorization } });
      expect(reply.statusCode).toBe(401);
      expect(reply.headers['www-authenticate']).toMatch(/^Bearer/);
      expect(reply.json().detail).toContain('http.token_file');
    }
  }
  for (const authorization of [`Bearer ${TOKEN}`, `bearer  ${TOKEN}`]) {
    expect((await app.inject({ method: 'POST', url: '/stop', headers: { authorization } })).statusCode).toBe(200);
  }
  await app.close();
});

test('a token that somebody puts into a URL is not taken, and does not come into the log', async () => {
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
  const app = buildApp({ ...fakeServices({ token: TOKEN }), logger });
  for (const url of [`/status?token=${TOKEN}`, `/nowhere?access_token=${TOKEN}`, `/%?${TOKEN}`])
    expect((await app.inject({ url })).statusCode).toBeGreaterThan(400);
  await app.close();
  expect(lines.join('')).toContain('/status');
  expect(lines.join('')).not.toContain(TOKEN);
});

test('a client with a token owns arms under another key than anonymous ones, which does not tell the token', async () => {
  const services = fakeServices({ token: TOKEN });
  services.arms.all[0]!.initialised = true;
  const app = buildApp(services);
  const headers = { authorization: `Bearer ${TOKEN}` };
  await app.inject({ method: 'POST', url: '/move/absolute', headers, payload: {} });
  await app.close();
  const key = services.motion.moves[0]!.caller.owner.key;
  expect(key).toMatch(/^http:control /);
  expect(key).not.toContain(TOKEN.slice(0, 4));
});

const PUBLIC = ['0.0.0.0', '::', '192.168.1.5', 'bridge.lab', '128.0.0.1', '127.example.com'];

test('an address that others reach is bound with a token and encryption, or the word that there is none', () => {
  const config = fakeServices().config;
  const tokens = { control: TOKEN, read: null };
  for (const host of PUBLIC) {
    expect(() => checkBind({ ...config, host }, null)).toThrow(/http\.host: .*http\.token_file/);
    expect(() => checkBind({ ...config, host }, tokens)).toThrow(ConfigError);
    expect(() => checkBind({ ...config, host }, tokens)).toThrow(/http\.host: .*http\.tls: off/);
    expect(() => checkBind({ ...config, host, tls: 'off' }, tokens)).not.toThrow();
    expect(() => checkBind({ ...config, host, tls: { certificate: 'c', key: 'k' } }, tokens)).not.toThrow();
  }
  for (const host of ['127.0.0.1', 'localhost', '::1', '127.1.2.3']) {
    expect(isLoopback(host)).toBe(true);
    expect(() => checkBind({ ...config, host }, null)).not.toThrow();
  }
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-http-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('the token is the first line of its file; a file that holds none is refused with the way to make one', () => {
  const config = fakeServices().config;
  const file = join(folder, 'token');
  const read = (text: string) => {
    writeFileSync(file, text);
    return readTokens({ ...config, token_file: file }, folder);
  };
  expect(readTokens(config, folder)).toEqual({ tokens: null, made: null });
  expect(read(`${TOKEN}\r\nsecond line\n`)).toEqual({ tokens: { control: TOKEN, read: null }, made: null });
  for (const text of ['', '\n', `\n${TOKEN}`, 'short', 'has a space in the middle', 'ünïcödé-tökén-is-no-header']) {
    expect(() => read(text)).toThrow(/http\.token_file: .*openssl rand/);
  }
  expect(() => readTokens({ ...config, token_file: join(folder, 'none') }, folder)).toThrow(
    /cannot be read \(ENOENT\)/,
  );
  expect(() => readTokens({ ...config, read_token_file: file }, folder)).toThrow(/without http\.token_file/);
  read(TOKEN);
  const both = { ...config, token_file: file, read_token_file: file };
  expect(() => readTokens(both, folder)).toThrow(/read_token_file: it holds the same token/);
  expect(() => readCertificate({ ...config, tls: { certificate: join(folder, 'no'), key: file } })).toThrow(
    /http\.tls\.certificate: .*ENOENT/,
  );
});

test('an address that others reach has a token made for it once, which its owner alone can read', () => {
  for (const [token_file, folderOfState] of [
    [null, join(folder, 'state')],
    [join(folder, 'named'), folder],
  ] as const) {
    const config = { ...fakeServices().config, host: '0.0.0.0', token_file };
    const first = readTokens(config, folderOfState);
    expect(first.made).toBe(token_file ?? join(folderOfState, 'token'));
    expect(first.tokens!.control).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(first.made!).mode & 0o777).toBe(0o600);
    expect(readTokens(config, folderOfState)).toEqual({ tokens: first.tokens, made: null });
  }
  const nowhere = { ...fakeServices().config, host: '0.0.0.0', token_file: join(folder, 'no', 'such', 'folder') };
  expect(() => readTokens(nowhere, folder)).toThrow(/does not exist and cannot be made \(ENOENT\)/);
});

const READ_TOKEN = 'fedcba9876543210fedcba9876543210';

test('a token that may only read reads and stops, and moves nothing', async () => {
  const services = fakeServices({ token: TOKEN, readToken: READ_TOKEN });
  const app = buildApp(services);
  const headers = { authorization: `Bearer ${READ_TOKEN}` };
  const ask = async (method: 'GET' | 'POST' | 'DELETE', url: string) =>
    (await app.inject({ method, url, headers })).statusCode;
  for (const url of ['/status', '/openapi.json', '/api/v1/arms', '/api/v1/log'])
    expect(await ask('GET', url)).toBe(200);
  for (const url of ['/stop', '/api/v1/stop', '/joints/read', '/temperature/read', '/robot/config']) {
    expect([url, await ask('POST', url)]).toEqual([url, 200]);
  }
  const { paths } = (await app.inject({ url: '/openapi.json', headers })).json();
  const moving = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase() as 'POST', path.replace('{name}', 'leader')] as const),
  );
  const reads = /\/(stop|read|config|reachable|session|scan-devices)$/;
  for (const [method, url] of moving) {
    if (method === ('GET' as string) || reads.test(url)) continue;
    expect([url, await ask(method, url)]).toEqual([url, 403]);
  }
  await app.close();
});

test('a page exchanges a token for a cookie of its own, which no other page can use', async () => {
  const app = buildApp(fakeServices({ token: TOKEN, readToken: READ_TOKEN }));
  const open = (token: string) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/session',
      payload: { token },
      headers: { 'content-type': 'application/json' },
    });
  expect((await open('x'.repeat(32))).statusCode).toBe(401);
  expect((await open(READ_TOKEN)).json()).toEqual({ scopes: ['read'] });
  const opened = await open(TOKEN);
  expect(opened.json()).toEqual({ scopes: ['read', 'control'] });
  const set = String(opened.headers['set-cookie']);
  expect(set).toMatch(/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
  expect(set).not.toContain(TOKEN);
  const cookie = set.split(';', 1)[0]!;
  const status = async (more: Record<string, string>) =>
    (await app.inject({ method: 'POST', url: '/move/init', headers: { host: 'localhost:8020', ...more } })).statusCode;
  expect(await status({ cookie })).toBe(200);
  expect(await status({ cookie: `other=1; ${cookie}`, origin: 'http://localhost:8020' })).toBe(200);
  // Behind a proxy that encrypts.
  expect(await status({ cookie, host: 'localhost', origin: 'https://localhost' })).toBe(200);
  // Another port is the same site for the browser, which sends the cookie along.
  expect(await status({ cookie, origin: 'http://localhost:3000' })).toBe(403);
  expect(await status({ cookie: `${cookie}x` })).toBe(401);
  const closed = await app.inject({ method: 'DELETE', url: '/api/v1/session', headers: { cookie } });
  expect(String(closed.headers['set-cookie'])).toContain('Max-Age=0');
  expect(await status({ cookie })).toBe(401);
  await app.close();
});

test('pages of two bridges on one host sign in and out without a word to each other', async () => {
  const bridges = [8020, 8021].map((port) => ({ port, app: buildApp(fakeServices({ token: TOKEN })) }));
  const jar = new Map<string, string>();
  const ask = async (index: number, method: 'POST' | 'DELETE', url: string, payload?: object) => {
    const { app, port } = bridges[index]!;
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await app.inject({
      ...{ method, url, headers: { host: `localhost:${port}`, cookie } },
      ...(payload === undefined ? {} : { payload }),
    });
    const [, name, value] = /^(\w+)=([^;]*)/.exec(String(answer.headers['set-cookie'] ?? '')) ?? [];
    if (name !== undefined && value !== undefined) jar.set(name, value);
    return answer.statusCode;
  };
  const admitted = () => Promise.all([0, 1].map((index) => ask(index, 'POST', '/move/init')));
  for (const index of [0, 1]) expect(await ask(index, 'POST', '/api/v1/session', { token: TOKEN })).toBe(200);
  expect(await admitted()).toEqual([200, 200]);
  expect(await ask(1, 'DELETE', '/api/v1/session')).toBe(200);
  expect(await admitted()).toEqual([200, 401]);
  for (const { app } of bridges) await app.close();
});

test('what a page may is over with its session, when that is ended and after twelve hours', async () => {
  const time = new VirtualTime();
  const { config, tokens, named } = fakeServices({ token: TOKEN });
  const guard = new Guard(config, tokens, named, time.lane('main'));
  const asked = (cookie: string) =>
    ({ headers: { cookie: cookie.split(';', 1)[0]!, host: 'localhost' } }) as unknown as IncomingMessage;
  const opened = () => guard.openSession(asked(''), TOKEN).cookie!;
  const request = asked(opened());
  const other = guard.admit(asked(opened()));
  const admission = guard.admit(request);
  expect(guard.stillAdmits(admission)).toBe(true);
  guard.closeSession(request);
  expect([admission, other].map((had) => guard.stillAdmits(had))).toEqual([false, true]);
  await time.run(time.now + 12 * 3600 + 1);
  expect(guard.stillAdmits(other)).toBe(false);
});

test('a client of another computer that asks too often is told to wait, and its stop is heard', async () => {
  const services = fakeServices({ config: { rate_limit: 3 } });
  const app = buildApp(services);
  const ask = (method: 'GET' | 'POST', url: string, remoteAddress: string) =>
    app.inject({ method, url, remoteAddress });
  const codes: number[] = [];
  for (let i = 0; i < 50; i++) codes.push((await ask('GET', '/openapi.json', '192.0.2.7')).statusCode);
  expect(codes.slice(0, 3)).toEqual([200, 200, 200]);
  expect(codes).toContain(429);
  const refused = new Limits(1, systemClock);
  expect([refused.allows('192.0.2.7'), refused.allows('192.0.2.7'), refused.allows('192.0.2.8')]).toEqual([
    true,
    false,
    true,
  ]);
  expect((await ask('POST', '/stop', '192.0.2.7')).statusCode).toBe(200);
  for (let i = 0; i < 50; i++) expect((await ask('GET', '/openapi.json', '127.0.0.1')).statusCode).toBe(200);
  await app.close();
});

test('connections beyond the limit are for stops alone, whether they say anything or not', async () => {
  const server = new EventEmitter();
  const time = new VirtualTime();
  const limits = new Limits(1000, time.lane('main'));
  let port = 1024;
  limits.watch(server as unknown as Server);
  const connected = (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, remotePort: ++port, destroyed: false });
    server.emit('connection', Object.assign(socket, { destroy: () => end(socket) }));
    return socket as unknown as Socket;
  };
  const end = (socket: EventEmitter & { destroyed: boolean }) => {
    socket.destroyed = true;
    socket.emit('close');
  };
  const many = (count: number, addressOf: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => connected(addressOf(i)));
  const isForStops = (socket: Socket) => {
    limits.check(socket, 'stop');
    try {
      limits.check(socket, 'read');
      return false;
    } catch (error) {
      expect(String(error)).toContain('only a stop is answered');
      return true;
    }
  };
  // One other computer has its share, and a few places for stops, of which the newest has one.
  const first = many(528, () => '192.0.2.8');
  expect(first.filter((socket) => !isForStops(socket))).toHaveLength(128);
  expect(first.filter(({ destroyed }) => destroyed)).toHaveLength(528 - 128 - 4);
  expect(first[527]!.destroyed).toBe(false);
  // Another one and this one are not in its way.
  expect(isForStops(connected('192.0.2.9'))).toBe(false);
  expect(isForStops(connected('127.0.0.1'))).toBe(false);
  // All others together leave the share of this one alone, and so do the many addresses of one network.
  const all = many(600, (i) => `198.51.100.${i % 200}`);
  expect(all.filter((socket) => !isForStops(socket))).toHaveLength(384 - 129);
  expect(all.filter(({ destroyed }) => !destroyed)).toHaveLength(384 - 129 + 32);
  // One that has several places for stops makes room for itself and for another, not whoever came first.
  const waiting = (): number => all.filter(({ destroyed }) => !destroyed).length;
  const before = waiting();
  const several = many(4, () => '203.0.113.1');
  expect(connected('203.0.113.2').destroyed).toBe(false);
  expect(several.map(({ destroyed }) => destroyed)).toEqual([true, true, true, false]);
  expect(before - waiting()).toBe(2);
  const own = many(300, () => '::ffff:127.0.0.1');
  expect(own.filter((socket) => !isForStops(socket))).toHaveLength(255);
  expect(own.filter(({ destroyed }) => !destroyed)).toHaveLength(255 + 16);
  // A place for a stop is one for a moment.
  await time.run(5);
  expect(own.filter(({ destroyed }) => !destroyed)).toHaveLength(255);
  // A client whose answers queue may have left unnoticed: the oldest such connection makes room.
  for (const socket of [own[20]!, own[40]!]) Object.assign(socket, { isPaused: () => true });
  expect(isForStops(connected('127.0.0.1'))).toBe(false);
  expect([own[20]!.destroyed, own[40]!.destroyed]).toEqual([true, false]);
  expect([1, 2].map(() => isForStops(connected('127.0.0.1')))).toEqual([false, true]);
  expect(own[40]!.destroyed).toBe(true);
  for (const socket of [...first, ...all]) if (!socket.destroyed) socket.destroy();
  // One address of a network has its share, and so has a colleague's; all addresses of the network together have one, too.
  const inNetwork = (count: number, addressOf: (i: number) => string) =>
    many(count, (i) => `2001:db8:0:7::${addressOf(i)}`).filter((socket) => !isForStops(socket));
  expect(inNetwork(200, () => '1')).toHaveLength(128);
  expect(inNetwork(1, () => '2')).toHaveLength(1);
  expect(inNetwork(200, (i) => (i + 3).toString(16))).toHaveLength(256 - 129);
});
