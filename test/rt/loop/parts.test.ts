import { describe, expect, test } from 'vitest';
import { VirtualTime } from '../../../explore/virtual-clock.ts';
import { AwakeClock } from '../../../src/rt/loop/awake-clock.ts';
import { Histogram } from '../../../src/rt/loop/histogram.ts';
import { Pacer } from '../../../src/rt/loop/pacer.ts';
import { SlowBuses } from '../../../src/rt/loop/slow-buses.ts';

const USUAL = 0.002;

describe('a bus that answers late', () => {
  function makeBuses(count = 1): SlowBuses {
    const buses = new SlowBuses();
    for (let k = 0; k < count; k++) buses.add();
    return buses;
  }

  test('is waited for half as long again as it has taken, by 20 ms more than usual at most', () => {
    const buses = makeBuses();
    expect(buses.allowed(0)).toBe(0);
    buses.answered(0, 0.004, USUAL);
    expect(buses.allowed(0)).toBeCloseTo(0.004, 9);
    buses.answered(0, 0.003, USUAL);
    // What it has once taken longer is not taken back at once.
    expect(buses.allowed(0)).toBeCloseTo(0.004, 9);
    buses.answered(0, 0.1, USUAL);
    expect(buses.allowed(0)).toBe(0.02);
  });

  test('is given less again when it answers in time, and much less when it does not answer', () => {
    const buses = makeBuses();
    buses.answered(0, 0.004, USUAL);
    buses.answered(0, USUAL, USUAL);
    expect(buses.allowed(0)).toBeCloseTo(0.004 * 0.98, 9);
    buses.missed(0);
    expect(buses.allowed(0)).toBeCloseTo(0.004 * 0.98 * 0.5, 9);
  });

  test('is waited for long after eight cycles without an answer, and then after twice as many each time', () => {
    const buses = makeBuses();
    const long: number[] = [];
    for (let cycle = 0; cycle < 70; cycle++) {
      if (buses.allowed(0) === 0.02) long.push(cycle);
      buses.missed(0);
    }
    expect(long).toEqual([8, 16, 32, 64]);
    buses.answered(0, 0.001, USUAL);
    expect(buses.allowed(0)).toBe(0);
    for (let cycle = 0; cycle < 8; cycle++) buses.missed(0);
    expect(buses.allowed(0)).toBe(0.02);
  });

  test('counts for a quarter when it answered as it had been asked twice: its answers get lost', () => {
    const buses = makeBuses();
    for (let cycle = 0; cycle < 31; cycle++) buses.answered(0, Number.NaN, USUAL);
    expect(buses.allowed(0)).toBe(0);
    buses.answered(0, Number.NaN, USUAL);
    expect(buses.allowed(0)).toBe(0.02);
  });

  test('is no other bus', () => {
    const buses = makeBuses(2);
    for (let cycle = 0; cycle < 8; cycle++) buses.missed(1);
    buses.answered(0, 0.003, USUAL);
    buses.add();
    expect([buses.allowed(0), buses.allowed(1), buses.allowed(2)]).toEqual([expect.closeTo(0.0025, 9), 0.02, 0]);
    for (let cycle = 0; cycle < 8; cycle++) buses.missed(2);
    expect(buses.allowed(2)).toBe(0.02);
  });
});

