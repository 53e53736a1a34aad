import { connect, type Socket } from 'node:net';
import type { Clock } from '../../clock.ts';
import { type BytePort, PortError } from './port.ts';
import type { BusUrl } from './url.ts';

export interface TcpOptions {
  /** Longest wait for the connection, s. */
  readonly connectTimeout?: number;
}

const CONNECT_TIMEOUT = 3;
/** Silence after which the system asks the server whether it is still there, ms. */
const KEEP_ALIVE = 5000;
/** Most unwritten bytes while the server accepts none; further writes are dropped. */
const BACKLOG = 4096;
/** Longest time that a close waits for the last writes to be sent, s. */
const FAREWELL = 0.5;
const CHUNK = 4096;

/** Byte port to a servo bus behind a TCP server that passes raw bytes on (ser2net, a USB-over-IP box, `simulate`). */
export class TcpPort implements BytePort {
  readonly url: string;
  readonly clock: Clock;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  readonly #target: Extract<BusUrl, { kind: 'tcp' }>;
  readonly #connectTimeout: number;
  readonly #chunk = new Uint8Array(CHUNK);
  readonly #views: (Uint8Array | undefined)[] = new Array(CHUNK + 1).fill(undefined);
  #socket: Socket | null = null;
  #dropped = 0;

  /** @param url as the configuration names it, for messages */
  constructor(url: string, target: Extract<BusUrl, { kind: 'tcp' }>, clock: Clock, options: TcpOptions = {}) {
    this.url = url;
    this.clock = clock;
    this.#target = target;
    this.#connectTimeout = options.connectTimeout ?? CONNECT_TIMEOUT;
  }

  /** Bytes dropped because the server accepted none. */
  get dropped(): number {
    return this.#dropped;
  }

  /** @throws {PortError} that names the server and says what to do */
  async open(): Promise<void> {
    if (this.#socket) return;
    const { host, port } = this.#target;
    const callback = (length: number): boolean => {
      if (this.#socket !== socket) return true;
      let view = this.#views[length];
      if (view === undefined) {
        view = this.#chunk.subarray(0, length);
        this.#views[length] = view;
      }
      this.onBytes(view);
      return true;
    };
    const socket = connect({
      host,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE,
      onread: { buffer: this.#chunk, callback },
    });
    this.#socket = socket;
    let cause = '';
    socket.on('error', (error: NodeJS.ErrnoException) => {
      cause = error.code ?? error.message;
    });
    await new Promise<void>((resolve, reject) => {
      const timer = this.clock.after(this.#connectTimeout, () => {
        cause = 'ETIMEDOUT';
        socket.destroy();
      });
      socket.once('connect', () => {
        timer.cancel();
        socket.off('close', refuse);
        resolve();
      });
      const refuse = (): void => {
        timer.cancel();
        const cancelled = this.#socket !== socket;
        if (!cancelled) this.#socket = null;
        reject(cancelled ? new PortError('closed', `${this.url}: closed before it was open`) : this.#refused(cause));
      };
      socket.once('close', refuse);
    });
    // Without it the stream does not report its end, because nothing reads from it.
    socket.resume();
    // The port ends when the server ends its side, because half a connection is of no use.
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      const shown = cause === '' ? 'closed the connection' : `has gone (${cause})`;
      this.onClose(new PortError('closed', `${this.url}: the server ${shown}; check it and its network`));
    });
  }

  write(bytes: Uint8Array): void {
    const socket = this.#socket;
    if (!socket || socket.connecting || socket.destroyed) return;
    if (socket.writableLength + bytes.length > BACKLOG) this.#dropped += bytes.length;
    // A copy: the socket keeps the chunk until the system has taken it.
    else socket.write(Buffer.from(bytes));
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    this.#socket = null;
    if (!socket || socket.destroyed) return;
    await new Promise<void>((resolve) => {
      const timer = this.clock.after(FAREWELL, () => socket.destroy());
      socket.once('close', () => {
        timer.cancel();
        resolve();
      });
      // The last write (torque off) must still arrive.
      if (socket.connecting) socket.destroy();
      else socket.destroySoon();
    });
  }

  #refused(cause: string): PortError {
    const { host, port } = this.#target;
    if (cause === 'ENOTFOUND' || cause === 'EAI_AGAIN') {
      return new PortError('not_found', `${this.url}: no machine is called "${host}" (${cause}); check the host name`);
    }
    if (cause === 'ECONNREFUSED') {
      return new PortError(
        'not_found',
        `${this.url}: nobody listens on port ${port} of ${host}; start the serial server there (ser2net) and check its port`,
      );
    }
    const shown = cause === 'ETIMEDOUT' ? `no connection within ${this.#connectTimeout} s` : cause;
    return new PortError('failed', `${this.url}: ${shown}; check that ${host} is switched on and reachable`);
  }
}
