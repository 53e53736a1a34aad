import { expect, test } from 'vitest';
import { straggling } from '../../../src/rt/joint/straggler.ts';

test.each([
  [true, false, 0.9, 0, /the servo of elbow has raised an alarm and keeps back its torque/],
  [false, false, 0.9, 0, /the servo of elbow does not take its goals/],
  [false, true, 0.7, 0, /^something holds elbow back$/],
  [false, true, 0.7, 0.4, /elbow is too weak for its load/],
  [false, true, 0.1, 0, /elbow does not move, and its servo does not push/],
  [false, true, 0.1, -0.4, /elbow moves slower than its goals: a speed or acceleration register/],
])('alarm %s, takes goals %s, load %s, speed %s', (alarm, takes, load, velocity, text) => {
  expect(straggling('elbow', alarm, takes, load, velocity)).toMatch(text);
});
