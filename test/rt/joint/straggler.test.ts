import { expect, test } from 'vitest';
import { type Straggler, straggling } from '../../../src/rt/joint/straggler.ts';

/** A joint that moves slower than its goals, though its servo is well and carries next to nothing. */
const SLOWED: Straggler = {
  alarm: false,
  takes: true,
  effort: 0.05,
  torqueLimit: 1,
  weight: 0,
  pull: 0.3,
  velocity: 0.4,
};

test.each<[string, Partial<Straggler>, RegExp]>([
  ['an alarm', { alarm: true, takes: false, effort: 0.9 }, /the servo of elbow has raised an alarm and keeps back/],
  ['no goals taken', { takes: false, effort: 0.9 }, /the servo of elbow does not take its goals/],
  ['a loaded servo at rest', { effort: 0.7, velocity: 0 }, /^something holds elbow back$/],
  ['a loaded servo on its way', { effort: 0.7 }, /elbow is too weak for its load/],
  ['no push and no motion', { effort: 0.1, velocity: 0 }, /elbow does not move, and its servo does not push/],
  ['no push', { velocity: -0.4 }, /elbow moves slower than its goals: a speed or acceleration register/],
  ['a push beyond its weight, on its way', { effort: 0.2 }, /^something holds elbow back$/],
  ['the same downwards', { effort: -0.2, pull: -0.3, velocity: -0.4 }, /^something holds elbow back$/],
  ['the same at rest', { effort: 0.2, velocity: 0 }, /^something holds elbow back$/],
  ['its weight alone', { effort: 0.25, weight: 0.2 }, /elbow moves slower than its goals/],
  ['a push against its weight', { effort: 0, weight: -0.2 }, /^something holds elbow back$/],
  ['a pull the other way', { effort: -0.2 }, /elbow moves slower than its goals/],
])('%s', (_, found, text) => {
  expect(straggling('elbow', { ...SLOWED, ...found })).toMatch(text);
});
