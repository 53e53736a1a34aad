import { beforeEach, expect, test } from 'vitest';
import type { Entry } from '../../src/arm/journal.ts';
import { ArmServices } from '../../src/ros/arm-services.ts';
import { type Episodes, offerEpisodes } from '../../src/ros/episode-services.ts';
import { offerMirroring } from '../../src/ros/mirror-services.ts';
import { judge } from '../../src/ros/parameters.ts';
import type { Rcl, RosNode } from '../../src/ros/rclnodejs.ts';
import { PAIR, VirtualBridge } from '../support/virtual-bridge.ts';

/** What any service may be asked. */
const REQUEST = {
  ...{ data: true, only_gripper: false, sync: false },
  ...{ pairs: [{ leader: 'leader', follower: 'follower' }], invert_controls: false },
  ...{ gravity_compensation: false, gravity_shoulder: 0, gravity_elbow: 0, gravity_wrist: 0 },
  ...{ on_mismatch: '', mismatch_threshold: 0, align: '', take_over: false, release: '' },
  ...{ name: '', dataset: '', task: '', operator_name: '', arms: [], drop: false, verdict: '', text: '' },
};
/** Services that change nothing. */
const READING = ['read_end_effector'];

type Answer = { readonly success: boolean; readonly message: string };
type Act = (request: object) => Promise<Answer>;

let bridge: VirtualBridge;
/** Nodes that have clients of every service. */
let callers: string[] = ['mover'];
const services = new Map<string, Act>();
const node = {
  createService: (_: string, name: string, act: Act) => services.set(name.slice(2), act),
  getPublishersInfoByTopic: () =>
    callers.map((name) => ({ node_name: name, node_namespace: '/', endpoint_gid: Array(16).fill(name.length) })),
} as unknown as RosNode;
const call = (service: string, more: object = {}): Promise<Answer> =>
  bridge.until(services.get(service)!({ ...REQUEST, ...more }));
const newest = (): Entry => bridge.bridge.arms.journal.list({ limit: 1 })[0]!;

beforeEach(async () => {
  callers = ['mover'];
  bridge = await VirtualBridge.startLight(PAIR);
  const { arms, mirror, motion, torque, gravity } = bridge.bridge;
  const offered = new ArmServices(node, '/follower/arm_bridge', bridge.arm('follower'), () => true);
  offered.offerAlways(motion);
  offered.offerMotion(motion);
  offered.offerTorque(torque);
  offered.offerGravity(gravity);
  offerMirroring(
    node,
    '/arm_bridge',
    mirror,
    arms,
    () => [],
    () => true,
  );
  const episodes: Episodes = {
    startEpisode: async () => ({ name: 'one', path: '/one' }),
    stopEpisode: async () => null,
    mark: () => true,
    see: () => {},
  };
  offerEpisodes(node, '/arm_bridge', episodes, arms, () => true);
});

test('each service that changes something leaves an entry: who, by which service, with what outcome and which id', async () => {
  const ids = new Set<string>();
  for (const name of services.keys()) {
    const { changes } = bridge.bridge.arms.journal;
    const { success, message } = await call(name);
    const told = bridge.bridge.arms.journal
      .changedSince(changes, 99)
      .filter(({ what }) => what.endsWith(`/${name}`) && what.startsWith('service '));
    if (READING.includes(name)) {
      expect(told).toEqual([]);
      continue;
    }
    expect(told.length, name).toBeGreaterThan(0);
    for (const { who, from, outcome, request } of told) {
      expect({ name, who, from }).toEqual({ name, who: 'the ROS node /mover', from: 'ROS 2' });
      if (!success) expect(['failed', 'refused'], `${name}: ${message}`).toContain(outcome);
      ids.add(request!);
    }
  }
  expect(ids.size).toBe(services.size - READING.length);
});

test('gravity compensation belongs to the node that started it: another one is refused, and may end it', async () => {
  await call('init');
  expect(await call('gravity_compensation_enable')).toMatchObject({ success: true });
  expect((await bridge.status(1)).owner).toBe('gravity compensation, started by the ROS node /mover');
  callers = ['rviz'];
  const refused = await call('gravity_compensation_enable');
  expect(refused.success).toBe(false);
  expect(refused.message).toMatch(/started by the ROS node \/mover, since \d\d:\d\d:\d\d UTC/);
  expect(newest()).toMatchObject({ who: 'the ROS node /rviz', outcome: 'refused', arm: 'follower' });
  expect(await call('gravity_compensation_enable', { data: false })).toMatchObject({ success: true });
  const what = 'service /follower/arm_bridge/gravity_compensation_enable';
  expect(newest()).toMatchObject({ act: 'halt', who: 'the ROS node /rviz', what, outcome: 'done' });
});

test('mirroring that a node has started names it to the next one, in its answer and to whoever wants the arm', async () => {
  await call('init');
  expect(await call('start_mirroring')).toMatchObject({ success: true });
  callers = ['rviz'];
  const again = await call('start_mirroring');
  expect(again.message).toMatch(/leader leads follower, started by the ROS node \/mover, since/);
  const move = await call('init');
  expect(move.message).toMatch(/driven by leader-follower control, started by the ROS node \/mover, since/);
  expect(await call('start_mirroring', { take_over: true })).toMatchObject({ success: true });
  expect((await bridge.get('/api/v1/pairs')).body.pairs[0]).toMatchObject({ owner: 'the ROS node /rviz' });
});

test('texts of an episode that are too long are refused with the name of their field, as over HTTP', async () => {
  const long = 'x'.repeat(201);
  const told = async (service: string, more: object) => (await call(service, more)).message;
  expect(await told('start_episode', { task: long })).toBe('task has 201 characters: 200 are allowed.');
  expect(await told('start_episode', { operator_name: long })).toMatch(/^operator_name has 201 characters: 64/);
  expect(await told('stop_episode', { task: long })).toMatch(/^task has 201/);
  expect(await told('mark_episode', { text: long })).toMatch(/^text has 201/);
  expect(await call('mark_episode', { text: long.slice(1) })).toMatchObject({ success: true });
});

test('parameters that are set, or refused, leave an entry with the node that asked', () => {
  const { journal } = bridge.bridge.arms;
  const set: object[] = [];
  const target = {
    ...node,
    hasParameter: () => false,
    setParametersAtomically: (given: object[]) => {
      set.push(...given);
      return { successful: true, reason: '' };
    },
  } as unknown as RosNode;
  const rcl = { ParameterType: { PARAMETER_NOT_SET: 0, PARAMETER_DOUBLE: 3, PARAMETER_INTEGER: 2 } } as unknown as Rcl;
  const check = (name: string, value: unknown) => (Number(value) > 100 ? `${name} is too large` : null);
  const audited = { nodeName: '/arm_bridge', arm: null, journal };
  judge(rcl, target, audited, new Map([['ros.joint_state_rate', 'double']]), check, () => {});
  const give = (value: number) =>
    target.setParametersAtomically([{ name: 'ros.joint_state_rate', type: 3, value }] as never).successful;
  expect(give(50)).toBe(true);
  const who = { who: 'the ROS node /mover', from: 'ROS 2', what: 'parameter ros.joint_state_rate of /arm_bridge' };
  expect(newest()).toMatchObject({ act: 'configuration', arm: null, ...who, outcome: 'done', message: 'it is 50 now' });
  expect(give(500)).toBe(false);
  expect(newest()).toMatchObject({ ...who, outcome: 'refused', message: 'ros.joint_state_rate is too large' });
  expect(set).toHaveLength(1);
});
