import { FrameScanner } from '../frame-scanner.ts';
import type { StatusHandler } from '../reply.ts';
import { BROADCAST_ID, Instruction, MAX_ID } from './dynamixel-constants.ts';
import {
  crc16,
  INSTRUCTION_AT,
  LENGTH_AT,
  MAX_FRAME,
  OUTSIDE_LENGTH,
  PARAMETERS_AT,
  unstuff,
} from './dynamixel-frame.ts';

/** Instruction, error and CRC: the length of a status packet without parameters. */
const MIN_LENGTH = 4;
const MIN_FRAME = OUTSIDE_LENGTH + MIN_LENGTH;

/** Error, id and CRC around the data of one servo in the answer to a fast sync read. */
const FAST_OVERHEAD = 4;

/**
 * Finds Dynamixel status packets in a byte stream of any chunking.
 *
 * The answer to a fast sync read is one frame with a block per servo, each with a CRC over all bytes since the start of
 * the frame. Each block is handed out as soon as its CRC has arrived, so a failing servo only loses those behind it.
 * Such a frame has no stuffing, because the first servo sends its length before the others have answered.
 */
export class StatusParser extends FrameScanner {
  #fastData = 0;
  /** End of the parsed blocks of the fast frame at the start of the buffer; 0 before the first. */
  #fastDone = 0;
  #fastCrc = 0;

  constructor(handler: StatusHandler) {
    super(handler, MIN_FRAME, MAX_FRAME);
  }

  /** Sets the bytes of data per servo in the answer to a fast sync read; 0 if none is awaited. */
  expectFast(length: number): void {
    this.#fastData = length;
  }

  override reset(): void {
    // Bytes of a fast frame that were handed out are not discarded.
    if (this.#fastDone > PARAMETERS_AT) this.discarded -= this.#fastDone;
    this.#fastDone = 0;
    super.reset();
  }

  protected override frame(at: number): number {
    const { buffer } = this;
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
      return this.refuse();
    }
    if (id === BROADCAST_ID) return this.#fast(at, length);
    if (id > MAX_ID) return this.refuse();
    const total = length + OUTSIDE_LENGTH;
    if (this.length - at < total) return 0;
    const end = at + total - 2;
    if (crc16(buffer, at, end) !== (buffer[end]! | (buffer[end + 1]! << 8))) return this.refuse();
    const last = unstuff(buffer, at + PARAMETERS_AT, end);
    this.handler(id, buffer[at + PARAMETERS_AT]!, buffer, at + PARAMETERS_AT + 1, last - at - PARAMETERS_AT - 1);
    return total;
  }

  #fast(at: number, length: number): number {
    const { buffer } = this;
    const block = this.#fastData + FAST_OVERHEAD;
    if (this.#fastData === 0 || (length - 1) % block !== 0) return this.refuse();
    const total = length + OUTSIDE_LENGTH;
    if (this.#fastDone === 0) {
      this.#fastDone = PARAMETERS_AT;
      this.#fastCrc = crc16(buffer, at, at + PARAMETERS_AT);
    }
    const { resets } = this;
    while (this.#fastDone < total) {
      const from = at + this.#fastDone;
      const end = from + block - 2;
      if (this.length < end + 2) return 0;
      const crc = crc16(buffer, from, end, this.#fastCrc);
      if (crc !== (buffer[end]! | (buffer[end + 1]! << 8))) return this.refuse();
      this.#fastCrc = crc16(buffer, end, end + 2, crc);
      this.#fastDone += block;
      this.handler(buffer[from + 1]!, buffer[from]!, buffer, from + 2, this.#fastData);
      if (this.resets !== resets) return 0;
    }
    this.#fastDone = 0;
    return total;
  }

  protected override refuse(): number {
    // Skips the bytes of a fast frame that were handed out; otherwise the first byte was noise.
    const used = this.#fastDone;
    this.#fastDone = 0;
    return used > PARAMETERS_AT ? used : super.refuse();
  }
}
