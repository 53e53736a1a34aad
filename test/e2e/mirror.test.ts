import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BridgeProcess, HAS_ROS, rosProgram, sleep } from './support/bridge.ts';

/** What the design promises of mirroring. */
const MIRROR_VELOCITY = 3;
const SERVO_STEP = (2 * Math.PI) / 4096;
const RAMP_SPEED = 0.6;

const PAIR = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
const SECONDS = 60;

/** Where the hand leads the joints, rad, t s after the start. */
function path(t: number): Record<string, number> {
  const swing = (amplitude: number, rate: number, phase: number): number => amplitude * Math.sin(rate * t + phase);
  return {
    shoulder_pan: swing(0.75, 2.2, 0),
    shoulder_lift: -0.6 + swing(0.3, 1.7, 1),
    elbow_flex: 0.1 + swing(0.5, 1.9, 2),
    wrist_flex: 0.1 + swing(0.5, 2.9, 3),
    wrist_roll: swing(0.8, 1.9, 4),
    gripper: 0.6 + swing(0.4, 2.5, 5),
  };
}

type Rows = [number, number[]][];

let bridge: BridgeProcess;
beforeAll(async () => {
  bridge = await BridgeProcess.start();
});
afterAll(async () => {
  await bridge.end();
});

/** Value of joint `j` at time `t`, between the two nearest samples. */
function at(rows: Rows, j: number, t: number, from: number): { value: number; index: number } {
  let i = from;
  while (i < rows.length - 2 && rows[i + 1]![0] < t) i++;
  const [t0, a] = rows[i]!;
  const [t1, b] = rows[i + 1]!;
  return { value: a[j]! + ((b[j]! - a[j]!) * (t - t0)) / (t1 - t0), index: i };
}

/** Differences follower(t) - leader(t - lag) over all joints and samples. */
function residuals(leader: Rows, follower: Rows, lag: number, joints: number): number[] {
  const out: number[] = [];
  for (let j = 0; j < joints; j++) {
    let index = 0;
    for (const [t, positions] of follower) {
      const when = t - lag;
      if (when < leader[0]![0] || when > leader.at(-1)![0]) continue;
      const there = at(leader, j, when, index);
      index = there.index;
      out.push(positions[j]! - there.value);
    }
  }
  return out;
}

function largestSpeed(rows: Rows): number {
  let largest = 0;
  for (let i = 5; i < rows.length; i++) {
    for (let j = 0; j < rows[i]![1].length; j++) {
      largest = Math.max(largest, Math.abs(rows[i]![1][j]! - rows[i - 5]![1][j]!) / (rows[i]![0] - rows[i - 5]![0]));
    }
  }
  return largest;
}

describe.skipIf(!HAS_ROS)('mirroring, as rclpy records it', () => {
  test('over a minute the follower is at most 60 ms behind, within 0.02 rad, and no goal steps beyond the limit', async () => {
    await bridge.post('/move/init');
    // The hand lifts the leader away first, so that the start has a difference to ramp over.
    await bridge.post('/move/leader/start', PAIR);
    await bridge.post('/sim/hand', { robot_id: 0, joints: path(0), duration: 1.5 });
    await sleep(4);

    const recording = rosProgram(
      'record.py',
      String(SECONDS + 2),
      '/leader/joint_states',
      '/follower/joint_states',
      '/follower/joint_goals',
    );
    await sleep(1.5);
    const began = Date.now();
    for (;;) {
      const t = (Date.now() - began) / 1000;
      if (t > SECONDS) break;
      await bridge.post('/sim/hand', { robot_id: 0, joints: path(t), duration: 0.05 });
      await sleep(0.04);
    }
    const recorded = await recording;
    const leader = recorded['/leader/joint_states'] as Rows;
    const follower = recorded['/follower/joint_states'] as Rows;
    const goals = recorded['/follower/joint_goals'] as Rows;
    expect(follower.length).toBeGreaterThan(SECONDS * 80);
    expect(largestSpeed(leader)).toBeGreaterThan(1.5);

    let best = { lag: 0, sum: Number.POSITIVE_INFINITY };
    for (let lag = 0; lag <= 0.15; lag += 0.001) {
      const sum = residuals(leader, follower, lag, 6).reduce((total, r) => total + r * r, 0);
      if (sum < best.sum) best = { lag, sum };
    }
    const left = residuals(leader, follower, best.lag, 6).map(Math.abs);
    const within = left.filter((r) => r <= 0.02).length / left.length;
    let step = 0;
    for (let i = 1; i < goals.length; i++) {
      const dt = goals[i]![0] - goals[i - 1]![0];
      for (let j = 0; j < 6; j++) {
        const moved = Math.abs(goals[i]![1][j]! - goals[i - 1]![1][j]!);
        step = Math.max(step, moved - MIRROR_VELOCITY * dt - SERVO_STEP);
      }
    }
    console.info(
      `mirroring: lag ${(best.lag * 1000).toFixed(0)} ms, ${(within * 100).toFixed(2)} % within 0.02 rad, ` +
        `leader's peak ${largestSpeed(leader).toFixed(2)} rad/s, ${follower.length} samples`,
    );
    expect(best.lag).toBeLessThanOrEqual(0.06);
    expect(within).toBeGreaterThanOrEqual(0.99);
    expect(step).toBeLessThanOrEqual(0);
    await bridge.post('/move/leader/stop');
    await bridge.post('/sim/hand', { robot_id: 0, joints: null, duration: 0 });
  }, 180_000);

  test('the start is a ramp however far leader and follower are apart, and the stop leaves the follower holding', async () => {
    await bridge.post('/move/init');
    await bridge.post('/move/leader/start', PAIR);
    await bridge.post('/move/leader/stop');
    const apart = { shoulder_pan: 1.2, shoulder_lift: -0.4, elbow_flex: 0.2 };
    await bridge.post('/sim/hand', { robot_id: 0, joints: apart, duration: 1.5 });
    await sleep(3);
    const recording = rosProgram('record.py', '6', '/follower/joint_goals', '/follower/joint_states');
    await sleep(1.5);
    await bridge.post('/move/leader/start', PAIR);
    await sleep(1);
    expect((await bridge.get('/status')).body.mirror.pairs[0].state).toBe('ramping');
    await sleep(2);
    await bridge.post('/move/leader/stop');
    expect(await bridge.arm(1)).toMatchObject({ state: 'ready', torque: true, owner: null });
    const recorded = await recording;
    const goals = recorded['/follower/joint_goals'] as Rows;
    for (let i = 1; i < goals.length; i++) {
      const most = RAMP_SPEED * 1.1 * (goals[i]![0] - goals[i - 1]![0]) + SERVO_STEP;
      for (let j = 0; j < 6; j++) expect(Math.abs(goals[i]![1][j]! - goals[i - 1]![1][j]!)).toBeLessThanOrEqual(most);
    }
    const states = recorded['/follower/joint_states'] as Rows;
    const sag = (j: number): number => Math.abs(states.at(-1)![1][j]! - states.at(-30)![1][j]!);
    for (let j = 0; j < 6; j++) expect(sag(j)).toBeLessThan(0.01);
  });
});
