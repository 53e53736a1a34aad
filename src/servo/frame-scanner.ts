import type { ReplyParser, StatusHandler } from './reply.ts';

/**
 * Common part of the parsers of all families: bytes come in any chunking, each position is tried as the start of a
 * frame, and other bytes are skipped and counted. A family knows its frames. Allocates nothing.
 */
export abstract class FrameScanner implements ReplyParser {
  discarded = 0;
  protected readonly handler: StatusHandler;
  /** Bytes that are not part of a frame yet, `length` of them; scanning starts at index 0. */
  protected readonly buffer: Uint8Array;
  protected length = 0;
  /** Counts resets: a handler may begin the next read, which empties the buffer under the scan that called it. */
  protected resets = 0;
  readonly #minFrame: number;

  /**
   * @param minFrame shortest complete frame, bytes
   * @param maxFrame longest frame, bytes
   */
  constructor(handler: StatusHandler, minFrame: number, maxFrame: number) {
    this.handler = handler;
    this.buffer = new Uint8Array(4 * maxFrame);
    this.#minFrame = minFrame;
  }

  /**
   * Hands out the frame at `at`, where at least `minFrame` bytes have come.
   * @returns bytes of the frame, or those that `refuse` skips; 0 while the frame is incomplete
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
