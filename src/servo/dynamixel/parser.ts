import type { ReplyParser, StatusHandler } from '../reply.ts';
import { BROADCAST_ID, Instruction, MAX_ID } from './constants.ts';
import { crc16, INSTRUCTION_AT, LENGTH_AT, MAX_FRAME, OUTSIDE_LENGTH, PARAMETERS_AT, unstuff } from './frame.ts';

/** Instruction, error and CRC: the length of a status packet without parameters. */
const MIN_LENGTH = 4;
const MIN_FRAME = OUTSIDE_LENGTH + MIN_LENGTH;

/** Error, id and CRC around the data of one servo in the answer to a fast sync read. */
const FAST_OVERHEAD = 4;

/**
 * Finds status packets in a byte stream of any chunking; skips what is none and counts it. Allocates nothing.
 *
 * The answer to a fast sync read is one frame with a block per servo, each with a CRC over all bytes since the frame's
 * beginning. Each block is handed out as soon as its CRC is there, so that a servo that fails takes only those behind it
 * along. Such a frame carries no stuffing: the first servo sends the length of it all before the others have spoken.
 */
export class StatusParser implements ReplyParser {
  discarded = 0;
  readonly #buffer = new Uint8Array(4 * MAX_FRAME);
  #length = 0;
  readonly #handler: StatusHandler;
  #fastData = 0;
  /** Blocks of the fast frame at the buffer's beginning end here; 0 before the first. */
  #fastDone = 0;
  #fastCrc = 0;
  /** Counts resets: a handler may begin the next read, which empties the buffer under the scan that called it. */
  #resets = 0;

  constructor(handler: StatusHandler) {
    this.#handler = handler;
  }

  /** Bytes of data per servo in the answer to a fast sync read; 0 when none is awaited. */
  expectFast(length: number): void {
    this.#fastData = length;
  }

  reset(): void {
    this.discarded += this.#length - (this.#fastDone > PARAMETERS_AT ? this.#fastDone : 0);
    this.#length = 0;
    this.#fastDone = 0;
    this.#resets++;
  }

  push(chunk: Uint8Array): void {
    let taken = 0;
    while (taken < chunk.length) {
      const room = this.#buffer.length - this.#length;
      const count = Math.min(room, chunk.length - taken);
      for (let i = 0; i < count; i++) this.#buffer[this.#length + i] = chunk[taken + i]!;
      this.#length += count;
      taken += count;
      this.#scan();
    }
  }

  flush(): void {
    while (this.#length > 0) {
      this.#drop(this.#refuse());
      this.#scan();
    }
  }

  #scan(): void {
    const resets = this.#resets;
    let at = 0;
    while (this.#length - at >= MIN_FRAME) {
      const used = this.#frame(at);
      if (this.#resets !== resets) return;
      if (used === 0) break;
      at += used;
    }
    this.#drop(at);
  }

  /** Bytes that the frame at `at` takes, good or not; 0 while it is not complete. */
  #frame(at: number): number {
    const buffer = this.#buffer;
    const length = buffer[at + LENGTH_AT]! | (buffer[at + LENGTH_AT + 1]! << 8);
    const id = buffer[at + 4]!;
    if (
      buffer[at] !== 0xff ||
      buffer[at + 1] !== 0xff ||
      buffer[at + 2] !== 0xfd ||
      buffer[at + 3] !== 0x00 ||
      buffer[at + INSTRUCTION_AT] !== Instruction.status ||
      length < MIN_LENGTH ||
      length + OUTSIDE_LENGTH > MAX_FRAME
    ) {
      return this.#refuse();
    }
    if (id === BROADCAST_ID) return this.#fast(at, length);
    if (id > MAX_ID) return this.#refuse();
    const total = length + OUTSIDE_LENGTH;
    if (this.#length - at < total) return 0;
    const end = at + total - 2;
    if (crc16(buffer, at, end) !== (buffer[end]! | (buffer[end + 1]! << 8))) return this.#refuse();
    const last = unstuff(buffer, at + PARAMETERS_AT, end);
    this.#handler(id, buffer[at + PARAMETERS_AT]!, buffer, at + PARAMETERS_AT + 1, last - at - PARAMETERS_AT - 1);
    return total;
  }

  #fast(at: number, length: number): number {
    const buffer = this.#buffer;
    const block = this.#fastData + FAST_OVERHEAD;
    if (this.#fastData === 0 || (length - 1) % block !== 0) return this.#refuse();
    const total = length + OUTSIDE_LENGTH;
    if (this.#fastDone === 0) {
      this.#fastDone = PARAMETERS_AT;
      this.#fastCrc = crc16(buffer, at, at + PARAMETERS_AT);
    }
    const resets = this.#resets;
    while (this.#fastDone < total) {
      const from = at + this.#fastDone;
      const end = from + block - 2;
      if (this.#length < end + 2) return 0;
      const crc = crc16(buffer, from, end, this.#fastCrc);
      if (crc !== (buffer[end]! | (buffer[end + 1]! << 8))) return this.#refuse();
      this.#fastCrc = crc16(buffer, end, end + 2, crc);
      this.#fastDone += block;
      this.#handler(buffer[from + 1]!, buffer[from]!, buffer, from + 2, this.#fastData);
      if (this.#resets !== resets) return 0;
    }
    this.#fastDone = 0;
    return total;
  }

  /** Gives up the frame at hand: what was handed out of it is used, otherwise its first byte was noise. */
  #refuse(): number {
    const used = this.#fastDone > PARAMETERS_AT ? this.#fastDone : 1;
    this.#fastDone = 0;
    if (used === 1) this.discarded++;
    return used;
  }

  #drop(count: number): void {
    if (count === 0) return;
    this.#buffer.copyWithin(0, count, this.#length);
    this.#length -= count;
  }
}
