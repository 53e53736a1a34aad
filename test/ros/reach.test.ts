import { expect, test } from 'vitest';
import { Reach } from '../../src/ros/reach.ts';

test('a publisher that is seen and not heard is told once, and anew after it has gone', () => {
  const reach = new Reach();
  const told = (publishers: number, ...times: number[]) => times.filter((now) => reach.look(publishers, now));
  expect(told(0, 0, 10)).toEqual([]);
  expect(told(1, 11, 15.9, 16, 17, 30)).toEqual([16]);
  expect(told(0, 31)).toEqual([]);
  expect(told(1, 32, 36.9, 37)).toEqual([37]);
});

test('a publisher that is heard may fall silent', () => {
  const reach = new Reach();
  reach.look(1, 0);
  reach.heard();
  expect(reach.look(1, 100)).toBe(false);
});
