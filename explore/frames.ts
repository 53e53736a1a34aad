/**
 * What goes over a servo bus, read by somebody who knows the protocol manuals and not the bridge: the judge's own decoder. It
 * imports nothing of src/.
 */

export type Family = 'feetech' | 'dynamixel';

/** Bytes that a request writes to the control table of one servo. */
export interface Write {
  readonly id: number;
  readonly address: number;
  readonly data: Uint8Array;
}

/** Where a family keeps what the judge looks at. */
export const REGISTERS = {
  feetech: { torque: 40, goal: 42, goalSize: 2 },
  dynamixel: { torque: 64, goal: 116, goalSize: 4 },
} as const;

const WRITE = 0x03;
const REG_WRITE = 0x04;
const SYNC_WRITE = 0x83;
const BULK_WRITE = 0x93;
const STATUS = 0x55;

/** Takes a stream of bytes apart; what is left of the last frame waits for more. */
abstract class Decoder {
  #rest: Uint8Array = new Uint8Array();

  /** Forgets a frame that has only come in part. */
  reset(): void {
    this.#rest = new Uint8Array();
  }

  /** @returns what each whole frame comes to */
  feed(chunk: Uint8Array): void {
    const bytes = new Uint8Array(this.#rest.length + chunk.length);
    bytes.set(this.#rest);
    bytes.set(chunk, this.#rest.length);
    let at = 0;
    while (at < bytes.length) {
      const used = this.frame(bytes, at);
      if (used === 0) break;
      at += used;
    }
    this.#rest = bytes.slice(at);
  }

  /** @returns length of the frame that begins at `at`; 1 for none, 0 while it is not whole */
  protected abstract frame(bytes: Uint8Array, at: number): number;
}

/** Requests of a host, as the writes that servos are to carry out. */
export class RequestDecoder extends Decoder {
  readonly #family: Family;
  readonly #onWrite: (write: Write) => void;

  constructor(family: Family, onWrite: (write: Write) => void) {
    super();
    this.#family = family;
    this.#onWrite = onWrite;
  }

  protected override frame(bytes: Uint8Array, at: number): number {
    return this.#family === 'feetech' ? this.#feetech(bytes, at) : this.#dynamixel(bytes, at);
  }

  /** FF FF id length instruction parameters checksum */
  #feetech(bytes: Uint8Array, at: number): number {
    const length = feetechLength(bytes, at);
    if (length <= 1) return length;
    const id = bytes[at + 2]!;
    const parameters = bytes.subarray(at + 5, at + length - 1);
    const instruction = bytes[at + 4]!;
    if (instruction === WRITE || instruction === REG_WRITE) {
      this.#onWrite({ id, address: parameters[0]!, data: parameters.slice(1) });
    } else if (instruction === SYNC_WRITE) {
      const [address, size] = parameters as unknown as [number, number];
      for (let i = 2; i + size < parameters.length; i += size + 1) {
        this.#onWrite({ id: parameters[i]!, address, data: parameters.slice(i + 1, i + 1 + size) });
      }
    }
    return length;
  }

  /** FF FF FD 00 id length length instruction parameters crc crc, with FD stuffed behind FF FF FD */
  #dynamixel(bytes: Uint8Array, at: number): number {
    const length = dynamixelLength(bytes, at);
    if (length <= 1) return length;
    const body = unstuffed(bytes.subarray(at + 7, at + length - 2));
    const word = (i: number): number => body[i]! | (body[i + 1]! << 8);
    const id = bytes[at + 4]!;
    if (body[0] === WRITE || body[0] === REG_WRITE) {
      this.#onWrite({ id, address: word(1), data: body.slice(3) });
    } else if (body[0] === SYNC_WRITE) {
      const size = word(3);
      for (let i = 5; i + size < body.length; i += size + 1) {
        this.#onWrite({ id: body[i]!, address: word(1), data: body.slice(i + 1, i + 1 + size) });
      }
    } else if (body[0] === BULK_WRITE) {
      for (let i = 1; i + 5 <= body.length; ) {
        const size = word(i + 3);
        this.#onWrite({ id: body[i]!, address: word(i + 1), data: body.slice(i + 5, i + 5 + size) });
        i += 5 + size;
      }
    }
    return length;
  }
}

/** Replies of servos, as the ids of those that have been heard. */
export class ReplyDecoder extends Decoder {
  readonly #family: Family;
  readonly #onHeard: (id: number) => void;

  constructor(family: Family, onHeard: (id: number) => void) {
    super();
    this.#family = family;
    this.#onHeard = onHeard;
  }

  protected override frame(bytes: Uint8Array, at: number): number {
    if (this.#family === 'feetech') {
      const length = feetechLength(bytes, at);
      if (length > 1) this.#onHeard(bytes[at + 2]!);
      return length;
    }
    const length = dynamixelLength(bytes, at);
    if (length > 1 && bytes[at + 7] === STATUS) {
      if (bytes[at + 4] === 0xfe) this.#fast(bytes.subarray(at + 8, at + length));
      else this.#onHeard(bytes[at + 4]!);
    }
    return length;
  }

  /** One frame of several servos: error, id, data and crc of each, all of one length. */
  #fast(parts: Uint8Array): void {
    for (let size = 5; size <= parts.length; size++) {
      if (parts.length % size !== 0) continue;
      const ids = Array.from({ length: parts.length / size }, (_, i) => parts[i * size + 1]!);
      if (new Set(ids).size === ids.length && ids.every((id) => id < 0xfd)) for (const id of ids) this.#onHeard(id);
      return;
    }
  }
}

function feetechLength(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0xff) return 1;
  if (at + 4 > bytes.length) return 0;
  if (bytes[at + 1] !== 0xff || bytes[at + 2] === 0xff || bytes[at + 3]! < 2) return 1;
  const length = 4 + bytes[at + 3]!;
  if (at + length > bytes.length) return 0;
  let sum = 0;
  for (let i = at + 2; i < at + length - 1; i++) sum += bytes[i]!;
  return (~sum & 0xff) === bytes[at + length - 1] ? length : 1;
}

function dynamixelLength(bytes: Uint8Array, at: number): number {
  const header = [0xff, 0xff, 0xfd, 0x00];
  for (let i = 0; i < header.length; i++) {
    if (at + i >= bytes.length) return 0;
    if (bytes[at + i] !== header[i]) return 1;
  }
  if (at + 7 > bytes.length) return 0;
  const length = 7 + (bytes[at + 5]! | (bytes[at + 6]! << 8));
  if (length < 10) return 1;
  if (at + length > bytes.length) return 0;
  const expected = bytes[at + length - 2]! | (bytes[at + length - 1]! << 8);
  return crc16(bytes.subarray(at, at + length - 2)) === expected ? length : 1;
}

/** CRC-16 with the polynomial 0x8005, bit by bit (ROBOTIS e-manual, protocol 2.0). */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x8005) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc;
}

function unstuffed(body: Uint8Array): Uint8Array {
  const out: number[] = [];
  for (let i = 0; i < body.length; i++) {
    out.push(body[i]!);
    if (i >= 2 && body[i] === 0xfd && body[i - 1] === 0xff && body[i - 2] === 0xff && body[i + 1] === 0xfd) i++;
  }
  return Uint8Array.from(out);
}
