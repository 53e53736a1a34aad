import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Witness } from '../../ros/support/ros.ts';
import { calibrate } from '../../support/calibration.ts';
import { BridgeProcess, HAS_ROS, ROS_DOMAIN } from '../support/bridge.ts';
import { SerialRig } from './support/rig.ts';

const GRIPPER = 5;
/** The jaws close to here on what is between them, rad. */
const HELD = 0.5;

interface Gripped {
  readonly state: { readonly position: number[] };
  readonly stalled: boolean;
  readonly reached_goal: boolean;
}

test.skipIf(!HAS_ROS)('a gripper that closes on something succeeds, stalled, where it holds it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-gripper-'));
  const rig = await SerialRig.start();
  const config = join(folder, 'bridge.yaml');
  const arms = [{ name: 'arm', model: 'so101', bus: `serial:${rig.path}` }];
  writeFileSync(config, JSON.stringify({ control: { rate: 100 }, arms, state_folder: folder }));
  calibrate(folder, ['arm']);
  const bridge = await BridgeProcess.start('--config', config);
  const witness = await Witness.start({ ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });
  try {
    const close = async (position: number) => {
      const command = { command: { name: ['gripper'], position: [position] } };
      const type = 'control_msgs/action/ParallelGripperCommand';
      return (await witness.goal<Gripped>(type, '/arm/gripper_controller/gripper_cmd', command)).result();
    };
    const on = await witness.call('std_srvs/srv/SetBool', '/arm/arm_bridge/torque_enable', { data: true });
    expect(on).toMatchObject({ success: true });
    expect((await close(1.2)).result).toMatchObject({ reached_goal: true, stalled: false });
    rig.stops[GRIPPER] = HELD;
    const { status, result } = await close(0.1);
    expect([status, result.reached_goal, result.stalled]).toEqual(['succeeded', false, true]);
    expect(result.state.position[0]).toBeCloseTo(HELD, 1);
    expect(Math.abs(rig.positions[GRIPPER]! - HELD)).toBeLessThan(0.01);
    // It goes on pressing: the goal of its servo stays beyond what it holds.
    const servo = rig.servo(GRIPPER + 1);
    expect(servo.value('goal_position')).toBeLessThan(servo.value('present_position'));
    rig.stops[GRIPPER] = Number.NEGATIVE_INFINITY;
    expect((await close(0.1)).result).toMatchObject({ reached_goal: true, stalled: false });
  } finally {
    await witness.close();
    await bridge.endStopped();
    await rig.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
