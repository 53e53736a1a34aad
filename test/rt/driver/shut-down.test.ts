import { expect, test } from 'vitest';
import { loadArmModel } from '../../../src/arm/model.ts';
import { Trajectory } from '../../../src/rt/sources/trajectory.ts';
import { holdingArm } from '../../mirror/support/fixture.ts';

const TORQUE_ENABLE = 64;
const GOAL_POSITION = 116;
const ELBOW = 2;
const LOWERING_SPEED = 1;
/** A joint that holds is never further from where it is asked to be, rad. */
const SAG = 0.1;

test('a Dynamixel servo that shuts itself down leaves the arm to the others for its way down, which sag no further than they may', async () => {
  const model = loadArmModel('koch');
  const arm = await holdingArm(model, [...model.poses.get('init')!]);
  const { link, runtime } = arm;
  const told: unknown[] = [];
  link.onAiling = (...what) => void told.push(what);
  const healthy = model.joints.map((_, j) => j).filter((j) => j !== ELBOW);
  let sag = 0;
  const watch = (): void => {
    const { positions } = arm.truth();
    for (const j of healthy) sag = Math.max(sag, Math.abs(positions[j]! - runtime.setpoints[j]!));
  };
  arm.sim.raiseOverload(3);
  arm.run(0.3, watch);
  expect(told).toEqual([
    [ELBOW, expect.stringMatching(/^servo 3 \(elbow_flex\) has shut itself down \(overload/), 'limp'],
  ]);
  expect([link.up, runtime.holding]).toEqual([true, true]);
  const sampled = link.readings.sampleTime;
  const goal = arm.register(3, GOAL_POSITION, 4);

  const { velocity, acceleration } = runtime.model.limits;
  const limits = {
    velocity: velocity.move.map((top) => Math.min(top, LOWERING_SPEED)),
    acceleration: acceleration.move,
  };
  const way = model.poses.get('rest')!.slice();
  way[ELBOW] = link.readings.positions[ELBOW]!;
  runtime.drive(new Trajectory(way, { ...limits, jerk: way.map(() => Number.POSITIVE_INFINITY) }));
  arm.run(3, watch);
  const down = arm.truth().positions;
  for (const j of healthy) expect(Math.abs(down[j]! - way[j]!), model.joints[j]!.name).toBeLessThan(SAG);
  expect(sag).toBeLessThan(SAG);
  // Nobody follows such an arm, and what is limp gets no goals.
  expect(link.readings.sampleTime).toBe(sampled);
  expect(link.readings.steerTime).toBeGreaterThan(sampled + 3);
  expect(arm.register(3, GOAL_POSITION, 4)).toBe(goal);

  link.giveUp();
  arm.cycle();
  expect(link.up).toBe(false);
  await arm.connect();
  expect([...link.held]).toEqual(model.joints.map((_, j) => (j === ELBOW ? 0 : 1)));
  expect(model.joints.map((_, j) => arm.register(j + 1, TORQUE_ENABLE))).toEqual([...link.held]);
  expect(told).toHaveLength(1);
});
