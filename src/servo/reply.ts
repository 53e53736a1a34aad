/**
 * A status packet: servo id, its error byte, and its parameters as `bytes[from .. from + length)`, which are only valid
 * during the call.
 */
export type StatusHandler = (id: number, error: number, bytes: Uint8Array, from: number, length: number) => void;

/** Finds status packets in a byte stream of any chunking; skips and counts all other bytes. */
export interface ReplyParser {
  /** Bytes that belonged to no valid packet, since construction. */
  readonly discarded: number;
  /** Takes the next bytes and calls the handler once per complete valid packet. */
  push(chunk: Uint8Array): void;
  /** Drops a packet that has come only in part. */
  reset(): void;
  /**
   * No more bytes will come: an incomplete packet counts as noise, and valid packets behind it are handed out.
   * Otherwise noise that looks like a header could hide the replies that follow it.
   */
  flush(): void;
}
