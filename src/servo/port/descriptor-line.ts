import { close as closeFile, constants, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { Clock, Timer } from '../../clock.ts';
import type { Line, LineHandlers } from './line.ts';
import { nativeSerial } from './native.ts';

/** Largest chunk that is passed on at once, bytes; all pending replies of a bus are smaller. */
const CHUNK = 4096;
/** Most bytes kept when the line does not accept them: 40 ms of a full 1 Mbaud line. */
const BACKLOG = 4096;
/** Interval at which the rest of a write is retried, s. */
const RETRY = 0.001;

export const DESCRIPTOR_FLAGS = constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK;

/** Reading into the caller's own buffer is an option of sockets that terminals have too, but their types lack it. */
interface OwnBuffer {
  readonly onread: {
    readonly buffer: Uint8Array;
    readonly callback: (length: number, buffer: Uint8Array) => boolean;
  };
}
type OpenTerminal = new (fd: number, options: OwnBuffer) => ReadStream & { readonly _handle?: { readonly fd: number } };

/**
 * A serial line over its file descriptors: the event loop of the thread that opened it reads bytes straight into one
 * buffer, and writes never wait. Allocates nothing per chunk. For systems with terminals (Linux).
 */
export class DescriptorLine implements Line {
  dropped = 0;
  readonly #handlers: LineHandlers;
  /** Has the lock and the settings, and takes the writes. */
  readonly #fd: number;
  readonly #stream: ReadStream;
  readonly #streamClosed: Promise<void>;
  readonly #chunk = new Uint8Array(CHUNK);
  /** Views on `#chunk` by length, each made on first use. */
  readonly #views: (Uint8Array | undefined)[] = new Array(CHUNK + 1).fill(undefined);
  readonly #backlog = new Uint8Array(BACKLOG);
  #waiting = 0;
  readonly #retry: Timer;
  #retrying = false;
  #open = true;

  /**
   * @param fd with settings and lock, non-blocking; closed by `close`
   * @param readFd a second one of the same line, non-blocking; closed by `close` too
   * @throws {Error} if the terminal is gone; the caller must close both descriptors then
   */
  constructor(fd: number, readFd: number, handlers: LineHandlers, clock: Clock) {
    this.#retry = clock.timer(() => this.#flush());
    this.#fd = fd;
    this.#handlers = handlers;
    const callback = (length: number): boolean => {
      if (!this.#open) return true;
      let view = this.#views[length];
      if (view === undefined) {
        view = this.#chunk.subarray(0, length);
        this.#views[length] = view;
      }
      this.#handlers.onBytes(view);
      return true;
    };
    const stream = new (ReadStream as unknown as OpenTerminal)(readFd, { onread: { buffer: this.#chunk, callback } });
    // libuv opens a terminal again for itself, and leaves the given descriptor to its owner to close.
    if (stream._handle?.fd !== readFd) closeFile(readFd, () => {});
    this.#stream = stream;
    this.#streamClosed = new Promise((resolve) => stream.once('close', () => resolve()));
    stream.on('error', (error: NodeJS.ErrnoException) => this.#lose(error.code ?? error.message));
    stream.on('end', () => this.#lose(''));
    stream.on('close', () => this.#lose(''));
    stream.resume();
  }

  write(bytes: Uint8Array): void {
    if (!this.#open) return;
    const done = this.#waiting > 0 ? 0 : this.#push(bytes, bytes.length);
    if (done === bytes.length || !this.#open) return;
    const rest = bytes.length - done;
    if (this.#waiting + rest > BACKLOG) {
      this.dropped += rest;
      return;
    }
    for (let i = 0; i < rest; i++) this.#backlog[this.#waiting + i] = bytes[done + i]!;
    this.#waiting += rest;
    this.#retryLater();
  }

  async close(): Promise<void> {
    this.#open = false;
    this.#retry.cancel();
    this.#stream.destroy();
    await this.#streamClosed;
    // Not closeSync, because the last close of a real line waits until its bytes have been sent.
    await nativeSerial().asyncClose(this.#fd);
  }

  #retryLater(): void {
    if (this.#retrying) return;
    this.#retrying = true;
    this.#retry.start(RETRY);
  }

  #flush(): void {
    this.#retrying = false;
    const done = this.#push(this.#backlog, this.#waiting);
    this.#backlog.copyWithin(0, done, this.#waiting);
    this.#waiting -= done;
    if (this.#waiting > 0 && this.#open) this.#retryLater();
  }

  /** Writes what the line accepts at once; returns the number of bytes. */
  #push(bytes: Uint8Array, length: number): number {
    try {
      return writeSync(this.#fd, bytes, 0, length);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (code !== 'EAGAIN' && code !== 'EINTR') this.#lose(code);
      return 0;
    }
  }

  #lose(cause: string): void {
    if (!this.#open) return;
    this.#open = false;
    this.#waiting = 0;
    this.#handlers.onLost(cause);
  }
}
