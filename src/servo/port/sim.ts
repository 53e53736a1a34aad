import type { MessagePort } from 'node:worker_threads';
import type { Clock, Timer } from '../../clock.ts';
import { type BytePort, PortError } from './port.ts';

/** Longest wait for the simulation's answer to `open`, s. */
const OPEN_TIMEOUT = 2;

interface Opening {
  readonly resolve: () => void;
  readonly reject: (reason: PortError) => void;
  readonly timer: Timer;
}

/**
 * Byte port to a simulated servo bus: chunks of bytes over a message port whose far end is the simulation thread. A
 * number is not traffic but a handshake: the far end returns it at once, and what arrives before it answers an earlier
 * opening.
 */
export class SimPort implements BytePort {
  readonly url: string;
  readonly clock: Clock;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  readonly #port: MessagePort;
  #listening = false;
  #openings = 0;
  #opening: Opening | null = null;
  #open = false;
  #gone = false;

  /** @param url as the configuration names it, for messages */
  constructor(url: string, port: MessagePort, clock: Clock) {
    this.url = url;
    this.clock = clock;
    this.#port = port;
  }

  /** Opens, also again after `close`. @throws {PortError} closed or failed, when the simulation does not answer. */
  async open(): Promise<void> {
    if (this.#gone) throw this.#goneError();
    if (this.#open) return;
    this.#listen();
    this.#endOpening()?.reject(new PortError('closed', `${this.url}: opened again before it was open`));
    this.#port.ref();
    await new Promise<void>((resolve, reject) => {
      const timer = this.clock.after(OPEN_TIMEOUT, () => {
        this.#opening = null;
        this.#port.unref();
        const wait = `no answer within ${OPEN_TIMEOUT} s`;
        reject(new PortError('failed', `${this.url}: ${wait}; the simulation is stuck or the machine overloaded`));
      });
      this.#opening = { resolve, reject, timer };
      this.#port.postMessage(++this.#openings);
    });
  }

  write(bytes: Uint8Array): void {
    // A copy: posting a view would clone the whole buffer behind it.
    if (this.#open) this.#port.postMessage(new Uint8Array(bytes));
  }

  /**
   * Stops listening. The message port itself stays, so that the arm can be connected to again; it does not keep the
   * thread alive.
   */
  async close(): Promise<void> {
    this.#open = false;
    this.#endOpening()?.reject(new PortError('closed', `${this.url}: closed before it was open`));
    if (!this.#gone) this.#port.unref();
  }

  #listen(): void {
    if (this.#listening) return;
    this.#listening = true;
    this.#port.on('message', (message: Uint8Array | number) => {
      if (typeof message !== 'number') {
        if (this.#open) this.onBytes(message);
      } else if (message === this.#openings && this.#opening) {
        this.#open = true;
        this.#endOpening()?.resolve();
      }
    });
    this.#port.once('close', () => {
      this.#gone = true;
      this.#endOpening()?.reject(this.#goneError());
      if (!this.#open) return;
      this.#open = false;
      this.onClose(this.#goneError());
    });
  }

  /** Ends the opening in progress, and returns it; null if there is none. */
  #endOpening(): Opening | null {
    const opening = this.#opening;
    this.#opening = null;
    opening?.timer.cancel();
    return opening;
  }

  #goneError(): PortError {
    return new PortError('closed', `${this.url}: the simulation has ended; restart the bridge to bring its arms back`);
  }
}
