import { beforeEach, expect, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import { Cancelled } from '../../src/arm/types.ts';
import type { ActionParts, Actions } from '../../src/ros/action.ts';
import type { InputParts } from '../../src/ros/arm-inputs.ts';
import { decodeJointTrajectory, MOST_POINTS } from '../../src/ros/cdr.ts';
import { ArmNames } from '../../src/ros/names.ts';
import { type Stamp, secondsOf } from '../../src/ros/time.ts';
import { TrajectoryInputs } from '../../src/ros/trajectory-inputs.ts';
import type { TrajectoryGoal, TrajectoryMessage } from '../../src/ros/trajectory-message.ts';
import { MOST_JOINTS } from '../../src/sizes.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';
import { FROM_ROS } from './support/fakes.ts';
import { encodeTrajectory } from './support/trajectories.ts';

const NODE = '/arm/arm_bridge';
/** Level of a warning in the log (pino). */
const WARN = 40;

type Feedback = Record<
  'desired' | 'actual' | 'error',
  { readonly positions: Float64Array; readonly velocities: Float64Array; readonly time_from_start: Stamp }
>;

let bridge: VirtualBridge;
/** Time of /clock, where the node goes by it, s. */
let simulated: number | null;
let arm: Arm;
/** What a message on the topic, and a goal of the action, are handed to. */
let publish: (message: TrajectoryMessage) => void;
let take: (bytes: Uint8Array) => void;
/** Feedback of the newest goal. */
let feedback: () => Feedback;
let send: (goal: TrajectoryGoal, signal?: AbortSignal) => Promise<{ error_code: number; error_string: string }>;
/** Why a goal is rejected; null when it is accepted. */
let accept: (goal: TrajectoryGoal) => string | null;
beforeEach(async () => {
  bridge = await VirtualBridge.start();
  simulated = null;
  arm = bridge.arm();
  const { trajectories } = bridge.bridge;
  // The edge to rclnodejs: what it would call back with.
  const node = {
    now: () => ({ nanoseconds: BigInt(Math.round((simulated ?? bridge.host.clock.wall()) * 1e9)) }),
    getPublishersInfoByTopic: () => [{ node_name: 'mover', node_namespace: '/', endpoint_gid: Array(16).fill(1) }],
    createSubscription: (_type: string, _topic: string, options: object, receive: typeof take) => {
      expect(options).toMatchObject({ isRaw: true });
      take = receive;
      publish = (message) => receive(encodeTrajectory(message));
    },
  };
  const parts = { node, nodeName: NODE, namespace: '/arm', arm, names: new ArmNames(arm, ''), trajectories };
  const inputs = new TrajectoryInputs({ ...parts, qualities: { stream: {} } } as unknown as InputParts);
  inputs.acceptTopic();
  const tell = (source: () => object): void => {
    feedback = source as typeof feedback;
  };
  const actions = {
    offer: (_type: string, _name: string, { judge, execute }: ActionParts<TrajectoryGoal>) => {
      accept = judge!;
      send = async (goal, signal = new AbortController().signal) =>
        (await execute({ goal, ...FROM_ROS, signal, tell })).result as Awaited<ReturnType<typeof send>>;
    },
  };
  inputs.offerAction(actions as unknown as Actions);
  await bridge.until(
    bridge.bridge.motion.init(arm, { owner: { key: 'http', name: 'an HTTP client' }, takeOver: false }),
  );
});

/** A trajectory that turns the base to `pan` (rad) within 2 s, `delay` (s) from now on. */
function turn(pan: number, delay = 0): TrajectoryMessage {
  const at = delay === 0 ? 0 : bridge.host.clock.wall() + delay;
  return {
    header: { stamp: { sec: Math.floor(at), nanosec: Math.round((at % 1) * 1e9) } },
    joint_names: ['shoulder_pan'],
    points: [
      {
        positions: Float64Array.of(pan),
        velocities: new Float64Array(),
        accelerations: new Float64Array(),
        effort: new Float64Array(),
        time_from_start: { sec: 2, nanosec: 0 },
      },
    ],
  };
}

const goal = (trajectory: TrajectoryMessage): TrajectoryGoal => ({
  trajectory,
  multi_dof_trajectory: { points: [] },
  path_tolerance: [],
  component_path_tolerance: [],
  goal_tolerance: [],
  component_goal_tolerance: [],
  goal_time_tolerance: { sec: 0, nanosec: 0 },
});

const pan = async () => (await bridge.host.arms!.truth('arm')).positions[0]!;
const BY_TOPIC = { who: 'the ROS node /mover', what: 'topic /arm/arm_controller/joint_trajectory', from: 'ROS 2' };
const EMPTY: TrajectoryMessage = {
  header: { stamp: { sec: 0, nanosec: 0 } },
  joint_names: ['shoulder_pan'],
  points: [],
};

test('a trajectory with a stamp to come, by topic or action, does not outlive a stop, a reset, parking and init', async () => {
  publish(turn(0.7, 6));
  await bridge.pass(0.5);
  expect(arm.owner?.name).toBe('the ROS node /mover on the ROS controller /arm/arm_controller');
  await bridge.until(arm.stop('test'));
  await bridge.until(arm.reset());
  await bridge.pass(9);
  expect(Math.abs(await pan())).toBeLessThan(0.02);
  expect(bridge.bridge.arms.journal.list({ act: 'motion', limit: 1 })).toMatchObject([
    { ...BY_TOPIC, outcome: 'ended', message: 'stopped (test)' },
  ]);

  const waiting = send(goal(turn(0.7, 6)));
  await bridge.pass(0.5);
  const person = { owner: { key: 'http', name: 'an HTTP client' }, takeOver: true };
  await bridge.until(bridge.bridge.motion.sleep(arm, person));
  await bridge.until(bridge.bridge.motion.init(arm, person));
  expect(await bridge.until(waiting)).toMatchObject({
    error_code: -1,
    error_string: expect.stringMatching(/Ended before it began/),
  });
  await bridge.pass(6);
  expect(Math.abs(await pan())).toBeLessThan(0.02);
});

test('a trajectory with a stamp to come waits for simulated time, however long that stands', async () => {
  simulated = bridge.host.clock.wall();
  const waiting = send(goal(turn(0.7, 1)));
  await bridge.pass(10);
  expect(Math.abs(await pan())).toBeLessThan(0.02);
  simulated += 1;
  expect(await bridge.until(waiting)).toMatchObject({ error_code: 0 });
  expect(await pan()).toBeCloseTo(0.7, 1);
});

test('feedback tells the time since the motion began, not since the goal came, and velocities', async () => {
  const done = send(goal(turn(0.7, 1)));
  await bridge.pass(0.5);
  expect(secondsOf(feedback().desired.time_from_start)).toBe(0);
  await bridge.pass(1.5);
  const { desired, actual, error } = feedback();
  for (const { time_from_start } of [desired, actual, error]) {
    expect(secondsOf(time_from_start)).toBeGreaterThan(0.95);
    expect(secondsOf(time_from_start)).toBeLessThan(1.05);
  }
  // Half of the way, 1.5 times as fast there as on average.
  expect(desired.positions[0]).toBeCloseTo(0.35, 1);
  expect(desired.velocities[0]).toBeCloseTo((1.5 * 0.7) / 2, 1);
  expect(actual.velocities[0]).toBeGreaterThan(0.3);
  expect(error.positions[0]).toBeCloseTo(desired.positions[0]! - actual.positions[0]!, 9);
  expect(error.velocities[0]).toBeCloseTo(desired.velocities[0]! - actual.velocities[0]!, 9);
  expect(await bridge.until(done)).toMatchObject({ error_code: 0 });
});

test('a newer goal ends the one that waits or runs, by topic and by action alike', async () => {
  const waiting = send(goal(turn(0.7, 5)));
  await bridge.pass(0.5);
  publish(turn(-0.4));
  expect((await bridge.until(waiting)).error_string).toMatch(/superseded by a newer request/);
  await bridge.pass(3);
  expect(await pan()).toBeCloseTo(-0.4, 1);
  const running = send(goal(turn(0.6)));
  await bridge.pass(0.5);
  const newer = send(goal(turn(0)));
  expect((await bridge.until(running)).error_string).toMatch(/Ended on the way: superseded/);
  expect(await bridge.until(newer)).toMatchObject({ error_code: 0 });
  await bridge.pass(6);
  expect(Math.abs(await pan())).toBeLessThan(0.05);
});

test('a message without points stops what the controller drives or has waiting, an action too, and nobody else', async () => {
  const running = send(goal(turn(0.9)));
  await bridge.pass(0.6);
  publish(EMPTY);
  expect((await bridge.until(running)).error_string).toMatch(/superseded/);
  await bridge.pass(0.5);
  const at = await pan();
  await bridge.pass(2);
  expect(await pan()).toBeCloseTo(at, 2);

  const waiting = send(goal(turn(0, 4)));
  await bridge.pass(0.5);
  publish(EMPTY);
  expect((await bridge.until(waiting)).error_string).toMatch(/before it began/);

  const move = bridge.bridge.motion.init(arm, { owner: { key: 'http', name: 'an HTTP client' }, takeOver: false });
  await bridge.pass(0.2);
  publish(EMPTY);
  expect((await bridge.until(move)).ok).toBe(true);
});

test('a message without points ends a trajectory that is still being checked, also while somebody else has the gripper', async () => {
  const owner = { key: 'gripper', name: 'a gripper controller' };
  const command = { position: 1, velocity: 0.2, torque: null };
  const grasp = bridge.bridge.trajectories.gripper(arm, command, 0.05, { owner, takeOver: false });
  await bridge.pass(0.5);
  const before = await pan();
  publish(turn(0.8));
  publish(EMPTY);
  await bridge.pass(3);
  expect(await pan()).toBeCloseTo(before, 2);
  expect(await bridge.until(grasp)).toMatchObject({ reached: true });
});

test('a goal that is cancelled while it waits has not begun, and says so', async () => {
  const cancelled = new AbortController();
  const waiting = send(goal(turn(0.7, 3)), cancelled.signal);
  await bridge.pass(0.5);
  cancelled.abort();
  expect(await bridge.until(waiting)).toEqual({
    error_code: 0,
    error_string: 'cancelled before it began; nothing has moved',
  });
  await bridge.pass(5);
  expect(Math.abs(await pan())).toBeLessThan(0.02);
});

test('a goal that cannot be carried out is rejected when it comes, for a reason that names the joint', async () => {
  const { joint_names, points, header } = turn(0.5);
  const judged = (trajectory: Partial<TrajectoryMessage>) =>
    accept(goal({ header, joint_names, points, ...trajectory }));
  expect(judged({})).toBeNull();
  expect(judged({ joint_names: ['elbow'] })).toMatch(/arm arm has no joint "elbow"/);
  expect(judged({ points: [] })).toMatch(/no points/);
  expect(judged(turn(9))).toMatch(/shoulder_pan would go to 9.000 rad/);
  expect(judged(turn(9, 5))).toMatch(/shoulder_pan would go to 9.000 rad/);
  expect(judged(turn(0.5, 5))).toBeNull();
  expect(
    judged({ points: [{ ...points[0]!, positions: new Float64Array(), velocities: Float64Array.of(0) }] }),
  ).toMatch(/point 1 of 1 has no positions/);
  expect(judged(turn(1.9))).toBeNull();
  const quick = { ...points[0]!, time_from_start: { sec: 0, nanosec: 1e8 } };
  expect(judged({ points: [quick] })).toMatch(/shoulder_pan would need .* rad\/s/);
  expect(judged({ points: [{ ...points[0]!, effort: Float64Array.of(0.1) }] })).toMatch(/point 1 of 1 has effort/);
  // Slow enough on average, and too fast in the middle of its quintic.
  const [velocities, accelerations] = [Float64Array.of(0), Float64Array.of(0)];
  const swung = { ...points[0]!, velocities, accelerations, time_from_start: { sec: 0, nanosec: 5e8 } };
  expect(judged({ points: [swung] })).toMatch(/shoulder_pan would need 1\.\d+ rad\/s, its limit is/);
  expect(judged({ points: [{ ...swung, time_from_start: { sec: 1, nanosec: 0 } }] })).toBeNull();
  const session = arm.claim({ owner: { key: 'http', name: 'an HTTP client' }, takeOver: false });
  expect(judged({})).toMatch(/driven by an HTTP client/);
  session.end();
  await bridge.until(arm.stop('test'));
  expect(judged({})).toMatch(/stopped/);
});

test('a trajectory by topic that is refused, or fails, is one line of the log: a warning with its reason', async () => {
  const { motion } = bridge.bridge;
  /** Lines of the log since it was asked last, without the names of those who caused them. */
  const told = () =>
    bridge.lines
      .splice(0)
      .filter(({ msg }) => !msg.includes('under way'))
      .map(({ level, msg }) => [level, msg.replace(/^.*?\): /, '')]);
  told();
  publish({ ...turn(0.5), joint_names: ['thumb'] });
  await bridge.pass(1);
  expect(told()).toEqual([[WARN, expect.stringMatching(/^refused: arm arm has no joint "thumb"/)]]);
  const person = { owner: { key: 'http', name: 'an HTTP client' }, takeOver: false };
  const session = arm.claim(person);
  publish(turn(0.5));
  await bridge.pass(1);
  expect(told()).toEqual([[WARN, expect.stringMatching(/^refused: Arm arm is driven by an HTTP client/)]]);
  session.end();
  told();
  // One after the other, those that are replaced while they are checked are not told.
  for (const pan of [0.1, 0.2, 0.3]) publish(turn(pan));
  await bridge.pass(4);
  expect(told().filter(([level]) => level === WARN)).toEqual([]);
  await bridge.until(motion.init(arm, person));
});

