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
  /** Error byte of each servo's newest status packet: alarms; the data of the packet is still valid. */
  readonly errors: Uint8Array;
  /** Replies that never came, since construction, by servo. */
  readonly lost: Uint32Array;
  /** Second answers to one request, since construction, by servo: two servos have that id. */
  readonly doubled: Uint32Array;
  /** Bytes thrown away because they belonged to no valid packet. */
  readonly discarded: number;
  /** Time from the newest request of a read until the line has carried its answer, and all that was sent before, s. */
  readonly readTime: number;
  /** Longest return delay of the servos, s; 0 until it is known. */
  answerDelay: number;
  /** The last read was repeated, and only then an answer to its first request came: the bus is slow. */
  readonly late: boolean;
  /** True while replies are awaited. */
  readonly reading: boolean;
  /** Called when a read has settled, complete or not. */
  onSettled: () => void;
  /** Takes the port's bytes (again), after another user of the port. */
  attach(): void;
  /** Asks every servo for `length` (at most `MAX_BLOCK`) bytes from `address`. */
  beginRead(address: number, length: number): void;
  /** The deadline has passed: asks the missing servos once more, or settles without them. */
  expire(): void;
  /** True while this servo may still owe an answer. */
  owes(id: number): boolean;
  /**
   * Notes that this servo may still answer another user's request with `length` bytes, which no read must take for its
   * own.
   */
  stray(id: number, length: number): void;
  /** Stops waiting without calling `onSettled`, for a port that is gone. */
  abandon(): void;
  /**
   * Writes one raw register value per servo in one frame; the servos do not answer.
   * @param only 1 for each servo to write to; left out: all
   */
  syncWrite(register: Register, values: ArrayLike<number>, only?: Uint8Array): void;
}
