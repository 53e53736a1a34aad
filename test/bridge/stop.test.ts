import { beforeEach, describe, expect, test } from 'vitest';
import { expectNear } from '../support/poses.ts';
import { type Answer, PAIR as ARMS, VirtualBridge } from '../support/virtual-bridge.ts';

const SERVO_STEP = (2 * Math.PI) / 4096;
const PAIR = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };

/** Joint positions of the follower at init, but for wrist and gripper, where a difference does no harm. */
const INIT = { shoulder_pan: 0, shoulder_lift: -0.7, elbow_flex: 0.7, wrist_flex: 0 };
const FAR = { x: -5, y: 15, z: 5 };

let bridge: VirtualBridge;
/** The follower at init; the leader limp at rest. */
beforeEach(async () => {
  bridge = await VirtualBridge.startLight(ARMS);
  await bridge.post('/move/init?robot_id=1');
});

async function truth(id: number): Promise<Record<string, number>> {
  return (await bridge.get(`/sim/truth?robot_id=${id}`)).body.joints;
}

/** Waits until physics moves no joint of an arm by a servo step in 0.1 s, and tells where they are. */
async function resting(id: number): Promise<Record<string, number>> {
  let before = await truth(id);
  for (let i = 0; i < 60; i++) {
    await bridge.pass(0.1);
    const joints = await truth(id);
    const rests = Object.keys(joints).every((name) => Math.abs(joints[name]! - before[name]!) < SERVO_STEP);
    if (rests) return joints;
    before = joints;
  }
  throw new Error('the arm does not come to rest');
}

/** Mirrors the leader, led by the hand to where the follower is, without a ramp left to go. */
async function follow(): Promise<void> {
  await bridge.post('/sim/hand', { robot_id: 0, joints: INIT, duration: 0.7 });
  await bridge.pass(0.8);
  await bridge.post('/move/leader/start', PAIR);
  await bridge.becomes(async () => expect((await bridge.get('/status')).body.mirror.pairs[0].state).toBe('mirroring'));
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
    await bridge.pass(0.5);
    expect((await bridge.status(1)).state).toBe('moving');
    const stop = await bridge.post('/stop');
    expect(stop.body).toMatchObject({ status: 'ok', robots: [0, 1] });
    const answer = await move;
    expect(answer.status).toBe(200);
    expect(answer.body.status).toBe('error');
    expect(answer.body.message).toMatch(/stopped \(POST \/stop/);
    expect(answer.body.duration).toBeLessThan(1.5);
    for (const id of [0, 1]) {
      const arm = await bridge.status(id);
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
    expect(await bridge.status(1)).toMatchObject({ state: 'ready', torque: true, owner: null, reason: '' });
    await bridge.pass(0.5);
    expect(await bridge.status(1)).toMatchObject({ state: 'ready', owner: null });
    expectNear(await truth(1), held, 0.01);
    expect((await bridge.post('/move/absolute?robot_id=1', { x: 0, y: 0, z: 0 })).body.status).toBe('ok');
  });

  test('at any instant from the request to the end answers 200 with an error, or finds the move done', async () => {
    for (let i = 0; i < 12; i++) {
      const move = bridge.post('/move/absolute?robot_id=1', i % 2 ? { x: 0, y: 0, z: 0 } : { x: 0, y: 2, z: 0 });
      await bridge.pass(0.003 * i);
      await bridge.post('/stop?robot_id=1');
      const { status, body } = await move;
      // A stop that comes before the request finds no motion to end: then the request is refused.
      if (status === 409) expect(i).toBeLessThan(4);
      else expect({ status, ...body }).toMatchObject({ status: 'error', message: expect.stringMatching(/stopped/) });
      await bridge.post('/stop/reset?robot_id=1');
    }
  });

  test('of an unknown robot is refused with the known ids, and stops nothing', async () => {
    expect(await bridge.post('/stop?robot_id=7')).toMatchObject({
      status: 400,
      body: { detail: 'Robot ID 7 is unknown. Known ids: 0, 1.' },
    });
    expect((await bridge.status(1)).state).toBe('ready');
  });
});

