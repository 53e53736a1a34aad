import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A client that takes nothing of what waits for it for so long has its connection ended, ms. */
const MOST_SILENCE = 20_000;

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
