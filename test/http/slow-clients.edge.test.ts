import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectEncrypted } from 'node:tls';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { listen } from '../../src/http/app.ts';
import { SERVER } from '../../src/http/connections.ts';
import { readCertificate } from '../../src/http/tokens.ts';
import type { StopDesk } from '../../src/stop/stop-desk.ts';
import { StopServer } from '../../src/stop/stop-server.ts';
import { selfSigned } from '../support/certificate.ts';
import { buildApp, fakeServices } from './fakes.ts';

/** Clients that send their TLS hello, headers or body too slowly, on both ports. The times are a fiftieth of the real ones. */

vi.setConfig({ testTimeout: 30_000 });
const FASTER = 50;
/** Interval of a slow client's bytes, ms: less than any of the times. */
const DRIP = 10;

const real = { ...SERVER };
let folder: string;
let close = async (): Promise<void> => {};
/** Ports that speak HTTP, and that speak HTTPS. */
let plain: Record<string, number>;
let encrypted: Record<string, number>;
const services = fakeServices();

beforeAll(async () => {
  for (const name of ['handshakeTimeout', 'headersTimeout', 'requestTimeout', 'connectionsCheckingInterval'] as const) {
    SERVER[name] = real[name] / FASTER;
  }
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-slow-'));
  const { certificate, key } = selfSigned(folder, 'localhost');
  const secure = fakeServices({ config: { tls: { certificate, key } } });
  const apps = [buildApp(services), buildApp({ ...secure, certificate: readCertificate(secure.config) })];
  const ports = await Promise.all(apps.map(async (app) => (await listen(app, services.config, null)).port));
  const stop = (pem: { cert: Buffer; key: Buffer } | null): StopServer =>
    new StopServer(
      {
        config: services.config,
        tokens: null,
        state: join(folder, 'state'),
        certificate: pem,
        host: '127.0.0.1',
        port: 0,
        yields: true,
        pagePort: 8020,
        priority: null,
        loop: new SharedArrayBuffer(8),
        arms: [],
      },
      { stop: async () => ({ status: 'ok', message: 'Stopped.', robots: [] }) } as unknown as StopDesk,
      systemClock,
    );
  const stops = [stop(null), stop({ cert: readFileSync(certificate), key: readFileSync(key) })];
  const stopPorts = await Promise.all(stops.map((server) => server.listen()));
  plain = { main: ports[0]!, stop: stopPorts[0]! };
  encrypted = { main: ports[1]!, stop: stopPorts[1]! };
  close = async () => {
    await Promise.all(apps.map((app) => app.close()));
    for (const server of stops) server.close();
  };
});
afterAll(async () => {
  Object.assign(SERVER, real);
  await close();
  rmSync(folder, { recursive: true, force: true });
});

/** What a client is answered that sends its bytes one by one until the server ends the connection. */
async function answerTo(port: number, begin: string, drip: string, tls = false): Promise<string> {
  const socket = tls
    ? connectEncrypted({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (part) => {
    answer += part;
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await once(socket, tls ? 'secureConnect' : 'connect');
  socket.write(begin);
  const dripping = setInterval(() => socket.writable && drip !== '' && socket.write(drip), DRIP);
  await closed;
  clearInterval(dripping);
  return answer;
}

const HEAD = 'POST /stop HTTP/1.1\r\nHost: localhost\r\n';
const MOVE = 'POST /move/absolute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

test('the times for hello, headers and body are short', () => {
  expect(real.handshakeTimeout).toBeLessThanOrEqual(5000);
  expect(real.headersTimeout).toBeLessThanOrEqual(10_000);
  expect(real.requestTimeout).toBeLessThanOrEqual(20_000);
  expect(real.connectionsCheckingInterval).toBeLessThanOrEqual(5000);
});

test.each(['main', 'stop'])(
  'on the %s port, whoever never finishes a hello or headers loses the connection',
  async (port) => {
    const unsaid = (begin: string) => answerTo(encrypted[port]!, begin, '');
    const slow = [plain[port]!, encrypted[port]!].map((number) => {
      const tls = number === encrypted[port];
      return Promise.all([answerTo(number, `${HEAD}X-A: `, 'x', tls), answerTo(number, '', '', tls)]);
    });
    // The beginning of a TLS record with a hello, then nothing; and nothing at all.
    expect(await Promise.all([unsaid('\x16\x03\x01\x02\x00\x01'), unsaid('')])).toEqual(['', '']);
    for (const [dripping, silent] of await Promise.all(slow)) {
      expect(dripping).toMatch(/^HTTP\/1\.1 408 /);
      const [, id] = /^x-request-id: (\S+)$/im.exec(dripping) ?? [];
      expect(JSON.parse(dripping.split('\r\n\r\n')[1]!)).toEqual({
        detail: 'The request did not arrive in time.',
        request_id: id,
      });
      expect(silent).toMatch(/^HTTP\/1\.1 408 |^$/);
    }
  },
);

test('whoever never finishes a body loses the connection; an answer that takes its time does not', async () => {
  services.arms.all[0]!.initialised = true;
  let end = (): void => {};
  services.motion.hold = new Promise((resolve) => {
    end = resolve;
  });
  const patient = answerTo(plain.main!, `${MOVE}Connection: close\r\nContent-Length: 7\r\n\r\n{"x":1}`, '');
  await vi.waitFor(() => expect(services.motion.moves).toHaveLength(1), { timeout: 20_000 });
  const slow = await answerTo(plain.main!, `${MOVE}Content-Length: 60000\r\n\r\n{"x":`, ' ');
  expect(slow).toMatch(/^HTTP\/1\.1 408 [\s\S]*"The request did not arrive in time\."/);
  expect(services.motion.moves).toHaveLength(1);
  // Its motion is older than the slow request, whose time is over.
  end();
  expect(await patient).toMatch(/^HTTP\/1\.1 200 /);
});

test('slow clients give their places back', async () => {
  const before = (await fetch(`http://127.0.0.1:${plain.main}/status`)).status;
  const slow = Array.from({ length: 260 }, () => answerTo(plain.main!, '', ''));
  await Promise.all(slow);
  await expect
    .poll(async () => (await fetch(`http://127.0.0.1:${plain.main}/status`)).status, { timeout: 20_000 })
    .toBe(before);
});
