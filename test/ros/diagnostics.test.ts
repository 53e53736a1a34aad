import { expect, test } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import type { DiagnosticStatus } from '../../src/ros/cdr.ts';
import { Diagnostics } from '../../src/ros/diagnostics.ts';
import { acceptsCommands } from '../../src/ros/discovery.ts';
import { FakeArm, fakeArm, LOOP } from './support/fakes.ts';

const thresholds = configSchema.shape.ros.parse({}).diagnostics;

function rig() {
  const arm = new FakeArm(0, 'leader');
  const loop = { ...LOOP };
  const diagnostics = new Diagnostics([fakeArm(arm)], () => loop, thresholds);
  const { snapshot } = arm;
  snapshot.state = 'ready';
  snapshot.detailTime = 1;
  for (const values of [snapshot.positions, snapshot.efforts, snapshot.lostReplies, snapshot.alarms]) values.fill(0);
  snapshot.voltages.fill(12);
  snapshot.temperatures.fill(30);
  /** A second later. */
  const report = (): Record<string, DiagnosticStatus> => {
    loop.cycles += 200;
    snapshot.cycle += 200;
    return Object.fromEntries(diagnostics.report().map((entry) => [entry.name, entry]));
  };
  return { arm, snapshot, loop, report };
}

const SERVO = 'arm_bridge: leader elbow_flex (servo 3)';

test('a healthy arm is well in every part', () => {
  const { report } = rig();
  expect(Object.values(report()).map(({ level }) => level)).toEqual(Array(9).fill(0));
});

test('a warm servo warns, a hot one and one with an alarm are errors, each by itself', () => {
  const { snapshot, report } = rig();
  snapshot.temperatures[2] = thresholds.warn_temperature;
  expect(report()[SERVO]).toMatchObject({ level: 1, message: '55 degrees Celsius' });
  snapshot.temperatures[2] = thresholds.error_temperature;
  expect(report()[SERVO]).toMatchObject({ level: 2 });
  snapshot.temperatures[2] = 30;
  snapshot.alarms[2] = 32;
  const told = report();
  expect(told[SERVO]).toMatchObject({ level: 2, message: 'alarm bits 32' });
  expect(told['arm_bridge: leader gripper (servo 6)']!.level).toBe(0);
});

test('replies are judged by those that were lost since the last report', () => {
  const { snapshot, report } = rig();
  snapshot.lostReplies[2] = 10;
  const told = report();
  expect(told[SERVO]).toMatchObject({ level: 1, message: '5.0 % of the replies are lost' });
  expect(told['arm_bridge: leader bus']!.level).toBe(0);
  expect(report()[SERVO]!.level).toBe(0);
  snapshot.lostReplies[2] = 110;
  expect(report()[SERVO]!.level).toBe(2);
});

test('an arm without a bus is an error, its servos are stale; a loop that is late or stands is told', () => {
  const { snapshot, loop, report } = rig();
  snapshot.state = 'disconnected';
  loop.late = 20;
  const told = report();
  expect(told['arm_bridge: leader']).toMatchObject({ level: 2, message: expect.stringMatching(/^disconnected/) });
  expect(told['arm_bridge: leader bus']!.level).toBe(2);
  expect(told[SERVO]!.level).toBe(3);
  expect(told['arm_bridge: control loop']).toMatchObject({ level: 1, message: '10.0 % of the cycles began late' });
  loop.cycles -= 200;
  expect(report()['arm_bridge: control loop']!.level).toBe(2);
});

test.each([
  ['auto', { ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' }, true],
  ['auto', { ROS_AUTOMATIC_DISCOVERY_RANGE: 'OFF' }, true],
  ['auto', { ROS_AUTOMATIC_DISCOVERY_RANGE: 'SUBNET' }, false],
  ['auto', { ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST', ROS_STATIC_PEERS: '192.0.2.1' }, false],
  ['auto', { ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST', ROS_DISCOVERY_SERVER: '192.0.2.1:11811' }, false],
  ['auto', { ROS_LOCALHOST_ONLY: '1' }, true],
  ['auto', {}, false],
  // Humble knows only the switch: what it does not know keeps nobody out.
  ['auto', { ROS_DISTRO: 'humble', ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' }, false],
  ['auto', { ROS_DISTRO: 'humble', ROS_AUTOMATIC_DISCOVERY_RANGE: 'OFF' }, false],
  ['auto', { ROS_DISTRO: 'humble', ROS_AUTOMATIC_DISCOVERY_RANGE: 'SUBNET', ROS_LOCALHOST_ONLY: '1' }, true],
  [true, { ROS_AUTOMATIC_DISCOVERY_RANGE: 'SUBNET' }, true],
  [false, { ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' }, false],
] as const)('accept_commands %s with %j accepts: %s', (wish, environment, accepted) => {
  expect(acceptsCommands(wish, environment)).toBe(accepted);
});
