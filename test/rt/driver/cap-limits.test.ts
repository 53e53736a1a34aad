import { expect, test } from 'vitest';
import { CurrentCaps, type FoundCap } from '../../../src/rt/driver/current-caps.ts';

const USUAL = 735;
const FOUND: FoundCap = {
  ...{ counts: USUAL, usual: USUAL, torquePerCount: 1e-4, stallTorque: 0.2, floating: true, holds: false },
};

/** The caps of servos by their joints, as they are found. */
function capsOf(joints: readonly number[], ...found: readonly (Partial<FoundCap> | null)[]): CurrentCaps {
  const caps = new CurrentCaps(joints, null);
  for (const [i, cap] of found.entries()) caps.found(i, cap === null ? null : { ...FOUND, ...cap });
  return caps;
}

test('nothing is to be written before a servo is found', () => {
  const { pending, restored, works } = new CurrentCaps([0], null);
  expect({ pending, restored, works }).toEqual({ pending: false, restored: true, works: true });
});

test('a servo that is found with a cap of nothing gets its own', () => {
  expect([...capsOf([0], { counts: 0 }).wanted]).toEqual([USUAL]);
});

test('a joint keeps to a largest torque only if each of its servos has a cap', () => {
  const caps = capsOf([0, 0, 1, 1], {}, {}, {}, null);
  expect([caps.caps(0), caps.caps(1)]).toEqual([true, false]);
});

test('a limp servo with a cap that nobody here has given gets its own, also if a bridge has left a plan', () => {
  const caps = new CurrentCaps([0], { own: [700], soft: [300] });
  caps.found(0, { ...FOUND, counts: 500 });
  expect([...caps.wanted]).toEqual([USUAL]);
  expect([caps.pending, caps.restored, caps.works]).toEqual([true, false, false]);
  caps.confirm(0, USUAL);
  expect([caps.pending, caps.restored, caps.works]).toEqual([false, true, true]);
});

test('a servo that holds with less than its own cap keeps that until its joint is asked to move', () => {
  const caps = capsOf([0, 1], { counts: 300, holds: true }, {});
  expect([...caps.wanted]).toEqual([300, USUAL]);
  expect([caps.pending, caps.restored, caps.works]).toEqual([false, true, true]);
  caps.asked(1);
  expect([...caps.wanted]).toEqual([300, USUAL]);
  caps.asked(0);
  expect([...caps.wanted]).toEqual([USUAL, USUAL]);
  expect([caps.pending, caps.restored, caps.works]).toEqual([true, false, false]);
});

test('a servo that holds with more than its own cap does not keep it', () => {
  const caps = new CurrentCaps([0], { own: [USUAL], soft: [900] });
  caps.found(0, { ...FOUND, counts: 900, holds: true });
  expect([...caps.wanted]).toEqual([USUAL]);
  expect([caps.pending, caps.restored]).toEqual([true, false]);
});

test('a servo without a cap confirms none', () => {
  const caps = capsOf([0], null);
  caps.confirm(0, 500);
  caps.found(0, { ...FOUND, counts: 500 });
  expect([...caps.wanted]).toEqual([USUAL]);
});

test('a floating arm softens only the caps that apply while it floats, and a gripper keeps its limit afterwards', () => {
  const caps = capsOf([0, 1], {}, { floating: false });
  // 0.02 Nm of 1e-4 Nm a count.
  caps.soften([0.02, 0.02]);
  expect([...caps.wanted]).toEqual([200, USUAL]);
  caps.limit(1, 0.03);
  expect([...caps.wanted]).toEqual([200, 300]);
  caps.restore();
  expect([...caps.wanted]).toEqual([USUAL, 300]);
  for (const [i, counts] of caps.wanted.entries()) caps.confirm(i, counts);
  expect([caps.pending, caps.restored, caps.works]).toEqual([false, false, true]);
  caps.slacken();
  expect([...caps.wanted]).toEqual([USUAL, USUAL]);
  expect(caps.pending).toBe(true);
});

test('servos of a joint share its torque by their strength, and no cap is less than one count', () => {
  const caps = capsOf([0, 0], { stallTorque: 0.3 }, { stallTorque: 0.1 });
  caps.limit(0, 0.04);
  expect([...caps.wanted]).toEqual([300, 100]);
  caps.limit(0, 0);
  expect([...caps.wanted]).toEqual([1, 1]);
});
