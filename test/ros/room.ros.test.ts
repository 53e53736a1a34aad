import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { BridgeError } from '../../src/arm/types.ts';
import { systemClock } from '../../src/clock.ts';
import { RosArgumentError } from '../../src/ros/arguments.ts';
import { loadRclnodejs } from '../../src/ros/rclnodejs.ts';
import { type RosRoom, startRos } from '../../src/ros/room.ts';
import { FakeArm, FakeBridge, JOINTS } from './support/fakes.ts';
import {
  describeRos,
  isolateRos,
  type JointStateMessage,
  type MirrorStateMessage,
  type PoseStampedMessage,
  type Quality,
  Witness,
} from './support/ros.ts';

const JOINT_STATE = 'sensor_msgs/msg/JointState';
/** As robot_state_publisher reads. */
const SENSOR_DATA: Quality = { reliability: 'BEST_EFFORT', depth: 200 };
/** As MoveIt's state monitor reads. */
const RELIABLE: Quality = { reliability: 'RELIABLE', depth: 200 };
const PERIOD = 0.005;

const seconds = ({ stamp }: JointStateMessage['header']): number => stamp.sec + stamp.nanosec * 1e-9;

const jointState = (stamp: number, name: string[], position: number[], velocity: number[] = []) => ({
  header: { stamp: { sec: Math.floor(stamp), nanosec: Math.round((stamp % 1) * 1e9) } },
  name,
  position,
  velocity,
});

// Discovery takes as long as it takes on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Waits for what must come; the test's own time limit ends it when it does not. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(2);
}

