import { BROADCAST_ID, Instruction } from '../servo/feetech/constants.ts';
import type { Sts3215Firmware } from './firmware.ts';
import { type Random, seededRandom } from './random.ts';

/** Wire faults, changeable while the bus runs; they combine freely. */
export interface BusFaults {
  /** Servos that neither obey nor answer, by their present id. */
  readonly dead: Set<number>;
  /** Share of status packets that never arrive, 0..1. */
  loseRate: number;
  /** Share of status packets in which one bit is flipped, 0..1. */
  corruptRate: number;
}

export interface BusOptions {
  readonly servos: readonly Sts3215Firmware[];
  /** Status packets in answer to one `feed`; the bytes are valid during the call only. */
  readonly onReply: (bytes: Uint8Array) => void;
  /** Seed of the fault generator. */
  readonly seed?: number;
  /** A frame of which nothing more comes for this long is dropped, ms. */
  readonly frameTimeout?: number;
}

const HEADER = 0xff;
/** id, length, instruction and checksum stand around the parameters. */
const MIN_LENGTH = 2;
/** Largest length byte; the protocol's packets have at most 250 bytes after it (Feetech SDK). */
const MAX_LENGTH = 250;
const MAX_FRAME = 4 + MAX_LENGTH;
const MAX_READ = MAX_LENGTH - 2;

/**
 * The far end of a Feetech servo bus at byte level: finds request frames in whatever chunks arrive, lets each addressed
 * servo act, and hands out the status packets. Bytes that form no valid frame are skipped one at a time, so that a
 * frame behind noise is still found; a frame with a wrong checksum gets no answer, as on the real bus.
 */
export class EmulatedBus {
  readonly faults: BusFaults = { dead: new Set(), loseRate: 0, corruptRate: 0 };
  /**
   * Takes each status packet by itself, with the return delay of the servo that sends it (s), in place of `onReply`:
   * for whoever gives the line its time. The bytes are valid during the call only.
   */
  onStatus: ((bytes: Uint8Array, returnDelay: number) => void) | null = null;
  readonly #servos: readonly Sts3215Firmware[];
  readonly #onReply: (bytes: Uint8Array) => void;
  readonly #random: Random;
  readonly #frameTimeout: number;

  readonly #input = new Uint8Array(2 * MAX_FRAME);
  #inputLength = 0;
  #lastByteAt = 0;
  readonly #output = new Uint8Array(16 * MAX_FRAME);
  #outputLength = 0;

  constructor(options: BusOptions) {
    this.#servos = options.servos;
    this.#onReply = options.onReply;
    this.#random = seededRandom(options.seed ?? 1);
    this.#frameTimeout = options.frameTimeout ?? 20;
  }

  /**
   * Takes request bytes in any chunking; answers through `onReply` before it returns, in one piece when it fits.
   * @param now time of arrival on any monotonic clock, ms
   */
  feed(chunk: Uint8Array, now: number): void {
    if (this.#inputLength > 0 && now - this.#lastByteAt > this.#frameTimeout) this.#inputLength = 0;
    this.#lastByteAt = now;
    let taken = 0;
    while (taken < chunk.length) {
      const room = Math.min(chunk.length - taken, this.#input.length - this.#inputLength);
      for (let i = 0; i < room; i++) this.#input[this.#inputLength + i] = chunk[taken + i] ?? 0;
      this.#inputLength += room;
      taken += room;
      this.#parse();
    }
    this.#flush();
  }

  #parse(): void {
    const input = this.#input;
    const length = this.#inputLength;
    let at = 0;
    while (at < length) {
      if (input[at] !== HEADER) {
        at++;
        continue;
      }
      if (length - at < 4) break;
      const bodyLength = input[at + 3] ?? 0;
      if (input[at + 1] !== HEADER || input[at + 2] === HEADER || bodyLength < MIN_LENGTH || bodyLength > MAX_LENGTH) {
        at++;
        continue;
      }
      const end = at + 4 + bodyLength;
      if (end > length) break;
      if (input[end - 1] !== checksum(input, at + 2, end - 1)) {
        at++;
        continue;
      }
      this.#execute(input[at + 2] ?? 0, input[at + 4] ?? 0, at + 5, end - 1);
      at = end;
    }
    input.copyWithin(0, at, length);
    this.#inputLength = length - at;
  }

  /** One request with its parameters in `#input[from..to)`. */
  #execute(id: number, instruction: number, from: number, to: number): void {
    if (instruction === Instruction.syncRead) this.#syncRead(from, to);
    else if (instruction === Instruction.syncWrite) this.#syncWrite(from, to);
    else {
      for (const servo of this.#servos) {
        if (id !== BROADCAST_ID && servo.id !== id) continue;
        if (!this.faults.dead.has(servo.id)) this.#single(servo, id === BROADCAST_ID, instruction, from, to);
      }
    }
  }

