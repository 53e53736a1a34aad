import { beforeEach, expect, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import { JointStateEncoder } from '../../src/ros/cdr.ts';
import { ArmNames } from '../../src/ros/names.ts';
import type { Qualities } from '../../src/ros/qos.ts';
import type { RosNode } from '../../src/ros/rclnodejs.ts';
import { RemoteArm } from '../../src/ros/remote-arm.ts';
import { type OwnerStatus, RemoteOwner } from '../../src/ros/remote-owner.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';
import { fakeLog } from './support/fakes.ts';

const CONFIG = {
  arms: [
    { name: 'leader', id: 0, bus: 'sim:so101' },
    { name: 'follower', id: 1, bus: 'ros' },
  ],
};
const PAIR = {
  robot_pairs: [{ leader_id: 0, follower_id: 1 }],
  invert_controls: false,
  enable_gravity_compensation: false,
};
const SELF = 'bridge here (3f2a91c0) on the ROS topic /follower/joint_commands';
const READY: OwnerStatus = { state: 'ready', holding: true, owner: '', unplaced: '', reason: '' };

let bridge: VirtualBridge;
let follower: Arm;
let owner: RemoteOwner;
let beat: { cancel(): void };
beforeEach(async () => {
  bridge = await VirtualBridge.start(CONFIG);
  follower = bridge.arm('follower');
  owner = new RemoteOwner(follower, bridge.bridge.streams, SELF);
  const rest = follower.model.poses.get('rest')!;
  // The machine that owns the follower's bus tells where it is.
  beat = bridge.host.clock.every(0.01, () => bridge.bridge.streams.remoteState(follower, rest, null, null));
  await bridge.pass(0.5);
});

/** The machine that owns the bus tells a state of the arm. */
async function told(status: Partial<OwnerStatus>): Promise<void> {
  owner.told({ ...READY, ...status });
  await bridge.pass(0.1);
}

const start = () => bridge.post('/move/leader/start', PAIR);
const pair = () => bridge.bridge.mirror.status();

test('a remote follower that its machine says is stopped, limp or gone is refused, in the words of that machine', async () => {
  for (const [status, words] of [
    [{ state: 'stopped', reason: 'the red button' }, /stopped on its own machine \(the red button\): reset it there/],
    [{ state: 'connected', holding: false }, /limp: switch its torque on at the machine that owns its bus/],
    [{ state: 'disconnected', reason: 'unplugged' }, /disconnected on its own machine \(unplugged\)/],
  ] as const) {
    await told(status);
    const { status: code, body } = await start();
    expect(code).toBe(400);
    expect(body.detail).toMatch(words);
    expect(pair().active).toBe(false);
  }
  await told({});
  expect((await start()).body.status).toBe('ok');
});

test('a remote arm that is limp on its machine, or floated there by somebody, leads an arm of this one; one that is stopped there does not', async () => {
  const turned = { ...PAIR, robot_pairs: [{ leader_id: 1, follower_id: 0 }] };
  await told({ state: 'stopped', reason: 'the red button' });
  expect((await bridge.post('/move/leader/start', turned)).body.detail).toContain('the red button');
  for (const status of [
    { state: 'connected', holding: false },
    { state: 'floating', owner: 'an HTTP client' },
  ]) {
    await told(status);
    expect((await bridge.post('/move/leader/start', turned)).body).toMatchObject({ status: 'ok' });
    beat.cancel();
    const led = follower.model.poses.get('rest')!.slice();
    led[0] = 0.4;
    beat = bridge.host.clock.every(0.01, () => bridge.bridge.streams.remoteState(follower, led, null, null));
    await bridge.pass(3);
    await told(status);
    expect(pair()).toMatchObject({ active: true, pairs: [{ state: 'mirroring' }] });
    expect(bridge.arm('leader').read().positions[0]).toBeCloseTo(0.4, 1);
    expect((await bridge.post('/move/leader/stop')).body.status).toBe('ok');
  }
  expect((await bridge.post('/move/leader/start', turned)).body.status).toBe('ok');
  await told({ state: 'stopped', reason: 'the red button' });
  expect(pair()).toMatchObject({ active: false, reason: expect.stringContaining('the red button') });
});

test('a remote arm that is limp or stopped on its machine is disconnected here, and connected again', async () => {
  for (const status of [{ state: 'stopped' }, { state: 'connected', holding: false }, {}]) {
    await told(status);
    expect((await bridge.post('/robot/disconnect?robot_id=1')).body).toMatchObject({ status: 'ok' });
    expect(follower.read().state).toBe('disconnected');
    const added = await bridge.post('/robot/add-connection', { robot_name: 'follower', connection_details: {} });
    expect(added.body).toMatchObject({ status: 'ok', robot_id: 1 });
  }
});

test('what its machine does with a remote follower ends its pair, with the reason', async () => {
  for (const [status, words] of [
    [{ state: 'stopped', reason: 'the red button' }, /stopped on its own machine \(the red button\)/],
    [{ state: 'connected', holding: false }, /has switched its torque off/],
    [{ state: 'moving', owner: 'an HTTP client' }, /an HTTP client drives it/],
  ] as const) {
    await told({});
    expect((await start()).body.status).toBe('ok');
    await told({ state: 'moving', owner: SELF });
    expect(pair().active).toBe(true);
    await told(status);
    expect(pair().active).toBe(false);
    expect(pair().reason).toMatch(words);
    // Nothing begins again by itself once it may.
    await told({});
    await bridge.pass(1);
    expect(pair().active).toBe(false);
  }
});

test('a remote follower that somebody else drives on its machine is refused with that name, and let go of after a take-over', async () => {
  for (const other of [
    'an HTTP client',
    'bridge here (7c11d2e4) on the ROS topic /follower/joint_commands',
    'the ROS node /player on the ROS topic /follower/joint_commands',
  ]) {
    await told({ state: 'moving', owner: other });
    const { status, body } = await start();
    expect([status, body.detail]).toEqual([409, expect.stringContaining(`driven by ${other} on its own machine`)]);
    expect(pair().active).toBe(false);
    // What that machine tells may be past by now.
    expect((await bridge.post('/move/leader/start?take_over=true', PAIR)).body.status).toBe('ok');
    await bridge.pass(1);
    expect(pair().active).toBe(false);
    expect(pair().reason).toContain(`${other} drives it on its own machine`);
  }
  await told({});
  expect((await start()).body.status).toBe('ok');
  await bridge.pass(2.1);
  expect(pair().reason).toMatch(/does not follow$/);
  expect((await start()).body.status).toBe('ok');
  await told({ owner: SELF });
  await told({});
  expect(pair().reason).toMatch(/does not follow any more/);
});

test('a leader whose remote follower tells no torques says so, and feels it once it does; one of another machine is refused', async () => {
  await told({});
  const asked = { ...PAIR, enable_gravity_compensation: true, force_feedback: { arm: 0.5 } };
  const turned = { ...asked, robot_pairs: [{ leader_id: 1, follower_id: 0 }] };
  const { status, body } = await bridge.post('/move/leader/start', turned);
  expect([status, body.detail]).toEqual([400, expect.stringContaining('follower belongs to another machine')]);
  expect((await bridge.post('/move/leader/start', asked)).body.status).toBe('ok');
  await told({ owner: SELF });
  const felt = () => pair().pairs[0]!;
  await bridge.becomes(() => expect(felt().reason).toMatch(/leader feels nothing: the machine of follower/));
  const external = async () => (await bridge.get('/api/v1/arms')).body.arms[1].now.joints.external;
  expect(await external()).toEqual(follower.model.joints.map(() => null));
  const push = bridge.host.clock.every(0.01, () => {
    bridge.bridge.streams.remoteTorques(
      follower,
      Float64Array.from(follower.model.joints, () => 0.25),
    );
  });
  await bridge.becomes(() => expect(felt().reason).toBe(''));
  expect((await external())[0]).toBe(0.25);
  expect(felt().forceFeedback).toEqual({ arm: 0.5, gripper: 0 });
  push.cancel();
  await bridge.becomes(() => expect(felt().reason).toMatch(/feels nothing/));
});

test('a remote arm of which several programs tell is not driven, and what was told last counts once one of them is left', async () => {
  await told({});
  expect((await start()).body.status).toBe('ok');
  await told({ state: 'moving', owner: SELF });
  owner.ambiguous = '2 programs publish /follower/joint_states';
  await bridge.pass(0.1);
  expect(pair()).toMatchObject({ active: false, reason: expect.stringContaining('2 programs publish /follower') });
  await told({});
  expect((await start()).body.detail).toContain('2 programs publish /follower/joint_states');
  await told({ state: 'stopped', reason: 'the red button' });
  expect((await start()).body.detail).toContain('2 programs publish /follower/joint_states');
  owner.ambiguous = '';
  await bridge.pass(0.1);
  expect((await start()).body.detail).toContain('stopped on its own machine (the red button)');
  await told({});
  expect((await start()).body.status).toBe('ok');
});

test('states of two arms in turn are those of none, from when a second program is seen until it has gone', async () => {
  beat.cancel();
  const heard = new Map<string, (message: Buffer) => void>();
  let publishers = 1;
  const node = {
    createPublisher: () => ({ publish: () => {} }),
    createSubscription: (_type: string, topic: string, _options: unknown, hear: (message: Buffer) => void) =>
      void heard.set(topic, hear),
    getPublishersInfoByTopic: () => Array(publishers).fill({}),
  } as unknown as RosNode;
  const { streams } = bridge.bridge;
  const identity = { id: '3f2a91c0-0c6e-4d1f-9f5c-2b7e64a1d0aa', name: 'here' };
  const names = new ArmNames(follower, null);
  const remote = new RemoteArm(node, '', follower, names, streams, {} as Qualities, fakeLog, identity);
  const encoder = new JointStateEncoder(names.joints, '');
  const states = Float64Array.from(follower.model.joints, () => 0.1);
  const telling = bridge.host.clock.every(0.01, () =>
    heard.get('follower/joint_states')!(Buffer.from(encoder.encode(bridge.host.clock.wall(), states, null, null))),
  );
  const looked = async (count: number) => {
    publishers = count;
    remote.look();
    await bridge.pass(1);
    return (await bridge.get('/api/v1/arms')).body.arms[1].now;
  };
  expect(await looked(1)).toMatchObject({ state: 'ready', reason: '' });
  expect(await looked(2)).toMatchObject({
    state: 'disconnected',
    reason: expect.stringMatching(/^2 programs publish \/follower\/joint_states, .*: rename one of the arms/),
  });
  expect(await looked(1)).toMatchObject({ state: 'ready', reason: '' });
  telling.cancel();
});

test('a remote arm of which no bridge tells a state is driven: another program may own its bus', async () => {
  expect((await start()).body.status).toBe('ok');
  beat.cancel();
});
