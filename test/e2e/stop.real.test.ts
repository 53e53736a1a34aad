import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, BridgeProcess, HAS_ROS, sleep } from './support/bridge.ts';
import { type JointRow, Peer, speedChangesOf, speedsOf } from './support/peer.ts';

/** What the design promises of a stop, s; and how much later than the answer's clock a cycle may be. */
const STOP_TIME = 0.25;
const CYCLE = 0.01;
/** What another process on a busy machine may add before the bridge has the request, s. */
const DELIVERY = 0.1;
const MOVE_VELOCITY = 1.5;
const MIRROR_ACCELERATION = 25;
const SERVO_STEP = (2 * Math.PI) / 4096;
const PAIR = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };

/** Joint positions of the follower at init, but for wrist and gripper, where a difference does no harm. */
const INIT = { shoulder_pan: 0, shoulder_lift: -0.7, elbow_flex: 0.7, wrist_flex: 0 };
const FAR = { x: -5, y: 15, z: 5 };

let bridge: BridgeProcess;
beforeAll(async () => {
  bridge = await BridgeProcess.start();
});
/** The follower at init; the leader limp at rest. */
beforeEach(async () => {
  await bridge.post('/move/leader/stop');
  await bridge.post('/stop/reset');
  await bridge.post('/move/init?robot_id=1');
  if ((await bridge.arm(0)).torque) {
    await bridge.post('/move/leader/start', PAIR);
    await expect.poll(async () => (await bridge.arm(0)).torque, { timeout: 20_000 }).toBe(false);
    await bridge.post('/move/leader/stop');
  }
  await bridge.post('/sim/hand', { robot_id: 0, joints: null });
});
afterAll(async () => {
  await bridge.endStopped();
});

async function truth(id: number): Promise<Record<string, number>> {
  return (await bridge.get(`/sim/truth?robot_id=${id}`)).body.joints;
}

/** Waits until physics moves no joint of an arm by a servo step in 0.1 s, three times in a row: a busy machine's physics may pause. */
async function resting(id: number): Promise<Record<string, number>> {
  let before = await truth(id);
  let still = 0;
  for (let i = 0; i < 60; i++) {
    await sleep(0.1);
    const joints = await truth(id);
    const rests = Object.keys(joints).every((name) => Math.abs(joints[name]! - before[name]!) < SERVO_STEP);
    still = rests ? still + 1 : 0;
    if (still === 3) return joints;
    before = joints;
  }
  throw new Error('the arm does not come to rest');
}

function expectNear(a: Record<string, number>, b: Record<string, number>, tolerance: number): void {
  for (const name of Object.keys(a)) expect(Math.abs(a[name]! - b[name]!)).toBeLessThan(tolerance);
}

/** Mirrors the leader, led by the hand to where the follower is, without a ramp left to go. */
async function follow(): Promise<void> {
  await bridge.post('/sim/hand', { robot_id: 0, joints: INIT, duration: 0.7 });
  await sleep(0.8);
  await bridge.post('/move/leader/start', PAIR);
  await expect
    .poll(async () => (await bridge.get('/status')).body.mirror.pairs[0].state, { timeout: 20_000 })
    .toBe('mirroring');
}

/** Every motion route, on robot `id`. */
async function everyMotion(id: number): Promise<Answer[]> {
  return [
    await bridge.post(`/move/init?robot_id=${id}`),
    await bridge.post(`/move/init?robot_id=${id}&take_over=true`),
    await bridge.post(`/move/absolute?robot_id=${id}`, { x: 1 }),
    await bridge.post(`/move/absolute?robot_id=${id}`, { open: 1 }),
    await bridge.post('/move/leader/start', { robot_pairs: [{ leader_id: 1 - id, follower_id: id }] }),
  ];
}