test('a goal that misses a tolerance, or is cancelled at its goal, has failed in the journal too, for the same reason', async () => {
  const newest = () => bridge.bridge.arms.journal.list({ act: 'motion', limit: 1 })[0]!;
  const strict = { name: 'shoulder_pan', position: 1e-7, velocity: 0, acceleration: 0 };
  const onTheWay = await bridge.until(send({ ...goal(turn(0.5)), path_tolerance: [strict] }));
  expect(onTheWay.error_code).toBe(-4);
  expect(newest()).toMatchObject({ outcome: 'failed', message: onTheWay.error_string });
  const atTheGoal = await bridge.until(send({ ...goal(turn(0.5)), goal_tolerance: [strict] }));
  expect(atTheGoal.error_code).toBe(-5);
  expect(newest()).toMatchObject({ outcome: 'failed', message: atTheGoal.error_string });

  const cancelled = new AbortController();
  const unlimited = { ...goal(turn(0)), goal_tolerance: [strict], goal_time_tolerance: { sec: -1, nanosec: 0 } };
  const patient = send(unlimited, cancelled.signal);
  await bridge.pass(8);
  expect(arm.owner).not.toBeNull();
  cancelled.abort(new Cancelled('its client cancelled it'));
  await bridge.pass(0.1);
  expect(arm.owner).toBeNull();
  expect((await patient).error_string).toMatch(/^cancelled/);
  expect(newest()).toMatchObject({ outcome: 'failed', message: 'Ended at the goal: its client cancelled it.' });
});

