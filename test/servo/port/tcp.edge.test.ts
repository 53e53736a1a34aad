import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { makePort } from '../../../src/servo/port/make.ts';
import type { PortError } from '../../../src/servo/port/port.ts';
import type { TcpPort } from '../../../src/servo/port/tcp.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

async function listen(onSocket: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

function tcpPort(port: number): TcpPort {
  const made = makePort(`tcp://127.0.0.1:${port}`, systemClock) as TcpPort;
  ends.push(() => made.close());
  return made;
}

describe('a TCP port', () => {
  it('passes every byte value both ways untouched, and what was written last before a close', async () => {
    const there: number[] = [];
    const { port } = await listen((socket) => {
      socket.on('data', (chunk) => there.push(...chunk));
      socket.pipe(socket);
    });
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    const back: number[] = [];
    const tcp = tcpPort(port);
    tcp.onBytes = (chunk) => void back.push(...chunk);
    let losses = 0;
    tcp.onClose = () => losses++;
    await tcp.open();
    const buffer = Uint8Array.from(all);
    tcp.write(buffer);
    // The buffer is the caller's again at once.
    buffer.fill(0);
    await until(() => back.length >= 256);
    expect(there).toEqual([...all]);
    expect(back).toEqual([...all]);
    tcp.write(Uint8Array.of(7));
    await tcp.close();
    await until(() => there.length === 257);
    expect(losses).toBe(0);
  });

  it('says once that the server has gone, and opens again when it is back', async () => {
    const sockets: Socket[] = [];
    const { port } = await listen((socket) => void sockets.push(socket));
    const tcp = tcpPort(port);
    const reasons: PortError[] = [];
    tcp.onClose = (reason) => void reasons.push(reason);
    await tcp.open();
    await until(() => sockets.length === 1);
    sockets[0]!.end();
    await until(() => reasons.length > 0);
    tcp.write(Uint8Array.of(1));
    expect(reasons).toMatchObject([{ code: 'closed', message: expect.stringContaining('closed the connection') }]);
    await tcp.open();
    await until(() => sockets.length === 2);
    expect(reasons).toHaveLength(1);
  });

  it('says which server does not listen and what to start there', async () => {
    const { server, port } = await listen(() => {});
    server.close();
    await once(server, 'close');
    await expect(tcpPort(port).open()).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(new RegExp(`nobody listens on port ${port} of 127\\.0\\.0\\.1.*ser2net`)),
    });
  });

  it('throws away what a server that reads nothing cannot take, and never waits for it', async () => {
    const sockets: Socket[] = [];
    const { port } = await listen((socket) => {
      socket.pause();
      sockets.push(socket);
    });
    const tcp = tcpPort(port);
    await tcp.open();
    const frame = new Uint8Array(4000);
    for (let i = 0; i < 100_000 && tcp.dropped === 0; i++) {
      tcp.write(frame);
      if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(tcp.dropped).toBeGreaterThan(0);
  });
});

describe('the maker of ports', () => {
  it('makes none for buses that something else serves', () => {
    expect(() => makePort('sim:so101', systemClock)).toThrow(/served by the simulation/);
    expect(() => makePort('ros', systemClock)).toThrow(TypeError);
  });
});