describe('POST /stop during a move', () => {
  test('latches, keeps torque, answers the move with an error, refuses all motion, and a reset resumes nothing', async () => {
    const move = bridge.post('/move/absolute?robot_id=1', FAR);
    await sleep(0.5);
    expect((await bridge.arm(1)).state).toBe('moving');
    const stop = await bridge.post('/stop');
    expect(stop.body).toMatchObject({ status: 'ok', robots: [0, 1] });
    const answer = await move;
    expect(answer.status).toBe(200);
    expect(answer.body.status).toBe('error');
    expect(answer.body.message).toMatch(/stopped \(POST \/stop/);
    expect(answer.body.duration).toBeLessThan(1.5);
    for (const id of [0, 1]) {
      const arm = await bridge.arm(id);
      expect(arm).toMatchObject({ state: 'stopped', torque: id === 1, owner: null });
      expect(arm.reason).toMatch(/POST \/stop/);
    }
    const held = await resting(1);

    for (const refused of await everyMotion(1)) {
      expect([400, 409]).toContain(refused.status);
      expect(refused.body.detail).toMatch(/stopped.*POST \/stop\/reset\?robot_id=/);
    }
    expectNear(await truth(1), held, 0.01);

    expect((await bridge.post('/stop/reset')).body).toMatchObject({ status: 'ok', robots: [0, 1] });
    expect(await bridge.arm(1)).toMatchObject({ state: 'ready', torque: true, owner: null, reason: '' });
    await sleep(0.5);
    expect(await bridge.arm(1)).toMatchObject({ state: 'ready', owner: null });
    expectNear(await truth(1), held, 0.01);
    expect((await bridge.post('/move/absolute?robot_id=1', { x: 0, y: 0, z: 0 })).body.status).toBe('ok');
  });

  test('at any instant from the request to the end answers 200 with an error, or finds the move done', async () => {
    for (let i = 0; i < 12; i++) {
      const move = bridge.post('/move/absolute?robot_id=1', i % 2 ? { x: 0, y: 0, z: 0 } : { x: 0, y: 2, z: 0 });
      await sleep(0.003 * i);
      await bridge.post('/stop?robot_id=1');
      const { status, body } = await move;
      // A stop that comes before the request finds no motion to end: then the request is refused.
      if (status === 409) expect(i).toBeLessThan(4);
      else expect({ status, ...body }).toMatchObject({ status: 'error', message: expect.stringMatching(/stopped/) });
      await bridge.post('/stop/reset?robot_id=1');
    }
  });

  test('of an unknown robot is refused with the known ids, and stops nothing', async () => {
    expect(await bridge.post('/stop?robot_id=7')).toEqual({
      status: 400,
      body: { detail: 'Robot ID 7 is unknown. Known ids: 0, 1.' },
    });
    expect((await bridge.arm(1)).state).toBe('ready');
  });
});

describe('POST /stop while mirroring', () => {
  test('of the follower, while it ramps: it holds, the pair ends, the leader is not stopped', async () => {
    await bridge.post('/sim/hand', { robot_id: 0, joints: { ...INIT, shoulder_pan: 0.9 }, duration: 0.7 });
    await sleep(0.8);
    await bridge.post('/move/leader/start', PAIR);
    await sleep(0.5);
    expect((await bridge.get('/status')).body.mirror.pairs[0].state).toBe('ramping');
    await bridge.post('/stop?robot_id=1');
    const { body } = await bridge.get('/status');
    expect(body.leader_follower_status).toBe(false);
    expect(body.mirror.reason).toMatch(/stopped/);
    expect(body.arms[1]).toMatchObject({ state: 'stopped', torque: true, owner: null });
    expect(body.arms[0]).toMatchObject({ owner: null });
    expect(body.arms[0].state).not.toBe('stopped');
    const held = await resting(1);
    expect(held.shoulder_pan).toBeLessThan(0.6);
    await bridge.post('/stop/reset');
    await sleep(0.5);
    expectNear(await truth(1), held, 0.01);
    expect((await bridge.get('/status')).body.leader_follower_status).toBe(false);
  });

  test('of the leader: the follower holds and is free', async () => {
    await follow();
    await bridge.post('/sim/hand', { robot_id: 0, joints: { shoulder_pan: -0.7 }, duration: 0.6 });
    await sleep(0.3);
    await bridge.post('/stop?robot_id=0');
    // The answer is that of the leader; its pair ends with it.
    await expect.poll(() => bridge.arm(1)).toMatchObject({ state: 'ready', torque: true, owner: null });
    expect((await bridge.get('/status')).body.mirror.reason).toMatch(/leader: stopped/);
    const held = await resting(1);
    await bridge.post('/sim/hand', { robot_id: 0, joints: { shoulder_pan: 0.5 }, duration: 0.3 });
    await sleep(0.5);
    expectNear(await truth(1), held, 0.01);
  });
});

test('POST /stop on a limp arm leaves it limp and refuses to switch it on; a reset makes it what it was', async () => {
  expect(await bridge.arm(0)).toMatchObject({ state: 'connected', torque: false });
  await bridge.post('/stop?robot_id=0');
  expect(await bridge.arm(0)).toMatchObject({ state: 'stopped', torque: false });
  for (const refused of await everyMotion(0)) expect([400, 409]).toContain(refused.status);
  // Nor does a stopped arm lead another one.
  expect((await bridge.post('/move/leader/start', PAIR)).status).toBe(400);
  expect(await bridge.arm(0)).toMatchObject({ state: 'stopped', torque: false });
  await bridge.post('/stop/reset');
  expect(await bridge.arm(0)).toMatchObject({ state: 'connected', torque: false, owner: null });
});

describe.skipIf(!HAS_ROS)('as rclpy records it', () => {
  let peer: Peer;
  let goals: () => Promise<JointRow[]>;
  beforeAll(async () => {
    peer = await Peer.start();
    goals = await peer.record('joints', '/follower/joint_goals');
  });
  afterAll(async () => {
    await peer.close();
  });

  /** The goals rest from `STOP_TIME` after the stop on, having decelerated without a jump; they go on being sent. */
  function expectStopped(rows: readonly JointRow[], asked: number, top: number): void {
    const before = speedsOf(rows.filter((row) => row.stamp < asked));
    expect(Math.max(...before.slice(-20).flatMap(({ speeds }) => speeds.map(Math.abs)))).toBeGreaterThan(0.2);
    const after = speedsOf(rows.filter((row) => row.stamp > asked + DELIVERY + STOP_TIME + CYCLE));
    expect(after.length).toBeGreaterThan(15);
    for (const { speeds } of after) for (const speed of speeds) expect(speed).toBe(0);
    // From the first slower message on: the deceleration of the goals themselves.
    for (let i = 1; i < rows.length; i++) {
      const dt = rows[i]!.stamp - rows[i - 1]!.stamp;
      for (let j = 0; j < 6; j++) {
        expect(Math.abs(rows[i]!.position[j]! - rows[i - 1]!.position[j]!)).toBeLessThanOrEqual(top * dt * 1.02 + 1e-3);
      }
    }
    const moving = speedsOf(rows.filter((row) => row.stamp > asked)).filter(({ speeds }) =>
      speeds.some((speed) => Math.abs(speed) > 1e-6),
    );
    if (moving.length > 1) expect(moving.at(-1)!.time - asked).toBeLessThan(DELIVERY + STOP_TIME + CYCLE);
  }

  test('a move rests within 0.25 s of a stop', async () => {
    await goals();
    const move = bridge.post('/move/absolute?robot_id=1', FAR);
    await sleep(0.5);
    const asked = Date.now() / 1000;
    await bridge.post('/stop');
    await move;
    await sleep(0.6);
    expectStopped(await goals(), asked, MOVE_VELOCITY);
  });

  test('mirroring at full speed rests within 0.25 s of a stop', async () => {
    await follow();
    await goals();
    await bridge.post('/sim/hand', { robot_id: 0, joints: { shoulder_pan: 1.2, wrist_roll: 1.2 }, duration: 1 });
    await sleep(0.5);
    const asked = Date.now() / 1000;
    await bridge.post('/stop');
    await sleep(0.7);
    const rows = await goals();
    expectStopped(rows, asked, 3);
    const steps = speedChangesOf(rows, CYCLE);
    for (const { dt, changes } of steps)
      for (const change of changes) expect(change).toBeLessThan(MIRROR_ACCELERATION * 1.5 * dt + 0.1);
    expect(steps.length).toBeGreaterThan(20);
  });

  test('the services ~/stop and ~/reset do the same for their arm', async () => {
    const move = bridge.post('/move/absolute?robot_id=1', FAR);
    await sleep(0.4);
    const stopped = await peer.call('/follower/arm_bridge/stop');
    expect(stopped).toMatchObject({ success: true, message: expect.stringMatching(/follower is stopped/) });
    expect((await move).body).toMatchObject({ status: 'error', message: expect.stringMatching(/stopped \(.*ROS/) });
    expect(await bridge.arm(1)).toMatchObject({ state: 'stopped', torque: true });
    expect(await bridge.arm(0)).toMatchObject({ state: 'connected' });
    expect((await bridge.post('/move/init?robot_id=1')).status).toBe(409);
    const reset = await peer.call('/follower/arm_bridge/reset');
    expect(reset).toMatchObject({ success: true, message: expect.stringMatching(/is reset/) });
    expect(await bridge.arm(1)).toMatchObject({ state: 'ready', owner: null });
    expect((await peer.call('/follower/arm_bridge/reset')).message).toMatch(/was not stopped/);
  });

  test('a stream of joint_commands is refused while its arm is stopped, and does not go on after the reset', async () => {
    await peer.advertise('/follower/joint_commands');
    const stream = peer.publish('/follower/joint_commands', Array(60).fill({ shoulder_pan: 0.8 }), 0.02);
    await sleep(0.6);
    await bridge.post('/stop?robot_id=1');
    const held = await resting(1);
    await stream;
    expectNear(await truth(1), held, 0.01);
    await bridge.post('/stop/reset');
    await sleep(0.4);
    expectNear(await truth(1), held, 0.01);
    expect(held.shoulder_pan).toBeLessThan(0.7);
  });
});

// Last: it leaves the leader with torque on.
test('POST /stop of one robot leaves the other one moving', async () => {
  await bridge.post('/move/init?robot_id=0');
  const other = bridge.post('/move/absolute?robot_id=0', { x: 0, y: 8, z: 0 });
  const move = bridge.post('/move/absolute?robot_id=1', { x: 0, y: 8, z: 0 });
  await sleep(0.3);
  await bridge.post('/stop?robot_id=1');
  expect((await move).body.status).toBe('error');
  expect((await other).body.status).toBe('ok');
  expect(await bridge.arm(0)).toMatchObject({ state: 'ready', owner: null });
  expect((await bridge.post('/stop/reset?robot_id=0')).body.message).toBe('No arm was stopped.');
  expect(await bridge.arm(1)).toMatchObject({ state: 'stopped' });
});
