import type { Clock } from '../../clock.ts';

/** Why a byte port closed or could not be opened; `message` says what to do next. */
export class PortError extends Error {
  constructor(
    readonly code: 'not_found' | 'permission' | 'busy' | 'closed' | 'unsupported' | 'failed',
    message: string,
  ) {
    super(message);
    this.name = 'PortError';
  }
}

/**
 * A byte source and a byte sink, nothing else: the same bus runs over a serial line, a TCP server or a simulated arm.
 * Handlers are plain fields, set before `open`, so that a received chunk costs one call and no event object.
 */
export interface BytePort {
  /** URL of the port as the configuration names it, for messages. */
  readonly url: string;
  /** Clock that times its bytes. */
  readonly clock: Clock;
  /** Rate of the line, baud; left out if unknown. */
  readonly baudRate?: number;
  /** Advice for users about the open port, such as a latency timer that slows it down. */
  readonly advice?: readonly string[];
  /** Bytes as they arrive, in any chunking. The chunk is only valid during the call. */
  onBytes: (chunk: Uint8Array) => void;
  /** The far end went away; called once. After it, `write` does nothing. */
  onClose: (reason: PortError) => void;
  /** @throws {PortError} when the port cannot be opened. */
  open(): Promise<void>;
  /** Hands over bytes for sending; never blocks and never throws. The caller may reuse the buffer at once. */
  write(bytes: Uint8Array): void;
  close(): Promise<void>;
}
