import { expect, test } from 'vitest';
import { DrawPace, LEVELS } from '../../web/scene/draw-pace.ts';

let now = 0;

/**
 * Draws a motion of so many pictures, as often as they may be drawn; each that is measured takes the time that `cost` gives for
 * the pixels of the present level, ms.
 */
function draw(pace: DrawPace, count: number, cost: (pace: DrawPace) => number): void {
  for (let i = 0; i < count; i++) {
    now += pace.interval;
    if (pace.begin(now)) pace.measured(cost(pace));
  }
}

/** Draws once more when nothing has changed for as long as it says. */
function settle(pace: DrawPace): void {
  now += pace.settling ?? 1000;
  expect(pace.begin(now)).toBe(false);
}

/** What a processor takes for a picture: the number of its pixels counts. */
const byPixels = (full: number) => (pace: DrawPace) => full * pace.pixels ** 2;

test('a graphics processor draws everything with each frame of the display', () => {
  const pace = new DrawPace(false, 2);
  draw(pace, 100, () => 3);
  expect(pace.level).toBe(LEVELS[0]);
  expect(pace.pixels).toBe(2);
  expect(pace.interval).toBe(0);
});

test('no more pixels are drawn than the display has, and never fewer than the level says', () => {
  expect(new DrawPace(false, 1).pixels).toBe(1);
  expect(new DrawPace(false, 0.8).pixels).toBe(1);
  expect(new DrawPace(false, 3).pixels).toBe(2);
});

test('a weak graphics processor is spared shadows, then pixels, and draws with each frame as long as that is enough', () => {
  const pace = new DrawPace(false, 1);
  draw(pace, 5, () => 20);
  expect(pace.level).toBe(LEVELS[1]);
  draw(pace, 5, () => 20);
  expect(pace.level).toBe(LEVELS[2]);
  draw(pace, 5, () => 8);
  expect(pace.level).toBe(LEVELS[2]);
  expect(pace.interval).toBe(0);
});

test('a processor that draws has no shadows to draw, and coarse pictures of what moves, so often that it takes a fifth of itself', () => {
  const pace = new DrawPace(true, 2);
  draw(pace, 8, byPixels(24));
  expect(pace.level).toBe(LEVELS.at(-1));
  expect(pace.interval).toBeCloseTo(5 * (6 + 30), 9);
});

test('the picture that stays is drawn once more, sharp, where a processor draws', () => {
  const pace = new DrawPace(true, 2);
  draw(pace, 8, byPixels(24));
  expect(pace.settling).toBeGreaterThan(pace.interval);
  settle(pace);
  expect(pace.level).toBe(LEVELS[1]);
  expect(pace.settling).toBeNull();
  // What changes by itself now and then, as a mark under the pointer, needs no coarse picture in between.
  now += 1000;
  pace.begin(now);
  expect(pace.level).toBe(LEVELS[1]);
  draw(pace, 2, byPixels(24));
  expect(pace.level).toBe(LEVELS.at(-1));
  expect(new DrawPace(false, 1).settling).toBeNull();
});

test('the slower the processor, the fewer pictures, and the coarser the one that stays, but two a second come in any case', () => {
  const seen = [40, 80, 500, 1200, 4000].map((full) => {
    const pace = new DrawPace(true, 1);
    draw(pace, 200, byPixels(full));
    expect(pace.pixels).toBe(0.5);
    const { interval } = pace;
    settle(pace);
    return { pixels: pace.pixels, interval };
  });
  expect(seen.map(({ pixels }) => pixels)).toEqual([1, 1, 0.7, 0.5, 0.5]);
  expect(seen[0]!.interval).toBeCloseTo(5 * (10 + 30), 9);
  expect(seen[1]!.interval).toBeCloseTo(5 * (20 + 60), 9);
  expect(seen[4]!.interval).toBe(500);
});

test('one picture that takes long, such as the first with new shaders, alters nothing', () => {
  const pace = new DrawPace(false, 1);
  for (const time of [500, 400, 3, 300, 3, 3]) draw(pace, 1, () => time);
  expect(pace.level).toBe(LEVELS[0]);
});

test('when the computer has time again the scene gets finer, up to shadows', () => {
  const pace = new DrawPace(false, 1);
  draw(pace, 200, byPixels(100));
  expect(pace.level).toBe(LEVELS.at(-1));
  draw(pace, 200, byPixels(2));
  expect(pace.level).toBe(LEVELS[0]);
});

test('a level that is only just enough is not left for one that would be too slow, back and forth', () => {
  const pace = new DrawPace(false, 1);
  draw(pace, 20, byPixels(20));
  expect(pace.pixels).toBe(0.7);
  for (let i = 0; i < 20; i++) {
    draw(pace, 50, byPixels(20));
    expect(pace.pixels).toBe(0.7);
  }
});

test('once the time is known it is measured seldom: a measurement waits for the picture', () => {
  const pace = new DrawPace(false, 1);
  draw(pace, 20, () => 3);
  let measured = 0;
  for (let i = 0; i < 200; i++) {
    now += 16;
    if (!pace.begin(now)) continue;
    measured += 1;
    pace.measured(3);
  }
  expect(measured).toBe(10);
});
