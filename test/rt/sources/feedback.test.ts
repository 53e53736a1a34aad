import { expect, test } from 'vitest';
import { type FedArm, Feedback } from '../../../src/rt/sources/feedback.ts';
import type { Feel } from '../../../src/rt/sources/feel.ts';

const DT = 0.005;

/** A leader with one joint of its arm and a gripper, whose follower's push a test sets, Nm. */
function setUp() {
  const arm = {
    link: {
      readings: {
        positions: new Float64Array(2),
        temperatures: new Float64Array(2).fill(30),
        temperatureLimits: new Float64Array(2).fill(70),
      },
    },
    model: {
      floatTorque: new Float64Array([1, 1]),
      masks: { arm: new Uint8Array([1, 0]), gripper: new Uint8Array([0, 1]) },
    },
    velocities: new Float64Array(2),
    now: 100,
  };
  let push = 0;
  const feel = {
    leader: 0,
    stiffens: false,
    add: (torques: Float64Array) => {
      torques[0] = torques[0]! + push;
    },
  };
  const feedback = new Feedback(arm as unknown as FedArm, 0, [{ feel: feel as unknown as Feel }]);
  const told: number[] = [];
  feedback.onGuarded = () => told.push(arm.now);
  const goes = (seconds: number, speed: number, torque: number): void => {
    push = torque;
    arm.velocities[0] = speed;
    for (const end = arm.now + seconds; arm.now < end; arm.now += DT) {
      arm.link.readings.positions[0] = arm.link.readings.positions[0]! + speed * DT;
      feedback.step(DT);
    }
  };
  return { feedback, told, goes };
}

test('a leader that goes with the push is not driven on, and that is told again once it has been otherwise for 10 s', () => {
  const { feedback, told, goes } = setUp();
  goes(1, 0.5, 0.4);
  expect(feedback.torques[0]).toBe(0);
  expect(told).toHaveLength(1);
  // Again and again within seconds: it has been told.
  for (let i = 0; i < 3; i++) {
    goes(4, 0, 0);
    goes(1, 0.5, 0.4);
    expect(feedback.torques[0]).toBe(0);
  }
  expect(told).toHaveLength(1);
  goes(11, 0, 0);
  goes(0.05, 0, 0.4);
  expect(feedback.torques[0]).toBeGreaterThan(0.3);
  goes(1, 0.5, 0.4);
  expect(told).toHaveLength(2);
});
