import { once } from 'node:events';
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { listen } from '../../src/http/app.ts';
import { Limits } from '../../src/http/limits.ts';
import { MOST_WAITING } from '../../src/http/live/hub.ts';
import { buildApp, type FakeArm, type FakeServices, fakeServices } from './fakes.ts';

vi.setConfig({ testTimeout: 30_000 });
const PATIENCE = { timeout: 20_000 };

// biome-ignore lint/suspicious/noExplicitAny: frames are checked field by field
type Frame = any;

let services: FakeServices;
let app: FastifyInstance;
let port: number;
const clients: Client[] = [];

/** A client that keeps what it is sent. */
class Client {
  readonly frames: Frame[] = [];
  readonly socket: WebSocket;

  constructor(headers: Record<string, string> = {}, path = '/api/v1/live') {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
    this.socket.on('message', (data) => this.frames.push(JSON.parse(String(data))));
    this.socket.on('error', () => {});
    clients.push(this);
  }

  async opened(): Promise<this> {
    await this.first('hello');
    return this;
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  async first(type: string, matches: (frame: Frame) => boolean = () => true): Promise<Frame> {
    return vi.waitFor(() => {
      const frame = this.frames.find((candidate) => candidate.type === type && matches(candidate));
      if (frame === undefined) throw new Error(`no frame "${type}" yet`);
      return frame;
    }, PATIENCE);
  }

  async refused(): Promise<number> {
    const [, response] = await once(this.socket, 'unexpected-response');
    return response.statusCode;
  }
}

beforeEach(async () => {
  services = fakeServices();
  app = buildApp(services);
  ({ port } = await listen(app, services.config, null));
});
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.terminate();
  await app.close();
});

test('a client is told what there is, then what changes, in SI units', async () => {
  const arm = services.arms.all[1]!;
  arm.positions.set([0.5, -0.25, 0, 0, 0, Number.NaN]);
  arm.activity = { kind: 'trajectory', progress: 0.25 };
  const client = await new Client().opened();
  const hello = await client.first('hello');
  expect(hello).toMatchObject({ version: '0.1.0', scopes: ['read', 'control'] });
  expect(hello.arms[1]).toMatchObject({ id: 1, name: 'follower', model: 'so101', base_link: 'base_link' });
  expect(hello.arms[1].joints[1]).toEqual({
    name: 'shoulder_lift',
    role: 'shoulder_lift',
    lower: -1.6,
    upper: 1.6,
    velocity: 1.5,
    torque_limit: 1.5,
    unit: 'rad',
    travel: [1.6, -1.6],
    turned: false,
    servos: [{ id: 2, model: 'STS3215' }],
  });
  expect(hello.arms[1].alarms).toMatchObject({ 1: 'supply voltage out of range', 4: 'too hot' });
  const frame = await client.first('arms');
  expect(Math.abs(frame.t - Date.now() / 1000)).toBeLessThan(30);
  expect(frame.arms[1]).toMatchObject({ id: 1, state: 'ready', owner: null, torque: true, reason: '' });
  expect(frame.arms[1].motion).toEqual({ kind: 'trajectory', progress: 0.25 });
  expect(frame.arms[1].joints.position).toEqual([0.5, -0.25, 0, 0, 0, null]);
  // Half a pose is none.
  expect(frame.arms[1].tool).toBeNull();
  expect(frame.arms[0].tool).toEqual({ position: [0, 0, 0], orientation: [0, 0, 0, 1] });
  expect(await client.first('loop')).toMatchObject({ cycles: 12, ros: { enabled: false } });
  expect(await client.first('pairs')).toMatchObject({ active: false, pairs: [] });
});

test('a client gets the topics it asks for, and the lines of the log once', async () => {
  services.log.add('{"level":40,"time":"2026-01-02T03:04:05.500Z","msg":"follower: warm"}');
  const client = await new Client().opened();
  client.send({ type: 'subscribe', topics: ['log'], rate: 100 });
  expect((await client.first('log')).lines).toEqual([{ time: 1767323045.5, level: 'warn', message: 'follower: warm' }]);
  // Messages are taken in their order: once this one is refused, the subscription before it holds.
  client.socket.send('{');
  await client.first('refused');
  client.frames.length = 0;
  services.log.add('{"level":50,"time":"2026-01-02T03:04:06.000Z","msg":"failed","err":{"message":"of this"}}');
  const second = await client.first('log', ({ lines }) => lines[0].level === 'error');
  expect(second.lines).toEqual([{ time: 1767323046, level: 'error', message: 'failed: of this' }]);
  expect(client.frames.filter(({ type }) => type !== 'log')).toEqual([]);
});

