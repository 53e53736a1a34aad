import { expect, test } from 'vitest';
import { type FedArm, Feedback } from '../../../src/rt/sources/feedback.ts';
import type { Feel } from '../../../src/rt/sources/feel.ts';

const DT = 0.005;

/**
 * A leader with one joint of its arm and a gripper, whose follower's push on one of them a test sets, Nm.
 * @param more joints of the arm, which come before the gripper
 */
function setUp(joint = 0, more = 0) {
  const joints = 2 + more;
  const arm = {
    link: {
      readings: {
        positions: new Float64Array(joints),
        temperatures: new Float64Array(joints).fill(30),
        temperatureLimits: new Float64Array(joints).fill(70),
      },
    },
    model: {
      floatTorque: new Float64Array(joints).fill(1),
      masks: {
        arm: Uint8Array.from({ length: joints }, (_, i) => (i < joints - 1 ? 1 : 0)),
        gripper: Uint8Array.from({ length: joints }, (_, i) => (i < joints - 1 ? 0 : 1)),
      },
    },
    velocities: new Float64Array(joints),
    now: 100,
  };
  let push = 0;
  /** What is felt besides, Nm by joint. */
  const besides = new Float64Array(joints);
  const feel = {
    leader: 0,
    stiffens: false,
    add: (torques: Float64Array) => {
      torques[joint] = torques[joint]! + push;
      for (let i = 0; i < joints; i++) torques[i] = torques[i]! + besides[i]!;
    },
  };
  const feedback = new Feedback(arm as unknown as FedArm, 0, [{ feel: feel as unknown as Feel }]);
  const told: number[] = [];
  const guarded: number[] = [];
  feedback.onGuarded = (which) => {
    told.push(arm.now);
    guarded.push(which);
  };
  const goes = (seconds: number, speed: number, torque: number): void => {
    push = torque;
    arm.velocities[joint] = speed;
    for (const end = arm.now + seconds; arm.now < end; arm.now += DT) {
      arm.link.readings.positions[joint] = arm.link.readings.positions[joint]! + speed * DT;
      feedback.step(DT);
    }
  };
  return { arm, feel, feedback, besides, told, guarded, goes };
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

test.each([
  [0, 'joint'],
  [1, 'gripper'],
])('a push on joint %s, its %s, is felt whole by a hand that holds against it, and told of by nobody', (joint) => {
  const { feedback, told, goes } = setUp(joint);
  goes(5, 0, 0.4);
  expect(feedback.torques[joint]).toBeCloseTo(0.4);
  expect(feedback.torques[1 - joint]).toBe(0);
  // It presses into the push, and comes back as far.
  goes(0.2, -0.5, 0.4);
  expect(feedback.torques[joint]).toBeGreaterThan(0.4);
  goes(0.2, 0.5, 0.4);
  expect(feedback.torques[joint]).toBeGreaterThan(0.3);
  expect(told).toEqual([]);
});

test.each([0, 1])('it is named which joint would have moved by itself: %s', (joint) => {
  const { guarded, goes } = setUp(joint);
  goes(1, 0.5, 0.4);
  expect(guarded).toEqual([joint]);
});

test('a leader gives way for 0.04 rad, and after 0.08 rad feels nothing any more', () => {
  const { feedback, goes } = setUp();
  goes(0.06, 0.5, 0.4);
  expect(feedback.torques[0]).toBeGreaterThan(0.3);
  goes(0.06, 0.5, 0.4);
  expect(feedback.torques[0]).toBeGreaterThan(0.05);
  expect(feedback.torques[0]).toBeLessThan(0.3);
  goes(0.06, 0.5, 0.4);
  expect(feedback.torques[0]).toBe(0);
});

test('who has gone with a push feels one to the other side at once, and that is as little driven on', () => {
  const { feedback, goes } = setUp();
  goes(1, 0.5, 0.4);
  expect(feedback.torques[0]).toBe(0);
  goes(0.01, 0, -0.4);
  expect(feedback.torques[0]).toBeCloseTo(-0.4);
  goes(1, -0.5, -0.4);
  expect(feedback.torques[0]).toBeCloseTo(0);
  // What it went back counts for the first side.
  goes(0.01, 0, 0.4);
  expect(feedback.torques[0]).toBeCloseTo(0.4);
});

test('a joint is pushed no harder than floating may, and a warm servo less and less', () => {
  const { arm, feedback, goes } = setUp();
  goes(0.1, 0, 3);
  expect(feedback.torques[0]).toBe(1);
  goes(0.1, 0, -3);
  expect(feedback.torques[0]).toBe(-1);
  for (const [celsius, part] of [
    [52, 1],
    [55, 0.5],
    [58, 0],
    [69, 0],
  ] as const) {
    arm.link.readings.temperatures[0] = celsius;
    goes(0.1, 0, 3);
    expect(feedback.torques[0], `${celsius} degC`).toBeCloseTo(part);
  }
  // One that does not say when it switches off is taken for a usual one, of 70 degrees.
  arm.link.readings.temperatureLimits[0] = 0;
  arm.link.readings.temperatures[0] = 55;
  goes(0.1, 0, 3);
  expect(feedback.torques[0]).toBeCloseTo(0.5);
});

test('what is felt is damped, a weak push less', () => {
  const { arm, feedback, goes } = setUp();
  goes(0.1, 0, 0.4);
  arm.velocities[0] = -1;
  feedback.step(DT);
  expect(feedback.torques[0]).toBeCloseTo(0.5);
  goes(0.1, 0, 0.05);
  arm.velocities[0] = -1;
  feedback.step(DT);
  expect(feedback.torques[0]).toBeCloseTo(0.1);
});

test('a joint gives the hand back no more energy than that has put in', () => {
  const { arm, feedback, goes } = setUp();
  // To and fro within what the leader may give way, stronger with the push than against it: a loop that is late.
  let least = 1;
  for (let k = 0; k < 40; k++) {
    goes(0.05, 0.6, 0.9);
    least = Math.min(least, feedback.torques[0]!);
    goes(0.05, -0.6, 0.1);
  }
  expect(least).toBeLessThan(0.3);
  // A hand that is pushed as hard on its way back as on its way there feels all of it.
  const fair = setUp();
  for (let k = 0; k < 40; k++) {
    fair.goes(0.05, -0.6, 0.9);
    fair.goes(0.05, 0.6, 0.9);
    expect(fair.feedback.torques[0]).toBeGreaterThan(0.7);
  }
  expect(fair.told).toEqual([]);
  // Where it is not known where the joint is, nothing is counted.
  arm.link.readings.positions[0] = Number.NaN;
  goes(0.1, 0, 0.4);
  arm.link.readings.positions[0] = 0;
  goes(6, 0, 0.4);
  expect(feedback.torques[0]).toBeCloseTo(0.4);
});

test('an encoder that goes to and fro by a step is a joint that stands still', () => {
  const { arm, feedback, told, goes } = setUp();
  goes(0.1, 0, 0.4);
  for (let k = 0; k < 2000; k++) {
    arm.link.readings.positions[0] = k % 2 === 0 ? 0.0015 : 0;
    feedback.step(DT);
    expect(feedback.torques[0]).toBeCloseTo(0.4);
  }
  expect(told).toEqual([]);
});

test('only followers of this leader are felt, and only they make stiff springs worth while', () => {
  const { feel, feedback, goes } = setUp();
  goes(0.1, 0, 0.4);
  expect(feedback.torques[0]).toBeCloseTo(0.4);
  expect(feedback.stiffens).toBe(false);
  feel.stiffens = true;
  expect(feedback.stiffens).toBe(true);
  feel.leader = 1;
  expect(feedback.stiffens).toBe(false);
  goes(0.1, 0, 0.4);
  expect(feedback.torques[0]).toBe(0);
});

test('an arm that is driven gives way with all of its joints, and the strongest push is named; its gripper holds', () => {
  for (const [strong, weak] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const { feedback, besides, guarded, goes } = setUp(strong, 1);
    besides[weak] = 0.1;
    besides[2] = 0.5;
    goes(1, 0.5, 0.4);
    expect(feedback.torques[strong]).toBe(0);
    expect(feedback.torques[weak]).toBe(0);
    expect(feedback.torques[2]).toBeCloseTo(0.5);
    expect(guarded).toEqual([strong]);
  }
});

test('how far a leader has gone with a push is forgotten over some seconds in which nothing pushes', () => {
  const { feedback, goes } = setUp();
  goes(1, 0.5, 0.4);
  expect(feedback.torques[0]).toBe(0);
  // Some 0.08 rad are left of the way after a moment, half of it after 1.4 s.
  goes(0.1, 0, 0);
  goes(DT, 0, 0.4);
  expect(feedback.torques[0]).toBeLessThan(0.1);
  goes(1.4, 0, 0);
  goes(DT, 0, 0.4);
  expect(feedback.torques[0]).toBeGreaterThan(0.3);
});
