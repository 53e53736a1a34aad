import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { buildApp, type FakeArm, fakeServices } from './fakes.ts';

const services = fakeServices();
const app = buildApp(services);
afterEach(() => app.close());

test('a client of the live stream is told of an arm that is added', async () => {
  await app.listen({ port: 0 });
  const { port } = app.server.address() as { port: number };
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/live`);
  const hellos: string[][] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.type === 'hello') hellos.push(message.arms.map(({ name }: { name: string }) => name));
  });
  await expect.poll(() => hellos.length, { timeout: 20_000 }).toBe(1);
  await services.connections.connect({
    name: 'so101',
    device: null,
    serialNumber: null,
    bus: null,
    variant: null,
  });
  await expect
    .poll(() => hellos, { timeout: 20_000 })
    .toEqual([
      ['leader', 'follower'],
      ['leader', 'follower', 'so101_2'],
    ]);
  expect((await app.inject('/status')).json().arms.map(({ id }: FakeArm) => id)).toEqual([0, 1, 2]);
  socket.terminate();
});
