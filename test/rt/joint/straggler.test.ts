import { expect, test } from 'vitest';
import { straggling } from '../../../src/rt/joint/straggler.ts';

test.each([
  [false, 0.9, 0, /the servo of elbow does not take its goals/],
  [true, 0.7, 0, /^something holds elbow back$/],
  [true, 0.7, 0.4, /elbow is too weak for its load/],
  [true, 0.1, 0, /elbow does not move, and its servo does not push/],
  [true, 0.1, -0.4, /elbow moves slower than its goals: a speed or acceleration register/],
])('takes goals %s, load %s, speed %s', (takes, load, velocity, text) => {
  expect(straggling('elbow', takes, load, velocity)).toMatch(text);
});
