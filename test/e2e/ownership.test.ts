import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BridgeProcess, HAS_ROS, sleep } from './support/bridge.ts';
import { type JointRow, type MirrorRow, Peer, speedChangesOf, speedsOf, topSpeed } from './support/peer.ts';

const MOVE_VELOCITY = 1.5;
const MOVE_ACCELERATION = 6;
/** Goals are published at 100 Hz, two cycles apart, s. */
const PUBLISHED = 0.01;
/** Steps of goals that came in time, of which more are needed to judge a motion. */
const ENOUGH = 20;
/** What a machine that is busy with other things may take for anything, ms. */
const PATIENCE = { timeout: 20_000 };
const PAIR = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
const FAR = { x: -5, y: 15, z: 5 };
const OTHER_WAY = { x: -5, y: -12, z: 0 };

let bridge: BridgeProcess;
beforeAll(async () => {
  bridge = await BridgeProcess.start();
});
beforeEach(async () => {
  await bridge.post('/move/leader/stop?release=hold');
  await bridge.post('/move/init?robot_id=1');
});
afterAll(async () => {
  await bridge.endStopped();
});

async function position(id: number): Promise<{ x: number; y: number; z: number }> {
  return (await bridge.post(`/end-effector/read?robot_id=${id}`, { sync: true })).body;
}

describe('a client that hangs up', () => {
  test('makes its arm decelerate to a hold, free for the next', async () => {
    const client = new AbortController();
    const move = bridge.post('/move/absolute?robot_id=1', FAR, client.signal);
    await expect.poll(async () => (await position(1)).y, { ...PATIENCE, interval: 20 }).toBeGreaterThan(0.5);
    client.abort();
    await expect(move).rejects.toThrow();
    await expect.poll(() => bridge.arm(1), PATIENCE).toMatchObject({ state: 'ready', owner: null });
    await sleep(0.3);
    const held = await position(1);
    expect(held.y).toBeGreaterThan(0.5);
    expect(held.y).toBeLessThan(FAR.y - 1);
    await sleep(0.4);
    expect(Math.abs((await position(1)).y - held.y)).toBeLessThan(0.1);
  });

  test('does not end mirroring that it started', async () => {
    const client = new AbortController();
    await bridge.post('/move/leader/start', PAIR, client.signal);
    client.abort();
    await sleep(0.3);
    expect((await bridge.arm(1)).state).toBe('mirroring');
  });
});

describe.skipIf(!HAS_ROS)('as rclpy records it', () => {
  let peer: Peer;
  let goals: () => Promise<JointRow[]>;
  let mirror: () => Promise<MirrorRow[]>;
  beforeAll(async () => {
    peer = await Peer.start();
    goals = await peer.record('joints', '/follower/joint_goals');
    mirror = await peer.record('mirror', '/arm_bridge/mirror_state');
    await peer.advertise('/follower/joint_commands');
  });
  beforeEach(async () => {
    await goals();
  });
  afterAll(async () => {
    await peer.close();
  });

  /** Speed and acceleration of the goals of moves keep to their limits, whoever hands over to whom. */
  function expectContinuous(rows: readonly JointRow[]): void {
    expect(topSpeed(rows)).toBeLessThan(MOVE_VELOCITY * 1.05);
    const steps = speedChangesOf(rows, PUBLISHED);
    // A cycle's change of the weight's correction, and the jitter of stamps, come on top.
    for (const { dt, changes } of steps)
      for (const change of changes) expect(change).toBeLessThan(MOVE_ACCELERATION * 1.2 * dt + 0.05);
    expect(steps.length).toBeGreaterThan(ENOUGH);
  }

  test('goals go on without a jump when a move is superseded, reversed, or its client hangs up', async () => {
    const rows: JointRow[] = [];
    // A busy computer publishes few goals in time, so it takes more rounds until there is enough to judge.
    while (speedChangesOf(rows, PUBLISHED).length <= ENOUGH) {
      const first = bridge.post('/move/absolute?robot_id=1', FAR);
      await sleep(0.5);
      const second = bridge.post('/move/absolute?robot_id=1', OTHER_WAY);
      await first;
      await sleep(0.7);
      const client = new AbortController();
      const third = bridge.post('/move/absolute?robot_id=1', FAR, client.signal);
      await second;
      await sleep(0.4);
      client.abort();
      await third.catch(() => {});
      await sleep(0.6);
      rows.push(...(await goals()));
    }
    expectContinuous(rows);
    const last = speedsOf(rows).slice(-20);
    for (const { speeds } of last) for (const speed of speeds) expect(speed).toBe(0);
  });

  test('/arm_bridge/mirror_state tells the start and the end with its reason', async () => {
    await mirror();
    await bridge.post('/move/leader/start', PAIR);
    const rows: MirrorRow[] = [];
    const active = async (): Promise<boolean | undefined> => {
      rows.push(...(await mirror()));
      return rows.at(-1)?.active;
    };
    await expect.poll(active, PATIENCE).toBe(true);
    await bridge.post('/move/init?robot_id=1&take_over=true');
    await expect.poll(active, PATIENCE).toBe(false);
    const during = rows.find((row) => row.active);
    expect(during?.pairs).toMatchObject([{ leader: 'leader', follower: 'follower' }]);
    expect(rows.at(-1)).toMatchObject({ active: false, reason: expect.stringMatching(/taken over by an HTTP client/) });
  });

  test('a stream of joint_commands owns the arm: moves are refused with its name, or take it over', async () => {
    const stream = peer.publish('/follower/joint_commands', Array(80).fill({ shoulder_pan: 0.3 }), 0.02);
    await expect.poll(async () => (await bridge.arm(1)).owner, PATIENCE).toContain('/follower/joint_commands');
    const refused = await bridge.post('/move/absolute?robot_id=1', { x: 0 });
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain('/follower/joint_commands');
    expect((await bridge.post('/move/absolute?robot_id=1&take_over=true', { x: 0, y: 3, z: 0 })).body.status).toBe(
      'ok',
    );
    await stream;
    await expect.poll(() => bridge.arm(1), PATIENCE).toMatchObject({ state: 'ready', owner: null });
  });

  test('commands are refused while mirroring drives the arm', async () => {
    await bridge.post('/move/leader/start', PAIR);
    await peer.publish('/follower/joint_commands', Array(10).fill({ shoulder_pan: 0.9 }), 0.02);
    expect(await bridge.arm(1)).toMatchObject({
      state: 'mirroring',
      owner: expect.stringContaining('leader-follower control, started by'),
    });
    await expect
      .poll(() => bridge.log, PATIENCE)
      .toMatch(/joint_commands refused: Arm follower is driven by leader-follower control/);
  });
});
