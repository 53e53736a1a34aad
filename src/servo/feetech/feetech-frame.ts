import { BROADCAST_ID, Instruction } from './feetech-constants.ts';

/** Bytes of a frame besides its parameters: two headers, id, length, instruction or error, checksum. */
export const FRAME_OVERHEAD = 6;

/** Largest frame the makers' SDK sends or accepts, bytes. */
export const MAX_FRAME = 250;

/** `~(sum of bytes from id to last parameter) & 0xFF`, over `bytes[from..to)`. */
export function checksum(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += bytes[i]!;
  return ~sum & 0xff;
}

function finish(out: Uint8Array, id: number, instruction: number, parameters: number): number {
  out[0] = 0xff;
  out[1] = 0xff;
  out[2] = id;
  out[3] = parameters + 2;
  out[4] = instruction;
  out[5 + parameters] = checksum(out, 2, 5 + parameters);
  return parameters + FRAME_OVERHEAD;
}

/** Writes a ping into `out`; the answer has no parameters. */
export function encodePing(out: Uint8Array, id: number): number {
  return finish(out, id, Instruction.ping, 0);
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
  out[5] = address;
  for (let i = 0; i < bytes.length; i++) out[6 + i] = bytes[i]!;
  return finish(out, id, instruction, 1 + bytes.length);
}

/** Writes an action into `out`; a broadcast one is not answered. */
export function encodeAction(out: Uint8Array, id: number = BROADCAST_ID): number {
  return finish(out, id, Instruction.action, 0);
}

/** Writes a read request for `length` bytes at `address` of one servo into `out`; returns the frame's length. */
export function encodeRead(out: Uint8Array, id: number, address: number, length: number): number {
  out[5] = address;
  out[6] = length;
  return finish(out, id, Instruction.read, 2);
}

/**
 * Writes a sync read of `length` bytes at `address` of each of `ids` into `out`; returns the frame's length. Each servo
 * answers with a status packet of its own, in the order of `ids`.
 */
export function encodeSyncRead(out: Uint8Array, ids: ArrayLike<number>, address: number, length: number): number {
  out[5] = address;
  out[6] = length;
  for (let i = 0; i < ids.length; i++) out[7 + i] = ids[i]!;
  return finish(out, BROADCAST_ID, Instruction.syncRead, 2 + ids.length);
}

/**
 * Writes a sync write of one little-endian register value per servo into `out`; returns the frame's length. No servo
 * answers it.
 * @param size bytes of the register, 1 or 2
 */
export function encodeSyncWrite(
  out: Uint8Array,
  ids: ArrayLike<number>,
  address: number,
  size: 1 | 2,
  values: ArrayLike<number>,
): number {
  out[5] = address;
  out[6] = size;
  let at = 7;
  for (let i = 0; i < ids.length; i++) {
    const value = values[i]!;
    out[at++] = ids[i]!;
    out[at++] = value & 0xff;
    if (size === 2) out[at++] = (value >> 8) & 0xff;
  }
  return finish(out, BROADCAST_ID, Instruction.syncWrite, at - 5);
}
