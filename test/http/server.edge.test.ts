import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConfigError } from '../../src/config/load.ts';
import { listen } from '../../src/http/app.ts';
import { endSilent } from '../../src/http/connections.ts';
import { buildApp, type FakeServices, fakeServices } from './fakes.ts';

/** A loaded machine may take its time; only the outcome counts. */
const PATIENCE = { timeout: 20_000 };
vi.setConfig({ testTimeout: 30_000 });

/** What needs a real connection: hanging up, raw HTTP, the port itself. */
let services: FakeServices;
let app: FastifyInstance;
let port: number;

beforeEach(async () => {
  services = fakeServices();
  for (const arm of services.arms.all) arm.initialised = true;
  app = buildApp(services);
  ({ port } = await listen(app, services.config, null));
});
afterEach(() => app.close());

async function exchange(text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('latin1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(text);
  await closed;
  return answer;
}

const MOVE = 'POST /move/absolute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

async function startMove(): Promise<Socket> {
  services.motion.hold = new Promise(() => {});
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`${MOVE}Content-Length: 7\r\n\r\n{"x":1}`);
  await vi.waitFor(() => expect(services.motion.moves).toHaveLength(1), PATIENCE);
  return socket;
}

test('a client that hangs up ends its motion', async () => {
  const socket = await startMove();
  expect(services.motion.aborted).toEqual([]);
  // What a script ended by Ctrl-C leaves behind: the end of its stream, no reset.
  socket.end();
  await vi.waitFor(() => expect(services.motion.aborted).toHaveLength(1), PATIENCE);
  expect(String(services.motion.aborted[0])).toContain('hung up');
});

test('a client that hangs up ends motions whose answers wait for others on its connection, where no event stream begins', async () => {
  const socket = await startMove();
  socket.write(`${MOVE}Content-Length: 7\r\n\r\n{"x":2}GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await vi.waitFor(() => expect(services.motion.moves).toHaveLength(2), PATIENCE);
  socket.destroy();
  await vi.waitFor(() => expect(services.motion.aborted).toHaveLength(2), PATIENCE);
  expect((await app.inject('/metrics')).body).toMatch(/^arm_bridge_live_clients 0$/m);
});

test('a client that fills its connection behind a motion cannot be heard any more: its motion ends', async () => {
  const socket = await startMove();
  // Their answers wait for that of the motion until the server reads no further.
  const asking = setInterval(() => socket.write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'), 20);
  await vi.waitFor(() => expect(services.motion.aborted).toHaveLength(1), PATIENCE);
  clearInterval(asking);
});

test('a client that has sent what is not read behind a motion is noticed when it leaves', async () => {
  const socket = await startMove();
  const refused = 'POST /status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n';
  socket.write(refused + 'x'.repeat(900_000));
  socket.destroy();
  await vi.waitFor(() => expect(services.motion.aborted).toHaveLength(1), PATIENCE);
});

test('a client that takes nothing of its answer loses its connection, one whose answer takes its time does not', async () => {
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/long') waiting.push(response);
    else response.end(Buffer.alloc(50_000_000));
  });
  endSilent(server, 100);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port: own } = server.address() as AddressInfo;
  const ask = (path: string): Socket => {
    const socket = connect(own, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
    return socket.on('error', () => {});
  };
  const patient = ask('/long');
  await vi.waitFor(() => expect(waiting).toHaveLength(1), PATIENCE);
  const held = new Set<Socket>();
  server.on('connection', (socket: Socket) => held.add(socket));
  const deaf = ask('/large').pause();
  await vi.waitFor(() => expect([...held].map(({ destroyed }) => destroyed)).toEqual([true]), PATIENCE);
  waiting[0]!.end('at last');
  const [answer] = await once(patient, 'data');
  expect(String(answer)).toContain('at last');
  for (const socket of [patient, deaf]) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test('requests one after the other on one connection do not end each other', async () => {
  for (let count = 0; count < 3; count++) {
    const reply = await fetch(`http://127.0.0.1:${port}/move/absolute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"x":1}',
    });
    expect(await reply.json()).toMatchObject({ status: 'ok' });
  }
  expect(services.motion.moves.map(({ caller }) => caller.signal?.aborted)).toEqual([false, false, false]);
});

