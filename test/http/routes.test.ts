import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BridgeError } from '../../src/arm/types.ts';
import { ROUTES } from '../../src/http/routes/index.ts';
import { buildApp, FakeArm, type FakeServices, fakeServices } from './fakes.ts';

let leader: FakeArm;
let follower: FakeArm;
let services: FakeServices;
let app: FastifyInstance;

function build(options: Parameters<typeof fakeServices>[0] = {}): void {
  services = fakeServices({ arms: [leader, follower], ...options });
  app = buildApp(services);
}

beforeEach(() => {
  leader = new FakeArm(0, 'leader');
  follower = new FakeArm(1, 'follower');
  build();
});
afterEach(() => app.close());

/** The answer with its HTTP status, which the body's own `status` covers where it has one. */
async function post(url: string, body?: unknown): Promise<Record<string, unknown>> {
  const reply = await app.inject({ method: 'POST', url, ...(body === undefined ? {} : { payload: body as object }) });
  return { status: reply.statusCode, ...(reply.json() as Record<string, unknown>) };
}

async function get(url: string) {
  const reply = await app.inject({ method: 'GET', url });
  return { status: reply.statusCode, answer: reply.json() as Record<string, unknown> };
}

test('a move reaches the motion in metres and radians, with what was left out left out', async () => {
  leader.initialised = true;
  await post('/move/absolute', { x: 10, z: -2.5, rx: 90, ry: null, rz: -45, open: 0.25, max_trials: 3 });
  expect(services.motion.moves[0]!.move).toEqual({
    x: 0.1,
    z: -0.025,
    pitch: Math.PI / 2,
    roll: -Math.PI / 4,
    open: 0.25,
    maxTrials: 3,
    positionTolerance: 0.005,
    orientationTolerance: (3 * Math.PI) / 180,
    path: 'joint',
  });
});

test('an empty move asks for nothing and has the documented tolerances and trials', async () => {
  leader.initialised = true;
  await post('/move/absolute', { x: null, open: null });
  expect(services.motion.moves[0]!.move).toEqual({
    maxTrials: 10,
    positionTolerance: 0.005,
    orientationTolerance: (3 * Math.PI) / 180,
    path: 'joint',
  });
});

test('a relative move reaches the motion as changes, with what was left out left out', async () => {
  expect(await post('/move/relative?robot_id=1', { x: 1 })).toMatchObject({
    status: 400,
    detail:
      "Before using /move/relative you need to call /move/init?robot_id=1 to initialize the robot's position and orientation.",
  });
  leader.initialised = true;
  expect(await post('/move/relative', { x: -1, rx: 90, y: null })).toMatchObject({ status: 'ok', trials: 1 });
  expect(services.motion.relativeMoves.at(-1)).toEqual({
    arm: 'leader',
    move: {
      x: -0.01,
      pitch: Math.PI / 2,
      maxTrials: 10,
      positionTolerance: 0.005,
      orientationTolerance: (3 * Math.PI) / 180,
      path: 'joint',
    },
  });
});

test('hello and sleep need no zero, and are refused as every motion is', async () => {
  expect(await post('/move/hello?robot_id=1')).toMatchObject({ status: 'ok' });
  expect(await post('/move/sleep')).toMatchObject({ status: 'ok' });
  expect([leader.state, follower.state]).toEqual(['connected', 'ready']);
  follower.owner = { key: 'ros', name: 'ROS' };
  for (const route of ['/move/hello', '/move/sleep']) {
    expect((await post(`${route}?robot_id=1`)).status).toBe(409);
    expect((await post(`${route}?robot_id=7`)).status).toBe(400);
  }
});

test('a move answers with the error reached in centimetres and degrees', async () => {
  leader.initialised = true;
  services.motion.outcome = {
    ok: false,
    message: 'missed by 1.2 cm after 3 trials',
    positionError: 0.012,
    orientationError: Math.PI / 6,
    trials: 3,
    duration: 2.5,
  };
  const answer = await post('/move/absolute', { x: 1 });
  expect(answer).toMatchObject({ status: 'error', message: 'missed by 1.2 cm after 3 trials', trials: 3 });
  expect(answer.position_error).toBeCloseTo(1.2, 12);
  expect(answer.orientation_error).toBeCloseTo(30, 12);
  expect(answer.duration).toBe(2.5);
});

