import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { configSchema } from '../../src/config/schema.ts';
import { Fleet } from '../../src/fleet/fleet.ts';

const PATIENCE = { timeout: 20_000, interval: 50 };
const servers: Server[] = [];
const fleets: Fleet[] = [];

afterEach(async () => {
  await Promise.all(fleets.splice(0).map((fleet) => fleet.end()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Something at a port; `answer` says what, null: nothing at all. */
async function served(answer: (request: IncomingMessage) => [number, string] | null): Promise<string> {
  const server = createServer((request, response) => {
    const told = answer(request);
    if (told !== null) response.writeHead(told[0], { 'content-type': 'application/json' }).end(told[1]);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const overview = (fields: object = {}) =>
  JSON.stringify({ id: 'x', name: 'bench-2', version: '0.1.0', stop_port: null, trouble: '', arms: [], ...fields });

function fleetOf(bridges: readonly string[], fields: object = {}): Fleet {
  const fleet = new Fleet(configSchema.shape.fleet.parse({ name: 'here', bridges, ...fields }), systemClock, () => {});
  fleets.push(fleet);
  fleet.begin({ host: '127.0.0.1', port: 1, secure: false });
  return fleet;
}

const statesOf = (fleet: Fleet) => fleet.neighbours.map(({ state, reason }) => [state, reason]);

test('a bridge that answers is told from one that refuses, one that is none, and one that is silent', async () => {
  const urls = [
    await served(() => [200, overview()]),
    await served(() => [401, '{"detail": "A token is needed."}']),
    await served(() => [200, '{"hello": "world"}']),
    await served(() => null),
  ];
  const fleet = fleetOf([...urls, 'http://127.0.0.1:1']);
  await expect
    .poll(() => statesOf(fleet), PATIENCE)
    .toEqual([
      ['answers', ''],
      ['refuses', 'A token is needed. (the token of fleet.token_file)'],
      ['refuses', 'it answers 200: it is no bridge, or one of another version'],
      ['silent', 'it has not answered within 1 s'],
      ['silent', 'nothing listens there: start its bridge'],
    ]);
});

test('this bridge is none of the others, although the list of addresses names it', async () => {
  let id = '';
  const url = await served(() => [200, overview({ id })]);
  const fleet = fleetOf([url]);
  id = fleet.id;
  await expect.poll(() => fleet.neighbours, PATIENCE).toEqual([]);
});

test('a stop says of each bridge whether it has confirmed it, and goes to its port for stops too', async () => {
  const stopped = '{"status": "ok", "message": "Stopped: arm (robot 0)."}';
  const alone = await served(({ method, url }) => [method === 'POST' && url === '/stop' ? 200 : 404, stopped]);
  const stopPort = Number(new URL(alone).port);
  const urls = [
    await served(({ method }) => (method === 'POST' ? null : [200, overview({ stop_port: stopPort })])),
    await served(({ method }) => [200, method === 'POST' ? '{"status": "error", "message": "It moves."}' : overview()]),
    'http://127.0.0.1:1',
  ];
  const fleet = fleetOf(urls);
  await expect
    .poll(() => fleet.neighbours.slice(0, 2).map(({ state }) => state), PATIENCE)
    .toEqual(['answers', 'answers']);
  const outcomes = (await fleet.stop()).map(({ ok, message }) => [ok, message]);
  expect(outcomes).toEqual([
    [true, 'Stopped: arm (robot 0).'],
    [false, 'It moves.'],
    [false, 'Not stopped: nothing listens there: start its bridge. Use its power switch.'],
  ]);
});

test('an answer that is too long, or that grows for ever, is given up', async () => {
  const fleet = fleetOf([await served(() => [200, overview({ name: 'x'.repeat(100_000) })])]);
  await expect.poll(() => statesOf(fleet), PATIENCE).toEqual([['silent', 'its answer is too long for a bridge']]);
});

test('a file that cannot be read is named', () => {
  const config = configSchema.shape.fleet.parse({ token_file: '/nowhere/token' });
  expect(() => new Fleet(config, systemClock, () => {})).toThrow(
    'fleet.token_file: /nowhere/token cannot be read (ENOENT).',
  );
});
