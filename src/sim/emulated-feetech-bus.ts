import { BROADCAST_ID, Instruction } from '../servo/feetech/feetech-constants.ts';
import { BusEnd, type BusOptions } from './bus-end.ts';
import type { Sts3215Firmware } from './sts3215-firmware.ts';

const HEADER = 0xff;
/** The length byte counts the parameters plus instruction and checksum. */
const MIN_LENGTH = 2;
/** Largest length byte: protocol packets have at most 250 bytes after it (Feetech SDK). */
const MAX_LENGTH = 250;
const MAX_FRAME = 4 + MAX_LENGTH;
const MAX_READ = MAX_LENGTH - 2;

/**
 * The servo side of a Feetech bus at byte level. Bytes that form no valid frame are skipped one at a time, so that a
 * frame after noise is still found. A frame with a wrong checksum gets no answer, as on the real bus.
 */
export class EmulatedFeetechBus extends BusEnd<Sts3215Firmware> {
  constructor(options: BusOptions<Sts3215Firmware>) {
    super(options, MAX_FRAME);
  }

  protected override frame(at: number): number {
    const { input } = this;
    const available = this.inputLength - at;
    if (input[at] !== HEADER) return 1;
    if (available < 4) return 0;
    const bodyLength = input[at + 3]!;
    if (input[at + 1] !== HEADER || input[at + 2] === HEADER || bodyLength < MIN_LENGTH || bodyLength > MAX_LENGTH) {
      return 1;
    }
    const end = at + 4 + bodyLength;
    if (end > this.inputLength) return 0;
    if (input[end - 1] !== checksum(input, at + 2, end - 1)) return 1;
    this.#execute(input[at + 2]!, input[at + 4]!, at + 5, end - 1);
    return 4 + bodyLength;
  }

  /** Executes one request with its parameters in `input[from..to)`. */
  #execute(id: number, instruction: number, from: number, to: number): void {
    if (instruction === Instruction.syncRead) this.#syncRead(from, to);
    else if (instruction === Instruction.syncWrite) this.#syncWrite(from, to);
    else if (id !== BROADCAST_ID) {
      for (const servo of this.addressed(id)) this.#single(servo, false, instruction, from, to);
    } else {
      for (const each of this.ids()) {
        for (const servo of this.addressed(each)) this.#single(servo, true, instruction, from, to);
      }
    }
  }

  #single(servo: Sts3215Firmware, broadcast: boolean, instruction: number, from: number, to: number): void {
    const input = this.input;
    const count = to - from;
    // The acknowledgement of a changed id or response level still uses the old one.
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

  /** Sends one status packet per listed servo, in the order of the request; a silent servo leaves no gap. */
  #syncRead(from: number, to: number): void {
    const address = this.input[from] ?? 0;
    const size = this.input[from + 1] ?? 0;
    for (let at = from + 2; at < to; at++) {
      for (const servo of this.addressed(this.input[at] ?? 0)) this.#status(servo, servo.id, address, size);
    }
  }

  #syncWrite(from: number, to: number): void {
    const input = this.input;
    const address = input[from] ?? 0;
    const size = input[from + 1] ?? 0;
    const entry = size + 1;
    if (size === 0 || (to - from - 2) % entry !== 0) return;
    for (let at = from + 2; at < to; at += entry) {
      for (const servo of this.addressed(input[at] ?? 0)) servo.write(address, input, at + 1, size);
    }
  }

  /** Sends a status packet with `size` bytes of the control table from `address`. */
  #status(servo: Sts3215Firmware, id: number, address: number, size: number): void {
    if (size > MAX_READ) return;
    const out = this.output;
    out[0] = HEADER;
    out[1] = HEADER;
    out[2] = id;
    out[3] = size + 2;
    out[4] = servo.status;
    if (size > 0) servo.read(address, size, out, 5);
    out[size + 5] = checksum(out, 2, size + 5);
    this.release(servo, size + 6);
  }
}

/** One's complement of the low byte of the sum over `from..to`, end exclusive (Feetech SCS protocol manual). */
function checksum(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += bytes[i] ?? 0;
  return ~sum & 0xff;
}
