import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A client that takes nothing of what waits for it for so long has its connection ended, ms. */
const MOST_SILENCE = 20_000;
/** One that has been given its last answer has so long to close its connection, ms. */
const FAREWELL = 1000;

/** Time a client has to say hello, to send its headers, and its whole request, ms. The answer of a move may take longer. */
export const TIMES = {
  handshakeTimeout: 5000,
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5000,
};

const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `listener` when a connection closes. An answer that waits for others on its connection is not told of that itself,
 * and many may wait: they share one listener of the connection.
 * @returns how to take the listener back
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

/** Ends the connections of clients that stop reading, and those that Node keeps alive for requests that do not come. */
export function endSilent(server: Server, silence = MOST_SILENCE): void {
  server.setTimeout(silence, (socket: Socket) => {
    // Nothing has to be sent and more could be read: an answer takes its time. Node keeps idle connections by another time-out.
    const waits = socket.timeout === silence && socket.writableLength === 0 && !isDeaf(socket);
    if (waits) socket.setTimeout(silence);
    else socket.destroy();
  });
}

/**
 * Whether nothing is read from a connection now, so that its end would not be noticed: Node stops reading while many
 * answers wait for one that takes its time, or nobody takes the body of a request.
 */
export function isDeaf(socket: Socket): boolean {
  // What `inject` makes of a request has no connection.
  return 'isPaused' in socket && socket.isPaused();
}

/** Ends a connection with a last answer. Who does not close it too loses it, whatever he sends: it takes a place of others. */
export function endWith(socket: Socket, answer: string | Uint8Array): void {
  socket.pause();
  socket.end(answer);
  socket.setTimeout(FAREWELL, () => socket.destroy());
}

/** Answers a connection that sent no valid HTTP, or nothing in time. */
export function refuseConnection(error: Error & { code?: string }, socket: Socket, id: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
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
