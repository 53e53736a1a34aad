import { describe, expect, test } from 'vitest';
import { ArmReadings } from '../../../src/rt/driver/arm-readings.ts';
import { BusStatistics } from '../../../src/rt/driver/bus-statistics.ts';
import type { CycleReader } from '../../../src/rt/driver/cycle-reader.ts';
import { HomingCheck } from '../../../src/rt/driver/homing-check.ts';
import { Measurements } from '../../../src/rt/driver/measurements.ts';
import { ServoHealth } from '../../../src/rt/driver/servo-health.ts';
import { ServoLimits } from '../../../src/rt/driver/servo-limits.ts';
import { ServoLosses } from '../../../src/rt/driver/servo-losses.ts';
import type { Block } from '../../../src/rt/driver/servo-reads.ts';
import { findTurn, type LinkJoint, servoSlots } from '../../../src/rt/driver/servo-slots.ts';
import { ServoTrust } from '../../../src/rt/driver/servo-trust.ts';
import { TorqueState } from '../../../src/rt/driver/torque-state.ts';
import { familyByName } from '../../../src/servo/families.ts';
import { bytesOf, type Register } from '../../../src/servo/registers.ts';
import { MAX_BLOCK, type ServoBus } from '../../../src/servo/servo-bus.ts';
import { modelByName } from '../../../src/servo/servo-models.ts';
import type { FoundServo } from '../../../src/servo/start-up.ts';

const STEP = (2 * Math.PI) / 4096;

/** Two joints, the second with two servos of which one is mounted face to face; their places are 0, 1 and 2. */
function joints(shadow = false): LinkJoint[] {
  const model = modelByName('STS3215')!;
  const servo = (id: number, sign: 1 | -1 = 1) => ({
    ...{ id, model, shadow: shadow && id === 3, homing: id === 2 ? 100 : undefined },
    calibration: { sign, zero: 2048, stepsPerTurn: 4096 },
  });
  return [
    { name: 'pan', servos: [servo(1)], settings: {}, lower: -1, upper: 1 },
    { name: 'lift', servos: [servo(2), servo(3, -1)], settings: {}, lower: -1, upper: 1 },
  ];
}

const foundAll = (...servos: readonly Partial<FoundServo>[]): FoundServo[] => servos as FoundServo[];

describe('homing offsets', () => {
  test('are compared where the calibration tells them, and each that differs is named', () => {
    const check = new HomingCheck(servoSlots(joints()));
    check.compare(foundAll({ homingOffset: 7 }, { homingOffset: 100 }, { homingOffset: -5 }));
    expect(check.text).toBe('');
    check.set(0, 0);
    check.compare(foundAll({ homingOffset: 7 }, { homingOffset: 101 }, { homingOffset: -5 }));
    expect(check.text).toMatch(
      /^servo 1 \(pan\) has homing offset 7, its calibration file says 0; servo 2 \(lift\) has homing offset 101, its calibration file says 100: is this the arm/,
    );
    check.set(0, null);
    check.set(1, 101);
    check.compare(foundAll({ homingOffset: 7 }, { homingOffset: 101 }, { homingOffset: -5 }));
    expect(check.text).toBe('');
  });
});

