/** Why a transaction with one servo failed. */
export type ServoErrorCode = 'timeout' | 'corrupt' | 'refused' | 'closed';

/** A transaction with one servo failed; the message names the servo and what to do next. */
export class ServoError extends Error {
  constructor(
    readonly code: ServoErrorCode,
    readonly id: number,
    message: string,
  ) {
    super(message);
    this.name = 'ServoError';
  }
}

/** What a servo says of itself when it is pinged. */
export interface ServoIdentity {
  readonly id: number;
  readonly modelNumber: number;
  /** As the family writes it: "3.10", "46". */
  readonly firmware: string;
}

/**
 * One servo at a time, by promises: for scanning, set-up and checks, never inside the control loop. It owns the port's
 * bytes from `attach` on. Each transaction has a deadline and is repeated once when its reply is lost or corrupt.
 */
export interface ServoClient {
  /** Takes the port's bytes (again), after somebody else has used the port. */
  attach(): void;
  /** Resolves to null when no servo has this id. */
  ping(id: number): Promise<ServoIdentity | null>;
  /** @returns `length` bytes from `address` @throws {ServoError} */
  read(id: number, address: number, length: number): Promise<Uint8Array>;
  /** Writes bytes and waits for the servo's acknowledgement. @throws {ServoError} refused when it says no */
  write(id: number, address: number, bytes: Uint8Array): Promise<void>;
  /** Prepares a write that `action` carries out. @throws {ServoError} */
  regWrite(id: number, address: number, bytes: Uint8Array): Promise<void>;
  /** Carries out all prepared writes at once; the servos do not answer. */
  action(): void;
  /** Restarts a servo, which clears its alarms. @throws {ServoError} refused where the family cannot */
  reboot(id: number): Promise<void>;
}
