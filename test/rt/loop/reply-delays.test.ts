import { describe, expect, test } from 'vitest';
import { ReplyDelays } from '../../../src/rt/loop/reply-delays.ts';

/** What buses take from being asked to their last byte by the line's reckoning, s. */
const LINE = 880e-6;
const BOTH = Uint8Array.of(1, 1);

interface Run {
  /** Time from being woken to the last answer, s; negative where the sleep was too long. */
  readonly spare: readonly number[];
  /** Cycles in which there was a sleep. */
  readonly slept: number;
}

/**
 * Cycles of two buses, the first of which answers 260 us before the second.
 * @param answer time from being asked to the second one's last byte, by cycle, s
 * @param overshoot what every sleep takes longer than it should, s
 */
function run(cycles: number, answer: (cycle: number) => number, overshoot = 5e-6, line = LINE): Run {
  const patience = new ReplyDelays(2);
  const arms = [line - 260e-6, line].map((readTime) => ({ link: { readTime } }));
  const spare: number[] = [];
  let slept = 0;
  for (let cycle = 0; cycle < cycles; cycle++) {
    const began = cycle * 0.005;
    const asked = began + 30e-6;
    const sleep = patience.duration(arms, BOTH, began, asked);
    const awake = sleep === 0 ? asked : asked + sleep + overshoot;
    if (sleep > 0) {
      slept++;
      patience.woke(awake);
    }
    const last = answer(cycle);
    spare.push(began + last - awake);
    // Handling an event takes a moment; what came during the sleep is handled right after it.
    patience.answered(0, arms[0]!.link.readTime, Math.max(began + last - 260e-6, awake) + 15e-6);
    patience.answered(1, arms[1]!.link.readTime, Math.max(began + last, awake) + 25e-6);
  }
  return { spare, slept };
}

/** The least and the longest spare time of the second half. */
function settled({ spare }: Run): [number, number] {
  const half = spare.slice(spare.length / 2);
  return [Math.min(...half), Math.max(...half)];
}

test.each([
  ['as soon as the line allows', 0],
  ['later, as through a slow adapter', 700e-6],
  ['sooner, on a line that is quicker than was reckoned', -300e-6],
])('answers that come %s find the thread awake, and it has slept till just before', (_, delay) => {
  const result = run(2000, () => LINE + delay);
  const [least, longest] = settled(result);
  expect(least).toBeGreaterThan(-20e-6);
  expect(longest).toBeLessThan(100e-6);
  expect(result.slept).toBeGreaterThan(1950);
});

test('the time of one slow answer in a while is not slept through by the next one', () => {
  const [least] = settled(run(4000, (cycle) => LINE + (cycle % 20 === 0 ? 3e-3 : 0)));
  expect(least).toBeGreaterThan(-20e-6);
});

test('a system that rounds sleeps up does not make them longer and longer', () => {
  const [least] = settled(run(4000, () => LINE, 200e-6));
  expect(least).toBeGreaterThan(-40e-6);
});

test('where answers come at once, or after many milliseconds, there is no sleep', () => {
  const quick = run(2000, () => 80e-6);
  expect(quick.slept).toBeLessThan(200);
  expect(run(100, () => 20e-3, 0, 20e-3).slept).toBe(0);
});

test('where sleeps end late because others have the processor, there are few of them until that is over', () => {
  const patience = new ReplyDelays(1);
  const arms = [{ link: { readTime: LINE } }];
  const slept = [0, 0, 0];
  for (let cycle = 0; cycle < 30_000; cycle++) {
    const phase = Math.floor(cycle / 10_000);
    const began = cycle * 1e-3;
    const sleep = patience.duration(arms, Uint8Array.of(1), began, began);
    if (sleep === 0) continue;
    slept[phase]!++;
    // Every third sleep of the middle phase ends 3 ms late.
    patience.woke(began + sleep + (phase === 1 && cycle % 3 === 0 ? 3e-3 : 0));
    patience.answered(0, LINE, began + LINE);
  }
  expect(slept[0]).toBe(10_000);
  expect(slept[1]).toBeLessThan(200);
  expect(slept[2]).toBeGreaterThan(8000);
});

describe('the sleep before answers', () => {
  const arms = [200e-6, 900e-6, 700e-6].map((readTime) => ({ link: { readTime } }));
  /** Three buses of which nothing is known but their line times. */
  const fresh = (): ReplyDelays => {
    const delays = new ReplyDelays();
    for (const _ of arms) delays.add();
    return delays;
  };
  const sleep = (pending: readonly number[], asking = 30e-6, delays = fresh()): number =>
    delays.duration(arms, Uint8Array.from(pending), 1, 1 + asking);

  test('lasts until 60 us before the slowest of those that have not answered, whatever their order', () => {
    expect(sleep([1, 1, 1])).toBeCloseTo(810e-6, 9);
    expect(sleep([1, 0, 1])).toBeCloseTo(610e-6, 9);
    expect(sleep([0, 0, 0])).toBe(0);
  });

  test('is left out where it would be shorter than 150 us or longer than 2 ms', () => {
    // The fastest one is due 140 us after it has been asked.
    expect(sleep([1, 0, 0], 0)).toBe(0);
    expect(sleep([0, 1, 0], 680e-6)).toBeCloseTo(160e-6, 9);
    expect(sleep([0, 1, 0], 700e-6)).toBe(0);
    const late = [{ link: { readTime: 2.05e-3 } }, { link: { readTime: 2.07e-3 } }];
    expect(new ReplyDelays(2).duration(late, Uint8Array.of(1, 0), 1, 1)).toBeCloseTo(1.99e-3, 9);
    expect(new ReplyDelays(2).duration(late, Uint8Array.of(1, 1), 1, 1)).toBe(0);
  });

  test('is shorter after an answer that was there already, if that bus had set it, and not for another one', () => {
    const prompt = (index: number): number => {
      const delays = fresh();
      const awake = 1 + 30e-6 + sleep([1, 1, 1], 30e-6, delays);
      delays.woke(awake);
      delays.answered(index, arms[index]!.link.readTime, awake + 10e-6);
      return sleep([1, 1, 1], 30e-6, delays);
    };
    expect(prompt(1)).toBeCloseTo(800e-6, 9);
    expect(prompt(0)).toBeCloseTo(810e-6, 9);
    expect(prompt(2)).toBeCloseTo(810e-6, 9);
  });

  test('follows a bus that answers sooner by a quarter of the way, and one that answers later by a 64th, of 200 us at most', () => {
    const learned = (late: number): number => {
      const delays = fresh();
      const awake = 1 + 30e-6 + sleep([0, 1, 0], 30e-6, delays);
      delays.woke(awake);
      delays.answered(1, 900e-6, 1 + 900e-6 + late);
      return sleep([0, 1, 0], 30e-6, delays) - 810e-6;
    };
    expect(learned(64e-6)).toBeCloseTo(1e-6, 9);
    expect(learned(10e-3)).toBeCloseTo(200e-6 / 64, 9);
    // It came more than 50 us after the sleep: the thread was awake for it.
    expect(learned(-8e-6)).toBeCloseTo(-2e-6, 9);
  });
});
