import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A connection ends when its client reads none of the pending data for this long, ms. */
const MOST_SILENCE = 20_000;
/** After its last answer, a client has this long to close the connection, ms. */
const FAREWELL = 1000;

/**
 * Options of the servers: time limits for the TLS handshake, headers and whole request, ms (the answer to a move may
 * take longer). The guard refuses a request without Host, because Node's own answer would have no request id.
 */
export const SERVER = {
  requireHostHeader: false,
  handshakeTimeout: 5000,
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5000,
  // A computer that is gone without a word is noticed within 20 s, also where nothing is sent to it.
  keepAlive: true,
  keepAliveInitialDelay: 10_000,
};

const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `listener` when a connection closes. A queued answer on the connection gets no such event itself. Many answers
 * may wait, so all share one listener on the socket.
 * @returns removes the listener
 */
export function onConnectionClosed(socket: Socket, listener: () => void): () => void {
  let listeners = waiting.get(socket);
  if (listeners === undefined) {
    const all = new Set<() => void>();
    socket.once('close', () => {
      for (const one of [...all]) one();
    });
    waiting.set(socket, all);
    listeners = all;
  }
  const added = listeners;
  added.add(listener);
  return () => added.delete(listener);
}

/** Ends connections whose clients stop reading, and keep-alive connections without further requests. */
export function endSilent(server: Server, silence = MOST_SILENCE): void {
  server.setTimeout(silence, (socket: Socket) => {
    // Nothing to send and still reading: an answer takes its time. Idle connections have another timeout in Node.
    const waits = socket.timeout === silence && socket.writableLength === 0 && !isDeaf(socket);
    if (waits) socket.setTimeout(silence);
    else socket.destroy();
  });
}

/**
 * Whether a connection is not being read, so that its end would go unnoticed. Node stops reading while many answers
 * queue behind a slow one, or while a request body is not consumed.
 */
export function isDeaf(socket: Socket): boolean {
  // Requests made by `inject` have no real socket.
  return 'isPaused' in socket && socket.isPaused();
}

/**
 * Ends a connection with a last answer. If the client does not close its side in time, the socket is destroyed even
 * while the client sends, because it occupies a place of others.
 */
export function endWith(socket: Socket, answer: string | Uint8Array): void {
  socket.pause();
  socket.end(answer);
  socket.setTimeout(FAREWELL, () => socket.destroy());
}

/** Answers a connection that sent invalid HTTP, or nothing in time. */
export function refuseConnection(error: Error & { code?: string }, socket: Socket, id: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT' || error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT'
      ? ['408 Request Timeout', 'The request did not arrive in time.']
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? ['431 Request Header Fields Too Large', 'The headers are too large.']
        : ['400 Bad Request', 'This is no valid HTTP request.'];
  const body = JSON.stringify({ detail, request_id: id });
  endWith(
    socket,
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `X-Content-Type-Options: nosniff\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`,
  );
}
