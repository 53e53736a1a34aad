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
/** Ports without datagrams for this long are closed, s. */
const IDLE = 600;

/** Most clients that may send at once: more than there are hands. A further one replaces the longest silent. */
const MOST_SENDERS = 16;

/** Destination for datagrams. */
export interface Place {
  readonly host: string;
  readonly port: number;
  /** Every datagram of this client must contain it. */
  readonly secret: string;
}

/** Answers the sender of a datagram. */
export type Reply = (answer: object) => void;
/** Handles the text of a datagram. @param from address of the computer that sent it */
export type Receive = (text: string, from: string, reply: Reply) => void;

/** A client that has asked for the port. */
export interface Sender<Message> {
  /** Key of its owner. */
  readonly owner: string;
  /** Bare address of its computer: datagrams from others are ignored. */
  readonly asker: string;
  readonly take: (message: Message, reply: Reply) => void;
}

/**
 * UDP ports, one at each address of this computer that a client has asked at, opened by an admitted request. Datagrams have
 * no headers, so the guard cannot check them: each carries the secret of the client that has asked for the port, and comes
 * from its computer.
 */
export class DatagramPort<Message> {
  readonly #clock: Clock;
  /** By secret, the longest silent first. */
  readonly #senders = new Map<string, Sender<Message>>();
  /** By the address that they are bound to. */
  readonly #sockets = new Map<string, Socket>();
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
        if (this.#sockets.size > 0 && clock.now() - this.#heard > IDLE) this.stop();
      },
      true,
    );
  }

  /** The client with a secret, if the datagram comes from its computer. */
  senderOf(secret: string, from: string): Sender<Message> | null {
    const sent = Buffer.from(secret);
    // Compares all secrets so that the time taken does not reveal which one matched.
    const [known] = [...this.#senders.keys()].filter((own) => {
      const bytes = Buffer.from(own);
      return bytes.length === sent.length && timingSafeEqual(bytes, sent);
    });
    const sender = known === undefined ? undefined : this.#senders.get(known)!;
    if (sender?.asker !== from) return null;
    this.#senders.delete(known!);
    this.#senders.set(known!, sender);
    return sender;
  }

  /** The client of a computer that has asked for the port last. */
  senderAt(from: string): Sender<Message> | null {
    let last: Sender<Message> | null = null;
    for (const sender of this.#senders.values()) if (sender.asker === from) last = sender;
    return last;
  }

  /**
   * Opens a port, or returns the one already open at that address. A client that asks again keeps its secret.
   * @param host address of this computer
   * @param receive handles the datagrams of all senders
   * @throws {HttpProblem} 503 if the port cannot be opened, or is stopped meanwhile
   */
  start(host: string, sender: Sender<Message>, receive: Receive): Promise<Place> {
    // Concurrent requests are serialised: the second gets the port that the first has opened.
    const started = this.#turn.then(() => this.#start(bareAddress(host), sender, receive));
    this.#turn = started.catch(() => {});
    return started;
  }

  async #start(host: string, sender: Sender<Message>, receive: Receive): Promise<Place> {
    this.#heard = this.#clock.now();
    const socket = this.#sockets.get(host) ?? (await this.#open(host, receive));
    return { host, port: socket.address().port, secret: this.#add(sender) };
  }

  async #open(host: string, receive: Receive): Promise<Socket> {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
    this.#sockets.set(host, socket);
    socket.on('message', (data, from) => this.#hear(host, socket, data, from, receive));
    socket.bind(0, host);
    try {
      await Promise.race([once(socket, 'listening'), once(socket, 'close')]);
    } catch (error) {
      this.#sockets.delete(host);
      socket.close();
      throw new HttpProblem(503, `No UDP port can be opened at ${host} (${(error as NodeJS.ErrnoException).code}).`);
    }
    if (!this.#isOpen(host, socket)) throw new HttpProblem(503, 'The port has been closed while it was being opened.');
    socket.on('error', () => this.stop());
    socket.unref();
    return socket;
  }

  #isOpen(host: string, socket: Socket): boolean {
    return this.#sockets.get(host) === socket;
  }

  /** @returns the secret of the sender */
  #add(sender: Sender<Message>): string {
    const { owner, asker } = sender;
    const before = [...this.#senders].find(([, known]) => known.owner === owner && known.asker === asker)?.[0];
    const secret = before ?? randomBytes(18).toString('base64url');
    this.#senders.delete(secret);
    this.#senders.set(secret, sender);
    if (this.#senders.size > MOST_SENDERS) this.#senders.delete(this.#senders.keys().next().value!);
    return secret;
  }

  /** Ignores later datagrams of one client. The ports are closed with the last one. */
  leave(sender: Sender<Message>): void {
    for (const [secret, known] of this.#senders) {
      if (known.owner === sender.owner && known.asker === sender.asker) this.#senders.delete(secret);
    }
    if (this.#senders.size === 0) this.stop();
  }

  /** Closes all ports; later datagrams are ignored. @returns owner keys of the clients that could send */
  stop(): string[] {
    const owners = [...this.#senders.values()].map(({ owner }) => owner);
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
    this.#senders.clear();
    return owners;
  }

  close(): void {
    this.#watch.cancel();
    this.stop();
  }

  #hear(host: string, socket: Socket, data: Buffer, { address, port }: RemoteInfo, receive: Receive): void {
    const from = bareAddress(address);
    // Port 0 cannot be answered, and no honest sender has it.
    if (!this.#isOpen(host, socket) || port === 0 || data.length > LARGEST || this.senderAt(from) === null) return;
    const reply = (answer: object): void => {
      if (this.#isOpen(host, socket)) socket.send(JSON.stringify(answer), port, address);
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
    receive(data.toString('utf8'), from, reply);
  }
}
