import type { Server } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import { bareAddress, isLoopback } from './addresses.ts';
import { isDeaf } from './connections.ts';
import { HttpProblem } from './errors.ts';
import type { Access } from './route.ts';

/** Most connections at once: from this computer, from all others together, from one network, and from one address of it. */
const MOST_LOCAL = 256;
const MOST_REMOTE = 384;
const MOST_OF_NETWORK = 256;
const MOST_OF_ONE = 128;
/** Extra connections for stops only: from this computer, from all others together, and from one other. */
const LOCAL_STOPS = 16;
const REMOTE_STOPS = 32;
const STOPS_OF_ONE = 4;
/** A stop-only connection ends after this time, s. */
const STOP_TIME = 4;
/** Most addresses whose requests are counted at once. */
const MOST_ADDRESSES = 4096;

interface Bucket {
  left: number;
  /** s */
  filled: number;
}

/** Key of a share: this computer, or the address of another one. */
function shareOf(address: string): string {
  return isLoopback(address) ? 'local' : bareAddress(address);
}

/**
 * Key of the network of an address or share: `local` for this computer; the /64 of an IPv6 address, in which one computer may
 * have many addresses and many computers of a laboratory one each; otherwise the share itself.
 */
export function networkOf(address: string): string {
  const share = shareOf(address);
  if (!isIPv6(share)) return share;
  const [head = '', tail = ''] = share.split('::');
  const before = head.split(':').filter((group) => group !== '');
  const after = tail.split(':').filter((group) => group !== '');
  const zeros = share.includes('::') ? Array<string>(8 - before.length - after.length).fill('0') : [];
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}

/** Both endpoints of a connection: the same for a raw socket and its TLS socket. */
const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;

/** The oldest connection of the network that has most of them. @param open with their networks, oldest first, at least one */
function oldestOfLargest(open: readonly (readonly [Socket, string])[]): Socket {
  const count = new Map<string, number>();
  for (const [, network] of open) count.set(network, (count.get(network) ?? 0) + 1);
  const most = Math.max(...count.values());
  return open.find(([, network]) => count.get(network) === most)![0];
}

/** Keeps one client from starving the others, and always leaves room for a stop. */
export class Limits {
  readonly #rate: number;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();
  /** Ordinary connections by share, oldest first. */
  readonly #open = new Map<string, Set<Socket>>();
  #remote = 0;
  /** Ordinary connections of others by network. */
  readonly #networks = new Map<string, number>();
  /** Stop-only connections with their share, oldest first. */
  readonly #stops = new Map<Socket, string>();
  readonly #known = new WeakSet<Socket>();
  /** Stop-only sockets, raw or TLS, and the endpoints by which the TLS sockets are recognised. */
  readonly #forStops = new WeakSet<Socket>();
  readonly #stopEnds = new Set<string>();