test('what is no message of the protocol is refused by name, and the connection goes on', async () => {
  const client = await new Client().opened();
  for (const [sent, reason] of [
    ['{', /no JSON/],
    ['{"type":"dance"}', /type/],
    ['{"type":"subscribe","rate":201}', /rate/],
    ['{"type":"subscribe","topics":["arms","weather"]}', /topics\.1/],
    ['{"type":"jog","arm":1,"joints":{"elbow_flex":1e999}}', /joints\.elbow_flex/],
    ['{"type":"jog","arm":1}', /either "joints" or a "twist"/],
    ['{"type":"jog","arm":7,"joints":{}}', /Robot ID 7 is unknown\. Known ids: 0, 1/],
    ['{"type":"jog","arm":1,"joints":{"knee":1}}', /no joint "knee", only shoulder_pan/],
    ['{"type":"joints","arm":1}', /positions/],
    ['{"type":"joints","arm":1,"positions":{}}', /"positions" names no joint/],
    ['{"type":"joints","arm":1,"positions":{"knee":1}}', /no joint "knee", only shoulder_pan/],
    ['{"type":"joints","arm":7,"positions":{"elbow_flex":1}}', /Robot ID 7 is unknown/],
  ] as const) {
    client.frames.length = 0;
    client.socket.send(sent);
    expect((await client.first('refused')).reason).toMatch(reason);
  }
  expect(services.jogging.fed).toEqual([]);
});

test('jogging goes on only while its client sends, with a time-out of 0.2 s, and ends with the connection', async () => {
  const client = await new Client().opened();
  client.send({ type: 'jog', arm: 1, joints: { elbow_flex: -0.5 } });
  client.send({ type: 'jog', arm: 0, twist: { linear: [0.1, 0, 0], angular: [0, 0, 1], frame: 'tool' } });
  await vi.waitFor(() => expect(services.jogging.fed).toHaveLength(2), PATIENCE);
  expect(services.jogging.fed).toEqual([
    { arm: 'follower', timeout: 0.2, velocity: { kind: 'joints', velocities: Float64Array.of(0, 0, -0.5, 0, 0, 0) } },
    {
      arm: 'leader',
      timeout: 0.2,
      velocity: { kind: 'twist', twist: Float64Array.of(0.1, 0, 0, 0, 0, 1), frame: 'tool' },
    },
  ]);
  client.socket.terminate();
  await vi.waitFor(() => expect(services.jogging.stopped.sort()).toEqual(['follower', 'leader']), PATIENCE);
});

test('goals of joints are followed with a time-out of 0.2 s, and end with the connection', async () => {
  const client = await new Client().opened();
  client.send({ type: 'joints', arm: 1, positions: { elbow_flex: -0.5, gripper: 1 } });
  await vi.waitFor(() => expect(services.streams.fed).toHaveLength(1), PATIENCE);
  expect(services.streams.fed).toEqual([
    { arm: 'follower', goals: { elbow_flex: -0.5, gripper: 1 }, stream: { timeout: 0.2, reapproach: true } },
  ]);
  client.socket.terminate();
  await vi.waitFor(() => expect(services.streams.stopped).toEqual(['follower']), PATIENCE);
});

test('a stop stops all arms, says so, and passes the limit that other messages meet', async () => {
  const client = await new Client().opened();
  const allows = vi.spyOn(Limits.prototype, 'allows').mockReturnValue(false);
  client.send({ type: 'subscribe', topics: [] });
  expect((await client.first('refused')).reason).toMatch(/too many messages/);
  client.send({ type: 'stop' });
  expect(await client.first('stop')).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/^Stopped: leader/),
  });
  for (const arm of services.arms.all) expect(arm.read().state).toBe('stopped');
  allows.mockRestore();
});

