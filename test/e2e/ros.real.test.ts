import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type JointStateMessage, type Quality, Witness } from '../ros/support/ros.ts';
import { BridgeProcess, HAS_ROS, ROS_DOMAIN, sleep } from './support/bridge.ts';

const NAMES = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];
const NODE = '/follower/arm_bridge';
const LATCHED: Quality = { durability: 'TRANSIENT_LOCAL', depth: 1 };

const STATE = 'sensor_msgs/msg/JointState';
const FOLLOW = 'control_msgs/action/FollowJointTrajectory';
const CONTROLLER = '/follower/arm_controller/follow_joint_trajectory';
/** Level of a warning in rcl_interfaces/msg/Log. */
const WARN = 30;

interface Answer {
  readonly success: boolean;
  readonly code: string;
  readonly message: string;
}

interface Followed {
  readonly error_code: number;
  readonly error_string: string;
}

interface Progress {
  readonly joint_names: string[];
  readonly desired: { readonly positions: number[] };
  readonly actual: { readonly positions: number[] };
}

interface Status {
  readonly name: string;
  readonly state: string;
  readonly torque: boolean;
  readonly owner: string;
  readonly initialised: boolean;
}

interface Diagnostics {
  readonly status: {
    readonly level: number;
    readonly name: string;
    readonly message: string;
    readonly hardware_id: string;
    readonly values: { readonly key: string; readonly value: string }[];
  }[];
}

const duration = (seconds: number) => ({ sec: Math.floor(seconds), nanosec: Math.round((seconds % 1) * 1e9) });

const trajectory = (names: readonly string[], ...points: readonly [time: number, ...positions: number[]][]) => ({
  joint_names: names,
  points: points.map(([time, ...positions]) => ({ positions, time_from_start: duration(time) })),
});

