import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../clock.ts';
import { pathOf } from './addresses.ts';
import { endWith } from './connections.ts';
import { HttpProblem, PROBLEM_TYPE, problemDetails, retryHeaders, wantsProblem } from './errors.ts';
import { REQUEST_HEADER, type RequestIds } from './request-ids.ts';

/** Ping interval, s. A client without a pong by the next ping is disconnected. */
const PING_INTERVAL = 10;

/**
 * Admits a request for a WebSocket.
 * @param id id of the request
 * @returns serves the opened WebSocket
 * @throws {HttpProblem} if the request is refused
 */
export type Admit = (request: IncomingMessage, id: string) => (socket: WebSocket) => void;

interface WebSocketOptions {
  readonly clock: Clock;
  /** Largest message of a client, bytes. */
  readonly maxPayload: number;
  /** Admission of requests for a path; undefined if the path serves no WebSocket. */
  readonly admissionTo: (path: string) => Admit | undefined;
  readonly ids: RequestIds;
  /** Called with an internal fault of an admission. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Serves the WebSockets of a server. A request for another upgrade or on another path is answered as if it had no
 * `Upgrade` header (RFC 9110, section 7.8), because some clients offer HTTP/2 with every request.
 */
export class WebSockets {
  readonly #server: WebSocketServer;
  readonly #alive = new WeakSet<WebSocket>();
  readonly #pinging: { readonly cancel: () => void };

  constructor(server: Server, { clock, maxPayload, admissionTo, ids, onFault }: WebSocketOptions) {
    this.#server = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false });
    const named = new WeakMap<IncomingMessage, string>();
    this.#server.on('headers', (headers, request) => headers.push(`${REQUEST_HEADER}: ${named.get(request)}`));
    this.#server.on('wsClientError', ({ message }, socket, request) =>
      refuse(
        // An HTTP server always passes a Socket, although the type is wider.
        socket as Socket,
        request,
        new HttpProblem(400, `This is no valid request for a WebSocket: ${message}.`),
        named.get(request)!,
      ),
    );
    this.#pinging = clock.every(PING_INTERVAL, () => this.#ping(), true);
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const admit = admissionTo(pathOf(request.url ?? ''));
      if (admit === undefined || request.headers.upgrade?.toLowerCase() !== 'websocket') {
        answerWithout(server, request, socket, head);
        return;
      }
      // Node removes its own error listener before it emits the upgrade.
      socket.on('error', () => socket.destroy());
      const id = ids.of(request.headers[REQUEST_HEADER]);
      let serve: (socket: WebSocket) => void;
      try {
        serve = admit(request, id);
      } catch (error) {
        const problem = error instanceof HttpProblem ? error : new HttpProblem(500, 'Internal Server Error');
        refuse(socket, request, problem, id);
        if (problem !== error) onFault(error);
        return;
      }
      named.set(request, id);
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        this.#alive.add(webSocket);
        webSocket.on('pong', () => this.#alive.add(webSocket));
        webSocket.on('error', () => webSocket.terminate());
        serve(webSocket);
      });
    });
  }

  close(): void {
    this.#pinging.cancel();
    for (const webSocket of this.#server.clients) webSocket.close(1001, 'the bridge is ending');
  }

  #ping(): void {
    for (const webSocket of this.#server.clients) {
      if (!this.#alive.delete(webSocket)) webSocket.terminate();
      else webSocket.ping();
    }
  }
}

/** Returns the connection to the server as if its request had no `Upgrade` header. */
function answerWithout(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
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
  server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
}

function refuse(socket: Socket, request: IncomingMessage, problem: HttpProblem, id: string): void {
  const wanted = wantsProblem(request.headers.accept);
  const plain = { detail: problem.detail, request_id: id };
  const body = Buffer.from(JSON.stringify(wanted ? problemDetails(problem, id) : plain));
  const headers = {
    vary: 'Accept',
    ...retryHeaders(problem.status),
    ...problem.headers,
    'content-type': wanted ? PROBLEM_TYPE : 'application/json',
    'content-length': body.length,
    'x-content-type-options': 'nosniff',
    [REQUEST_HEADER]: id,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = problem;
  endWith(
    socket,
    Buffer.concat([
      Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n${lines.join('')}\r\n`),
      body,
    ]),
  );
}
