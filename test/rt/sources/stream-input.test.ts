import { expect, test } from 'vitest';
import { StreamInput } from '../../../src/rt/sources/stream-input.ts';

const sampled = (input: StreamInput): number[] => {
  const out = Float64Array.of(0.1, 0.2, 0.3);
  input.sample(out);
  return [...out];
};

test('the newest value of each joint counts, whatever message brought it; joints that none named stay', () => {
  const input = new StreamInput(3);
  expect(sampled(input)).toEqual([0.1, 0.2, 0.3]);
  expect(input.sampleTime).toBe(0);
  input.arrived(Float64Array.of(1, Number.NaN, Number.NaN), 5);
  expect(sampled(input)).toEqual([1, 0.2, 0.3]);
  input.arrived(Float64Array.of(Number.NaN, 2, Number.NaN), 6);
  expect(sampled(input)).toEqual([1, 2, 0.3]);
  expect(input.sampleTime).toBe(6);
  input.arrived(Float64Array.of(-1, -2, -3), 7);
  expect(sampled(input)).toEqual([-1, -2, -3]);
});

test('nothing of an earlier stream is left to a new one', () => {
  const input = new StreamInput(3);
  input.arrived(Float64Array.of(1, 2, 3), 5);
  input.restart();
  expect(input.sampleTime).toBe(0);
  expect(sampled(input)).toEqual([0.1, 0.2, 0.3]);
});