  /** @param rate most requests and messages per second from one other computer */
  constructor(rate: number, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Counts the connections of a server from the moment they are accepted, even silent ones. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#count(socket));
    server.on('secureConnection', (socket: Socket) => {
      if (this.#stopEnds.has(endsOf(socket))) this.#forStops.add(socket);
    });
  }

  /**
   * @param access access level of the requested route
   * @throws {HttpProblem} 429 if the client asks too often, 503 if its connection is stop-only
   */
  check(socket: Socket, access: Access): void {
    if (access === 'stop') return;
    if (this.#forStops.has(socket)) {
      throw new HttpProblem(503, 'There are too many connections: only a stop is answered.', { 'retry-after': '1' });
    }
    if (this.allows(socket.remoteAddress)) return;
    throw new HttpProblem(429, `More than ${this.#rate} requests a second from one client: wait a moment.`, {
      'retry-after': '1',
    });
  }

  /** RateLimit headers for a client; null for this computer, which has no limit. */
  told(address: string | undefined): Readonly<Record<string, string>> | null {
    if (address === undefined || isLoopback(address)) return null;
    const bucket = this.#buckets.get(networkOf(address));
    const left =
      bucket === undefined
        ? this.#rate
        : Math.min(this.#rate, bucket.left + (this.#clock.now() - bucket.filled) * this.#rate);
    return {
      'ratelimit-limit': String(this.#rate),
      'ratelimit-remaining': String(Math.max(0, Math.floor(left) - 1)),
      'ratelimit-reset': '1',
    };
  }

  /** Whether a client may send another request or message now; always true for this computer. Counts it. */
  allows(address: string | undefined): boolean {
    if (address === undefined || isLoopback(address)) return true;
    // By network: in a new address every few requests, one computer would have no limit.
    const share = networkOf(address);
    const now = this.#clock.now();
    let bucket = this.#buckets.get(share);
    if (bucket === undefined) {
      if (this.#buckets.size >= MOST_ADDRESSES) this.#buckets.delete(this.#buckets.keys().next().value!);
      bucket = { left: this.#rate, filled: now };
      this.#buckets.set(share, bucket);
    }
    bucket.left = Math.min(this.#rate, bucket.left + (now - bucket.filled) * this.#rate);
    bucket.filled = now;
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }

  #count(socket: Socket): void {
    // A declined upgrade emits its connection again.
    if (this.#known.has(socket)) return;
    this.#known.add(socket);
    const share = shareOf(socket.remoteAddress ?? '');
    const isLocal = share === 'local';
    const network = networkOf(share);
    const isFull = (): boolean =>
      isLocal
        ? this.#ofShare(share).size >= MOST_LOCAL
        : this.#ofShare(share).size >= MOST_OF_ONE ||
          (this.#networks.get(network) ?? 0) >= MOST_OF_NETWORK ||
          this.#remote >= MOST_REMOTE;
    if (isFull()) this.#endDeaf(share);
    if (isFull()) {
      this.#keepForStops(socket, share);
      return;
    }
    this.#open.set(share, this.#ofShare(share).add(socket));
    if (!isLocal) {
      this.#remote++;
      this.#networks.set(network, (this.#networks.get(network) ?? 0) + 1);
    }
    socket.once('close', () => this.#forget(socket, share));
  }

  #ofShare(share: string): Set<Socket> {
    return this.#open.get(share) ?? new Set();
  }

  /** Ends the oldest connection of a share whose client may have left unnoticed while its answers queue. */
  #endDeaf(share: string): void {
    for (const socket of this.#ofShare(share)) {
      if (!isDeaf(socket)) continue;
      socket.destroy();
      this.#forget(socket, share);
      return;
    }
  }

  /** Gives up the place of a connection, once. */
  #forget(socket: Socket, share: string): void {
    const open = this.#ofShare(share);
    if (!open.delete(socket)) return;
    if (open.size === 0) this.#open.delete(share);
    if (share === 'local') return;
    this.#remote--;
    const network = networkOf(share);
    const left = this.#networks.get(network)! - 1;
    if (left > 0) this.#networks.set(network, left);
    else this.#networks.delete(network);
  }

  /**
   * A new connection replaces the oldest of its share, or where others leave it no place, of the network that has most: a
   * stop is sent at once, so an older one has had its time.
   */
  #keepForStops(socket: Socket, share: string): void {
    const isLocal = share === 'local';
    const sameShare = [...this.#stops].filter(([, other]) => other === share);
    const remote = [...this.#stops].flatMap(([other, its]) =>
      its === 'local' ? [] : [[other, networkOf(its)] as const],
    );
    if (sameShare.length >= (isLocal ? LOCAL_STOPS : STOPS_OF_ONE)) sameShare[0]![0].destroy();
    else if (!isLocal && remote.length >= REMOTE_STOPS) oldestOfLargest(remote).destroy();
    const ends = endsOf(socket);
    this.#stops.set(socket, share);
    this.#forStops.add(socket);
    this.#stopEnds.add(ends);
    const over = this.#clock.after(STOP_TIME, () => socket.destroy(), true);
    socket.once('close', () => {
      over.cancel();
      this.#stops.delete(socket);
      this.#stopEnds.delete(ends);
    });
  }
}