test('a client that sends stops and reads no answers is sent no more than it may keep waiting', async () => {
  const client = await new Client().opened();
  client.send({ type: 'subscribe', topics: ['asks'] });
  const waiting = vi.spyOn(WebSocket.prototype, 'bufferedAmount', 'get').mockReturnValue(MOST_WAITING);
  client.socket.send('{"type": "stop"}');
  await vi.waitFor(() => expect(services.arms.all[0]!.state).toBe('stopped'), PATIENCE);
  await new Promise((resolve) => setTimeout(resolve, 50));
  waiting.mockRestore();
  client.socket.send('{"type": "stop"}');
  await client.first('stop');
  expect(client.frames.filter(({ type }) => type === 'stop')).toHaveLength(1);
});

test('chunks are followed as their connection says, answered one by one, and left with the connection', async () => {
  const client = await new Client().opened();
  const chunk = { type: 'chunk', arm: 1, joints: ['gripper'], positions: [[0.1], [0.2]], times: [0.1, 0.2] };
  client.send(chunk);
  expect(await client.first('chunk')).toEqual({
    type: 'chunk',
    arm: 1,
    motion: 'rwa1c0-1',
    age: 0,
    kept: 2,
    skipped: 0,
    begins: 0.1,
    ends: 0.2,
    slowed: [],
    message: null,
  });
  expect(services.chunks.taken).toMatchObject([
    { arm: 'follower', chunk: { joints: ['gripper'], observed: null, latency: 2, blend: 0.2, deadMan: 5 } },
  ]);
  for (const [wrong, reason] of [
    [{ ...chunk, arm: 7 }, /Robot ID 7 is unknown\. Known ids: 0, 1/],
    [{ ...chunk, times: Array(501).fill(0) }, /times/],
    [{ ...chunk, positions: [['a'], [0]] }, /positions\.0\.0/],
  ] as const) {
    client.frames.length = 0;
    client.send(wrong);
    expect((await client.first('refused')).reason).toMatch(reason);
  }
  services.arms.all[1]!.owner = { key: 'other', name: 'somebody' };
  client.frames.length = 0;
  client.send(chunk);
  expect(await client.first('refused')).toMatchObject({
    request: 'chunk',
    arm: 1,
    reason: expect.stringMatching(/driven by somebody/),
  });
  expect(services.chunks.taken).toHaveLength(1);
  client.socket.close();
  await vi.waitFor(() => expect(services.chunks.left).toEqual([services.chunks.taken[0]!.sender]), PATIENCE);
});

test('an arm that somebody else drives or jogs is not jogged', async () => {
  services.arms.all[0]!.owner = { key: 'mirror', name: 'mirroring' };
  const first = await new Client().opened();
  first.send({ type: 'jog', arm: 0, joints: {} });
  expect(await first.first('refused')).toMatchObject({
    request: 'jog',
    arm: 0,
    reason: 'arm leader is driven by mirroring',
  });
  const second = await new Client().opened();
  // Both at once, so that the turn of the first has not passed: the order on one server is that of arrival.
  first.send({ type: 'jog', arm: 1, joints: {} });
  await vi.waitFor(() => expect(services.jogging.fed).toHaveLength(1), PATIENCE);
  for (let i = 0; i < 3; i++) {
    first.send({ type: 'jog', arm: 1, joints: {} });
    second.send({ type: 'jog', arm: 1, joints: {} });
  }
  expect((await second.first('refused')).reason).toBe('arm follower is driven by another client');
});

test('a client that does not read loses frames, and the others do not', async () => {
  // Frames of many arms with long reasons, so that the buffers of the system are soon full.
  const [arm] = services.arms.all;
  arm!.reason = 'x'.repeat(400);
  (services.arms.all as FakeArm[]).push(...Array.from({ length: 30 }, () => arm!));
  const idle = await new Client().opened();
  idle.socket.pause();
  const reader = await new Client().opened();
  for (const { socket } of [idle, reader])
    socket.send(JSON.stringify({ type: 'subscribe', topics: ['arms'], rate: 100 }));
  await vi.waitFor(() => expect(reader.frames.length).toBeGreaterThan(300), { timeout: 28_000 });
  const before = idle.frames.length;
  idle.socket.resume();
  const newest = reader.frames.at(-1).t;
  await idle.first('arms', ({ t }) => t >= newest);
  expect(idle.frames.length - before).toBeLessThan(reader.frames.length);
});

