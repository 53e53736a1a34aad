import { createSocket, type Socket } from 'node:dgram';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { listen } from '../../src/http/app.ts';
import { DatagramPort } from '../../src/http/datagrams.ts';
import { buildApp, type FakeServices, fakeServices } from './fakes.ts';

const BODY = { x: 1, y: 2, z: 3, rx: 0, ry: 0, rz: 0, open: 0.5, timestamp: null };

let services: FakeServices;
let app: FastifyInstance;
let socket: Socket;
/** What the sender is told. */
// biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field
let told: any[];
let url: string;

async function build(options: Parameters<typeof fakeServices>[0] = {}): Promise<void> {
  services = fakeServices(options);
  app = buildApp(services);
  const { port } = await listen(app, services.config, services.tokens);
  url = `http://127.0.0.1:${port}`;
  told = [];
  socket = createSocket('udp4');
  socket.on('message', (data) => told.push(JSON.parse(String(data))));
}
afterEach(async () => {
  socket.close();
  await app.close();
});

const open = async (headers: Record<string, string> = {}) => {
  const answer = await fetch(`${url}/move/teleop/udp`, { method: 'POST', headers });
  return { status: answer.status, ...((await answer.json()) as { host: string; port: number; secret: string }) };
};

test('a datagram with the secret leads an arm, one without it or with another moves nothing and is told nothing', async () => {
  await build();
  const { host, port, secret } = await open();
  expect(host).toBe('127.0.0.1');
  const send = (body: object) => socket.send(JSON.stringify(body), port, host);
  send(BODY);
  send({ ...BODY, secret: `${secret}x` });
  send({ ...BODY, secret, source: 'left' });
  await vi.waitFor(() => expect(services.teleoperation.fed.map(({ arm }) => arm)).toEqual(['follower']));
  expect(told).toEqual([]);
  // It is the same port until it is stopped, and then another secret.
  expect(await open()).toMatchObject({ port, secret });
  expect((await fetch(`${url}/move/teleop/udp/stop`, { method: 'POST' })).status).toBe(200);
  const next = await open();
  expect(next.secret).not.toBe(secret);
  socket.send(JSON.stringify({ ...BODY, secret }), next.port, next.host);
  socket.send(JSON.stringify({ ...BODY, secret: next.secret }), next.port, next.host);
  await vi.waitFor(() => expect(services.teleoperation.fed).toHaveLength(2));
});

test('the port may be asked for twice at once, and be stopped while it is being opened', async () => {
  await build();
  const [first, second] = await Promise.all([open(), open()]);
  expect(first.status).toBe(200);
  expect(second).toEqual(first);
  const ports = new DatagramPort(systemClock);
  const place = ports.start('127.0.0.1', { owner: 'ada', asker: '127.0.0.1', take: () => {} }, () => {});
  await Promise.resolve();
  ports.close();
  await expect(place).rejects.toMatchObject({ status: 503 });
});

test('clients that ask at two addresses of the computer have a port at each', async () => {
  await build();
  const ports = new DatagramPort(systemClock);
  const heard: string[] = [];
  const askAt = (host: string) =>
    ports.start(host, { owner: host, asker: '127.0.0.1', take: () => {} }, (text) => void heard.push(text));
  const places = [await askAt('127.0.0.1'), await askAt('127.0.0.2')];
  expect(places.map(({ host }) => host)).toEqual(['127.0.0.1', '127.0.0.2']);
  await expect(askAt('203.0.113.1')).rejects.toMatchObject({ status: 503 });
  for (const { host, port } of places) socket.send(`to ${host}`, port, host);
  await vi.waitFor(() => expect(heard.sort()).toEqual(['to 127.0.0.1', 'to 127.0.0.2']));
  ports.close();
});

