import { beforeEach, expect, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import { BridgeError, type Caller } from '../../src/arm/types.ts';
import type { JointPath, PathTolerances, TrajectoryOutcome } from '../../src/motion/trajectory-service.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const caller: Caller = { owner: { key: 'ros:arm/arm_controller', name: 'the ROS controller' }, takeOver: false };
const person: Caller = { owner: { key: 'http', name: 'an HTTP client' }, takeOver: false };
/** Poses whose check takes many turns of the event loop. */
const LONG = 400;

let bridge: VirtualBridge;
let arm: Arm;
let tolerances: PathTolerances;
beforeEach(async () => {
  bridge = await VirtualBridge.start();
  arm = bridge.arm();
  const anything = Float64Array.from(arm.model.joints, () => Number.POSITIVE_INFINITY);
  tolerances = { path: anything, pathVelocity: anything, goal: anything, goalVelocity: anything, goalTime: 0 };
  await bridge.until(bridge.bridge.motion.init(arm, person));
});

/** The arm turns to and fro about its base within `rows` / 20 s, the other joints as they are unless `all` are named. */
function turning(rows: number, { all = false, by = 0.5 } = {}): JointPath {
  const q = arm.model.poses.get('init')!;
  const names = all ? arm.model.joints.map(({ name }) => name) : ['shoulder_pan'];
  const positions = new Float64Array(rows * names.length);
  for (let k = 0; k < rows; k++) {
    if (all) positions.set(q, k * names.length);
    positions[k * names.length] = by * Math.sin((k + 1) / 20);
  }
  return { names, times: Float64Array.from({ length: rows }, (_, k) => (k + 1) / 20), positions, velocities: null };
}

const follow = (path: JointPath, { by = caller, delay = 0 } = {}): Promise<TrajectoryOutcome> => {
  const begin = bridge.host.time.now + delay;
  return bridge.bridge.trajectories.follow(arm, path, tolerances, by, () => begin - bridge.host.time.now);
};

/** Joint positions of the physics, rad. */
const truth = async () => (await bridge.host.arms!.truth('arm')).positions;

/** By how far any joint of the physics has moved in a time, rad. */
async function moved(duration: number): Promise<number> {
  const before = await truth();
  await bridge.pass(duration);
  return Math.max(...(await truth()).map((angle, i) => Math.abs(angle - before[i]!)));
}

/** What a promise was rejected with. */
const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

test('a stop is answered while a long trajectory is checked, and the trajectory never begins', async () => {
  const following = refusal(follow(turning(LONG)));
  const stop = arm.stop('test');
  expect(await bridge.until(following)).toMatchObject({ message: 'Arm arm is stopped (test).', remedy: 'reset' });
  await bridge.until(stop);
  await bridge.until(arm.reset());
  expect(await moved(2)).toBeLessThan(0.01);
});

test('a trajectory that is cancelled while it is checked never begins', async () => {
  const gone = new AbortController();
  const following = refusal(follow(turning(LONG), { by: { ...caller, signal: gone.signal } }));
  gone.abort();
  expect(await bridge.until(following)).toMatchObject({
    message: 'Ended before it began, while it was checked: it was cancelled.',
  });
  expect(await moved(1)).toBeLessThan(0.01);
});

test('a trajectory that begins while an older one is still being checked keeps the arm', async () => {
  const older = refusal(follow(turning(LONG)));
  const newer = await bridge.until(follow(turning(10)));
  expect(newer.end).toBe('done');
  expect(await bridge.until(older)).toMatchObject({ message: expect.stringMatching(/asked for something newer/) });
});

test('of two that are checked at once the newer one drives the arm, however long its check takes', async () => {
  const older = follow(turning(40));
  const newer = follow(turning(LONG / 4, { by: -0.5 }));
  expect((await bridge.until(older)).message).toMatch(/superseded by a newer request/);
  expect((await bridge.until(newer)).end).toBe('done');
});

test('a joint that a trajectory does not name and that has moved meanwhile is not drawn back', async () => {
  const goal = arm.model.poses.get('init')!.slice();
  goal[4] = goal[4]! + 1;
  const first = arm.claim(caller);
  void first.drive({ kind: 'trajectory', goal, speed: null });
  await bridge.pass(0.2);
  // The loop goes on while the check yields.
  const clock = bridge.host.clock;
  const soon = clock.soon.bind(clock);
  clock.soon = (call) => void clock.after(0.005, call);
  const following = refusal(follow(turning(LONG)));
  expect(await bridge.until(following)).toMatchObject({
    message: expect.stringMatching(/^wrist_roll of arm arm has moved while the trajectory/),
  });
  clock.soon = soon;
  first.end();
});

test('until it begins a trajectory has the arm, which holds', async () => {
  const following = follow(turning(20), { delay: 3 });
  expect(await moved(2.8)).toBeLessThan(0.01);
  expect(arm.owner?.key).toBe(caller.owner.key);
  await expect(bridge.until(bridge.bridge.motion.init(arm, person))).rejects.toMatchObject({ code: 'owned' });
  expect(await moved(1)).toBeGreaterThan(0.1);
  expect((await bridge.until(following)).end).toBe('done');
});

const ENDINGS: readonly (readonly [string, () => Promise<unknown>])[] = [
  [
    'a stop and a reset',
    async () => {
      await arm.stop('test');
      await arm.reset();
    },
  ],
  ['another owner', () => bridge.bridge.motion.init(arm, { ...person, takeOver: true })],
  [
    'parking and init',
    async () => {
      await bridge.bridge.motion.sleep(arm, { ...person, takeOver: true });
      await bridge.bridge.motion.init(arm, person);
    },
  ],
  ['torque off', () => bridge.bridge.torque.off(arm, true, { ...person, takeOver: true })],
  ['a newer goal of the same controller', () => follow(turning(4, { by: 0.01 }))],
  [
    'a disconnection',
    async () => {
      bridge.host.arms!.get('arm').unplug();
      while (arm.read().state !== 'disconnected') await arm.nextCycle();
      bridge.host.arms!.get('arm').plugIn();
      while (arm.read().state === 'disconnected') await arm.nextCycle();
    },
  ],
];
test.each(ENDINGS)('a trajectory that waits for its beginning is over with %s, and says so', async (_, end) => {
  const following = follow(turning(20), { delay: 8 });
  await bridge.pass(0.5);
  await bridge.until(end());
  const { end: how, message } = await bridge.until(following);
  expect(how).toBe('not_begun');
  expect(message).toMatch(/^Ended before it began: .*\. Nothing has moved\.$/);
  await bridge.pass(2);
  expect(await moved(9)).toBeLessThan(0.05);
});

test('a trajectory that is cancelled while it waits never begins', async () => {
  const gone = new AbortController();
  const following = follow(turning(20), { delay: 3, by: { ...caller, signal: gone.signal } });
  await bridge.pass(0.5);
  gone.abort();
  expect(await bridge.until(following)).toMatchObject({ end: 'not_begun' });
  expect(arm.owner).toBeNull();
  expect(await moved(4)).toBeLessThan(0.01);
});

test('points with accelerations are followed as quintics, within the limits in every cycle', async () => {
  const from = arm.read().setpoints[0]!;
  const path = {
    names: ['shoulder_pan'],
    times: Float64Array.of(1.5),
    positions: Float64Array.of(from + 0.8),
    velocities: Float64Array.of(0),
    accelerations: Float64Array.of(0),
  };
  const following = follow(path);
  const seen: number[] = [];
  let over = false;
  void following.then(() => {
    over = true;
  });
  const watch = (async () => {
    while (!over) {
      seen.push(arm.read().setpoints[0]!);
      await arm.nextCycle();
    }
  })();
  expect((await bridge.until(following)).end).toBe('done');
  await bridge.until(watch);
  expect(await truth()).toMatchObject({ 0: expect.closeTo(from + 0.8, 1.5) });
  // From rest to rest within 1.5 s: 10 s^3 - 15 s^4 + 6 s^5 of the way. The phase within a cycle is not known.
  const begun = seen.findIndex((at) => at !== from);
  const quintic = (cycle: number): number => {
    const s = Math.min(Math.max((cycle * 0.005) / 1.5, 0), 1);
    return from + 0.8 * (10 * s ** 3 - 15 * s ** 4 + 6 * s ** 5);
  };
  const fastest = 1.875 * (0.8 / 1.5);
  expect(seen.length - begun).toBeGreaterThan(290);
  for (let cycle = 0; begun + cycle < seen.length; cycle++) {
    expect(Math.abs(seen[begun + cycle]! - quintic(cycle + 0.5))).toBeLessThan(1.5 * fastest * 0.005);
  }
});

test('accelerations are held to acceleration_scale, which the limits on the graph follow, and times alone are not', async () => {
  const from = arm.read().setpoints[0]!;
  const most = arm.model.joints[0]!.move.acceleration;
  const path = (first: number) => ({
    names: ['shoulder_pan'],
    times: Float64Array.of(0, 2),
    positions: Float64Array.of(from, from + 0.1),
    velocities: Float64Array.of(0, 0),
    accelerations: Float64Array.of(first, 0),
  });
  const { trajectories } = bridge.bridge;
  trajectories.requireFollowable(arm, path(0.5 * most), caller);
  arm.limitAcceleration(0.25);
  expect(() => trajectories.requireFollowable(arm, path(0.5 * most), caller)).toThrow(
    /shoulder_pan would accelerate with 3\.000 rad\/s² in waypoint 1 of 2, its limit is 1\.500 rad\/s²/,
  );
  trajectories.requireFollowable(arm, path(0.25 * most), caller);
  expect((await bridge.until(follow(turning(4)))).end).toBe('done');
});

test('a path that touches something only between its poses, where its velocities lead it, is refused', async () => {
  const name = 'shoulder_lift';
  const index = arm.model.joints.findIndex((joint) => joint.name === name);
  const init = arm.model.poses.get('init')![index]!;
  const way = (speed: number) => ({
    names: [name],
    times: Float64Array.of(1, 3.2, 4.2),
    positions: Float64Array.of(init, init, init),
    velocities: Float64Array.of(speed, -speed, 0),
    accelerations: Float64Array.of(0, 0, 0),
  });
  expect((await bridge.until(follow(way(0.05)))).end).toBe('done');
  const refused = await bridge.until(refusal(follow(way(1.3))));
  expect(refused).toMatchObject({ message: expect.stringMatching(/^On the way to waypoint 2 of 3 arm arm would hit/) });
  expect(await moved(1)).toBeLessThan(0.01);
});

test('an arm that does not hold follows nothing', async () => {
  await bridge.until(bridge.bridge.torque.off(arm, true, person));
  const refused = await bridge.until(refusal(follow(turning(4))));
  expect(refused).toBeInstanceOf(BridgeError);
  expect(refused).toMatchObject({ remedy: 'torque_on' });
});

test('a tolerance of speed on the way is kept watch of: an arm that follows goes on, one that is held fast ends', async () => {
  const pathVelocity = Float64Array.from(arm.model.joints, () => 0.2);
  tolerances = { ...tolerances, pathVelocity };
  // From rest to 0.5 rad/s and back.
  const times = Float64Array.from({ length: 60 }, (_, k) => (k + 1) / 20);
  const swing = {
    names: ['shoulder_pan'],
    times,
    positions: times.map((t) => 0.25 * (1 - Math.cos(2 * t))),
    velocities: null,
  };
  expect(await bridge.until(follow(swing))).toMatchObject({ end: 'done' });
  await bridge.until(bridge.bridge.motion.init(arm, person));
  await bridge.lead('arm', { shoulder_pan: 0 }, 0.1);
  const { end, message } = await bridge.until(follow(swing));
  expect([end, message]).toEqual([
    'path',
    expect.stringMatching(
      /shoulder_pan goes at -?0\.\d+ rad\/s where 0\.\d+ are asked for \(tolerance 0\.200 rad\/s\)/,
    ),
  ]);
});

test('a joint that lies a little beyond its limit does not keep the others from moving, and may only come back', async () => {
  const lift = arm.model.joints.findIndex(({ name }) => name === 'shoulder_lift');
  const { lower } = arm.model.joints[lift]!;
  await bridge.until(bridge.bridge.torque.off(arm, true, person));
  await bridge.lead('arm', { shoulder_lift: lower - 0.02 }, 1);
  await bridge.pass(1.5);
  await bridge.until(bridge.bridge.torque.on(arm, person));
  await bridge.lead('arm', null);
  const at = arm.read().setpoints[lift]!;
  expect(at).toBeLessThan(lower);
  const to = (name: string, position: number): JointPath => ({
    names: [name],
    times: Float64Array.of(1),
    positions: Float64Array.of(position),
    velocities: null,
  });
  expect(await bridge.until(follow(to('wrist_roll', 0.2)))).toMatchObject({ end: 'done' });
  expect(arm.read().setpoints[lift]).toBe(at);
  // Planners begin where it is measured, which is beyond where it is asked to be.
  const measured = arm.read().positions[lift]!;
  const times = Float64Array.of(0, 1);
  const path = { ...to('shoulder_lift', measured), times, positions: Float64Array.of(measured, at) };
  expect(await bridge.until(follow(path))).toMatchObject({ end: 'done' });
  expect(await bridge.until(refusal(follow(to('shoulder_lift', at - 0.05))))).toMatchObject({
    message: expect.stringMatching(/shoulder_lift would go to .*its limits are/),
  });
  expect(await bridge.until(follow(to('shoulder_lift', at + 0.1)))).toMatchObject({ end: 'done' });
});
