import { createServer as createPlain, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createEncrypted } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Origin } from '../arm/types.ts';
import type { Clock } from '../clock.ts';
import { fileDisk } from '../disk.ts';
import { pathOf } from '../http/addresses.ts';
import { CLIENT_HEADER, Clients } from '../http/clients.ts';
import { endSilent, refuseConnection, SERVER } from '../http/connections.ts';
import { HttpProblem, PROBLEM_TYPE, problemDetails, UNKNOWN, wantsProblem } from '../http/errors.ts';
import { Guard, type Session } from '../http/guard.ts';
import { Limits } from '../http/limits.ts';
import { REQUEST_HEADER, RequestIds } from '../http/request-ids.ts';
import { isStopMessage } from '../http/stop-answer.ts';
import { WebSockets } from '../http/web-sockets.ts';
import { NamedTokens } from '../named-tokens.ts';
import type { StopSetup } from './messages.ts';
import type { StopDesk } from './stop-desk.ts';

/** Interval at which the named tokens are reloaded, and WebSockets of ended sessions closed, s. */
const FOLLOWING = 1;
/** Paths of a stop, as on the main port. */
const PATHS = ['/stop', '/api/v1/stop'];
/** Path of the stop WebSocket, and its largest message, bytes. */
const SOCKET = '/api/v1/stop';
const MOST_PAYLOAD = 1024;
/** Most bytes queued for a client that does not read. */
const MOST_WAITING = 16 * 1024;
const NO_STOP = JSON.stringify({
  type: 'refused',
  request: 'unknown',
  reason: 'this WebSocket hears {"type": "stop"} alone',
});

type Headers = Readonly<Record<string, string>>;

/** A second HTTP server for stops only, by requests and WebSockets. It admits the same clients as the main server. */
export class StopServer {
  readonly #server: Server;
  readonly #guard: Guard;
  readonly #clients: Clients;
  readonly #ids: RequestIds;
  readonly #limits: Limits;
  readonly #sockets: WebSockets;
  readonly #following: { readonly cancel: () => void };
  readonly #desk: StopDesk;
  readonly #setup: StopSetup;

  constructor(setup: StopSetup, desk: StopDesk, clock: Clock) {
    const { config, tokens, state, certificate, pagePort } = setup;
    this.#setup = setup;
    this.#desk = desk;
    const named = new NamedTokens(fileDisk, state);
    this.#guard = new Guard(config, tokens, named, clock, pagePort);
    this.#clients = new Clients(config.dialect, clock);
    const follow = (): void => {
      try {
        named.refresh();
      } catch {
        // The main thread logs it.
      }
      this.#clients.endUnless((admission) => this.#guard.stillAdmits(admission));
    };
    follow();
    this.#following = clock.every(FOLLOWING, follow, true);
    this.#ids = new RequestIds(clock, 's');
    const take = (request: IncomingMessage, response: ServerResponse): void => void this.#take(request, response);
    this.#server =
      certificate === null
        ? createPlain(SERVER, take)
        : createEncrypted({ ...SERVER, cert: Buffer.from(certificate.cert), key: Buffer.from(certificate.key) }, take);
    this.#limits = new Limits(config.rate_limit, clock);
    this.#limits.watch(this.#server);
    endSilent(this.#server);
    this.#sockets = new WebSockets(this.#server, {
      clock,
      maxPayload: MOST_PAYLOAD,
      admissionTo: (path) => (path === SOCKET ? (request, id) => this.#admit(request, id) : undefined),
      ids: this.#ids,
      onFault: (error) => {
        throw error;
      },
    });
    // No body is read, and Node's own answer to an unknown expectation would have no request id.
    this.#server.on('checkContinue', take);
    this.#server.on('checkExpectation', take);
    this.#server.on('clientError', (error, socket) => refuseConnection(error, socket as Socket, this.#ids.next()));
  }

