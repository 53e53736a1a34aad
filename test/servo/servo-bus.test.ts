import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { radiansToSteps, stepsToRadians } from '../../src/servo/calibration.ts';
import { FeetechBus } from '../../src/servo/feetech/feetech-bus.ts';
import { encodeRead, encodeSyncRead, encodeSyncWrite } from '../../src/servo/feetech/feetech-frame.ts';
import { StatusParser } from '../../src/servo/feetech/feetech-parser.ts';
import { STS3215 } from '../../src/servo/feetech/sts3215.ts';
import { decodeSign, encodeSign } from '../../src/servo/registers.ts';
import { MAX_BLOCK } from '../../src/servo/servo-bus.ts';
import { chunked, feetechStatus as status, WirePort } from './wire.ts';

function parse(chunks: number[][]): { frames: number[][]; discarded: number } {
  const frames: number[][] = [];
  const parser = new StatusParser((id, error, bytes, from, length) =>
    frames.push([id, error, ...bytes.subarray(from, from + length)]),
  );
  for (const chunk of chunks) parser.push(Uint8Array.from(chunk));
  parser.flush();
  return { frames, discarded: parser.discarded };
}

test('requests are the bytes of the protocol manual', () => {
  const out = new Uint8Array(250);
  const bytes = (length: number): number[] => [...out.subarray(0, length)];
  expect(bytes(encodeRead(out, 1, 0x38, 2))).toEqual([0xff, 0xff, 0x01, 0x04, 0x02, 0x38, 0x02, 0xbe]);
  expect(bytes(encodeSyncRead(out, [1, 2], 0x38, 8))).toEqual([255, 255, 0xfe, 6, 0x82, 0x38, 8, 1, 2, 0x36]);
  expect(bytes(encodeSyncWrite(out, [1, 2], 0x2a, 2, [0x800, 0x801]))).toEqual([
    255, 255, 0xfe, 10, 0x83, 0x2a, 2, 1, 0x00, 0x08, 2, 0x01, 0x08, 0x34,
  ]);
});

/** Whether noise happens to make a valid packet with what is around it, which no receiver can tell from a real one. */
function hasAccident(stream: readonly number[], begins: ReadonlySet<number>): boolean {
  return stream.some((_, at) => {
    const length = stream[at + 3] ?? 0;
    const [end, id] = [at + 4 + length, stream[at + 2] ?? 255];
    if (begins.has(at) || stream[at] !== 255 || stream[at + 1] !== 255 || id > 253 || length < 2) return false;
    const sum = stream.slice(at + 2, end).reduce((total, byte) => total + byte, 0);
    return end <= stream.length && (sum & 0xff) === 0xff;
  });
}

test('any chunking gives the same packets, and any noise between them costs none', () => {
  const byte = fc.oneof({ weight: 3, arbitrary: fc.nat(255) }, { weight: 1, arbitrary: fc.constant(255) });
  const packet = fc
    .tuple(fc.integer({ min: 0, max: 252 }), fc.integer({ min: 0, max: 63 }), fc.array(byte, { maxLength: 15 }))
    .map(([id, error, parameters]) => status(id, error, ...parameters));
  const header = fc.tuple(fc.nat(253), fc.nat(60)).map(([id, length]) => [255, 255, id, length]);
  const noise = fc.oneof(fc.array(byte, { maxLength: 6 }), header);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(noise, packet), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1 }),
      (parts, cuts) => {
        const begins = new Set<number>();
        const stream: number[] = [];
        for (const [garbage, bytes] of parts) {
          stream.push(...garbage);
          begins.add(stream.length);
          stream.push(...bytes);
        }
        fc.pre(!hasAccident(stream, begins));
        const { frames, discarded } = parse(chunked(stream, cuts));
        expect(frames).toEqual(parts.map(([, bytes]) => [bytes[2], bytes[4], ...bytes.slice(5, -1)]));
        expect(discarded).toBe(parts.reduce((sum, [garbage]) => sum + garbage.length, 0));
      },
    ),
    { seed: 4, numRuns: 300 },
  );
});