test('the end effector is read in centimetres and degrees in (-180, 180]', async () => {
  leader.initialised = true;
  leader.pose = { x: 0.1, y: -0.02, z: 0.3, pitch: -Math.PI, yaw: Math.PI, roll: (-20 * Math.PI) / 180 };
  leader.open = 0.4;
  const { status, ...answer } = await post('/end-effector/read');
  expect(status).toBe(200);
  expect(answer).toEqual({ x: 10, y: -2, z: 30, rx: 180, ry: 180, rz: expect.closeTo(-20, 12), open: 0.4 });
});

test('a pose that is read and written back is the same pose', async () => {
  leader.initialised = true;
  const pose = { x: 0.0123456789, y: -0.2, z: 0.1, pitch: 0.3, yaw: -1.2, roll: 2.9 };
  leader.pose = { ...pose };
  const { status: _, ...read } = await post('/end-effector/read');
  await post('/move/absolute', read);
  for (const key of ['x', 'y', 'z', 'pitch', 'yaw', 'roll'] as const)
    expect(leader.pose[key]).toBeCloseTo(pose[key], 14);
});

test('before init, move and read name their route and the arm; the gripper alone can be read', async () => {
  const sentence = (route: string) =>
    `Before using ${route} you need to call /move/init?robot_id=1 to initialize the robot's position and orientation.`;
  expect(await post('/move/absolute?robot_id=1', { x: 1 })).toMatchObject({
    status: 400,
    detail: sentence('/move/absolute'),
  });
  expect(await post('/end-effector/read?robot_id=1')).toMatchObject({
    status: 400,
    detail: sentence('/end-effector/read'),
  });
  expect(await post('/end-effector/read?robot_id=1', { only_gripper: true })).toMatchObject({ status: 200, x: null });
});

test('init without robot_id moves all arms and answers for each', async () => {
  const answer = await post('/move/init');
  expect(answer).toMatchObject({ status: 'ok', message: null, trials: 1 });
  expect(answer.robots).toMatchObject([
    { robot_id: 0, name: 'leader', status: 'ok' },
    { robot_id: 1, name: 'follower', status: 'ok' },
  ]);
  expect([leader.initialised, follower.initialised]).toEqual([true, true]);
});

test('init of one arm leaves the other alone', async () => {
  expect(await post('/move/init?robot_id=1')).not.toHaveProperty('robots');
  expect([leader.initialised, follower.initialised]).toEqual([false, true]);
});

test('init of all arms tells which could not move while the others did', async () => {
  follower.state = 'disconnected';
  const answer = await post('/move/init');
  expect(answer).toMatchObject({ status: 'error', message: 'follower (robot 1): follower is disconnected.' });
  expect(leader.initialised).toBe(true);
});

test('init that no arm can do is refused like a single one', async () => {
  leader.state = 'disconnected';
  follower.state = 'disconnected';
  expect(await post('/move/init')).toMatchObject({ status: 400, detail: 'leader is disconnected.' });
});

test('an unknown arm is refused with the known ids on every route', async () => {
  const sentence = 'Robot ID 5 is unknown. Known ids: 0, 1.';
  for (const url of ['/move/init', '/end-effector/read', '/stop', '/stop/reset']) {
    expect(await post(`${url}?robot_id=5`)).toMatchObject({ status: 400, detail: sentence });
  }
  expect(await post('/move/absolute?robot_id=5', {})).toMatchObject({ status: 400, detail: sentence });
  expect(await post('/sim/hand', { robot_id: 5, joints: null })).toMatchObject({ status: 400, detail: sentence });
  expect((await get('/sim/truth?robot_id=5')).answer).toMatchObject({ detail: sentence });
  const pairs = (leader_id: number, follower_id: number) => ({ robot_pairs: [{ leader_id, follower_id }] });
  expect(await post('/move/leader/start', pairs(5, 1))).toMatchObject({ status: 400, detail: sentence });
  expect(await post('/move/leader/start', pairs(0, 5))).toMatchObject({ status: 400, detail: sentence });
});

