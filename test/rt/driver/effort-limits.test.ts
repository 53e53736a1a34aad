import { describe, expect, test } from 'vitest';
import { XL330_M288, XL430_W250 } from '../../../src/servo/dynamixel/x-series.ts';
import { STS3215 } from '../../../src/servo/feetech/sts3215.ts';
import { BenchArm } from '../support/bench-arm.ts';
import { type BenchServo, DynamixelBench } from './support/dynamixel-bench.ts';

const { goal_current: CURRENT, goal_pwm: OUTPUT, position_p_gain: GAIN } = XL330_M288.registers;
/** XL330: current-based position mode. */
const BY_CURRENT: BenchServo = { model: XL330_M288, eeprom: { operating_mode: 5 } };
/** Contents that let a servo do what it can: 1750 mA, and full output. */
const FULL_CURRENT = 1750;
const FULL_OUTPUT = 885;

/** The first joint limits a current, the second an output; the third has one servo of either kind. */
const MIXED: readonly (readonly BenchServo[])[] = [
  [BY_CURRENT],
  [{ model: XL430_W250 }],
  [BY_CURRENT, { model: XL430_W250 }],
];

async function holding(joints: readonly (readonly BenchServo[])[]): Promise<DynamixelBench> {
  const bench = new DynamixelBench(joints);
  await bench.loop.up();
  await bench.loop.hold();
  await bench.loop.until(() => !bench.link.gains.pending);
  bench.line.sent.length = 0;
  return bench;
}

/** What limits each servo: its largest current, or its largest output. */
function limitsOf(bench: DynamixelBench): number[] {
  return bench.servos.map((servo) => servo.value(servo.value('operating_mode') === 5 ? 'goal_current' : 'goal_pwm'));
}

const FULL = [FULL_CURRENT, FULL_OUTPUT, FULL_CURRENT, FULL_OUTPUT];

describe('a joint that may not push with more than a given torque', () => {
  test('has each of its servos limited by the register that it has for it; the others keep all of their torque', async () => {
    const bench = await holding(MIXED);
    const { gains } = bench.link;
    expect([limitsOf(bench), [0, 1, 2].map((j) => gains.currents.caps(j))]).toEqual([FULL, [true, true, true]]);
    gains.currents.limit(0, 0.1);
    await bench.loop.until(() => !gains.pending);
    const [narrow, ...others] = limitsOf(bench);
    expect(narrow! / FULL_CURRENT).toBeLessThan(0.5);
    expect(others).toEqual(FULL.slice(1));
    gains.currents.limit(1, 0.3);
    gains.currents.limit(2, 0.3);
    await bench.loop.until(() => !gains.pending);
    for (const [i, limit] of limitsOf(bench).entries()) expect(limit / FULL[i]!).toBeLessThan(0.5);
    // What has no current to limit has another register there, and what is limited by its current has all of its output.
    expect(new Set(bench.writes(CURRENT!).flat())).toEqual(new Set([1, 3]));
    expect(new Set(bench.writes(OUTPUT!).flat())).toEqual(new Set([2, 4]));
    expect([0, 2].map((i) => bench.servos[i]!.value('goal_pwm'))).toEqual([FULL_OUTPUT, FULL_OUTPUT]);
    expect(bench.writes(GAIN!).every((named) => named.length === 4)).toBe(true);

    bench.loop.driving = false;
    bench.link.setTorque(false);
    await bench.loop.until(() => !bench.link.anyTorque && !gains.pending);
    expect(limitsOf(bench)).toEqual(FULL);
  });

  test('that has servos of one kind alone has nothing written to the register of the other', async () => {
    const bench = await holding([[BY_CURRENT], [BY_CURRENT]]);
    bench.link.gains.currents.limit(1, 0.1);
    await bench.loop.until(() => !bench.link.gains.pending);
    expect(new Set(bench.writes(CURRENT!).flat())).toEqual(new Set([1, 2]));
    expect(bench.writes(OUTPUT!)).toEqual([]);
    expect(limitsOf(bench)[1]).toBeLessThan(FULL_CURRENT / 2);
  });

  test('has no servo limited that is not heard, which may have restarted, until its torque has been read', async () => {
    const bench = await holding(MIXED);
    bench.bus.faults.dead.add(2);
    await bench.loop.pass(0.15);
    bench.line.sent.length = 0;
    bench.link.gains.currents.limit(1, 0.3);
    bench.link.gains.currents.limit(2, 0.3);
    await bench.loop.pass(0.1);
    expect(new Set([...bench.writes(CURRENT!), ...bench.writes(OUTPUT!)].flat())).toEqual(new Set([1, 3, 4]));
    expect(bench.link.gains.pending).toBe(true);
    bench.bus.faults.dead.clear();
    await bench.loop.until(() => !bench.link.gains.pending);
    expect(limitsOf(bench)[1]).toBeLessThan(FULL_OUTPUT / 2);
  });

  test('is not limited by a servo of another model than its arm’s data say, whose limit nobody reads back', async () => {
    const bench = await holding([[{ ...BY_CURRENT, expected: XL430_W250 }], [{ model: XL430_W250 }]]);
    const { currents } = bench.link.gains;
    expect([currents.caps(0), currents.caps(1)]).toEqual([false, true]);
    currents.limit(0, 0.1);
    currents.limit(1, 0.3);
    await bench.loop.until(() => !bench.link.gains.pending);
    expect(limitsOf(bench)[0]).toBe(FULL_CURRENT);
    expect(limitsOf(bench)[1]).toBeLessThan(FULL_OUTPUT / 2);
    expect(bench.writes(CURRENT!)).toEqual([]);
  });

  test('of Feetech servos is limited alone, and no more once the arm is limp', async () => {
    const bench = await BenchArm.holding();
    const limits = (): number[] => bench.servos.map((servo) => servo.value('torque_limit'));
    const { initial } = STS3215.registers.torque_limit;
    expect(limits()).toEqual([initial, initial]);
    bench.link.gains.currents.limit(1, 0.8);
    bench.run(0.3);
    expect(limits()[0]).toBe(initial);
    expect(limits()[1]).toBeLessThan(initial! / 2);
    expect(bench.link.gains.pending).toBe(false);
    bench.arm.setTorque(false);
    bench.run(0.3);
    expect([limits(), bench.link.gains.pending]).toEqual([[initial, initial], false]);
  });
});

test('a servo that holds with less than its own is not given more when it is found, however strong the others are', async () => {
  const bench = new DynamixelBench(MIXED, (servo, index) => {
    const narrow = index === 0 ? CURRENT! : OUTPUT!;
    if (index > 1) return;
    servo.write(XL330_M288.registers.torque_enable.address, Uint8Array.of(1), 0, 1);
    servo.write(narrow.address, Uint8Array.of(100, 0), 0, 2);
  });
  await bench.loop.up();
  await bench.loop.pass(0.5);
  expect([limitsOf(bench), bench.link.gains.pending]).toEqual([[100, 100, ...FULL.slice(2)], false]);
});
