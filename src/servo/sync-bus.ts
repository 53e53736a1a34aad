import type { BytePort } from './port/port.ts';
import type { Register } from './registers.ts';
import type { ReplyParser, StatusHandler } from './reply.ts';
import { MAX_BLOCK, type ServoBus } from './servo-bus.ts';

/** Most bytes that a request asks of a servo; the probes of `Exchange` are longer. */
export const LONGEST_READ = 29;
/**
 * Unanswered requests in a row before the next one waits for `PACE`, and number of requests whose lengths are
 * remembered.
 */
const QUICK = 6;
const OPEN = 16;
/** Time between requests to a line that is silent, s. */
const PACE = 0.05;
/** Time of a byte if the port does not know its rate, s: that of 1 Mbaud. */
const BYTE_TIME = 1e-5;
/** 8N1: start bit, eight data bits, stop bit. */
const BITS_PER_BYTE = 10;

/**
 * Common part of the buses of all families: one request for all servos, replies as they come, and one more request for
 * the missing ones when the deadline passes. A family adds its frames.
 *
 * An answer does not name its request, so a late one would pass for the answer to the next request: a sample older than
 * it claims. Therefore a request that is made while answers are outstanding asks for more bytes than the block, so that
 * its length differs from those of the requests before it, and of another user's requests that a servo has not
 * answered. Answers come in the order of their requests, so once one has been answered whole nothing is outstanding. A
 * silent line is asked rarely, because a stuck adapter may deliver everything later.
 */
export abstract class SyncBus<P extends ReplyParser = ReplyParser> implements ServoBus {
  readonly ids: readonly number[];
  readonly block: Uint8Array;
  readonly answered: Uint8Array;
  readonly errors: Uint8Array;
  readonly lost: Uint32Array;
  readonly doubled: Uint32Array;
  late = false;
  answerDelay = 0;
  onSettled: () => void = () => {};

  protected readonly parser: P;
  /** Buffer for a family's request. */
  protected readonly frame: Uint8Array;

  readonly #port: BytePort;
  readonly #index = new Int16Array(256).fill(-1);
  readonly #missingIds: Uint8Array;
  /** Views of the first n of `missingIds`, each made once. */
  readonly #firstMissing: readonly Uint8Array[];
  /** Servos that a write addresses, views of the first n of them, and their values. */
  readonly #meantIds: Uint8Array;
  readonly #firstMeant: readonly Uint8Array[];
  readonly #meantValues: Float64Array;
  /** Views of the start of `frame` by length, each made once, because a cycle must not allocate objects. */
  readonly #requests: Uint8Array[] = [];
  #missing = 0;
  #length = 0;
  #address = 0;
  #reading = false;
  #retried = false;
  /** Bytes beyond the block that the first request of the read asked for, and the newest one. */
  #firstExcess = 0;
  #excess = 0;
  /**
   * Lengths of the requests that may still be answered, bytes, oldest first. It starts with the newest request that any
   * servo has answered.
   */
  readonly #open = new Int16Array(OPEN);
  #opened = 0;
  /** Time of the last request, s. */
  #lastAsked = Number.NEGATIVE_INFINITY;
  /** The newest request of the read has been sent: answers to it may come. */
  #sent = false;
  /** 1 for each servo that still owes an answer to the newest request or to another user, and their number. */
  readonly #owing: Uint8Array;
  #owed = 0;
  /**
   * Length of an answer to another user that may still come, bytes, by servo; 0 for none that could pass for one of a
   * read.
   */
  readonly #strays: Int16Array;
  /** Instant at which everything sent and expected will have passed the line, s. */
  #lineFree = 0;
  #readTime = 0;

