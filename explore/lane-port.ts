import type { BytePort, PortError } from '../src/servo/port/port.ts';
import type { Lane } from './virtual-clock.ts';

/** A byte port as a thread has it: what comes in waits until the thread runs, and somebody may look on. */
export class LanePort implements BytePort {
  readonly url: string;
  readonly clock: Lane;
  readonly baudRate?: number;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  /** Told what passes, as it does. */
  onOpened: () => void = () => {};
  onSent: (bytes: Uint8Array) => void = () => {};
  onReceived: (bytes: Uint8Array) => void = () => {};
  readonly #port: BytePort;

  /** @param port that nobody else listens to */
  constructor(url: string, port: BytePort, lane: Lane) {
    this.url = url;
    this.clock = lane;
    this.#port = port;
    if (port.baudRate !== undefined) this.baudRate = port.baudRate;
    port.onBytes = (bytes) => {
      this.onReceived(bytes);
      const chunk = bytes.slice();
      lane.soon(() => this.onBytes(chunk));
    };
    port.onClose = (reason) => lane.soon(() => this.onClose(reason));
  }

  async open(): Promise<void> {
    await this.#port.open();
    this.onOpened();
  }

  write(bytes: Uint8Array): void {
    this.onSent(bytes);
    this.#port.write(bytes);
  }

  close(): Promise<void> {
    return this.#port.close();
  }
}