describeRos('the ROS room on a real graph', () => {
  let restore: () => void;
  let witness: Witness;
  let leader: FakeArm;
  let follower: FakeArm;
  let far: FakeArm;
  let bridge: FakeBridge;
  let room: RosRoom;
  let ticking: NodeJS.Timeout | undefined;
  const start = 1_764_000_000;
  let cycles = 0;
  let time = start;

  /** A publisher of commands for the follower, once the bridge hears it: both ends must have found each other. */
  async function commander() {
    const publish = await witness.advertise(JOINT_STATE, '/follower/joint_commands', RELIABLE);
    const { commands } = bridge.joints;
    while (commands.length === 0) await publish([jointState(0, ['wrist_roll'], [0])], 0.02);
    // What has been sent meanwhile comes before this one.
    await publish([jointState(0, ['wrist_roll'], [1])]);
    await until(() => commands.at(-1)?.positions[0] === 1);
    commands.length = 0;
    return publish;
  }

  /** Runs control cycles at about 200 Hz, whose clock goes on by exactly 5 ms each. */
  function run(before: () => void): void {
    ticking = setInterval(() => {
      cycles += 1;
      time = start + cycles * PERIOD;
      before();
      bridge.cycle();
    }, 1000 * PERIOD);
  }

  beforeAll(async () => {
    restore = isolateRos();
    witness = await Witness.start();
    leader = new FakeArm(0, 'leader');
    follower = new FakeArm(1, 'follower');
    far = new FakeArm(2, 'far', true);
    bridge = new FakeBridge([leader, follower, far]);
    room = await startRos(bridge.services);
  });
  afterAll(async () => {
    await room?.close();
    await witness?.close();
    restore();
    expect(bridge.listeners.size + bridge.mirror.listeners.size).toBe(0);
  });
  beforeEach(() => {
    for (const arm of bridge.arms) arm.clear();
    bridge.joints.clear();
    bridge.lines.length = 0;
  });
  afterEach(() => clearInterval(ticking));

  test('each own arm has a node in its namespace; a remote arm leaves its node to the owner of its bus', async () => {
    expect(room.distro).toBe(process.env.ROS_DISTRO);
    await witness.graphPasses('/follower/arm_bridge', ({ nodes, topics, services }) => {
      expect(nodes).toEqual(expect.arrayContaining(['/arm_bridge', '/leader/arm_bridge', '/follower/arm_bridge']));
      expect(nodes).not.toContain('/far/arm_bridge');
      for (const [name, type] of [
        ['joint_states', JOINT_STATE],
        ['end_effector/pose', 'geometry_msgs/msg/PoseStamped'],
        ['external_wrench', 'geometry_msgs/msg/WrenchStamped'],
        ['external_torques', JOINT_STATE],
        ['joint_goals', JOINT_STATE],
      ] as const) {
        expect(topics[`/leader/${name}`]).toEqual({
          types: [type],
          publishers: [{ node: '/leader/arm_bridge', reliability: 'RELIABLE', durability: 'VOLATILE' }],
          subscribers: 0,
        });
        expect(topics[`/far/${name}`]?.publishers ?? []).toEqual([]);
      }
      expect(topics['/leader/arm_controller/controller_state']?.types).toEqual([
        'control_msgs/msg/JointTrajectoryControllerState',
      ]);
      expect(topics['/leader/joint_commands']).toEqual({ types: [JOINT_STATE], publishers: [], subscribers: 1 });
      expect(topics['/far/joint_commands']!.publishers.map(({ node }) => node)).toEqual(['/arm_bridge']);
      expect(topics['/far/joint_states']!.subscribers).toBe(1);
      expect(topics['/arm_bridge/mirror_state']).toMatchObject({
        types: ['arm_bridge/msg/MirrorState'],
        publishers: [{ reliability: 'RELIABLE', durability: 'TRANSIENT_LOCAL' }],
      });
      expect(services['/leader/arm_bridge/stop']).toEqual(['std_srvs/srv/Trigger']);
      expect(services['/leader/arm_controller/query_state']).toEqual(['control_msgs/srv/QueryTrajectoryState']);
      expect(services['/leader/arm_bridge/reset']).toEqual(['std_srvs/srv/Trigger']);
      expect(services['/far/arm_bridge/stop']).toBeUndefined();
    });
  });

  test('joint states and tool pose reach both kinds of readers, every sample whole, fresh and stamped by its bus read', async () => {
    const bestEffort = await witness.subscribe<JointStateMessage>(JOINT_STATE, '/leader/joint_states', SENSOR_DATA);
    const reliable = await witness.subscribe<JointStateMessage>(JOINT_STATE, '/leader/joint_states', RELIABLE);
    const poses = await witness.subscribe<PoseStampedMessage>(
      'geometry_msgs/msg/PoseStamped',
      '/leader/end_effector/pose',
      RELIABLE,
    );
    const positionsAt = (cycle: number) => JOINTS.map((_, index) => Math.sin(cycle / 50 + index));
    run(() => {
      leader.snapshot.sampleTime = time;
      leader.snapshot.positions.set(positionsAt(Math.round((time - start) / PERIOD)));
    });
    const seen = await bestEffort(50);
    for (const messages of [seen, await reliable(50)]) {
      expect(messages.length).toBeGreaterThanOrEqual(50);
      let last = 0;
      for (const { message } of messages) {
        const stamp = seconds(message.header);
        const cycle = Math.round((stamp - start) / PERIOD);
        expect(Math.abs(stamp - (start + cycle * PERIOD))).toBeLessThan(2e-6);
        expect(message.header.frame_id).toBe('');
        expect(message.name).toEqual(JOINTS);
        expect(message.position).toEqual(positionsAt(cycle));
        expect([message.velocity, message.effort]).toEqual([[], []]);
        expect(stamp).toBeGreaterThan(last + 1.5 * PERIOD);
        last = stamp;
      }
    }
    for (const { message } of await poses(50)) {
      const cycle = Math.round((seconds(message.header) - start) / PERIOD);
      const [x, y, z] = positionsAt(cycle);
      expect(message.header.frame_id).toBe('leader/base_link');
      expect(message.pose).toEqual({ position: { x, y, z }, orientation: { x: 0, y: 0.6, z: 0, w: 0.8 } });
    }
  });

  test('~/stop and ~/reset act on their arm alone and say what happened', async () => {
    const stopped = await witness.trigger('/follower/arm_bridge/stop');
    expect(stopped.success).toBe(true);
    expect(stopped.message).toMatch(/follower.*\/follower\/arm_bridge\/reset/);
    expect(follower.stops).toEqual([expect.stringContaining('/follower/arm_bridge/stop')]);
    expect(leader.stops).toEqual([]);
    expect(await witness.trigger('/follower/arm_bridge/reset')).toEqual({
      success: true,
      message: expect.stringContaining('follower'),
    });
    expect(follower.resets).toBe(1);
    const again = await witness.trigger('/follower/arm_bridge/reset');
    expect(again.message).toContain('was not stopped');
  });

  test('a stop that fails answers with the reason', async () => {
    leader.fault = new BridgeError('disconnected', 'leader: the bus is gone; check its cable');
    expect(await witness.trigger('/leader/arm_bridge/stop')).toEqual({ success: false, message: leader.fault.message });
  });

  test('a client that is not known when its request comes gets its answer once it is', async () => {
    const load = await loadRclnodejs();
    const addon = (load as unknown as { addon: Record<string, (...parts: unknown[]) => void> }).addon;
    const natives = ['sendResponse', 'actionSendGoalResponse', 'actionSendResultResponse'].map(
      (name) => [name, addon[name]!] as const,
    );
    // As Fast DDS does while it does not know the client: the first two tries of each kind.
    const tries = new Map<string, number>();
    for (const [name, native] of natives) {
      addon[name] = (...parts) => {
        const count = (tries.get(name) ?? 0) + 1;
        tries.set(name, count);
        if (count <= 2) throw new Error('client will not receive response, at rmw_response.cpp:153');
        native(...parts);
      };
    }
    const arm = new FakeArm(0, 'late');
    Object.assign(arm.model, { gripper: { index: JOINTS.indexOf('gripper') } });
    const other = new FakeBridge([arm]);
    const gripper = async () => ({ reached: true, stalled: false, message: 'it is open' });
    Object.assign(other.services, { trajectories: { requireGripper: () => {}, gripper } });
    const late = await startRos(other.services);
    try {
      const { message } = await witness.trigger('/late/arm_bridge/stop');
      expect(message).toMatch(/late.*\/late\/arm_bridge\/reset/);
      const fields = { command: { name: ['gripper'], position: [0.4] } };
      const type = 'control_msgs/action/ParallelGripperCommand';
      const goal = await witness.goal(type, '/late/gripper_controller/gripper_cmd', fields);
      expect((await goal.result()).status).toBe('succeeded');
      expect(natives.map(([name]) => tries.get(name)!).every((count) => count >= 3)).toBe(true);
    } finally {
      for (const [name, native] of natives) addon[name] = native;
      await late.close();
    }
  });

  test('the node of an arm is built in steps, between which stops are heard', async () => {
    const load = await loadRclnodejs();
    if (!load.ok) throw new Error(load.reason);
    const { prototype } = load.rcl.Node;
    const makers = ['createPublisher', 'createSubscription', 'createService'] as const;
    let made = 0;
    const perTurn: number[] = [];
    const spies = makers.map((maker) => {
      const native = prototype[maker] as (...parts: unknown[]) => unknown;
      return vi.spyOn(prototype, maker as 'createPublisher').mockImplementation(function (this: unknown, ...parts) {
        if (made === 0) {
          setImmediate(() => {
            perTurn.push(made);
            made = 0;
          });
        }
        made++;
        return native.apply(this, parts) as ReturnType<typeof prototype.createPublisher>;
      });
    });
    const other = new FakeBridge([new FakeArm(0, 'stepwise')]);
    const built = await startRos(other.services);
    try {
      await sleep(0);
      const all = perTurn.reduce((sum, count) => sum + count, 0);
      expect(all).toBeGreaterThan(30);
      expect(Math.max(...perTurn)).toBeLessThan(all / 2);
    } finally {
      for (const spy of spies) spy.mockRestore();
      await built.close();
    }
  });

  test('requests that make rclnodejs throw are refused, and answers that nobody takes hold up nobody else', async () => {
    const interfaces = 'rcl_interfaces/srv';
    const parameters = [
      { name: '', value: { type: 2, integer_value: 1 } },
      { name: 'a', value: { type: 42 } },
    ];
    const node = '/leader/arm_bridge';
    type Results = { results: { successful: boolean; reason: string }[] };
    const { results } = await witness.call<Results>(`${interfaces}/SetParameters`, `${node}/set_parameters`, {
      parameters,
    });
    const refused = { successful: false, reason: expect.stringMatching(/name/) };
    expect(results).toEqual([refused, refused]);
    const names = { names: [''] };
    const described = await witness.call(`${interfaces}/DescribeParameters`, `${node}/describe_parameters`, names);
    expect(described).toEqual({ descriptors: [] });
    // One service of rclnodejs' own, and one that its action servers answer.
    for (const [type, service] of [
      [`${interfaces}/GetParameters`, `${node}/get_parameters`],
      ['action_msgs/srv/CancelGoal', '/leader/arm_controller/follow_joint_trajectory/_action/cancel_goal'],
    ] as const) {
      bridge.lines.length = 0;
      while (bridge.logged('client will not receive response').length === 0) {
        await witness.askDeaf(type, service);
        await sleep(50);
      }
    }
    expect((await witness.trigger(`${node}/stop`)).success).toBe(true);
  });

  test('joint commands arrive by name', async () => {
    const publish = await commander();
    await publish([jointState(100.5, ['gripper', 'elbow_flex'], [0.25, -1])]);
    await until(() => bridge.joints.commands.length > 0);
    expect(bridge.joints.commands).toEqual([
      { arm: 'follower', names: ['gripper', 'elbow_flex'], positions: [0.25, -1] },
    ]);
  });

  test('a stream of commands arrives in its order and at its rate', async () => {
    const publish = await commander();
    const sent = Array.from({ length: 100 }, (_, index) => jointState(200 + index * 0.01, ['gripper'], [index]));
    await publish(sent, 0.01);
    await until(() => bridge.joints.commands.at(-1)?.positions[0] === 99);
    const values = bridge.joints.commands.map(({ positions }) => positions[0]!);
    expect(values).toEqual([...values].sort((a, b) => a - b));
    expect(values.length).toBeGreaterThanOrEqual(50);
  });

  test('commands that are wrong are refused and logged, each fault once, however often they come', async () => {
    const publish = await commander();
    const wrong = [
      jointState(0, ['elbow'], [0]),
      jointState(0, ['gripper', 'elbow_flex'], [0]),
      jointState(0, ['gripper', 'gripper'], [0, 0]),
      jointState(0, [], []),
      jointState(0, ['gripper'], [Number.NaN]),
    ];
    for (let round = 0; round < 5; round++) await publish(wrong, 0.002);
    await publish([jointState(0, ['gripper'], [0.5])]);
    await until(() => bridge.joints.commands.length > 0);
    expect(bridge.joints.commands.map(({ positions }) => positions)).toEqual([[0.5]]);
    const lines = bridge.logged('/follower/joint_commands');
    expect(lines).toHaveLength(5);
    expect(lines.join('\n')).toMatch(
      /no joint "elbow".*2 names but 1 positions.*gripper twice.*names no joint.*gripper is NaN/s,
    );
  });

  test('what the control room refuses is logged with its reason', async () => {
    const publish = await commander();
    bridge.joints.refusal = 'follower belongs to the http client';
    for (let index = 0; index < 5; index++) await publish([jointState(0, ['gripper'], [0])], 0.002);
    await until(() => bridge.logged('belongs to the http client').length > 0);
    expect(bridge.logged('belongs to the http client')).toHaveLength(1);
  });

  test('the state of a remote arm is read by joint name; one with missing joints is refused', async () => {
    const publish = await witness.advertise(JOINT_STATE, '/far/joint_states', RELIABLE);
    const { states } = bridge.joints;
    const reversed = [...JOINTS].reverse();
    let stamp = 10;
    // A best-effort reader may miss what was published before it found the publisher: each is sent until it arrives.
    const send = async (names: string[], positions: number[], velocities: number[], arrived: () => boolean) => {
      while (!arrived()) {
        stamp += 1;
        await publish([jointState(stamp, names, positions, velocities)], 0.02);
      }
    };
    const refused = () => bridge.logged('/far/joint_states').length > 0;
    await send(JOINTS.slice(1), [1, 2, 3, 4, 5], [], refused);
    const velocities = [0.5, 0.4, 0.3, 0.2, 0.1, 0];
    await send(reversed, [5, 4, 3, 2, 1, 0], velocities, () => states.length > 0);
    expect(states[0]).toMatchObject({ arm: 'far', positions: [0, 1, 2, 3, 4, 5], velocities: velocities.reverse() });
    await send(JOINTS, [9, 8, 7, 6, 5, 4], [], () => states.at(-1)?.velocities === null);
    expect(states.at(-1)).toMatchObject({ arm: 'far', positions: [9, 8, 7, 6, 5, 4] });
    expect(bridge.logged('/far/joint_states')[0]).toContain('shoulder_pan');
  });

  test('a remote arm that comes while the bridge runs is read like the others', async () => {
    room.add(new FakeArm(3, 'late', true) as unknown as Parameters<RosRoom['add']>[0]);
    const publish = await witness.advertise(JOINT_STATE, '/late/joint_states', RELIABLE);
    const { states } = bridge.joints;
    for (let stamp = 10; states.length === 0; stamp += 1)
      await publish([jointState(stamp, JOINTS, [0, 1, 2, 3, 4, 5])], 0.02);
    expect(states[0]).toMatchObject({ arm: 'late', positions: [0, 1, 2, 3, 4, 5] });
  });

  test('a machine that is seen but not heard is told, with what to do', async () => {
    // Discovery shows a publisher whose messages do not arrive; this one has none.
    room.add(new FakeArm(4, 'mute', true) as unknown as Parameters<RosRoom['add']>[0]);
    await witness.advertise(JOINT_STATE, '/mute/joint_states', RELIABLE);
    const told = () => bridge.logged('/mute/joint_states is seen, but no message has come');
    await until(() => told().length > 0);
    expect(told()).toEqual([expect.stringMatching(/^mute: .*FASTDDS_BUILTIN_TRANSPORTS=UDPv4/)]);
    expect(bridge.logged('/late/joint_states is seen')).toEqual([]);
  });

  test('mirror_state reaches a late joiner in our own message type, then every change', async () => {
    const pair = { leader: 'leader', follower: 'follower', owner: 'http client', reason: '' } as const;
    const status = { ...pair, state: 'ramping', rate: 200, latency: 0.006 } as const;
    const forceFeedback = { arm: 0, gripper: 0 };
    bridge.mirror.set({ active: true, pairs: [{ ...status, since: 1785240000.25, forceFeedback }], reason: '' });
    const latched: Quality = { reliability: 'RELIABLE', durability: 'TRANSIENT_LOCAL', depth: 1 };
    const topic = '/arm_bridge/mirror_state';
    const take = await witness.subscribe<MirrorStateMessage>('arm_bridge/msg/MirrorState', topic, latched);
    // What is latched may be the state before, for the 50 ms in which changes are told together.
    const next = async (active: boolean) => {
      for (;;) {
        const last = (await take(1)).at(-1)!;
        if (last.message.active === active) return last;
      }
    };
    const first = await next(true);
    expect(first.message).toMatchObject({
      active: true,
      pairs: [{ ...status, owner_since: { sec: 1785240000, nanosec: 250_000_000 } }],
      reason: '',
    });
    expect(Math.abs(seconds(first.message.header) - Date.now() / 1000)).toBeLessThan(60);
    bridge.mirror.set({ active: false, pairs: [], reason: 'the leader is gone' });
    expect((await next(false)).message).toMatchObject({ pairs: [], reason: 'the leader is gone' });
  });

  test('a namespace from the command line holds all arms, each still in its own', async () => {
    const other = new FakeBridge([new FakeArm(0, 'leader')], ['--ros-args', '-r', '__ns:=/lab']);
    const lab = await startRos(other.services);
    try {
      await witness.graphPasses('/lab/leader/arm_bridge', ({ nodes, topics }) => {
        expect(nodes).toEqual(expect.arrayContaining(['/lab/arm_bridge', '/lab/leader/arm_bridge']));
        expect(topics['/lab/leader/joint_states']?.types).toEqual([JOINT_STATE]);
        expect(topics['/lab/arm_bridge/mirror_state']?.types).toEqual(['arm_bridge/msg/MirrorState']);
      });
      expect((await witness.trigger('/lab/leader/arm_bridge/stop')).success).toBe(true);
    } finally {
      await lab.close();
    }
  });

  test('with use_sim_time the clock of its nodes is /clock', async () => {
    const other = new FakeBridge([new FakeArm(0, 'timed')], ['--ros-args', '-p', 'use_sim_time:=true']);
    const timed = await startRos(other.services);
    try {
      const tick = await witness.advertise('rosgraph_msgs/msg/Clock', '/clock');
      // Of the present alone it is told where the joints are asked to be.
      const presentIs = async (sec: number): Promise<boolean> => {
        await tick([{ clock: { sec: 5, nanosec: 0 } }]);
        const request = { time: { sec, nanosec: 0 } };
        const type = 'control_msgs/srv/QueryTrajectoryState';
        return (await witness.call<{ success: boolean }>(type, '/timed/arm_controller/query_state', request)).success;
      };
      await expect.poll(() => presentIs(5), { timeout: 30_000 }).toBe(true);
      expect(await presentIs(7)).toBe(false);
    } finally {
      await timed.close();
    }
  });

  test('of bridges with the same arm that start together one takes back what drives it, and offers it again when alone', async () => {
    const twins = [0, 1].map(() => new FakeBridge([new FakeArm(0, 'twin')], [], 'localhost', systemClock));
    // Both look for the other before either is there.
    const rooms = await Promise.all(twins.map(({ services }) => startRos(services)));
    const offered = (seer: Witness) =>
      Promise.all(['init', 'torque_enable', 'stop'].map((name) => seer.servers(`/twin/arm_bridge/${name}`)));
    const listeners = async (seer: Witness) =>
      (await seer.graph('/twin/arm_bridge')).topics['/twin/joint_commands']?.subscribers ?? 0;
    let later: Witness | null = null;
    try {
      const met = () => twins.map((twin) => twin.logged('another bridge on this graph').length);
      await expect.poll(met, { timeout: 100_000 }).toEqual([1, 1]);
      const driven = twins.map((twin) => twin.logged('ROS 2 does not drive this one').length === 0);
      expect(driven.toSorted()).toEqual([false, true]);
      await expect.poll(() => offered(witness), { timeout: 100_000 }).toEqual([1, 1, 2]);
      await expect.poll(() => listeners(witness), { timeout: 100_000 }).toBe(1);
      await rooms[driven.indexOf(true)]!.close();
      const alone = await Witness.start();
      later = alone;
      await expect.poll(() => offered(alone), { timeout: 100_000 }).toEqual([1, 1, 1]);
      await expect.poll(() => listeners(alone), { timeout: 100_000 }).toBe(1);
      expect(await alone.trigger('/twin/arm_bridge/reset')).toMatchObject({ success: true });
    } finally {
      await later?.close();
      for (const room of rooms) await room.close();
    }
  }, 300_000);

  test('where ROS 2 may not drive, an arm is read and stopped, and nothing else is offered', async () => {
    const other = new FakeBridge([new FakeArm(0, 'watched')]);
    other.services.config.ros.accept_commands = false;
    const watched = await startRos(other.services);
    try {
      await witness.graphPasses('/watched/arm_bridge', ({ services, topics }) => {
        const own = Object.keys(services).filter((name) => /^\/watched\//.test(name) && !/param|type_desc/.test(name));
        expect(own.sort()).toEqual([
          '/watched/arm_bridge/read_end_effector',
          '/watched/arm_bridge/stop',
          '/watched/arm_controller/query_state',
        ]);
        const read = Object.entries(topics).filter(
          ([name, { subscribers }]) => /^\/watched\//.test(name) && subscribers > 0,
        );
        expect(read).toEqual([]);
      });
      expect((await witness.trigger('/watched/arm_bridge/stop')).success).toBe(true);
      expect(other.logged('not drive them')).toHaveLength(1);
      const latched = { durability: 'TRANSIENT_LOCAL' } as const;
      const lines = await witness.subscribe<{ msg: string }>('rcl_interfaces/msg/Log', '/rosout', latched);
      const told = async () => (await lines(1)).map(({ message }) => message.msg);
      await expect.poll(told).toContainEqual(expect.stringContaining('not drive them'));
    } finally {
      await watched.close();
    }
  });

  test.each([['-r', 'foo'], ['--bogus'], ['-p', 'x']])(
    'rcl has the last word on arguments: %s is refused',
    async (...rest) => {
      const other = new FakeBridge([new FakeArm(0, 'leader')], ['--ros-args', ...rest]);
      await expect(startRos(other.services)).rejects.toThrow(RosArgumentError);
      await expect(startRos(other.services)).rejects.toThrow(rest.join(' '));
      expect(other.listeners.size + other.mirror.listeners.size).toBe(0);
    },
  );

  test.each([
    ['speed_scale:=0.5', null],
    ['other.name:=1', null],
    ['/leader/arm_bridge:force_feedback.gripper:=0.75', null],
    ['/leader/arm_bridge:force_feedback.arm:=1.5', /force_feedback\.arm .*cannot be 1\.5: .*0 to 1/],
    ['/leader/arm_bridge:acceleration_scale:=0.5', null],
    [
      '/leader/arm_bridge:speed:=0.5',
      /speed of arm leader is unknown\. Known here: speed_scale, .*position_gains\.gripper/,
    ],
    ['/leader/arm_bridge:speed_scale:=2', /speed_scale of arm leader cannot be 2: .*0\.1 to 1/],
    ['/leader/arm_bridge:position_gains.gripper:=0.2', /position_gains\.gripper .*cannot be 0\.2: .*0\.5 to 1/],
  ])("an arm's parameter on the command line: %s", async (rule, why) => {
    const arm = new FakeArm(0, 'leader');
    const other = new FakeBridge([arm], ['--ros-args', '-p', rule]);
    if (why !== null) {
      await expect(startRos(other.services)).rejects.toThrow(why);
      await expect(startRos(other.services)).rejects.toThrow(RosArgumentError);
      return;
    }
    await (await startRos(other.services)).close();
    const halves = [arm.speedScale, arm.accelerationScale].map((part) => part === 0.5);
    expect(halves).toEqual([rule.startsWith('speed'), rule.includes('acceleration')]);
    expect(other.mirror.feedbackOf(arm)).toEqual({ arm: 0, gripper: rule.includes('feedback') ? 0.75 : 0 });
  });

  test('a fault while publishing is logged and does not reach the control cycle', () => {
    leader.snapshot.sampleTime = time + 1;
    leader.snapshot.positions.fill(0);
    leader.toolPose = () => {
      throw new Error('no such pose');
    };
    expect(() => bridge.cycle()).not.toThrow();
    expect(bridge.logged('no such pose')).toHaveLength(1);
  });
});
