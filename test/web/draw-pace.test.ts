import { expect, test } from 'vitest';
import { DrawPace, LEVELS } from '../../web/scene/draw-pace.ts';

/** Draws so often; every picture that is measured takes the time that `cost` gives for the pixels of the present level, ms. */
function draw(pace: DrawPace, count: number, cost: (pace: DrawPace) => number): void {
  for (let i = 0; i < count; i++) if (pace.begin()) pace.measured(cost(pace));
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

test('a processor that draws has no shadows to draw, and draws so often that it takes less than half of itself', () => {
  const pace = new DrawPace(true, 2);
  expect(pace.level.shadows).toBe(false);
  draw(pace, 5, () => 6);
  expect(pace.level).toBe(LEVELS[1]);
  expect(pace.interval).toBeCloseTo(3 * (6 + 30), 9);
});

test('the slower the processor, the fewer pixels and pictures, but two a second come in any case', () => {
  const intervals = [6, 20, 40, 80, 1000].map((full) => {
    const pace = new DrawPace(true, 1);
    draw(pace, 200, byPixels(full));
    return { pixels: pace.pixels, interval: pace.interval };
  });
  expect(intervals.map(({ pixels }) => pixels)).toEqual([1, 0.7, 0.5, 0.5, 0.5]);
  expect(intervals[2]!.interval).toBeCloseTo(3 * (10 + 30), 9);
  expect(intervals[3]!.interval).toBeCloseTo(3 * (20 + 60), 9);
  expect(intervals[4]!.interval).toBe(500);
});

test('one picture that takes long, such as the first with new shaders, alters nothing', () => {
  const pace = new DrawPace(false, 1);
  for (const time of [500, 400, 3, 300, 3, 3]) draw(pace, 1, () => time);
  expect(pace.level).toBe(LEVELS[0]);
});

test('when the computer has time again the scene gets finer, up to shadows where a graphics processor draws', () => {
  for (const [software, finest] of [
    [false, LEVELS[0]],
    [true, LEVELS[1]],
  ] as const) {
    const pace = new DrawPace(software, 1);
    draw(pace, 200, byPixels(100));
    expect(pace.level).toBe(LEVELS.at(-1));
    draw(pace, 200, byPixels(2));
    expect(pace.level).toBe(finest);
  }
});

test('a level that is only just enough is not left for one that would be too slow, back and forth', () => {
  const pace = new DrawPace(true, 1);
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
    if (!pace.begin()) continue;
    measured += 1;
    pace.measured(3);
  }
  expect(measured).toBe(10);
});
