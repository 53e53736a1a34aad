import { BROADCAST_ID, Instruction, type ResetOption } from './dynamixel-constants.ts';

/** Offset of the length field, of the instruction and of the first parameter. */
export const LENGTH_AT = 5;
export const INSTRUCTION_AT = 7;
export const PARAMETERS_AT = 8;

/** Bytes of a frame outside its length: header, reserved byte, id, and the length itself. */
export const OUTSIDE_LENGTH = 7;

/** Largest frame that this codec makes or accepts, bytes; the makers' SDK has the same limit. */
export const MAX_FRAME = 1024;

const CRC_POLYNOMIAL = 0x8005;
const CRC_TABLE = crcTable();

function crcTable(): Uint16Array {
  const table = new Uint16Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ CRC_POLYNOMIAL : crc << 1;
    table[byte] = crc;
  }
  return table;
}

/**
 * CRC-16 of `bytes[from..to)`: polynomial 0x8005, not reflected, from 0 (https://emanual.robotis.com/docs/en/dxl/crc/).
 * @param crc of the bytes before `from`
 */
export function crc16(bytes: Uint8Array, from: number, to: number, crc = 0): number {
  let value = crc;
  for (let i = from; i < to; i++) value = ((value << 8) & 0xffff) ^ CRC_TABLE[(value >> 8) ^ bytes[i]!]!;
  return value;
}

/** Puts an 0xFD behind each FF FF FD in `out[INSTRUCTION_AT..end)`; returns the new end. */
function stuff(out: Uint8Array, end: number): number {
  let last = end;
  for (let i = INSTRUCTION_AT + 2; i < last; i++) {
    if (out[i] !== 0xfd || out[i - 1] !== 0xff || out[i - 2] !== 0xff) continue;
    out.copyWithin(i + 2, i + 1, last);
    out[i + 1] = 0xfd;
    last++;
    i++;
  }
  return last;
}

/** Removes the stuffing from `bytes[from..to)` in place; returns the new end. */
export function unstuff(bytes: Uint8Array, from: number, to: number): number {
  let end = from;
  let run = 0;
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!;
    bytes[end++] = byte;
    if (byte === 0xff) {
      run++;
    } else {
      if (byte === 0xfd && run >= 2 && bytes[i + 1] === 0xfd && i + 1 < to) i++;
      run = 0;
    }
  }
  return end;
}

/** Completes a frame whose parameters are in `out[PARAMETERS_AT..end)`; returns its length. */
function finish(out: Uint8Array, id: number, instruction: number, end: number): number {
  out[0] = 0xff;
  out[1] = 0xff;
  out[2] = 0xfd;
  out[3] = 0x00;
  out[4] = id;
  out[INSTRUCTION_AT] = instruction;
  const last = stuff(out, end);
  const length = last + 2 - OUTSIDE_LENGTH;
  out[LENGTH_AT] = length & 0xff;
  out[LENGTH_AT + 1] = length >> 8;
  const crc = crc16(out, 0, last);
  out[last] = crc & 0xff;
  out[last + 1] = crc >> 8;
  return last + 2;
}

function word(out: Uint8Array, at: number, value: number): number {
  out[at] = value & 0xff;
  out[at + 1] = (value >> 8) & 0xff;
  return at + 2;
}

/** Writes a ping into `out`; the answer's parameters are the model number (2 bytes) and the firmware version (1). */
export function encodePing(out: Uint8Array, id: number): number {
  return finish(out, id, Instruction.ping, PARAMETERS_AT);
}

/** Writes a read request for `length` bytes at `address` of one servo into `out`; returns the frame's length. */
export function encodeRead(out: Uint8Array, id: number, address: number, length: number): number {
  return finish(out, id, Instruction.read, word(out, word(out, PARAMETERS_AT, address), length));
}

/** Writes a write request for `bytes` from `address` on into `out`; returns the frame's length. */
export function encodeWrite(out: Uint8Array, id: number, address: number, bytes: Uint8Array): number {
  return encodeData(out, id, Instruction.write, address, bytes);
}

/** Writes a registered write, which an action carries out, into `out`; returns the frame's length. */
export function encodeRegWrite(out: Uint8Array, id: number, address: number, bytes: Uint8Array): number {
  return encodeData(out, id, Instruction.regWrite, address, bytes);
}

function encodeData(out: Uint8Array, id: number, instruction: number, address: number, bytes: Uint8Array): number {
  let at = word(out, PARAMETERS_AT, address);
  for (let i = 0; i < bytes.length; i++) out[at++] = bytes[i]!;
  return finish(out, id, instruction, at);
}

/** Writes an action into `out`; a broadcast one is not answered. */
export function encodeAction(out: Uint8Array, id: number = BROADCAST_ID): number {
  return finish(out, id, Instruction.action, PARAMETERS_AT);
}

/** Writes a reboot request into `out`; returns the frame's length. */
export function encodeReboot(out: Uint8Array, id: number): number {
  return finish(out, id, Instruction.reboot, PARAMETERS_AT);
}

/** Writes a factory reset into `out`; returns the frame's length. */
export function encodeFactoryReset(
  out: Uint8Array,
  id: number,
  option: (typeof ResetOption)[keyof typeof ResetOption],
): number {
  out[PARAMETERS_AT] = option;
  return finish(out, id, Instruction.factoryReset, PARAMETERS_AT + 1);
}

/**
 * Writes a sync read of `length` bytes at `address` of each of `ids` into `out`; returns the frame's length. Each servo
 * answers with a status packet of its own, in the order of `ids`; a fast sync read is answered with one frame for all.
 */
export function encodeSyncRead(
  out: Uint8Array,
  ids: ArrayLike<number>,
  address: number,
  length: number,
  fast = false,
): number {
  let at = word(out, word(out, PARAMETERS_AT, address), length);
  for (let i = 0; i < ids.length; i++) out[at++] = ids[i]!;
  return finish(out, BROADCAST_ID, fast ? Instruction.fastSyncRead : Instruction.syncRead, at);
}

/**
 * Writes a sync write of one little-endian register value per servo into `out`; returns the frame's length. No servo
 * answers it.
 * @param size bytes of the register
 */
export function encodeSyncWrite(
  out: Uint8Array,
  ids: ArrayLike<number>,
  address: number,
  size: 1 | 2 | 4,
  values: ArrayLike<number>,
): number {
  let at = word(out, word(out, PARAMETERS_AT, address), size);
  for (let i = 0; i < ids.length; i++) {
    const value = values[i]!;
    out[at++] = ids[i]!;
    for (let byte = 0; byte < size; byte++) out[at++] = (value >>> (8 * byte)) & 0xff;
  }
  return finish(out, BROADCAST_ID, Instruction.syncWrite, at);
}

/**
 * Writes a bulk read of one block per servo into `out`; returns the frame's length. Each servo answers with a status
 * packet, in the order of the request.
 */
export function encodeBulkRead(
  out: Uint8Array,
  requests: readonly { readonly id: number; readonly address: number; readonly length: number }[],
): number {
  let at = PARAMETERS_AT;
  for (const { id, address, length } of requests) {
    out[at++] = id;
    at = word(out, word(out, at, address), length);
  }
  return finish(out, BROADCAST_ID, Instruction.bulkRead, at);
}
