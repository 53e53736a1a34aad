import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { listen } from '../../src/http/app.ts';
import { readCertificate } from '../../src/http/tokens.ts';
import { selfSigned } from '../support/certificate.ts';
import { buildApp, fakeServices } from './fakes.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';

let folder: string;
let ca: Buffer;
let port: number;
let close: () => Promise<void>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-tls-'));
  const { certificate, key } = selfSigned(folder, 'localhost', 'DNS:localhost,IP:127.0.0.1');
  ca = readFileSync(certificate);
  const fakes = fakeServices({ token: TOKEN, config: { tls: { certificate, key } } });
  const services = { ...fakes, certificate: readCertificate(fakes.config) };
  const app = buildApp(services);
  ({ port } = await listen(app, services.config, services.tokens));
  close = () => app.close();
});
afterAll(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

async function ask(method: string, path: string, headers: Record<string, string>, content = '') {
  const asked = request({
    host: '127.0.0.1',
    servername: 'localhost',
    port,
    method,
    path,
    ca,
    headers: { host: 'localhost', ...headers },
  });
  asked.end(content);
  const [reply] = await once(asked, 'response');
  let body = '';
  for await (const chunk of reply) body += chunk;
  return { status: reply.statusCode as number, headers: reply.headers, body };
}

test('silent connections keep nobody from a stop, nor one who asks from being told to wait', async () => {
  // More than this computer may have at once; none of them says hello.
  const silent = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  const authorization = `Bearer ${TOKEN}`;
  for (let i = 0; i < 5; i++) {
    const stopped = await ask('POST', '/stop', { authorization });
    expect([stopped.status, JSON.parse(stopped.body).status]).toEqual([200, 'ok']);
  }
  const refused = await ask('GET', '/status', { authorization });
  expect([refused.status, JSON.parse(refused.body).detail]).toEqual([503, expect.stringContaining('only a stop')]);
  for (const socket of silent) socket.destroy();
  await expect.poll(async () => (await ask('GET', '/status', { authorization })).status).toBe(200);
});

test('requests and live streams are encrypted, and the cookie of a page is for encrypted connections alone', async () => {
  const authorization = `Bearer ${TOKEN}`;
  expect((await ask('GET', '/status', {})).status).toBe(401);
  expect((await ask('GET', '/status', { authorization })).status).toBe(200);
  // Another upgrade than to a WebSocket is answered as if it had not been asked for, here too.
  const offered = await ask('POST', '/stop', { authorization, connection: 'Upgrade', upgrade: 'h2c' });
  expect([offered.status, JSON.parse(offered.body).status]).toEqual([200, 'ok']);
  const json = { 'content-type': 'application/json' };
  const opened = await ask('POST', '/api/v1/session', json, JSON.stringify({ token: TOKEN }));
  expect(opened.headers['set-cookie']![0]).toMatch(
    /^arm_bridge_session(?:_\d+)?=[\w-]{43}; .*HttpOnly; SameSite=Strict; .*Secure$/,
  );
  await expect(fetch(`http://127.0.0.1:${port}/status`)).rejects.toThrow();

  const socket = new WebSocket(`wss://127.0.0.1:${port}/api/v1/live`, {
    ca,
    headers: { host: 'localhost', authorization },
  });
  const [hello] = await once(socket, 'message');
  expect(JSON.parse(String(hello)).type).toBe('hello');
  socket.terminate();
});
