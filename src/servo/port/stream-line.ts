import type { SerialPort as SerialStream } from 'serialport';
import type { Line, LineHandlers } from './line.ts';

/** What is not written yet may pile up to this size, bytes, before writes are thrown away. */
const BACKLOG = 4096;

/**
 * A serial line by serialport's stream, for systems where it is no file descriptor. On Linux it would work too, but in
 * the main thread alone, and it takes a line that hung up for one without bytes (`unix-read.js` reads on at 0 bytes).
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