test('an arm that another source drives answers 409 with its name, and take_over takes it', async () => {
  leader.initialised = true;
  leader.owner = { key: 'ros:/leader', name: 'ROS topic /leader/joint_commands' };
  const answer = await post('/move/absolute', { x: 1 });
  expect(answer.status).toBe(409);
  expect(answer.detail).toContain('ROS topic /leader/joint_commands');
  expect(answer.detail).toContain('?take_over=true');
  expect(await post('/move/absolute?take_over=true', { x: 1 })).toMatchObject({ status: 'ok' });
  expect(services.motion.moves.map(({ caller }) => caller.takeOver)).toEqual([false, true]);
});

test('a stop latches until its reset, for one arm or all, whoever drives them', async () => {
  follower.owner = { key: 'ros', name: 'ROS' };
  expect(await post('/stop')).toMatchObject({
    status: 'ok',
    message: 'Stopped: leader (robot 0), follower (robot 1).',
    robots: [0, 1],
  });
  expect((await post('/move/init')).status).toBe(409);
  expect(await post('/stop/reset?robot_id=1')).toMatchObject({ status: 'ok', message: 'Reset: follower (robot 1).' });
  expect([leader.state, follower.state]).toEqual(['stopped', 'ready']);
  expect(await post('/stop/reset?robot_id=1')).toMatchObject({ status: 'ok', message: 'No arm was stopped.' });
});

test('a reset leaves an arm that is not stopped to its owner', async () => {
  leader.owner = { key: 'ros', name: 'ROS' };
  let resets = 0;
  leader.reset = async () => {
    resets++;
  };
  follower.state = 'stopped';
  await post('/stop/reset');
  expect(resets).toBe(0);
});

test('a stop that fails for one arm still stops the other and says so', async () => {
  leader.stopAtRest = () => Promise.reject(new BridgeError('disconnected', 'leader is disconnected.'));
  const answer = await post('/stop');
  expect(answer).toMatchObject({ status: 'error', robots: [1] });
  expect(answer.message).toBe('Stopped: follower (robot 1). Failed for leader: leader is disconnected.');
});

test('mirroring starts with defaults for what was left out, and stops', async () => {
  const pairs = [{ leader_id: 0, follower_id: 1 }];
  expect(await post('/move/leader/start', { robot_pairs: pairs })).toEqual({
    status: 'ok',
    message: 'Leader-follower control started',
  });
  expect(services.mirror.started).toEqual({ pairs: [{ leader: 0, follower: 1 }], gravity: null, invert: false });
  expect((await get('/status')).answer.leader_follower_status).toBe(true);
  expect(await post('/move/leader/start', { robot_pairs: pairs })).toMatchObject({
    status: 400,
    detail: 'leader mirrors already.',
  });
  expect(await post('/move/leader/stop')).toEqual({ status: 'ok', message: 'Stopping leader-follower control' });
  expect(await post('/move/leader/stop')).toEqual({
    status: 'error',
    message: 'Leader-follower control is not running',
    request_id: expect.any(String),
  });
});

test('gravity values that are left out have their defaults', async () => {
  const body = { robot_pairs: [{ leader_id: 0, follower_id: 1 }], enable_gravity_compensation: true };
  const started = async (values: unknown) => {
    services.mirror.started = null;
    await post('/move/leader/start', { ...body, gravity_compensation_values: values });
    return services.mirror.started as { gravity: unknown } | null;
  };
  expect((await started(null))?.gravity).toEqual({ shoulder: 100, elbow: 50, wrist: 10 });
  expect((await started({ elbow: 0 }))?.gravity).toEqual({ shoulder: 100, elbow: 0, wrist: 10 });
  await post('/move/leader/stop');
  await post('/move/leader/start', { ...body, invert_controls: true });
  expect(services.mirror.started).toMatchObject({ gravity: { shoulder: 100, elbow: 50, wrist: 10 }, invert: true });
});

