import { expect, test } from 'vitest';
import { loadArmModel } from '../../../src/arm/model.ts';
import { yieldLimits } from '../../../src/rt/joint/stall-guard.ts';
import { StateCode } from '../../../src/rt/snapshot/arm-fields.ts';
import { Trajectory } from '../../../src/rt/sources/trajectory.ts';
import { virtualArm } from '../../mirror/support/fixture.ts';
import { furthest, STRETCHED } from '../../mirror/support/floating.ts';
import { PERIOD, type VirtualArm } from '../../mirror/support/virtual-arm.ts';

const model = loadArmModel('so101');
const JOINTS = model.joints.length;
const LIFT = 1;
/** A goal so far beyond what a joint touches takes all its torque, rad. */
const PRESSED = 0.25;

async function holding(pose: readonly number[], payload = 0): Promise<VirtualArm> {
  const arm = await virtualArm(model, pose, { payload, stiffness: 1 });
  arm.hold();
  return arm;
}

function drive(arm: VirtualArm, change: Readonly<Record<number, number>>): void {
  const goal = arm.runtime.setpoints.map((angle, i) => angle + (change[i] ?? 0));
  const full = (value: number): Float64Array => new Float64Array(JOINTS).fill(value);
  const limits = { velocity: full(1), acceleration: full(6), jerk: full(Number.POSITIVE_INFINITY) };
  arm.runtime.drive(new Trajectory(goal, limits));
}

/** Drives an arm down on the table until its shoulder presses. */
function press(arm: VirtualArm): void {
  drive(arm, { [LIFT]: 1.2 });
  const { gate } = arm.runtime;
  for (let k = 0; gate.goals[LIFT]! - arm.truth().positions[LIFT]! < PRESSED; k++) {
    expect(k).toBeLessThan(2 / PERIOD);
    arm.cycle();
  }
  expect(arm.sim.physics.contacts()).not.toEqual([]);
}

for (const [what, end] of [
  ['a cancel', (arm: VirtualArm) => arm.runtime.cancel(arm.runtime.motion, 'cancelled')],
  ['a stop', (arm: VirtualArm) => arm.shared.latchStop(0, true)],
] as const) {
  test(`a joint that presses on the table after ${what} gives way, and neither it nor the others jump`, async () => {
    const arm = await holding(STRETCHED);
    const given: number[] = [];
    arm.runtime.onContactRelief = (joint) => given.push(joint);
    press(arm);
    end(arm);
    arm.run(0.3);
    const { torqueLimit, move } = model.joints[LIFT]!;
    const { torque, hold } = yieldLimits(torqueLimit);
    const pressed = arm.truth();
    expect(pressed.motorTorques[LIFT]!).toBeGreaterThan(torque);
    arm.largestStep = 0;
    arm.run(0.9);
    const after = arm.truth();
    expect(given).toContain(LIFT);
    for (const torque of after.motorTorques) expect(Math.abs(torque)).toBeLessThan(hold);
    expect(furthest(after.positions, pressed.positions)).toBeLessThan(0.1);
    expect(arm.largestStep).toBeLessThanOrEqual(move.velocity * PERIOD);
    // There it stays, and can be driven away.
    arm.run(0.5);
    const held = arm.runtime.gate.goals.slice();
    arm.run(1.5);
    expect(arm.runtime.gate.goals).toEqual(held);
    arm.shared.latchStop(0, false);
    arm.run(0.1);
    drive(arm, { [LIFT]: -0.5 });
    arm.run(1.5);
    expect(arm.runtime.state).toBe(StateCode.ready);
    expect(arm.truth().positions[LIFT]! - after.positions[LIFT]!).toBeCloseTo(-0.5, 0);
  });
}

test('a joint that carries the arm, with as much as its gripper may hold, does not creep down', async () => {
  const stretched = [0, 0.9, -0.9, 0, 0, 0];
  for (const payload of [0, 0.25]) {
    const arm = await holding(stretched, payload);
    arm.run(1);
    const before = arm.truth().positions;
    const goals = arm.runtime.gate.goals.slice();
    arm.run(8);
    expect(arm.runtime.gate.goals).toEqual(goals);
    expect(furthest(arm.truth().positions, before)).toBeLessThan(0.005);
  }
});

test('a weight that the model does not know of, and that is too much, sinks a little once and no further', async () => {
  const arm = await holding([0, 0.9, -0.9, 0, 0, 0], 0.9);
  const given: number[] = [];
  arm.runtime.onContactRelief = (joint) => given.push(joint);
  const before = arm.truth().positions;
  arm.run(6);
  expect(given).toEqual([LIFT]);
  const { torqueLimit, stiffness, friction } = model.joints[LIFT]!;
  // What the servo has carried at most, and friction besides.
  const most = (torqueLimit + 2 * friction - yieldLimits(torqueLimit).hold) / stiffness;
  expect(furthest(arm.truth().positions, before)).toBeLessThan(most);
});
