import { expect, test } from 'vitest';
import { loadArmModel } from '../../../src/arm/model.ts';
import { virtualArm } from '../../mirror/support/fixture.ts';

const SYNC_WRITE = 0x83;
const ELBOW = 2;
/** A hand moves the limp joint over this way, rad, in this time, s. */
const WAY = 0.5;
const TIME = 0.6;
/** A hand that follows: a joint is not moved further than this when its torque goes on, rad. */
const NEAR = 0.05;

test('torque whose goals get lost does not go on, which is told; asked for anew it holds the arm where it is by then', async () => {
  const model = loadArmModel('so101');
  const rest = [...model.poses.get('rest')!];
  const arm = await virtualArm(model, rest);
  // Goals too: such a servo takes torque with its first one.
  arm.port.lose = (bytes) => bytes[4] === SYNC_WRITE;
  let problem: string | null = null;
  arm.runtime.setTorque(true, (text) => {
    problem = text;
  });
  await arm.cycles(() => arm.link.settling);
  const { name } = model.joints[ELBOW]!;
  arm.run(0.5, () => expect(arm.runtime.holding).toBe(false));
  expect(problem).toMatch(/servo \d \(\w+\) takes no goals: it keeps \d+ where \d+ was sent/);
  arm.sim.hand({ [name]: rest[ELBOW]! - WAY }, TIME);
  arm.run(TIME + 0.3, () => expect(arm.runtime.holding).toBe(false));
  const before = arm.truth().positions[ELBOW]!;
  expect(rest[ELBOW]! - before).toBeGreaterThan(WAY / 2);
  arm.sim.hand(null, 0);

  arm.port.lose = () => false;
  arm.runtime.setTorque(true);
  await arm.cycles(() => arm.link.settling);
  let fastest = 0;
  arm.run(0.4, () => {
    fastest = Math.max(fastest, Math.abs(arm.truth().velocities[ELBOW]!));
  });
  expect(arm.runtime.holding).toBe(true);
  expect(Math.abs(arm.truth().positions[ELBOW]! - before)).toBeLessThan(NEAR);
  expect(fastest).toBeLessThan(1);
});
