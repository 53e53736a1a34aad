import { beforeEach, expect, test } from 'vitest';
import { loadArmModel } from '../../../src/arm/model.ts';
import { StateCode } from '../../../src/rt/snapshot/arm-fields.ts';
import { holdingArm } from '../../mirror/support/fixture.ts';
import { floating } from '../../mirror/support/floating.ts';
import { PERIOD, type VirtualArm } from '../../mirror/support/virtual-arm.ts';
import { furthest } from '../../support/poses.ts';

/** Six XL330-M077, which keep to a largest current in mode 5. */
const model = loadArmModel('koch', 'leader');
const JOINTS = model.joints.length;
/** A pose with little enough weight for its small servos, rad. */
const RAISED = [0.3, 0.2, -1.2, 0.3, -1.5, -0.5];
/** Registers of the e-manual's table. */
const OPERATING_MODE = 11;
const TORQUE_ENABLE = 64;
const POSITION_I_GAIN = 82;
const POSITION_P_GAIN = 84;
const GOAL_CURRENT = 102;
/** mA: what the servos may have at most, and what gives half of their torque limit (0.215 Nm at 1.47 A; the gripper 0.107). */
const FULL = [1750, 1750, 1750, 1750, 1750, 735];
const HALF = [735, 735, 735, 735, 735, 366];
const TORQUE_PER_AMPERE = 0.215 / 1.47;
const SERVO_STEP = (2 * Math.PI) / 4096;
/** Nm: a register holds whole milliamperes. */
const ROUNDING = 2e-4;

let arm: VirtualArm;
beforeEach(async () => {
  arm = await holdingArm(model, RAISED);
});

function grip(pose: readonly number[], duration: number): void {
  arm.sim.hand(Object.fromEntries(model.joints.map(({ name }, j) => [name, pose[j]!])), duration);
}

function contents(register: number, size: number): number[] {
  return model.joints.map(({ servos }) => arm.register(servos[0]!.id, register, size));
}

/** Largest torque of each motor while a hand pulls the arm away quicker than its goals follow, Nm. */
function pull(cycle: () => void): number[] {
  const most = new Array<number>(JOINTS).fill(0);
  grip(
    RAISED.map((angle, j) => angle + (j === 3 ? -0.5 : 0.5)),
    0.05,
  );
  for (let i = 0; i < 40; i++) {
    cycle();
    for (const [j, torque] of arm.truth().motorTorques.entries()) most[j] = Math.max(most[j]!, Math.abs(torque));
  }
  arm.sim.hand(null, 0);
  return most;
}

test('servos in current-based position mode keep to half of their torque while the arm floats, and have all of it to hold', () => {
  expect(contents(OPERATING_MODE, 1)).toEqual(FULL.map(() => 5));
  expect(contents(POSITION_I_GAIN, 2)).toEqual(FULL.map(() => 0));
  expect(contents(GOAL_CURRENT, 2)).toEqual(FULL);
  const before = arm.truth().positions;
  arm.largestStep = 0;
  let sag = 0;
  const watch = (): void => {
    sag = Math.max(sag, furthest(arm.truth().positions, before));
    expect(contents(TORQUE_ENABLE, 1)).toEqual(FULL.map(() => 1));
  };
  arm.runtime.drive(floating(JOINTS));
  arm.run(0.5, watch);
  expect(contents(GOAL_CURRENT, 2)).toEqual(HALF);
  arm.runtime.cancel(arm.runtime.motion, 'cancelled');
  arm.run(0.5, watch);
  expect(contents(GOAL_CURRENT, 2)).toEqual(FULL);
  expect(contents(POSITION_P_GAIN, 2)).toEqual(FULL.map(() => 400));
  expect(arm.link.gains.restored).toBe(true);
  expect(sag).toBeLessThan(0.02);
  expect(arm.largestStep).toBeLessThanOrEqual(3 * PERIOD + SERVO_STEP);
});

test('a hand that is quicker than the goals feels no more than the cap, with the bridge and without it', () => {
  arm.runtime.drive(floating(JOINTS));
  arm.run(0.5);
  for (const cycle of [() => arm.cycle(), () => arm.idle()]) {
    for (const [j, torque] of pull(cycle).entries()) {
      expect(torque, model.joints[j]!.name).toBeLessThanOrEqual((HALF[j]! / 1000) * TORQUE_PER_AMPERE + ROUNDING);
    }
  }
});

test('a bridge that is killed while an arm floats leaves it holding; the next one gives gains back without a twitch, and the full current once the arm is driven', async () => {
  const plan = arm.link.gains.plan(new Float64Array(JOINTS).fill(0.375), arm.runtime.model.floatTorque);
  expect(plan.currents).toEqual({ own: FULL, soft: HALF });
  arm.runtime.drive(floating(JOINTS));
  arm.run(0.5);
  const before = arm.truth().positions;
  // As long as a bridge takes to start: a watchdog that ran out would take the weight off what carries it.
  for (let i = 0; i < 400; i++) arm.idle();
  arm.restart(plan);
  await arm.connect();
  let worst = 0;
  arm.run(1, () => {
    worst = Math.max(worst, furthest(arm.truth().positions, before));
  });
  expect(worst).toBeLessThan(0.02);
  expect(contents(POSITION_P_GAIN, 2)).toEqual(FULL.map(() => 400));
  expect(arm.runtime.state).toBe(StateCode.ready);
  for (const [j, torque] of pull(() => arm.cycle()).entries()) {
    expect(torque, model.joints[j]!.name).toBeLessThanOrEqual((HALF[j]! / 1000) * TORQUE_PER_AMPERE + ROUNDING);
  }
  expect(contents(GOAL_CURRENT, 2)).toEqual(HALF);
  arm.runtime.drive(floating(JOINTS));
  arm.run(0.1);
  arm.runtime.cancel(arm.runtime.motion, 'cancelled');
  arm.run(0.5);
  expect(contents(GOAL_CURRENT, 2)).toEqual(FULL);
});
