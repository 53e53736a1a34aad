import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { pathOf } from '../addresses.ts';
import { HttpProblem } from '../errors.ts';
import { REQUEST_HEADER } from '../request-ids.ts';
import type { Parts } from '../route.ts';
import { Faults, readQuery } from '../validation.ts';
import type { Channel } from './channel.ts';

/** Largest message of a client, bytes. */
const MOST_PAYLOAD = 16 * 1024;
/** How often a client is asked whether it is still there, s; it is let go when it has not answered by the next time. */
const PING_INTERVAL = 10;

/**
 * Serves WebSockets. A request that asks for another upgrade, or on another path, is answered as if it had not asked for one
 * (RFC 9110, section 7.8): some clients offer HTTP/2 with every request.
 */
export function serveWebSockets(app: FastifyInstance, parts: Parts, channels: readonly Channel[]): void {
  const server = new WebSocketServer({ noServer: true, maxPayload: MOST_PAYLOAD, perMessageDeflate: false });
  const alive = new WeakSet<WebSocket>();
  const admissions = new Map(channels.map((channel) => [channel.path, admissionTo(channel, parts)]));

  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const admit = admissions.get(pathOf(request.url ?? ''));
    if (admit === undefined || request.headers.upgrade?.toLowerCase() !== 'websocket') {
      answerWithout(app, request, socket, head);
      return;
    }
    // Node takes its own listener off before it hands the connection over.
    socket.on('error', () => socket.destroy());
    let serve: (socket: WebSocket) => void;
    try {
      serve = admit(request);
    } catch (error) {
      const id = parts.nextRequest();
      refuse(socket, error instanceof HttpProblem ? error : new HttpProblem(500, 'Internal Server Error'), id);
      if (!(error instanceof HttpProblem)) app.log.error({ err: error }, 'upgrade failed');
      return;
    }
    server.handleUpgrade(request, socket, head, (webSocket) => {
      alive.add(webSocket);
      webSocket.on('pong', () => alive.add(webSocket));
      webSocket.on('error', () => webSocket.terminate());
      serve(webSocket);
    });
  });

  const ping = (): void => {
    for (const webSocket of server.clients) {
      if (!alive.delete(webSocket)) webSocket.terminate();
      else webSocket.ping();
    }
  };
  const pinging = parts.services.clock.every(PING_INTERVAL, ping, true);
  app.addHook('preClose', async () => {
    pinging.cancel();
    for (const webSocket of server.clients) webSocket.close(1001, 'the bridge is ending');
  });
}

/** Judges a request for a WebSocket by its headers and its URL. @returns what throws a HttpProblem for one that is refused */
function admissionTo(channel: Channel, parts: Parts): (request: IncomingMessage) => (socket: WebSocket) => void {
  const { guard, limits, clients } = parts;
  const schema = z.object(channel.query);
  let open = 0;
  return (request) => {
    guard.checkSource(request);
    limits.check(request.socket, channel.access);
    const admission = guard.admit(request);
    const { scope } = admission;
    guard.checkScope(scope, channel.access);
    const client = clients.of(request, admission);
    const faults = new Faults();
    const query = readQuery(request.url ?? '', schema, faults);
    faults.refuse();
    if (open >= channel.most) throw new HttpProblem(503, channel.full);
    const address = request.socket.remoteAddress ?? '';
    const what = `WebSocket ${channel.path}`;
    const origin = { who: client.owner.name, from: client.from, what, request: parts.nextRequest() };
    const serve = channel.open(parts, { query, scope, client, origin, address });
    return (socket) => {
      open++;
      const leave = clients.stays(client, admission, () => socket.terminate());
      socket.once('close', () => {
        open--;
        leave();
      });
      serve(socket);
    };
  };
}

/** Hands the connection back to the server as if its request had come without `Upgrade`. */
function answerWithout(app: FastifyInstance, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  const { rawHeaders } = request;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    let value = rawHeaders[i + 1]!;
    if (/^(upgrade|http2-settings)$/i.test(name)) continue;
    if (/^connection$/i.test(name)) {
      const kept = value.split(',').filter((option) => !/^\s*(upgrade|http2-settings)\s*$/i.test(option));
      if (kept.length === 0) continue;
      value = kept.join(',').trim();
    }
    lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  app.server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
}

function refuse(socket: Duplex, problem: HttpProblem, id: string): void {
  const body = Buffer.from(JSON.stringify({ detail: problem.detail, request_id: id }));
  const headers = {
    ...problem.headers,
    'content-type': 'application/json',
    'content-length': body.length,
    'x-content-type-options': 'nosniff',
    [REQUEST_HEADER]: id,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = problem;
  socket.end(
    Buffer.concat([
      Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n${lines.join('')}\r\n`),
      body,
    ]),
  );
}
