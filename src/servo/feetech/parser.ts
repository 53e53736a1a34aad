import type { ReplyParser, StatusHandler } from '../reply.ts';
import { BROADCAST_ID } from './constants.ts';
import { checksum, FRAME_OVERHEAD, MAX_FRAME } from './frame.ts';

/** Finds status packets in a byte stream of any chunking; skips what is none and counts it. Allocates nothing. */
export class StatusParser implements ReplyParser {
  discarded = 0;
  readonly #buffer = new Uint8Array(4 * MAX_FRAME);
  #length = 0;
  readonly #handler: StatusHandler;
  /** Counts resets: a handler may begin the next read, which empties the buffer under the scan that called it. */
  #resets = 0;

  constructor(handler: StatusHandler) {
    this.#handler = handler;
  }

  reset(): void {
    this.discarded += this.#length;
    this.#length = 0;
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
      this.discarded++;
      this.#drop(1);
      this.#scan();
    }
  }

  #scan(): void {
    const buffer = this.#buffer;
    const resets = this.#resets;
    let at = 0;
    while (this.#length - at >= FRAME_OVERHEAD) {
      const length = buffer[at + 3]!;
      // A third 0xFF is a header that began one byte later; ids end below broadcast.
      const plausible =
        buffer[at] === 0xff &&
        buffer[at + 1] === 0xff &&
        buffer[at + 2]! < BROADCAST_ID &&
        length >= 2 &&
        length + 4 <= MAX_FRAME;
      const total = length + 4;
      if (plausible && this.#length - at < total) break;
      if (!plausible || checksum(buffer, at + 2, at + total - 1) !== buffer[at + total - 1]) {
        at++;
        this.discarded++;
        continue;
      }
      this.#handler(buffer[at + 2]!, buffer[at + 4]!, buffer, at + 5, length - 2);
      if (this.#resets !== resets) return;
      at += total;
    }
    this.#drop(at);
  }

  #drop(count: number): void {
    if (count === 0) return;
    this.#buffer.copyWithin(0, count, this.#length);
    this.#length -= count;
  }
}
