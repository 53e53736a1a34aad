import { beforeEach, expect, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import type { MirrorService } from '../../src/mirror/mirror-service.ts';
import type { MirrorStatus } from '../../src/mirror/mirroring.ts';
import type { StreamService } from '../../src/mirror/stream-service.ts';
import { bridgeOf } from '../../src/ros/bridge-identity.ts';
import { decodeJointState, type JointState } from '../../src/ros/cdr.ts';
import { LocalArm } from '../../src/ros/local-arm.ts';
import { MirrorState } from '../../src/ros/mirror-state.ts';
import { ArmNames } from '../../src/ros/names.ts';
import type { Qualities } from '../../src/ros/qos.ts';
import type { RosNode } from '../../src/ros/rclnodejs.ts';
import { RemoteArm } from '../../src/ros/remote-arm.ts';
import type { Broadcaster } from '../../src/ros/transforms.ts';
import { FakeArm, FakeMirror, fakeArm, fakeLog, JOINTS } from './support/fakes.ts';

const PERIOD = 0.005;
const START = 1_764_000_000;
const CLOSED: MirrorStatus = { active: false, pairs: [], reason: '' };

const published = new Map<string, unknown[]>();
const node = {
  createPublisher: (_type: string, topic: string) => ({
    // Encoders reuse their bytes.
    publish: (message: unknown) =>
      published.set(topic, [
        ...(published.get(topic) ?? []),
        Buffer.isBuffer(message) ? Buffer.from(message) : message,
      ]),
  }),
  createSubscription: () => {},
} as unknown as RosNode;
const qualities = {} as Qualities;
let time = START;

/** What was published on a topic since the last call. */
function take<Message>(topic: string): Message[] {
  const messages = published.get(topic) ?? [];
  published.delete(topic);
  return messages as Message[];
}

const BRIDGE = { id: '3f2a91c0-0c6e-4d1f-9f5c-2b7e64a1d0aa', name: 'lab 2' };

const jointStates = (topic: string): JointState[] =>
  take<Uint8Array>(topic).map((bytes) => structuredClone(decodeJointState(bytes)));

/** Runs control cycles at 200 Hz. @param before each of them */
function run(part: { publish(): void }, cycles: number, before: (time: number) => void = () => {}): void {
  for (let cycle = 0; cycle < cycles; cycle++) {
    time += PERIOD;
    before(time);
    part.publish();
  }
}

beforeEach(() => published.clear());

function localArm(): { readonly local: LocalArm; readonly snapshot: FakeArm['snapshot'] } {
  const arm = new FakeArm(0, 'leader');
  Object.assign(arm, { toolWrench: () => null });
  const names = new ArmNames(fakeArm(arm), null);
  const broadcaster = { publish: () => {} } as unknown as Broadcaster;
  return { local: new LocalArm(node, fakeArm(arm), names, 100, broadcaster, qualities), snapshot: arm.snapshot };
}

test('velocities and efforts are told while they are known, and a sample that stands is not told again', () => {
  const { local, snapshot } = localArm();
  const sampled = (now: number): void => {
    snapshot.sampleTime = now;
    snapshot.positions.fill(0.5);
  };
  run(local, 10, sampled);
  const first = jointStates('joint_states');
  expect(first).toHaveLength(5);
  for (const { names, positions, velocities, efforts } of first) {
    expect([names, [...positions], velocities.length, efforts.length]).toEqual([JOINTS, JOINTS.map(() => 0.5), 0, 0]);
  }
  snapshot.velocities.fill(-0.25);
  snapshot.efforts.fill(1.25);
  snapshot.detailTime = time;
  run(local, 10, sampled);
  for (const { velocities, efforts } of jointStates('joint_states')) {
    expect([[...velocities], [...efforts]]).toEqual([JOINTS.map(() => -0.25), JOINTS.map(() => 1.25)]);
  }
  // Under newer stamps old ones would be wrong.
  run(local, 20, sampled);
  expect(jointStates('joint_states').at(-1)).toMatchObject({ velocities: { length: 0 }, efforts: { length: 0 } });
  run(local, 100);
  expect(jointStates('joint_states')).toEqual([]);
});

test('nothing is told of an arm one of whose positions is unknown', () => {
  const { local, snapshot } = localArm();
  snapshot.positions.fill(0.5);
  snapshot.positions[3] = Number.NaN;
  run(local, 100, (now) => {
    snapshot.sampleTime = now;
  });
  expect(take('joint_states')).toEqual([]);
  expect(take('end_effector/pose')).toEqual([]);
});

test('goals are told as sent to the servos, only while torque is on and they are written', () => {
  const { local, snapshot } = localArm();
  snapshot.goals.set([1, 2, 3, 4, 5, 6]);
  snapshot.setpoints.fill(0);
  const written = (now: number): void => {
    snapshot.goalTime = now;
  };
  run(local, 100, written);
  expect(jointStates('joint_goals')).toEqual([]);
  snapshot.torque = true;
  run(local, 100, written);
  const goals = jointStates('joint_goals');
  expect(goals).toHaveLength(50);
  const { names, positions, velocities, efforts } = goals[0]!;
  expect([names, [...positions], velocities.length, efforts.length]).toEqual([JOINTS, [1, 2, 3, 4, 5, 6], 0, 0]);
  run(local, 100);
  expect(jointStates('joint_goals')).toEqual([]);
});

test('a remote arm that is driven gets every fresh setpoint with the name of the bridge, without droop; a held one gets none', () => {
  const arm = new FakeArm(2, 'far', true);
  const { snapshot } = arm;
  const names = new ArmNames(fakeArm(arm), null);
  const remote = new RemoteArm(node, '', fakeArm(arm), names, {} as StreamService, qualities, fakeLog, BRIDGE);
  snapshot.torque = true;
  snapshot.goals.fill(7);
  let cycles = 0;
  const driven = (now: number): void => {
    snapshot.goalTime = now;
    snapshot.setpoints.fill(++cycles);
  };
  const topic = 'far/joint_commands';
  for (const [state, told] of [
    ['mirroring', 100],
    ['ready', 0],
    ['moving', 100],
  ] as const) {
    snapshot.state = state;
    const before = cycles;
    run(remote, 100, driven);
    const sent = jointStates(topic);
    expect(sent.every(({ frame }) => bridgeOf(frame)?.id === BRIDGE.id)).toBe(true);
    const values = sent.map(({ positions }) => positions[0]!);
    expect(values).toEqual(Array.from({ length: told }, (_, index) => before + 1 + index));
  }
  run(remote, 100);
  expect(jointStates(topic)).toEqual([]);
});

test('the mirror state is told at once, changes 50 ms together, and each second while mirroring', () => {
  const virtual = new VirtualTime(START);
  const mirror = new FakeMirror();
  const told = () => take<{ active: boolean; reason: string; header: { stamp: { sec: number } } }>('~/mirror_state');
  const fail = (error: unknown) => expect.unreachable(String(error));
  const state = new MirrorState(node, mirror as unknown as MirrorService, virtual.lane('main'), qualities, fail);
  expect(told()).toMatchObject([{ active: false, header: { stamp: { sec: START } } }]);
  virtual.runSync(2);
  expect(told()).toEqual([]);
  mirror.set({ ...CLOSED, active: true });
  mirror.set({ ...CLOSED, active: true, reason: 'the second change' });
  virtual.runSync(2.049);
  expect(told()).toEqual([]);
  virtual.runSync(2.06);
  expect(told()).toMatchObject([{ active: true, reason: 'the second change', header: { stamp: { sec: START + 2 } } }]);
  virtual.runSync(5.5);
  expect(told()).toHaveLength(3);
  mirror.set(CLOSED);
  state.close();
  virtual.runSync(9);
  expect(told()).toEqual([]);
  expect(mirror.listeners.size).toBe(0);
});
