import { expect, test } from 'vitest';
import { bridgeOwner, frameOf } from '../../src/ros/bridge-identity.ts';
import { clientOf, controllerCaller, type Graph, goalClientOf, Senders } from '../../src/ros/callers.ts';
import { FakeArm, fakeArm } from './support/fakes.ts';

const arm = fakeArm(new FakeArm(0, 'follower'));
const endpoint = (node_name: string, gid: number, node_namespace = '/') => ({
  node_name,
  node_namespace,
  endpoint_gid: Array.from({ length: 16 }, (_, i) => (i === 0 ? gid : 0)),
});
const gid = (first: number) => Uint8Array.from(endpoint('', first).endpoint_gid);

/** A graph with these writers, by the name of the topic. */
function graphOf(writers: Record<string, ReturnType<typeof endpoint>[]>): Graph {
  return { getPublishersInfoByTopic: (topic) => writers[topic] ?? [] };
}

test('a request is named after the one node that can have sent it, or after those that can', () => {
  const service = '/follower/arm_bridge/init';
  const of = (...nodes: ReturnType<typeof endpoint>[]) =>
    clientOf(graphOf({ [`rq${service}Request`]: nodes }), service).name;
  expect(of()).toBe('a ROS client');
  expect(of(endpoint('_NODE_NAME_UNKNOWN_', 1))).toBe('a ROS client');
  expect(of(endpoint('mover', 1, '/lab'))).toBe('the ROS node /lab/mover');
  expect(of(endpoint('mover', 1), endpoint('mover', 2))).toBe('the ROS node /mover');
  expect(of(endpoint('mover', 1), endpoint('rviz', 2))).toBe('one of the ROS nodes /mover, /rviz');
  const many = ['a', 'b', 'c', 'd'].map((name, i) => endpoint(name, i));
  expect(of(...many)).toBe('one of the ROS nodes /a, /b, /c and others');
  const action = '/follower/arm_controller/follow_joint_trajectory';
  const goals = graphOf({ [`rq${action}/_action/send_goalRequest`]: [endpoint('move_group', 1)] });
  expect(controllerCaller(arm, '/follower', 'arm_controller', goalClientOf(goals, action).name).owner).toEqual({
    key: 'ros:follower/arm_controller',
    name: 'the ROS node /move_group on the ROS controller /follower/arm_controller',
  });
});

test('programs are told apart, also before the graph knows their names; one that cannot be told is neither', () => {
  const [init, park] = ['/follower/arm_bridge/init', '/follower/arm_bridge/park'];
  const keyOf = (graph: Graph, service: string): string => clientOf(graph, service).key;
  const of = (at: string, ...nodes: ReturnType<typeof endpoint>[]) => keyOf(graphOf({ [`rq${at}Request`]: nodes }), at);
  const mover = of(init, endpoint('mover', 1));
  expect(of(park, endpoint('mover', 1))).toBe(mover);
  expect(of(init, endpoint('_NODE_NAME_UNKNOWN_', 1))).toBe(mover);
  expect(of(init, endpoint('rviz', 2))).not.toBe(mover);
  const either = of(init, endpoint('mover', 1), endpoint('rviz', 2));
  expect([mover, of(init, endpoint('rviz', 2))]).not.toContain(either);
  expect(of(park, endpoint('rviz', 2), endpoint('mover', 1))).toBe(either);
});

test('a graph that cannot be asked keeps nothing from being done', () => {
  const gone: Graph = {
    getPublishersInfoByTopic: () => {
      throw new Error('context is invalid');
    },
  };
  expect(clientOf(gone, '/follower/arm_bridge/stop').name).toBe('a ROS client');
  expect(new Senders(gone, arm, '/follower', 'x').of(gid(1)).owner.name).toBe('the ROS topic /follower/x');
});

test('each publisher of a topic is an owner of its own, by the name of its node as soon as the graph knows it', () => {
  const writers: ReturnType<typeof endpoint>[] = [endpoint('joystick', 1)];
  const senders = new Senders(graphOf({ '/follower/jog': writers }), arm, '/follower', 'jog');
  const joystick = senders.of(gid(1)).owner;
  expect(joystick.name).toBe('the ROS node /joystick on the ROS topic /follower/jog');
  const other = senders.of(gid(2)).owner;
  expect(other.name).toBe('the ROS topic /follower/jog');
  expect(other.key).not.toBe(joystick.key);
  writers.push(endpoint('keyboard', 2));
  expect(senders.of(gid(2)).owner).toEqual({
    key: other.key,
    name: 'the ROS node /keyboard on the ROS topic /follower/jog',
  });
});

test('bridges name themselves in the header of their setpoints, and each is an owner of its own', () => {
  const topic = '/follower/joint_commands';
  const senders = new Senders(graphOf({ [topic]: [endpoint('teleop', 1)] }), arm, '/follower', 'joint_commands');
  const bridges = ['3f2a91c0', '7c11d2e4'].map((start) => ({
    id: `${start}-0c6e-4d1f-9f5c-2b7e64a1d0aa`,
    name: 'lab/2',
  }));
  const [first, second] = bridges.map((bridge) => senders.named(frameOf(bridge), 0).owner);
  expect(first!.name).toBe(`bridge lab-2 (3f2a91c0) on the ROS topic ${topic}`);
  expect(first!.name).toBe(bridgeOwner(bridges[0]!, topic));
  expect(second!.key).not.toBe(first!.key);
  expect(senders.named(frameOf(bridges[0]!), 1).owner).toBe(first);
  for (const frame of ['', 'base_link', 'arm_bridge:', `arm_bridge:${bridges[0]!.id}:a\nb`]) {
    expect(senders.named(frame, 2)).toBe(senders.together(2));
  }
});

test('publishers whose messages do not tell whose they are are one owner, looked for once a second', () => {
  const writers = [endpoint('teleop', 1)];
  const senders = new Senders(graphOf({ '/follower/joint_commands': writers }), arm, '/follower', 'joint_commands');
  const { owner } = senders.together(0);
  expect(senders.namesAt(0)).toBe('the ROS node /teleop');
  expect(owner.name).toBe('the ROS node /teleop on the ROS topic /follower/joint_commands');
  writers.push(endpoint('player', 2));
  expect(senders.together(0.9).owner).toBe(owner);
  expect(senders.together(1.1).owner).toEqual({
    key: owner.key,
    name: 'one of the ROS nodes /player, /teleop on the ROS topic /follower/joint_commands',
  });
});
