import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ArmModel, armChain, armModels, loadArmModel, ROBOTS_DIRECTORY } from '../../src/arm/model.ts';
import * as shapes from '../../src/kinematics/shapes.ts';
import { parseUrdf, type RobotDescription } from '../../src/kinematics/urdf.ts';
import { withPrefix } from '../../src/kinematics/urdf-text.ts';
import { HEADROOM } from '../../src/rt/sources/trajectory.ts';
import { POSITION_SLACK } from '../../src/rt/sources/waypoints.ts';
import { at, HAS_XACRO, namesAt, PACKAGE, type Robot, robotOf, type Tree } from './support/robots.ts';
import { pairOf, readSrdf } from './support/srdf.ts';

const { moveitFiles } = await import(pathToFileURL(join(ROBOTS_DIRECTORY, '../scripts/moveit/files.mjs')).href);
const MODELS = armModels();

const armJoints = ({ joints, gripper }: ArmModel) => joints.filter((_, index) => index !== gripper?.index);

/** A configuration with one arm of each given model, `a0`, `a1`, ..., a third of a metre apart. */
const configured = (...models: readonly string[]) => ({
  arms: models.map((model, index) => ({
    name: `a${index}`,
    model,
    bus: `sim:${model}`,
    mount: { xyz: [0, index / 3, 0.01 * index], rpy: [0, 0, 0.5 * index] },
  })),
});

function made(...parameters: Parameters<typeof robotOf>): Robot {
  const robot = robotOf(...parameters);
  if ('error' in robot) throw new Error(robot.error);
  return robot;
}

test.each(MODELS)(
  "the files for %s are made of today's data (else: npm run build && node scripts/moveit/generate.mjs)",
  (name) => {
    const model = loadArmModel(name);
    const files: Record<string, string> = moveitFiles(model, armChain(model), {
      ...shapes,
      withPrefix,
      HEADROOM,
      POSITION_SLACK,
    });
    for (const [file, text] of Object.entries(files)) {
      expect(readFileSync(join(PACKAGE, 'config', name, file), 'utf8'), file).toBe(text);
    }
  },
);

test.each(MODELS)(
  'a planner finds the limits that the gate of %s has for moves, in joint_limits.yaml and in the URDF',
  (name) => {
    const { joints, urdf } = loadArmModel(name);
    const { joint_limits: told } = parse(readFileSync(join(PACKAGE, 'config', name, 'joint_limits.yaml'), 'utf8'));
    expect(told).toEqual(
      Object.fromEntries(
        joints.map(({ name: joint, move, lower, upper }) => [
          joint,
          {
            // A joint at its limit may stand a few steps beyond it, which the bridge accepts.
            has_position_limits: true,
            min_position: expect.closeTo(lower - 0.8 * POSITION_SLACK, 4),
            max_position: expect.closeTo(upper + 0.8 * POSITION_SLACK, 4),
            has_velocity_limits: true,
            max_velocity: move.velocity,
            has_acceleration_limits: true,
            max_acceleration: move.acceleration,
            has_jerk_limits: move.jerk !== undefined,
            ...(move.jerk === undefined ? {} : { max_jerk: move.jerk }),
          },
        ]),
      ),
    );
    const description = parseUrdf(urdf);
    for (const { name: joint, move, lower, upper } of joints) {
      const { limit } = description.joints.find((other) => other.name === joint)!;
      expect(limit).toMatchObject({ velocity: move.velocity, lower, upper });
    }
  },
);

