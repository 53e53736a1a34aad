import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ControllerState } from '../../src/ros/controller-state.ts';
import { isHeardByOneUser, setDiscovery } from '../../src/ros/discovery.ts';
import { ArmNames } from '../../src/ros/names.ts';
import type { Qualities } from '../../src/ros/qos.ts';
import type { RosNode } from '../../src/ros/rclnodejs.ts';
import { RELEASES } from '../../src/ros/releases.ts';
import { OTHER_VERSIONS } from './support/definitions.ts';
import { FakeArm, fakeArm, JOINTS } from './support/fakes.ts';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

test('docs/ros.md shows what differs between releases as the code has it', () => {
  const title = (name: string) => name.replace(/^./, (letter) => letter.toUpperCase());
  const releases = Object.entries(RELEASES);
  const row = (what: string, value: (release: (typeof releases)[number][1], name: string) => string) =>
    `| ${[what, ...releases.map(([name, release]) => value(release, name))].join(' | ')} |`;
  const moveit = parse(read('moveit/arm_bridge_moveit/config/releases.yaml'));
  const toldToMoveIt = (name: string) => moveit[name] ?? moveit.others;
  const without = /condition="\$ROS_DISTRO != (\w+)">joint_state_topic_hardware_interface/.exec(
    read('moveit/arm_bridge_moveit/package.xml'),
  )![1];
  const table = [
    `| | ${releases.map(([name]) => title(name)).join(' | ')} |`,
    `|---|${'---|'.repeat(releases.length)}`,
    row('tests run on it', ({ tested }) => (tested ? 'yes' : 'no')),
    row('how far nodes are found', ({ discovery }) => `\`${discovery}\``),
    row('profile of Fast DDS', ({ profile }) => (profile === null ? 'not tried' : `\`${profile}\``)),
    row('fields that it lacks', ({ lacks }) =>
      lacks.length === 0 ? 'none' : lacks.map((field) => `\`${field.split('.').at(-1)}\``).join(', '),
    ),
    row('how MoveIt drives the gripper', (_, name) => `\`${toldToMoveIt(name).gripper.type}\``),
    row("MoveIt's pipeline", (_, name) => `\`${toldToMoveIt(name).pipeline}\``),
    row('ros2_control above the bridge', (_, name) => (name === without ? 'no' : 'yes')),
  ];
  expect(read('docs/ros.md')).toContain(`<!-- releases: begin -->\n\n${table.join('\n')}\n\n<!-- releases: end -->`);
});

/** Names of the fields that a definition of this repository has, part by part. */
function fieldsOf(file: string): string[][] {
  const parts = read(`interfaces/control_msgs/${file}`).split(/^---$/m);
  return parts.map((part) => [...part.matchAll(/^[\w/]+(?:\[\])? +(\w+) *(?:#.*)?$/gm)].map(([, field]) => field!));
}

test('on a release without a profile other users do not hear the bridge, unless people have configured Fast DDS', () => {
  const heardByOne = (environment: NodeJS.ProcessEnv): boolean => {
    setDiscovery('localhost', environment);
    return isHeardByOneUser(environment);
  };
  const releases = Object.keys(RELEASES).filter((ROS_DISTRO) => heardByOne({ ROS_DISTRO }));
  expect(releases).toEqual(['humble', 'lyrical']);
  for (const own of [
    { FASTRTPS_DEFAULT_PROFILES_FILE: '/etc/own.xml' },
    { RMW_IMPLEMENTATION: 'rmw_cyclonedds_cpp' },
    { ROS_DISCOVERY_SERVER: '192.0.2.1:11811' },
  ]) {
    expect(heardByOne({ ROS_DISTRO: 'humble', ...own })).toBe(false);
  }
});

test.each(OTHER_VERSIONS)('control_msgs/$file has, at $commit, every field that tests run with', ({ file, fields }) => {
  const type = `control_msgs/${file.replace(/\.\w+$/, '')}`;
  const ours = fieldsOf(file);
  expect(ours).toHaveLength(fields.length);
  for (const [part, names] of ours.entries()) {
    expect(names.length).toBeGreaterThan(0);
    const lacking = names.filter((name) => !fields[part]!.includes(name)).map((name) => `${type}.${name}`);
    expect(lacking).toEqual(RELEASES.humble!.lacks.filter((field) => field.startsWith(`${type}.`)));
  }
});

test('the state of a trajectory controller has velocities, in fields of its definition', () => {
  const told: object[] = [];
  const node = {
    createPublisher: () => ({ subscriptionCount: 1, publish: (message: object) => void told.push(message) }),
    createService: () => ({}),
  };
  const fake = new FakeArm(0, 'leader');
  const { snapshot } = fake;
  snapshot.sampleTime = 1;
  snapshot.setpoints.fill(0.5);
  snapshot.positions.fill(0.25);
  snapshot.goals.fill(0.75);
  snapshot.goalVelocities.fill(0.125);
  snapshot.velocities.fill(0.375);
  const arm = fakeArm(fake);
  const state = new ControllerState(
    node as unknown as RosNode,
    '/leader/arm_bridge',
    arm,
    new ArmNames(arm, ''),
    { stream: {} } as Qualities,
    () => 0,
    () => true,
  );
  state.publish();
  // A sample is told once.
  state.publish();
  expect(told).toHaveLength(1);
  const joints = (value: number) => JOINTS.map(() => value);
  expect(told[0]).toMatchObject({
    reference: { positions: joints(0.5), velocities: joints(0.125) },
    feedback: { positions: joints(0.25), velocities: joints(0.375) },
    error: { positions: joints(0.25), velocities: joints(-0.25) },
    output: { positions: joints(0.75), velocities: [] },
  });
  // What is told has a definition; what of it a release lacks is left out there.
  expect(fieldsOf('msg/JointTrajectoryControllerState.msg')[0]).toEqual(expect.arrayContaining(Object.keys(told[0]!)));
});
