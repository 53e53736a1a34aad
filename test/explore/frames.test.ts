import { expect, it } from 'vitest';
import { ReplyDecoder, RequestDecoder, type Write } from '../../explore/frames.ts';

/** "FF FF 01" to bytes. */
function hex(text: string): Uint8Array {
  return Uint8Array.from(text.split(' '), (byte) => Number.parseInt(byte, 16));
}

function writesOf(family: 'feetech' | 'dynamixel', ...chunks: readonly Uint8Array[]): string[] {
  const writes: Write[] = [];
  const decoder = new RequestDecoder(family, (write) => writes.push(write));
  for (const chunk of chunks) decoder.feed(chunk);
  return writes.map(({ id, address, data }) => `${id}:${address}=${[...data].join()}`);
}

// Frames are those of the protocol manuals.
const FEETECH_WRITE = 'FF FF 01 05 03 2A 00 08 C4';
const FEETECH_SYNC = 'FF FF FE 0A 83 2A 02 01 00 08 02 00 04 39';
const DYNAMIXEL_WRITE = 'FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89';
const DYNAMIXEL_SYNC = 'FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87';

it('reads writes and sync writes of both families, in any chunking and behind noise', () => {
  for (const noise of ['00', 'FF', 'FF FF']) {
    expect(writesOf('feetech', hex(noise), hex(FEETECH_WRITE), hex(FEETECH_SYNC)), noise).toEqual([
      '1:42=0,8',
      '1:42=0,8',
      '2:42=0,4',
    ]);
    expect(writesOf('dynamixel', hex(noise), hex(DYNAMIXEL_WRITE), hex(DYNAMIXEL_SYNC)), noise).toEqual([
      '1:116=0,2,0,0',
      '1:116=150,0,0,0',
      '2:116=170,0,0,0',
    ]);
  }
  const bytes = hex(DYNAMIXEL_SYNC);
  const single = Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));
  expect(writesOf('dynamixel', ...single)).toHaveLength(2);
});

it('takes nothing from a frame that is damaged', () => {
  for (const [family, frame] of [['feetech', FEETECH_SYNC] as const, ['dynamixel', DYNAMIXEL_SYNC] as const]) {
    const bytes = hex(frame);
    bytes[bytes.length - 5]! ^= 4;
    expect(writesOf(family, bytes)).toEqual([]);
  }
});

it('tells who has answered', () => {
  const heard: number[] = [];
  const feetech = new ReplyDecoder('feetech', (id) => heard.push(id));
  feetech.feed(hex('FF FF 01 04 00 00 08 F2'));
  const dynamixel = new ReplyDecoder('dynamixel', (id) => heard.push(id));
  dynamixel.feed(hex('FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0'));
  expect(heard).toEqual([1, 1]);
});