test('each client that asks for the port acts for itself, and only its own secret goes with it', async () => {
  await build({ token: 'c'.repeat(32) });
  const { named } = services;
  const tokens = ['ada', 'ben'].map((name) => named.add(name, 'control', 0));
  const [ada, ben] = await Promise.all(tokens.map((token) => open({ authorization: `Bearer ${token}` })));
  expect(ben!.port).toBe(ada!.port);
  expect(ben!.secret).not.toBe(ada!.secret);
  expect((await open({ authorization: `Bearer ${tokens[0]}` })).secret).toBe(ada!.secret);
  const send = (secret: string) => socket.send(JSON.stringify({ ...BODY, secret }), ada!.port, ada!.host);
  const owners = () => services.teleoperation.fed.map(({ owner }) => owner);
  send(ada!.secret);
  send(ben!.secret);
  send(ada!.secret);
  // Ada has the arm.
  await vi.waitFor(() => expect(owners()).toEqual(['token ada', 'token ada']), 20_000);
  await vi.waitFor(() => expect(told).toHaveLength(1));
  expect(told).toEqual([{ error: 'refused', detail: expect.stringContaining('is driven by token ada') }]);
  const [refused] = services.arms.journal.list({ act: 'motion', limit: 10 });
  expect(refused).toMatchObject({ who: 'token ben', what: 'POST /move/teleop/udp', outcome: 'refused' });
  const arm = services.arms.all.find(({ owner }) => owner !== null)!;
  arm.owner = null;
  send(ben!.secret);
  await vi.waitFor(() => expect(owners().slice(2)).toEqual(['token ben']), 20_000);
  expect(new Set(services.teleoperation.fed.map(({ sender }) => sender)).size).toBe(2);
  named.revoke('ben');
  arm.owner = null;
  send(ben!.secret);
  send(ada!.secret);
  await vi.waitFor(() => expect(owners().slice(3)).toEqual(['token ada']), 20_000);
});

test('of more clients than may send, the longest silent gives way', async () => {
  await build();
  const asked = (name: string) => open({ 'x-arm-bridge-client': name });
  const first = await asked('client 0');
  for (let i = 1; i < 16; i++) await asked(`client ${i}`);
  expect((await asked('client 0')).secret).toBe(first.secret);
  await asked('client 16');
  expect((await asked('client 0')).secret).toBe(first.secret);
});

// As on "::", the bridge sees the address of the client with the prefix of IPv6.
test.each(['127.0.0.1', '::ffff:127.0.0.1'])(
  'a datagram leads nothing once the token that has opened the port is revoked, and its sender is removed, at %s',
  async (host) => {
    await build({ token: 'c'.repeat(32), config: { host } });
    const { named } = services;
    const [bench, lab] = await Promise.all(
      ['bench', 'lab'].map((name) => open({ authorization: `Bearer ${named.add(name, 'control', 0)}` })),
    );
    const send = ({ host, port, secret }: typeof bench & object, message = {}) =>
      socket.send(JSON.stringify({ ...BODY, secret, ...message }), port, host);
    const led = (count: number) => vi.waitFor(() => expect(services.teleoperation.fed).toHaveLength(count), 20_000);
    send(bench!);
    await led(1);
    named.revoke('bench');
    for (const arm of services.arms.all) arm.owner = null;
    send(bench!);
    // Comes after it.
    send(lab!);
    await led(2);
    expect(services.teleoperation.fed.map(({ owner }) => owner)).toEqual(['token bench', 'token lab']);
    await fetch(`${url}/move/teleop/udp/stop`, {
      method: 'POST',
      headers: { authorization: `Bearer ${'c'.repeat(32)}` },
    });
    const left = services.teleoperation.left.map(String);
    expect(left.filter((sender) => sender.includes('lab'))).toHaveLength(2);
    expect(left.filter((sender) => sender.includes('bench'))).toEqual([]);
  },
);

test('programs of phosphobot, which know no secret, lead an arm from this computer where no token is needed at all', async () => {
  await build({ config: { dialect: 'phosphobot' } });
  const { host, port } = await open();
  for (const [text, error] of [
    ['{', 'invalid_json'],
    ['{"x": []}', 'validation_error'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'invalid_encoding'],
  ] as const) {
    told.length = 0;
    socket.send(text, port, host);
    await vi.waitFor(() => expect(told).toEqual([{ error, detail: expect.any(String) }]), 5000);
  }
  await vi.waitFor(() => {
    socket.send(JSON.stringify(BODY), port, host);
    expect(told.some(({ nb_actions_received: count }) => count > 1)).toBe(true);
  }, 5000);
  await app.close();
  await build({ config: { dialect: 'phosphobot' }, token: 'c'.repeat(32) });
  expect((await open()).status).toBe(401);
  const place = await open({ authorization: `Bearer ${'c'.repeat(32)}` });
  socket.send(JSON.stringify(BODY), place.port, place.host);
  socket.send(JSON.stringify({ ...BODY, secret: place.secret }), place.port, place.host);
  await vi.waitFor(() => expect(services.teleoperation.fed).toHaveLength(1));
});