describe('limits that servos keep to', () => {
  const turns = (lower: number, upper: number) => ({ limits: { lowest: 2048 + lower, highest: 2048 + upper } });

  test('are told by joint, rad, where they take more than 0.01 rad from its range at either end', () => {
    const limits = new ServoLimits(servoSlots(joints()), joints());
    const within = Math.floor(0.99 / STEP) + 1;
    expect(limits.take(foundAll(turns(-within, within), { limits: null }, { limits: null }))).toEqual([]);
    expect([limits.lowest[0], limits.highest[0]]).toEqual([2048 - within, 2048 + within]);
    expect([limits.lower[0], limits.upper[0]]).toEqual([-within * STEP, within * STEP]);
    for (const ends of [
      [-within + 1, within],
      [-within, within - 1],
    ] as const) {
      const [text, ...others] = limits.take(foundAll(turns(...ends), { limits: null }, { limits: null }));
      expect(others).toEqual([]);
      expect(text).toMatch(
        /^the servo of pan keeps to its own position limits, -0\.99 to 0\.99 rad instead of -1\.00 to 1\.00/,
      );
    }
  });

  test('of a joint are the narrowest of its servos, however each is mounted; what was found before is forgotten', () => {
    const limits = new ServoLimits(servoSlots(joints()), joints());
    limits.take(foundAll({ limits: null }, turns(-500, 400), turns(-300, 600)));
    // The second one counts down: its range is -600 to 300 steps of the joint.
    expect(limits.lower[1]).toBeCloseTo(-500 * STEP, 9);
    expect(limits.upper[1]).toBeCloseTo(300 * STEP, 9);
    expect(limits.take(foundAll({ limits: null }, { limits: null }, { limits: null }))).toEqual([]);
    // Left is what keeps each servo from the jump of its position: 23 of 4096 steps at either end of its turn. The
    // second servo of the lift counts down.
    expect([...limits.lower]).toEqual([-2025 * STEP, -2024 * STEP].map((end) => expect.closeTo(end, 9)));
    expect([...limits.upper]).toEqual([2024 * STEP, 2024 * STEP].map((end) => expect.closeTo(end, 9)));
    expect([...limits.lowest]).toEqual(new Array(3).fill(Number.NEGATIVE_INFINITY));
    expect([...limits.highest]).toEqual(new Array(3).fill(Number.POSITIVE_INFINITY));
  });

  test('end before the position of a servo jumps to the other end of its turn, silently', () => {
    const limits = new ServoLimits(servoSlots(joints()), joints());
    expect(limits.take(foundAll(turns(-2048, 2047), turns(-2048, 2047), turns(-2048, 2047)))).toEqual([]);
    for (const joint of [0, 1]) {
      expect(limits.lower[joint]).toBeGreaterThan(-Math.PI + 0.03);
      expect(limits.upper[joint]).toBeLessThan(Math.PI - 0.03);
    }
    // Where a servo stands is no reason to refuse it torque: it takes goals over its whole turn.
    expect([limits.lowest[0], limits.highest[0]]).toEqual([0, 4095]);
  });

  test('of a servo that counts turns are its own alone, as are those of a family whose positions count on', () => {
    const slots = servoSlots(joints());
    for (const slot of slots) slot.countsTurns = true;
    const counting = new ServoLimits(slots, joints());
    counting.take(foundAll({ limits: null }, { limits: null }, { limits: null }));
    expect(counting.upper[0]).toBe(Number.POSITIVE_INFINITY);
    const dynamixel = servoSlots(joints());
    for (const slot of dynamixel) slot.model = modelByName('XL330-M288')!;
    const going = new ServoLimits(dynamixel, joints());
    going.take(foundAll(turns(-2048, 2047), turns(-2048, 2047), turns(-2048, 2047)));
    expect(going.upper[0]).toBeCloseTo(2047 * STEP, 9);
  });

  test('of a shadow count for nothing: it takes no goals of its own', () => {
    const limits = new ServoLimits(servoSlots(joints(true)), joints(true));
    expect(limits.take(foundAll({ limits: null }, { limits: null }, turns(-10, 10)))).toEqual([]);
    expect(limits.lowest[2]).toBe(Number.NEGATIVE_INFINITY);
    expect(limits.upper[1]).toBeCloseTo(2024 * STEP, 9);
  });
});

test.each([
  ['000', [0, 0], false, false],
  ['100', [1, 0], false, true],
  ['010', [0, 0], false, true],
  ['001', [0, 0], false, true],
  ['011', [0, 1], false, true],
  ['110', [1, 0], false, true],
  ['111', [1, 1], true, true],
])('of servos with torque %s the joints %j hold: a joint holds when all of its servos do', (held, by, all, any) => {
  const torque = new TorqueState(servoSlots(joints()), 2);
  torque.holds.set([...held].map(Number));
  torque.combine();
  expect([[...torque.joints], torque.all, torque.any]).toEqual([by, all, any]);
  expect([...torque.expected]).toEqual([0, 0, 0]);
  torque.accept();
  expect([...torque.expected]).toEqual([...torque.holds]);
});

test('servos with torque are named by id and joint', () => {
  const torque = new TorqueState(servoSlots(joints()), 2);
  torque.holds[1] = 1;
  expect([torque.named(1), torque.named(0)]).toEqual(['servo 2 (lift)', 'servo 1 (pan), 3 (lift)']);
});

