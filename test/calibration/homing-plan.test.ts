import { expect, test } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { planJoint, sweepFault, sweepFaults } from '../../src/calibration/homing-plan.ts';
import { Sweep } from '../../src/calibration/sweep.ts';
import { familyByName } from '../../src/servo/families.ts';

const TURN = 4096;
const RADIANS = (2 * Math.PI) / TURN;
const ELBOW = loadArmModel('so101').joints[2]!;
const servo = ELBOW.servos[0]!;

/** What a servo with this register reports at an actual step, as the memory tables say. */
const feetech = (actual: number, offset: number) => (((actual - offset) % TURN) + TURN) % TURN;
const dynamixel = (actual: number, offset: number) => actual + offset;

/** A hand leads the elbow over its range with its horn mounted anyhow; angles as the bridge reads them before. */
function led(horn: number, sign: 1 | -1, offset: number, present: typeof feetech): { sweep: Sweep; middle: number } {
  const sweep = new Sweep(1);
  const at = (angle: number): void => {
    const actual = Math.round(servo.zero + horn + (sign * angle) / RADIANS);
    const sample = [servo.sign * (present(actual, offset) - servo.zero) * RADIANS];
    for (let samples = 0; samples < 3; samples++) sweep.add(sample);
  };
  at(0);
  const middle = sweep.positions[0]!;
  sweep.restart();
  for (let angle = 0; angle > ELBOW.lower; angle -= 0.1) at(angle);
  for (let angle = ELBOW.lower; angle < ELBOW.upper; angle += 0.1) at(angle);
  at(ELBOW.upper);
  return { sweep, middle };
}

test('a single wrong sample counts for nothing, at an end of a travel or in its middle', () => {
  const sweep = new Sweep(1);
  for (const sample of [0.1, 0.11, 0.9, 0.12, 0.13]) sweep.add([sample]);
  expect([sweep.positions[0], sweep.least[0], sweep.most[0]]).toEqual([0.13, 0.1, 0.13]);
  sweep.add([-0.8]);
  expect([sweep.positions[0], sweep.least[0]]).toEqual([0.12, 0.1]);
});

test.each([
  ['feetech', feetech, 0],
  ['dynamixel', dynamixel, 3],
] as const)(
  'with any horn, either way round and any former offset, %s servos get one that makes their zero true',
  (family, present, mode) => {
    for (const horn of [-2047, -1200, -1, 0, 700, 1999]) {
      for (const sign of [1, -1] as const) {
        for (const before of [0, 900, -2000]) {
          const { sweep, middle } = led(horn, sign, before, present);
          const travel = { middle, least: sweep.least[0]!, most: sweep.most[0]! };
          expect(sweepFault(ELBOW, travel)).toBeNull();
          const facts = { homingOffset: before, operatingMode: mode, stepsPerTurn: TURN };
          const plan = planJoint(ELBOW, familyByName(family), facts, travel, sign);
          expect(Math.abs(plan.offset)).toBeLessThan(TURN / 2);
          for (const angle of [ELBOW.lower, 0, ELBOW.upper]) {
            const steps = present(Math.round(servo.zero + horn + (sign * angle) / RADIANS), plan.offset);
            // A Dynamixel servo may count in another turn, which the link finds out.
            const off = plan.sign * (steps - plan.zero) * RADIANS - angle;
            const turns = family === 'feetech' ? 0 : Math.round(off / (2 * Math.PI));
            expect(Math.abs(off - turns * 2 * Math.PI)).toBeLessThan(3 * RADIANS);
            if (family === 'feetech') expect(steps).toBeGreaterThan(100);
            // The servo's own limits hold the joint's, and goals that stand off by its droop.
            const inTurn = steps - plan.sign * turns * TURN;
            expect(inTurn - plan.limits!.lowest).toBeGreaterThanOrEqual(Math.min(60, inTurn));
            expect(plan.limits!.highest - inTurn).toBeGreaterThanOrEqual(Math.min(60, TURN - 1 - inTurn));
          }
          // In position control a larger offset is ignored (e-manual).
          if (family === 'dynamixel' && Math.abs(plan.offset) > 1024) expect(plan.operatingMode).toBe(4);
        }
      }
    }
  },
);

test('a joint that was led over too little, too much or on one side is named with what to do', () => {
  const fault = (middle: number, least: number, most: number) => sweepFault(ELBOW, { middle, least, most });
  expect(fault(0, -1, 1)).toMatch(
    /elbow_flex has been led over 115 degrees of 194 degrees: lead it to both of its ends/,
  );
  expect(fault(0, -3, 3)).toMatch(/is this the right model of arm/);
  expect(fault(1, -1.69, 1.69)).toMatch(/is 57 degrees from the middle pose/);
  expect(fault(0.2, -1.6, 1.7)).toBeNull();

  const faults = (...ranges: [number, number][]) =>
    sweepFaults(
      ranges.map((_, i) => ({ ...ELBOW, name: `joint_${i}` })),
      ranges.map(([least, most]) => ({ middle: 0, least, most })),
    );
  expect(faults([-1, 1], [-1.6, 1.7], [0, 0], [-3, 3])).toBe(
    'joint_0 has been led over 115 degrees of 194 degrees, joint_2 over 0 degrees of 194 degrees: lead each to both of its ' +
      'ends; joint_3 has been led over 344 degrees of 194 degrees, which it cannot have: is this the right model of arm? Begin again',
  );
  expect(faults([-1, 1], [-1.6, 1.7])).toBe(
    'joint_0 has been led over 115 degrees of 194 degrees: lead it to both of its ends',
  );
  expect(faults([-1.6, 1.7])).toBe('');
});
