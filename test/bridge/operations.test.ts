import { expect, test } from 'vitest';
import { PAIR, VirtualBridge } from '../support/virtual-bridge.ts';

const AXES = ['x', 'y', 'z'];
const ANGLES = ['rx', 'ry', 'rz'];

function beforeInit(route: string, id: number): string {
  return (
    `Before using ${route} you need to call /move/init?robot_id=${id} ` +
    "to initialize the robot's position and orientation."
  );
}

test('before /move/init both arms are limp, free and fresh; a pose is neither read nor moved to, the gripper is read', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  const { body } = await bridge.get('/status');
  expect(body.arms).toMatchObject([
    { id: 0, name: 'leader', state: 'connected', torque: false, owner: null, initialised: false, reason: '' },
    { id: 1, name: 'follower', state: 'connected', torque: false, owner: null, initialised: false, reason: '' },
  ]);
  for (const arm of body.arms) expect(arm.sample_age).toBeLessThan(0.05);
  expect(body).toMatchObject({ leader_follower_status: false, mirror: { reason: '', pairs: [] }, loop: { rate: 200 } });
  for (const id of [0, 1]) {
    for (const route of ['/end-effector/read', '/move/absolute']) {
      const answer = await bridge.post(`${route}?robot_id=${id}`, { x: 0, y: 0, z: 0 });
      expect(answer).toMatchObject({ status: 400, body: { detail: beforeInit(route, id) } });
    }
    expect(await bridge.status(id)).toMatchObject({ state: 'connected', torque: false });
  }
  const gripper = await bridge.post('/end-effector/read', { only_gripper: true, sync: true });
  expect(gripper).toEqual({
    status: 200,
    body: { x: null, y: null, z: null, rx: null, ry: null, rz: null, open: expect.any(Number) },
  });
});

test('/move/init of one arm leaves the other alone; of all arms it brings each to a pose that reads zero', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  // A body where none is asked for changes nothing.
  const one = await bridge.post('/move/init?robot_id=1', { x: 3 });
  expect(one).toMatchObject({ status: 200, body: { status: 'ok', message: null } });
  expect(await bridge.status(1)).toMatchObject({ state: 'ready', torque: true, initialised: true, owner: null });
  expect(await bridge.status(0)).toMatchObject({ state: 'connected', torque: false, initialised: false });
  expect((await bridge.post('/move/init')).body).toMatchObject({
    status: 'ok',
    robots: [
      { robot_id: 0, status: 'ok' },
      { robot_id: 1, status: 'ok' },
    ],
  });
  for (const id of [0, 1]) {
    const read = (await bridge.post(`/end-effector/read?robot_id=${id}`, { sync: true })).body;
    for (const axis of AXES) expect(Math.abs(read[axis])).toBeLessThan(0.5);
    for (const angle of ANGLES) expect(Math.abs(read[angle])).toBeLessThan(3);
    expect(read.open).toBeCloseTo(0.09, 1);
  }
});

test('a pose that is read and written back moves nothing; a target nearer than the tolerance moves the arm all the same', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  const read = async () => (await bridge.post('/end-effector/read', { sync: true })).body;
  await bridge.post('/move/init?robot_id=0');
  await bridge.post('/move/absolute', { x: 2, y: 3, z: -2, open: 0.5 });
  const before = await read();
  expect((await bridge.post('/move/absolute', before)).body.status).toBe('ok');
  const after = await read();
  for (const axis of AXES) expect(Math.abs(after[axis] - before[axis])).toBeLessThan(0.25);
  for (const angle of ANGLES) expect(Math.abs(after[angle] - before[angle])).toBeLessThan(1);
  expect(Math.abs(after.open - before.open)).toBeLessThan(0.02);

  await bridge.post('/move/init?robot_id=0');
  const zero = await read();
  const { body } = await bridge.post('/move/absolute', { z: 1, position_tolerance: 3 });
  expect(body).toMatchObject({ status: 'ok', trials: 1 });
  expect((await read()).z - zero.z).toBeGreaterThan(0.7);
});
