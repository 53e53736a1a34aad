import type { Clock } from '../clock.ts';
import { type ClientOptions, Exchange, type Reply } from './exchange.ts';
import type { BytePort } from './port/port.ts';
import type { ReplyParser, StatusHandler } from './reply.ts';
import {
  type Asks,
  type Echo,
  type Oddities,
  type ServoClient,
  ServoError,
  type ServoIdentity,
} from './servo-client.ts';

/** Ids fit a byte. */
const IDS = 256;

/** What a family's frame module exports: each function writes a frame into `out` and returns its length. */
interface Framing {
  readonly MAX_FRAME: number;
  readonly encodePing: (out: Uint8Array, id: number) => number;
  readonly encodeRead: (out: Uint8Array, id: number, address: number, length: number) => number;
  readonly encodeWrite: (out: Uint8Array, id: number, address: number, bytes: Uint8Array) => number;
  readonly encodeRegWrite: (out: Uint8Array, id: number, address: number, bytes: Uint8Array) => number;
  readonly encodeAction: (out: Uint8Array) => number;
}

/** Common part of the clients of all families; the family adds a servo's identity and its refusals. */
export abstract class ExchangeClient implements ServoClient {
  readonly clock: Clock;
  readonly eepromWrites = new Uint32Array(IDS);
  protected readonly exchange: Exchange;
  /** Buffer for frames: each is sent, or copied, before the next is made. */
  protected readonly out: Uint8Array;
  readonly #framing: Framing;

  constructor(
    port: BytePort,
    framing: Framing,
    makeParser: (handler: StatusHandler) => ReplyParser,
    options: ClientOptions = {},
  ) {
    this.clock = port.clock;
    this.out = new Uint8Array(framing.MAX_FRAME);
    this.#framing = framing;
    const probe = (id: number, length: number): Uint8Array => this.framed(framing.encodeRead(this.out, id, 0, length));
    this.exchange = new Exchange(port, makeParser, probe, options);
  }

  abstract ping(id: number): Promise<ServoIdentity | null>;
  abstract reboot(id: number): Promise<void>;
  /**
   * Sends a request, and throws if the answer is a refusal.
   * @param what the request, for users
   * @param address of the register that it concerns; null without one
   * @param length bytes of an answer that is not a refusal
   * @throws {ServoError}
   */
  protected abstract ask(
    id: number,
    frame: Uint8Array,
    what: string,
    address: number | null,
    length: number,
  ): Promise<Reply>;

  attach(silent = false): void {
    this.exchange.attach(silent);
  }

  owed(id: number): number {
    return this.exchange.owed(id);
  }

  oddities(id: number): Oddities {
    return this.exchange.oddities(id);
  }

  get asks(): Asks {
    return this.exchange.asks;
  }

  /** The answer to a ping, of `length` bytes; null when there is none. @throws {ServoError} corrupt */
  protected async pinged(id: number, length: number): Promise<Reply | null> {
    const outcome = await this.exchange.tryAsk(id, this.framed(this.#framing.encodePing(this.out, id)), length);
    if (outcome === 'timeout') return null;
    if (outcome !== 'corrupt') return outcome;
    throw new ServoError(
      'corrupt',
      id,
      `something answers a ping of servo id ${id} with damaged bytes: check the baud rate and the cable, and that no ` +
        'two servos have this id',
    );
  }

  async read(id: number, address: number, length: number): Promise<Uint8Array> {
    const what = `the read of ${length} bytes at register address ${address}`;
    const frame = this.framed(this.#framing.encodeRead(this.out, id, address, length));
    const { bytes } = await this.ask(id, frame, what, address, length);
    return bytes;
  }

  async write(id: number, address: number, bytes: Uint8Array): Promise<void> {
    const what = `the write of ${bytes.length} bytes at register address ${address}`;
    await this.ask(id, this.framed(this.#framing.encodeWrite(this.out, id, address, bytes)), what, address, 0);
  }

  post(id: number, address: number, bytes: Uint8Array): void {
    this.exchange.post(id, this.framed(this.#framing.encodeWrite(this.out, id, address, bytes)));
  }

  async regWrite(id: number, address: number, bytes: Uint8Array): Promise<void> {
    const what = `the prepared write of ${bytes.length} bytes at register address ${address}`;
    await this.ask(id, this.framed(this.#framing.encodeRegWrite(this.out, id, address, bytes)), what, address, 0);
  }

  action(): void {
    this.exchange.send(this.framed(this.#framing.encodeAction(this.out)));
  }

  echo(id: number, address: number, length: number): Promise<Echo> {
    return this.exchange.echo(id, this.framed(this.#framing.encodeRead(this.out, id, address, length)));
  }

  protected framed(length: number): Uint8Array {
    return this.out.subarray(0, length);
  }
}
