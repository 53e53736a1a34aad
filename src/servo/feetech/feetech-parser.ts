import { FrameScanner } from '../frame-scanner.ts';
import type { StatusHandler } from '../reply.ts';
import { BROADCAST_ID } from './feetech-constants.ts';
import { checksum, FRAME_OVERHEAD, MAX_FRAME } from './feetech-frame.ts';

/** Finds Feetech status packets in a byte stream of any chunking. */
export class StatusParser extends FrameScanner {
  constructor(handler: StatusHandler) {
    super(handler, FRAME_OVERHEAD, MAX_FRAME);
  }

  protected override frame(at: number): number {
    const { buffer } = this;
    const length = buffer[at + 3]!;
    const total = length + 4;
    // A third 0xFF is a header that began one byte later; ids end below broadcast.
    const plausible =
      buffer[at] === 0xff &&
      buffer[at + 1] === 0xff &&
      buffer[at + 2]! < BROADCAST_ID &&
      length >= 2 &&
      total <= MAX_FRAME;
    if (!plausible) return this.refuse();
    if (this.length - at < total) return 0;
    if (checksum(buffer, at + 2, at + total - 1) !== buffer[at + total - 1]) return this.refuse();
    this.handler(buffer[at + 2]!, buffer[at + 4]!, buffer, at + 5, length - 2);
    return total;
  }
}
