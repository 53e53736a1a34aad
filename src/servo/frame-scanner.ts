import type { ReplyParser, StatusHandler } from './reply.ts';

/**
 * What the parsers of all families have in common: bytes come in any chunking, frames are looked for at each place, and
 * what is none is skipped and counted. A family knows its frames. Allocates nothing.
 */
export abstract class FrameScanner implements ReplyParser {
  discarded = 0;
  protected readonly handler: StatusHandler;
  /** Bytes that are in no frame yet, `length` of them; frames are found from its beginning on. */
  protected readonly buffer: Uint8Array;
  protected length = 0;
  /** Counts resets: a handler may begin the next read, which empties the buffer under the scan that called it. */
  protected resets = 0;
  readonly #minFrame: number;

  /**
   * @param minFrame bytes below which no frame is complete
   * @param maxFrame longest frame, bytes
   */
  constructor(handler: StatusHandler, minFrame: number, maxFrame: number) {
    this.handler = handler;
    this.buffer = new Uint8Array(4 * maxFrame);
    this.#minFrame = minFrame;
  }

  /**
   * Hands out the frame at `at`, of which at least `minFrame` bytes are there.
   * @returns bytes that it takes, good or not (then by `refuse`); 0 while it is not complete
   */
  protected abstract frame(at: number): number;

  /** Gives up the frame at hand: its first byte was noise. Returns the bytes to skip. */
  protected refuse(): number {
    this.discarded++;
    return 1;
  }

  reset(): void {
    this.discarded += this.length;
    this.length = 0;
    this.resets++;
  }

  push(chunk: Uint8Array): void {
    let taken = 0;
    while (taken < chunk.length) {
      const room = this.buffer.length - this.length;
      const count = Math.min(room, chunk.length - taken);
      for (let i = 0; i < count; i++) this.buffer[this.length + i] = chunk[taken + i]!;
      this.length += count;
      taken += count;
      this.#scan();
    }
  }

  flush(): void {
    while (this.length > 0) {
      this.#drop(this.refuse());
      this.#scan();
    }
  }

  #scan(): void {
    const { resets } = this;
    let at = 0;
    while (this.length - at >= this.#minFrame) {
      const used = this.frame(at);
      if (this.resets !== resets) return;
      if (used === 0) break;
      at += used;
    }
    this.#drop(at);
  }

  #drop(count: number): void {
    if (count === 0) return;
    this.buffer.copyWithin(0, count, this.length);
    this.length -= count;
  }
}
