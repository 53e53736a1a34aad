import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pageRoutes } from '../../src/http/page.ts';
import { buildApp, fakeServices } from './fakes.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-page-'));
  for (const [name, text] of Object.entries({ 'index.html': '<h1>arms</h1>', 'main.js': 'go()', 'notes.md': 'no' })) {
    writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text));
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the page is served with a policy that lets nothing foreign in, plain or compressed, and not twice', async () => {
  const app = fastify();
  pageRoutes(app, { folder });
  const plain = await app.inject({ url: '/' });
  expect(plain.body).toBe('<h1>arms</h1>');
  expect(plain.headers['content-type']).toBe('text/html; charset=utf-8');
  const policy = String(plain.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const compressed = await app.inject({ url: '/main.js', headers: { 'accept-encoding': 'gzip, br' } });
  expect(compressed.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(compressed.rawPayload).toString()).toBe('go()');
  const again = await app.inject({ url: '/', headers: { 'if-none-match': String(plain.headers.etag) } });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  for (const url of ['/notes.md', '/main.js.gz', '/index.html', '/../package.json', '/%2e%2e/package.json']) {
    expect((await app.inject({ url })).statusCode).toBe(404);
  }
  await app.close();
});

test('the page may reach the port of the stop on the host that it was loaded from', async () => {
  const app = fastify();
  pageRoutes(app, { stopPort: () => 8021, folder });
  for (const [host, there] of [
    ['bridge.lab:8020', 'http://bridge.lab:8021 ws://bridge.lab:8021'],
    ['[::1]:8020', 'http://[::1]:8021 ws://[::1]:8021'],
  ]) {
    const { headers } = await app.inject({ url: '/', headers: { host } });
    expect(headers['content-security-policy']).toContain(`connect-src 'self' ${there};`);
  }
  await app.close();
});

test('the page itself needs no token, and what it asks for does; a bridge without a built page says how to build it', async () => {
  const app = buildApp(fakeServices({ token: 'a token of twenty-two' }));
  const page = await app.inject({ url: '/', headers: { host: 'localhost' } });
  expect([page.statusCode, page.body]).toEqual([404, expect.stringContaining('npm run build:page')]);
  expect((await app.inject({ url: '/status', headers: { host: 'localhost' } })).statusCode).toBe(401);
  const foreign = { host: 'localhost', origin: 'http://evil.example' };
  expect((await app.inject({ url: '/', headers: foreign })).statusCode).toBe(403);
  await app.close();
});
