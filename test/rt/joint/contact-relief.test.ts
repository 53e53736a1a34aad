import { expect, test } from 'vitest';
import { loadArmModel } from '../../../src/arm/model.ts';
import { yieldLimits } from '../../../src/rt/joint/stall-guard.ts';
import { StateCode } from '../../../src/rt/snapshot/arm-fields.ts';
import { StopWord } from '../../../src/rt/snapshot/shared-snapshot.ts';
import type { SetpointSource } from '../../../src/rt/sources/setpoint-source.ts';
import { Trajectory } from '../../../src/rt/sources/trajectory.ts';
import { holdingArm, virtualArm } from '../../mirror/support/fixture.ts';
import { STRETCHED } from '../../mirror/support/floating.ts';
import { PERIOD, type VirtualArm } from '../../mirror/support/virtual-arm.ts';
import { furthest } from '../../support/poses.ts';

const model = loadArmModel('so101');
const JOINTS = model.joints.length;
const PAN = 0;
const LIFT = 1;
/** A goal so far beyond what a joint touches takes all its torque, rad. */
const PRESSED = 0.25;

async function holding(pose: readonly number[], payload = 0): Promise<VirtualArm> {
  const arm = await virtualArm(model, pose, { payload, stiffness: 1 });
  await arm.hold();
  return arm;
}

function way(arm: VirtualArm, change: Readonly<Record<number, number>>): Trajectory {
  const goal = arm.runtime.setpoints.map((angle, i) => angle + (change[i] ?? 0));
  const full = (value: number): Float64Array => new Float64Array(JOINTS).fill(value);
  const limits = { velocity: full(1), acceleration: full(6), jerk: full(Number.POSITIVE_INFINITY) };
  return new Trajectory(goal, limits);
}

/** As a stream drives, which may press on something: a move that is held back ends at once. */
function streamed(source: SetpointSource): SetpointSource {
  return {
    state: 'moving',
    limits: 'mirror',
    begin: (...from) => source.begin(...from),
    next: (...at) => source.next(...at),
  };
}

/** Drives an arm down on the table until its shoulder presses. */
function press(arm: VirtualArm): void {
  arm.runtime.drive(streamed(way(arm, { [LIFT]: 1.2 })));
  const { gate } = arm.runtime;
  for (let k = 0; gate.goals[LIFT]! - arm.truth().positions[LIFT]! < PRESSED; k++) {
    expect(k).toBeLessThan(2 / PERIOD);
    arm.cycle();
  }
  expect(arm.sim.physics.contacts()).not.toEqual([]);
}

for (const [what, end] of [
  ['a cancel', (arm: VirtualArm) => arm.runtime.cancel(arm.runtime.motion, 'cancelled')],
  ['a stop', (arm: VirtualArm) => arm.shared.latchStop(0, StopWord.asked)],
] as const) {
  test(`a joint that presses on the table is drawn back by ${what}, and neither it nor the others jump`, async () => {
    const arm = await holding(STRETCHED);
    press(arm);
    const before = arm.truth();
    const { torqueLimit, mirror } = model.joints[LIFT]!;
    const { torque } = yieldLimits(torqueLimit);
    expect(before.motorTorques[LIFT]!).toBeGreaterThan(torque);
    arm.largestStep = 0;
    end(arm);
    arm.run(1.2);
    const after = arm.truth();
    for (const left of after.motorTorques) expect(Math.abs(left)).toBeLessThan(torque);
    expect(furthest(after.positions, before.positions)).toBeLessThan(0.1);
    expect(arm.largestStep).toBeLessThanOrEqual(mirror.velocity * PERIOD + 1e-9);
    // There it stays, and can be driven away.
    arm.run(0.5);
    const held = arm.runtime.gate.goals.slice();
    arm.run(1.5);
    expect(arm.runtime.gate.goals).toEqual(held);
    arm.shared.releaseStop(0, arm.shared.stopMark(0));
    arm.run(0.1);
    arm.runtime.drive(way(arm, { [LIFT]: -0.5 }));
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

test('a joint that is pulled down harder than it may be pressed sinks a little once and no further', async () => {
  const pose = [0, 0.3, -0.9, 0, 0, 0];
  const arm = await holdingArm(model, pose);
  const given: number[] = [];
  arm.runtime.motions.onContactRelief = (joint) => given.push(joint);
  arm.sim.hand({ [model.joints[LIFT]!.name]: pose[LIFT]! + 0.2 }, 0);
  arm.run(0.4);
  const before = arm.truth().positions;
  arm.run(6);
  expect(given).toEqual([LIFT]);
  const { torqueLimit, stiffness, friction } = model.joints[LIFT]!;
  // What the servo has carried at most, and friction besides.
  const most = (torqueLimit + 2 * friction - yieldLimits(torqueLimit).hold) / stiffness;
  expect(furthest(arm.truth().positions, before)).toBeLessThan(most);
});

test('a joint that is let go of while it gives way goes on no further than what it had given up by then', async () => {
  const pose = [0, 0.3, -0.9, 0, 0, 0];
  const arm = await holdingArm(model, pose);
  const given: number[] = [];
  arm.runtime.motions.onContactRelief = (joint) => given.push(joint);
  arm.sim.hand({ [model.joints[PAN]!.name]: pose[PAN]! + 0.4 }, 0.3);
  for (let k = 0; given.length === 0; k++) {
    expect(k).toBeLessThan(5 / PERIOD);
    arm.cycle();
  }
  const goal = arm.runtime.gate.goals[PAN]!;
  arm.sim.hand(null, 0);
  arm.run(1);
  // Until it is back at its goal it presses, and goes on giving way: a tenth of a second.
  expect(Math.abs(arm.runtime.gate.goals[PAN]! - goal)).toBeLessThan(0.03);
  expect(Math.abs(arm.truth().positions[PAN]! - goal)).toBeLessThan(0.03);
  // There it stays.
  const held = arm.runtime.gate.goals.slice();
  arm.run(1);
  expect(arm.runtime.gate.goals).toEqual(held);
  expect(given).toEqual([PAN]);
});
