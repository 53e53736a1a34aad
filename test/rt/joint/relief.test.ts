import { describe, expect, test } from 'vitest';
import type { ArmLink } from '../../../src/rt/driver/arm-link.ts';
import { ContactRelief } from '../../../src/rt/joint/contact-relief.ts';
import { Droop } from '../../../src/rt/joint/droop.ts';
import type { Gate } from '../../../src/rt/joint/gate.ts';

/** When joints give way: Nm, s, Nm. */
const LIMITS = { torque: 1.2, time: 0.5, hold: 0.8 };
const STIFFNESS = Float64Array.of(10, 10, 10);

/** Three joints of which the second presses down on something; the third never gives way. */
function pressing() {
  const relief = new ContactRelief([LIMITS, LIMITS, null]);
  const gate = { goals: Float64Array.of(0, -0.3, -0.3), velocities: new Float64Array(3) } as unknown as Gate;
  const readings = {
    positions: new Float64Array(3),
    velocities: new Float64Array(3),
    efforts: Float64Array.of(0, -2, -2),
    steerTime: 0,
    detailTime: 0,
  };
  const link = { readings, gain: Float64Array.of(1, 1, 1), withheld: new Uint8Array(3) } as unknown as ArmLink;
  const droop = new Float64Array(3);
  let now = 10;
  /** Cycles with fresh readings. @returns the joints that have given way, with their times */
  const look = (seconds: number): [number, number][] => {
    const given: [number, number][] = [];
    for (const end = now + seconds; now < end; now += 0.01) {
      readings.steerTime = now;
      readings.detailTime = now;
      if (!relief.mayPress(readings.efforts)) continue;
      const joint = relief.look(gate, link, droop, STIFFNESS, now);
      if (joint >= 0) given.push([joint, now]);
    }
    return given;
  };
  const lookOnce = (at: number): number => relief.look(gate, link, droop, STIFFNESS, at);
  return { relief, gate, link, readings, droop, look, lookOnce, now: () => now };
}

describe('a joint that presses while the arm rests', () => {
  test('gives way once, after half a second, to where it presses with less', () => {
    const { relief, look } = pressing();
    expect([[...relief.joints], look(0.5)]).toEqual([[0, 0, 0], []]);
    const [[joint, at]] = look(0.1) as [[number, number]];
    expect(joint).toBe(1);
    expect(at).toBeCloseTo(10.51, 2);
    expect([...relief.joints]).toEqual([0, 1, 0]);
    expect(relief.targets[1]).toBeCloseTo(-0.08, 9);
    expect(look(2)).toEqual([]);
  });

  test('upwards gives way downwards', () => {
    const { relief, gate, readings, look } = pressing();
    gate.goals[1] = 0.3;
    readings.efforts[1] = 2;
    expect(look(0.6)).toHaveLength(1);
    expect(relief.targets[1]).toBeCloseTo(0.08, 9);
  });

  test('keeps what carries the weight of the arm', () => {
    const { relief, droop, look } = pressing();
    droop[1] = 0.1;
    expect(look(0.6)).toHaveLength(1);
    expect(relief.targets[1]).toBeCloseTo(0.1 - 0.08, 9);
  });

  test('counts with the spring as it is now', () => {
    const { relief, link, look } = pressing();
    link.gain[1] = 0.5;
    // 0.3 rad of a spring of 5 Nm/rad.
    expect(look(0.6)).toHaveLength(1);
    expect(relief.targets[1]).toBeCloseTo(-0.16, 9);
  });

  test.each<[string, (arm: ReturnType<typeof pressing>) => void]>([
    ['whose goal still moves', ({ gate }) => gate.velocities.fill(0.01)],
    ['that moves', ({ readings }) => readings.velocities.fill(-0.05)],
    ['whose servo has not been sent its goal', ({ link }) => link.withheld.fill(1)],
    ['whose spring asks for no more than it may', ({ gate }) => gate.goals.fill(-0.12)],
    ['whose servo gives no more than it may', ({ readings }) => readings.efforts.fill(1.2)],
    ['that merely carries', ({ droop }) => droop.fill(-0.3)],
  ])('does not give way: one %s', (_, change) => {
    const arm = pressing();
    change(arm);
    expect(arm.look(2)).toEqual([]);
  });

  test('has to press all the time', () => {
    const { readings, look } = pressing();
    look(0.4);
    readings.velocities[1] = 0.2;
    look(0.02);
    readings.velocities[1] = 0;
    expect(look(0.5)).toEqual([]);
    readings.efforts[1] = 0;
    look(0.02);
    readings.efforts[1] = -2;
    expect(look(0.5)).toEqual([]);
    expect(look(0.1)).toHaveLength(1);
  });

  test('is judged by fresh readings alone', () => {
    for (const stale of ['steerTime', 'detailTime'] as const) {
      const { readings, lookOnce, look, now } = pressing();
      look(0.4);
      const at = now();
      readings[stale] = at - 0.26;
      expect(lookOnce(at + 0.2)).toBe(-1);
      readings.steerTime = readings.detailTime = at + 0.21;
      expect(lookOnce(at + 0.21)).toBe(-1);
    }
    // A quarter of a second is fresh enough.
    const { readings, lookOnce, look, now } = pressing();
    look(0.4);
    readings.steerTime = readings.detailTime = now();
    expect(lookOnce(now() + 0.24)).toBe(1);
  });

  test('may do so again once something has driven the arm', () => {
    const { relief, readings, look } = pressing();
    look(0.6);
    relief.reset();
    expect([...relief.joints]).toEqual([0, 0, 0]);
    expect(relief.mayPress(readings.efforts)).toBe(true);
    expect(look(0.5)).toEqual([]);
    expect(look(0.1)).toHaveLength(1);
  });

  test('is looked for where a servo that may give way is loaded, which most of the time none is', () => {
    const { relief } = pressing();
    expect(relief.mayPress(Float64Array.of(0, 0, 9))).toBe(false);
    expect(relief.mayPress(Float64Array.of(1.2, -1.2, 0))).toBe(false);
    expect(relief.mayPress(Float64Array.of(-1.3, 0, 0))).toBe(true);
  });
});

describe('the droop of an arm', () => {
  const gravity = (q: Float64Array, out: Float64Array): void => {
    out[0] = 2 * Math.cos(q[0]!);
    out[1] = 1;
  };
  const link = (remote: boolean) => ({ remote, gain: Float64Array.of(1, 0.5) }) as unknown as ArmLink;
  const springs = Float64Array.of(10, 10);

  test('is its weight over the stiffness that its springs have now', () => {
    const droop = new Droop(gravity, springs, link(false));
    expect([...droop.at(Float64Array.of(0, 0))]).toEqual([0.2, 0.2]);
    expect([...droop.values]).toEqual([0.2, 0.2]);
    expect([droop.stiffnessOf(0), droop.stiffnessOf(1)]).toEqual([10, 5]);
  });

  test('tells the setpoints by which goals have come about', () => {
    const droop = new Droop(gravity, springs, link(false));
    const setpoints = Float64Array.of(0.7, 0.3);
    const goals = setpoints.map((angle, i) => angle + droop.at(setpoints)[i]!);
    const out = new Float64Array(2);
    droop.setpointsOf(goals, out);
    expect(out[0]).toBeCloseTo(0.7, 5);
    expect(out[1]).toBeCloseTo(0.3, 9);
  });

  test('of a remote arm is its owner’s affair', () => {
    const droop = new Droop(gravity, springs, link(true));
    expect([...droop.at(Float64Array.of(0, 0))]).toEqual([0, 0]);
  });
});