describe('POST /stop while mirroring', () => {
  test('of the follower, while it ramps: it holds, the pair ends, the leader is not stopped', async () => {
    await bridge.post('/sim/hand', { robot_id: 0, joints: { ...INIT, shoulder_pan: 0.9 }, duration: 0.7 });
    await bridge.pass(0.8);
    await bridge.post('/move/leader/start', PAIR);
    await bridge.pass(0.5);
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
    await bridge.pass(0.5);
    expectNear(await truth(1), held, 0.01);
    expect((await bridge.get('/status')).body.leader_follower_status).toBe(false);
  });

  test('of the leader: the follower holds and is free', async () => {
    await follow();
    await bridge.post('/sim/hand', { robot_id: 0, joints: { shoulder_pan: -0.7 }, duration: 0.6 });
    await bridge.pass(0.3);
    await bridge.post('/stop?robot_id=0');
    // The answer is that of the leader; its pair ends with it.
    await bridge.becomes(async () =>
      expect(await bridge.status(1)).toMatchObject({ state: 'ready', torque: true, owner: null }),
    );
    expect((await bridge.get('/status')).body.mirror.reason).toMatch(/leader: stopped/);
    const held = await resting(1);
    await bridge.post('/sim/hand', { robot_id: 0, joints: { shoulder_pan: 0.5 }, duration: 0.3 });
    await bridge.pass(0.5);
    expectNear(await truth(1), held, 0.01);
  });
});

test('POST /stop on a limp arm leaves it limp and refuses to switch it on; a reset makes it what it was', async () => {
  expect(await bridge.status(0)).toMatchObject({ state: 'connected', torque: false });
  await bridge.post('/stop?robot_id=0');
  expect(await bridge.status(0)).toMatchObject({ state: 'stopped', torque: false });
  for (const refused of await everyMotion(0)) expect([400, 409]).toContain(refused.status);
  // Nor does a stopped arm lead another one.
  expect((await bridge.post('/move/leader/start', PAIR)).status).toBe(400);
  expect(await bridge.status(0)).toMatchObject({ state: 'stopped', torque: false });
  await bridge.post('/stop/reset');
  expect(await bridge.status(0)).toMatchObject({ state: 'connected', torque: false, owner: null });
});

test('POST /stop of one robot leaves the other one moving', async () => {
  await bridge.post('/move/init?robot_id=0');
  const other = bridge.post('/move/absolute?robot_id=0', { x: 0, y: 8, z: 0 });
  const move = bridge.post('/move/absolute?robot_id=1', { x: 0, y: 8, z: 0 });
  await bridge.pass(0.3);
  await bridge.post('/stop?robot_id=1');
  expect((await move).body.status).toBe('error');
  expect((await other).body.status).toBe('ok');
  expect(await bridge.status(0)).toMatchObject({ state: 'ready', owner: null });
  expect((await bridge.post('/stop/reset?robot_id=0')).body.message).toBe('No arm was stopped.');
  expect(await bridge.status(1)).toMatchObject({ state: 'stopped' });
});

describe('a stop of which the stop thread tells', () => {
  const ORIGIN = { who: 'bob', from: '127.0.0.1', what: 'POST /stop', request: 'r-1' };
  const entry = async () => (await bridge.get('/api/v1/events?act=stop&limit=1')).body.events[0];

  /** As that thread does it, while the follower moves quickly. */
  async function stopped(): Promise<void> {
    void bridge.post('/move/absolute?robot_id=1', FAR);
    await bridge.pass(0.8);
    const arm = bridge.arm('follower');
    arm.latch('test');
    arm.toldOfStop('test', bridge.host.clock.now(), ORIGIN);
  }

  test('is written down as done once its joints rest', async () => {
    await stopped();
    expect(await entry()).toMatchObject({ arm: 'follower', who: 'bob', outcome: 'under_way', ended: null });
    await bridge.becomes(async () => expect(await entry()).toMatchObject({ outcome: 'done' }), 1);
    expect(bridge.arm('follower').read().resting).toBe(true);
  });

  test('is written down with the time at which that thread heard it', async () => {
    const arm = bridge.arm('follower');
    const [at, wall] = [bridge.host.clock.now(), bridge.host.clock.wall()];
    await bridge.pass(0.3);
    arm.latch('test');
    arm.toldOfStop('test', at, ORIGIN);
    expect((await entry()).time).toBeCloseTo(wall, 3);
  });

  test('is written down as failed when they go on moving', async () => {
    await stopped();
    // A joint that trembles: half of its readings are off by a degree.
    await bridge.fault('follower', { servos: { 1: { misreads: { position: { share: 0.5, by: 0.02 } } } } });
    await bridge.becomes(async () => expect(await entry()).toMatchObject({ outcome: 'failed' }), 2);
    expect((await entry()).message).toContain('its joints still move 0.8 s later');
  });
});
