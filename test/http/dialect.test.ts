import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import { answeredInTime } from '../../src/http/dialect.ts';
import { buildApp, type FakeServices, fakeServices } from './fakes.ts';

let services: FakeServices;
let app: FastifyInstance;

beforeEach(() => {
  services = fakeServices({ config: { dialect: 'phosphobot' } });
  for (const arm of services.arms.all) arm.initialised = true;
  app = buildApp(services);
});
afterEach(() => app.close());

async function post(url: string, body?: unknown) {
  const json = { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const reply = await app.inject({ method: 'POST', url, ...(body === undefined ? {} : json) });
  return { status: reply.statusCode, body: reply.json() };
}

const degrees = (angle: number): number => (angle * Math.PI) / 180;

test('tolerances are metres and radians, ry is roll, rz is yaw, and what is left out is 0', async () => {
  await post('/move/absolute', { x: 5, ry: 10, rz: 20, position_tolerance: 0.01, orientation_tolerance: 0.1 });
  expect(services.motion.moves[0]!.move).toEqual({
    x: 0.05,
    y: 0,
    z: 0,
    roll: degrees(10),
    yaw: degrees(20),
    positionTolerance: 0.01,
    orientationTolerance: 0.1,
    maxTrials: 10,
    path: 'joint',
  });
  await post('/move/absolute', { z: 1, rx: null });
  expect(services.motion.moves[1]!.move).toMatchObject({
    x: 0,
    y: 0,
    positionTolerance: 0.03,
    orientationTolerance: 0.2,
  });
  await post('/move/relative', { x: 1 });
  expect(services.motion.relativeMoves[0]!.move).toMatchObject({ x: 0.01, positionTolerance: 0.03 });
  expect(services.motion.relativeMoves[0]!.move).not.toHaveProperty('y');
});

test('an opening alone moves the gripper alone', async () => {
  await post('/move/absolute', { open: 1 });
  expect(services.motion.moves[0]!.move).toMatchObject({ open: 1 });
  expect(services.motion.moves[0]!.move).not.toHaveProperty('x');
});

test('the tool is read in centimetres and degrees, with roll in ry and yaw in rz', async () => {
  services.arms.all[0]!.pose = { x: 0.01, y: 0.02, z: 0.03, pitch: degrees(4), yaw: degrees(5), roll: degrees(6) };
  const { body } = await post('/end-effector/read');
  for (const [key, value] of Object.entries({ x: 1, y: 2, z: 3, rx: 4, ry: 6, rz: 5 }))
    expect(body[key]).toBeCloseTo(value);
});

test('numbers may be text or booleans, and an opening beyond its range is the nearest one', async () => {
  for (const [sent, move] of [
    [
      { x: '5', y: ' -1.5e1 ', z: true, max_trials: '3' },
      { x: 0.05, y: -0.15, z: 0.01, maxTrials: 3 },
    ],
    [{ open: 3 }, { open: 1 }],
    [{ open: '-0.5' }, { open: 0 }],
  ] as const) {
    services.motion.moves.length = 0;
    expect((await post('/move/absolute', sent)).status).toBe(200);
    expect(services.motion.moves[0]!.move).toMatchObject(move);
  }
  const joints = { angles: ['0.5', false], joints_ids: ['0', 1] };
  expect((await post('/joints/write', joints)).status).toBe(200);
});

test('text is an integer where it is written as one', async () => {
  for (const text of ['3', ' 3 ', '3.0', '+3', '1_0']) {
    expect([text, (await post('/move/absolute', { x: 1, max_trials: text })).status]).toEqual([text, 200]);
  }
  for (const text of ['1.5', '1e3', '', 'NaN']) {
    const { detail } = (await post('/move/absolute', { x: 1, max_trials: text })).body;
    expect(detail).toMatchObject([{ type: 'int_parsing', loc: ['body', 'max_trials'] }]);
  }
});

test('what is no number, and what contradicts itself, is refused here too', async () => {
  for (const [url, body] of [
    ['/move/absolute', { x: 'nan' }],
    ['/move/absolute', { x: 'Infinity' }],
    ['/move/absolute', { x: '' }],
    ['/move/absolute', { x: '5 cm' }],
    ['/move/absolute', { x: [5] }],
    ['/move/absolute', { max_trials: '1.5' }],
    ['/move/absolute', { max_trials: 0 }],
    ['/move/leader/start', { robot_pairs: [] }],
  ] as const) {
    expect([body, (await post(url, body)).status]).toEqual([body, 422]);
  }
  const overflow = await app.inject({
    method: 'POST',
    url: '/move/absolute',
    payload: '{"x": 1e999, "open": NaN}',
    headers: { 'content-type': 'application/json' },
  });
  expect(overflow.statusCode).toBe(422);
  expect((await post('/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 0 }] })).status).toBe(400);
  const foreign = await app.inject({ method: 'POST', url: '/move/init', headers: { origin: 'http://example.com' } });
  expect(foreign.statusCode).toBe(403);
  expect(services.motion.moves).toEqual([]);
});

test('a move before init goes there first, and not on when that fails; reading still asks for it', async () => {
  const arm = services.arms.all[0]!;
  arm.initialised = false;
  expect((await post('/end-effector/read')).status).toBe(400);
  expect((await post('/move/absolute', { x: 1 })).body.status).toBe('ok');
  expect([arm.initialised, services.motion.moves.length]).toEqual([true, 1]);
  arm.initialised = false;
  services.motion.outcome = {
    ok: false,
    message: 'tolerance',
    positionError: 1,
    orientationError: 0,
    trials: 1,
    duration: 1,
  };
  expect((await post('/move/relative', { x: 1 })).body).toMatchObject({ status: 'error', message: 'tolerance' });
  expect(services.motion.relativeMoves).toEqual([]);
});

test('-1 is the last robot; others that are not there are out of range', async () => {
  await post('/move/absolute?robot_id=-1', { x: 1 });
  expect(services.motion.moves[0]!.arm).toBe('follower');
  for (const id of [-2, 2]) {
    expect(await post(`/move/init?robot_id=${id}`)).toMatchObject({
      status: 400,
      body: { detail: `Robot ID ${id} is out of range. Only 2 robots connected.` },
    });
  }
});

test('a move on somebody else’s arm answers error, a start 400, and neither is begun', async () => {
  const arm = services.arms.all[0]!;
  arm.owner = { key: 'ros', name: 'a ROS topic' };
  for (const url of ['/move/init?robot_id=0', '/move/absolute', '/move/relative', '/move/sleep', '/move/hello']) {
    const { status, body } = await post(url, { x: 1 });
    expect([url, status, body.status]).toEqual([url, 200, 'error']);
    expect(body.message).toContain('driven by a ROS topic');
  }
  expect((await post('/gravity/start')).status).toBe(400);
  expect((await post('/move/absolute?take_over=true', { x: 1 })).body.status).toBe('ok');
});

test('the description says what the fields mean in this dialect', async () => {
  const { components, info } = (await app.inject('/openapi.json')).json();
  expect(info.description).toContain('phosphobot');
  const { properties } = components.schemas.AbsoluteMoveRequest;
  expect(properties.position_tolerance).toMatchObject({
    default: 0.03,
    description: expect.stringContaining('metres'),
  });
  expect(properties.orientation_tolerance).toMatchObject({
    default: 0.2,
    description: expect.stringContaining('radians'),
  });
  expect([properties.ry.description, properties.rz.description]).toEqual([
    expect.stringContaining('roll'),
    expect.stringContaining('yaw'),
  ]);
  expect((await app.inject('/status')).json().dialect).toBe('phosphobot');
});

test('a program that says who it is waits for the end of a motion, also one that asks by httpx', async () => {
  const time = new VirtualTime();
  const clock = time.lane('http');
  const answers: string[] = [];
  const ask = (headers: Record<string, string>): void => {
    const motion = clock.sleep(20).then(() => 'done');
    const asked = answeredInTime({ clock, config: { dialect: 'phosphobot' } }, headers, motion, 'under way');
    void asked.then((answer) => answers.push(answer));
  };
  ask({ 'user-agent': 'python-httpx/0.28.1' });
  ask({ 'user-agent': 'python-httpx/0.28.1', 'x-arm-bridge-client': 'notebook' });
  ask({ 'user-agent': 'curl/8.5.0' });
  await time.run(6);
  expect(answers).toEqual(['under way']);
  await time.run(21);
  expect(answers).toEqual(['under way', 'done', 'done']);
});

test('torque that is still being switched off is not told to be off', async () => {
  const time = new VirtualTime();
  const clock = time.lane('http');
  let begun = false;
  services.torque.off = () => {
    begun = true;
    return clock.sleep(20).then(() => null);
  };
  const slow = buildApp({ ...services, clock });
  const headers = { 'user-agent': 'python-httpx/0.28.1' };
  const asked = slow.inject({ method: 'POST', url: '/torque/toggle', payload: { torque_status: false }, headers });
  asked.catch(() => {});
  await vi.waitFor(() => expect(begun).toBe(true));
  await time.run(5);
  const told = (await asked).json();
  expect(told).toMatchObject({ status: 'ok', message: expect.stringMatching(/^It is not done yet, and goes on/) });
  await slow.close();
});
