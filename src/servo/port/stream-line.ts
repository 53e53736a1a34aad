import type { SerialPort as SerialStream } from 'serialport';
import type { Line, LineHandlers } from './line.ts';

/** Most unwritten bytes before writes are dropped. */
const BACKLOG = 4096;

/**
 * A serial line over serialport's stream, for systems where a line is no file descriptor. On Linux it would work in the
 * main thread only, and it does not notice that a line has hung up (`unix-read.js` reads on at 0 bytes).
 */
export class StreamLine implements Line {
  dropped = 0;
  readonly #stream: SerialStream;
  #open = true;

  private constructor(stream: SerialStream, handlers: LineHandlers) {
    this.#stream = stream;
    stream.on('data', (chunk: Uint8Array) => {
      if (this.#open) handlers.onBytes(chunk);
    });
    const lose = (cause: string): void => {
      if (!this.#open) return;
      this.#open = false;
      handlers.onLost(cause);
    };
    stream.on('error', (error) => lose(error.message));
    stream.on('close', (error: Error | null | undefined) => lose(error?.message ?? ''));
  }

  /** @throws {Error} of serialport, with the system's message */
  static async open(path: string, baudRate: number, handlers: LineHandlers): Promise<StreamLine> {
    const { SerialPort } = await import('serialport');
    const stream = new SerialPort({ path, baudRate, autoOpen: false });
    await new Promise<void>((resolve, reject) => stream.open((error) => (error ? reject(error) : resolve())));
    return new StreamLine(stream, handlers);
  }

  write(bytes: Uint8Array): void {
    if (!this.#open) return;
    if (this.#stream.writableLength + bytes.length > BACKLOG) this.dropped += bytes.length;
    // A copy: the stream keeps the chunk until the system has taken it.
    else this.#stream.write(Buffer.from(bytes));
  }

  async close(): Promise<void> {
    this.#open = false;
    if (!this.#stream.isOpen) return;
    await new Promise<void>((resolve) => this.#stream.close(() => resolve()));
  }
}