describe('when an arm was heard', () => {
  function makeStatistics() {
    const bus = { lost: [3, 4, 5], discarded: 9 } as unknown as ServoBus;
    const readings = new ArmReadings(2);
    return { readings, statistics: new BusStatistics(readings, bus, [0, 1, 1]) };
  }

  test('is told of each joint by the quietest of its servos', () => {
    const { readings, statistics } = makeStatistics();
    statistics.checked(9, 10);
    expect([[...readings.heard], readings.sampleTime, readings.steerTime, readings.detailTime]).toEqual([
      [10, 10],
      9,
      9,
      0,
    ]);
    statistics.settled(Uint8Array.of(1, 1, 0), 0.001, 11);
    expect([[...readings.heard], [...readings.lost], readings.discarded]).toEqual([[11, 10], [3, 4], 9]);
    statistics.settled(Uint8Array.of(0, 0, 1), Number.NaN, 12);
    expect([...readings.heard]).toEqual([11, 11]);
    statistics.settled(Uint8Array.of(0, 1, 1), Number.NaN, 13);
    expect([...readings.heard]).toEqual([11, 13]);
  });

  test('round trips are told every 5 s, of that time alone, without those that did not end', () => {
    const { readings, statistics } = makeStatistics();
    const settle = (duration: number, now: number): void => statistics.settled(Uint8Array.of(1, 1, 1), duration, now);
    settle(0.001, 100);
    expect([readings.roundTripMedian, readings.roundTripLongest]).toEqual([0.001, 0.001]);
    for (const [i, duration] of [0.002, Number.NaN, 0.002, 0.004].entries()) settle(duration, 101 + i);
    settle(0.002, 105);
    expect(readings.roundTripLongest).toBe(0.001);
    settle(0.002, 105.01);
    expect(readings.roundTripMedian).toBeCloseTo(0.002, 3);
    expect(readings.roundTripLongest).toBe(0.004);
    settle(0.003, 111);
    expect([readings.roundTripMedian, readings.roundTripLongest]).toEqual([0.003, 0.003]);
  });
});

