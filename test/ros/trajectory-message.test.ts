import { expect, test } from 'vitest';
import {
  isFault,
  type Planned,
  readTolerances,
  readTrajectory,
  TrajectoryCode,
  type TrajectoryFault,
  type TrajectoryGoal,
  type TrajectoryMessage,
} from '../../src/ros/trajectory-message.ts';
import { FakeArm, fakeArm, JOINTS } from './support/fakes.ts';

const NOW = 1_764_000_000;
const arm = fakeArm(new FakeArm(0, 'leader'));

const stamp = (seconds: number) => ({ sec: Math.floor(seconds), nanosec: Math.round((seconds % 1) * 1e9) });

function message(
  at: number,
  ...points: [time: number, position: number, velocity?: number | undefined, acceleration?: number][]
): TrajectoryMessage {
  return {
    header: { stamp: stamp(at) },
    joint_names: ['elbow_flex'],
    points: points.map(([time, position, velocity, acceleration]) => ({
      positions: Float64Array.of(position),
      velocities: Float64Array.from(velocity === undefined ? [] : [velocity]),
      accelerations: Float64Array.from(acceleration === undefined ? [] : [acceleration]),
      effort: new Float64Array(),
      time_from_start: stamp(time),
    })),
  };
}

const planned = (read: Planned | TrajectoryFault): Planned => {
  if (isFault(read)) throw new Error(read.text);
  return read;
};
const fault = (read: object): TrajectoryFault => {
  if (!isFault(read)) throw new Error('not refused');
  return read;
};

const WAY = [
  [1, 0.1],
  [2, 0.2],
  [3, 0.3],
] as const;

test('a trajectory without a stamp begins at once, one of the future waits, one that runs already goes on where it would be', () => {
  const points = WAY.map(([time, position]): [number, number] => [time, position]);
  const now = planned(readTrajectory(arm, message(0, ...points), NOW));
  expect([now.begin, [...now.path.times], [...now.path.positions]]).toEqual([null, [1, 2, 3], [0.1, 0.2, 0.3]]);
  expect(now.path.velocities).toBeNull();
  expect(planned(readTrajectory(arm, message(NOW + 5, ...points), NOW)).begin).toBeCloseTo(NOW + 5, 6);
  const late = planned(readTrajectory(arm, message(NOW - 1.5, ...points), NOW));
  expect([late.begin, [...late.path.positions]]).toEqual([null, [0.2, 0.3]]);
  expect([...late.path.times].map((time) => Math.round(time * 1000))).toEqual([500, 1500]);
});

test('one that runs already gives the arm the time that it needs to its first point, and is later by that', () => {
  const arm = new FakeArm(0, 'leader');
  arm.snapshot = { ...arm.snapshot, setpoints: new Float64Array(JOINTS.length) };
  const read = (given: TrajectoryMessage) => planned(readTrajectory(fakeArm(arm), given, NOW)).path;
  // At the speed limit of 1.5 rad/s the arm, at 0 still, needs 93 ms to its first point, of which 10 are over.
  const late = read(message(NOW - 0.01, [0.1, 0.14], [0.2, 0.28]));
  expect([...late.times].map((time) => Math.round(time * 1000))).toEqual([93, 193]);
  // With accelerations the way there keeps to them.
  const smooth = message(NOW - 0.15, [0.1, 0.03, 0.6, 6], [0.2, 0.12, 1.2, 6], [0.6, 0.3, 0, 0]);
  const [first, second] = read(smooth).times;
  expect(first).toBeCloseTo(0.2, 3);
  expect(second! - first!).toBeCloseTo(0.4, 6);
  const still = message(NOW - 0.15, [0.1, 0.03, 0.6, 6], [0.2, 0.12, 0, 6], [0.6, 0.3, 0, 0]);
  expect(read(still).times[0]).toBeCloseTo(2 * Math.sqrt(0.12 / 6), 3);
  // An arm in motion is on its way: a plan that goes on from the one before is not put off.
  arm.snapshot = { ...arm.snapshot, state: 'moving' };
  expect(read(message(NOW - 0.002, [0.1, 0.1, 1, 0], [0.2, 0.2, 0, 0])).times[0]).toBeCloseTo(0.098, 3);
});

test('one that is over is too old, one that begins much later is a mistake', () => {
  const over = fault(readTrajectory(arm, message(NOW - 10, [1, 0]), NOW));
  expect([over.code, over.text]).toEqual([
    TrajectoryCode.OLD_HEADER_TIMESTAMP,
    expect.stringMatching(/ended 9\.000 s ago/),
  ]);
  expect(fault(readTrajectory(arm, message(NOW + 3600, [1, 0]), NOW)).code).toBe(TrajectoryCode.INVALID_GOAL);
});

test('times that do not increase are refused, also those of points that are over by now', () => {
  const refused = (at: number, ...times: number[]) =>
    fault(readTrajectory(arm, message(at, ...times.map((time): [number, number] => [time, 0])), NOW)).text;
  expect(refused(0, 1, 1)).toMatch(/point 2 of 2 \(1 s\) does not come after .* \(1 s\)/);
  expect(refused(NOW - 2.5, 1, 3, 2)).toMatch(/point 3 of 3/);
  expect(refused(0, -1, 1)).toMatch(/point 1 of 2 is to be passed 1 s before the start/);
  expect(planned(readTrajectory(arm, message(0, [0, 0], [1, 0]), NOW)).path.times).toHaveLength(2);
});

