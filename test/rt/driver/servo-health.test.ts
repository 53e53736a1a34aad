import { expect, test } from 'vitest';
import { ServoHealth } from '../../../src/rt/driver/servo-health.ts';
import { familyByName } from '../../../src/servo/families.ts';
import type { FoundServo } from '../../../src/servo/start-up.ts';

const LIMIT = 70;

test('a servo that has had its arm lowered has torque again only once it would have it lowered anew', () => {
  const heat: string[] = [];
  const servos = [{ id: 3, joint: 'elbow_flex' }];
  const watch = new ServoHealth(
    servos,
    familyByName('feetech'),
    () => {},
    (_index, text) => heat.push(text),
  );
  watch.begin([{ maxTemperature: LIMIT, minVoltage: 4, maxVoltage: 8, temperature: 40, voltage: 7 } as FoundServo]);
  for (let degrees = 40; degrees < LIMIT; degrees += 0.5) watch.measured(0, degrees, 7);
  expect(heat).toHaveLength(1);
  let cooled = LIMIT;
  for (; watch.refusal() !== ''; cooled -= 0.5) watch.measured(0, cooled, 7);
  expect(cooled).toBeGreaterThan(50);
  for (let degrees = cooled; degrees < LIMIT; degrees += 0.5) watch.measured(0, degrees, 7);
  expect(heat).toHaveLength(2);
});
