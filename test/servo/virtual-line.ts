import type { Lane } from '../../explore/virtual-clock.ts';
import type { BytePort, PortError } from '../../src/servo/port/port.ts';
import type { EmulatedServoBus } from '../../src/sim/emulated-servo.ts';

const BITS_PER_BYTE = 10;
/** Time that a servo takes before it answers, besides its return delay, s. */
const TURN_AROUND = 20e-6;

export interface LineOptions {
  readonly baudRate?: number;
  /** Time that the adapter keeps every answer, s. */
  readonly latency?: number;
}

/** A half-duplex line to emulated servos in virtual time: requests and answers take the time of their bytes. */
export class VirtualLine implements BytePort {
  readonly url = 'test:line';
  readonly clock: Lane;
  readonly baudRate: number;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  /** Requests so far. */
  requests = 0;
  /** What becomes of an answer on its way; left out: it arrives as it is. */
  tamper: (bytes: Uint8Array) => Uint8Array | null = (bytes) => bytes;
  readonly #latency: number;
  #bus: EmulatedServoBus | null = null;
  #lineFree = 0;

  constructor(clock: Lane, { baudRate = 1_000_000, latency = 0 }: LineOptions = {}) {
    this.clock = clock;
    this.baudRate = baudRate;
    this.#latency = latency;
  }

  connect(bus: EmulatedServoBus): void {
    this.#bus = bus;
    bus.onStatus = (bytes, returnDelay) => {
      const arrived = this.tamper(bytes.slice());
      this.#lineFree += TURN_AROUND + returnDelay + bytes.length * this.#byteTime;
      if (arrived === null) return;
      this.clock.after(this.#lineFree + this.#latency - this.clock.now(), () => this.onBytes(arrived));
    };
  }

  async open(): Promise<void> {}
  async close(): Promise<void> {}

  write(bytes: Uint8Array): void {
    const request = bytes.slice();
    this.requests++;
    this.#lineFree = Math.max(this.#lineFree, this.clock.now()) + bytes.length * this.#byteTime;
    this.clock.after(this.#lineFree - this.clock.now(), () => {
      this.#lineFree = Math.max(this.#lineFree, this.clock.now());
      this.#bus?.feed(request, 1000 * this.clock.now());
    });
  }

  get #byteTime(): number {
    return BITS_PER_BYTE / this.baudRate;
  }
}