test('closing ends the motions that clients wait for and still answers them', async () => {
  const socket = await startMove();
  socket.setEncoding('latin1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  const closed = once(socket, 'close');
  await app.close();
  await closed;
  expect(String(services.motion.aborted[0])).toContain('shutting down');
  expect(answer).toContain('"status":"error"');
});

test('an upgrade request passes the same checks, and nothing is upgraded where there is no WebSocket', async () => {
  const upgrade = (host: string, origin: string, path = '/move/teleop/ws') =>
    exchange(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nConnection: Upgrade\r\n` +
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
        'Connection: close\r\n\r\n',
    );
  expect(await upgrade('localhost', 'http://example.com')).toMatch(/^HTTP\/1\.1 403 /);
  expect(await upgrade('example.com', 'http://localhost')).toMatch(/^HTTP\/1\.1 403 /);
  expect(await upgrade('localhost', 'http://localhost', '/move/nowhere/ws')).toMatch(/^HTTP\/1\.1 404 /);
});

test('a refused request ends its connection, so that its body is not waited for', async () => {
  const answer = await exchange(`${MOVE}Origin: http://example.com\r\nContent-Length: 1000000\r\n\r\n{`);
  expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  expect(answer.toLowerCase()).toContain('connection: close');
});

test('what is no HTTP gets an answer in the shape of the interface', async () => {
  const answer = await exchange('hello\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toMatch(/\{"detail":"This is no valid HTTP request\.","request_id":"[^"]+"\}/);
  expect(await exchange(`GET /status HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431 /,
  );
});

test('a request without Host, or with an empty one, is refused', async () => {
  expect(await exchange('POST /stop HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*no Host header/);
  expect(await exchange('POST /stop HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 403 /);
  expect(await exchange('POST /stop HTTP/1.1\r\nHost:\r\n\r\n')).toMatch(/^HTTP\/1\.1 403 /);
});

test('a request with two hosts is refused, and so is one for a foreign host in its URL', async () => {
  const ask = (line: string, hosts: string) => exchange(`${line} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
  expect(await ask('POST /stop', 'Host: localhost\r\nHost: evil.example\r\n')).toMatch(
    /^HTTP\/1\.1 400 [\s\S]*more than one Host/,
  );
  expect(await ask('GET http://evil.example/status', 'Host: localhost\r\n')).toMatch(/^HTTP\/1\.1 403 /);
  expect(await ask('POST http://evil.example:8020/stop', 'Host: localhost\r\n')).toMatch(/^HTTP\/1\.1 403 /);
  expect(services.arms.all.map((arm) => arm.read().state)).toEqual(['ready', 'ready']);
  expect(await ask(`GET http://127.0.0.1:${port}/status`, 'Host: localhost\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  expect(await ask(`PUT http://localhost/status`, 'Host: localhost\r\n')).toMatch(
    /^HTTP\/1\.1 405 [\s\S]*allow: GET, HEAD/i,
  );
});

test('a client is told to send its body only once its request is not refused by its headers', async () => {
  const ask = (path: string, headers: string, length = 7) =>
    exchange(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n` +
        `Connection: close\r\n${headers}Content-Length: ${length}\r\n\r\n{"x":1}`,
    );
  expect(await ask('/move/absolute', '')).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  expect(await ask('/move/absolute', 'Origin: http://evil.example\r\n')).toMatch(/^HTTP\/1\.1 403 /);
  expect(await ask('/move/absolute', 'Content-Encoding: gzip\r\n')).toMatch(/^HTTP\/1\.1 415 /);
  expect(await ask('/nowhere', '')).toMatch(/^HTTP\/1\.1 404 /);
  expect(await ask('/move/absolute', '', 70_000)).toMatch(/^HTTP\/1\.1 413 /);
});

test.each([
  ['of a client with a name that is none', 'X-Arm-Bridge-Client: \u00e9!\r\n', ''],
  ['with a body that says it is compressed', 'Content-Encoding: gzip\r\nContent-Length: 2\r\n', '{}'],
  ['with a body that is none', 'Content-Type: application/json\r\nContent-Length: 1\r\n', '{'],
  ['whose body is too large, and does not end', 'Content-Length: 100000000\r\n', '{"x":'],
  ['whose small body does not come', 'Content-Length: 9\r\n', ''],
  ['whose body comes in parts, of which the last does not', 'Transfer-Encoding: chunked\r\n', '1\r\n{\r\n'],
  ['with a key that is none', `Idempotency-Key: ${'k'.repeat(1000)}\r\n`, ''],
])('a stop %s is obeyed', async (_, headers, body) => {
  const answer = await exchange(`POST /stop HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n${body}`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*"status":"ok"/);
  expect(services.arms.all.map((arm) => arm.read().state)).toEqual(services.arms.all.map(() => 'stopped'));
});

test('every answer has the id of its request, in its header and in every error, and may not be taken for something else', async () => {
  const ask = (line: string, more = '') =>
    exchange(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${more}\r\n`);
  const upgrade = 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
  const upgrades = 'Connection: Upgrade\r\n';
  const host = 'Host: localhost\r\n';
  for (const answer of [
    await ask('GET /status'),
    await ask('HEAD /status'),
    await ask('GET /metrics'),
    await ask('GET /openapi.json'),
    await ask('GET /'),
    await ask('GET /nowhere'),
    await ask('GET /%zz'),
    await ask('DELETE /status'),
    await ask('POST /move/absolute'),
    await ask('POST /status', 'Origin: http://evil.example\r\n'),
    await ask('GET /move/teleop/ws?robot_id=9', `${upgrades}${upgrade}`),
    await ask('GET /api/v1/live', `${upgrades}${upgrade}Origin: http://evil.example\r\n`),
    await ask('GET /api/v1/live', `${upgrades}Upgrade: websocket\r\nSec-WebSocket-Version: 7\r\n`),
    await ask('POST /api/v1/live', `${upgrades}${upgrade}`),
    await ask('GET /status', 'Expect: x\r\n'),
    await ask('POST /move/absolute', 'Expect: x\r\nContent-Length: 2\r\n'),
    await ask('POST /stop', 'Expect: x\r\n'),
    await exchange('GET /status HTTP/1.1\r\n\r\n'),
    await exchange('GET /status HTTP/1.0\r\n\r\n'),
    await exchange('hello\r\n\r\n'),
    await exchange(`GET /status HTTP/1.1\r\n${host}X: ${'x'.repeat(17_000)}\r\n\r\n`),
    await exchange(`POST /status HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`),
  ]) {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^x-content-type-options: nosniff$/im);
    const [, id] = /^x-request-id: (\S+)$/im.exec(head) ?? [];
    expect([head, id]).toEqual([head, expect.any(String)]);
    if (/^HTTP\/1\.1 [45]/.test(head) && body !== '') expect(JSON.parse(body)).toMatchObject({ request_id: id });
  }
  const stream = await fetch(`http://127.0.0.1:${port}/api/v1/live`);
  expect(stream.headers.get('x-content-type-options')).toBe('nosniff');
  await stream.body!.cancel();
});

test('methods that nobody routes answer 405 or 404', async () => {
  const ask = (line: string) => exchange(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  expect(await ask('PROPFIND /status')).toMatch(/^HTTP\/1\.1 405 [\s\S]*allow: GET/i);
  expect(await ask('TRACE /stop')).toMatch(/^HTTP\/1\.1 405 /);
  expect(await ask('SEARCH /nowhere')).toMatch(/^HTTP\/1\.1 404 /);
});

test('the status names the address that is listened on', async () => {
  const reply = await fetch(`http://127.0.0.1:${port}/status`);
  expect(await reply.json()).toMatchObject({ server_ip: '127.0.0.1', server_port: port });
});

test('a port in use is told with the way out', async () => {
  const second = buildApp(fakeServices());
  const config = { ...services.config, port };
  await expect(listen(second, config, null)).rejects.toThrow(ConfigError);
  await expect(listen(buildApp(fakeServices()), config, null)).rejects.toThrow(/in use.*--port/);
  await second.close();
});

test('a public address without a token is refused before anything listens', async () => {
  const second = buildApp(fakeServices());
  await expect(listen(second, { ...services.config, host: '0.0.0.0' }, null)).rejects.toThrow(/http\.token_file/);
  expect(second.server.listening).toBe(false);
  await second.close();
});
