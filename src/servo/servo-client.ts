import type { Clock } from '../clock.ts';

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

/** What a servo reports when it is pinged. */
export interface ServoIdentity {
  readonly id: number;
  readonly modelNumber: number;
  /** As the family writes it: "3.10", "46". */
  readonly firmware: string;
}

/** The registers of servos, one servo at a time. */
export interface RegisterAccess {
  /** Permanent EEPROM writes, by servo id: the cells endure some 100 000. */
  readonly eepromWrites: Uint32Array;
  /** @returns `length` bytes from `address` @throws {ServoError} */
  read(id: number, address: number, length: number): Promise<Uint8Array>;
  /** Writes bytes and waits for the servo's acknowledgement. @throws {ServoError} refused when it says no */
  write(id: number, address: number, bytes: Uint8Array): Promise<void>;
}

/**
 * Talks to one servo at a time, with promises: for scanning, set-up and checks, never inside the control loop. It owns
 * the port's bytes from `attach` on. Each transaction has a deadline and is repeated once if its reply is lost or
 * corrupt. A late answer to one request, or to the previous user of the port, is never taken for the answer to another.
 */
export interface ServoClient extends RegisterAccess {
  /** Clock of its deadlines. */
  readonly clock: Clock;
  /**
   * Takes the port's bytes (again), after another user of the port.
   * @param silent no servo that will be asked owes an answer; left out: the client finds that out first
   */
  attach(silent?: boolean): void;
  /**
   * Length of an answer that a servo may still owe, bytes; -1 for none, or if only the previous user of the port can
   * know.
   */
  owed(id: number): number;
  /** Answers of a servo since `attach` that a single servo would not give. */
  oddities(id: number): Oddities;
  /** Counts the requests to all servos. */
  readonly asks: Asks;
  /** Resolves to null when no servo has this id. */
  ping(id: number): Promise<ServoIdentity | null>;
  /** Writes bytes without waiting for an acknowledgement, to a servo that may be set to give none. */
  post(id: number, address: number, bytes: Uint8Array): void;
  /** Prepares a write that `action` carries out. @throws {ServoError} */
  regWrite(id: number, address: number, bytes: Uint8Array): Promise<void>;
  /** Carries out all prepared writes at once; the servos do not answer. */
  action(): void;
  /** Restarts a servo, which clears its alarms. @throws {ServoError} refused where the family cannot */
  reboot(id: number): Promise<void>;
  /**
   * Asks once for `length` bytes from `address`, and listens until none has come for the deadline.
   * @throws {ServoError} closed
   */
  echo(id: number, address: number, length: number): Promise<Echo>;
}

/** Answers to one request to one id. */
export interface Echo {
  /** Intelligible answers of this id. */
  readonly answers: number;
  /** Other bytes came too, such as those of colliding answers. */
  readonly noise: boolean;
}

/** Requests to single servos, repeats and probes included. */
export interface Asks {
  readonly made: number;
  /** Requests without an intelligible answer in time. */
  readonly missed: number;
}

/** Signs that two servos have one id, or that the line is disturbed. */
export interface Oddities {
  /** Unexpected answers with the length of the last expected one. */
  readonly doubled: number;
  /** Requests after which damaged bytes came. */
  readonly damaged: number;
}