test('a start says what to do with a difference in degrees, and a stop what becomes of leaders', async () => {
  const robot_pairs = [{ leader_id: 0, follower_id: 1 }];
  const body = { robot_pairs, on_mismatch: 'refuse', mismatch_threshold: 90, align: 'leader' };
  expect(await post('/move/leader/start', body)).toMatchObject({ status: 'ok' });
  expect(services.mirror.started).toEqual({
    pairs: [{ leader: 0, follower: 1 }],
    gravity: null,
    invert: false,
    onMismatch: 'refuse',
    mismatchThreshold: Math.PI / 2,
    align: 'leader',
  });
  await post('/move/leader/stop');
  expect(services.mirror.released).toBe('lower');
  await post('/move/leader/stop?release=now');
  expect(services.mirror.released).toBe('now');
  expect(await post('/move/leader/stop?release=drop')).toMatchObject({
    status: 422,
    detail: [{ type: 'literal_error', loc: ['query', 'release'], msg: "Input should be 'lower', 'now' or 'hold'" }],
  });
  expect(await post('/move/leader/start', { robot_pairs, align: 'both' })).toMatchObject({
    status: 422,
    detail: [{ type: 'literal_error', loc: ['body', 'align'], ctx: { expected: "'follower' or 'leader'" } }],
  });
});

test('gravity compensation of one arm starts with defaults, owns it, and stops holding', async () => {
  expect(await post('/gravity/start')).toEqual({ status: 'ok', message: 'Gravity control started' });
  expect(services.gravity.floating.get(0)).toEqual({ shoulder: 100, elbow: 50, wrist: 10 });
  const values = { gravity_compensation_values: { shoulder: 30 } };
  await post('/gravity/start?robot_id=1', values);
  expect(services.gravity.floating.get(1)).toEqual({ shoulder: 30, elbow: 50, wrist: 10 });
  expect(await post('/gravity/stop')).toEqual({ status: 'ok', message: 'Stopping gravity control' });
  expect(services.gravity.released).toBe('hold');
  expect(await post('/gravity/stop')).toEqual({
    status: 'error',
    message: 'Gravity control is not running',
    request_id: expect.any(String),
  });
  expect(await post('/gravity/stop?robot_id=7')).toMatchObject({ status: 400 });
});

test('a null id in a pair is refused with its pair', async () => {
  const start = (leader_id: number | null, follower_id: number | null) =>
    post('/move/leader/start', {
      robot_pairs: [
        { leader_id: 0, follower_id: 1 },
        { leader_id, follower_id },
      ],
    });
  expect(await start(null, 1)).toMatchObject({ status: 400, detail: 'Leader ID is required for robot pair 1.' });
  expect(await start(0, null)).toMatchObject({ status: 400, detail: 'Follower ID is required for robot pair 1.' });
  expect(await start(1, 1)).toMatchObject({ status: 400, detail: expect.stringContaining('cannot follow itself') });
});

test('mirroring an arm that is stopped is refused with 400, one that is driven with 409', async () => {
  const body = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
  services.mirror.start = () => Promise.reject(new BridgeError('stopped', 'follower is stopped.'));
  expect((await post('/move/leader/start', body)).status).toBe(400);
  services.mirror.start = () =>
    Promise.reject(new BridgeError('owned', 'follower is driven by ROS.', { remedy: 'take_over' }));
  expect(await post('/move/leader/start', body)).toMatchObject({
    status: 409,
    detail: 'follower is driven by ROS. Wait until it has ended, or take it with ?take_over=true.',
  });
});

