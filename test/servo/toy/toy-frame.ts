/**
 * Frames of the toy protocol: 0x7E id op length parameters... xor. Answers begin with 0x7F and have an error in place of
 * the operation. The last byte is the exclusive or of all before it.
 */
export const Op = { ping: 1, read: 2, write: 3, prepare: 4, go: 5, readAll: 6, writeAll: 7 } as const;
export const REQUEST = 0x7e;
export const ANSWER = 0x7f;
export const EVERYBODY = 0xff;
/** Bytes around the parameters. */
export const OVERHEAD = 5;
export const MAX_FRAME = 200;

export function xor(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum ^= bytes[i]!;
  return sum;
}

function frame(out: Uint8Array, id: number, op: number, length: number): number {
  out[0] = REQUEST;
  out[1] = id;
  out[2] = op;
  out[3] = length;
  out[4 + length] = xor(out, 0, 4 + length);
  return length + OVERHEAD;
}

export function encodePing(out: Uint8Array, id: number): number {
  return frame(out, id, Op.ping, 0);
}

export function encodeRead(out: Uint8Array, id: number, address: number, length: number): number {
  out[4] = address;
  out[5] = length;
  return frame(out, id, Op.read, 2);
}

function data(out: Uint8Array, id: number, op: number, address: number, bytes: Uint8Array): number {
  out[4] = address;
  out.set(bytes, 5);
  return frame(out, id, op, 1 + bytes.length);
}

export function encodeWrite(out: Uint8Array, id: number, address: number, bytes: Uint8Array): number {
  return data(out, id, Op.write, address, bytes);
}

export function encodeRegWrite(out: Uint8Array, id: number, address: number, bytes: Uint8Array): number {
  return data(out, id, Op.prepare, address, bytes);
}

export function encodeAction(out: Uint8Array): number {
  return frame(out, EVERYBODY, Op.go, 0);
}

export function encodeReadAll(out: Uint8Array, ids: ArrayLike<number>, address: number, length: number): number {
  out[4] = address;
  out[5] = length;
  for (let i = 0; i < ids.length; i++) out[6 + i] = ids[i]!;
  return frame(out, EVERYBODY, Op.readAll, 2 + ids.length);
}

/** One register value for each servo, the higher byte first. */
export function encodeWriteAll(
  out: Uint8Array,
  ids: ArrayLike<number>,
  address: number,
  size: number,
  values: ArrayLike<number>,
): number {
  let at = 6;
  out[4] = address;
  out[5] = size;
  for (let i = 0; i < ids.length; i++) {
    out[at++] = ids[i]!;
    for (let byte = size - 1; byte >= 0; byte--) out[at++] = (values[i]! >> (8 * byte)) & 0xff;
  }
  return frame(out, EVERYBODY, Op.writeAll, at - 4);
}
