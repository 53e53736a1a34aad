import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigError } from '../../src/config/load.ts';
import { buildApp } from '../../src/http/app.ts';
import { checkBind, isLoopback, readToken } from '../../src/http/guard.ts';
import { fakeServices } from './fakes.ts';

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
  'http://localhost:3000',
  'https://LOCALHOST',
  'http://127.0.0.1:8020',
  'http://[::1]:5173',
  'http://lab.test',
])('a page of origin %s is answered and may read the answer', async (origin) => {
  const { code, reply } = await status({ origin }, { config: { allowed_hosts: ['lab.test'] } });
  expect(code).toBe(200);
  expect(reply.headers['access-control-allow-origin']).toBe(origin);
  expect(reply.headers.vary).toBe('Origin');
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
  const app = buildApp(fakeServices({ token: TOKEN }));
  const reply = await app.inject({
    method: 'OPTIONS',
    url: '/move/init',
    headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
  });
  await app.close();
  expect(reply.statusCode).toBe(200);
  expect(reply.headers['access-control-allow-methods']).toContain('POST');
  expect(reply.headers['access-control-allow-headers']).toContain('authorization');
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

test('a client with a token owns arms under another key than anonymous ones, which does not tell the token', async () => {
  const services = fakeServices({ token: TOKEN });
  services.arms.all[0]!.initialised = true;
  const app = buildApp(services);
  const headers = { authorization: `Bearer ${TOKEN}` };
  await app.inject({ method: 'POST', url: '/move/absolute', headers, payload: {} });
  await app.close();
  const key = services.motion.moves[0]!.caller.owner.key;
  expect(key).toMatch(/^http:[0-9a-f]{16}$/);
  expect(TOKEN).not.toContain(key.slice(5));
});

test('an address that others reach is not bound without a token', () => {
  const config = fakeServices().config;
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'bridge.lab', '128.0.0.1', '127.example.com']) {
    expect(() => checkBind({ ...config, host }, null)).toThrow(ConfigError);
    expect(() => checkBind({ ...config, host }, null)).toThrow(/http\.host: .*http\.token_file/);
    expect(() => checkBind({ ...config, host }, TOKEN)).not.toThrow();
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
    return readToken({ ...config, token_file: file });
  };
  expect(readToken(config)).toBeNull();
  expect(read(`${TOKEN}\r\nsecond line\n`)).toBe(TOKEN);
  for (const text of ['', '\n', `\n${TOKEN}`, 'short', 'has a space in the middle', 'ünïcödé-tökén-is-no-header']) {
    expect(() => read(text)).toThrow(/http\.token_file: .*openssl rand/);
  }
  expect(() => readToken({ ...config, token_file: join(folder, 'none') })).toThrow(/cannot be read \(ENOENT\)/);
});
