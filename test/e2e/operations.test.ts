import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BridgeProcess, HAS_ROS, sleep } from './support/bridge.ts';
import { type JointRow, Peer } from './support/peer.ts';

const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];

/** Tool position of the init pose in the base frame, m: forward kinematics of MuJoCo for robots/so101 at `init`. */
const ZERO = [0.312281, -0.000447, 0.218039];

describe.skipIf(!HAS_ROS)('what rclpy sees of the operations by HTTP', () => {
  let bridge: BridgeProcess;
  let peer: Peer;
  beforeAll(async () => {
    bridge = await BridgeProcess.start();
    peer = await Peer.start();
  });
  afterAll(async () => {
    await bridge?.endStopped();
    await peer?.close();
  });

  /** What is recorded from now on, more than `count` rows of it. */
  async function take<Row>(recorded: () => Promise<Row[]>, count: number): Promise<Row[]> {
    const rows: Row[] = [];
    await expect.poll(async () => rows.push(...(await recorded()))).toBeGreaterThan(count);
    return rows;
  }

  test('/move/init switches torque on, and with it joint_goals', async () => {
    const goals = await peer.record('joints', '/follower/joint_goals');
    const states = await peer.record('joints', '/follower/joint_states');
    await take(states, 20);
    expect(await goals()).toEqual([]);
    await bridge.raise('?robot_id=1');
    await take(goals, 20);
  });

  test('stamps are times of bus reads: each later than the last, near to the present, at most the asked rate', async () => {
    const states = await peer.record('joints', '/follower/joint_states');
    const poses = await peer.record('pose', '/follower/end_effector/pose');
    const rows = await take(states, 100);
    const tools = await poses();
    for (const [i, row] of rows.entries()) {
      expect(row.names).toEqual(JOINTS);
      expect(row.position.every(Number.isFinite)).toBe(true);
      expect(row.published - row.stamp).toBeGreaterThan(0);
      // A cycle may be late; the next one is in time again, so that less than a period lies between them.
      if (i > 0) expect(row.stamp - rows[i - 1]!.stamp).toBeGreaterThan(0);
    }
    // The stamp is of the read, not of the publishing, but no older than a few cycles either.
    const ages = rows.map((row) => row.published - row.stamp).sort((a, b) => a - b);
    expect(ages[Math.floor(ages.length / 2)]).toBeLessThan(0.2);
    const rate = (rows.length - 1) / (rows.at(-1)!.stamp - rows[0]!.stamp);
    expect(rate).toBeLessThan(105);
    const stamps = new Set(rows.map((row) => row.stamp));
    const shared = tools.filter((tool) => stamps.has(tool.stamp));
    expect(shared.length).toBeGreaterThan(0.9 * Math.min(rows.length, tools.length));
    expect(tools[0]!.frame).toBe('follower/base_link');
  });

  test('/end-effector/read with sync agrees with the pose topic', async () => {
    const poses = await peer.record('pose', '/leader/end_effector/pose');
    type Point = readonly [number, number, number];
    /** What is read, and the poses that are published meanwhile. */
    const both = async (): Promise<{ read: Point; published: Point[] }> => {
      await poses();
      const { x, y, z } = (await bridge.post('/end-effector/read', { sync: true })).body;
      return { read: [x / 100, y / 100, z / 100], published: (await take(poses, 10)).map((row) => row.position) };
    };
    await bridge.raise('?robot_id=0');
    const zero = (await bridge.post('/end-effector/read', { sync: true })).body;
    expect(Math.hypot(zero.x, zero.y, zero.z)).toBeLessThan(0.5);
    for (const target of [
      { x: 3, y: 4, z: -3 },
      { x: -4, y: -5, z: 4 },
    ]) {
      await expect.poll(async () => (await bridge.post('/move/absolute', target)).body.status).toBe('ok');
      const { read, published } = await both();
      const distances = published.map((point) => Math.hypot(...read.map((value, i) => value + ZERO[i]! - point[i]!)));
      // A servo step at the shoulder is 0.5 mm at the tool: one of the poses is of the same read, or of the one beside.
      expect(Math.min(...distances)).toBeLessThan(0.0006);
    }
  });

  test('an arm that is added while the bridge runs is on the graph; while it is disconnected its topics are silent', async () => {
    const body = { robot_name: 'so-101', connection_details: { bus: 'sim:so101' } };
    expect((await bridge.post('/robot/add-connection', body)).body).toMatchObject({ status: 'ok', robot_id: 2 });
    const states = await peer.record('joints', '/so101_2/joint_states');
    const rows: JointRow[] = [];
    const read = async () => rows.push(...(await states()));
    await expect.poll(read, { timeout: 20_000 }).toBeGreaterThan(5);
    expect(rows[0]!.names).toEqual(JOINTS);
    expect((await bridge.post('/robot/disconnect?robot_id=2')).body.status).toBe('ok');
    const over = Date.now() / 1000;
    await sleep(0.5);
    await read();
    for (const { stamp } of rows) expect(stamp).toBeLessThanOrEqual(over);
  });
});
