import { expect, test } from 'vitest';
import { furthest } from '../support/poses.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

/** The main thread stands still for so long, s. */
const BUSY = 12;
/** From the last beat to the brake, and until the joints rest, s. */
const AT_REST = 0.25 + 0.3;
/** A joint that rests moves by less than this, rad. */
const STILL = 0.01;
const PAIR = {
  arms: [
    { name: 'leader', id: 0, bus: 'sim:so101' },
    { name: 'follower', id: 1, bus: 'sim:so101' },
    { name: 'slow', id: 2, bus: 'sim:so101', speed_scale: 0.2 },
    { name: 'floating', id: 3, bus: 'sim:so101' },
  ],
};
const CALLER = { owner: { key: 'test', name: 'a test' }, takeOver: false };
const TOLD = /would have heard no stop: every arm was made to hold, until it is asked again/;

function where(bridge: VirtualBridge, arm: string): number[] {
  return [...bridge.host.arms!.truthNow(arm).positions];
}

/** Where arms are when the main thread has not run for so long that they must rest; they stay there while it does not run. */
async function standStill(bridge: VirtualBridge, arms: readonly string[]): Promise<Map<string, number[]>> {
  bridge.host.clock.pause(BUSY);
  await bridge.pass(AT_REST);
  const rest = new Map(arms.map((arm) => [arm, where(bridge, arm)]));
  for (let passed = AT_REST; passed < BUSY; passed += 0.5) {
    await bridge.pass(0.5);
    for (const [arm, there] of rest) expect(furthest(where(bridge, arm), there), arm).toBeLessThan(STILL);
  }
  return rest;
}

/** Nothing moves in the next seconds. */
async function nothingMoves(bridge: VirtualBridge, rest: ReadonlyMap<string, number[]>): Promise<void> {
  for (let i = 0; i < 6; i++) {
    await bridge.pass(0.5);
    for (const [arm, there] of rest) expect(furthest(where(bridge, arm), there), arm).toBeLessThan(STILL);
  }
}

test('a main thread that stands still stops a pair, a move and a floating arm, and nothing goes on by itself', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  for (const id of [1, 2, 3]) expect((await bridge.post(`/move/init?robot_id=${id}`)).body.status).toBe('ok');
  const started = await bridge.post('/move/leader/start', {
    robot_pairs: [{ leader_id: 0, follower_id: 1 }],
    enable_gravity_compensation: false,
  });
  expect(started.body.status).toBe('ok');
  expect((await bridge.post('/gravity/start?robot_id=3')).body.status).toBe('ok');
  await bridge.pass(4);
  await bridge.until(bridge.host.arms!.hand('leader', { shoulder_pan: 1.5 }, 4));
  const before = where(bridge, 'slow');
  const moving = bridge.bridge.http.inject({
    method: 'POST',
    url: '/move/absolute?robot_id=2',
    headers: { host: '127.0.0.1' },
    payload: { x: 4, y: 8, z: 5 },
  });
  await bridge.pass(0.6);
  expect(furthest(where(bridge, 'slow'), before)).toBeGreaterThan(0.02);
  const led = where(bridge, 'follower')[0]!;

  const rest = await standStill(bridge, ['follower', 'slow', 'floating']);
  // The hand went on with the leader for seconds.
  expect(where(bridge, 'leader')[0]! - rest.get('follower')![0]!).toBeGreaterThan(0.3);
  expect(rest.get('follower')![0]! - led).toBeLessThan(0.3);

  const answer = await bridge.until(moving);
  expect(answer.json()).toMatchObject({ status: 'error', message: expect.stringMatching(TOLD) });
  const { body } = await bridge.ask('GET', '/status');
  expect(body.leader_follower_status).toBe(false);
  expect(body.mirror.reason).toMatch(TOLD);
  for (const id of [1, 2, 3]) {
    expect(body.arms[id]).toMatchObject({ state: 'ready', owner: null, reason: expect.stringMatching(TOLD) });
  }
  expect(bridge.lines.map(({ msg }) => msg)).toContainEqual(
    expect.stringMatching(
      /the main thread did not run for 1[12]\.\d s .*: follower, slow, floating had to brake and hold/,
    ),
  );
  await nothingMoves(bridge, rest);
  for (const id of [1, 2, 3]) expect((await bridge.post(`/move/init?robot_id=${id}`)).body.status).toBe('ok');
});

test.each([
  ['', 0],
  [', by when its session is long over', 5],
])(
  'a stream whose messages come all at once after the main thread stood still moves nothing before it has paused%s',
  async (_, gap) => {
    const bridge = await VirtualBridge.start();
    expect((await bridge.post('/move/init')).body.status).toBe('ok');
    const arm = bridge.arm();
    const velocities = new Float64Array(arm.model.joints.length);
    velocities[0] = 0.3;
    const refusals: unknown[] = [];
    const feed = (): void => {
      refusals.push(bridge.bridge.jog.feed(arm, { kind: 'joints', velocities }, CALLER)?.message ?? null);
    };
    for (let at = 0; at < BUSY + 2; at += 0.02) if (at < 0.5 || at > 0.5 + gap) bridge.host.clock.after(at, feed);
    await bridge.pass(0.5);
    expect(new Set(refusals)).toEqual(new Set([null]));
    const rest = await standStill(bridge, ['arm']);
    await bridge.pass(1);
    await nothingMoves(bridge, rest);
    expect(refusals.at(-1)).toMatch(/pause the stream for 0.5 s first/);
    refusals.length = 0;
    feed();
    await bridge.pass(0.1);
    expect(refusals).toEqual([null]);
    expect(arm.owner?.name).toBe('a test');
  },
);

test('what waits for its time when the main thread stands still does not begin afterwards', async () => {
  const bridge = await VirtualBridge.start();
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
  const arm = bridge.arm();
  const names = arm.model.joints.map(({ name }) => name);
  const goal = arm.read().setpoints.slice();
  goal[0]! += 0.5;
  const infinite = new Float64Array(names.length).fill(Number.POSITIVE_INFINITY);
  const path = { names, times: Float64Array.of(2), positions: goal, velocities: null };
  const tolerances = { path: infinite, pathVelocity: infinite, goal: infinite, goalVelocity: infinite, goalTime: 1 };
  const begin = bridge.host.time.now + 3;
  const waiting = bridge.bridge.trajectories.follow(arm, path, tolerances, CALLER, () => begin - bridge.host.time.now);
  await bridge.pass(0.5);
  const rest = await standStill(bridge, ['arm']);
  expect(await bridge.until(waiting)).toMatchObject({ end: 'not_begun', message: expect.stringMatching(TOLD) });
  await nothingMoves(bridge, rest);
});

test('a host that does not run lets what an arm does go on', async () => {
  const bridge = await VirtualBridge.start();
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
  const { clock, controlLane } = bridge.host;
  const moving = bridge.bridge.http.inject({
    method: 'POST',
    url: '/move/absolute',
    headers: { host: '127.0.0.1' },
    payload: { x: 4, y: 8, z: 5 },
  });
  await bridge.pass(0.3);
  // The main thread has its turn last of all.
  clock.pause(0.6);
  for (let i = 0; i < 5; i++) {
    controlLane.pause(0.1);
    await bridge.pass(0.11);
  }
  expect((await bridge.until(moving)).json()).toMatchObject({ status: 'ok' });
  expect(bridge.lines.some(({ msg }) => /did not run/.test(msg))).toBe(false);
});