test('the status tells bridge, arms, ROS and loop as they are', async () => {
  leader.owner = { key: 'http', name: 'an HTTP client' };
  follower.state = 'disconnected';
  follower.reason = 'cable unplugged';
  const { status, answer } = await get('/status');
  expect(status).toBe(200);
  expect(answer).toMatchObject({
    status: 'ok',
    robots: ['so101', 'so101'],
    version_id: '0.1.0',
    dialect: 'standard',
    ros: { enabled: false, reason: 'switched off with --no-ros', distro: null, preparing: null },
    loop: {
      cycles: 12,
      rate: 200,
      late: 0,
      period: 0.005,
      longest_period: 0.0052,
      priority: null,
      latency: { recent: { p50: 0.0012 }, total: { p99: 0.0024 } },
    },
    arms: [
      { id: 0, name: 'leader', state: 'ready', owner: 'an HTTP client', torque: true, initialised: false },
      { id: 1, name: 'follower', state: 'disconnected', owner: null, torque: false, reason: 'cable unplugged' },
    ],
  });
});

test('the hand leads a simulated arm and lets go; the truth is that of the physics', async () => {
  expect(await post('/sim/hand', { robot_id: 1, joints: { elbow_flex: 0.5 }, duration: 0.2 })).toEqual({
    status: 'ok',
    message: null,
  });
  expect(await post('/sim/hand', { joints: null })).toMatchObject({ status: 'ok' });
  expect(services.simulation.hands).toEqual([
    { arm: 'follower', joints: { elbow_flex: 0.5 }, duration: 0.2 },
    { arm: 'leader', joints: null, duration: 1 },
  ]);
  const { answer } = await get('/sim/truth?robot_id=1');
  expect(answer).toMatchObject({ robot_id: 1, name: 'follower', time: 1700000000.5, joints: { elbow_flex: 0.25 } });
});

test('a real arm has no hand and no truth', async () => {
  await app.close();
  follower = new FakeArm(1, 'follower', false);
  build();
  expect(await post('/sim/hand', { robot_id: 1, joints: null })).toMatchObject({
    status: 400,
    detail: expect.stringContaining('exist in simulation only'),
  });
  expect((await get('/sim/truth?robot_id=1')).status).toBe(400);
});

test('a fault of the bridge answers 500 without its inside', async () => {
  leader.initialised = true;
  services.motion.failure = new Error('secret path /home/lab');
  expect(await post('/move/absolute', {})).toMatchObject({ status: 500, detail: 'Internal Server Error' });
  services.motion.failure = new BridgeError('internal', 'servo table is null');
  expect(await post('/move/absolute', {})).toMatchObject({ status: 500, detail: 'Internal Server Error' });
});

test('an unknown path is 404, a wrong method 405 with Allow, in any order of method and path', async () => {
  for (const url of ['/move', '/move/init/', '/MOVE/INIT', '/%zz', '/__proto__', '/docs']) {
    const reply = await app.inject({ method: 'POST', url, payload: { big: 'x'.repeat(10) } });
    expect([url, reply.statusCode, reply.json()]).toEqual([
      url,
      404,
      { detail: 'Not Found', request_id: expect.any(String) },
    ]);
  }
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const) {
    const reply = await app.inject({ method, url: '/stop?robot_id=0' });
    expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'POST']);
  }
  for (const url of ['/status', '/openapi.json', '/sim/truth']) {
    const reply = await app.inject({ method: 'POST', url });
    expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'GET, HEAD']);
  }
});

test('HEAD tells of every GET what it would answer, without the answer, and begins no stream', async () => {
  for (const { method, path } of ROUTES) {
    if (method !== 'GET') continue;
    const url = path.replace('{name}', 'leader');
    const reply = await app.inject({ method: 'HEAD', url });
    if (path === '/api/v1/live') {
      expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'GET']);
      continue;
    }
    const whole = await app.inject({ method: 'GET', url });
    expect([path, reply.statusCode, reply.headers['content-type'], reply.body]).toEqual([
      path,
      whole.statusCode,
      whole.headers['content-type'],
      '',
    ]);
    expect(Number(reply.headers['content-length'])).toBeGreaterThan(0);
  }
});
