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

/** What a servo says of itself when it is pinged. */
export interface ServoIdentity {
  readonly id: number;
  readonly modelNumber: number;
  /** As the family writes it: "3.10", "46". */
  readonly firmware: string;
}

/** The registers of servos, one servo at a time. */
export interface RegisterAccess {
  /** EEPROM registers that were written so that they last, by servo id: its cells bear some 100 000 writes. */
  readonly eepromWrites: Uint32Array;
  /** @returns `length` bytes from `address` @throws {ServoError} */
  read(id: number, address: number, length: number): Promise<Uint8Array>;
  /** Writes bytes and waits for the servo's acknowledgement. @throws {ServoError} refused when it says no */
  write(id: number, address: number, bytes: Uint8Array): Promise<void>;
}

/**
 * One servo at a time, by promises: for scanning, set-up and checks, never inside the control loop. It owns the port's
 * bytes from `attach` on. Each transaction has a deadline and is repeated once when its reply is lost or corrupt. A late
 * answer to one request, or to one of whoever used the port before, is never taken for the answer to another.
 */
export interface ServoClient extends RegisterAccess {
  /** By which it waits for answers. */
  readonly clock: Clock;
  /**
   * Takes the port's bytes (again), after somebody else has used the port.
   * @param silent no answer is under way of any servo that will be asked; left out: that is found out first
   */
  attach(silent?: boolean): void;
  /** Bytes of an answer of a servo that may still come; -1 for none, or where only whoever had the port before can know. */
  owed(id: number): number;
  /** What a servo has answered since `attach` that a single servo does not. */
  oddities(id: number): Oddities;
  /** What has been asked of all servos so far. */
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
  /** Asks once for `length` bytes from `address`, and listens until nothing has come for the deadline. @throws {ServoError} closed */
  echo(id: number, address: number, length: number): Promise<Echo>;
}

/** What comes back when one id is asked once. */
export interface Echo {
  /** Intelligible answers of this id. */
  readonly answers: number;
  /** Bytes came that are no answer, such as those of answers that collide. */
  readonly noise: boolean;
}

/** Frames that single servos were to answer, repeated ones and probes included. */
export interface Asks {
  readonly made: number;
  /** Those that had no intelligible answer in time. */
  readonly missed: number;
}

/** Signs that two servos have one id, or that the line is disturbed. */
export interface Oddities {
  /** Answers that nobody waited for, as long as the one that was waited for before. */
  readonly doubled: number;
  /** Requests after which damaged bytes came. */
  readonly damaged: number;
}
