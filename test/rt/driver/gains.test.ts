import { describe, expect, test } from 'vitest';
import { CurrentCaps } from '../../../src/rt/driver/current-caps.ts';
import { Gains } from '../../../src/rt/driver/gains.ts';

/** The servos take what is written to them until nothing is left to be written. @returns what was written, by servo */
function settle(gains: Gains, servos = 1): number[] {
  for (let k = 0; gains.pending; k++) {
    expect(k).toBeLessThan(100);
    for (let i = 0; i < servos; i++) {
      gains.confirm(i, gains.wanted[i]!);
      gains.currents.confirm(i, gains.currents.wanted[i]!);
    }
  }
  return [...gains.wanted];
}

/** A servo whose own gain is 32. */
function makeGains(own = 32): Gains {
  const gains = new Gains([0], null);
  gains.found(0, own, 1 / 32, null, false);
  return gains;
}

test('a servo that is connected anew with a gain that it was given to work with gets its own one back', () => {
  const gains = makeGains();
  gains.work([0.5]);
  expect(settle(gains)).toEqual([16]);
  expect([gains.works, gains.restored]).toEqual([true, false]);
  gains.found(0, 16, 1 / 32, null, false);
  expect(settle(gains)).toEqual([32]);
  gains.soften([0.375], [1]);
  gains.work([0.25]);
  expect(settle(gains)).toEqual([12]);
  expect(gains.works).toBe(false);
  gains.restore();
  expect(settle(gains)).toEqual([8]);
  gains.found(0, 8, 1 / 32, null, false);
  expect(settle(gains)).toEqual([32]);
  // Another servo, which somebody has set otherwise.
  gains.found(0, 40, 1 / 32, null, false);
  expect(settle(gains)).toEqual([40]);
  expect(gains.restored).toBe(true);
});

test('a servo that is only checked again works on with the gain that it was given', () => {
  const gains = makeGains();
  gains.work([0.5]);
  settle(gains);
  gains.found(0, 16, 1 / 32, null, true);
  expect(settle(gains)).toEqual([16]);
  // It has restarted, and has its own gain.
  gains.found(0, 32, 1 / 32, null, true);
  expect(settle(gains)).toEqual([16]);
  // Somebody has set it otherwise.
  gains.found(0, 40, 1 / 32, null, true);
  expect(settle(gains)).toEqual([40]);
});

describe('the gain of a servo', () => {
  test('changes in steps of an eighth at most, each read back before the next', () => {
    const gains = makeGains(100);
    expect([gains.pending, gains.restored, gains.works]).toEqual([false, true, true]);
    gains.soften([0.5], [1]);
    const written: number[] = [];
    while (gains.pending) {
      written.push(gains.wanted[0]!);
      // What is not read back changes nothing.
      gains.confirm(0, gains.wanted[0]!);
    }
    expect(written).toEqual([88, 78, 69, 61, 54, 50]);
    gains.restore();
    expect(gains.wanted[0]).toBe(56);
    gains.confirm(0, 50);
    expect(gains.wanted[0]).toBe(56);
  });

  test('changes by one at least, and is never below one', () => {
    const gains = makeGains(4);
    gains.soften([0.01], [1]);
    expect(gains.wanted[0]).toBe(3);
    expect(settle(gains)).toEqual([1]);
  });

  test('counts with the larger one while two are possible, so that goals never throw the arm', () => {
    const gains = makeGains();
    gains.soften([0.5], [1]);
    expect(gains.wanted[0]).toBe(29);
    expect(gains.effective[0]).toBe(1);
    gains.confirm(0, 29);
    expect(gains.effective[0]).toBeCloseTo(29 / 32, 9);
    settle(gains);
    expect(gains.effective[0]).toBe(0.5);
    gains.restore();
    // Wanted from here on, and counted at once.
    expect(gains.effective[0]).toBeCloseTo(17 / 32, 9);
  });

  test('adds up with that of the other servos of its joint, each by its share', () => {
    const gains = new Gains([0, 1, 0], null);
    gains.found(0, 32, 1 / 64, null, false);
    gains.found(1, 16, 1 / 16, null, false);
    gains.found(2, 32, 1 / 64, null, false);
    expect([...gains.effective]).toEqual([1, 1]);
    gains.soften([0.5, 1], [1, 1]);
    expect(settle(gains, 3)).toEqual([16, 16, 16]);
    expect([...gains.effective]).toEqual([0.5, 1]);
  });

  test('that it works with waits until the arm floats no more', () => {
    const gains = makeGains();
    gains.soften([0.25], [1]);
    settle(gains);
    gains.work([0.5]);
    expect([gains.pending, gains.works]).toEqual([false, false]);
    gains.restore();
    expect(settle(gains)).toEqual([16]);
    expect([gains.works, gains.restored]).toEqual([true, false]);
    gains.work([1]);
    expect(settle(gains)).toEqual([32]);
    expect([gains.works, gains.restored]).toEqual([true, true]);
  });

  test('is planned without being changed', () => {
    const gains = makeGains();
    expect(gains.plan([0.3], [1])).toEqual({ own: [32], soft: [10], currents: { own: [0], soft: [0] } });
    expect(gains.pending).toBe(false);
  });
});