describe.skipIf(!HAS_XACRO)('what xacro makes of the package', () => {
  describe.each(MODELS)('of one %s', (name) => {
    const model = loadArmModel(name);
    const gripper = model.joints[model.gripper!.index]!;
    const positions = Object.fromEntries(
      model.joints.map((joint) => [`x_${joint.name}`, (joint.lower + joint.upper) / 2]),
    );
    let plain: Robot;
    let prefixed: Robot;
    let urdf: RobotDescription;
    beforeAll(() => {
      plain = made(configured(name), { arms: ['a0'] });
      prefixed = made(configured(name), { arms: ['a0'], prefix: 'x_', positions });
      urdf = parseUrdf(plain.urdf);
    });

    test('is the arm of the bridge, standing in the world on a table', () => {
      const own = parseUrdf(model.urdf);
      expect(urdf.root).toBe('world');
      for (const joint of own.joints) expect(urdf.joints).toContainEqual(joint);
      for (const [link, { inertial, collisions }] of own.links) {
        expect(urdf.links.get(link)!.inertial, link).toEqual(inertial);
        expect(urdf.links.get(link)!.collisions.length > 0, link).toBe(collisions.length > 0);
      }
      expect([...urdf.links.keys()].filter((link) => !own.links.has(link)).sort()).toEqual(['table', 'world']);
    });

    test('has an SRDF that MoveIt takes as a whole: groups, poses of arm.yaml, the gripper as end effector', () => {
      const srdf = readSrdf(plain.srdf, urdf);
      expect(srdf.faults).toEqual([]);
      expect([...srdf.groups.keys()]).toEqual(['arm', 'gripper']);
      expect([...srdf.groups.get('arm')!.joints].sort()).toEqual(
        armJoints(model)
          .map((joint) => joint.name)
          .sort(),
      );
      expect(srdf.groups.get('gripper')!.joints).toEqual([gripper.name]);
      expect(srdf.groups.get('arm')!.links).toContain(model.toolLink);
      expect(srdf.endEffectors).toEqual([{ name: 'gripper', group: 'gripper', parentLink: model.toolLink }]);
      for (const [pose, values] of model.poses) {
        const state = srdf.states.find((other) => other.name === pose && other.group === 'arm')!;
        for (const [index, joint] of model.joints.entries()) {
          if (joint !== gripper) expect(state.values.get(joint.name), pose).toBeCloseTo(values[index]!, 6);
        }
      }
      for (const end of ['open', 'closed'] as const) {
        const state = srdf.states.find((other) => other.name === end)!;
        expect(state.values.get(gripper.name)).toBeCloseTo(model.gripper![end], 6);
      }
    });

    test('has the same with a prefix before every name', () => {
      const names = (text: string) => [
        ...text.matchAll(/\b(?:name|link\d?|group|joint|parent_\w+|\w+_link)="([^"]*)"/g),
      ];
      const srdf = readSrdf(prefixed.srdf, parseUrdf(prefixed.urdf));
      expect(srdf.faults).toEqual([]);
      expect([...srdf.groups.keys()]).toEqual(['x_arm', 'x_gripper']);
      const known = new Set(['world', 'arms', ...model.poses.keys(), 'open', 'closed']);
      for (const [, found] of names(prefixed.srdf)) {
        if (!known.has(found!)) expect(found).toMatch(/^x_/);
      }
      const { links, joints } = parseUrdf(prefixed.urdf);
      expect([...links.keys()]).toEqual([...urdf.links.keys()].map((link) => (link === 'world' ? link : `x_${link}`)));
      expect(joints.map((joint) => joint.name)).toEqual(urdf.joints.map((joint) => `x_${joint.name}`));
    });

    test("names its controllers, kinematics, limits and groups by the robot's names", () => {
      for (const [{ parameters }, x, through] of [
        [plain, '', ''],
        [prefixed, 'x_', ''],
        [made(configured(name), { arms: ['a0'], prefix: 'x_', through: 'ros2_control' }), 'x_', 'ros2_control/'],
      ] as const) {
        const { controller_names: names, ...controllers } = at(parameters, 'moveit_simple_controller_manager') as Tree;
        expect(names).toEqual([`${through}arm_controller`, `${through}gripper_controller`]);
        expect(controllers).toEqual({
          [`${through}arm_controller`]: {
            type: 'FollowJointTrajectory',
            action_ns: 'follow_joint_trajectory',
            default: true,
            joints: armJoints(model).map((joint) => `${x}${joint.name}`),
          },
          [`${through}gripper_controller`]: {
            type: 'ParallelGripperCommand',
            action_ns: 'gripper_cmd',
            default: true,
            joints: [`${x}${gripper.name}`],
            command_joint: `${x}${gripper.name}`,
          },
        });
        expect(namesAt(parameters, 'robot_description_kinematics')).toEqual([`${x}arm`]);
        // What the joints of an arm cannot reach in general, no solver finds.
        expect(at(parameters, 'robot_description_kinematics', `${x}arm`, 'position_only_ik') ?? false).toBe(
          armJoints(model).length < 6,
        );
        expect(namesAt(parameters, 'robot_description_planning', 'joint_limits').sort()).toEqual(
          model.joints.map((joint) => `${x}${joint.name}`).sort(),
        );
        for (const group of [`${x}arm`, `${x}gripper`]) expect(parameters.ompl).toHaveProperty(group);
      }
    });

    test('checks a path as finely as the bridge does', () => {
      // MoveIt's distance is the sum over the joints, its extent the sum of their ranges.
      const extent = armJoints(model).reduce((sum, { lower, upper }) => sum + upper - lower, 0);
      const step = Number(at(plain.parameters, 'ompl', 'arm', 'longest_valid_segment_fraction')) * extent;
      expect(step).toBeLessThanOrEqual(0.02);
      expect(step).toBeGreaterThan(0.019);
    });

    test('has a ros2_control block that begins where the arm is', () => {
      const text = prefixed.ros2_control!;
      const block = /<ros2_control [\s\S]*<\/ros2_control>/.exec(text)![0];
      expect(block).toContain('<plugin>joint_state_topic_hardware_interface/JointStateTopicSystem</plugin>');
      expect(block).toContain('<param name="joint_states_topic">/a/joint_states</param>');
      expect(block).toContain('<param name="joint_commands_topic">/a/joint_commands</param>');
      const joints = [...block.matchAll(/<joint name="(\w+)">([\s\S]*?)<\/joint>/g)];
      expect(joints.map(([, joint]) => joint)).toEqual(Object.keys(positions));
      for (const [, joint, inside] of joints) {
        const initial = [...inside!.matchAll(/<param name="initial_value">([^<]*)</g)].map(([, value]) =>
          Number(value),
        );
        expect(initial, joint).toEqual([positions[joint!], positions[joint!]]);
        for (const state of ['position', 'velocity', 'effort'])
          expect(inside).toContain(`<state_interface name="${state}"`);
      }
      const own = (controller: string, name: string) =>
        at(prefixed.controllers[0]!, `/**/${controller}`, 'ros__parameters', name);
      expect(own('arm_controller', 'joints')).toEqual(armJoints(model).map((joint) => `x_${joint.name}`));
      expect(own('gripper_controller', 'joint')).toBe(`x_${gripper.name}`);
    });
  });

  test('of several arms is one robot: a group for each and for all, each where it is mounted and on a table of its own', () => {
    const {
      urdf: text,
      srdf: semantic,
      parameters,
    } = made(configured('so101', 'wx250s'), { arms: ['a0', 'a1'], prefix: 'auto' });
    const urdf = parseUrdf(text);
    const srdf = readSrdf(semantic, urdf);
    expect(srdf.faults).toEqual([]);
    expect([...srdf.groups.keys()]).toEqual(['a0_arm', 'a0_gripper', 'a1_arm', 'a1_gripper', 'all_arms']);
    expect(srdf.groups.get('all_arms')!.joints).toHaveLength(5 + 6);
    const mount = urdf.joints.find(({ child }) => child === 'a1_base_link')!;
    expect([mount.parent, mount.origin.position]).toEqual(['world', { x: 0, y: 1 / 3, z: 0.01 }]);
    expect(mount.origin.rotation[0]).toBeCloseTo(Math.cos(0.5), 9);
    const free = new Set(srdf.disabled.map(({ pair }) => pair));
    const touching = [...urdf.links.values()].filter(({ collisions }) => collisions.length > 0).map(({ name }) => name);
    const between = touching
      .filter((link) => link.startsWith('a0_'))
      .flatMap((a) => touching.filter((link) => link.startsWith('a1_')).map((b) => [a, b] as const));
    for (const [a, b] of between) {
      const idle = /_(table|base_link)$/;
      const expected = a.endsWith('_table') || b.endsWith('_table') || (idle.test(a) && idle.test(b));
      expect(free.has(pairOf(a, b)), `${a} ${b}`).toBe(expected);
    }
    expect(at(parameters, 'moveit_simple_controller_manager', 'controller_names')).toEqual([
      'a0/arm_controller',
      'a0/gripper_controller',
      'a1/arm_controller',
      'a1/gripper_controller',
    ]);
    expect(namesAt(parameters, 'robot_description_planning', 'joint_limits')).toHaveLength(6 + 7);
  });

  test('of several arms has the poses that all of them share, and no other', () => {
    const { urdf, srdf } = made(configured('so101', 'wx250s'), { arms: ['a0', 'a1'], prefix: 'auto' });
    const { faults, states } = readSrdf(srdf, parseUrdf(urdf));
    expect(faults).toEqual([]);
    const models = ['so101', 'wx250s'].map((name) => loadArmModel(name));
    const shared = [...models[0]!.poses.keys()].filter((pose) => models[1]!.poses.has(pose));
    expect(shared).toContain('init');
    const ofAll = states.filter(({ group }) => group === 'all_arms');
    expect(ofAll.map(({ name }) => name).sort()).toEqual(shared.sort());
    for (const { name, values } of ofAll) {
      expect(values.size).toBe(5 + 6);
      for (const [at, model] of models.entries()) {
        for (const [index, joint] of model.joints.entries()) {
          if (index === model.gripper!.index) continue;
          expect(values.get(`a${at}_${joint.name}`), name).toBeCloseTo(model.poses.get(name)![index]!, 6);
        }
      }
    }
  });

  test('plans with the parts of speeds and accelerations that the configuration allows an arm', () => {
    const { arms } = configured('so101', 'so101');
    const { parameters } = made(
      {
        ros: { joint_prefix: 'auto' },
        arms: [
          { ...arms[0]!, speed_scale: 0.5, acceleration_scale: 0.25 },
          { ...arms[1]!, uncalibrated: true },
        ],
      },
      { arms: ['a0', 'a1'] },
    );
    const limit = (joint: string) => at(parameters, 'robot_description_planning', 'joint_limits', joint);
    const { velocity, acceleration } = loadArmModel('so101').joints[0]!.move;
    expect(limit('a0_shoulder_pan')).toMatchObject({
      max_velocity: velocity / 2,
      max_acceleration: acceleration / 4,
    });
    expect(limit('a1_shoulder_pan')).toMatchObject({ max_velocity: 0.3, max_acceleration: acceleration });
  });

  test("of an arm's model that is given by its path is made of what generate.mjs writes into its folder", () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-own-model-'));
    try {
      const own = join(folder, 'so101');
      cpSync(join(ROBOTS_DIRECTORY, 'so101'), own, { recursive: true });
      const configuration = { arms: [{ name: 'mine', model: own, bus: 'ros' }] };
      expect(robotOf(configuration, { arms: ['mine'] })).toEqual({
        error: expect.stringMatching(
          /nothing for the model ".*so101", since .*so101\/moveit is not there: .*generate.mjs/,
        ),
      });
      const script = join(ROBOTS_DIRECTORY, '../scripts/moveit/generate.mjs');
      execFileSync(process.execPath, [script, own]);
      const brought = { arms: [{ ...configuration.arms[0]!, model: 'so101' }] };
      expect(made(configuration, { arms: ['mine'] })).toEqual(made(brought, { arms: ['mine'] }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('of arms that do not go together is a sentence that says what to change', () => {
    expect(robotOf(configured('so101', 'so101'), { arms: ['a0', 'a1'] })).toEqual({
      error: expect.stringMatching(/a0 and a1 would share their joint names: .*joint_prefix: auto/),
    });
    expect(
      robotOf({ ros: { joint_prefix: 'auto' }, ...configured('so101', 'so101') }, { arms: ['a0', 'a1'] }),
    ).toHaveProperty('urdf');
    expect(robotOf(configured('so101'), { arms: ['left'] })).toEqual({
      error: expect.stringMatching(/no arm "left"; it has a0/),
    });
    const own = { arms: [{ name: 'mine', model: './my_arm', bus: 'ros' }] };
    expect(robotOf(own, { arms: ['mine'] })).toEqual({
      error: expect.stringMatching(/nothing for the model ".\/my_arm", since .*\/my_arm\/moveit is not there/),
    });
  });

  test("is told to MoveIt in the words of the machine's ROS 2", () => {
    const of = (distro: string) => {
      const { ompl, moveit_simple_controller_manager: manager } = made(configured('so101'), {
        arms: ['a0'],
        distro,
      }).parameters;
      return { ompl, manager };
    };
    expect(of('humble')).toMatchObject({
      ompl: { planning_plugin: 'ompl_interface/OMPLPlanner' },
      manager: {
        controller_names: ['arm_controller', 'gripper_action_controller'],
        gripper_action_controller: { type: 'GripperCommand', action_ns: 'gripper_cmd', joints: ['gripper'] },
      },
    });
    for (const distro of ['jazzy', 'kilted', 'lyrical']) {
      expect(of(distro)).toMatchObject({
        ompl: { planning_plugins: ['ompl_interface/OMPLPlanner'] },
        manager: { gripper_controller: { type: 'ParallelGripperCommand' } },
      });
    }
  });
});
