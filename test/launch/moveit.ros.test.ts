import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { parseUrdf } from '../../src/kinematics/urdf.ts';
import { BridgeProcess, ROS_DOMAIN, rosProgram, sleep } from '../e2e/support/bridge.ts';
import { readSrdf } from '../moveit/support/srdf.ts';
import { timeOptimal } from '../moveit/support/totg.ts';
import { type JointStateMessage, Witness } from '../ros/support/ros.ts';
import { type Ended, type Launch, NO_ROS2, type Note, Ros2 } from './support/ros2.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

/** What a busy machine may have kept from being done is tried so often. */
const TRIES = 5;

async function again(run: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await run();
      return;
    } catch (error) {
      if (tries === TRIES) throw error;
      await sleep(1);
    }
  }
}

const STAND_INS = {
  moveit_ros_move_group: ['move_group'],
  topic_tools: ['relay'],
  rviz2: ['rviz2'],
  controller_manager: ['ros2_control_node', 'spawner'],
  robot_state_publisher: ['robot_state_publisher'],
};
const STATE = 'sensor_msgs/msg/JointState';
const FOLLOW = 'control_msgs/action/FollowJointTrajectory';
const GRIP = 'control_msgs/action/ParallelGripperCommand';
const PACKAGE = 'arm_bridge_moveit';

type Followed = { error_code: number; error_string: string };

const stamp = (time: number) => ({ sec: Math.floor(time), nanosec: Math.round((time % 1) * 1e9) });

