import { createServer, type ListenOptions, type Server } from 'node:net';

/** Listens at a port or a socket. @returns what it listens with; null: somebody else does */
export function listening(where: ListenOptions): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(where, () => resolve(server));
  });
}