describe('a distribution of durations', () => {
  test('tells percentiles within 9 %, and never more than the longest', () => {
    const histogram = new Histogram();
    expect([histogram.percentile(0.5), histogram.longest]).toEqual([0, 0]);
    for (let k = 1; k <= 100; k++) histogram.add(k / 1000);
    for (const part of [0.1, 0.5, 0.9, 0.99]) {
      expect(histogram.percentile(part) / (part / 10)).toBeGreaterThan(0.99);
      expect(histogram.percentile(part) / (part / 10)).toBeLessThan(1.1);
    }
    expect([histogram.percentile(1), histogram.longest]).toEqual([0.1, 0.1]);
    histogram.clear();
    expect([histogram.percentile(0.5), histogram.longest]).toEqual([0, 0]);
  });

  test('takes what is too short or too long for its bins', () => {
    const histogram = new Histogram();
    histogram.add(0);
    histogram.add(1e-7);
    expect(histogram.percentile(0.5)).toBe(1e-7);
    histogram.add(1e4);
    expect(histogram.percentile(0.5)).toBeLessThan(2e-5);
    expect([histogram.longest, histogram.percentile(1)]).toEqual([1e4, expect.closeTo(10.49, 1)]);
  });

  test('takes in another one', () => {
    const [one, other] = [new Histogram(), new Histogram()];
    for (let k = 0; k < 10; k++) one.add(0.001);
    for (let k = 0; k < 30; k++) other.add(0.01);
    one.merge(other);
    expect(one.percentile(0.2)).toBeCloseTo(0.001, 3);
    expect(one.percentile(0.5)).toBeCloseTo(0.01, 2);
    expect(one.longest).toBe(0.01);
    other.merge(one);
    other.merge(new Histogram());
    expect(other.longest).toBe(0.01);
  });
});

describe('cycles at a rate', () => {
  function makePacer(cost: () => number) {
    const time = new VirtualTime();
    const clock = time.lane('control');
    const ticks: [number, number][] = [];
    const pacer: Pacer = new Pacer(0.01, clock, (lateness) => {
      ticks.push([time.now, lateness]);
      clock.after(cost(), () => pacer.next());
    });
    time.runSync(1);
    pacer.start();
    return { time, clock, pacer, ticks };
  }

  test('begin at their deadlines, however long each takes', () => {
    let cost = 0.004;
    const { time, ticks, pacer } = makePacer(() => cost);
    time.runSync(1.0351);
    expect(ticks.map(([at]) => Math.round(1000 * at))).toEqual([1000, 1010, 1020, 1030]);
    // One that takes longer delays the next, which is made up for.
    cost = 0.014;
    time.runSync(1.041);
    cost = 0.004;
    time.runSync(1.0751);
    expect(ticks.slice(4).map(([at]) => Math.round(1000 * at))).toEqual([1040, 1054, 1060, 1070]);
    expect(ticks.map(([, lateness]) => Math.round(1000 * lateness))).toEqual([0, 0, 0, 0, 0, 4, 0, 0]);
    pacer.stop();
    time.runSync(2);
    expect(ticks).toHaveLength(8);
    pacer.next();
    time.runSync(3);
    expect(ticks).toHaveLength(8);
  });

  test('that have passed by more than a period are given up', () => {
    const { time, clock, ticks } = makePacer(() => 0.001);
    time.runSync(1.015);
    clock.pause(0.1);
    time.runSync(1.15);
    const after = ticks.map(([at]) => Math.round(1000 * at)).filter((at) => at > 1015);
    expect(after[0]).toBe(1115);
    // The pause is not made up for: at most one cycle follows it closely.
    expect(after.length).toBeLessThanOrEqual(5);
    expect(ticks.find(([at]) => at > 1.1)![1]).toBeCloseTo(0.095, 3);
  });
});

describe('time that is lived through', () => {
  test('leaves out what a thread did not run, but for the time that a cycle may be late', () => {
    const clock = new AwakeClock();
    clock.advance(5);
    expect(clock.time).toBe(0);
    clock.advance(5.05);
    expect(clock.time).toBeCloseTo(0.05, 9);
    clock.advance(5.95);
    expect(clock.time).toBeCloseTo(0.15, 9);
    // Of a longer pause nobody knows what happened in it.
    clock.advance(7);
    expect(clock.time).toBeCloseTo(1.2, 9);
    clock.advance(6);
    expect(clock.time).toBeCloseTo(1.2, 9);
    clock.advance(6.01);
    expect(clock.time).toBeCloseTo(1.21, 9);
  });

  test('is judged by the bounds that it is given', () => {
    const clock = new AwakeClock(Number.POSITIVE_INFINITY, 0.025);
    clock.advance(1);
    clock.advance(100);
    expect(clock.time).toBeCloseTo(0.025, 9);
    const strict = new AwakeClock(0);
    strict.advance(1);
    strict.advance(1.3);
    expect(strict.time).toBeCloseTo(0.3, 9);
  });
});
