import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectNear } from '../support/poses.ts';
import { BridgeProcess, HAS_ROS, sleep } from './support/bridge.ts';
import { type JointRow, Peer, speedChangesOf, speedsOf } from './support/peer.ts';

/** What the design promises of a stop, s; and how much later than the answer's clock a cycle may be. */
const STOP_TIME = 0.25;
const CYCLE = 0.01;
/** What another process on a busy machine may add before the bridge has the request, s. */
const DELIVERY = 0.1;
/** What a machine that is busy with other things may take for anything, ms. */
const PATIENCE = { timeout: 20_000 };
const MOVE_VELOCITY = 1.5;
const MIRROR_ACCELERATION = 25;
/** Steps of goals that came in time, of which more are needed to judge a motion. */
const ENOUGH = 20;
const SERVO_STEP = (2 * Math.PI) / 4096;
const PAIR = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };

/** Joint positions of the follower at init, but for wrist and gripper, where a difference does no harm. */
const INIT = { shoulder_pan: 0, shoulder_lift: -0.7, elbow_flex: 0.7, wrist_flex: 0 };
const FAR = { x: -5, y: 15, z: 5 };

let bridge: BridgeProcess;
beforeAll(async () => {
  bridge = await BridgeProcess.start();
});
beforeEach(home);
afterAll(async () => {
  await bridge.endStopped();
});

/** The follower at init; the leader limp at rest. */
async function home(): Promise<void> {
  await bridge.post('/move/leader/stop');
  await bridge.post('/stop/reset');
  await bridge.post('/move/init?robot_id=1');
  if ((await bridge.arm(0)).torque) {
    await bridge.post('/move/leader/start', PAIR);
    await expect.poll(async () => (await bridge.arm(0)).torque, { timeout: 20_000 }).toBe(false);
    await bridge.post('/move/leader/stop');
  }
  await bridge.post('/sim/hand', { robot_id: 0, joints: null });
}

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

/** Mirrors the leader, led by the hand to where the follower is, without a ramp left to go. */
async function follow(): Promise<void> {
  await bridge.post('/sim/hand', { robot_id: 0, joints: INIT, duration: 0.7 });
  await sleep(0.8);
  await bridge.post('/move/leader/start', PAIR);
  await expect
    .poll(async () => (await bridge.get('/status')).body.mirror.pairs[0].state, { timeout: 20_000 })
    .toBe('mirroring');
}

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
    await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('moving');
    await sleep(0.5);
    const asked = Date.now() / 1000;
    await bridge.post('/stop');
    await move;
    await sleep(0.6);
    expectStopped(await goals(), asked, MOVE_VELOCITY);
  });

  test('mirroring at full speed rests within 0.25 s of a stop', async () => {
    // A busy machine leaves few steps between cycles that were on time, so it takes more rounds until there is enough to judge.
    for (let judged = 0; judged <= ENOUGH; ) {
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
      judged += steps.length;
      await home();
    }
  });

  test('the services ~/stop and ~/reset do the same for their arm', async () => {
    await peer.find('/follower/arm_bridge/stop');
    const move = bridge.post('/move/absolute?robot_id=1', FAR);
    await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('moving');
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
    await expect.poll(async () => (await bridge.arm(1)).owner, PATIENCE).toContain('joint_commands');
    await sleep(0.3);
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
