import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { z } from 'zod';
import { listen } from '../../src/http/app.ts';
import { TOPICS } from '../../src/http/live/protocol.ts';
import { CHANNELS } from '../../src/http/routes/index.ts';
import { stopLine } from '../../src/http/routes/live.ts';
import { buildApp, fakeServices } from './fakes.ts';

interface Description {
  readonly asyncapi: string;
  readonly info: { readonly version: string };
  readonly servers: Readonly<Record<'bridge' | 'stops', { readonly host: string; readonly protocol: string }>>;
  readonly channels: Readonly<
    Record<
      string,
      {
        readonly address: string;
        readonly servers: readonly { readonly $ref: string }[];
        readonly messages: Readonly<Record<string, { payload: object }>>;
      }
    >
  >;
  readonly operations: Readonly<
    Record<string, { readonly action: string; readonly messages: readonly { readonly $ref: string }[] }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

async function described(): Promise<Description> {
  const app = buildApp(fakeServices());
  const reply = await app.inject({ url: '/asyncapi.json', headers: { host: 'localhost:8020' } });
  await app.close();
  return reply.json() as Description;
}

test('every WebSocket is described as AsyncAPI 3, with the messages of both sides, by the schemas of OpenAPI', async () => {
  const { asyncapi, info, servers, channels, operations, components } = await described();
  expect([asyncapi, info.version]).toEqual(['3.0.0', '0.1.0']);
  expect(servers.bridge).toMatchObject({ host: 'localhost:8020', protocol: 'ws' });
  expect(servers.stops).toMatchObject({ host: 'localhost:{port}', protocol: 'ws' });
  expect(Object.keys(channels)).toHaveLength(CHANNELS.length + 1);
  for (const { id, path, received, sent } of [...CHANNELS, stopLine]) {
    expect(channels[id]!.address).toBe(path);
    expect(channels[id]!.servers).toEqual([{ $ref: `#/servers/${id === 'stop' ? 'stops' : 'bridge'}` }]);
    const names = [...Object.keys(received), ...Object.keys(sent)];
    expect(Object.keys(channels[id]!.messages)).toEqual(names);
    const directions = { receive: received, send: sent };
    for (const [action, messages] of Object.entries(directions)) {
      const refs = Object.keys(messages).map((name) => ({ $ref: `#/channels/${id}/messages/${name}` }));
      expect(operations[`${id}_${action}`]).toMatchObject({ action, messages: refs });
    }
  }
  const text = JSON.stringify({ channels, operations, components });
  const known = new Set(Object.keys(components.schemas));
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) expect(known).toContain(name);
});

test('what is sent over the WebSockets is what their descriptions say, and what they take is taken', async () => {
  const services = fakeServices();
  services.log.add('{"level":30,"time":"2026-01-02T03:04:05.500Z","msg":"follower is ready"}');
  const origin = { who: 'somebody', from: 'this computer', what: 'POST /stop', request: null };
  services.arms.journal.record('stop', null, origin, 'done');
  const { scene } = services.simulation;
  scene.seen('follower', new Float64Array(7 * scene.of('follower').length));
  const app = buildApp(services);
  const { port } = await listen(app, services.config, null);
  for (const { path, sent } of CHANNELS) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
    const got: unknown[] = [];
    socket.on('message', (data) => got.push(JSON.parse(String(data))));
    await once(socket, 'open');
    socket.send('{');
    socket.send(JSON.stringify({ type: 'subscribe', topics: TOPICS, rate: 100 }));
    const rest = Array.from({ length: 6 }, () => 0);
    socket.send(JSON.stringify({ type: 'chunk', arm: 0, positions: [rest, rest], times: [0.1, 0.2] }));
    socket.send(JSON.stringify({ type: 'jog', arm: 9, joints: {} }));
    socket.send(JSON.stringify({ type: 'stop' }));
    const seen = new Set<string>();
    const schemas = Object.entries(sent) as [string, z.ZodType][];
    await vi.waitFor(
      () => {
        for (const message of got.splice(0)) {
          const fits = schemas.filter(([, schema]) => schema.safeParse(message).success).map(([name]) => name);
          expect([path, message, fits.length > 0]).toEqual([path, message, true]);
          for (const name of fits) seen.add(name);
        }
        // A report comes while messages are followed alone.
        const missing = schemas.filter(([name]) => name !== 'report' && !seen.has(name)).map(([name]) => name);
        expect([path, missing]).toEqual([path, []]);
      },
      { timeout: 20_000 },
    );
    socket.terminate();
  }
  await app.close();
});
