import { expect, test } from 'vitest';
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