describe('what a bridge that was killed has left', () => {
  const left = { own: [32], soft: [10], currents: { own: [0], soft: [0] } };

  test.each([10, 20, 32])('as %s of 32 is taken back', (counts) => {
    const gains = new Gains([0], left);
    gains.found(0, counts, 1 / 32, null, false);
    expect([gains.pending, gains.restored]).toEqual([counts !== 32, counts === 32]);
    expect(settle(gains)).toEqual([32]);
  });

  test.each([9, 33])('is not what a servo with %s has: that is its own', (counts) => {
    const gains = new Gains([0], left);
    gains.found(0, counts, 1 / 32, null, false);
    expect([gains.pending, settle(gains)]).toEqual([false, [counts]]);
  });

  test('of another number of servos is not meant', () => {
    for (const wrong of [
      { ...left, own: [32, 32] },
      { ...left, soft: [10, 10] },
    ]) {
      const gains = new Gains([0], wrong);
      gains.found(0, 20, 1 / 32, null, false);
      expect(gains.pending).toBe(false);
    }
  });
});

describe('the largest current of a servo', () => {
  /** 1 mA gives 1 mNm, and its stall torque is 2 Nm. */
  const cap = (counts: number, usual = counts, holds = false) => ({
    ...{ counts, usual, torquePerCount: 0.001, stallTorque: 2, floating: true, holds },
  });

  function makeCaps(...counts: readonly (number | null)[]): CurrentCaps {
    const caps = new CurrentCaps(
      counts.map(() => 0),
      null,
    );
    for (const [i, own] of counts.entries()) caps.found(i, own === null ? null : cap(own));
    return caps;
  }

  test('that has none is left alone', () => {
    const caps = makeCaps(null);
    expect([caps.pending, caps.restored, caps.capped[0]]).toEqual([false, true, 0]);
    caps.soften([1]);
    caps.confirm(0, 500);
    expect([caps.pending, caps.restored, caps.wanted[0]]).toEqual([false, true, 0]);
    expect(caps.plan([1])).toEqual({ own: [0], soft: [0] });
  });

  test('is less while its joint is limited, whatever the arm does, and its own again afterwards', () => {
    const caps = makeCaps(1500);
    caps.limit(0, 0.3);
    expect([caps.wanted[0], caps.pending, caps.works]).toEqual([300, true, false]);
    caps.confirm(0, 300);
    expect([caps.pending, caps.works, caps.restored]).toEqual([false, true, false]);
    caps.soften([0.5]);
    caps.restore();
    expect(caps.wanted[0]).toBe(300);
    caps.limit(0, 9);
    expect(caps.wanted[0]).toBe(1500);
    caps.limit(0, 0.3);
    caps.found(0, cap(1500));
    expect([caps.wanted[0], caps.pending]).toEqual([1500, false]);
  });

  test('that its joint was limited to when its bus was lost stays when it is found again, and is not its own', () => {
    const caps = makeCaps(1500, 1500);
    caps.limit(0, 0.6);
    for (const servo of [0, 1]) caps.confirm(servo, 300);
    for (const servo of [0, 1]) caps.found(servo, cap(300, 300, true));
    expect([[...caps.wanted], caps.pending]).toEqual([[300, 300], false]);
    caps.limit(0, Number.POSITIVE_INFINITY);
    expect([[...caps.wanted], caps.pending]).toEqual([[1500, 1500], true]);
    for (const servo of [0, 1]) caps.confirm(servo, 1500);
    for (const servo of [0, 1]) caps.found(servo, cap(800, 800, true));
    expect([[...caps.wanted], caps.pending]).toEqual([[800, 800], false]);
    const unread = makeCaps(1500);
    unread.limit(0, 0.3);
    unread.found(0, cap(300, 300, true));
    expect([unread.wanted[0], unread.pending]).toEqual([300, false]);
  });

  test('is what gives the torque that is asked for, at most its own, and is pending until it has been read', () => {
    const caps = makeCaps(1500);
    expect([caps.pending, caps.restored]).toEqual([false, true]);
    expect(caps.plan([0.5])).toEqual({ own: [1500], soft: [500] });
    caps.soften([0.5]);
    expect([caps.wanted[0], caps.pending, caps.restored]).toEqual([500, true, true]);
    caps.confirm(0, 500);
    expect([caps.pending, caps.restored]).toEqual([false, false]);
    caps.restore();
    expect([caps.wanted[0], caps.pending]).toEqual([1500, true]);
    caps.confirm(0, 1500);
    expect([caps.pending, caps.restored]).toEqual([false, true]);
    caps.soften([5]);
    expect(caps.wanted[0]).toBe(1500);
    caps.soften([0]);
    expect(caps.wanted[0]).toBe(1);
  });

  test('is shared by the servos of a joint by their strength', () => {
    const caps = new CurrentCaps([0, 0, 1], null);
    caps.found(0, { ...cap(1500), stallTorque: 3 });
    caps.found(1, { ...cap(1500), stallTorque: 1 });
    caps.found(2, cap(1500));
    caps.soften([1, 0.2]);
    expect([...caps.wanted]).toEqual([750, 250, 200]);
    expect([...caps.capped]).toEqual([1, 1, 1]);
  });

  test('that a bridge which was killed has left to a limp servo is taken back; any other is its own', () => {
    for (const [counts, own] of [
      [500, 1500],
      [600, 600],
      [1500, 1500],
    ] as const) {
      const caps = new CurrentCaps([0], { own: [1500], soft: [500] });
      caps.found(0, cap(counts));
      expect([caps.wanted[0], caps.pending]).toEqual([own, counts !== own]);
    }
    for (const wrong of [
      { own: [1500, 1], soft: [500] },
      { own: [1500], soft: [500, 1] },
    ]) {
      const caps = new CurrentCaps([0], wrong);
      caps.found(0, cap(500));
      expect(caps.pending).toBe(false);
    }
  });

  test('with which a servo holds when it is found stays until its joint is asked to move, or the arm is limp', () => {
    const found = (): CurrentCaps => {
      const caps = new CurrentCaps([0, 0, 1], { own: [1500, 1500, 1500], soft: [300, 300, 300] });
      // Each keeps its own, however a joint would share its torque.
      for (const [servo, counts] of [300, 900, 300].entries()) caps.found(servo, cap(counts, 1500, true));
      expect([[...caps.wanted], caps.pending, caps.works]).toEqual([[300, 900, 300], false, true]);
      return caps;
    };
    expect(found().plan([9, 9])).toEqual({ own: [1500, 1500, 1500], soft: [1500, 1500, 1500] });
    const asked = found();
    asked.asked(0);
    expect([[...asked.wanted], asked.pending]).toEqual([[1500, 1500, 300], true]);
    asked.limit(1, 0.2);
    expect([...asked.wanted]).toEqual([1500, 1500, 200]);
    const limp = found();
    limp.limit(1, 0.2);
    limp.slacken();
    expect([...limp.wanted]).toEqual([1500, 1500, 1500]);
    limp.found(2, cap(300, 1500));
    expect([limp.wanted[2], limp.pending]).toEqual([1500, true]);
  });

  test('counts in what is pending and restored of the arm', () => {
    const gains = new Gains([0], null);
    gains.found(0, 32, 1 / 32, cap(1500), false);
    expect([gains.pending, gains.restored, gains.works]).toEqual([false, true, true]);
    gains.soften([1], [0.5]);
    expect([gains.pending, gains.restored]).toEqual([true, true]);
    settle(gains);
    expect([gains.pending, gains.restored, gains.works]).toEqual([false, false, false]);
    gains.restore();
    settle(gains);
    expect([gains.restored, gains.works]).toEqual([true, true]);
    expect(gains.plan([1], [0.2]).currents).toEqual({ own: [1500], soft: [200] });
  });
});
