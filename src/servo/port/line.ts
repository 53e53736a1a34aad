/** An open serial line: the part of a serial port that differs between systems. */
export interface Line {
  /** Bytes that were thrown away because the line did not take them, since it was opened. */
  readonly dropped: number;
  /** As `BytePort.write`. */
  write(bytes: Uint8Array): void;
  /** Gives the line back; no handler is called after it was called. */
  close(): Promise<void>;
}

export interface LineHandlers {
  /** The chunk is only valid during the call. */
  readonly onBytes: (chunk: Uint8Array) => void;
  /** The far end went away; called once. @param cause for people, may be empty */
  readonly onLost: (cause: string) => void;
}
