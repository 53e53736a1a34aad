import { expect, test } from 'vitest';
import { Fitter } from '../../src/recording/replay.ts';
import { pose, so101 } from '../kinematics/so101.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';
import { jointStates } from './mcap.ts';

const GRIPPER = so101.gripper!.index;
const [CLOSED, OPEN] = [so101.gripper!.closed, so101.gripper!.open];
/** An object as thick as this keeps the jaws open so far, rad. */
const HELD = CLOSED + 0.4 * (OPEN - CLOSED);

/** An episode in which the gripper closes on something that keeps its jaws open. @returns its path */
async function recordGrasp(bridge: VirtualBridge): Promise<string> {
  await bridge.post('/move/init');
  await bridge.post('/joints/write', { angles: [OPEN], joints_ids: [GRIPPER] });
  await bridge.pass(2);
  expect((await bridge.post('/api/v1/episode/start', { name: 'grasp' })).body.status).toBe('ok');
  await bridge.pass(0.5);
  await bridge.lead('arm', { gripper: HELD }, 0.5);
  await bridge.post('/joints/write', { angles: [CLOSED], joints_ids: [GRIPPER] });
  await bridge.pass(2);
  await bridge.post('/api/v1/episode/stop', {});
  return (await bridge.get('/api/v1/recordings/grasp')).body.path;
}

test('a replay grips as the recorded arm was asked to, not as far as the object let it', async () => {
  const bridge = await VirtualBridge.startLight();
  const path = await recordGrasp(bridge);
  const least = (of: readonly { positions: Float64Array }[]) =>
    Math.min(...of.map(({ positions }) => positions[GRIPPER]!));
  const measured = least(await jointStates(path, '/arm/joint_states'));
  const asked = least(await jointStates(path, '/arm/joint_setpoints'));
  // Nothing but the object keeps the jaws from where they were asked to be.
  expect(measured - asked).toBeGreaterThan(0.5);
  // From here on the object is in the jaws already when a replay begins.
  const { body } = await bridge.get('/api/v1/recordings/grasp/replay');
  expect(Math.min(...body.positions[GRIPPER])).toBeCloseTo(asked, 1);
  const replayed: { positions: Float64Array }[] = [];
  const watch = bridge.host.clock.every(0.05, () => {
    replayed.push({ positions: bridge.arm().read().setpoints.slice() });
  });
  expect((await bridge.post('/recording/play', { name: 'grasp' })).body).toMatchObject({ status: 'ok' });
  watch.cancel();
  expect(least(replayed)).toBeLessThan(asked + 0.1);
});

test('the setpoint of a gripper beyond its limits is no reason to refuse a replay, and other joints stay measured', () => {
  const joints = so101.joints.map(({ name, lower, upper }) => ({ name, lower, upper, position: 0, velocity: 1 }));
  const names = joints.map(({ name }) => name);
  const fitter = new Fitter({ joints, speed: 1, gripper: GRIPPER }, names);
  const setpoints = Float64Array.from(pose('init'), (angle) => angle + 0.3);
  setpoints[GRIPPER] = CLOSED - 1;
  fitter.push(0, pose('init'), setpoints);
  const { positions } = fitter.take(true)!;
  expect([...positions]).toEqual([...pose('init').with(GRIPPER, joints[GRIPPER]!.lower)]);
});
