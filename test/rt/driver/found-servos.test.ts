import { describe, expect, test } from 'vitest';
import { ArmReadings } from '../../../src/rt/driver/arm-readings.ts';
import { BusStatistics } from '../../../src/rt/driver/bus-statistics.ts';
import { HomingCheck } from '../../../src/rt/driver/homing-check.ts';
import { OverloadRecovery } from '../../../src/rt/driver/overload-recovery.ts';
import { ServoLimits } from '../../../src/rt/driver/servo-limits.ts';
import { expectedServos, findTurn, type LinkJoint, servoSlots } from '../../../src/rt/driver/servo-slots.ts';
import { TorqueState } from '../../../src/rt/driver/torque-state.ts';
import { familyByName } from '../../../src/servo/families.ts';
import type { ServoBus } from '../../../src/servo/servo-bus.ts';
import { modelByName } from '../../../src/servo/servo-models.ts';
import type { FoundServo } from '../../../src/servo/start-up.ts';

const model = modelByName('STS3215')!;
const TURN = 4096;
const RADIANS = (2 * Math.PI) / TURN;

/** A joint with one servo, and one with a second servo and a shadow that is mounted the other way round. */
const JOINTS: readonly LinkJoint[] = [
  {
    ...{ name: 'pan', lower: -1, upper: 1, settings: {} },
    servos: [{ id: 1, model, calibration: { sign: 1, zero: 2048, stepsPerTurn: TURN }, shadow: false, homing: 5 }],
  },
  {
    ...{ name: 'lift', lower: 0, upper: 2, settings: {} },
    servos: [
      { id: 2, model, calibration: { sign: -1, zero: 1000, stepsPerTurn: TURN }, shadow: false, homing: -7 },
      { id: 3, model, calibration: { sign: 1, zero: 3000, stepsPerTurn: TURN }, shadow: false },
      { id: 4, model, calibration: { sign: 1, zero: 2000, stepsPerTurn: TURN }, shadow: true },
    ],
  },
];
const slots = servoSlots(JOINTS);

