import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { Clock } from '../clock.ts';
import { bareAddress, isLoopback } from './addresses.ts';
import { HttpProblem } from './errors.ts';

/** Most datagrams processed per second. */
export const MOST_A_SECOND = 200;
/** Largest datagram processed, bytes. */
export const LARGEST = 4096;
/** A port without datagrams for this long is closed, s. */
const IDLE = 600;

/** Destination for datagrams. */
export interface Place {
  readonly host: string;
  readonly port: number;
  /** Every datagram must contain it. */
  readonly secret: string;
}

/** Handles the text of a datagram; `reply` answers its sender. */
export type Take = (text: string, reply: (answer: object) => void) => void;

/**
 * A UDP port, opened by an admitted request. Datagrams have no headers, so the guard cannot check them: they are
 * accepted only from computers that have asked for the port.
 */
export class DatagramPort {
  readonly #clock: Clock;
  readonly #askers = new Set<string>();
  #socket: Socket | null = null;
  #place: Place | null = null;
  #window = 0;
  #inWindow = 0;
  #heard = 0;
  /** Settles when the last requested opening is done. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #watch: { cancel(): void };

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#watch = clock.every(
      IDLE / 10,
      () => {
        if (this.#socket !== null && clock.now() - this.#heard > IDLE) this.stop();
      },
      true,
    );
  }

  /** Whether a text is the secret of the open port. */
  knows(secret: string): boolean {
    if (this.#place === null) return false;
    const [sent, own] = [secret, this.#place.secret].map((text) => Buffer.from(text));
    return sent!.length === own!.length && timingSafeEqual(sent!, own!);
  }

  /**
   * Opens a port, or returns the one already open at that address.
   * @param host address of this computer
   * @param asker address of the computer whose datagrams are accepted
   * @param take receives the datagrams
   * @throws {HttpProblem} 503 if the port is stopped meanwhile
   */
  start(host: string, asker: string, take: Take): Promise<Place> {
    // Concurrent requests are serialised: the second gets the port that the first has opened.
    const started = this.#turn.then(() => this.#start(bareAddress(host), bareAddress(asker), take));
    this.#turn = started.catch(() => {});
    return started;
  }

  async #start(host: string, asker: string, take: Take): Promise<Place> {
    this.#heard = this.#clock.now();
    if (this.#place?.host !== host) {
      this.stop();
      const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
      this.#socket = socket;
      socket.on('message', (data, from) => this.#hear(socket, data, from, take));
      socket.bind(0, host);
      await Promise.race([once(socket, 'listening'), once(socket, 'close')]);
      if (this.#socket !== socket) throw new HttpProblem(503, 'The port has been closed while it was being opened.');
      socket.on('error', () => this.stop());
      socket.unref();
      this.#place = { host, port: socket.address().port, secret: randomBytes(18).toString('base64url') };
    }
    this.#askers.add(asker);
    return this.#place!;
  }

  /** Closes the port; later datagrams are ignored. */
  stop(): void {
    this.#socket?.close();
    this.#socket = null;
    this.#place = null;
    this.#askers.clear();
  }

  close(): void {
    this.#watch.cancel();
    this.stop();
  }

  #hear(socket: Socket, data: Buffer, { address, port }: RemoteInfo, take: Take): void {
    // Port 0 cannot be answered, and no honest sender has it.
    if (socket !== this.#socket || port === 0 || !this.#askers.has(bareAddress(address)) || data.length > LARGEST)
      return;
    const reply = (answer: object): void => {
      if (socket === this.#socket) socket.send(JSON.stringify(answer), port, address);
    };
    const now = this.#clock.now();
    this.#heard = now;
    if (now - this.#window >= 1) {
      this.#window = now;
      this.#inWindow = 0;
    }
    if (++this.#inWindow > MOST_A_SECOND) {
      // Only this computer gets the answer: a forged sender address would direct it at someone who did not ask.
      if (isLoopback(address)) reply({ error: 'rate_limited', detail: `Exceeded ${MOST_A_SECOND} msgs/sec` });
      return;
    }
    take(data.toString('utf8'), reply);
  }
}
