import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bridge } from '../../src/bridge.ts';
import { DEFAULT_CONFIG_FILE, loadConfig } from '../../src/config/load.ts';
import type { SimulatedArms } from '../../src/host.ts';
import { loadRclnodejs, type RosContext } from '../../src/ros/rclnodejs.ts';
import { startBridge } from '../support/compiled-bridge.ts';
import { GoalWatch } from '../support/goal-watch.ts';
import { BridgeClient, HAS_ROS, rosEnvironment, sleep } from './support/bridge.ts';
import { Peer } from './support/peer.ts';

const PAIR = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
/** How far the hand leads the leader, rad, and how long that takes, s; ROS goes in the middle. */
const WAY = 1;
const TIME = 2.4;
/** Speed of the hand in the middle of its way, rad/s: it starts and ends at rest. */
const TOP_SPEED = (1.875 * WAY) / TIME;
/** A follower that held for want of samples would be further behind its leader than this, s of the way. */
const BEHIND = 0.15;
/** Droop that the model does not know, friction and the servos' steps, rad. */
const NEAR = 0.03;

describe.skipIf(!HAS_ROS)('a pair of one bridge while ROS goes', () => {
  let bridge: Bridge;
  let simulation: SimulatedArms;
  let log = '';
  let direction = 1;
  const client = new BridgeClient();
  beforeAll(async () => {
    const { ROS_DOMAIN_ID, ROS_LOG_DIR, ROS_AUTOMATIC_DISCOVERY_RANGE } = rosEnvironment();
    // Without shared memory, of which the system keeps what a killed process had.
    const FASTDDS_BUILTIN_TRANSPORTS = 'UDPv4';
    Object.assign(process.env, {
      ROS_DOMAIN_ID,
      ROS_LOG_DIR,
      ROS_AUTOMATIC_DISCOVERY_RANGE,
      FASTDDS_BUILTIN_TRANSPORTS,
    });
    const config = loadConfig(DEFAULT_CONFIG_FILE, {}, { port: 0, ros: true });
    const write = (line: string): void => {
      log += line;
    };
    bridge = await startBridge(config, pino({ level: 'warn' }, { write }));
    simulation = bridge.simulation!;
    client.url = `http://127.0.0.1:${bridge.address.port}`;
    await simulation.hand('leader', { shoulder_pan: 0, shoulder_lift: -0.7, elbow_flex: 0.7 }, 0.5);
  });
  afterAll(async () => {
    await client.post('/stop');
    await bridge.close();
  });

  const mirrors = () =>
    expect
      .poll(async () => (await client.get('/status')).body.mirror.pairs[0], { timeout: 8000 })
      .toMatchObject({ state: 'mirroring', reason: '' });

  async function truths(): Promise<[number[], number[]]> {
    const [leader, follower] = await Promise.all([simulation.truth('leader'), simulation.truth('follower')]);
    return [leader.positions, follower.positions];
  }

  /** The hand leads the leader's base while `loss` happens; MuJoCo tells where both arms are all the time. */
  async function follows(loss: () => Promise<void>): Promise<void> {
    await client.post('/move/leader/stop?release=hold');
    await client.raise('?robot_id=1');
    expect((await client.post('/move/leader/start', PAIR)).body.status).toBe('ok');
    await mirrors();
    const [before] = await truths();
    const goal = before[0]! + direction * WAY;
    direction = -direction;
    await simulation.hand('leader', { shoulder_pan: goal }, TIME);
    const lost = sleep(TIME / 3).then(loss);
    const ends = Date.now() + (TIME + 0.4) * 1000;
    let worst = 0;
    const watch = new GoalWatch(bridge.arms.all[1]!);
    while (Date.now() < ends) {
      const [leader, follower] = await truths();
      for (const [j, angle] of leader.entries()) worst = Math.max(worst, Math.abs(angle - follower[j]!));
      await sleep(0.01);
    }
    await lost;
    await watch.expectSafe();
    const [leader, follower] = await truths();
    expect(Math.abs(leader[0]! - goal)).toBeLessThan(NEAR);
    expect(worst).toBeLessThan(NEAR + TOP_SPEED * BEHIND);
    for (const [j, angle] of leader.entries()) {
      expect(Math.abs(angle - follower[j]!), `joint ${j}`).toBeLessThan(NEAR);
    }
    await mirrors();
    expect(await client.arm(1)).toMatchObject({
      state: 'mirroring',
      torque: true,
      owner: expect.stringContaining('leader-follower control, started by'),
    });
  }

  test('programs that read its topics stop reading and are killed: the follower goes on', async () => {
    const peers = [await Peer.start(), await Peer.start()];
    for (const peer of peers) {
      for (const topic of ['/leader/joint_states', '/follower/joint_goals']) await peer.record('joints', topic);
    }
    await follows(async () => {
      for (const peer of peers) void peer.kill('SIGSTOP');
      await sleep(0.5);
      await Promise.all(peers.map((peer) => peer.kill('SIGKILL')));
    });
  });

  test('its own place on the graph is destroyed under it: the follower goes on, and the log says so in a few lines', async () => {
    const load = await loadRclnodejs();
    if (!load.ok) throw new Error(load.reason);
    const { instances } = load.rcl.Context as unknown as { readonly instances: readonly RosContext[] };
    expect(instances).toHaveLength(1);
    await follows(async () => instances[0]!.shutdown());
    // The first, the tenth, the hundredth time and so on, of hundreds each second.
    const told = log.match(/ROS 2 publishing failed/g)?.length;
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThan(7);
    expect((await client.post('/move/leader/stop')).body.status).toBe('ok');
    expect((await client.post('/move/init?robot_id=1')).body.status).toBe('ok');
  });
});
