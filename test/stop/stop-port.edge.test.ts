import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Bridge } from '../../src/bridge.ts';
import { configSchema } from '../../src/config/schema.ts';
import { stopLine } from '../../src/http/routes/live.ts';
import { startBridge } from '../support/compiled-bridge.ts';

/** A loaded machine may take its time; only the outcome counts. */
const PATIENCE = { timeout: 20_000 };
vi.setConfig({ testTimeout: 30_000 });
/** The bridge doubts resets when it hears of a stop later than after 0.1 s, ms. */
const STILL_BUSY = 300;
const TOKEN = 'a-token-of-twenty-two';
const AUTHORISED = { authorization: `Bearer ${TOKEN}` };

let folder: string;
let bridge: Bridge;
let port: number;
let stopPort: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-stop-'));
  writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
  const config = configSchema.parse({
    http: { port: 0, token_file: join(folder, 'token') },
    ros: { enabled: false },
    state_folder: join(folder, 'state'),
    arms: [{ name: 'arm', bus: 'sim:so101' }],
  });
  bridge = await startBridge(config, pino({ level: 'silent' }));
  ({ port } = bridge.address);
  stopPort = bridge.stopPort!;
});
afterAll(async () => {
  await bridge?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field
  readonly body: any;
}

function ask(
  method: string,
  path: string,
  headers: Record<string, string> = AUTHORISED,
  at = stopPort,
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: at, method, path, headers }, (answer) => {
      let text = '';
      answer.on('data', (part) => {
        text += part;
      });
      answer.on('end', () => {
        const { statusCode: status = 0, headers: got } = answer;
        resolve({ status, headers: got, body: text === '' ? null : JSON.parse(text) });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const arm = () => bridge.arms.all[0]!;
const reset = () => ask('POST', '/stop/reset', AUTHORISED, port);

/** What another program is answered while this thread, which is the bridge's main thread, does nothing else than wait for it. */
function whileBusy(script: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 30_000 });
  return stdout + stderr;
}

test('a stop is heard while the main thread is busy, and a reset that is older than it does not undo it', async () => {
  const { body } = await ask('GET', '/status', AUTHORISED, port);
  expect(body.stop_port).toBe(stopPort);
  const waiting = connect(port, '127.0.0.1');
  await once(waiting, 'connect');
  let early = '';
  waiting.setEncoding('utf8').on('data', (part: string) => {
    early += part;
  });
  // On its way before the stop: it waits in the kernel until this thread has time.
  waiting.write(`POST /stop/reset HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${AUTHORISED.authorization}\r\n\r\n`);
  const said = whileBusy(`
    const headers = ${JSON.stringify(AUTHORISED)};
    fetch('http://127.0.0.1:${stopPort}/stop', { method: 'POST', headers })
      .then(async (answer) => console.log(answer.status, await answer.text()))
      .then(() => setTimeout(() => {}, ${STILL_BUSY}));`);
  expect(said.trim()).toBe('200 {"status":"ok","message":"Stopped: arm (robot 0).","robots":[0]}');
  expect(arm().latched).toBe(true);
  await expect.poll(() => early, PATIENCE).toMatch(/"status":"error".*reset it again/);
  waiting.destroy();
  expect(arm().latched).toBe(true);
  await expect
    .poll(async () => (await ask('GET', '/status', AUTHORISED, port)).body.arms[0].reason)
    .toMatch(/HTTP client/);
  await expect.poll(async () => (await reset()).body.status, PATIENCE).toBe('ok');
  expect(arm().latched).toBe(false);
});

/** Why the arm is stopped, as its record on disk says it. */
function onDisk(): string | null {
  const state = join(folder, 'state');
  const file = readdirSync(state).find((name) => /^arm-.*json$/.test(name))!;
  return JSON.parse(readFileSync(join(state, file), 'utf8')).stopped;
}

test('a stop is on disk before it is answered, although the main thread is busy; a reset takes it off', async () => {
  await expect.poll(async () => (await reset()).body.status, PATIENCE).toBe('ok');
  expect(onDisk()).toBe(null);
  whileBusy(`
    const headers = ${JSON.stringify(AUTHORISED)};
    fetch('http://127.0.0.1:${stopPort}/stop', { method: 'POST', headers })
      .then((answer) => answer.text());`);
  expect(onDisk()).toMatch(/^POST \/stop by .*HTTP client/);
  await expect.poll(async () => (await reset()).body.status, PATIENCE).toBe('ok');
  expect(onDisk()).toBe(null);
});

/** Says something over a WebSocket of the stop. @returns its first answer */
function say(text: string, headers: Record<string, string> = AUTHORISED): Promise<object> {
  const socket = new WebSocket(`ws://127.0.0.1:${stopPort}/api/v1/stop`, { headers });
  return new Promise((resolve, reject) => {
    socket.on('open', () => socket.send(text));
    socket.on('message', (data) => {
      resolve(JSON.parse(String(data)));
      socket.close();
    });
    socket.on('error', reject);
  });
}

test('a stop over a WebSocket of that port is heard while the main thread is busy', async () => {
  const said = whileBusy(`
    const { WebSocket } = require(${JSON.stringify(createRequire(import.meta.url).resolve('ws'))});
    const socket = new WebSocket('ws://127.0.0.1:${stopPort}/api/v1/stop', { headers: ${JSON.stringify(AUTHORISED)} });
    socket.on('open', () => socket.send('{"type": "stop"}'));
    socket.on('message', (data) => { console.log(String(data)); socket.close(); });`);
  expect(said.trim()).toBe('{"type":"stop","status":"ok","message":"Stopped: arm (robot 0)."}');
  expect(stopLine.sent.stopped!.safeParse(JSON.parse(said)).success).toBe(true);
  expect(arm().latched).toBe(true);
  expect(onDisk()).toMatch(/^a stop on its WebSocket by /);
  await expect.poll(async () => (await reset()).body.status, PATIENCE).toBe('ok');
});

test('a WebSocket there hears nothing else, and is refused to whoever is refused otherwise', async () => {
  const refused = stopLine.sent.refused!.safeParse(await say('{"type": "jog"}'));
  expect(refused).toMatchObject({ success: true, data: { type: 'refused' } });
  expect(arm().latched).toBe(false);
  await expect(say('{"type": "stop"}', {})).rejects.toThrow(/401/);
  await expect(say('{"type": "stop"}', { ...AUTHORISED, origin: 'http://evil.example' })).rejects.toThrow(/403/);
  expect(arm().latched).toBe(false);
  // Some clients offer HTTP/2 with every request.
  expect(await ask('POST', '/stop', { ...AUTHORISED, connection: 'upgrade', upgrade: 'h2c' })).toMatchObject({
    status: 200,
    body: { status: 'ok' },
  });
  await expect.poll(async () => (await reset()).body.status, PATIENCE).toBe('ok');
});

test('the port of the stop stops one arm or all, and answers nothing else', async () => {
  expect((await ask('POST', '/api/v1/stop?robot_id=0')).body).toMatchObject({ status: 'ok', robots: [0] });
  expect(arm().latched).toBe(true);
  await expect.poll(async () => (await reset()).body.status, PATIENCE).toBe('ok');
  expect((await ask('POST', '/stop?arm=leader')).status).toBe(400);
  expect(await ask('POST', '/stop?robot_id=7')).toMatchObject({
    status: 400,
    body: { detail: 'Robot ID "7" is unknown. Known ids: 0.' },
  });
  const programs = { ...AUTHORISED, accept: 'application/problem+json' };
  expect((await ask('POST', '/stop?robot_id=7', programs)).body).toMatchObject({ code: 'unknown_arm', status: 400 });
  expect((await ask('POST', '/stop', AUTHORISED, stopPort, '{"a": 1}')).headers.connection).toBe('close');
  await expect.poll(async () => (await reset()).body.status, PATIENCE).toBe('ok');
  expect(await ask('GET', '/stop')).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  expect((await ask('POST', '/stop/reset')).status).toBe(404);
  expect((await ask('GET', '/')).status).toBe(404);
  expect(arm().latched).toBe(false);
});

test('every answer of that port has the id of its request, and a stop is obeyed whatever its request expects', async () => {
  const exchange = async (text: string): Promise<string> => {
    const socket = connect(stopPort, '127.0.0.1').setEncoding('latin1');
    let answer = '';
    socket.on('data', (part) => {
      answer += part;
    });
    socket.write(text);
    await once(socket, 'close');
    return answer;
  };
  const stop = (more: string) =>
    exchange(
      `POST /stop HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${AUTHORISED.authorization}\r\nConnection: close\r\n${more}\r\n`,
    );
  const upgrade = 'GET /api/v1/stop HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
  const body = 'Content-Length: 1000000\r\n';
  for (const [status, answer] of [
    [200, await stop('Expect: x\r\n')],
    // No body is asked for.
    [200, await stop(`Expect: 100-continue\r\n${body}`)],
    [400, await exchange('POST /stop HTTP/1.1\r\n\r\n')],
    [400, await exchange('hello\r\n\r\n')],
    [401, await exchange('POST /stop HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')],
    [401, await exchange(`${upgrade}\r\n`)],
    [431, await exchange(`POST /stop HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`)],
  ] as const) {
    const [head = '', told = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/^x-content-type-options: nosniff$/im);
    const [, id] = /^x-request-id: (\S+)$/im.exec(head) ?? [];
    expect([head, id]).toEqual([head, expect.any(String)]);
    if (status >= 400) expect(JSON.parse(told)).toMatchObject({ request_id: id });
  }
  await expect.poll(async () => (await reset()).body.status, PATIENCE).toBe('ok');
});

test('who is refused by the bridge is refused there, and its own page is not', async () => {
  expect((await ask('POST', '/stop', {})).status).toBe(401);
  expect((await ask('POST', '/stop', { ...AUTHORISED, host: 'evil.example' })).status).toBe(403);
  expect((await ask('POST', '/stop', { ...AUTHORISED, origin: 'http://evil.example' })).status).toBe(403);
  // A page that another program of this computer serves.
  expect((await ask('POST', '/stop', { ...AUTHORISED, origin: `http://localhost:${stopPort}` })).status).toBe(403);
  expect(arm().latched).toBe(false);
  const origin = `http://127.0.0.1:${port}`;
  const opened = await ask(
    'POST',
    '/api/v1/session',
    { 'content-type': 'application/json', origin },
    port,
    JSON.stringify({ token: TOKEN }),
  );
  expect(opened.status).toBe(200);
  const cookie = String(opened.headers['set-cookie']).split(';')[0]!;
  const mine = await ask('POST', '/stop', { cookie, origin });
  expect(mine.body).toMatchObject({ status: 'ok' });
  expect(mine.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
  });
  await expect.poll(async () => (await reset()).body.status, PATIENCE).toBe('ok');
  expect((await ask('POST', '/stop', { cookie, origin: 'http://127.0.0.1:1' })).status).toBe(403);
  const socket = new WebSocket(`ws://127.0.0.1:${stopPort}/api/v1/stop`, { headers: { cookie } });
  await once(socket, 'open');
  const closed = once(socket, 'close');
  await ask('DELETE', '/api/v1/session', { cookie, origin }, port);
  await closed;
  await expect.poll(async () => (await ask('POST', '/stop', { cookie, origin })).status, PATIENCE).toBe(401);
});
