import { expect, it } from 'vitest';
import { GoalWatch, SERVO_STEP } from '../../bench/goal-watch.ts';
import { slope } from '../../bench/trend.ts';

/** A frame as the maker's manual has it: its checksum is the inverted sum from the id on. */
function frame(...content: number[]): number[] {
  const [id, instruction, ...parameters] = content as [number, number, ...number[]];
  const body = [id, parameters.length + 2, instruction, ...parameters];
  return [0xff, 0xff, ...body, ~body.reduce((sum, byte) => sum + byte) & 0xff];
}

function goals(first: number, second: number): number[] {
  return frame(0xfe, 0x83, 42, 2, 1, first & 0xff, first >> 8, 2, second & 0xff, second >> 8);
}

it('the watch over a wire finds the largest step of a servo with torque, in whatever pieces the bytes come', () => {
  const bytes = Uint8Array.from([
    // Without torque no goal is followed.
    ...goals(1000, 2000),
    ...goals(3000, 2000),
    ...frame(1, 0x03, 40, 1),
    ...goals(3004, 2500),
    // A read of the same registers is no goal, and a broken frame is none either.
    ...frame(0xfe, 0x82, 56, 2, 1, 2),
    ...[0xff, 0xff, 1],
    ...goals(2997, 2500),
    ...frame(1, 0x03, 40, 0),
    ...goals(100, 2500),
  ]);
  for (const size of [1, 7, bytes.length]) {
    const watch = new GoalWatch();
    for (let at = 0; at < bytes.length; at += size) watch.take(bytes.subarray(at, at + size));
    expect(watch.count).toBe(10);
    expect(watch.changes).toBe(2);
    expect(watch.largest).toBeCloseTo(7 * SERVO_STEP, 9);
  }
});

it('a slope is that of most values, whatever a few of them are', () => {
  expect(slope([3, 5, 7, 9, 500, 13, 15])).toBeCloseTo(2, 9);
  expect(slope([4, 4, 4, 90, 4, 4])).toBe(0);
  expect(slope([1])).toBeNaN();
});
