import { ALERT, BROADCAST_ID, ErrorNumber, Instruction, ResetOption } from '../servo/dynamixel/dynamixel-constants.ts';
import { BusEnd, type BusOptions } from './bus-end.ts';
import type { DynamixelFirmware } from './dynamixel-firmware.ts';

const HEADER = [0xff, 0xff, 0xfd, 0x00] as const;
const LENGTH_AT = 5;
const INSTRUCTION_AT = 7;
const PARAMETERS_AT = 8;
/** Instruction and CRC. */
const MIN_LENGTH = 3;
const MAX_LENGTH = 1024 - INSTRUCTION_AT;
const MAX_FRAME = INSTRUCTION_AT + MAX_LENGTH;
/** Most data bytes in one status packet: what fits the largest frame if every third byte needs a stuffed one. */
const MAX_READ = 700;
const CLEAR_TURNS = [0x01, 0x44, 0x58, 0x4c, 0x22] as const;

/**
 * The servo side of a Dynamixel bus at byte level (https://emanual.robotis.com/docs/en/dxl/protocol2/): finds
 * instruction frames in chunks of any size, lets each addressed servo execute them, and sends the status packets.
 *
 * Assumptions where the manual is silent: the addressed servo answers a frame with a wrong CRC with the CRC error, and
 * the search for frames resumes after the first byte of that frame. In a sync read a dead servo leaves no gap. A fast
 * sync read is answered by one frame, which ends at a servo that is dead or whose firmware does not support the
 * instruction.
 */
export class EmulatedDynamixelBus extends BusEnd<DynamixelFirmware> {
  /** Instruction and parameters of the present frame, without stuffing. */
  readonly #body = new Uint8Array(MAX_FRAME);

  constructor(options: BusOptions<DynamixelFirmware>) {
    super(options, MAX_FRAME);
  }

  protected override frame(at: number): number {
    const input = this.input;
    const available = this.inputLength - at;
    for (let i = 0; i < HEADER.length; i++) {
      if (i >= available) return 0;
      if (input[at + i] !== HEADER[i]) return 1;
    }
    if (available < PARAMETERS_AT) return 0;
    const length = word(input, at + LENGTH_AT);
    if (length < MIN_LENGTH || length > MAX_LENGTH || input[at + INSTRUCTION_AT] === Instruction.status) return 1;
    const total = INSTRUCTION_AT + length;
    if (available < total) return 0;
    const id = input[at + 4]!;
    const end = at + total - 2;
    if (crc(input, at, end) !== word(input, end)) {
      for (const servo of this.addressed(id)) this.#acknowledge(servo, servo.id, ErrorNumber.crc);
      return 1;
    }
    for (const servo of this.servos) servo.heard();
    this.#execute(id, this.#unstuff(at + INSTRUCTION_AT, end));
    return total;
  }