describe.skipIf(!HAS_ROS)('a bridge as other ROS 2 programs see it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-ros-'));
  let bridge: BridgeProcess;
  let witness: Witness;
  let states: Awaited<ReturnType<typeof joints>>;

  const joints = () => witness.subscribe<JointStateMessage>(STATE, '/follower/joint_states');

  /** Newest measured positions by joint name. */
  async function positions(): Promise<Record<string, number>> {
    await states(1);
    const { name, position } = (await states(1)).at(-1)!.message;
    return Object.fromEntries(name.map((joint, index) => [joint, position[index]!]));
  }

  /** The log, as people read it. */
  const logged = () => bridge.log.replaceAll('\\"', '"');
  const trigger = (name: string) => witness.trigger(`${NODE}/${name}`);

  beforeAll(async () => {
    const config = join(folder, 'bridge.yaml');
    const mount = '{ xyz: [0.1, -0.25, 0.02], rpy: [0, 0, 1.5] }';
    writeFileSync(
      config,
      'ros: { diagnostics: { warn_lost_replies: 1, error_lost_replies: 1 } }\narms:\n  - { name: leader, bus: "sim:so101" }\n' +
        `  - { name: follower, bus: "sim:so101", mount: ${mount} }\npairs:\n  - { leader: leader, follower: follower }\n`,
    );
    bridge = await BridgeProcess.start('--config', config);
    witness = await Witness.start({ ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });
    states = await joints();
    await witness.perform(`${NODE}/init`);
  });
  afterAll(async () => {
    await witness?.close();
    await bridge?.endStopped();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async ({ onTestFailed }) => {
    // An answer that does not come says nothing of what the bridge did meanwhile.
    onTestFailed(() => console.error(bridge.log.slice(-4000)));
    await trigger('reset');
  });

  test('~/status and robot_description reach a late joiner; status tells every change', async () => {
    const take = await witness.subscribe<Status>('arm_bridge/msg/ArmStatus', `${NODE}/status`, LATCHED);
    /** The newest one that says so; what came before it may be of a moment ago. */
    const told = async (state: string): Promise<Status> => {
      for (;;) {
        const { message } = (await take(1)).at(-1)!;
        if (message.state === state && message.owner === '') return message;
      }
    };
    expect(await told('ready')).toMatchObject({ name: 'follower', torque: true, initialised: true });
    await trigger('stop');
    await told('stopped');
    const description = await witness.subscribe<{ data: string }>(
      'std_msgs/msg/String',
      '/follower/robot_description',
      LATCHED,
    );
    const urdf = readFileSync(new URL('../../robots/so101/so101.urdf', import.meta.url), 'utf8');
    // What the gate allows for moves, so that no planner finds what is refused; the file has what the servo can do.
    expect((await description(1))[0]!.message.data).toBe(urdf.replaceAll('velocity="4.7"', 'velocity="1.5"'));
  });

  test('/diagnostics has one status per arm, bus, servo and loop, all well', async () => {
    const take = await witness.subscribe<Diagnostics>('diagnostic_msgs/msg/DiagnosticArray', '/diagnostics');
    const { status } = (await take(2)).at(-1)!.message;
    const names = status.map(({ name }) => name);
    expect(names).toEqual([
      'arm_bridge: control loop',
      ...['leader', 'follower'].flatMap((arm) => [
        `arm_bridge: ${arm}`,
        `arm_bridge: ${arm} bus`,
        ...NAMES.map((joint, index) => `arm_bridge: ${arm} ${joint} (servo ${index + 1})`),
      ]),
    ]);
    const servo = status.find(({ name }) => name === 'arm_bridge: follower elbow_flex (servo 3)')!;
    expect(servo).toMatchObject({ level: 0, message: 'healthy', hardware_id: 'sim:so101 STS3215 3' });
    const temperature = servo.values.find(({ key }) => key === 'temperature (degrees Celsius)')!;
    expect(Number(temperature.value)).toBeGreaterThan(15);
    expect(status.filter(({ name }) => !name.includes('loop')).every(({ level }) => level === 0)).toBe(true);
  });

  test('/tf and /tf_static lead from the world to every link, where pinocchio finds it', async () => {
    const links = ['base_link', 'shoulder', 'upper_arm', 'lower_arm', 'wrist', 'gripper_link', 'jaw', 'tool'];
    await positions();
    const chains = [];
    for (const link of links) chains.push(await witness.transforms('world', `follower/${link}`));
    const file = new URL('../../robots/so101/so101.urdf', import.meta.url).pathname;
    const script = new URL('./support/frames.py', import.meta.url).pathname;
    const input = JSON.stringify({
      urdf: file,
      links,
      chains,
      mount: { xyz: [0.1, -0.25, 0.02], rpy: [0, 0, 1.5] },
      joints: await positions(),
    });
    const run = spawnSync(process.env.ARM_BRIDGE_WITNESS_PYTHON!, [script], { input, encoding: 'utf8' });
    expect(run.stderr).toBe('');
    const errors: Record<string, { distance: number; angle: number }> = JSON.parse(run.stdout);
    // The arm holds still: what is left is a servo step of one joint or another.
    for (const link of links) {
      expect(errors[link]!.distance, link).toBeLessThan(0.002);
      expect(errors[link]!.angle, link).toBeLessThan(0.008);
    }
  });

  test('a trajectory arrives, tells how it goes, and joints that it does not name stay', async () => {
    const before = await positions();
    const names = ['wrist_flex', 'shoulder_pan'];
    const goal = await witness.goal<Followed, Progress>(FOLLOW, CONTROLLER, {
      trajectory: trajectory(names, [0.5, before.wrist_flex! - 0.1, 0.1], [1, before.wrist_flex! - 0.3, 0.3]),
    });
    const { status, result, feedback } = await goal.result();
    expect([status, result.error_code, result.error_string]).toEqual(['succeeded', 0, '']);
    expect(feedback.length).toBeGreaterThan(3);
    expect(feedback.at(-1)!.joint_names).toEqual(names);
    expect(feedback.at(-1)!.desired.positions[1]).toBeGreaterThan(0.2);
    const after = await positions();
    expect(after.shoulder_pan).toBeCloseTo(0.3, 1);
    expect(after.wrist_flex! - before.wrist_flex!).toBeCloseTo(-0.3, 1);
    for (const joint of ['shoulder_lift', 'elbow_flex', 'wrist_roll', 'gripper']) {
      expect(Math.abs(after[joint]! - before[joint]!), joint).toBeLessThan(0.03);
    }
  });

  test.each([
    ['an unknown joint', { trajectory: trajectory(['elbow'], [1, 0]) }, /no joint "elbow"; it has shoulder_pan/],
    ['a joint named twice', { trajectory: trajectory(['gripper', 'gripper'], [1, 0, 0]) }, /gripper twice/],
    ['no points', { trajectory: trajectory(['gripper']) }, /no points/],
    ['too few positions', { trajectory: trajectory(['gripper', 'wrist_roll'], [1, 0]) }, /1 positions for 2 joints/],
    ['a position that is no number', { trajectory: trajectory(['gripper'], [1, Number.NaN]) }, /gripper .*NaN/],
    ['times that go back', { trajectory: trajectory(['wrist_roll'], [1, 0], [0.5, 0.1]) }, /time/],
    ['a position beyond a limit', { trajectory: trajectory(['shoulder_pan'], [9, 3]) }, /shoulder_pan.*limits/],
    ['a speed that the arm has not', { trajectory: trajectory(['shoulder_pan'], [0.05, 1]) }, /shoulder_pan/],
    [
      'a time that has gone',
      { trajectory: { header: { stamp: { sec: 1_700_000_000 } }, ...trajectory(['gripper'], [1, 0]) } },
      /ended .* s ago/,
    ],
    [
      'a tolerance of an unknown joint',
      { trajectory: trajectory(['gripper'], [1, 0]), path_tolerance: [{ name: 'hand' }] },
      /"hand"/,
    ],
  ])('a trajectory with %s is rejected, and the log says why', async (_, fields, text) => {
    await expect(witness.goal<Followed>(FOLLOW, CONTROLLER, fields)).rejects.toThrow(/rejected/);
    await expect.poll(logged).toMatch(/action \/follower\/arm_controller\/follow_joint_trajectory, ROS 2\): refused: /);
    await expect.poll(logged).toMatch(text);
  });

  test('ten goals that are refused are two lines of rqt_console at most: warnings of the node of the arm', async () => {
    type Line = { name: string; level: number; msg: string };
    const lines = await witness.subscribe<Line>('rcl_interfaces/msg/Log', '/rosout', { ...LATCHED, depth: 1000 });
    const refuse = (goal: object) =>
      expect(witness.goal<Followed>(FOLLOW, CONTROLLER, goal)).rejects.toThrow(/rejected/);
    for (let i = 0; i < 10; i++) await refuse({ trajectory: trajectory(['thumb'], [1, 0]) });
    // A reason that no other test has: of the same one a moment later, nothing would be told.
    await refuse({ trajectory: trajectory(['gripper'], [1, 0]), goal_time_tolerance: { sec: -5 } });
    const shown: Line[] = [];
    while (!shown.some(({ msg }) => msg.includes('goal_time_tolerance')))
      shown.push(...(await lines(1)).map(({ message }) => message));
    const about = shown.filter(({ msg }) => msg.includes('"thumb"'));
    const refused = {
      name: 'follower.arm_bridge',
      level: WARN,
      msg: expect.stringMatching(/refused: arm follower has/),
    };
    expect(about[0]).toMatchObject(refused);
    // A busy machine spreads the goals over more than one entry of the journal: then the tenth may not be told.
    expect(about.slice(1)).toMatchObject(
      about.slice(1).map(() => ({ ...refused, msg: expect.stringMatching(/\(10 times\)$/) })),
    );
    expect(about.length).toBeLessThanOrEqual(2);
  });

  test('what a controller of trajectories does is told to whoever looks', async () => {
    type Point = { positions: number[] };
    type State = {
      joint_names: string[];
      reference: Point;
      feedback: Point;
      error: Point;
      speed_scaling_factor: number;
    };
    const states = await witness.subscribe<State>(
      'control_msgs/msg/JointTrajectoryControllerState',
      '/follower/arm_controller/controller_state',
    );
    const { message } = (await states(1))[0]!;
    expect(message).toMatchObject({ joint_names: NAMES, speed_scaling_factor: 1 });
    message.error.positions.forEach((error, i) => {
      expect(error).toBeCloseTo(message.reference.positions[i]! - message.feedback.positions[i]!, 6);
    });
    const query = (sec: number) =>
      witness.call<{ success: boolean; message: string; name: string[]; position: number[] }>(
        'control_msgs/srv/QueryTrajectoryState',
        '/follower/arm_controller/query_state',
        { time: { sec, nanosec: 0 } },
      );
    expect(await query(0)).toMatchObject({ success: true, name: NAMES });
    expect(await query(1_700_000_000)).toMatchObject({
      success: false,
      message: expect.stringMatching(/ask for time 0/),
    });
  });

  test('a speed that was sent long ago is refused, one of now or without a time is not', async () => {
    const publish = await witness.advertise('geometry_msgs/msg/TwistStamped', '/follower/arm_bridge/delta_twist_cmds');
    await publish([{ header: { stamp: { sec: 1_700_000_000 } }, twist: { linear: { z: 0.01 } } }]);
    await expect.poll(logged).toMatch(/delta_twist_cmds refused: its stamp is \d+\.\d+ s old/);
    await publish([{ twist: { linear: { z: 0.01 } } }]);
    await expect.poll(async () => (await bridge.arm(1)).state, { timeout: 10_000 }).toBe('moving');
    await expect.poll(async () => (await bridge.arm(1)).state, { timeout: 10_000 }).toBe('ready');
  });

  test('a trajectory whose way leads through the table is aborted, and the result says why', async () => {
    const goal = await witness.goal<Followed>(FOLLOW, CONTROLLER, {
      trajectory: trajectory(['shoulder_lift', 'elbow_flex'], [9, 1.7, -0.5]),
    });
    const { status, result } = await goal.result();
    expect([status, result.error_code]).toEqual(['aborted', -1]);
    expect(result.error_string).toMatch(/floor/);
  });

  test('a tolerance that cannot be kept on the way ends the trajectory, the arm holds', async () => {
    const goal = await witness.goal<Followed>(FOLLOW, CONTROLLER, {
      trajectory: trajectory(['shoulder_pan'], [2, -0.8]),
      path_tolerance: [{ name: 'shoulder_pan', position: 0.001 }],
    });
    const { status, result } = await goal.result();
    expect([status, result.error_code]).toEqual(['aborted', -4]);
    expect(result.error_string).toMatch(/shoulder_pan is 0\.\d+ rad .*tolerance 0\.001/);
    const held = await positions();
    expect(held.shoulder_pan).toBeGreaterThan(-0.6);
    expect((await bridge.arm(1)).state).toBe('ready');
  });

  test('a goal that the arm does not come near enough to is told, with the joint and the distance', async () => {
    const goal = await witness.goal<Followed>(FOLLOW, CONTROLLER, {
      trajectory: trajectory(['wrist_roll'], [0.5, 0.2]),
      goal_tolerance: [{ name: 'wrist_roll', position: 1e-7 }],
      goal_time_tolerance: duration(0.2),
    });
    const { status, result } = await goal.result();
    expect([status, result.error_code]).toEqual(['aborted', -5]);
    expect(result.error_string).toMatch(/wrist_roll is 0\.\d+ rad/);
  });

  test('a cancelled trajectory decelerates and holds; a newer goal takes over in motion', async () => {
    const far = { trajectory: trajectory(['shoulder_pan'], [3, 1]) };
    const first = await witness.goal<Followed>(FOLLOW, CONTROLLER, far);
    await expect.poll(async () => (await positions()).shoulder_pan, { timeout: 10_000 }).toBeGreaterThan(0.1);
    expect(await first.cancel()).toBe(1);
    const cancelled = await first.result();
    expect(cancelled.status).toBe('canceled');
    const at = (await positions()).shoulder_pan!;
    expect(at).toBeLessThan(0.9);
    expect(Math.abs((await positions()).shoulder_pan! - at)).toBeLessThan(0.02);

    const second = await witness.goal<Followed>(FOLLOW, CONTROLLER, {
      trajectory: trajectory(['shoulder_pan'], [3, 1]),
    });
    await expect.poll(async () => (await bridge.arm(1)).state, { timeout: 10_000 }).toBe('moving');
    const third = await witness.goal<Followed>(FOLLOW, CONTROLLER, {
      trajectory: trajectory(['shoulder_pan'], [2, 0]),
    });
    const replaced = await second.result();
    expect(replaced.status).toBe('aborted');
    expect(replaced.result.error_string).toMatch(/superseded by a newer request/);
    const last = await third.result();
    expect(last.status, last.result.error_string).toBe('succeeded');
    expect((await positions()).shoulder_pan).toBeCloseTo(0, 1);
  });

  test('a stop ends a trajectory with its reason, and refuses the next until reset', async () => {
    const goal = await witness.goal<Followed>(FOLLOW, CONTROLLER, { trajectory: trajectory(['shoulder_pan'], [3, 1]) });
    await expect.poll(async () => (await bridge.arm(1)).state, { timeout: 10_000 }).toBe('moving');
    await trigger('stop');
    const { status, result } = await goal.result();
    expect(status).toBe('aborted');
    expect(result.error_string).toMatch(/stopped/);
    const refused = witness.goal<Followed>(FOLLOW, CONTROLLER, { trajectory: trajectory(['wrist_roll'], [1, 0]) });
    await expect(refused).rejects.toThrow(/rejected/);
    await expect.poll(logged).toContain(`${NODE}/reset`);
  });

  test('arm_controller/joint_trajectory drives the arm as well, and an empty message stops it', async () => {
    const topic = '/follower/arm_controller/joint_trajectory';
    const publish = await witness.advertise('trajectory_msgs/msg/JointTrajectory', topic);
    await publish([trajectory(['wrist_roll'], [1, -0.4])]);
    await expect.poll(async () => (await positions()).wrist_roll, { timeout: 10_000 }).toBeLessThan(-0.37);
    await publish([trajectory(['shoulder_pan'], [5, 1.2])]);
    await expect.poll(async () => (await positions()).shoulder_pan, { timeout: 10_000 }).toBeGreaterThan(0.2);
    await publish([trajectory([])]);
    await expect.poll(async () => (await bridge.arm(1)).state, { timeout: 10_000 }).toBe('ready');
    expect((await positions()).shoulder_pan).toBeLessThan(1);
  });

  test('the gripper goes where it is sent; one with a wrong joint or beyond its limits is refused', async () => {
    type Gripped = { state: { name: string[]; position: number[] }; stalled: boolean; reached_goal: boolean };
    const type = 'control_msgs/action/ParallelGripperCommand';
    const send = async (name: string[], position: number[]) =>
      (
        await witness.goal<Gripped>(type, '/follower/gripper_controller/gripper_cmd', { command: { name, position } })
      ).result();
    const reached = await send(['gripper'], [0.8]);
    expect(reached).toMatchObject({ status: 'succeeded', result: { reached_goal: true, stalled: false } });
    expect(reached.result.state.name).toEqual(['gripper']);
    expect(reached.result.state.position[0]).toBeCloseTo(0.8, 1);
    await expect(send(['finger'], [0.5])).rejects.toThrow(/rejected/);
    await expect(send(['gripper'], [9])).rejects.toThrow(/rejected/);
    await expect.poll(logged).toMatch(/gripper_cmd, ROS 2\): refused: .*limits/);
  });

  test('while the gripper closes on something, a stream jogs the arm and a trajectory moves it: neither ends the other', async () => {
    type Gripped = { stalled: boolean; reached_goal: boolean };
    const grip = (position: number, more: { velocity?: number[]; effort?: number[] } = {}) =>
      witness.goal<Gripped>('control_msgs/action/ParallelGripperCommand', '/follower/gripper_controller/gripper_cmd', {
        command: { name: ['gripper'], position: [position], ...more },
      });
    const hand = (joints: object | null) =>
      bridge.post('/sim/hand', { robot_id: 1, joints, duration: joints === null ? 0 : 0.3 });
    const read = () =>
      witness.call<{ z: number } & Answer>('arm_bridge/srv/ReadEndEffector', `${NODE}/read_end_effector`);
    const twist = await witness.advertise('geometry_msgs/msg/TwistStamped', `${NODE}/delta_twist_cmds`);
    const graspDuring = async (drive: 'jog' | 'trajectory'): Promise<void> => {
      await hand(null);
      expect(await (await grip(1.6)).result()).toMatchObject({ status: 'succeeded', result: { reached_goal: true } });
      await hand({ gripper: 1 });
      const before = await positions();
      const { z } = await read();
      // It takes three seconds to get to where the jaws would meet, and stands at 1 rad by then.
      const closing = await grip(0.1, { velocity: [0.5], effort: [0.25] });
      if (drive === 'jog') {
        await twist(Array(75).fill({ twist: { linear: { z: 0.03 } } }), 0.02);
        expect((await bridge.arm(1)).state).toBe('moving');
        expect((await read()).z - z).toBeGreaterThan(0.01);
      } else {
        const goal = { trajectory: trajectory(['shoulder_pan'], [1.5, before.shoulder_pan! - 0.3]) };
        const turning = await witness.goal<Followed>(FOLLOW, CONTROLLER, goal);
        expect(await turning.result()).toMatchObject({ status: 'succeeded', result: { error_code: 0 } });
        expect((await positions()).shoulder_pan).toBeCloseTo(before.shoulder_pan! - 0.3, 1);
      }
      expect(await closing.result()).toMatchObject({
        status: 'succeeded',
        result: { stalled: true, reached_goal: false },
      });
      expect((await positions()).gripper).toBeGreaterThan(0.8);
    };
    try {
      // Again where the machine is so busy that the servos fall silent for a moment.
      for (const drive of ['jog', 'trajectory'] as const)
        await graspDuring(drive)
          .catch(() => graspDuring(drive))
          .catch(() => graspDuring(drive));
    } finally {
      await hand(null);
    }
  });

  test('streams of positions, poses and speeds drive the arm while they come', async () => {
    const forward = await witness.advertise(
      'std_msgs/msg/Float64MultiArray',
      '/follower/forward_position_controller/commands',
    );
    const start = await positions();
    const target = NAMES.map((name) => (name === 'wrist_roll' ? 0.3 : start[name]!));
    // A publisher that gets its turn late lets the arm brake on the way, and may lose it: it pauses and goes on until it is there.
    const after = (stream: () => Promise<unknown>, value: () => Promise<number>) =>
      expect.poll(() => sleep(0.7).then(stream).then(value), { timeout: 60_000, interval: 0 });
    const rolled = async () => Math.abs((await positions()).wrist_roll! - 0.3);
    await after(() => forward(Array(90).fill({ data: target }), 0.02), rolled).toBeLessThan(0.05);

    // The topic before has the arm until half a second after its last message.
    await expect.poll(async () => (await bridge.arm(1)).owner, { timeout: 10_000 }).toBeNull();
    const jog = await witness.advertise('control_msgs/msg/JointJog', `${NODE}/delta_joint_cmds`);
    const pan = async () => (await positions()).shoulder_pan!;
    const jogs = () => jog(Array(50).fill({ joint_names: ['shoulder_pan'], velocities: [0.4] }), 0.02);
    await after(jogs, pan).toBeGreaterThan(start.shoulder_pan! + 0.1);
    const jogged = await pan();
    await expect.poll(async () => (await bridge.arm(1)).owner, { timeout: 10_000 }).toBeNull();
    expect(Math.abs((await pan()) - jogged)).toBeLessThan(0.15);

    const twist = await witness.advertise('geometry_msgs/msg/TwistStamped', `${NODE}/delta_twist_cmds`);
    const read = () =>
      witness.call<{ z: number } & Answer>('arm_bridge/srv/ReadEndEffector', `${NODE}/read_end_effector`);
    const height = async () => (await read()).z;
    const low = await height();
    await after(() => twist(Array(50).fill({ twist: { linear: { z: 0.05 } } }), 0.02), height).toBeGreaterThan(
      low + 0.01,
    );
    await expect.poll(async () => (await bridge.arm(1)).owner, { timeout: 10_000 }).toBeNull();

    const poses = await witness.subscribe<{ header: { frame_id: string }; pose: object }>(
      'geometry_msgs/msg/PoseStamped',
      '/follower/end_effector/pose',
    );
    const { message } = (await poses(1)).at(-1)!;
    const pose = message.pose as { position: { z: number } };
    const publish = await witness.advertise('geometry_msgs/msg/PoseStamped', `${NODE}/pose_target`);
    const before = await height();
    // Without the stamp of the pose, which is soon too old.
    const { frame_id } = message.header;
    const lower = {
      header: { frame_id },
      pose: { ...pose, position: { ...pose.position, z: pose.position.z - 0.03 } },
    };
    await after(() => publish(Array(40).fill(lower), 0.025), height).toBeLessThan(before - 0.02);
    expect((await height()) - before).toBeGreaterThan(-0.035);
    await publish([{ ...lower, header: { frame_id: 'nowhere' } }], 0.02);
    await expect.poll(() => bridge.log).toMatch(/pose_target refused: its frame \\?"nowhere\\?" is not known here/);
    await expect.poll(async () => (await bridge.arm(1)).owner, { timeout: 10_000 }).toBeNull();
  });

  /** Control cycles per second of the next seconds. */
  async function cyclesPerSecond(seconds: number): Promise<number> {
    const read = async () => (await bridge.get('/status')).body.loop.cycles as number;
    const began = performance.now();
    const first = await read();
    await sleep(seconds);
    return ((await read()) - first) / ((performance.now() - began) / 1000);
  }

  test('ten readers and one that stands still change nothing for the control loop and the other readers', async () => {
    const before = await cyclesPerSecond(1.5);
    const stuck = await Witness.start({ ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });
    try {
      for (const topic of ['joint_states', 'joint_goals'])
        await stuck.subscribe(STATE, `/follower/${topic}`, { depth: 10 });
      const crowd = await Witness.start({ ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });
      try {
        const takes = await Promise.all(
          Array.from({ length: 10 }, () => crowd.subscribe(STATE, '/follower/joint_states')),
        );
        await takes[0]!(1);
        stuck.pause();
        const during = await cyclesPerSecond(3);
        // The loop has a thread of its own; a machine that is busy otherwise slows both alike.
        expect(during).toBeGreaterThan(0.9 * before);
        for (const take of takes) expect((await take(50)).length).toBeGreaterThan(50);
        await states(1);
        expect((await states(50)).length).toBeGreaterThanOrEqual(50);
      } finally {
        await crowd.close();
      }
    } finally {
      stuck.resume();
      await stuck.close();
    }
  });

  test('fifty nodes, and a client that stands still in the middle of its goal, keep nobody from the arm', async () => {
    const before = await cyclesPerSecond(1.5);
    const crowd = await Witness.start({ ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });
    try {
      await crowd.crowd(50, STATE, '/follower/joint_states');
      expect((await witness.graph('/crowd_50')).nodes).toContain('/crowd_50');
      const from = (await positions()).shoulder_pan!;
      const pan = (by: number) => ({ trajectory: trajectory(['shoulder_pan'], [1, from + by]) });
      // It hears no more of its goal: neither feedback nor the end nor what is asked of it.
      await crowd.goal<Followed>(FOLLOW, CONTROLLER, pan(0.3));
      crowd.pause();
      const replaced = await (await witness.goal<Followed>(FOLLOW, CONTROLLER, pan(0.1))).result();
      expect(replaced.status).toBe('succeeded');
      expect(Math.abs((await positions()).shoulder_pan! - from - 0.1)).toBeLessThan(0.02);
      expect(await cyclesPerSecond(2)).toBeGreaterThan(0.9 * before);
      expect((await trigger('stop')).success).toBe(true);
    } finally {
      crowd.resume();
      await crowd.close();
    }
  });

  test('joint states at the rate of the control loop: none is lost, stamps only increase', async () => {
    const rate = (value: number) =>
      witness.call<object>('rcl_interfaces/srv/SetParameters', '/arm_bridge/set_parameters', {
        parameters: [{ name: 'ros.joint_state_rate', value: { type: 3, double_value: value } }],
      });
    await rate(200);
    const depth = 3000;
    const takes = await Promise.all([
      witness.subscribe<JointStateMessage>(STATE, '/follower/joint_states', { depth }),
      witness.subscribe<JointStateMessage>('geometry_msgs/msg/PoseStamped', '/follower/end_effector/pose', { depth }),
    ]);
    for (const take of takes) await take(1);
    await sleep(4);
    const streams = await Promise.all(takes.map((take) => take(1)));
    await rate(100);
    const [told, poses] = streams.map((messages) =>
      messages.map(({ message: { header } }) => header.stamp.sec + header.stamp.nanosec * 1e-9),
    ) as [number[], number[]];
    for (const [index, stamp] of told.entries()) if (index > 0) expect(stamp).toBeGreaterThan(told[index - 1]!);
    // Both topics tell of every sample: what one of them has and the other lacks was lost.
    const from = Math.max(told[0]!, poses[0]!);
    const to = Math.min(told.at(-1)!, poses.at(-1)!);
    const within = (stamps: readonly number[]) => stamps.filter((stamp) => stamp >= from && stamp <= to);
    expect(within(told).length).toBeGreaterThan(200);
    expect(within(told)).toEqual(within(poses));
  });

  test('speed, acceleration and gains of one arm are parameters of its node: the next motion keeps to them, refusals say why', async () => {
    type Results = { results: { successful: boolean; reason: string }[] };
    const set = async (value: object, name = 'speed_scale') => {
      const fields = { parameters: [{ name, value }] };
      const type = 'rcl_interfaces/srv/SetParameters';
      return (await witness.call<Results>(type, `${NODE}/set_parameters`, fields)).results[0]!;
    };
    const double = (value: number) => ({ type: 3, double_value: value });
    const told = async () => {
      const { arms } = (await (await fetch(`${bridge.url}/status`)).json()) as {
        arms: { name: string; speed_scale: number }[];
      };
      return Object.fromEntries(arms.map(({ name, speed_scale }) => [name, speed_scale]));
    };
    const pan = async (seconds: number, from: number) => {
      const goal = { trajectory: trajectory(['shoulder_pan'], [seconds, from + 0.4]) };
      return (await witness.goal<Followed>(FOLLOW, CONTROLLER, goal)).result();
    };
    const from = (await positions()).shoulder_pan!;
    expect(await set(double(0.2))).toEqual({ successful: true, reason: '' });
    expect(await told()).toEqual({ leader: 1, follower: 0.2 });
    await expect(pan(0.6, from)).rejects.toThrow(/rejected/);
    expect(Math.abs((await positions()).shoulder_pan! - from)).toBeLessThan(0.02);
    expect((await pan(2, from)).status).toBe('succeeded');
    // Of the 1.5 rad/s that its data allow for moves.
    const goals = await witness.subscribe<JointStateMessage>(STATE, '/follower/joint_goals');
    await goals(1);
    const grip = async (position: number) => {
      const command = { command: { name: ['gripper'], position: [position] } };
      const type = 'control_msgs/action/ParallelGripperCommand';
      return (await witness.goal(type, '/follower/gripper_controller/gripper_cmd', command)).result();
    };
    for (const position of [0.9, 0.5]) expect((await grip(position)).status).toBe('succeeded');
    const sent = (await goals(1)).map(({ message: { header, position, name } }) => ({
      time: header.stamp.sec + header.stamp.nanosec * 1e-9,
      at: position[name.indexOf('gripper')]!,
    }));
    let speed = 0;
    for (const { time, at } of sent) {
      const later = sent.find((other) => other.time > time + 0.2);
      if (later !== undefined) speed = Math.max(speed, Math.abs(later.at - at) / (later.time - time));
    }
    expect(speed).toBeGreaterThan(0.8 * 0.3);
    expect(speed).toBeLessThan(1.05 * 0.3);
    for (const [value, why] of [
      [double(1.5), /speed_scale of arm follower cannot be 1.5: .*1/],
      [double(0), /speed_scale of arm follower cannot be 0: .*0.1/],
      [{ type: 4, string_value: 'slow' }, /cannot be "slow"/],
      [{ type: 2, integer_value: 7 }, /cannot be 7/],
      [{ type: 1, bool_value: true }, /cannot be true: a number/],
    ] as const) {
      expect(await set(value)).toEqual({ successful: false, reason: expect.stringMatching(why) });
    }
    expect(await told()).toMatchObject({ follower: 0.2 });
    expect(await set(double(1))).toMatchObject({ successful: true });

    // From rest to rest over 0.4 rad at a part of 6 rad/s^2, of which a plan uses 90 %: the way takes 2 sqrt(0.4 / a).
    expect(await set(double(0.2), 'acceleration_scale')).toMatchObject({ successful: true });
    await goals(1);
    expect((await grip(0.9)).status).toBe('succeeded');
    const gripping = (await goals(1)).map(({ message: { header, position, name } }) => ({
      time: header.stamp.sec + header.stamp.nanosec * 1e-9,
      at: position[name.indexOf('gripper')]!,
    }));
    const under = gripping.filter(({ at }) => at > 0.51 && at < 0.89);
    expect(under.at(-1)!.time - under[0]!.time).toBeGreaterThan(0.75 * 2 * Math.sqrt(0.4 / (0.2 * 6)));
    expect(await set(double(1), 'acceleration_scale')).toMatchObject({ successful: true });

    // What the emulated servos have in their registers tells.
    const registers = async () => {
      const answer = await fetch(`${bridge.url}/robot/config?robot_id=1`, { method: 'POST' });
      const { config } = (await answer.json()) as { config: { pid_gains: { p_gain: number }[] } };
      return config.pid_gains.map(({ p_gain }) => p_gain);
    };
    const gain = 'position_gains.elbow_flex';
    const stood = await positions();
    expect(await set(double(0.5), gain)).toEqual({ successful: true, reason: '' });
    while ((await registers())[2] !== 16) await sleep(0.05);
    expect(await registers()).toEqual([32, 32, 16, 32, 32, 32]);
    expect(Math.abs((await positions()).elbow_flex! - stood.elbow_flex!)).toBeLessThan(0.02);
    for (const [value, why] of [
      [0.4, /position_gains.elbow_flex of arm follower cannot be 0.4: .*0.5 to 1/],
      [1.1, /cannot be 1.1: .*0.5 to 1/],
    ] as const) {
      expect(await set(double(value), gain)).toEqual({ successful: false, reason: expect.stringMatching(why) });
    }
    const moving = await witness.goal<Followed>(FOLLOW, CONTROLLER, {
      trajectory: trajectory(['shoulder_pan'], [30, from]),
    });
    await expect.poll(async () => (await bridge.arm(1)).state, { timeout: 20_000 }).toBe('moving');
    expect(await set(double(1), gain)).toEqual({ successful: false, reason: expect.stringContaining('is moving') });
    await moving.cancel();
    expect((await moving.result()).status).toBe('canceled');
    expect(await set(double(1), gain)).toMatchObject({ successful: true });
    while ((await registers())[2] !== 32) await sleep(0.05);
    const back = { trajectory: trajectory(['shoulder_pan'], [0.8, from]) };
    expect((await (await witness.goal<Followed>(FOLLOW, CONTROLLER, back)).result()).status).toBe('succeeded');
  });

  test('the configuration is there as parameters: live ones change at once, others say why not', async () => {
    const SERVICES = 'rcl_interfaces/srv';
    const name = 'ros.joint_state_rate';
    const described = await witness.call<{
      descriptors: { description: string; read_only: boolean; floating_point_range: { to_value: number }[] }[];
    }>(`${SERVICES}/DescribeParameters`, '/arm_bridge/describe_parameters', { names: [name, 'http.port'] });
    const [rate, port] = described.descriptors;
    expect(rate).toMatchObject({ read_only: false, floating_point_range: [{ from_value: 1, to_value: 1000 }] });
    expect(rate!.description).toMatch(/joint_states/);
    expect(port).toMatchObject({ read_only: true, integer_range: [{ from_value: 0, to_value: 65535 }] });
    const set = async (parameter: string, value: object) => {
      const fields = { parameters: [{ name: parameter, value }] };
      type Results = { results: { successful: boolean; reason: string }[] };
      return (await witness.call<Results>(`${SERVICES}/SetParameters`, '/arm_bridge/set_parameters', fields))
        .results[0]!;
    };
    const double = (value: number) => ({ type: 3, double_value: value });
    expect(await set(name, double(20))).toEqual({ successful: true, reason: '' });
    await states(1);
    const slow = (await states(10)).slice(-10);
    const stamps = slow.map(({ message: { header } }) => header.stamp.sec + header.stamp.nanosec * 1e-9);
    expect((stamps.at(-1)! - stamps[0]!) / (stamps.length - 1)).toBeGreaterThan(0.045);
    const beyond = await set(name, double(5000));
    expect([beyond.successful, beyond.reason]).toEqual([
      false,
      expect.stringMatching(/joint_state_rate cannot be 5000: .*1000/),
    ]);
    const fixed = await set('http.port', { type: 2, integer_value: 1 });
    expect([fixed.successful, fixed.reason]).toEqual([
      false,
      expect.stringMatching(/http\.port is read when the bridge starts/),
    ]);
    expect(await set(name, double(100))).toMatchObject({ successful: true });
  });

  describe('services and actions do what HTTP does, with the same errors', () => {
    type Moved = Answer & { position_error: number; trials: number };
    const MOVE = 'arm_bridge/action/MoveAbsolute';
    const move = async (fields: object) => (await witness.goal<Moved>(MOVE, `${NODE}/move_absolute`, fields)).result();

    test('a move to a pose and the reading of the tool', async () => {
      const byHttp = await bridge.post('/move/absolute?robot_id=1', { x: 3, y: 2, z: 4, rx: null });
      const byRos = await move({ x: [0.03], y: [-0.02], z: [0.04] });
      expect(byHttp.body.status).toBe('ok');
      expect(byRos).toMatchObject({ status: 'succeeded', result: { success: true, code: '', message: '' } });
      expect(byRos.feedback.length).toBeGreaterThan(0);
      expect(byRos.result.position_error).toBeLessThan(0.005);
      const http = (await bridge.post('/end-effector/read?robot_id=1', { sync: true })).body;
      const ros = await witness.call<Record<string, number>>(
        'arm_bridge/srv/ReadEndEffector',
        `${NODE}/read_end_effector`,
        { sync: true },
      );
      for (const axis of ['x', 'y', 'z'] as const) expect(ros[axis]! * 100).toBeCloseTo(http[axis], 0);
      expect((ros.pitch! * 180) / Math.PI).toBeCloseTo(http.rx, 0);
      const relative = async (fields: object) => {
        const type = 'arm_bridge/action/MoveRelative';
        const goal = await witness.goal<Moved>(type, `${NODE}/move_relative`, {
          orientation_tolerance: 0.2,
          ...fields,
        });
        return (await goal.result()).result;
      };
      expect(await relative({ z: [-0.02] })).toMatchObject({ success: true, message: '' });
      expect(await relative({ z: [0.01], path: 'line' })).toMatchObject({ success: true, message: '' });
      expect(await relative({ z: [0.01], path: 'arc' })).toMatchObject({ success: false, code: 'bad_request' });
    });

    test('what cannot be reached, what is out of range, and who owns the arm', async () => {
      const far = await move({ x: [2] });
      const byHttp = await bridge.post('/move/absolute?robot_id=1', { x: 200, y: 0, z: 0 });
      expect(far).toMatchObject({ status: 'aborted', result: { success: false } });
      expect(far.result.message).toMatch(/cannot be reached by arm follower/);
      expect(byHttp.body.message).toMatch(/cannot be reached by arm follower/);
      expect((await move({ opening: [2] })).result).toMatchObject({ success: false, code: 'bad_request' });
      expect((await move({ x: [0], max_trials: 0 })).result).toMatchObject({ success: false, code: 'bad_request' });

      const driving = await witness.goal<Followed>(FOLLOW, CONTROLLER, {
        trajectory: trajectory(['shoulder_pan'], [3, -1]),
      });
      await expect.poll(async () => (await bridge.arm(1)).state, { timeout: 10_000 }).toBe('moving');
      const owned = await move({ x: [0] });
      expect(owned.result).toMatchObject({ success: false, code: 'owned' });
      expect(owned.result.message).toMatch(
        /driven by (the ROS node \/witness|a ROS client) on the ROS controller \/follower/,
      );
      const ownedHttp = await bridge.post('/move/absolute?robot_id=1', { x: 0, y: 0, z: 0 });
      expect([ownedHttp.status, ownedHttp.body.detail]).toEqual([
        409,
        expect.stringContaining('on the ROS controller /follower/arm_controller'),
      ]);
      await driving.cancel();
      await driving.result();
    });

    test('a cancelled move holds', async () => {
      const goal = await witness.goal<Moved>(MOVE, `${NODE}/move_absolute`, { x: [-0.05], y: [0.1], z: [0.05] });
      await expect.poll(async () => (await bridge.arm(1)).state, { timeout: 10_000 }).toBe('moving');
      await goal.cancel();
      const { status, result } = await goal.result();
      expect(status).toBe('canceled');
      expect(result.message).toMatch(/cancelled; the arm holds/);
    });

    test('mirroring starts and stops, and tells what is wrong', async () => {
      const start = (fields: object) =>
        witness.call<Answer>('arm_bridge/srv/StartMirroring', '/arm_bridge/start_mirroring', fields);
      const stop = () => witness.call<Answer>('arm_bridge/srv/StopMirroring', '/arm_bridge/stop_mirroring');
      expect(await stop()).toMatchObject({ success: false, message: 'Leader-follower control is not running' });
      expect((await bridge.post('/move/leader/stop')).body.message).toBe('Leader-follower control is not running');
      const nobody = await start({ pairs: [{ leader: 'nobody', follower: 'follower' }] });
      expect(nobody).toMatchObject({ success: false, code: 'unknown_arm' });
      expect(await start({ align: 'both' })).toMatchObject({ success: false, code: 'bad_request' });
      // The pair of the configuration.
      expect(await start({})).toMatchObject({ success: true });
      expect(await start({})).toMatchObject({ success: false, code: 'already_mirroring' });
      expect(await stop()).toMatchObject({ success: true });
    });

    test('an episode is begun, marked and ended', async () => {
      const call = (type: string, fields: object = {}) =>
        witness.call<Answer & { name: string; path: string; duration: number }>(
          `arm_bridge/srv/${type}Episode`,
          `/arm_bridge/${type.toLowerCase()}_episode`,
          fields,
        );
      expect(await call('Stop')).toMatchObject({ success: false, message: 'No episode is being recorded' });
      expect(await call('Start', { arms: ['nobody'] })).toMatchObject({ success: false, code: 'unknown_arm' });
      const started = await call('Start', { dataset: 'ros', task: 'wave' });
      expect(started).toMatchObject({ success: true, name: expect.stringMatching(/^ros-/) });
      expect(await call('Start')).toMatchObject({ success: false, code: 'bad_request' });
      expect(await call('Mark', { text: 'there' })).toMatchObject({ success: true });
      expect(await call('Stop', { verdict: 'fine' })).toMatchObject({ success: false, code: 'bad_request' });
      expect(await call('Stop', { drop: true })).toMatchObject({ success: true, name: started.name, path: '' });
    });

    test('every operation of an arm, once by HTTP and once by ROS, leaves both arms the same', async () => {
      const other = await witness.subscribe<JointStateMessage>(STATE, '/leader/joint_states');
      const http = (path: string, body?: object) => async () => {
        const { status, body: answer } = await bridge.post(`${path}?robot_id=0`, body);
        return { done: status === 200 && answer.status !== 'error', why: JSON.stringify(answer) };
      };
      const said = ({ success, message }: { success: boolean; message: string }) => ({ done: success, why: message });
      const service = (name: string) => async () => said(await trigger(name));
      const enable = (name: string, data: boolean) => async () =>
        said(await witness.call<Answer>('std_srvs/srv/SetBool', `${NODE}/${name}`, { data }));
      const raise = async () => {
        const fields = { z: [-0.02], orientation_tolerance: 0.2 };
        const goal = await witness.goal<Moved>('arm_bridge/action/MoveRelative', `${NODE}/move_relative`, fields);
        return said((await goal.result()).result);
      };
      const by = (tolerance: number) => ({ x: 0, y: 0, z: -2, rx: 0, ry: 0, rz: 0, orientation_tolerance: tolerance });
      const steps = [
        ['init', http('/move/init'), service('init')],
        ['move_relative', http('/move/relative', by(0.2 * (180 / Math.PI))), raise],
        ['home', http('/move/init'), service('home')],
        ['hello', http('/move/hello'), service('hello')],
        ['gravity on', http('/gravity/start'), enable('gravity_compensation_enable', true)],
        ['gravity off', http('/gravity/stop'), enable('gravity_compensation_enable', false)],
        ['stop', http('/stop'), service('stop')],
        ['init while stopped', http('/move/init'), service('init')],
        ['reset', http('/stop/reset'), service('reset')],
        ['park', http('/move/sleep'), service('park')],
        ['torque on', http('/torque/toggle', { torque_status: true }), enable('torque_enable', true)],
        ['torque off', http('/torque/toggle', { torque_status: false }), enable('torque_enable', false)],
      ] as const;
      const told = async (id: number) => {
        const { state, torque, initialised, owner } = await bridge.arm(id);
        return { state, torque, initialised, owned: owner !== null };
      };
      for (const [name, byHttp, byRos] of steps) {
        const [one, two] = await Promise.all([byHttp(), byRos()]);
        expect(two.done, `${name}: ${one.why} but ${two.why}`).toBe(one.done);
        expect(one.done, `${name}: ${one.why}`).toBe(name !== 'init while stopped');
        expect(await told(1), name).toEqual(await told(0));
        await other(1);
        const { name: names, position } = (await other(1)).at(-1)!.message;
        const mine = await positions();
        for (const [i, joint] of names.entries()) {
          expect(Math.abs(mine[joint]! - position[i]!), `${name}: ${joint}`).toBeLessThan(0.05);
        }
      }
      expect(await told(0)).toMatchObject({ state: 'connected', torque: false });
    });

    test('~/park lowers the arm and lets it go limp', async () => {
      expect(await trigger('park')).toMatchObject({ success: true });
      expect((await bridge.arm(1)).torque).toBe(false);
      const refused = witness.goal<Followed>(FOLLOW, CONTROLLER, { trajectory: trajectory(['wrist_roll'], [1, 0]) });
      await expect(refused).rejects.toThrow(/rejected/);
      await expect.poll(logged).toMatch(/connected, not ready\. Switch its torque on first/);
      const switchTorque = (data: boolean) =>
        witness.call<Answer>('std_srvs/srv/SetBool', `${NODE}/torque_enable`, { data });
      const limp = await positions();
      expect(await switchTorque(true)).toMatchObject({ success: true });
      expect((await bridge.arm(1)).state).toBe('ready');
      const held = await positions();
      // It lay on the table, and is carried from now on: by no more than the droop of its heaviest joint.
      for (const joint of NAMES) expect(Math.abs(held[joint]! - limp[joint]!), joint).toBeLessThan(0.05);
      expect(await switchTorque(false)).toMatchObject({ success: true });
      expect((await bridge.arm(1)).state).toBe('connected');
    });
  });
});