test('a packet with a wrong checksum is thrown away and the next one found', () => {
  const bad = status(3, 0, 1, 2);
  bad[6] = bad[6]! ^ 0x10;
  expect(parse([[...bad, ...status(4, 0, 9)]]).frames).toEqual([[4, 0, 9]]);
});

test('positions convert both ways within half a step, signs and offsets included', () => {
  const calibration = { sign: -1, zero: 2100, stepsPerTurn: 4096 } as const;
  for (let steps = 0; steps < 4096; steps += 7) {
    expect(radiansToSteps(calibration, stepsToRadians(calibration, steps))).toBe(steps);
  }
  const { sign } = STS3215.registers.present_position;
  expect(decodeSign(sign, 0x8005)).toBe(-5);
  expect(encodeSign(sign, -5)).toBe(0x8005);
});

test('a read settles when every servo has answered, in any order, alarms notwithstanding', () => {
  const port = new WirePort();
  const bus = new FeetechBus(port, [1, 2]);
  let settled = 0;
  bus.onSettled = () => settled++;
  bus.beginRead(56, 2);
  port.reply(...status(2, 32, 7, 8));
  expect(settled).toBe(0);
  port.reply(...status(1, 0, 5, 6));
  expect(settled).toBe(1);
  expect([...bus.block.subarray(0, 2), ...bus.block.subarray(MAX_BLOCK, MAX_BLOCK + 2)]).toEqual([5, 6, 7, 8]);
  expect([...bus.errors]).toEqual([0, 32]);
});

test('only the servos that have not answered are asked again, once', () => {
  const port = new WirePort();
  const bus = new FeetechBus(port, [1, 2, 3]);
  let settled = 0;
  bus.onSettled = () => settled++;
  bus.beginRead(56, 2);
  port.reply(...status(1, 0, 1, 0), ...status(3, 0, 3, 0));
  bus.expire();
  expect(port.written.slice(1)).toEqual([[255, 255, 2, 4, 2, 56, 3, 0xbc]]);
  expect(settled).toBe(0);
  bus.expire();
  expect(settled).toBe(1);
  expect([...bus.answered]).toEqual([1, 0, 1]);
  expect([...bus.lost]).toEqual([0, 1, 0]);
});

test('several missing servos are asked by one request, last one first', () => {
  const port = new WirePort();
  const bus = new FeetechBus(port, [1, 2, 3]);
  bus.beginRead(56, 2);
  port.reply(...status(1, 0, 1, 0));
  bus.expire();
  expect(port.written.slice(1)).toEqual([[255, 255, 0xfe, 6, 0x82, 56, 3, 3, 2, 0x39]]);
});

test('replies behind noise that looks like a header are found at the deadline, without asking again', () => {
  const port = new WirePort();
  const bus = new FeetechBus(port, [1]);
  bus.beginRead(56, 2);
  port.reply(255, 255, 7, 40, ...status(1, 0, 3, 0));
  expect(bus.reading).toBe(true);
  bus.expire();
  expect(bus.reading).toBe(false);
  expect(bus.block[0]).toBe(3);
  expect(port.written).toHaveLength(1);
});

test('a reply that comes when nothing is awaited changes nothing', () => {
  const port = new WirePort();
  const bus = new FeetechBus(port, [1]);
  port.reply(...status(1, 0, 1, 2), ...status(9, 0, 1, 2));
  expect(bus.answered[0]).toBe(0);
  bus.beginRead(56, 2);
  port.reply(...status(1, 0, 1));
  expect(bus.reading).toBe(true);
});

/** The answers of two servos that stand at `value`, to a request for `length` bytes. */
function both(value: number, length: number): number[] {
  const data = [value, 0, 9, 9, 9, 9, 9].slice(0, length);
  return [...status(1, 0, ...data), ...status(2, 0, ...data)];
}

/** Bytes that the newest request asks for. */
function askedFor(port: WirePort): number {
  return port.written.at(-1)![6]!;
}

