import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PositionFilter, SlowFilter, Verdict } from '../../../src/rt/driver/position-filter.ts';

const CYCLE = 0.005;
const STEPS = 4096;
const steps = (radians: number): number => (radians * STEPS) / (2 * Math.PI);

function makeFilter(): { judge: (at: number) => Verdict; filter: PositionFilter; wait: (seconds: number) => void } {
  const filter = new PositionFilter([STEPS]);
  let now = 10;
  filter.begin(0, 0, now);
  return {
    filter,
    judge: (at) => {
      now += CYCLE;
      return filter.judge(0, at, now);
    },
    wait: (seconds) => {
      now += seconds;
    },
  };
}

describe('positions', () => {
  test('a hand may move a joint at 20 rad/s, and each reading is believed at once', () => {
    const { judge } = makeFilter();
    for (let k = 1; k < 50; k++) expect(judge(steps(20 * CYCLE * k))).toBe(Verdict.believed);
  });

  test.each([0.5, 1.84, -1.2, 6.0])('one reading that is %s rad off is thrown away', (off) => {
    const { judge, filter } = makeFilter();
    expect(judge(steps(off))).toBe(Verdict.held);
    expect(judge(1)).toBe(Verdict.believed);
    expect(filter.discarded[0]).toBe(1);
  });

  test.each([
    ['a tenth of a radian', steps(0.1), Verdict.held],
    ['half a turn', STEPS / 2, Verdict.held],
    ['one turn and a half', -1.5 * STEPS, Verdict.held],
    ['a turn', STEPS, Verdict.turned],
    ['two turns back, while it moves on', -2 * STEPS + 50, Verdict.turned],
  ])('a count that is %s off is one of whole turns only if no joint can have gone that way', (_, off, verdict) => {
    for (const start of [0, 1000, 2048]) {
      const filter = new PositionFilter([STEPS]);
      filter.begin(0, start, 10);
      expect(filter.judge(0, start + off, 10.0001)).toBe(verdict);
    }
  });

  test('a joint that really is elsewhere is believed once three readings agree', () => {
    const { judge } = makeFilter();
    const there = steps(2);
    expect([judge(there), judge(there + 3), judge(there - 2), judge(there)]).toEqual([
      Verdict.held,
      Verdict.held,
      Verdict.moved,
      Verdict.believed,
    ]);
  });

  test('readings that disagree with each other are never believed, however many they are', () => {
    const { judge } = makeFilter();
    for (let k = 0; k < 12; k++) expect(judge(steps(k % 2 === 0 ? 1.5 : -1.5))).toBe(Verdict.held);
  });

  test('the longer nothing was believed, the further a joint may have come', () => {
    const { judge, wait } = makeFilter();
    wait(0.1);
    expect(judge(steps(2.5))).toBe(Verdict.believed);
  });

  test.each([0.12, 0.24, 0.26, 0.39, 3])(
    'a turn that a servo has lost in %s s of silence is no way of its joint',
    (silence) => {
      const { judge, wait } = makeFilter();
      wait(silence);
      expect([judge(STEPS), judge(STEPS), judge(STEPS)]).toEqual([Verdict.turned, Verdict.turned, Verdict.moved]);
    },
  );

  test.each([-STEPS, STEPS, 2 * STEPS, STEPS + 70])(
    'a reading %s steps off is held as one of a servo that has miscounted its turns',
    (off) => {
      const { judge, filter } = makeFilter();
      expect([judge(off), judge(0)]).toEqual([Verdict.turned, Verdict.believed]);
      expect(filter.discarded[0]).toBe(1);
    },
  );

  test('many readings that are thrown away are told once', () => {
    const { judge, filter } = makeFilter();
    let told = 0;
    for (let k = 0; k < 120; k++) {
      judge(k % 2 === 0 ? steps(1) : 0);
      if (filter.takesMany(0)) told++;
    }
    expect(told).toBe(1);
  });

  test('a few in every minute are not told', () => {
    const { judge, filter, wait } = makeFilter();
    for (let k = 0; k < 60; k++) {
      judge(steps(3));
      judge(0);
      wait(1);
      judge(0);
      expect(filter.takesMany(0)).toBe(false);
    }
  });

  test('whatever single readings are wrong, the position that is believed is one that was there', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), fc.integer({ min: -4096, max: 8192 })), { maxLength: 60 }),
        (readings) => {
          const { judge } = makeFilter();
          let wrongBefore = false;
          for (const [wrong, value] of readings) {
            const shown = wrong && !wrongBefore ? value : 0;
            wrongBefore = wrong && !wrongBefore;
            const verdict = judge(shown);
            if (Math.abs(shown) > steps(0.4)) expect([Verdict.held, Verdict.turned]).toContain(verdict);
          }
        },
      ),
    );
  });
});

describe('slow measurements', () => {
  test('follow small changes at once, and large ones once three readings agree', () => {
    const filter = new SlowFilter(1, 3);
    filter.begin(0, 30);
    expect(filter.take(0, 33)).toBe(33);
    expect(filter.take(0, 200)).toBe(33);
    expect(filter.take(0, 34)).toBe(34);
    expect([filter.take(0, 70), filter.take(0, 71), filter.take(0, 72)]).toEqual([34, 34, 72]);
  });

  test('large ones that disagree are not believed', () => {
    const filter = new SlowFilter(1, 3);
    filter.begin(0, 30);
    for (const value of [60, 90, 60, 90, 60]) expect(filter.take(0, value)).toBe(30);
  });
});
