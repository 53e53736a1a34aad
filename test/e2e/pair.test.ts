import { expect, test } from 'vitest';
import { BridgeProcess, HAS_ROS } from './support/bridge.ts';
import { Peer } from './support/peer.ts';

const PAIR = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
const ASKED = {
  shoulder_pan: 0.4,
  shoulder_lift: -0.5,
  elbow_flex: 0.6,
  wrist_flex: 0.5,
  wrist_roll: 0.3,
  gripper: 0.5,
};
/** How far a joint may stand from where it is asked to be, rad: the droop that no model takes out, and then some. */
const NEAR = 0.02;

/** A whole session, short enough for every Node that the bridge supports (scripts/run-tests.mjs). */
async function session(bridge: BridgeProcess): Promise<void> {
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
  expect((await bridge.post('/move/absolute?robot_id=1', { x: 2, y: 0, z: -2, rx: null })).body.status).toBe('ok');
  const pose = (await bridge.post('/end-effector/read?robot_id=1', { sync: true })).body;
  expect(Math.hypot(pose.x - 2, pose.y, pose.z + 2)).toBeLessThan(0.3);
  expect((await bridge.post('/move/leader/start', PAIR)).status).toBe(200);
  await bridge.post('/sim/hand', { robot_id: 0, joints: ASKED, duration: 1 });
  await expect.poll(async () => (await bridge.get('/status')).body.mirror.pairs[0]?.state).toBe('mirroring');
  const read = async (id: number) => (await bridge.post(`/joints/read?robot_id=${id}`, { unit: 'rad' })).body.angles;
  const apart = async (): Promise<number> => {
    const [leader, follower] = [await read(0), await read(1)];
    return Math.max(
      ...Object.values(ASKED).map((asked, j) => Math.abs(leader[j] - asked)),
      ...follower.map((value: number, j: number) => Math.abs(value - leader[j])),
    );
  };
  await expect.poll(apart).toBeLessThan(NEAR);
  expect((await bridge.post('/move/leader/stop')).status).toBe(200);
  await bridge.post('/sim/hand', { robot_id: 0, joints: null, duration: 0 });
}

test('without ROS 2 a pair moves, is mirrored, and is put down at the end', async () => {
  const bridge = await BridgeProcess.start('--no-ros');
  try {
    await session(bridge);
    await bridge.post('/move/sleep');
    expect(await bridge.end(), bridge.log).toMatchObject({ code: 0 });
  } finally {
    bridge.child.kill('SIGKILL');
  }
});

test.skipIf(!HAS_ROS)('with ROS 2 it does the same, and rclpy sees the follower where HTTP says it is', async () => {
  const bridge = await BridgeProcess.start();
  const peer = await Peer.start();
  try {
    const states = await peer.record('joints', '/follower/joint_states');
    await session(bridge);
    const { body } = await bridge.post('/joints/read?robot_id=1', { unit: 'rad' });
    // What rests is told the same by both ways, whenever each of them looks.
    await expect
      .poll(async () => {
        const last = (await states()).at(-1)?.position ?? [];
        return last.length === body.angles.length && last.every((value, j) => Math.abs(value - body.angles[j]) < NEAR);
      })
      .toBe(true);
    await bridge.post('/move/sleep');
    expect(await bridge.end(), bridge.log).toMatchObject({ code: 0 });
  } finally {
    await peer.close();
    bridge.child.kill('SIGKILL');
  }
});