describe('what servos answer', () => {
  function makeMeasurements() {
    const slots = servoSlots(joints());
    const readings = new ArmReadings(2);
    const servos = slots.map(({ id, name }) => ({ id, joint: name }));
    const ignore = (): void => {};
    const health = new ServoHealth(servos, familyByName('feetech'), ignore, ignore);
    const torque = new TorqueState(slots, 2);
    const measurements = new Measurements(readings, slots, health, torque);
    for (let i = 0; i < 3; i++) measurements.begin(i, 2048, 10);
    const moved: number[] = [];
    measurements.onMoved = (index) => void moved.push(index);
    return { measurements, readings, health, torque, slots, moved };
  }

  const { presentPosition } = modelByName('STS3215')!.common;
  /** A read of positions alone. */
  const block: Block = {
    ...{ address: presentPosition.address, length: 2, position: true },
    ...{ detail: false, alarms: false, torque: false, goal: false, gain: false, effortLimit: false },
  };
  const bytes = (...steps: readonly number[]): Uint8Array => {
    const all = new Uint8Array(steps.length * MAX_BLOCK);
    for (const [i, value] of steps.entries()) all.set([value & 255, value >> 8], i * MAX_BLOCK);
    return all;
  };

  test('gives a joint the position of its first servo, and tells how far the others are from it', () => {
    const { measurements, readings, health } = makeMeasurements();
    const believed = measurements.take(bytes(2058, 2028, 2078), Uint8Array.of(1, 1, 1), block, 10.005);
    expect([believed, [...measurements.fresh]]).toEqual([true, [1, 1, 1]]);
    expect(readings.positions[0]).toBeCloseTo(10 * STEP, 9);
    expect(readings.positions[1]).toBeCloseTo(-20 * STEP, 9);
    expect(health.apart[2]).toBeCloseTo(-10 * STEP, 9);
    expect([...measurements.steps]).toEqual([2058, 2028, 2078]);
  });

  test('is kept for a servo that does not answer, whose position is not fresh', () => {
    const { measurements, readings } = makeMeasurements();
    expect(measurements.take(bytes(2058, 2028, 2068), Uint8Array.of(1, 0, 1), block, 10.005)).toBe(true);
    expect([...measurements.fresh]).toEqual([1, 0, 1]);
    expect(readings.positions[1]).toBe(0);
  });

  test('is not believed at once where no joint can be: not fresh, told once it agrees', () => {
    const { measurements, readings, moved } = makeMeasurements();
    const read = (k: number): boolean =>
      measurements.take(bytes(3000, 2048, 2048), Uint8Array.of(1, 1, 1), block, 10 + 0.005 * k);
    expect([read(1), [...measurements.fresh], readings.positions[0]]).toEqual([false, [0, 1, 1], 0]);
    expect([read(2), read(3), [...measurements.fresh], moved]).toEqual([false, true, [1, 1, 1], [0]]);
    expect(readings.positions[0]).toBeCloseTo(952 * STEP, 9);
  });

  test('has the arm checked before its torque goes on once a position has jumped, and names a servo that jumps on', () => {
    const { measurements, health, slots } = makeMeasurements();
    const trust = new ServoTrust(slots.length, Number.POSITIVE_INFINITY, false);
    trust.checked(10);
    const told: string[] = [];
    const listener = { warning: (text: string) => void told.push(text), ailing: () => {} };
    const bus = { doubled: new Uint32Array(slots.length) };
    new ServoLosses({ slots, trust, health, measurements, bus, reader: {} as CycleReader }, listener);
    let now = 10;
    const jump = (steps: number): void => {
      now += 0.005;
      measurements.take(bytes(steps, 2048, 2048), Uint8Array.of(1, 1, 1), block, now);
    };
    jump(2050);
    expect(trust.uncertain).toBe(false);
    for (let k = 0; k < 3; k++) jump(3000);
    expect([trust.uncertain, told]).toEqual([true, []]);
    for (let k = 0; k < 90; k++) jump(k % 6 < 3 ? 1000 : 3000);
    expect(told).toEqual([
      'the position of servo 1 (pan) jumps: is there a second servo with id 1, or a broken cable?',
    ]);
  });

  test('is fresh in the read that brought it alone', () => {
    const { measurements } = makeMeasurements();
    measurements.take(bytes(2048, 2048, 2048), Uint8Array.of(1, 1, 1), block, 10.005);
    measurements.take(bytes(2048, 2048, 2048), Uint8Array.of(1, 0, 1), block, 10.01);
    expect([...measurements.fresh]).toEqual([1, 0, 1]);
  });

  test.each([
    ['has a joint that holds where it was', 1, 4096, -40],
    ['has a limp joint where it was, too', 0, 4096, -40],
    ['and a way that a hand can have moved has a limp joint within its range, as after a restart', 0, 4096 + 500, 460],
    ['and a way that no servo that holds can have gone is told as it is', 1, 4096 + 500, 4556],
  ])('of a servo that counts another turn %s', (_, holds, jump, place) => {
    const { measurements, readings, torque, slots, moved } = makeMeasurements();
    for (const slot of slots) slot.countsTurns = true;
    torque.holds.fill(holds);
    // Below a turn of a servo, as its register holds two bytes.
    const read = (now: number): boolean =>
      measurements.take(bytes(2008 + jump, 2048, 2048), Uint8Array.of(1, 1, 1), block, now);
    measurements.take(bytes(2008, 2048, 2048), Uint8Array.of(1, 1, 1), block, 10.001);
    for (const now of [10.005, 10.01]) {
      expect([read(now), measurements.fresh[0], readings.positions[0]]).toEqual([false, 0, -40 * STEP]);
      // A goal as it was would turn it by a turn; where it is by less, it is as good as any.
      expect([...measurements.turned]).toEqual([jump === 4096 ? 1 : 0, 0, 0]);
    }
    expect([read(10.015), measurements.turned[0], moved]).toEqual([true, 0, [0]]);
    expect(readings.positions[0]).toBeCloseTo(place * STEP, 9);
  });

  test('of its motion and its supply is told by joint: with its sign, of its first servo, and the effort of all', () => {
    const { measurements, readings, slots } = makeMeasurements();
    const { common, torquePerEffort } = modelByName('STS3215')!;
    const { presentVelocity, presentEffort, presentVoltage, presentTemperature } = common;
    slots[1]!.calibration = { ...slots[1]!.calibration, sign: -1 };
    slots[2]!.calibration = { ...slots[2]!.calibration, sign: 1 };
    const all = new Uint8Array(3 * MAX_BLOCK);
    const detail: Block = { ...block, position: false, detail: true, length: 16 };
    const set = (index: number, register: Register, counts: number): void =>
      all.set(bytesOf(register, counts), index * MAX_BLOCK + register.address - detail.address);
    for (const [i, [velocity, effort, voltage, temperature]] of [
      [100, 50, 74, 30],
      [200, 300, 75, 31],
      [50, 100, 70, 45],
    ].entries()) {
      set(i, presentVelocity, velocity!);
      set(i, presentEffort, effort!);
      set(i, presentVoltage, voltage!);
      set(i, presentTemperature, temperature!);
    }
    for (let k = 0; k < 4; k++) measurements.take(all, Uint8Array.of(1, 1, 1), detail, 10 + 0.05 * k);
    const efforts = [50, -300 + 100].map((counts) => counts * presentEffort.scale * torquePerEffort);
    expect([...readings.velocities]).toEqual([100 * STEP, -200 * STEP].map((value) => expect.closeTo(value, 9)));
    expect([...readings.efforts]).toEqual(efforts.map((value) => expect.closeTo(value, 9)));
    expect([...readings.voltages]).toEqual([7.4, 7.5].map((value) => expect.closeTo(value, 9)));
    expect([...readings.temperatures]).toEqual([30, 45]);
  });
});

test('a servo that counts turns is placed in the turn that is nearest to the middle of its joint’s range', () => {
  const [slot] = servoSlots(joints().map((joint) => ({ ...joint, lower: 4, upper: 5 })));
  slot!.countsTurns = true;
  // Its joint is at 4.5 rad, of which a servo that has restarted counts a turn less.
  const present = 2048 + Math.round(4.5 / STEP) - 4096;
  findTurn(slot!, present);
  expect(slot!.calibration.zero).toBe(2048 - 4096);
  slot!.countsTurns = false;
  findTurn(slot!, present);
  expect(slot!.calibration.zero).toBe(2048);
});
