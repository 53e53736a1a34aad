import fc from 'fast-check';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { DynamixelBus } from '../../src/servo/dynamixel/dynamixel-bus.ts';
import { ResetOption } from '../../src/servo/dynamixel/dynamixel-constants.ts';
import {
  crc16,
  encodeAction,
  encodeBulkRead,
  encodeFactoryReset,
  encodePing,
  encodeRead,
  encodeReboot,
  encodeRegWrite,
  encodeSyncRead,
  encodeSyncWrite,
  encodeWrite,
  unstuff,
} from '../../src/servo/dynamixel/dynamixel-frame.ts';
import { StatusParser } from '../../src/servo/dynamixel/dynamixel-parser.ts';
import { XL330_M288, XL430_W250 } from '../../src/servo/dynamixel/x-series.ts';
import { MAX_BLOCK } from '../../src/servo/servo-bus.ts';
import { chunked, dynamixelStatus, fastStatus, hex, packet, WirePort } from './wire.ts';

const out = new Uint8Array(1024);
const bytes = (length: number): number[] => [...out.subarray(0, length)];

function parse(chunks: readonly (readonly number[])[], fast = 0): { frames: number[][]; discarded: number } {
  const frames: number[][] = [];
  const parser = new StatusParser((id, error, data, from, length) =>
    frames.push([id, error, ...data.subarray(from, from + length)]),
  );
  parser.expectFast(fast);
  for (const chunk of chunks) parser.push(Uint8Array.from(chunk));
  parser.flush();
  return { frames, discarded: parser.discarded };
}

describe('frames', () => {
  it.each([
    ['ping', () => encodePing(out, 1), 'FF FF FD 00 01 03 00 01 19 4E'],
    ['broadcast ping', () => encodePing(out, 0xfe), 'FF FF FD 00 FE 03 00 01 31 42'],
    ['read', () => encodeRead(out, 1, 132, 4), 'FF FF FD 00 01 07 00 02 84 00 04 00 1D 15'],
    [
      'write',
      () => encodeWrite(out, 1, 116, Uint8Array.of(0, 2, 0, 0)),
      'FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89',
    ],
    [
      'reg write',
      () => encodeRegWrite(out, 1, 104, Uint8Array.of(0xc8, 0, 0, 0)),
      'FF FF FD 00 01 09 00 04 68 00 C8 00 00 00 AE 8E',
    ],
    ['action', () => encodeAction(out, 1), 'FF FF FD 00 01 03 00 05 02 CE'],
    ['factory reset', () => encodeFactoryReset(out, 1, ResetOption.allButId), 'FF FF FD 00 01 04 00 06 01 A1 E6'],
    ['reboot', () => encodeReboot(out, 1), 'FF FF FD 00 01 03 00 08 2F 4E'],
    ['sync read', () => encodeSyncRead(out, [1, 2], 132, 4), 'FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA'],
    [
      'sync write',
      () => encodeSyncWrite(out, [1, 2], 116, 4, [150, 170]),
      'FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87',
    ],
    [
      'bulk read',
      () =>
        encodeBulkRead(out, [
          { id: 1, address: 144, length: 2 },
          { id: 2, address: 146, length: 1 },
        ]),
      'FF FF FD 00 FE 0D 00 92 01 90 00 02 00 02 92 00 01 00 1A 05',
    ],
  ])('%s is the example of the protocol manual', (_, encode, expected) => {
    expect(bytes(encode())).toEqual(hex(expected));
  });

  it('status packets of the manual are understood', () => {
    const manual = hex(`FF FF FD 00 01 07 00 55 00 06 04 26 65 5D  FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0
      FF FF FD 00 02 08 00 55 00 1F 08 00 00 BA BE  FF FF FD 00 01 04 00 55 00 A1 0C`);
    expect(parse([manual])).toEqual({
      frames: [
        [1, 0, 0x06, 0x04, 0x26],
        [1, 0, 0xa6, 0, 0, 0],
        [2, 0, 0x1f, 0x08, 0, 0],
        [1, 0],
      ],
      discarded: 0,
    });
  });

  it('the CRC continues from the CRC of what came before', () => {
    const data = Uint8Array.from(hex('FF FF FD 00 01 03 00 01'));
    expect(crc16(data, 0, 8)).toBe(0x4e19);
    expect(crc16(data, 3, 8, crc16(data, 0, 3))).toBe(0x4e19);
  });

  it('a header within the parameters is stuffed, and length and CRC count the stuffing', () => {
    const data = Uint8Array.of(0xff, 0xff, 0xfd, 0xff, 0xff, 0xfd, 0xfd, 1);
    const frame = bytes(encodeWrite(out, 1, 116, data));
    expect(frame).toEqual(packet(1, 3, 116, 0, ...data));
    expect(frame.slice(10, -2)).toEqual(hex('FF FF FD FD FF FF FD FD FD 01'));
    expect(frame[5]).toBe(15);
  });

  it('any data round-trips through stuffing', () => {
    // Few values, so that the pattern to be stuffed comes often.
    const byte = fc.constantFrom(0xff, 0xfd, 0x00, 0x7f);
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 60 }), (data) => {
        const length = encodeWrite(out, 7, 100, Uint8Array.from(data));
        expect(bytes(length)).toEqual(packet(7, 3, 100, 0, ...data));
        const body = Uint8Array.from(bytes(length));
        const end = unstuff(body, 8, length - 2);
        expect([...body.subarray(10, end)]).toEqual(data);
        expect(parse([dynamixelStatus(7, 0, ...data)]).frames).toEqual([[7, 0, ...data]]);
      }),
      { seed: 4, numRuns: 400 },
    );
  });
});

