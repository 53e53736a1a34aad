import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BridgeProcess, HAS_ROS, sleep } from './support/bridge.ts';
import { type JointRow, Peer } from './support/peer.ts';

const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];

/** Tool position of the init pose in the base frame, m: forward kinematics of MuJoCo for robots/so101 at `init`. */
const ZERO = [0.312281, -0.000447, 0.218039];

let bridge: BridgeProcess;
let peer: Peer;
beforeAll(async () => {
  bridge = await BridgeProcess.start();
  if (HAS_ROS) peer = await Peer.start();
});
afterAll(async () => {
  await bridge.endStopped();
  await peer?.close();
});

function beforeInit(route: string, id: number): string {
  return (
    `Before using ${route} you need to call /move/init?robot_id=${id} ` +
    "to initialize the robot's position and orientation."
  );
}

describe('before /move/init', () => {
  test('both arms are connected, limp, free and fresh, and nothing is mirrored', async () => {
    const { status, body } = await bridge.get('/status');
    expect(status).toBe(200);
    expect(body.arms).toMatchObject([
      { id: 0, name: 'leader', state: 'connected', torque: false, owner: null, initialised: false, reason: '' },
      { id: 1, name: 'follower', state: 'connected', torque: false, owner: null, initialised: false, reason: '' },
    ]);
    for (const arm of body.arms) expect(arm.sample_age).toBeLessThan(0.5);
    expect(body.leader_follower_status).toBe(false);
    expect(body.mirror).toEqual({ reason: '', pairs: [] });
    expect(body.ros.enabled).toBe(HAS_ROS);
    expect(body.loop.rate).toBe(200);
  });

  test.each([0, 1])('reading the pose of robot %i and moving it are refused in the known words', async (id) => {
    for (const route of ['/end-effector/read', '/move/absolute']) {
      const answer = await bridge.post(`${route}?robot_id=${id}`, { x: 0, y: 0, z: 0 });
      expect(answer).toMatchObject({ status: 400, body: { detail: beforeInit(route, id) } });
    }
    expect(await bridge.arm(id)).toMatchObject({ state: 'connected', torque: false });
  });

  test('the gripper alone can be read', async () => {
    const { status, body } = await bridge.post('/end-effector/read', { only_gripper: true, sync: true });
    expect(status).toBe(200);
    expect(body).toEqual({ x: null, y: null, z: null, rx: null, ry: null, rz: null, open: expect.any(Number) });
  });
});

describe('/move/init', () => {
  test.skipIf(!HAS_ROS)('switches torque on, and with it joint_goals', async () => {
    const goals = await peer.record('joints', '/follower/joint_goals');
    const states = await peer.record('joints', '/follower/joint_states');
    await sleep(0.4);
    expect((await states()).length).toBeGreaterThan(20);
    expect(await goals()).toEqual([]);
    expect((await bridge.post('/move/init?robot_id=1')).body.status).toBe('ok');
    expect((await goals()).length).toBeGreaterThan(20);
  });

  test('of one arm leaves the other alone', async () => {
    const { status, body } = await bridge.post('/move/init?robot_id=1');
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'ok', message: null });
    expect(await bridge.arm(1)).toMatchObject({ state: 'ready', torque: true, initialised: true, owner: null });
    expect(await bridge.arm(0)).toMatchObject({ state: 'connected', torque: false, initialised: false });
  });

  test('of all arms brings each to a pose that reads zero in all six coordinates', async () => {
    const { body } = await bridge.post('/move/init');
    expect(body).toMatchObject({
      status: 'ok',
      robots: [
        { robot_id: 0, status: 'ok' },
        { robot_id: 1, status: 'ok' },
      ],
    });
    for (const id of [0, 1]) {
      const read = (await bridge.post(`/end-effector/read?robot_id=${id}`, { sync: true })).body;
      for (const axis of ['x', 'y', 'z']) expect(Math.abs(read[axis])).toBeLessThan(0.5);
      for (const angle of ['rx', 'ry', 'rz']) expect(Math.abs(read[angle])).toBeLessThan(3);
      expect(read.open).toBeCloseTo(0.09, 1);
    }
  });

  test('a body where none is asked for changes nothing', async () => {
    expect((await bridge.post('/move/init?robot_id=0', { x: 3 })).body.status).toBe('ok');
  });

  test('of an unknown robot is refused with the known ids', async () => {
    for (const id of [5, -1, -2]) {
      const answer = await bridge.post(`/move/init?robot_id=${id}`);
      expect(answer).toMatchObject({ status: 400, body: { detail: `Robot ID ${id} is unknown. Known ids: 0, 1.` } });
    }
  });
});

