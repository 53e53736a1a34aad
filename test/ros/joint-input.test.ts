import pino from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { frameOf } from '../../src/ros/bridge-identity.ts';
import { JointStateEncoder } from '../../src/ros/cdr.ts';
import { JointInput, jointValuesFault, LimitLog } from '../../src/ros/joint-input.ts';
import { RefusalLog } from '../../src/ros/refusals.ts';

const encoder = new JointStateEncoder(['a']);

describe('the entrance for joint values', () => {
  let lines: string[];
  let accepted: number[];
  let input: JointInput;
  beforeEach(() => {
    lines = [];
    accepted = [];
    const write = (line: string) => {
      lines.push((JSON.parse(line) as { msg: string }).msg);
    };
    input = new JointInput('/arm/joint_commands', pino({}, { write }), ({ positions }) => {
      if (positions[0]! < 0) return `it says ${positions[0]}`;
      accepted.push(positions[0]!);
      return null;
    });
  });
  const receive = (stamp: number, value: number, now: number) =>
    input.receive(encoder.encode(stamp, Float64Array.of(value), null, null), now);

  test('drops what is not later than the message before, and says so once', () => {
    for (const [index, stamp] of [10, 11, 10.5, 11, 12].entries()) receive(stamp, index, index * 0.01);
    expect(accepted).toEqual([0, 1, 4]);
    expect(lines).toEqual([expect.stringContaining('its stamp is not later')]);
  });

  test('keeps the order of each bridge by itself: their clocks differ', () => {
    const ahead = new JointStateEncoder(['a'], frameOf({ id: '3f2a91c0-0c6e-4d1f-9f5c-2b7e64a1d0aa', name: 'lab 2' }));
    for (let i = 0; i < 5; i++) {
      receive(10 + i * 0.01, i, i * 0.01);
      input.receive(ahead.encode(20 + i * 0.01, Float64Array.of(-1), null, null), i * 0.01);
    }
    expect(accepted).toEqual([0, 1, 2, 3, 4]);
  });

  test('takes messages without stamps as they come', () => {
    for (const [index, stamp] of [0, 0, 10, 0, 11].entries()) receive(stamp, index, index * 0.01);
    expect(accepted).toEqual([0, 1, 2, 3, 4]);
  });

  test('takes up a stream with an earlier clock once the one before has been silent, and it has gone on, for 0.1 s each', () => {
    receive(1000, 1, 5);
    for (let i = 0; i < 30; i++) receive(500 + i * 0.01, 2 + i, 5.05 + i * 0.01);
    expect(accepted[0]).toBe(1);
    expect(accepted.slice(1)).toEqual(Array.from({ length: 14 }, (_, i) => 18 + i));
    expect(lines[0]).toContain('its stamp is not later');
    expect(lines[1]).toContain('kept back');
  });

  test('refuses what was kept back while the way was broken, and takes what is sent after it', () => {
    for (let i = 0; i < 5; i++) receive(1000 + i * 0.01, i, 5 + i * 0.01);
    for (let i = 0; i < 10; i++) receive(1000.05 + i * 0.01, 100, 7 + i * 0.0005);
    expect(accepted).toEqual([0, 1, 2, 3, 4]);
    receive(1002.02, 5, 7.03);
    receive(1002.03, 6, 7.04);
    expect(accepted).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('refuses bytes that are no message, and goes on', () => {
    input.receive(new Uint8Array(3), 0);
    input.receive(Uint8Array.of(0, 1, 0, 0, 255, 255), 0);
    receive(1, 1, 0);
    expect(accepted).toEqual([1]);
    expect(lines).toHaveLength(2);
  });

  test('logs a fault the first, tenth and hundredth time, and anew after it was away for 10 s', () => {
    for (let index = 0; index < 250; index++) receive(0, -1, index * 0.01);
    expect(lines).toEqual([
      'Message on /arm/joint_commands refused: it says -1',
      'Message on /arm/joint_commands refused: it says -1 (10 times)',
      'Message on /arm/joint_commands refused: it says -1 (100 times)',
    ]);
    receive(0, -2, 20);
    expect(lines.at(-1)).toBe('Message on /arm/joint_commands refused: it says -2');
  });

  test('ever different faults do not fill the memory, nor does one that throws get out', () => {
    let count = 0;
    const varying = new JointInput('/t', pino({ enabled: false }), () => {
      if (count++ % 2 === 0) throw new Error(`fault ${count}`);
      return `fault of kind ${String.fromCodePoint(1000 + count)}`;
    });
    for (let index = 0; index < 1000; index++) {
      varying.receive(encoder.encode(0, Float64Array.of(0), null, null), 0);
    }
    expect(count).toBe(1000);
  });
});

describe('joint values by name', () => {
  const known = new Map([
    ['a', 0],
    ['b', 1],
  ]);
  test.each([
    [['a'], [1], null],
    [['b', 'a'], [1, 2], null],
    [[], [], 'it names no joint'],
    [['a'], [], 'it has 1 names but 0 positions'],
    [['a'], [1, 2], 'it has 1 names but 2 positions'],
    [['c'], [1], 'the arm has no joint "c"; it has a, b'],
    [['a', 'a'], [1, 2], 'it names the joint a twice'],
    [['a', 'b'], [1, Number.NaN], 'the position of b is NaN'],
    [['a'], [Number.NEGATIVE_INFINITY], 'the position of a is -Infinity'],
  ])('names %j with values %j: fault %s', (names, values, text) => {
    expect(jointValuesFault(names, Float64Array.from(values), known)).toBe(text);
  });
});

test('positions beyond limits are told, each joint once, and what is within rounding of a limit is not', () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg);
  const joints = loadArmModel('so101').joints;
  const limits = new LimitLog(joints, '/arm/joint_commands', pino({}, { write }));
  const [pan, lift] = [joints[0]!, joints[1]!];
  for (let i = 0; i < 9; i++) {
    limits.look([pan.name, lift.name], Float64Array.of(pan.upper + 0.005, lift.lower - 0.5), i * 0.01);
  }
  expect(lines).toEqual([
    `Message on /arm/joint_commands followed in part: ${lift.name} is asked to ${(lift.lower - 0.5).toFixed(3)} rad and ` +
      `stops at its limit, ${lift.lower.toFixed(3)}`,
  ]);
});

test('texts that differ in numbers and in what they quote say the same; joints that are numbered are told apart', () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg);
  const log = new RefusalLog(pino({}, { write }), 'Refused');
  for (let i = 0; i < 9; i++) log.refuse(`no joint ${JSON.stringify(`x"${i}`)}; its stamp is ${-i / 7} s old`, i);
  for (const joint of ['joint_1', 'joint_2', 'joint_1']) log.refuse(`${joint} is at its limit`, 9);
  expect(lines).toEqual([
    'Refused: no joint "x\\"0"; its stamp is 0 s old',
    'Refused: joint_1 is at its limit',
    'Refused: joint_2 is at its limit',
  ]);
});