describe('the parser', () => {
  const byte = fc.oneof(
    { weight: 3, arbitrary: fc.nat(255) },
    { weight: 2, arbitrary: fc.constantFrom(0xff, 0xfd, 0) },
  );
  const status = fc
    .tuple(fc.nat(252), fc.constantFrom(0, 0x80, 4), fc.array(byte, { maxLength: 24 }))
    .map(([id, error, data]) => ({ expected: [id, error, ...data], stream: dynamixelStatus(id, error, ...data) }));
  const cuts = fc.array(fc.integer({ min: 1, max: 11 }), { minLength: 1 });

  it('gives the same packets in any chunking', () => {
    fc.assert(
      fc.property(fc.array(status, { minLength: 1, maxLength: 8 }), cuts, (parts, sizes) => {
        const { frames, discarded } = parse(
          chunked(
            parts.flatMap(({ stream }) => stream),
            sizes,
          ),
        );
        expect(frames).toEqual(parts.map(({ expected }) => expected));
        expect(discarded).toBe(0);
      }),
      { seed: 4 },
    );
  });

  it('loses no packet to any noise between packets, and counts the noise', () => {
    const header = fc.tuple(fc.nat(255), fc.nat(60)).map(([id, length]) => [0xff, 0xff, 0xfd, 0, id, length, 0, 0x55]);
    const noise = fc.oneof(fc.array(byte, { maxLength: 9 }), header);
    fc.assert(
      fc.property(fc.array(fc.tuple(noise, status), { minLength: 1, maxLength: 6 }), cuts, (parts, sizes) => {
        const stream = parts.flatMap(([garbage, { stream: good }]) => [...garbage, ...good]);
        const { frames, discarded } = parse(chunked(stream, sizes));
        expect(frames).toEqual(parts.map(([, { expected }]) => expected));
        expect(discarded).toBe(parts.reduce((sum, [garbage]) => sum + garbage.length, 0));
      }),
      { seed: 4, numRuns: 300 },
    );
  });

  it('throws away a packet with a wrong CRC and finds the next one', () => {
    const bad = dynamixelStatus(3, 0, 1, 2);
    bad[9] = bad[9]! ^ 0x10;
    expect(parse([[...bad, ...dynamixelStatus(4, 0, 9)]])).toEqual({ frames: [[4, 0, 9]], discarded: bad.length });
  });

  it('does not take an instruction, such as an echo of the own one, for an answer', () => {
    expect(parse([[...packet(1, 2, 132, 0, 4, 0), ...dynamixelStatus(1, 0, 7)]]).frames).toEqual([[1, 0, 7]]);
  });

  it('survives a read that its handler begins in the middle of a chunk', () => {
    const frames: number[] = [];
    const parser: StatusParser = new StatusParser((id) => {
      frames.push(id);
      if (id === 1) parser.reset();
    });
    parser.push(Uint8Array.from([...dynamixelStatus(1, 0, 5), ...dynamixelStatus(2, 0, 5)]));
    parser.push(Uint8Array.from(dynamixelStatus(3, 0, 5)));
    expect(frames).toEqual([1, 3]);
  });

  describe('of a fast sync read', () => {
    const blocks = [1, 2, 3].map((id) => ({ id, error: id === 2 ? 0x80 : 0, data: [id, 0xff, 0xff, 0xfd] }));
    const expected = blocks.map(({ id, error, data }) => [id, error, ...data]);

    it('hands out each block, in any chunking, without unstuffing', () => {
      const stream = [0x55, ...fastStatus(blocks), ...dynamixelStatus(9, 0, 1, 2)];
      for (let size = 1; size <= stream.length; size++) {
        expect(parse(chunked(stream, [size]), 4)).toEqual({ frames: [...expected, [9, 0, 1, 2]], discarded: 1 });
      }
    });

    it('hands out the blocks in front of the servo that is silent', () => {
      const stream = fastStatus(blocks);
      const cut = 8 + 2 * 8;
      const { frames } = parse([stream.slice(0, cut + 3)], 4);
      expect(frames).toEqual(expected.slice(0, 2));
    });

    it('hands out nothing behind a damaged block, and finds the packet that follows', () => {
      const stream = fastStatus(blocks);
      stream[8 + 8 + 3] = stream[8 + 8 + 3]! ^ 1;
      const { frames, discarded } = parse([[...stream, ...dynamixelStatus(9, 0, 1)]], 4);
      expect(frames).toEqual([expected[0], [9, 0, 1]]);
      expect(discarded).toBe(stream.length - 16);
    });

    it('is noise while none is awaited', () => {
      expect(parse([[...fastStatus(blocks), ...dynamixelStatus(9, 0, 1)]]).frames).toEqual([[9, 0, 1]]);
    });
  });
});