describe('places of servos', () => {
  test('those that give the positions of their joints come first; a shadow counts as the servo that it obeys', () => {
    expect(slots.map(({ id, joint, name }) => [id, joint, name])).toEqual([
      [1, 0, 'pan'],
      [2, 1, 'lift'],
      [3, 1, 'lift'],
      [4, 1, 'lift'],
    ]);
    expect(slots.map(({ calibration }) => calibration.zero)).toEqual([2048, 1000, 3000, 1000]);
    expect(slots.map(({ middle }) => middle)).toEqual([0, 1, 1, 1]);
    expect(slots.map(({ countsTurns }) => countsTurns)).toEqual([false, false, false, false]);
    expect(expectedServos(JOINTS, slots).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });

  test('one that counts turns is placed in the turn in which its joint can be', () => {
    const [slot] = servoSlots(JOINTS);
    findTurn(slot!, 2048 + TURN);
    expect(slot!.calibration.zero).toBe(2048);
    slot!.countsTurns = true;
    findTurn(slot!, 2048 + TURN + 100);
    expect(slot!.calibration.zero).toBe(2048 + TURN);
    findTurn(slot!, 2100);
    expect(slot!.calibration.zero).toBe(2048);
  });
});

describe('position limits that servos keep to', () => {
  const range = (lowest: number, highest: number) => ({ limits: { lowest, highest } }) as FoundServo;
  const none = { limits: null } as FoundServo;

  test('hold for their joint, the narrower one of two, and not those of a shadow', () => {
    const limits = new ServoLimits(slots, JOINTS);
    const told = limits.take([none, range(100, 1100), range(2900, 3900), range(0, 10)]);
    // Without limits of its own a servo stays away from the jump of its position alone.
    expect(limits.lower[0]).toBeCloseTo((23 - 2048) * RADIANS, 9);
    expect(limits.upper[0]).toBeCloseTo(2024 * RADIANS, 9);
    // -1 * (1100 - 1000), and 900 steps of the other.
    expect(limits.lower[1]).toBeCloseTo(-100 * RADIANS, 9);
    expect(limits.upper[1]).toBeCloseTo(900 * RADIANS, 9);
    expect([...limits.lowest]).toEqual([Number.NEGATIVE_INFINITY, 100, 2900, Number.NEGATIVE_INFINITY]);
    expect([...limits.highest]).toEqual([Number.POSITIVE_INFINITY, 1100, 3900, Number.POSITIVE_INFINITY]);
    expect(told).toEqual([
      'the servo of lift keeps to its own position limits, -0.15 to 1.38 rad instead of 0.00 to 2.00: moves end there; ' +
        'calibrate the arm to set them anew (arm-bridge calibrate)',
    ]);
    // The next check says what holds from then on.
    expect(limits.take([none, none, none, none])).toEqual([]);
    expect(limits.upper[1]).toBeCloseTo((1000 - 23) * RADIANS, 9);
    expect(limits.lowest[1]).toBe(Number.NEGATIVE_INFINITY);
  });

  test('are told where they keep a joint from a part of its range, and not for the rounding of two programs', () => {
    const limits = new ServoLimits(slots, JOINTS);
    const steps = (angle: number): number => 2048 + angle / RADIANS;
    const told = (lower: number, upper: number): number =>
      limits.take([range(steps(lower), steps(upper)), none, none, none]).length;
    expect([told(-0.991, 0.991), told(-1.2, 1.2), told(-0.98, 1.2), told(-1.2, 0.98)]).toEqual([0, 0, 1, 1]);
  });
});

describe('homing offsets', () => {
  const offsets = (...values: readonly number[]) => values.map((homingOffset) => ({ homingOffset }) as FoundServo);

  test('that are not those of the calibration file are named, and those of which nothing is known are not', () => {
    const check = new HomingCheck(slots);
    check.compare(offsets(5, -7, 99, 98));
    expect(check.text).toBe('');
    check.compare(offsets(6, -8, 99, 98));
    expect(check.text).toBe(
      'servo 1 (pan) has homing offset 6, its calibration file says 5; servo 2 (lift) has homing offset -8, its ' +
        'calibration file says -7: is this the arm that the file was made for? Then calibrate it again (arm-bridge ' +
        'calibrate), or write the offsets of the file back (arm-bridge registers write)',
    );
    check.set(0, 6);
    check.set(1, null);
    check.compare(offsets(6, -8, 99, 98));
    expect(check.text).toBe('');
  });
});

describe('overloaded servos', () => {
  test('are those whose alarm a check can end', () => {
    const recovery = new OverloadRecovery(familyByName('feetech'));
    expect([recovery.needed(1 << 5), recovery.needed(1 << 3), recovery.needed(1 << 2), recovery.needed(0)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('are brought back once for each time that it is asked, every 5 s at most', () => {
    const recovery = new OverloadRecovery(familyByName('feetech'));
    const goesOn = (): boolean => true;
    expect(recovery.takeWanted()).toBeNull();
    expect(recovery.ask(1, goesOn)).toBe('');
    expect([recovery.takeWanted(), recovery.takeWanted()]).toEqual([goesOn, null]);
    expect(recovery.ask(3.5, goesOn)).toBe(
      'its servos have just been brought back: take the load off, and try again in 3 s',
    );
    expect(recovery.takeWanted()).toBeNull();
    expect(recovery.ask(6, goesOn)).toBe('');
    expect(recovery.takeWanted()).toBe(goesOn);
  });
});

describe('torque', () => {
  test('of a joint is there when all of its servos have it, and of the arm when all have', () => {
    const torque = new TorqueState(slots, 2);
    expect([torque.all, torque.any]).toEqual([false, false]);
    torque.holds.set([1, 1, 0, 1]);
    torque.combine();
    expect([torque.all, torque.any, [...torque.joints]]).toEqual([false, true, [1, 0]]);
    expect([torque.named(1), torque.named(0)]).toEqual(['servo 1 (pan), 2 (lift), 4 (lift)', 'servo 3 (lift)']);
    torque.holds.fill(1);
    torque.combine();
    expect([torque.all, torque.any, [...torque.joints]]).toEqual([true, true, [1, 1]]);
    expect([...torque.expected]).toEqual([0, 0, 0, 0]);
    torque.accept();
    expect([...torque.expected]).toEqual([1, 1, 1, 1]);
    torque.holds.fill(0);
    torque.combine();
    expect([torque.all, torque.any, [...torque.joints]]).toEqual([false, false, [0, 0]]);
  });
});

describe('what is told of the bus', () => {
  const bus = { lost: Uint32Array.of(3, 4, 5, 6), discarded: 7 } as unknown as ServoBus;

  test('a joint has been heard when the quietest of its servos was', () => {
    const readings = new ArmReadings(2);
    const statistics = new BusStatistics(readings, bus, [0, 1, 1, 1]);
    statistics.checked(9, 10);
    expect([readings.sampleTime, readings.steerTime, readings.detailTime, [...readings.heard]]).toEqual([
      9,
      9,
      0,
      [10, 10],
    ]);
    statistics.settled(Uint8Array.of(1, 1, 0, 1), Number.NaN, 11);
    expect([...readings.heard]).toEqual([11, 10]);
    statistics.settled(Uint8Array.of(0, 0, 1, 1), Number.NaN, 12);
    expect([...readings.heard]).toEqual([11, 11]);
    expect([[...readings.lost], readings.discarded]).toEqual([[3, 4], 7]);
  });

  test('round trips are told every 5 s: their median and how long the longest take', () => {
    const readings = new ArmReadings(2);
    const statistics = new BusStatistics(readings, bus, [0, 1, 1, 1]);
    const all = Uint8Array.of(1, 1, 1, 1);
    statistics.settled(all, 0.001, 10);
    let now = 10;
    for (let k = 0; k < 100; k++) {
      now += 0.04;
      statistics.settled(all, k < 90 ? 0.001 : 0.004, now);
    }
    // The one at the beginning has been told; of what came since nothing yet.
    expect(readings.roundTripLongest).toBeCloseTo(0.001, 3);
    statistics.settled(all, Number.NaN, 15.1);
    expect(readings.roundTripMedian).toBeCloseTo(0.001, 3);
    expect(readings.roundTripLongest).toBeCloseTo(0.004, 3);
    statistics.settled(all, 0.002, 20.2);
    expect(readings.roundTripMedian).toBeCloseTo(0.002, 3);
  });
});
