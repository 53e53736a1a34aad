import type { Register } from './registers.ts';

/** Longest block that one read may ask of each servo, bytes; late answers cost up to five more. */
export const MAX_BLOCK = 40;

/**
 * The servos of one arm on one half-duplex bus, as the control loop uses them.
 *
 * A read asks all servos at once; replies come through the port while the caller does other things. It settles when
 * every servo has answered, or when the caller's deadline passes twice: the first expiry asks the missing servos once
 * more, the second gives up. Nothing here throws, allocates or waits.
 */
export interface ServoBus {
  readonly ids: readonly number[];
  /** Content of the last read: `MAX_BLOCK` bytes for each servo, in the order of `ids`. */
  readonly block: Uint8Array;
  /** 1 for each servo that answered the last read. */
  readonly answered: Uint8Array;
  /** Error byte of each servo's newest status packet: alarms, the data of the same packet counts. */
  readonly errors: Uint8Array;
  /** Replies that never came, since construction, by servo. */
  readonly lost: Uint32Array;
  /** Second answers to one request, since construction, by servo: two servos have that id. */
  readonly doubled: Uint32Array;
  /** Bytes thrown away because they belonged to no valid packet. */
  readonly discarded: number;
  /** Time from the newest request of a read until the line has carried its answer, with all that was sent before, s. */
  readonly readTime: number;
  /** Longest time that a servo lets pass before it answers, s; 0 until somebody has found it out. */
  answerDelay: number;
  /** The newest read was repeated, and an answer to its first request came only then: the bus is slow. */
  readonly late: boolean;
  /** True while replies are awaited. */
  readonly reading: boolean;
  /** Called when a read has settled, complete or not. */
  onSettled: () => void;
  /** Takes the port's bytes (again), after somebody else has used the port. */
  attach(): void;
  /** Asks every servo for `length` (at most `MAX_BLOCK`) bytes from `address`. */
  beginRead(address: number, length: number): void;
  /** The deadline has passed: asks the missing servos once more, or settles without them. */
  expire(): void;
  /** True while an answer of this servo may be under way. */
  owes(id: number): boolean;
  /** An answer of `length` bytes to somebody else's request may be under way of this servo: no read is to take it for its own. */
  stray(id: number, length: number): void;
  /** Stops waiting without a settled call, for a port that has gone. */
  abandon(): void;
  /**
   * Writes one raw register value per servo in one frame; the servos do not answer.
   * @param only 1 for each servo that is meant; left out: all
   */
  syncWrite(register: Register, values: ArrayLike<number>, only?: Uint8Array): void;
}
