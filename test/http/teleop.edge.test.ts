import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { listen } from '../../src/http/app.ts';
import { buildApp, type FakeServices, fakeServices } from './fakes.ts';

const BODY = { x: 10, y: -20, z: 30, rx: 90, ry: 45, rz: -30, open: 0.5 };

let services: FakeServices;
let app: FastifyInstance;
function build(options: Parameters<typeof fakeServices>[0] = {}): void {
  services = fakeServices(options);
  app = buildApp(services);
}
afterEach(() => app.close());

test('a WebSocket takes the same messages, tells what it refuses and how many it took, and lets go at its end', async () => {
  build();
  const { port } = await listen(app, services.config, null);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/move/teleop/ws`);
  // biome-ignore lint/suspicious/noExplicitAny: frames are checked field by field
  const frames: any[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  await once(socket, 'open');
  socket.send(JSON.stringify(BODY));
  socket.send(JSON.stringify({ ...BODY, source: 'left' }));
  for (const wrong of ['{', '[]', '{"x": NaN}', JSON.stringify({ ...BODY, open: 2 })]) socket.send(wrong);
  await vi.waitFor(() => expect(frames).toHaveLength(4));
  for (const frame of frames) expect(frame).toMatchObject({ status: 'error', message: expect.any(String) });
  expect(frames[3].message).toMatch(/open/);
  expect(services.teleoperation.fed.map(({ arm }) => arm)).toEqual(['leader', 'follower']);
  await vi.waitFor(
    () => {
      socket.send(JSON.stringify(BODY));
      expect(frames.at(-1).nb_actions_received).toBeGreaterThanOrEqual(3);
    },
    { timeout: 10_000, interval: 100 },
  );
  socket.terminate();
  await vi.waitFor(() => expect(services.teleoperation.left).toHaveLength(2));
  const senders = services.teleoperation.fed.map(({ sender }) => sender);
  expect(new Set(services.teleoperation.left)).toEqual(new Set(senders));
});

test('who may not move arms gets no WebSocket, nor does one who names an arm that is not there', async () => {
  build({ token: 'c'.repeat(32), readToken: 'r'.repeat(32) });
  const { port } = await listen(app, services.config, services.tokens);
  const refused = async (headers: Record<string, string>, query = '') => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/move/teleop/ws${query}`, { headers });
    socket.on('error', () => {});
    const [, response] = await once(socket, 'unexpected-response');
    socket.terminate();
    return response.statusCode;
  };
  const control = { authorization: `Bearer ${'c'.repeat(32)}` };
  expect(await refused({})).toBe(401);
  expect(await refused({ authorization: `Bearer ${'r'.repeat(32)}` })).toBe(403);
  expect(await refused({ ...control, origin: 'http://example.com' })).toBe(403);
  expect(await refused(control, '?robot_id=7')).toBe(400);
  const hands = Array.from(
    { length: 16 },
    () => new WebSocket(`ws://127.0.0.1:${port}/move/teleop/ws`, { headers: control }),
  );
  await Promise.all(hands.map((hand) => once(hand, 'open')));
  const headers = { ...control, accept: 'application/problem+json' };
  const further = new WebSocket(`ws://127.0.0.1:${port}/move/teleop/ws`, { headers });
  further.on('error', () => {});
  const [, response] = await once(further, 'unexpected-response');
  expect(response.headers).toMatchObject({ 'retry-after': '1', 'content-type': 'application/problem+json' });
  let told = '';
  for await (const chunk of response) told += chunk;
  expect(JSON.parse(told)).toMatchObject({ status: 503, code: 'unavailable' });
  for (const hand of hands) hand.terminate();
  expect(await refused(control, '?robot_id=x')).toBe(422);
});
