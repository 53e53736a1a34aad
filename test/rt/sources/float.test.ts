import { expect, test } from 'vitest';
import type { Feedback } from '../../../src/rt/sources/feedback.ts';
import { Float } from '../../../src/rt/sources/float.ts';
import { SourceStatus } from '../../../src/rt/sources/setpoint-source.ts';

const REST = Float64Array.of(0, 0);
const PARTS = [1, 0.6];

function begun(fade: number, at: number): Float {
  const source = new Float(Float64Array.from(PARTS), fade, null);
  source.begin(REST, REST, at);
  return source;
}

test('an arm that is to float supports its weight for as long as it is asked to', () => {
  const source = begun(0, 100);
  for (const now of [100, 105, 1e6]) {
    expect(source.next(now, 0.005)).toBe(SourceStatus.running);
    expect([...source.support]).toEqual(PARTS);
  }
});

test('one that is to go limp is supported less and less from when it begins, by nothing at the end, and is done then', () => {
  const source = begun(2, 100);
  for (const [now, left, status] of [
    [100, 1, SourceStatus.running],
    [100.5, 0.75, SourceStatus.running],
    [101.9, 0.05, SourceStatus.running],
    [102, 0, SourceStatus.done],
    [200, 0, SourceStatus.done],
  ] as const) {
    expect(source.next(now, 0.005)).toBe(status);
    for (const [i, part] of PARTS.entries()) expect(source.support[i]).toBeCloseTo(part * left, 12);
  }
});

test('what it was made of stays as it is', () => {
  const support = Float64Array.from(PARTS);
  const source = new Float(support, 2, null);
  source.begin(REST, REST, 0);
  source.next(1, 0.005);
  expect([...support]).toEqual(PARTS);
});

test('its servos are soft, but for when something may be felt: then a spring has to be quick', () => {
  const felt = { torques: Float64Array.of(0.1, 0.2), stiffens: false, steps: [] as number[] };
  const feedback = Object.assign(felt, { step: (dt: number) => felt.steps.push(dt) }) as unknown as Feedback;
  const soft = Float64Array.of(0.3, 0.4);
  const source = new Float(Float64Array.from(PARTS), 0, soft, feedback);
  expect(source.gains).toBe(soft);
  felt.stiffens = true;
  expect([...source.gains!]).toEqual([1, 1]);
  expect(source.feedback).toBe(felt.torques);
  source.next(1, 0.005);
  expect(felt.steps).toEqual([0.005]);
  const plain = begun(0, 100);
  expect([plain.gains, plain.feedback]).toEqual([null, null]);
  // Gains that stay as they are need no softening to begin with.
  expect(new Float(Float64Array.from(PARTS), 0, null, feedback).gains).toBe(null);
});