  /** @returns the port in use @throws {Error} with the system's error code */
  async listen(): Promise<number> {
    const { host, port, yields } = this.#setup;
    try {
      await this.#bind(host, port);
    } catch (error) {
      if (!yields || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      await this.#bind(host, 0);
    }
    return (this.#server.address() as AddressInfo).port;
  }

  takeSession(key: string, session: Session | null): void {
    this.#guard.takeSession(key, session);
  }

  close(): void {
    this.#following.cancel();
    this.#sockets.close();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #bind(host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Bodies are not read, so a connection with one cannot serve the next stop.
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
    const ends: Headers = length !== '0' || coding !== undefined ? { connection: 'close' } : {};
    let cross: Headers = {};
    const named = this.#ids.of(request.headers[REQUEST_HEADER]);
    const send = (status: number, body: object | null, headers: Headers = {}): void => {
      const text = body === null ? '' : JSON.stringify(body);
      response.writeHead(status, {
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        [REQUEST_HEADER]: named,
        ...(body === null ? {} : { 'content-type': 'application/json; charset=utf-8' }),
        'content-length': String(Buffer.byteLength(text)),
        ...ends,
        ...cross,
        ...headers,
      });
      response.end(text);
    };
    try {
      this.#guard.checkSource(request);
      cross = this.#crossOrigin(request);
      if (request.method === 'OPTIONS' && 'access-control-request-method' in request.headers) {
        send(200, null, {
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': `authorization, content-type, ${CLIENT_HEADER}, ${REQUEST_HEADER}`,
          'access-control-max-age': '600',
        });
        return;
      }
      const { owner, from } = this.#clients.ofStop(request, this.#guard.admit(request));
      const id = this.#idOf(request);
      const origin = { who: owner.name, from, what: `POST ${pathOf(request.url ?? '/')}`, request: named };
      const answer = await this.#desk.stop(id, 'POST /stop', origin);
      send(200, answer.status === 'error' ? { ...answer, request_id: named } : answer);
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      const plain = { detail: error.detail, request_id: named };
      const wanted = wantsProblem(request.headers.accept);
      send(error.status, wanted ? problemDetails(error, named) : plain, {
        ...error.headers,
        connection: 'close',
        ...(wanted ? { 'content-type': PROBLEM_TYPE } : {}),
      });
    }
  }

  /** Admits a WebSocket, over which all arms can be stopped. @throws {HttpProblem} if it is refused */
  #admit(request: IncomingMessage, id: string): (socket: WebSocket) => void {
    this.#guard.checkSource(request);
    // A WebSocket stays open, so it must not occupy a stop-only connection.
    this.#limits.check(request.socket, 'read');
    const admission = this.#guard.admit(request);
    const client = this.#clients.ofStop(request, admission);
    const origin = { who: client.owner.name, from: client.from, what: `WebSocket ${SOCKET}`, request: id };
    return (socket) => {
      socket.once(
        'close',
        this.#clients.stays(client, admission, () => socket.terminate()),
      );
      socket.on('message', (data) => void this.#hear(socket, String(data), origin));
    };
  }

  async #hear(socket: WebSocket, text: string, origin: Origin): Promise<void> {
    if (!isStopMessage(text)) {
      if (socket.bufferedAmount < MOST_WAITING) socket.send(NO_STOP);
      return;
    }
    const { status, message } = await this.#desk.stop(null, 'a stop on its WebSocket', origin);
    if (socket.readyState === socket.OPEN && socket.bufferedAmount < MOST_WAITING)
      socket.send(JSON.stringify({ type: 'stop', status, message }));
  }

  /** CORS headers. The bridge's own page needs them too, because the stop port is another origin. */
  #crossOrigin(request: IncomingMessage): Headers {
    const { origin } = request.headers;
    if (origin === undefined) return {};
    const own = this.#guard.isOwnPage(request);
    if (!own && !this.#guard.mayRead(origin)) return { vary: 'Origin' };
    return {
      vary: 'Origin',
      'access-control-allow-origin': origin,
      ...(own ? { 'access-control-allow-credentials': 'true' } : {}),
    };
  }

  /** Id of the arm to stop; null: all. @throws {HttpProblem} 400, 404, 405 */
  #idOf({ url = '/', method }: IncomingMessage): number | null {
    if (!PATHS.includes(pathOf(url))) throw new HttpProblem(404, 'Not Found: this port hears POST /stop alone.');
    if (method !== 'POST') throw new HttpProblem(405, 'Method Not Allowed', { allow: 'POST' });
    const query = new URLSearchParams(url.split('?', 2)[1] ?? '');
    const name = query.getAll('arm').at(-1);
    if (name !== undefined) return this.#idNamed(name);
    const asked = query.getAll('robot_id').at(-1);
    if (asked === undefined) return null;
    const { ids } = this.#desk;
    const id = asked.trim() === '' ? Number.NaN : Number(asked);
    if (id === -1 && this.#setup.config.dialect === 'phosphobot' && ids.length > 0) return ids.at(-1)!;
    if (ids.includes(id)) return id;
    const known = [...ids].sort((a, b) => a - b).join(', ');
    const problem = `Robot ID ${JSON.stringify(asked.slice(0, 64))} is unknown. Known ids: ${known}.`;
    throw new HttpProblem(400, problem, {}, UNKNOWN);
  }

  #idNamed(name: string): number {
    const { names } = this.#desk;
    const id = names.get(name);
    if (id !== undefined) return id;
    const known = [...names.keys()].join(', ');
    const problem = `Arm ${JSON.stringify(name.slice(0, 64))} is unknown. Known arms: ${known}.`;
    throw new HttpProblem(400, problem, {}, UNKNOWN);
  }
}
