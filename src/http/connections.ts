import type { Socket } from 'node:net';

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
