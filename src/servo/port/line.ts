/** An open serial line: the part of a serial port that differs between systems. */
export interface Line {
  /** Bytes dropped since opening, because the line did not accept them. */
  readonly dropped: number;
  /** As `BytePort.write`. */
  write(bytes: Uint8Array): void;
  /** Closes the line; no handler is called from then on. */
  close(): Promise<void>;
}

export interface LineHandlers {
  /** The chunk is only valid during the call. */
  readonly onBytes: (chunk: Uint8Array) => void;
  /** The far end went away; called once. @param cause for people, may be empty */
  readonly onLost: (cause: string) => void;
}
