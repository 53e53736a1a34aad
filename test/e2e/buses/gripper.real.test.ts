import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Witness } from '../../ros/support/ros.ts';
import { calibrate } from '../../support/calibration.ts';
import { BridgeProcess, HAS_ROS, ROS_DOMAIN, runAgain, sleep } from '../support/bridge.ts';
import { SerialRig } from './support/rig.ts';

const GRIPPER = 5;
/** The jaws close to here on what is between them, rad. */
const HELD = 0.5;
/** Torque limit of the gripper's STS3215 as its arm's data say, and for 0.25 of its 2.94 Nm, in 0.1 %. */
const OWN = 500;
const LIMITED = 85;

interface Gripped {
  readonly state: { readonly position: number[] };
  readonly stalled: boolean;
  readonly reached_goal: boolean;
}

describe.skipIf(!HAS_ROS)('a gripper as rclpy and its servo see it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-gripper-'));
  const config = join(folder, 'bridge.yaml');
  let rig: SerialRig;
  let bridge: BridgeProcess;
  let witness: Witness;
  beforeAll(async () => {
    rig = await SerialRig.start();
    const arms = [{ name: 'arm', model: 'so101', bus: `serial:${rig.path}` }];
    writeFileSync(config, JSON.stringify({ control: { rate: 100 }, arms, state_folder: folder }));
    calibrate(folder, ['arm']);
    bridge = await BridgeProcess.start('--config', config);
    witness = await Witness.start({ ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });
    await runAgain(torqueOn);
  });
  afterAll(async () => {
    await witness?.close();
    await bridge?.endStopped();
    await rig?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function torqueOn(): Promise<void> {
    const type = 'std_srvs/srv/SetBool';
    const { success, message } = await witness.call<{ success: boolean; message: string }>(
      type,
      '/arm/arm_bridge/torque_enable',
      { data: true },
    );
    if (!success) throw new Error(message);
  }
  const send = (position: number, more: { velocity?: number[]; effort?: number[] } = {}) => {
    const command = { command: { name: ['gripper'], position: [position], ...more } };
    const type = 'control_msgs/action/ParallelGripperCommand';
    return witness.goal<Gripped>(type, '/arm/gripper_controller/gripper_cmd', command);
  };
  /** Again where the machine is so busy that servos and bridge do not hear each other for a moment. */
  const close = async (position: number, effort: number[] = []) => {
    for (;;) {
      const goal = await send(position, { effort }).catch((error: unknown) => {
        if (!/rejected/.test(String(error))) throw error;
      });
      const ended = await goal?.result();
      if (ended?.status === 'succeeded') {
        const { reached_goal: reached, stalled, state } = ended.result;
        return { reached, stalled, at: state.position[0]! };
      }
      await sleep(0.5);
    }
  };
  const arrived = { reached: true, stalled: false };
  const holds = { reached: false, stalled: true };
  const torqueLimit = () => rig.servo(GRIPPER + 1).value('torque_limit');

  test('that closes on something succeeds, stalled, where it holds it', async () => {
    expect(await close(1.2)).toMatchObject(arrived);
    rig.stops[GRIPPER] = HELD;
    const { at, ...ended } = await close(0.1);
    expect(ended).toEqual(holds);
    expect(at).toBeCloseTo(HELD, 1);
    expect(Math.abs(rig.positions[GRIPPER]! - HELD)).toBeLessThan(0.01);
    // It goes on pressing, but less: the goal of its servo is drawn back, and stays beyond what it holds.
    const servo = rig.servo(GRIPPER + 1);
    const beyond = (): number => servo.value('present_position') - servo.value('goal_position');
    await expect.poll(beyond, { timeout: 10_000 }).toBeLessThan(30);
    expect(beyond()).toBeGreaterThan(0);
    rig.stops[GRIPPER] = Number.NEGATIVE_INFINITY;
    expect(await close(0.1)).toMatchObject(arrived);
  });

  test('keeps to the effort of its goal while it holds, until it is asked to go elsewhere', async () => {
    expect(await close(1.2)).toMatchObject(arrived);
    expect(torqueLimit()).toBe(OWN);
    rig.stops[GRIPPER] = HELD;
    expect(await close(0.1, [0.25])).toMatchObject(holds);
    expect(torqueLimit()).toBe(LIMITED);
    rig.stops[GRIPPER] = Number.NEGATIVE_INFINITY;
    expect(await close(1.2)).toMatchObject(arrived);
    expect(torqueLimit()).toBe(OWN);
  });

  test('whose adapter sticks in the middle of a goal: its client is told at once, and why, by the bridge', async () => {
    expect(await close(1.2)).toMatchObject(arrived);
    const goal = await send(0.1, { velocity: [0.01] });
    for (const id of rig.servos.keys()) rig.bus.faults.dead.add(id + 1);
    // At this speed it would be on its way for two minutes.
    expect(await goal.result()).toMatchObject({ status: 'aborted', result: { reached_goal: false, stalled: false } });
    await expect
      .poll(() => bridge.log)
      .toMatch(/gripper_cmd, ROS 2\): failed: .*(servos have not answered|disconnected)/);
    // Confirmed or not: its servos are silent.
    await witness.trigger('/arm/arm_bridge/stop');
    rig.bus.faults.dead.clear();
    await expect.poll(async () => (await bridge.arm(0)).state).toBe('stopped');
  });
});
