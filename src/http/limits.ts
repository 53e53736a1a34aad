import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import { isLoopback } from './addresses.ts';
import { HttpProblem } from './errors.ts';
import { isStop } from './guard.ts';

/** Connections at once, and from one other computer. */
const MOST_CONNECTIONS = 512;
const MOST_OF_ONE = 128;
/** Connections beyond those, for stops alone; each is closed when it says nothing for a while, ms. */
const RESERVED = 16;
const RESERVED_SILENCE = 3000;
/** Addresses whose requests are counted at once. */
const MOST_ADDRESSES = 4096;

interface Bucket {
  left: number;
  /** s */
  filled: number;
}

/** Keeps any client from taking the bridge away from the others, and always leaves a way for a stop. */
export class Limits {
  readonly #rate: number;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();
  readonly #counts = new Map<string, number>();
  readonly #known = new WeakSet<Socket>();
  readonly #forStops = new WeakSet<Socket>();
  #open = 0;

  /** @param rate requests and messages per second of one other computer */
  constructor(rate: number, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Counts the connections of a server. @param secure it encrypts */
  watch(server: Server, secure: boolean): void {
    server.maxConnections = MOST_CONNECTIONS + RESERVED;
    server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => this.#count(socket));
  }

  /**
   * @param url as it was asked for
   * @throws {HttpProblem} 429 when the client asks too often, 503 when its connection is kept for stops
   */
  check(socket: Socket, url: string): void {
    if (isStop(url)) return;
    if (this.#forStops.has(socket)) {
      throw new HttpProblem(503, 'There are too many connections: only a stop is answered.', { 'retry-after': '1' });
    }
    if (this.allows(socket.remoteAddress)) return;
    throw new HttpProblem(429, `More than ${this.#rate} requests a second from one client: wait a moment.`, {
      'retry-after': '1',
    });
  }

  /** Whether a client may send another request or message now. Those of this computer may always. */
  allows(address: string | undefined): boolean {
    if (address === undefined || isLoopback(address)) return true;
    const now = this.#clock.now();
    let bucket = this.#buckets.get(address);
    if (bucket === undefined) {
      if (this.#buckets.size >= MOST_ADDRESSES) this.#buckets.delete(this.#buckets.keys().next().value!);
      bucket = { left: this.#rate, filled: now };
      this.#buckets.set(address, bucket);
    }
    bucket.left = Math.min(this.#rate, bucket.left + (now - bucket.filled) * this.#rate);
    bucket.filled = now;
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }

  #count(socket: Socket): void {
    // An upgrade that is not carried out hands its connection over anew.
    if (this.#known.has(socket)) return;
    this.#known.add(socket);
    const address = socket.remoteAddress ?? '';
    const ofOne = (this.#counts.get(address) ?? 0) + 1;
    this.#counts.set(address, ofOne);
    this.#open++;
    socket.once('close', () => this.#release(address));
    const crowded = this.#open > MOST_CONNECTIONS || (ofOne > MOST_OF_ONE && !isLoopback(address));
    if (!crowded) return;
    this.#forStops.add(socket);
    socket.setTimeout(RESERVED_SILENCE, () => socket.destroy());
  }

  #release(address: string): void {
    this.#open--;
    const left = (this.#counts.get(address) ?? 1) - 1;
    if (left > 0) this.#counts.set(address, left);
    else this.#counts.delete(address);
  }
}