  #single(servo: Sts3215Firmware, broadcast: boolean, instruction: number, from: number, to: number): void {
    const input = this.#input;
    const count = to - from;
    // An acknowledgement to a change of id or response level still follows the old ones.
    const id = servo.id;
    const acknowledges = servo.acknowledges && !broadcast;
    switch (instruction) {
      case Instruction.ping:
        this.#status(servo, id, 0, 0);
        return;
      case Instruction.read:
        if (!broadcast && count === 2) this.#status(servo, id, input[from] ?? 0, input[from + 1] ?? 0);
        return;
      case Instruction.write:
        if (count < 2) return;
        servo.write(input[from] ?? 0, input, from + 1, count - 1);
        break;
      case Instruction.regWrite:
        if (count < 2) return;
        servo.regWrite(input[from] ?? 0, input, from + 1, count - 1);
        break;
      case Instruction.action:
        servo.action();
        break;
      default:
        return;
    }
    if (acknowledges) this.#status(servo, id, 0, 0);
  }

  /** One status packet per listed servo, in the order of the request; a silent servo leaves no gap. */
  #syncRead(from: number, to: number): void {
    const address = this.#input[from] ?? 0;
    const size = this.#input[from + 1] ?? 0;
    for (let at = from + 2; at < to; at++) {
      const servo = this.#find(this.#input[at] ?? 0);
      if (servo) this.#status(servo, servo.id, address, size);
    }
  }

  #syncWrite(from: number, to: number): void {
    const input = this.#input;
    const address = input[from] ?? 0;
    const size = input[from + 1] ?? 0;
    const entry = size + 1;
    if (size === 0 || (to - from - 2) % entry !== 0) return;
    for (let at = from + 2; at < to; at += entry) {
      this.#find(input[at] ?? 0)?.write(address, input, at + 1, size);
    }
  }

  #find(id: number): Sts3215Firmware | undefined {
    if (this.faults.dead.has(id)) return undefined;
    for (const servo of this.#servos) if (servo.id === id) return servo;
    return undefined;
  }

  /** Appends a status packet with `size` bytes of the control table from `address` on. */
  #status(servo: Sts3215Firmware, id: number, address: number, size: number): void {
    if (size > MAX_READ) return;
    const total = size + 6;
    if (this.#outputLength + total > this.#output.length) this.#flush();
    const out = this.#output;
    const at = this.#outputLength;
    out[at] = HEADER;
    out[at + 1] = HEADER;
    out[at + 2] = id;
    out[at + 3] = size + 2;
    out[at + 4] = servo.status;
    if (size > 0) servo.read(address, size, out, at + 5);
    out[at + total - 1] = checksum(out, at + 2, at + total - 1);
    if (this.faults.loseRate > 0 && this.#random() < this.faults.loseRate) return;
    if (this.faults.corruptRate > 0 && this.#random() < this.faults.corruptRate) {
      const bit = Math.floor(this.#random() * total * 8);
      const byte = at + (bit >> 3);
      out[byte] = (out[byte] ?? 0) ^ (1 << (bit & 7));
    }
    if (this.onStatus) this.onStatus(out.subarray(at, at + total), servo.returnDelay);
    else this.#outputLength = at + total;
  }

  #flush(): void {
    if (this.#outputLength === 0) return;
    const length = this.#outputLength;
    this.#outputLength = 0;
    this.#onReply(this.#output.subarray(0, length));
  }
}

/** One's complement of the low byte of the sum from `from` to before `to` (Feetech SCS protocol manual). */
function checksum(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += bytes[i] ?? 0;
  return ~sum & 0xff;
}