describe('the bus', () => {
  class Bench {
    readonly port = new WirePort();
    readonly bus: DynamixelBus;
    settled = 0;
    constructor(ids: readonly number[], options: { fast?: boolean } = {}) {
      this.bus = new DynamixelBus(this.port, ids, options);
      this.bus.onSettled = () => this.settled++;
    }
    get last(): number[] {
      return this.port.written.at(-1)!;
    }
    /** What a servo answers to the newest request, however many bytes it asks for. */
    answer(id: number): number[] {
      const data = new Array(this.last[10]!).fill(0);
      return dynamixelStatus(id, 0, id, ...data.slice(1));
    }
  }
  const block = (id: number, error = 0) => ({ id, error, data: [id, 0, 0, 0] });

  it('reads by one fast sync read, alarms notwithstanding', () => {
    const { bus, port, ...bench } = new Bench([1, 2]);
    bus.onSettled = () => bench.settled++;
    bus.beginRead(132, 4);
    expect(port.written).toEqual([packet(0xfe, 0x8a, 132, 0, 4, 0, 1, 2)]);
    port.reply(...fastStatus([block(1), block(2, 0x80)]));
    expect(bench.settled).toBe(1);
    expect(bus.block[0]).toBe(1);
    expect(bus.block[MAX_BLOCK]).toBe(2);
    expect([...bus.errors]).toEqual([0, 0x80]);
    expect(bus.fast).toBe(true);
  });

  it('asks the servos that a broken answer leaves out once more, last one first', () => {
    const bench = new Bench([1, 2, 3]);
    bench.bus.beginRead(132, 4);
    bench.port.reply(...fastStatus([block(1), block(2), block(3)]).slice(0, 8 + 8));
    bench.bus.expire();
    expect(bench.last).toEqual(packet(0xfe, 0x82, 132, 0, 5, 0, 3, 2));
    bench.port.reply(...dynamixelStatus(3, 0, 3, 0, 0, 0, 0));
    bench.bus.expire();
    expect(bench.settled).toBe(1);
    expect([...bench.bus.answered]).toEqual([1, 0, 1]);
    expect([...bench.bus.lost]).toEqual([0, 1, 0]);
  });

  it('asks a single missing servo alone', () => {
    const bench = new Bench([1, 2], { fast: false });
    bench.bus.beginRead(132, 4);
    expect(bench.last).toEqual(packet(0xfe, 0x82, 132, 0, 4, 0, 1, 2));
    bench.port.reply(...dynamixelStatus(1, 0, 1, 0, 0, 0));
    bench.bus.expire();
    expect(bench.last).toEqual(packet(2, 2, 132, 0, 5, 0));
  });

  it('takes plain sync reads for good when firmware does not know the fast ones', () => {
    const bench = new Bench([1, 2]);
    let cycles = 0;
    while (bench.bus.fast && cycles < 20) {
      cycles++;
      bench.bus.beginRead(132, 4);
      bench.bus.expire();
      bench.port.reply(...bench.answer(2), ...bench.answer(1));
      expect(bench.settled).toBe(cycles);
    }
    expect(cycles).toBe(12);
    bench.bus.beginRead(132, 4);
    expect(bench.last[7]).toBe(0x82);
    bench.port.reply(...bench.answer(1), ...bench.answer(2));
    expect(bench.settled).toBe(cycles + 1);
    expect([...bench.bus.lost]).toEqual([0, 0]);
  });

  it('does not take the late answer to a fast sync read for the answer to the next one', () => {
    const bench = new Bench([1, 2]);
    bench.bus.beginRead(132, 4);
    bench.bus.expire();
    bench.bus.expire();
    bench.bus.beginRead(132, 4);
    bench.port.reply(...fastStatus([block(1), block(2)]));
    expect([...bench.bus.answered]).toEqual([0, 0]);
    const fresh = (id: number) => ({ id, error: 0, data: [id + 10, ...new Array(bench.last[10]! - 1).fill(0)] });
    bench.port.reply(...fastStatus([fresh(1), fresh(2)]));
    expect([bench.settled, bench.bus.block[0], bench.bus.block[MAX_BLOCK]]).toEqual([2, 11, 12]);
  });

  it('keeps fast sync reads of servos that have answered one, however disturbed the line is later', () => {
    const bench = new Bench([1]);
    for (let cycle = 0; cycle < 60; cycle++) {
      bench.bus.beginRead(132, 4);
      if (cycle > 0) {
        bench.bus.expire();
        bench.port.reply(...bench.answer(1));
      } else {
        bench.port.reply(...fastStatus([block(1)]));
      }
    }
    expect(bench.settled).toBe(60);
    expect(bench.bus.fast).toBe(true);
  });

  it('reckons with the time that each servo lets pass before it answers: once for a fast sync read, and for each of a plain one', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1000);
    onTestFinished(() => clock.mockRestore());
    const { bus } = new Bench([1, 2, 3, 4, 5, 6]);
    bus.answerDelay = 500e-6;
    bus.beginRead(132, 4);
    // 20 bytes of request at 10 us each, and 8 + 6 x 8 of answer.
    expect(bus.readTime).toBeCloseTo(760e-6 + 500e-6, 6);
    bus.expire();
    // What was asked first may still be under way; 20 bytes, and 6 x 16 with a byte more than before.
    expect(bus.readTime).toBeCloseTo(1260e-6 + 1160e-6 + 6 * 500e-6, 6);
  });

  it('writes registers of one, two and four bytes, negative ones too', () => {
    const bench = new Bench([1, 2]);
    bench.bus.syncWrite(XL330_M288.registers.goal_position, [-2, 0x01020304]);
    expect(bench.last).toEqual(packet(0xfe, 0x83, 116, 0, 4, 0, 1, 0xfe, 255, 255, 255, 2, 4, 3, 2, 1));
    bench.bus.syncWrite(XL330_M288.registers.goal_current, [500, -500]);
    expect(bench.last).toEqual(packet(0xfe, 0x83, 102, 0, 2, 0, 1, 0xf4, 1, 2, 0x0c, 0xfe));
    bench.bus.syncWrite(XL330_M288.registers.torque_enable, [1, 0]);
    expect(bench.last).toEqual(packet(0xfe, 0x83, 64, 0, 1, 0, 1, 1, 2, 0));
  });

  it('does not take a refusal for data', () => {
    const bench = new Bench([1], { fast: false });
    bench.bus.beginRead(132, 4);
    bench.port.reply(...dynamixelStatus(1, 7));
    expect(bench.bus.reading).toBe(true);
    expect(bench.bus.errors[0]).toBe(7);
  });
});

test('a mixture of X models has the registers of a cycle at the same addresses, so that one request reaches all', () => {
  for (const [name, row] of Object.entries(XL330_M288.common)) {
    const other = XL430_W250.common[name as keyof typeof XL430_W250.common];
    // It has no control of its current.
    if (other === null || row === null) continue;
    expect([name, other.address, other.size]).toEqual([name, row.address, row.size]);
  }
});