test('foreign pages and names get no stream, and other upgrades are answered as if they had not been asked for', async () => {
  expect(await new Client({ origin: 'http://example.com' }).refused()).toBe(403);
  expect(await new Client({ host: 'example.com' }).refused()).toBe(403);
  expect(await new Client({}, '/status').refused()).toBe(200);
  expect(await new Client({}, '/nowhere').refused()).toBe(404);
  services.arms.all[1]!.initialised = true;
  const socket = connect(port, '127.0.0.1');
  const body = '{"x": 1}';
  socket.write(
    'POST /move/absolute?robot_id=1 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings, close\r\n' +
      `Upgrade: h2c\r\nHTTP2-Settings: AAAA\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n` +
      body.slice(0, 3),
  );
  await vi.waitFor(() => expect(socket.bytesWritten).toBeGreaterThan(0), PATIENCE);
  socket.end(body.slice(3));
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*"status":"ok"/);
  expect(services.motion.moves[0]!.move).toMatchObject({ x: 0.01 });
});

test('the same frames come as server-sent events', async () => {
  const controller = new AbortController();
  const reply = await fetch(`http://127.0.0.1:${port}/api/v1/live?topics=arms&rate=100`, {
    headers: { accept: 'text/event-stream' },
    signal: controller.signal,
  });
  expect(reply.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of reply.body!) {
    text += decoder.decode(chunk, { stream: true });
    if (text.split('\n\n').length > 4) break;
  }
  controller.abort();
  const events = text
    .split('\n\n')
    .slice(0, 3)
    .map((event) => event.split('\n'));
  expect(events.map(([name]) => name)).toEqual(['event: hello', 'event: arms', 'event: arms']);
  for (const [name, data] of events) expect(JSON.parse(data!.slice('data: '.length)).type).toBe(name!.slice(7));
  for (const [query, loc] of [
    ['topics=weather', 'topics'],
    ['rate=0', 'rate'],
    ['rate=1000', 'rate'],
    ['rate=fast', 'rate'],
  ]) {
    const refused = await app.inject(`/api/v1/live?${query}`);
    expect([refused.statusCode, refused.json().detail[0].loc]).toEqual([422, ['query', loc]]);
  }
});

test('the streams of a page end with its session', async () => {
  await app.close();
  const token = 'c'.repeat(32);
  services = fakeServices({ token });
  app = buildApp(services);
  ({ port } = await listen(app, services.config, services.tokens));
  const url = `http://127.0.0.1:${port}`;
  const opened = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const cookie = opened.headers.get('set-cookie')!.split(';', 1)[0]!;
  const page = await new Client({ cookie }).opened();
  const hand = new Client({ cookie }, '/move/teleop/ws');
  await once(hand.socket, 'open');
  const events = await fetch(`${url}/api/v1/live`, { headers: { cookie } });
  const other = await new Client({ authorization: `Bearer ${token}` }).opened();
  const closed = [page, hand].map(({ socket }) => once(socket, 'close'));
  expect((await fetch(`${url}/api/v1/session`, { method: 'DELETE', headers: { cookie } })).status).toBe(200);
  await Promise.all(closed);
  await expect(events.text()).rejects.toThrow();
  expect(other.socket.readyState).toBe(WebSocket.OPEN);
});

test('closing the bridge ends the streams', async () => {
  const client = await new Client().opened();
  const events = await fetch(`http://127.0.0.1:${port}/api/v1/live`);
  const closed = once(client.socket, 'close');
  await app.close();
  await closed;
  await expect(events.text()).rejects.toThrow();
});

test('the URDF of an arm is told by name; another method or name is refused', async () => {
  const reply = await app.inject('/api/v1/arms/follower/urdf');
  expect([reply.statusCode, reply.body]).toEqual([200, '<robot name="so101"></robot>']);
  expect(reply.headers['content-type']).toContain('text/xml');
  const unknown = await app.inject('/api/v1/arms/third/urdf');
  expect([unknown.statusCode, unknown.json().detail]).toEqual([
    404,
    'Arm "third" is unknown. Known arms: leader, follower.',
  ]);
  const wrong = await app.inject({ method: 'POST', url: '/api/v1/arms/follower/urdf' });
  expect([wrong.statusCode, wrong.headers.allow]).toEqual([405, 'GET, HEAD']);
});
