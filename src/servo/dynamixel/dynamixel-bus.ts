import type { BytePort } from '../port/port.ts';
import type { Register } from '../registers.ts';
import { SyncBus } from '../sync-bus.ts';
import { encodeRead, encodeSyncRead, encodeSyncWrite, MAX_FRAME } from './dynamixel-frame.ts';
import { StatusParser } from './dynamixel-parser.ts';

/**
 * Number of incomplete reads in a row, with no fast sync read ever answered whole, after which plain ones take over.
 */
const FAST_ATTEMPTS = 12;
/**
 * Overhead, bytes: of a status packet besides its data; of the answer to a fast sync read besides its blocks; of each
 * block.
 */
const STATUS_FRAME = 11;
const FAST_FRAME = 8;
const FAST_BLOCK = 4;

export interface DynamixelBusOptions {
  /** Whether to try fast sync reads; older firmware does not answer them. */
  readonly fast?: boolean;
}

/**
 * The servos of one arm on one half-duplex Dynamixel bus. A read is one fast sync read, which is answered by one frame.
 * If the first twelve are not answered completely, plain sync reads take over for good: firmware that does not know the
 * instruction stays silent, and so do all servos behind it. By then `SlowBuses` has allowed for a slow line. Once all
 * servos have answered a fast sync read they are known to support it, however disturbed their line is later.
 *
 * All X models have the registers of a cycle at the same addresses, so mixed models need no bulk read.
 */
export class DynamixelBus extends SyncBus<StatusParser> {
  protected override readonly statusOverhead = STATUS_FRAME;
  #fast: boolean;
  #incomplete = 0;
  /** A fast sync read has been answered by all servos. */
  #known = false;

  constructor(port: BytePort, ids: readonly number[], options: DynamixelBusOptions = {}) {
    super(port, ids, MAX_FRAME, (handler) => new StatusParser(handler));
    this.#fast = options.fast ?? true;
  }

  /** Whether reads are fast sync reads. */
  get fast(): boolean {
    return this.#fast;
  }

  protected override askAll(address: number, length: number): number {
    this.parser.expectFast(this.#fast ? length : 0);
    return encodeSyncRead(this.frame, this.ids, address, length, this.#fast);
  }

  protected override askOne(id: number, address: number, length: number): number {
    return encodeRead(this.frame, id, address, length);
  }

  protected override askSome(ids: Uint8Array, address: number, length: number): number {
    return encodeSyncRead(this.frame, ids, address, length);
  }

  protected override allAnswer(length: number, byteTime: number): number {
    if (!this.#fast) return super.allAnswer(length, byteTime);
    // One frame: only the return delay of the first servo counts.
    return this.answerDelay + (FAST_FRAME + this.ids.length * (FAST_BLOCK + length)) * byteTime;
  }

  protected override encodeWrite(ids: Uint8Array, register: Register, values: ArrayLike<number>): number {
    return encodeSyncWrite(this.frame, ids, register.address, register.size, values);
  }

  protected override missed(): void {
    if (this.#fast && !this.#known && ++this.#incomplete >= FAST_ATTEMPTS) this.#fast = false;
  }

  protected override complete(): void {
    this.#known = this.#fast;
  }
}