describe.skipIf(NO_ROS2 !== null)('ros2 launch arm_bridge_moveit', () => {
  let ros2: Ros2;
  let witness: Witness;
  let launch: Launch | null = null;
  /** One that waits in vain for a bridge, for 20 s, beside the others. */
  let lonely: Promise<Ended>;
  beforeAll(async () => {
    ros2 = new Ros2(STAND_INS);
    lonely = ros2.run('launch', PACKAGE, 'ros2_control.launch.py', 'namespace:=nobody');
    witness = await Witness.start({ ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });
  });
  afterAll(async () => {
    await lonely;
    await witness?.close();
    await ros2?.close();
  });
  beforeEach(() => ros2.clear());
  afterEach(async () => {
    const ending = launch;
    launch = null;
    if (ending === null) return;
    expect([await ending.end(), ending.output]).toEqual([
      0,
      expect.not.stringMatching(/Traceback|process has died|escalating/),
    ]);
  });

  const noted = async (...programs: readonly string[]): Promise<Note[]> => {
    const of = () => programs.map((name) => ros2.notes().filter(({ program }) => program === name));
    await expect.poll(() => of().every((found) => found.length > 0), { timeout: 60_000 }).toBe(true);
    return of().flat();
  };
  const parameter = (note: Note, name: string): unknown => note.parameters[name];

  /** Where the joints are, by name. */
  const positions = async (topic: string): Promise<Map<string, number>> => {
    const take = await witness.subscribe<JointStateMessage>(STATE, topic);
    const { message } = (await take(1)).at(-1)!;
    return new Map(message.name.map((name, index) => [name, message.position[index]!]));
  };

  /**
   * Does what MoveIt does with its parameters: for each controller a client of its type and name, and to each arm a plan to a
   * named pose of the SRDF, timed at the limits that it was told, to each gripper its last point.
   */
  const executePlans = async (group: Note, pose: string, topics: Readonly<Record<string, string>>) => {
    const names = parameter(group, 'moveit_simple_controller_manager.controller_names') as string[];
    const space = group.node.split('/').slice(0, -1).join('/');
    const urdf = parseUrdf(String(parameter(group, 'robot_description')));
    const srdf = readSrdf(String(parameter(group, 'robot_description_semantic')), urdf);
    expect(srdf.faults).toEqual([]);
    for (const name of names) {
      const of = (key: string) => parameter(group, `moveit_simple_controller_manager.${name}.${key}`);
      const joints = of('joints') as string[];
      const action = `${space}/${name}/${of('action_ns')}`;
      const topic = topics[Object.keys(topics).find((arm) => name.startsWith(arm))!]!;
      if (of('type') === 'ParallelGripperCommand') {
        const command = { name: joints, position: [0.3] };
        const goal = await witness.goal<{ reached_goal: boolean }>(GRIP, action, { command });
        expect(await goal.result()).toMatchObject({ status: 'succeeded', result: { reached_goal: true } });
        continue;
      }
      // Again where the machine is so busy that the servos fall silent for a moment.
      await again(async () => {
        const at = await positions(topic);
        const state = srdf.states.find((other) => other.name === pose && other.values.has(joints[0]!))!;
        const limit = (joint: string, what: string) =>
          Number(parameter(group, `robot_description_planning.joint_limits.${joint}.max_${what}`)) *
          Number(parameter(group, `robot_description_planning.default_${what}_scaling_factor`));
        const samples = timeOptimal(
          [joints.map((joint) => at.get(joint)!), joints.map((joint) => state.values.get(joint)!)],
          joints.map((joint) => limit(joint, 'velocity')),
          joints.map((joint) => limit(joint, 'acceleration')),
        );
        const points = samples.map(({ time, ...point }) => ({ ...point, time_from_start: stamp(time) }));
        const goal = await witness.goal<Followed>(FOLLOW, action, { trajectory: { joint_names: joints, points } });
        expect(await goal.result()).toMatchObject({ status: 'succeeded', result: { error_string: '', error_code: 0 } });
        const now = await positions(topic);
        for (const joint of joints) expect(now.get(joint)!, joint).toBeCloseTo(state.values.get(joint)!, 1);
      });
    }
  };

  test('moveit.launch.py gives move_group what it needs, in the namespace of the arm, and the bridge carries its plans out', async () => {
    launch = ros2.launch(
      PACKAGE,
      'moveit.launch.py',
      'bridge:=true',
      'http_port:=0',
      'rviz:=true',
      'namespace:=lab',
      'tf:=/lab/tf',
    );
    await launch.says(/ROS 2 \w+: 2 arms in \/lab/);
    const [group, rviz] = await noted('move_group', 'rviz2');
    expect([group!.node, rviz!.node]).toEqual(['/lab/follower/move_group', '/lab/follower/rviz2']);
    expect(group!.topics).toMatchObject({ joint_states: '/lab/follower/joint_states' });
    for (const { topics } of [group!, rviz!]) {
      expect(topics).toMatchObject({ '/tf': '/lab/tf', '/tf_static': '/lab/tf_static' });
    }
    for (const name of ['robot_description', 'robot_description_semantic']) {
      expect(parameter(rviz!, name)).toBe(parameter(group!, name));
    }
    expect(rviz!.arguments).toEqual(['-d', expect.stringMatching(/rviz\/moveit\.rviz$/)]);
    expect(parameter(group!, 'robot_description_kinematics.arm.position_only_ik')).toBe(true);
    expect(parameter(group!, 'ompl.planning_plugins')).toEqual(['ompl_interface/OMPLPlanner']);

    const joints = (await positions('/lab/follower/joint_states')).keys();
    expect(new Set(joints)).toEqual(new Set(loadArmModel('so101').joints.map(({ name }) => name)));
    await witness.perform('/lab/follower/arm_bridge/init');
    await executePlans(group!, 'hello', { '': '/lab/follower/joint_states' });

    // What holds at present stands where a planner can read it, and follows the scale of the speeds.
    const node = '/lab/follower/arm_bridge';
    const limit = 'joint_limits.shoulder_pan.max_velocity';
    const told = async () => {
      const type = 'rcl_interfaces/srv/GetParameters';
      const answer = await witness.call<{ values: { double_value: number }[] }>(type, `${node}/get_parameters`, {
        names: [limit],
      });
      return answer.values[0]!.double_value;
    };
    const set = async (name: string, value: number) => {
      const type = 'rcl_interfaces/srv/SetParameters';
      const parameters = [{ name, value: { type: 3, double_value: value } }];
      return (await witness.call<{ results: object[] }>(type, `${node}/set_parameters`, { parameters })).results[0];
    };
    const planned = Number(parameter(group!, `robot_description_planning.${limit}`));
    expect(await told()).toBe(planned);
    expect(await set('speed_scale', 0.5)).toMatchObject({ successful: true });
    expect(await told()).toBe(planned / 2);
    expect(await set(limit, 4)).toMatchObject({
      successful: false,
      reason: expect.stringMatching(/follows from the arm's data: set speed_scale/),
    });
    expect(await told()).toBe(planned / 2);
  });

  test('for two arms it plans in one world, with names of their own, and both carry their part out', async () => {
    launch = ros2.launch(
      ...[PACKAGE, 'moveit.launch.py', 'bridge:=true', 'http_port:=0', 'arms:=leader,follower', 'prefix:=auto'],
    );
    await launch.says(/ROS 2 \w+: 2 arms in \//);
    const [group, ...relays] = await noted('move_group', 'relay');
    await expect
      .poll(() => ros2.notes().filter(({ program }) => program === 'relay').length, { timeout: 60_000 })
      .toBe(2);
    expect(group!.node).toBe('/move_group');
    const told = ros2.notes().filter(({ program }) => program === 'relay');
    expect(told.map(({ node, arguments: given }) => [node, ...given]).sort()).toEqual([
      ['/follower_joint_states', 'follower/joint_states', 'joint_states'],
      ['/leader_joint_states', 'leader/joint_states', 'joint_states'],
    ]);
    expect(relays.length).toBeGreaterThan(0);
    const topics = { leader: '/leader/joint_states', follower: '/follower/joint_states' };
    for (const [arm, topic] of Object.entries(topics)) {
      expect([...(await positions(topic)).keys()]).toContain(`${arm}_shoulder_pan`);
      await witness.perform(`/${arm}/arm_bridge/init`);
    }
    // The robot that the bridge describes has the links that MoveIt plans with, and so have the frames.
    const latched = { durability: 'TRANSIENT_LOCAL', depth: 1 } as const;
    const description = await witness.subscribe<{ data: string }>(
      'std_msgs/msg/String',
      '/leader/robot_description',
      latched,
    );
    const own = parseUrdf((await description(1))[0]!.message.data);
    const planned = parseUrdf(String(parameter(group!, 'robot_description')));
    for (const link of own.links.keys()) expect([...planned.links.keys()]).toContain(link);
    expect(await witness.transforms('world', 'follower_tool')).not.toBeNull();
    await executePlans(group!, 'park', topics);
  });

  test('moveit.launch.py starts without arguments, and two more at once in namespaces of their own', async () => {
    const others = ['one', 'two'].map((name) => ros2.launch(PACKAGE, 'moveit.launch.py', `namespace:=${name}`));
    launch = ros2.launch(PACKAGE, 'moveit.launch.py');
    const groups = () =>
      ros2
        .notes()
        .map(({ node }) => node)
        .sort();
    await expect
      .poll(groups, { timeout: 60_000 })
      .toEqual(['/follower/move_group', '/one/follower/move_group', '/two/follower/move_group']);
    for (const other of others)
      expect([await other.end(), other.output]).toEqual([0, expect.not.stringMatching(/Traceback/)]);
  });

  test('for arms that would share their names it says what to change', async () => {
    const { code, output } = await ros2.run('launch', PACKAGE, 'moveit.launch.py', 'arms:=leader,follower');
    expect([code, output]).toEqual([1, expect.stringMatching(/leader and follower would share .*prefix:=auto/)]);
  });

  test('ros2_control.launch.py begins where the arm is, with controllers for its joints, beside the actions of the bridge', async () => {
    const config = join(ros2.folder, 'arms.yaml');
    writeFileSync(config, 'ros: { joint_prefix: x_ }\narms:\n  - { name: follower, bus: "sim:so101" }\n');
    const bridge = await BridgeProcess.start('--config', config);
    try {
      await witness.perform('/follower/arm_bridge/hello');
      launch = ros2.launch(PACKAGE, 'ros2_control.launch.py', `config:=${config}`);
      const [manager, spawner, publisher] = await noted('ros2_control_node', 'spawner', 'robot_state_publisher');
      for (const note of [manager, spawner, publisher]) expect(note!.node).toMatch(/^\/follower\/ros2_control\//);
      // controller_manager is told the robot by the topic that robot_state_publisher is to publish beside it.
      expect(manager!.topics.robot_description).toBe('/follower/ros2_control/robot_description');
      expect(publisher!.topics['/tf']).toBe('/follower/ros2_control/tf');
      const text = String(parameter(publisher!, 'robot_description'));
      const at = await positions('/follower/joint_states');
      const initial = [
        ...text.matchAll(
          /<joint name="(x_\w+)">\s*<command_interface name="position">\s*<param name="initial_value">([^<]+)/g,
        ),
      ];
      expect(initial.map(([, name]) => name)).toEqual([...at.keys()]);
      for (const [, name, value] of initial) expect(Number(value), name).toBeCloseTo(at.get(name!)!, 2);
      expect(text).toContain('<param name="joint_states_topic">/follower/joint_states</param>');
      expect(text).toContain('<param name="joint_commands_topic">/follower/joint_commands</param>');
      expect(spawner!.arguments).toEqual(['arm_controller', 'gripper_controller', '--param-file', expect.any(String)]);
      expect(manager!.parameters).toMatchObject({
        update_rate: 100,
        'arm_controller.type': 'joint_trajectory_controller/JointTrajectoryController',
      });
      // A hardware interface with this threshold takes the arm to the end, and on a slow way without steps.
      const [, threshold] = /<param name="trigger_joint_command_threshold">([^<]+)</.exec(text)!;
      const driven = await rosProgram('../../../bench/controller.py', 'follower', '1', threshold!);
      expect(driven.slow).toBeLessThan(0.03);
      expect(driven.end).toBeLessThan(0.01);
      // Refused like any other message: what a hardware interface sends before a controller has written.
      const commands = await witness.advertise(STATE, '/follower/joint_commands');
      const names = [...at.keys()];
      await commands([{ name: names, position: names.map(() => Number.NaN) }]);
      await expect.poll(() => bridge.log).toMatch(/joint_commands refused.*is NaN/);
    } finally {
      await launch?.end();
      launch = null;
      await bridge.endStopped();
    }
  });

  test('ros2_control.launch.py starts without arguments, and for another arm beside it', async () => {
    const bridge = await BridgeProcess.start();
    try {
      await expect.poll(() => bridge.log, { timeout: 120_000 }).toMatch(/ROS 2 \w+: 2 arms in/);
      launch = ros2.launch(PACKAGE, 'ros2_control.launch.py');
      const other = ros2.launch(PACKAGE, 'ros2_control.launch.py', 'arm:=leader');
      // It ends by itself once it has asked for the controllers.
      for (const started of [launch, other]) await started.says(/\[spawner-\d+\]: process has finished cleanly/);
      const managers = () =>
        ros2
          .notes()
          .filter(({ program }) => program === 'ros2_control_node')
          .map(({ node }) => node)
          .sort();
      await expect
        .poll(managers, { timeout: 60_000 })
        .toEqual(['follower', 'leader'].map((arm) => `/${arm}/ros2_control/controller_manager`));
      expect(other.output).not.toMatch(/remap/);
      expect(await other.end(), other.output).toBe(0);
      expect(/(?:Traceback|process has died)[\s\S]*/.exec(other.output)?.[0]).toBeUndefined();
    } finally {
      await launch?.end();
      launch = null;
      await bridge.endStopped();
    }
  });

  test('ros2_control.launch.py without a bridge says so', async () => {
    const { code, output } = await lonely;
    expect([code, output]).toEqual([1, expect.stringMatching(/nothing came on \/nobody\/follower\/joint_states/)]);
  });
});