test('velocities are given for all points or for none', () => {
  const all = planned(readTrajectory(arm, message(0, [1, 0.1, 0.2], [2, 0.2, 0]), NOW));
  expect([...all.path.velocities!]).toEqual([0.2, 0]);
  expect(fault(readTrajectory(arm, message(0, [1, 0.1, 0.2], [2, 0.2]), NOW)).text).toMatch(
    /1 of 2 points have velocities/,
  );
});

test('accelerations are read where points have velocities too, all of them; effort is refused', () => {
  const all = planned(readTrajectory(arm, message(0, [1, 0.1, 0.2, 0.5], [2, 0.2, 0, -0.5]), NOW));
  expect([...all.path.accelerations!]).toEqual([0.5, -0.5]);
  // One that runs already goes on with those of the points that are left.
  const late = planned(readTrajectory(arm, message(NOW - 1.5, [1, 0.1, 0.2, 0.5], [2, 0.2, 0, -0.5]), NOW));
  expect([...late.path.accelerations!]).toEqual([-0.5]);
  expect(planned(readTrajectory(arm, message(0, [1, 0.1, 0]), NOW)).path.accelerations).toBeNull();

  const refused = (...points: Parameters<typeof message>[1][]) =>
    fault(readTrajectory(arm, message(0, ...points), NOW));
  expect(refused([1, 0.1, 0.2, 0.5], [2, 0.2, 0]).text).toMatch(/1 of 2 points have accelerations/);
  expect(refused([1, 0.1, 0, Number.NaN]).text).toMatch(/accelerations of point 1 of 1: that of elbow_flex is NaN/);
  const alone = message(0, [1, 0.1, undefined, 0.5]);
  expect(fault(readTrajectory(arm, alone, NOW)).text).toMatch(/accelerations without velocities/);
  const wide = message(0, [1, 0.1, 0, 0]);
  const points = (more: Partial<TrajectoryMessage['points'][number]>) => ({
    ...wide,
    points: [{ ...wide.points[0]!, ...more }],
  });
  const many = readTrajectory(arm, points({ accelerations: Float64Array.of(0, 0) }), NOW);
  expect(fault(many).text).toMatch(/point 1 of 1 has 2 accelerations for 1 joints/);
  const effort = fault(readTrajectory(arm, points({ effort: Float64Array.of(0.3) }), NOW));
  expect([effort.code, effort.text]).toEqual([
    TrajectoryCode.INVALID_GOAL,
    expect.stringMatching(/point 1 of 1 has effort.*leave effort empty/),
  ]);
});

function goal(tolerances: Partial<TrajectoryGoal>): TrajectoryGoal {
  return {
    trajectory: message(0, [1, 0]),
    multi_dof_trajectory: { points: [] },
    path_tolerance: [],
    component_path_tolerance: [],
    goal_tolerance: [],
    component_goal_tolerance: [],
    goal_time_tolerance: stamp(0),
    ...tolerances,
  };
}

const tolerance = (name: string, position: number, velocity = 0, acceleration = 0) => ({
  name,
  position,
  velocity,
  acceleration,
});

test('tolerances: 0 asks for what is usual, -1 for none, else what is said', () => {
  const elbow = JOINTS.indexOf('elbow_flex');
  const read = readTolerances(
    arm,
    goal({
      path_tolerance: [tolerance('elbow_flex', 0.2, 0.3), tolerance('wrist_roll', -1, -1)],
      goal_tolerance: [tolerance('elbow_flex', 0.01, 0.05), tolerance('shoulder_pan', -1), tolerance('wrist_flex', 0)],
      goal_time_tolerance: stamp(2.5),
    }),
  );
  if (isFault(read)) throw new Error(read.text);
  const none = Number.POSITIVE_INFINITY;
  expect([...read.path]).toEqual(JOINTS.map((_, index) => (index === elbow ? 0.2 : none)));
  expect([...read.pathVelocity]).toEqual(JOINTS.map((_, index) => (index === elbow ? 0.3 : none)));
  expect([...read.goal]).toEqual([none, 0.1, 0.01, 0.1, 0.1, none]);
  expect(read.goalVelocity[elbow]).toBe(0.05);
  expect(read.goalTime).toBe(2.5);
  expect(readTolerances(arm, goal({}))).toMatchObject({ goalTime: 1 });
  expect(readTolerances(arm, goal({ goal_time_tolerance: stamp(-1) }))).toMatchObject({ goalTime: none });
});

test.each([
  [{ path_tolerance: [tolerance('elbow_flex', Number.NaN)] }, /no number/],
  [{ path_tolerance: [tolerance('elbow_flex', 0, 0, 1)] }, /acceleration of elbow_flex is not measured/],
  [{ goal_tolerance: [tolerance('elbow_flex', 0, 0, 1)] }, /acceleration of elbow_flex is not measured/],
  [{ path_tolerance: [tolerance('elbow_flex', -0.1)] }, /elbow_flex is -0.1: .* -1 for none/],
  [{ goal_tolerance: [tolerance('elbow_flex', 0.1, -2)] }, /elbow_flex is -2/],
  [{ goal_time_tolerance: stamp(-2) }, /goal_time_tolerance is -2 s/],
  [{ component_goal_tolerance: [{}] }, /several degrees of freedom/],
  [{ multi_dof_trajectory: { points: [{}] } }, /several degrees of freedom/],
])('tolerances %j are refused, since they could not be kept watch of', (fields, text) => {
  const refused = fault(readTolerances(arm, goal(fields)));
  expect([refused.code, refused.text]).toEqual([TrajectoryCode.INVALID_GOAL, expect.stringMatching(text)]);
});