test('the late answer to a repeated request does not pass for the answer to the next one, also read by read', () => {
  const port = new WirePort();
  const bus = new FeetechBus(port, [1, 2]);
  let late: number[] = [];
  for (let cycle = 1; cycle <= 20; cycle++) {
    bus.beginRead(56, 2);
    const first = askedFor(port);
    bus.expire();
    const again = askedFor(port);
    expect(again).not.toBe(first);
    // What was asked twice the cycle before comes now, then the first answer of this one; the second is late again.
    port.reply(...late);
    expect(bus.reading).toBe(true);
    port.reply(...both(cycle, first));
    expect(bus.reading).toBe(false);
    expect([bus.block[0], bus.block[MAX_BLOCK]]).toEqual([cycle, cycle]);
    late = both(cycle, again);
  }
  bus.beginRead(56, 2);
  port.reply(...late);
  expect(bus.reading).toBe(true);
  port.reply(...both(50, askedFor(port)));
  expect([bus.reading, bus.block[0], ...bus.lost]).toEqual([false, 50, 0, 0]);
});

test('answers to a read that was given up do not pass for those to the next one', () => {
  const port = new WirePort();
  const bus = new FeetechBus(port, [1, 2]);
  bus.beginRead(56, 2);
  const first = askedFor(port);
  bus.expire();
  const again = askedFor(port);
  bus.expire();
  expect(bus.reading).toBe(false);
  bus.beginRead(56, 2);
  port.reply(...both(1, first), ...both(1, again));
  expect([bus.reading, ...bus.answered]).toEqual([true, 0, 0]);
  port.reply(...both(2, askedFor(port)));
  expect([bus.reading, bus.block[0]]).toEqual([false, 2]);
});

test('a request asks for the block alone again once nothing is outstanding, at once where a reply was truly lost', () => {
  const port = new WirePort();
  const bus = new FeetechBus(port, [1, 2]);
  bus.beginRead(56, 2);
  port.reply(...status(1, 0, 1, 0));
  bus.expire();
  port.reply(...status(2, 0, 1, 0, 9));
  expect(bus.reading).toBe(false);
  bus.beginRead(56, 2);
  expect(askedFor(port)).toBe(2);
  port.reply(...both(2, 2));
  expect([bus.reading, bus.block[0]]).toEqual([false, 2]);
});

test('a read is late when it is answered to its first request after that has been repeated', () => {
  const port = new WirePort();
  const bus = new FeetechBus(port, [1, 2]);
  const late = (first: number, again: number): boolean => {
    bus.beginRead(56, 2);
    const asked = askedFor(port);
    port.reply(...status(1, 0, ...new Array(asked).fill(0)));
    bus.expire();
    for (let i = 0; i < first; i++) port.reply(...status(2, 0, ...new Array(asked).fill(0)));
    for (let i = 0; i < again; i++) port.reply(...status(2, 0, ...new Array(askedFor(port)).fill(0)));
    return bus.late;
  };
  expect([late(0, 1), late(1, 0), late(1, 1)]).toEqual([false, true, true]);
  bus.beginRead(56, 2);
  expect(bus.late).toBe(false);
});

test('the time of a read counts the request, its answer, and the goals that go before it on the same line', () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1000);
  onTestFinished(() => clock.mockRestore());
  const port = new WirePort();
  const bus = new FeetechBus(port, [1, 2, 3, 4, 5, 6]);
  bus.beginRead(56, 2);
  // 14 bytes of request and 6 x 8 of answer at 10 us; 26 bytes of goals.
  expect(bus.readTime).toBeCloseTo(620e-6, 6);
  for (const id of bus.ids) port.reply(...status(id, 0, 1, 0));
  bus.syncWrite(STS3215.registers.goal_position, [1, 2, 3, 4, 5, 6]);
  bus.beginRead(56, 2);
  expect(bus.readTime).toBeCloseTo(880e-6, 6);
});

test('the time of a read goes by the rate of its line', () => {
  const port = Object.assign(new WirePort(), { baudRate: 57_600 });
  const bus = new FeetechBus(port, [1, 2, 3, 4, 5, 6]);
  bus.beginRead(56, 2);
  expect(bus.readTime).toBeCloseTo(620 / 57_600, 6);
});
