import { expect, test } from 'vitest';
import { loadArmModel, SOFT_GAIN } from '../../src/arm/model.ts';
import { StateCode } from '../../src/rt/snapshot/arm-fields.ts';
import { furthest } from '../support/poses.ts';
import { virtualArm as virtualArmOf } from './support/fixture.ts';
import {
  drifts,
  floating,
  floatingArm as floatingArmOf,
  HAND_SPEED,
  handForces,
  STRETCHED,
  sequence,
} from './support/floating.ts';
import { PERIOD, type VirtualArm } from './support/virtual-arm.ts';

const model = loadArmModel('so101');
const JOINTS = model.joints.length;
const P_COEFFICIENT = 21;
const LOCK = 55;
const SERVO_STEP = (2 * Math.PI) / 4096;

const virtualArm = (pose: readonly number[]): Promise<VirtualArm> => virtualArmOf(model, pose);
const floatingArm = (pose: readonly number[]): Promise<VirtualArm> => floatingArmOf(virtualArm, pose);

function gains(arm: VirtualArm): number[] {
  return model.joints.map(({ servos }) => arm.register(servos[0]!.id, P_COEFFICIENT));
}

test('a leader let go at 20 random poses drifts less than 0.05 rad in 10 s', async () => {
  const drifted = await drifts(virtualArm, model, 20, 10);
  expect(drifted).toHaveLength(20);
  for (const [n, drift] of drifted.entries()) expect(drift, `pose ${n}`).toBeLessThan(0.05);
}, 60_000);

test('moving a joint at 0.5 rad/s takes at most 0.1 Nm more than on the same arm limp and without weight', async () => {
  const forces = await handForces(virtualArm, model);
  expect(forces).toHaveLength(2 * JOINTS);
  for (const { joint, extra, speeds } of forces) {
    expect(extra, joint).toBeLessThan(0.1);
    for (const speed of speeds) expect(speed, joint).toBeCloseTo(HAND_SPEED, 1);
  }
}, 60_000);

test('servos get soft gains that do not outlast their supply, and their own ones back; nothing jumps or sags', async () => {
  const arm = await floatingArm(STRETCHED);
  const before = arm.truth().positions;
  arm.run(0.5);
  expect(gains(arm)).toEqual(new Array(JOINTS).fill(SOFT_GAIN * 32));
  expect(arm.register(2, LOCK)).toBe(1);
  arm.largestStep = 0;
  arm.runtime.cancel(arm.runtime.motion, 'cancelled');
  arm.run(1);
  expect(gains(arm)).toEqual(new Array(JOINTS).fill(32));
  expect(arm.link.gains.restored).toBe(true);
  expect(furthest(arm.truth().positions, before)).toBeLessThan(0.01);
  expect(arm.largestStep).toBeLessThanOrEqual(3 * PERIOD + SERVO_STEP);

  arm.runtime.drive(floating(JOINTS));
  arm.run(0.5);
  arm.sim.powerCycle();
  expect(gains(arm)).toEqual(new Array(JOINTS).fill(32));
});

test('servos work with a part of their gains that is set while they hold, also after floating, and get their own ones back; nothing jumps or sags', async () => {
  const arm = await virtualArm(STRETCHED);
  await arm.hold();
  arm.run(0.5);
  const before = arm.truth().positions;
  arm.largestStep = 0;
  let worst = 0;
  const watch = (): void => {
    worst = Math.max(worst, furthest(arm.truth().positions, before));
  };
  const half = [0.5, 0.5, 0.75, 1, 1, 1];
  const given = [16, 16, 24, 32, 32, 32];
  arm.link.gains.work(half);
  arm.run(1, watch);
  expect(gains(arm)).toEqual(given);
  expect([...arm.link.gain]).toEqual(half);
  expect(arm.link.gains.restored).toBe(false);
  arm.runtime.drive(floating(JOINTS));
  arm.run(0.5, watch);
  expect(gains(arm)).toEqual(new Array(JOINTS).fill(SOFT_GAIN * 32));
  arm.runtime.cancel(arm.runtime.motion, 'cancelled');
  arm.run(1, watch);
  expect(gains(arm)).toEqual(given);
  arm.link.gains.work(half.map(() => 1));
  arm.run(1, watch);
  expect(gains(arm)).toEqual(new Array(JOINTS).fill(32));
  expect(arm.link.gains.restored).toBe(true);
  expect(worst).toBeLessThan(0.02);
  expect(arm.largestStep).toBeLessThanOrEqual(3 * PERIOD + SERVO_STEP);
});

test('a bridge that is killed while an arm floats leaves it holding, and the next one takes over without a twitch or a sag', async () => {
  const arm = await floatingArm(STRETCHED);
  const plan = arm.link.gains.plan(new Float64Array(JOINTS).fill(SOFT_GAIN), arm.runtime.model.floatTorque);
  arm.run(0.5);
  const before = arm.truth().positions;
  // Nobody writes any more.
  for (let i = 0; i < 200; i++) arm.idle();
  expect(furthest(arm.truth().positions, before)).toBeLessThan(0.01);
  arm.restart(plan);
  await arm.connect();
  let worst = 0;
  arm.run(1, () => {
    worst = Math.max(worst, furthest(arm.truth().positions, before));
  });
  expect(worst).toBeLessThan(0.02);
  expect(gains(arm)).toEqual(new Array(JOINTS).fill(32));
  expect(arm.runtime.state).toBe(StateCode.ready);
});

test('with every tenth packet lost gains still come and go, and nothing jumps', async () => {
  const arm = await floatingArm(STRETCHED);
  const before = arm.truth().positions;
  const next = sequence(3);
  arm.port.lose = () => next() < 0.1;
  let worst = 0;
  const watch = (): void => {
    worst = Math.max(worst, furthest(arm.truth().positions, before));
  };
  arm.run(1, watch);
  expect(arm.link.gain.every((gain) => gain === SOFT_GAIN)).toBe(true);
  arm.runtime.cancel(arm.runtime.motion, 'cancelled');
  arm.run(1, watch);
  arm.port.lose = () => false;
  expect(gains(arm)).toEqual(new Array(JOINTS).fill(32));
  expect(worst).toBeLessThan(0.02);
});

test('servos that fall silent while the arm floats end it: the arm holds when they are back, with their own gains, and does not sag', async () => {
  const arm = await floatingArm(STRETCHED);
  const before = arm.truth().positions;
  const motion = arm.runtime.motion;
  arm.port.lose = () => true;
  arm.run(0.4);
  expect(arm.runtime.state).toBe(StateCode.ready);
  arm.port.lose = () => false;
  arm.run(1);
  expect(arm.runtime.source).toBeNull();
  expect(arm.runtime.motion).toBe(motion);
  expect(gains(arm)).toEqual(new Array(JOINTS).fill(32));
  expect(furthest(arm.truth().positions, before)).toBeLessThan(0.02);
});