test('bytes that are no trajectory are refused and move nothing', async () => {
  const whole = encodeTrajectory(turn(0.7));
  take(whole.subarray(0, whole.length - 8));
  await bridge.pass(3);
  expect(bridge.bridge.arms.journal.list({ limit: 1 })).toMatchObject([
    { ...BY_TOPIC, outcome: 'refused', message: expect.stringMatching(/^truncated message/) },
  ]);
  expect(Math.abs(await pan())).toBeLessThan(0.02);
});

test('a trajectory with too many points or joints is refused unread, by topic and by action, and the log says why', async () => {
  const { points, joint_names } = turn(0.7);
  const long = { ...turn(0.7), points: Array.from({ length: MOST_POINTS + 1 }, () => points[0]!) };
  const wide = { ...turn(0.7), joint_names: Array.from({ length: MOST_JOINTS + 1 }, () => joint_names[0]!) };
  const tolerance = { name: 'shoulder_pan', position: 0, velocity: 0, acceleration: 0 };
  const tolerant = { ...goal(turn(0.7)), goal_tolerance: Array.from({ length: MOST_JOINTS + 1 }, () => tolerance) };
  expect(accept(goal(long))).toBe('the trajectory has 10001 points, more than 10000: give fewer, or send it in parts');
  expect(accept(goal(wide))).toBe('the trajectory names 33 joints, and an arm has 32 at most');
  expect(accept(tolerant)).toBe('the goal has 33 tolerances, and an arm 32 joints at most');
  for (const [message, why] of [
    [long, /has 10001 points/],
    [wide, /names 33 joints/],
  ] as const) {
    publish(message);
    await bridge.pass(0.1);
    expect(bridge.told().at(-1)).toMatch(why);
  }
  // The points behind the count are not read: they would be damaged.
  const bytes = Buffer.from(encodeTrajectory(long));
  bytes.fill(0xff, bytes.length / 2);
  expect(() => decodeJointTrajectory(bytes)).toThrow(/has 10001 points/);
  expect(Math.abs(await pan())).toBeLessThan(0.02);
});
