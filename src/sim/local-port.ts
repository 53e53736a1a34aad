import type { Clock } from '../clock.ts';
import { type BytePort, PortError } from '../servo/port/port.ts';
import type { ServoLine } from './servo-line.ts';

/** Byte port to the servo line of a simulated arm in this thread. */
export class LocalPort implements BytePort {
  readonly url: string;
  readonly clock: Clock;
  readonly baudRate?: number;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  readonly #line: ServoLine;
  #open = false;
  /** Why the port cannot be opened any more; null while it can. */
  #over: PortError | null = null;

  /** @param url as in the configuration, for messages */
  constructor(url: string, line: ServoLine, clock: Clock) {
    this.url = url;
    this.clock = clock;
    this.#line = line;
    if (line.baudRate !== null) this.baudRate = line.baudRate;
  }

  /**
   * @throws {PortError} `not_found` while the adapter is unplugged, `closed` once another port has replaced this one
   */
  async open(): Promise<void> {
    if (this.#over) throw this.#over;
    if (!this.#line.plugged) throw new PortError('not_found', `${this.url}: the adapter is not there: plug it in`);
    this.#line.clear();
    this.#line.onBytes = (bytes) => {
      if (this.#open) this.onBytes(bytes);
    };
    this.#line.onUnplugged = () => this.#end(new PortError('closed', `${this.url}: the adapter has been pulled out`));
    this.#open = true;
  }

  write(bytes: Uint8Array): void {
    if (this.#open) this.#line.write(bytes);
  }

  async close(): Promise<void> {
    this.#open = false;
  }

  /** Closes the port for good. */
  replace(): void {
    this.#over = new PortError('closed', `${this.url}: another port has taken its place`);
    this.#end(this.#over);
  }

  #end(reason: PortError): void {
    if (!this.#open) return;
    this.#open = false;
    this.onClose(reason);
  }
}