  constructor(port: BytePort, ids: readonly number[], maxFrame: number, makeParser: (handler: StatusHandler) => P) {
    this.ids = ids;
    this.#port = port;
    this.block = new Uint8Array(ids.length * MAX_BLOCK);
    this.answered = new Uint8Array(ids.length);
    this.errors = new Uint8Array(ids.length);
    this.lost = new Uint32Array(ids.length);
    this.doubled = new Uint32Array(ids.length);
    this.#owing = new Uint8Array(ids.length);
    this.#strays = new Int16Array(ids.length);
    this.frame = new Uint8Array(maxFrame);
    const missing = new Uint8Array(ids.length);
    const meant = new Uint8Array(ids.length);
    this.#missingIds = missing;
    this.#firstMissing = Array.from({ length: ids.length + 1 }, (_, count) => missing.subarray(0, count));
    this.#meantIds = meant;
    this.#firstMeant = Array.from({ length: ids.length + 1 }, (_, count) => meant.subarray(0, count));
    this.#meantValues = new Float64Array(ids.length);
    for (const [index, id] of ids.entries()) this.#index[id] = index;
    this.parser = makeParser((id, error, bytes, from, length) => this.#take(id, error, bytes, from, length));
    this.attach();
  }

  /** Writes the request for all servos into `frame`; returns its length. */
  protected abstract askAll(address: number, length: number): number;

  /** Writes the request for one servo into `frame`; returns its length. */
  protected abstract askOne(id: number, address: number, length: number): number;

  /** Writes a request that each of `ids` answers on its own into `frame`; returns its length. */
  protected abstract askSome(ids: Uint8Array, address: number, length: number): number;

  /** Bytes of a status packet besides its data. */
  protected abstract readonly statusOverhead: number;

  /** Writes a sync write to `ids` into `frame`; returns its length. */
  protected abstract encodeWrite(ids: Uint8Array, register: Register, values: ArrayLike<number>): number;

  /** Time that the answers to `askAll` take on the line, s. @param byteTime s */
  protected allAnswer(length: number, byteTime: number): number {
    return this.#answer(this.ids.length, length, byteTime);
  }

  /** The first deadline of a read has passed; called before the missing servos are asked again. */
  protected missed(): void {}

  /** A read has been answered by all servos within its first deadline. */
  protected complete(): void {}

  attach(): void {
    this.#port.onBytes = (chunk) => this.parser.push(chunk);
  }

  get reading(): boolean {
    return this.#reading;
  }

  get readTime(): number {
    return this.#readTime;
  }

  get discarded(): number {
    return this.parser.discarded;
  }

  beginRead(address: number, length: number): void {
    this.parser.reset();
    this.#address = address;
    this.#length = length;
    this.#missing = this.ids.length;
    this.answered.fill(0);
    this.#reading = true;
    this.#retried = false;
    this.late = false;
    if (this.#owed === 0) this.#opened = 0;
    const now = this.#port.clock.now();
    this.#sent = this.#chooseExcess(now);
    this.#firstExcess = this.#excess;
    this.#readTime = Math.max(0, this.#lineFree - now);
    if (!this.#sent) return;
    this.#owing.fill(1);
    this.#owed = this.ids.length;
    const asked = length + this.#excess;
    this.#send(this.askAll(address, asked), now);
    this.#lineFree += this.allAnswer(asked, this.#byteTime);
    this.#readTime = this.#lineFree - now;
  }

  expire(): void {
    if (!this.#reading) return;
    this.parser.flush();
    if (!this.#reading) return;
    if (this.#retried) {
      for (let i = 0; i < this.ids.length; i++) if (this.answered[i] === 0) this.lost[i] = this.lost[i]! + 1;
      this.#settle();
      return;
    }
    this.#retried = true;
    const now = this.#port.clock.now();
    const first = this.#sent;
    if (first) this.missed();
    if (!this.#chooseExcess(now)) return;
    this.#sent = true;
    if (!first) this.#firstExcess = this.#excess;
    this.#send(this.#askMissing(), now);
    this.#lineFree += this.#answer(this.#owed, this.#length + this.#excess, this.#byteTime);
    this.#readTime = this.#lineFree - now;
  }

  owes(id: number): boolean {
    return this.#owing[this.#index[id]!] === 1;
  }

  stray(id: number, length: number): void {
    const index = this.#index[id]!;
    this.#strays[index] = length;
    if (this.#owing[index] === 0) this.#owed++;
    this.#owing[index] = 1;
  }

  abandon(): void {
    this.#reading = false;
    this.parser.reset();
  }

  syncWrite(register: Register, values: ArrayLike<number>, only?: Uint8Array): void {
    let count = 0;
    for (let i = 0; i < this.ids.length; i++) {
      if (only !== undefined && only[i] === 0) continue;
      this.#meantIds[count] = this.ids[i]!;
      this.#meantValues[count++] = values[i]!;
    }
    if (count === 0) return;
    this.#send(this.encodeWrite(this.#firstMeant[count]!, register, this.#meantValues), this.#port.clock.now());
  }

  /**
   * One request, because a second one would collide with the answers to the first. Last servo first: if servos wait for
   * the one before them, those behind a dead one are heard this time.
   */
  #askMissing(): number {
    let count = 0;
    for (let i = this.ids.length - 1; i >= 0; i--) {
      this.#owing[i] = 1 - this.answered[i]!;
      if (this.answered[i] === 0) this.#missingIds[count++] = this.ids[i]!;
    }
    this.#owed = count;
    const asked = this.#length + this.#excess;
    if (count === 1) return this.askOne(this.#missingIds[0]!, this.#address, asked);
    return this.askSome(this.#firstMissing[count]!, this.#address, asked);
  }

  /**
   * Chooses the number of bytes beyond the block so that the answer can be told from all that may still come.
   * @returns whether there is such a number; otherwise nothing must be asked now
   */
  #chooseExcess(now: number): boolean {
    if (this.#opened >= QUICK && now - this.#lastAsked < PACE) return false;
    if (this.#opened === OPEN) this.#close(1);
    for (;;) {
      for (let length = this.#length; length <= LONGEST_READ; length++) {
        if (this.#strays.includes(length) || this.#place(length) >= 0) continue;
        this.#excess = length - this.#length;
        this.#open[this.#opened++] = length;
        this.#lastAsked = now;
        return true;
      }
      if (this.#opened === 0) return false;
      this.#close(1);
    }
  }

  /** Index of the request for this many bytes among those that may still be answered; -1 for none. */
  #place(length: number): number {
    for (let i = 0; i < this.#opened; i++) if (this.#open[i] === length) return i;
    return -1;
  }

  /** Forgets the `count` oldest requests, which will not be answered any more. */
  #close(count: number): void {
    this.#open.copyWithin(0, count, this.#opened);
    this.#opened -= count;
  }

  /** Time that status packets of `count` servos with `length` bytes each take on the line, s. */
  #answer(count: number, length: number, byteTime: number): number {
    return count * (this.answerDelay + (this.statusOverhead + length) * byteTime);
  }

  get #byteTime(): number {
    const { baudRate } = this.#port;
    return baudRate === undefined ? BYTE_TIME : BITS_PER_BYTE / baudRate;
  }

  #send(length: number, now: number): void {
    this.#lineFree = Math.max(this.#lineFree, now) + length * this.#byteTime;
    let request = this.#requests[length];
    if (!request) {
      request = this.frame.subarray(0, length);
      this.#requests[length] = request;
    }
    this.#port.write(request);
  }

  #take(id: number, error: number, bytes: Uint8Array, from: number, length: number): void {
    const index = this.#index[id]!;
    // A stray answer: reads never ask for its length.
    if (index < 0 || (length > 0 && length === this.#strays[index])) return;
    this.errors[index] = error;
    const place = this.#place(length);
    if (place > 0) this.#close(place);
    if (!this.#sent) return;
    const excess = length - this.#length;
    if (excess === this.#excess && this.#owing[index] === 1) {
      this.#owing[index] = 0;
      this.#strays[index] = 0;
      this.#owed--;
    } else if (excess === this.#excess && this.#strays[index] === 0) {
      this.doubled[index] = this.doubled[index]! + 1;
    } else if (excess !== this.#firstExcess) {
      return;
    }
    if (!this.#reading || this.answered[index] === 1) return;
    const to = index * MAX_BLOCK;
    for (let i = 0; i < this.#length; i++) this.block[to + i] = bytes[from + i]!;
    this.answered[index] = 1;
    if (this.#retried && excess === this.#firstExcess) this.late = true;
    this.#missing--;
    if (this.#missing > 0) return;
    if (!this.#retried) this.complete();
    this.#settle();
  }

  #settle(): void {
    this.#reading = false;
    // The line may be free sooner than was estimated.
    if (this.#owed === 0) this.#lineFree = 0;
    this.onSettled();
  }
}