  /** Copies the instruction and parameters of a frame to `#body`; returns their length. */
  #unstuff(from: number, to: number): number {
    const input = this.input;
    const body = this.#body;
    let length = 0;
    for (let i = from; i < to; i++) {
      body[length++] = input[i]!;
      const pattern = input[i] === 0xfd && input[i - 1] === 0xff && input[i - 2] === 0xff;
      if (pattern && i - 2 >= from && input[i + 1] === 0xfd) i++;
    }
    return length;
  }

  /** Executes the instruction in `#body[0]`, with parameters in `#body[1..length)`. */
  #execute(id: number, length: number): void {
    switch (this.#body[0]) {
      case Instruction.syncRead:
        this.#syncRead(length);
        return;
      case Instruction.fastSyncRead:
        this.#fastSyncRead(length);
        return;
      case Instruction.syncWrite:
        this.#syncWrite(length);
        return;
      case Instruction.bulkRead:
        this.#bulkRead(length);
        return;
      case Instruction.bulkWrite:
        this.#bulkWrite(length);
        return;
      default:
        break;
    }
    if (id === BROADCAST_ID) {
      for (const each of this.ids()) for (const servo of this.addressed(each)) this.#single(servo, true, length);
      return;
    }
    for (const servo of this.addressed(id)) this.#single(servo, false, length);
    for (const servo of this.servos) if (servo.secondaryId === id && this.hears(servo)) this.#grouped(servo, length);
  }

  #single(servo: DynamixelFirmware, broadcast: boolean, length: number): void {
    const body = this.#body;
    // The acknowledgement of a changed id or return level still uses the old one.
    const id = servo.id;
    const answers = !broadcast && servo.returnLevel === 2;
    let error = 0;
    switch (body[0]) {
      case Instruction.ping:
        this.#identify(servo);
        return;
      case Instruction.read:
        if (!broadcast && servo.returnLevel >= 1) this.#answerRead(servo, length);
        return;
      case Instruction.write:
        error = length < 3 ? ErrorNumber.dataLength : servo.write(word(body, 1), body, 3, length - 3);
        break;
      case Instruction.regWrite:
        error = length < 3 ? ErrorNumber.dataLength : servo.regWrite(word(body, 1), body, 3, length - 3);
        break;
      case Instruction.action:
        error = servo.action();
        break;
      case Instruction.reboot:
        if (answers) this.#acknowledge(servo, id, 0);
        servo.reboot();
        return;
      case Instruction.factoryReset:
        this.#factoryReset(servo, broadcast, answers, length);
        return;
      case Instruction.clear:
        error = CLEAR_TURNS.every((byte, i) => body[1 + i] === byte) ? servo.clearTurns() : ErrorNumber.dataRange;
        break;
      default:
        error = ErrorNumber.instruction;
    }
    if (answers) this.#acknowledge(servo, id, error);
  }

  /** Executes an instruction to the servo's secondary id; the servo does not answer. */
  #grouped(servo: DynamixelFirmware, length: number): void {
    const body = this.#body;
    if (body[0] === Instruction.write && length > 3) servo.write(word(body, 1), body, 3, length - 3, true);
  }

  #factoryReset(servo: DynamixelFirmware, broadcast: boolean, answers: boolean, length: number): void {
    const option = length === 2 ? this.#body[1]! : -1;
    const known = Object.values(ResetOption).includes(option as (typeof ResetOption)['all']);
    if (answers) this.#acknowledge(servo, servo.id, known ? 0 : ErrorNumber.dataRange);
    if (known && !(broadcast && option === ResetOption.all)) servo.factoryReset(option);
  }

  #identify(servo: DynamixelFirmware): void {
    const out = this.#begin(servo.id);
    out[PARAMETERS_AT] = this.#alert(servo);
    servo.read(0, 2, out, PARAMETERS_AT + 1);
    out[PARAMETERS_AT + 3] = servo.value('firmware_version');
    this.#end(servo, PARAMETERS_AT + 4);
  }

  #answerRead(servo: DynamixelFirmware, length: number): void {
    if (length === 5) this.#data(servo, word(this.#body, 1), word(this.#body, 3));
    else this.#acknowledge(servo, servo.id, ErrorNumber.dataLength);
  }

  #acknowledge(servo: DynamixelFirmware, id: number, error: number): void {
    this.#begin(id)[PARAMETERS_AT] = error | this.#alert(servo);
    this.#end(servo, PARAMETERS_AT + 1);
  }

  /** Sends a status packet with `size` bytes of the control table from `address`, or with only an error. */
  #data(servo: DynamixelFirmware, address: number, size: number): void {
    const out = this.#begin(servo.id);
    const error = size > MAX_READ ? ErrorNumber.dataRange : servo.read(address, size, out, PARAMETERS_AT + 1);
    out[PARAMETERS_AT] = error | this.#alert(servo);
    this.#end(servo, PARAMETERS_AT + 1 + (error === 0 ? size : 0));
  }

  /** Sends one status packet per listed servo, in the order of the request. */
  #syncRead(length: number): void {
    const address = word(this.#body, 1);
    const size = word(this.#body, 3);
    for (let at = 5; at < length; at++) {
      for (const servo of this.addressed(this.#body[at]!)) {
        if (servo.returnLevel >= 1) this.#data(servo, address, size);
      }
    }
  }

  /** Sends one frame to which each listed servo adds its data in turn, followed by the CRC of all bytes so far. */
  #fastSyncRead(length: number): void {
    const address = word(this.#body, 1);
    const size = word(this.#body, 3);
    const count = length - 5;
    if (count < 1 || size > MAX_READ || 1 + count * (size + 4) > MAX_LENGTH) return;
    const out = this.#begin(BROADCAST_ID);
    storeWord(out, LENGTH_AT, 1 + count * (size + 4));
    let end = PARAMETERS_AT;
    let first: DynamixelFirmware | null = null;
    for (let i = 0; i < count; i++) {
      const [servo, twin] = this.addressed(this.#body[5 + i]!);
      if (!servo?.fastSyncRead || servo.returnLevel < 1) break;
      first ??= servo;
      out[end + 1] = servo.id;
      out.fill(0, end + 2, end + 2 + size);
      out[end] = servo.read(address, size, out, end + 2) | this.#alert(servo);
      end += 2 + size;
      storeWord(out, end, crc(out, 0, end));
      // Two servos that send in the same slot corrupt the frame for all.
      if (twin) out[end] = ~out[end]!;
      end += 2;
    }
    if (first) this.release(first, end);
  }

  #syncWrite(length: number): void {
    const body = this.#body;
    const address = word(body, 1);
    const size = word(body, 3);
    const entry = size + 1;
    if (size === 0 || (length - 5) % entry !== 0) return;
    for (let at = 5; at < length; at += entry) this.#writeTo(body[at]!, address, at + 1, size);
  }

  /** Writes a block of `#body` to a single servo or a group; no servo answers. */
  #writeTo(id: number, address: number, offset: number, size: number): void {
    for (const servo of this.servos) {
      const grouped = servo.id !== id;
      if (grouped && servo.secondaryId !== id) continue;
      if (this.hears(servo)) servo.write(address, this.#body, offset, size, grouped);
    }
  }

  #bulkRead(length: number): void {
    const body = this.#body;
    if ((length - 1) % 5 !== 0) return;
    for (let at = 1; at < length; at += 5) {
      for (const servo of this.addressed(body[at]!)) {
        if (servo.returnLevel >= 1) this.#data(servo, word(body, at + 1), word(body, at + 3));
      }
    }
  }

  #bulkWrite(length: number): void {
    const body = this.#body;
    for (let at = 1; at + 5 <= length; ) {
      const size = word(body, at + 3);
      if (at + 5 + size > length) return;
      this.#writeTo(body[at]!, word(body, at + 1), at + 5, size);
      at += 5 + size;
    }
  }

  #alert(servo: DynamixelFirmware): number {
    return servo.hardwareErrors === 0 ? 0 : ALERT;
  }

  /** Begins a status packet; returns its buffer. */
  #begin(id: number): Uint8Array {
    this.output.set(HEADER, 0);
    this.output[4] = id;
    this.output[INSTRUCTION_AT] = Instruction.status;
    return this.output;
  }

  /** Completes and sends the status packet whose parameters end at `end`: stuffing, length, CRC. */
  #end(servo: DynamixelFirmware, end: number): void {
    const out = this.output;
    let last = end;
    for (let i = INSTRUCTION_AT; i < last; i++) {
      if (i < PARAMETERS_AT + 2 || out[i] !== 0xfd || out[i - 1] !== 0xff || out[i - 2] !== 0xff) continue;
      out.copyWithin(i + 1, i, last);
      i++;
      last++;
    }
    storeWord(out, LENGTH_AT, last + 2 - INSTRUCTION_AT);
    storeWord(out, last, crc(out, 0, last));
    this.release(servo, last + 2);
  }
}

function word(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

function storeWord(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value & 0xff;
  bytes[at + 1] = value >> 8;
}

/** Remainder of each byte for the polynomial 0x8005 (https://emanual.robotis.com/docs/en/dxl/crc/). */
const REMAINDERS = Uint16Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 8;
  for (let bit = 0; bit < 8; bit++) value = ((value & 0x8000 ? 0x8005 : 0) ^ (value << 1)) & 0xffff;
  return value;
});

function crc(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = ((value << 8) & 0xffff) ^ REMAINDERS[(value >> 8) ^ bytes[i]!]!;
  return value;
}