describe('reading and writing', () => {
  test('a pose that is read and written back moves nothing', async () => {
    await bridge.post('/move/absolute', { x: 2, y: 3, z: -2, open: 0.5 });
    const before = (await bridge.post('/end-effector/read', { sync: true })).body;
    expect((await bridge.post('/move/absolute', before)).body.status).toBe('ok');
    const after = (await bridge.post('/end-effector/read', { sync: true })).body;
    for (const axis of ['x', 'y', 'z']) expect(Math.abs(after[axis] - before[axis])).toBeLessThan(0.25);
    for (const angle of ['rx', 'ry', 'rz']) expect(Math.abs(after[angle] - before[angle])).toBeLessThan(1);
    expect(Math.abs(after.open - before.open)).toBeLessThan(0.02);
  });

  test('a target nearer than the tolerance moves the arm all the same', async () => {
    await bridge.post('/move/init?robot_id=0');
    const before = (await bridge.post('/end-effector/read', { sync: true })).body;
    const { body } = await bridge.post('/move/absolute', { z: 1, position_tolerance: 3 });
    expect(body).toMatchObject({ status: 'ok', trials: 1 });
    const after = (await bridge.post('/end-effector/read', { sync: true })).body;
    expect(after.z - before.z).toBeGreaterThan(0.7);
  });
});

describe('HTTP', () => {
  test('an unknown path is 404, a wrong method 405 with Allow, a body over 64 KiB 413', async () => {
    expect(await bridge.post('/move/nowhere')).toMatchObject({ status: 404, body: { detail: 'Not Found' } });
    for (const [method, path, allow] of [
      ['GET', '/move/init', 'POST'],
      ['DELETE', '/move/absolute', 'POST'],
      ['POST', '/status', 'GET, HEAD'],
      ['GET', '/stop', 'POST'],
    ] as const) {
      const response = await fetch(bridge.url + path, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe(allow);
      expect(await response.json()).toMatchObject({ detail: 'Method Not Allowed' });
    }
    const { status, body } = await bridge.post('/move/absolute', { x: 0, filler: 'x'.repeat(64 * 1024) });
    expect(status).toBe(413);
    expect(body.detail).toMatch(/64 KiB/);
  });

  test('numbers that are none never reach an arm, and the server goes on', async () => {
    for (const literal of ['Infinity', 'NaN', '-Infinity', '1e999']) {
      const response = await fetch(`${bridge.url}/move/absolute`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"x": ${literal}}`,
      });
      expect(response.status).toBe(422);
    }
    expect((await bridge.arm(0)).state).toBe('ready');
  });

  test('a foreign Host or Origin moves nothing', async () => {
    const send = (headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = request(`${bridge.url}/move/init`, { method: 'POST', headers }, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode!));
        });
        sent.on('error', reject);
        sent.end();
      });
    expect(await send({ host: 'evil.example:8020' })).toBe(403);
    expect(await send({ origin: 'https://evil.example' })).toBe(403);
    expect(await send({ origin: 'null' })).toBe(403);
    expect((await bridge.arm(0)).owner).toBeNull();
  });
});

describe.skipIf(!HAS_ROS)('what rclpy sees', () => {
  test('stamps are times of bus reads: each later than the last, near to the present, at most the asked rate', async () => {
    const states = await peer.record('joints', '/follower/joint_states');
    const poses = await peer.record('pose', '/follower/end_effector/pose');
    await sleep(1.5);
    const rows = await states();
    const tools = await poses();
    expect(rows.length).toBeGreaterThan(100);
    for (const [i, row] of rows.entries()) {
      expect(row.names).toEqual(JOINTS);
      expect(row.position.every(Number.isFinite)).toBe(true);
      expect(row.arrival - row.stamp).toBeGreaterThan(0);
      // A cycle may be late; the next one is in time again, so that less than a period lies between them.
      if (i > 0) expect(row.stamp - rows[i - 1]!.stamp).toBeGreaterThan(0);
    }
    // The stamp is of the read, not of the publishing, but no older than a few cycles either.
    const ages = rows.map((row) => row.arrival - row.stamp).sort((a, b) => a - b);
    expect(ages[Math.floor(ages.length / 2)]).toBeLessThan(0.05);
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
      await sleep(0.1);
      return { read: [x / 100, y / 100, z / 100], published: (await poses()).map((row) => row.position) };
    };
    await bridge.post('/move/init?robot_id=0');
    const zero = (await bridge.post('/end-effector/read', { sync: true })).body;
    expect(Math.hypot(zero.x, zero.y, zero.z)).toBeLessThan(0.5);
    for (const target of [
      { x: 3, y: 4, z: -3 },
      { x: -4, y: -5, z: 4 },
    ]) {
      expect((await bridge.post('/move/absolute', target)).body.status).toBe('ok');
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
