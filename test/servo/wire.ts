import { systemClock } from '../../src/clock.ts';
import type { BytePort, PortError } from '../../src/servo/port/port.ts';

/** A port that keeps what is written and says what it is told to. */
export class WirePort implements BytePort {
  readonly url = 'test';
  readonly clock = systemClock;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  readonly written: number[][] = [];
  async open(): Promise<void> {}
  write(bytes: Uint8Array): void {
    this.written.push([...bytes]);
  }
  async close(): Promise<void> {}
  reply(...bytes: number[]): void {
    this.onBytes(Uint8Array.from(bytes));
  }
}

/** CRC-16 0x8005 by polynomial division, independent of the product's table. */
function remainder(bytes: readonly number[]): [low: number, high: number] {
  let crc = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const top = ((crc >> 15) & 1) ^ ((byte >> bit) & 1);
      crc = (crc << 1) & 0xffff;
      if (top) crc ^= 0x8005;
    }
  }
  return [crc & 0xff, crc >> 8];
}

/** A Dynamixel packet, made from the protocol's definition: header, id, length, instruction, parameters, CRC. */
export function packet(id: number, instruction: number, ...parameters: number[]): number[] {
  const body = [instruction];
  for (const byte of parameters) {
    body.push(byte);
    const n = body.length;
    if (n > 2 && byte === 0xfd && body[n - 2] === 0xff && body[n - 3] === 0xff) body.push(0xfd);
  }
  const length = body.length + 2;
  const frame = [0xff, 0xff, 0xfd, 0, id, length & 0xff, length >> 8, ...body];
  return [...frame, ...remainder(frame)];
}

/** A Dynamixel status packet. */
export function dynamixelStatus(id: number, error: number, ...parameters: number[]): number[] {
  return packet(id, 0x55, error, ...parameters);
}

/** The one frame that answers a fast sync read: for each servo error, id, data, and the CRC of all bytes so far. */
export function fastStatus(blocks: readonly { id: number; error: number; data: readonly number[] }[]): number[] {
  const size = blocks[0]!.data.length;
  const length = 1 + blocks.length * (4 + size);
  const frame = [0xff, 0xff, 0xfd, 0, 0xfe, length & 0xff, length >> 8, 0x55];
  for (const { id, error, data } of blocks) {
    frame.push(error, id, ...data);
    frame.push(...remainder(frame));
  }
  return frame;
}

/** A Feetech status packet, made from the protocol's definition: FF FF id length error parameters checksum. */
export function feetechStatus(id: number, error: number, ...parameters: number[]): number[] {
  const body = [id, parameters.length + 2, error, ...parameters];
  return [0xff, 0xff, ...body, ~body.reduce((sum, byte) => sum + byte, 0) & 0xff];
}

/** "FF FF 01" to bytes. */
export function hex(text: string): number[] {
  return text
    .trim()
    .split(/\s+/)
    .map((byte) => Number.parseInt(byte, 16));
}

/** Cuts a stream into chunks of the given sizes, over and over. */
export function chunked(stream: readonly number[], sizes: readonly number[]): number[][] {
  const chunks: number[][] = [];
  for (let at = 0, i = 0; at < stream.length; i++) {
    const size = sizes[i % Math.max(1, sizes.length)] ?? 4;
    chunks.push(stream.slice(at, at + size));
    at += size;
  }
  return chunks;
}
