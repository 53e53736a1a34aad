import { beforeEach, expect, test, vi } from 'vitest';
import { VirtualHost } from '../../explore/virtual-host.ts';
import { bridgeTo, VirtualRig } from '../support/rig.ts';
import { PAIR, VirtualBridge } from '../support/virtual-bridge.ts';

/** Within which both arms are down, s. */
const EXIT_LIMIT = 10;
/** A joint of an arm that is down is so near to its rest pose, rad; and no joint was faster on its way, rad/s. */
const DOWN = 0.06;
const LOWERING_SPEED = 1.1;
/** Joint movement that counts as none: springs that settle, rad. */
const STILL = 0.01;

let bridge: VirtualBridge;
beforeEach(async () => {
  bridge = await VirtualBridge.startLight(PAIR);
  bridge.host.armsOutlive = true;
});

const told = (text: RegExp) => bridge.lines.filter(({ msg }) => text.test(msg)).length;
/** Whether the leader and the follower have torque after the end, by their servos. */
async function held(): Promise<boolean[]> {
  const truths = ['leader', 'follower'].map((name) => bridge.until(bridge.host.arms!.truth(name)));
  return (await Promise.all(truths)).map(({ motorTorques }) => motorTorques.some((torque) => torque !== 0));
}

test('from poses far from rest both arms are down in time, also with replies lost', async () => {
  await bridge.post('/move/init');
  const moved = await Promise.all([
    bridge.post('/move/absolute?robot_id=0', { x: 3, y: -16, z: -14 }),
    bridge.post('/move/absolute?robot_id=1', { x: -12, y: 25, z: 14, open: 1 }),
  ]);
  for (const { body } of moved) expect(body.status, body.message).toBe('ok');
  await bridge.fault('leader', { loseRate: 0.02 });
  await bridge.until(bridge.bridge.close(), EXIT_LIMIT);
  expect(await held()).toEqual([false, false]);
  expect(told(/(leader|follower) .*holds/)).toBe(0);
});

test('an end while mirroring ends the pair, lowers the follower slowly and releases it', async () => {
  await bridge.post('/move/init?robot_id=1');
  const { joints } = bridge.arm('leader').model;
  const init = bridge.arm('leader').model.poses.get('init')!;
  await bridge.lead('leader', Object.fromEntries(joints.map(({ name }, j) => [name, init[j]!])), 0.5);
  await bridge.pass(0.7);
  await bridge.post('/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] });
  await bridge.becomes(async () => expect((await bridge.get('/status')).body.mirror.pairs[0].state).toBe('mirroring'));
  let fastest = 0;
  const { arms, clock } = bridge.host;
  const look = clock.every(0.01, () => {
    void arms!.truth('follower').then(({ velocities }) => {
      fastest = Math.max(fastest, ...velocities.map(Math.abs));
    });
  });
  await bridge.until(bridge.bridge.close(), EXIT_LIMIT);
  look.cancel();
  expect(await held()).toEqual([false, false]);
  const rest = bridge.arm('follower').model.poses.get('rest')!;
  const down = await bridge.truth('follower');
  for (const j of [1, 2, 3]) expect(Math.abs(down[j]! - rest[j]!), `joint ${j}`).toBeLessThan(DOWN);
  expect(fastest).toBeLessThan(LOWERING_SPEED);
});

test('a stopped arm is neither moved nor released, and it is said how to release it', async () => {
  await bridge.post('/move/init?robot_id=1');
  await bridge.post('/stop');
  await bridge.pass(0.3);
  const before = await bridge.truth('follower');
  await bridge.until(bridge.bridge.close(), EXIT_LIMIT);
  expect(await held()).toEqual([false, true]);
  const positions = await bridge.truth('follower');
  for (const [j, angle] of before.entries()) expect(Math.abs(positions[j]! - angle), `joint ${j}`).toBeLessThan(STILL);
  expect(told(/follower is stopped and holds; .*reset/)).toBe(1);
  expect(told(/leader is stopped and holds/)).toBe(0);
});

test.each([0.05, 0.4, 1])(
  'a stop %d s after the arms began to go down is answered before HTTP closes',
  async (after) => {
    await bridge.post('/move/init');
    const { http } = bridge.bridge;
    const closed = vi.spyOn(http, 'close');
    const ended = bridge.bridge.close();
    await bridge.pass(after);
    const { status, body } = await bridge.post('/stop');
    expect([status, body.status]).toEqual([200, 'ok']);
    expect(closed).not.toHaveBeenCalled();
    await bridge.until(ended, EXIT_LIMIT);
    expect(await held()).toEqual([true, true]);
  },
);

test('an arm that is lowered makes up for goals that its servos could not be sent no faster than it may go down', async () => {
  const host = new VirtualHost(null);
  const rig = new VirtualRig(host);
  const alone = await bridgeTo(host, { arm: rig });
  expect((await alone.post('/move/init')).body.status).toBe('ok');
  let [last, fastest] = [rig.goals(), 0];
  const look = host.controlLane.every(0.05, () => {
    const goals = rig.goals();
    const steps = goals.map((goal, i) => Math.abs(goal - last[i]!));
    fastest = Math.max(fastest, (Math.max(...steps) * 2 * Math.PI) / 4096 / 0.05);
    last = goals;
  });
  const { onReply } = rig;
  const ended = alone.bridge.close();
  for (let i = 0; i < 3; i++) {
    await alone.pass(0.1);
    rig.onReply = () => {};
    await alone.pass(0.04);
    rig.onReply = onReply;
  }
  await alone.until(ended, EXIT_LIMIT);
  look.cancel();
  expect(fastest).toBeGreaterThan(0.5);
  // A cycle more or less falls within the time over which steps are counted.
  expect(fastest).toBeLessThan(1.25);
});
