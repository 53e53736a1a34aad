import { beforeEach, expect, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import type { Caller } from '../../src/arm/types.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';
import { jointStates } from './mcap.ts';

const A: Caller = { owner: { key: 'a', name: 'owner a' }, takeOver: false };
const PERIOD = 0.02;
const HOUR = 3600;

let bridge: VirtualBridge;
let arm: Arm;
beforeEach(async () => {
  bridge = await VirtualBridge.start();
  arm = bridge.arm();
});

const recordings = () => bridge.bridge.recordings;

/** Records a greeting. @returns the path of the file */
async function recorded(name: string): Promise<string> {
  await bridge.until(bridge.bridge.motion.init(arm, A));
  const path = await bridge.until(recordings().start(arm, name, 1 / PERIOD));
  await bridge.until(bridge.bridge.motion.hello(arm, A));
  await bridge.until(recordings().stop(arm));
  return path;
}

test('before anything has been recorded there is an empty list, with the room that is left', async () => {
  const { status, body } = await bridge.get('/api/v1/recordings');
  expect(status).toBe(200);
  expect(body).toMatchObject({ recordings: [], total: 0, used: 0, free: expect.any(Number), warning: '' });
  expect(body.free).toBeGreaterThan(0);
});

test.each([
  ['back', -HOUR],
  ['ahead', HOUR],
])('a system clock that is set %s neither drops samples of a recording nor bends its times', async (_, step) => {
  const path = await bridge.until(recordings().start(arm, 'clock', 1 / PERIOD));
  await bridge.pass(1);
  const before = bridge.host.clock.wall();
  bridge.host.time.wallOffset += step;
  await bridge.pass(1);
  const summary = (await bridge.until(recordings().stop(arm)))!;
  expect(summary.problem).toBeNull();
  expect(summary.samples).toBeGreaterThan(90);
  const states = await jointStates(path);
  for (const [k, { stamp }] of states.entries()) {
    if (k > 0) expect(Math.abs(stamp - states[k - 1]!.stamp - PERIOD)).toBeLessThan(0.006);
  }
  // What the clock said stays in the file.
  const times = states.map(({ published }) => published);
  const jump = times.findIndex((time, k) => k > 0 && Math.abs(time - times[k - 1]! - step) < 1);
  expect(times[jump]!).toBeCloseTo(before + step, 0);
});

test('a recording is replayed: the arm goes to its first pose and then as it was recorded', async () => {
  await recorded('move');
  expect(await bridge.until(recordings().play(arm, 'move', 1, A))).toMatchObject({ problem: null });
  const { positions } = await bridge.host.arms!.truth('arm');
  const hello = arm.model.poses.get('hello')!;
  // A greeting leaves the gripper as it is.
  for (const [i, angle] of hello.slice(0, -1).entries()) expect(positions[i]!).toBeCloseTo(angle, 1);
});

test('a stop ends a replay for good, also one that is still being read', async () => {
  await recorded('move');
  const early = recordings()
    .play(arm, 'move', 1, A)
    .catch((error: unknown) => error);
  await bridge.until(arm.stop('test'));
  await bridge.until(arm.reset());
  expect(await bridge.until(early)).toMatchObject({ code: expect.stringMatching(/stopped|unsupported/) });
  const late = recordings().play(arm, 'move', 1, A);
  await bridge.pass(2);
  await bridge.until(arm.stop('test'));
  expect(await bridge.until(late)).toMatchObject({ problem: 'stopped (test)' });
  await bridge.until(arm.reset());
  await bridge.pass(0.5);
  const before = (await bridge.host.arms!.truth('arm')).positions;
  await bridge.pass(5);
  const after = (await bridge.host.arms!.truth('arm')).positions;
  for (const [i, angle] of before.entries()) expect(after[i]!).toBeCloseTo(angle, 1);
});

test('an arm is recorded once at a time, and under a name that is free', async () => {
  await bridge.until(recordings().start(arm, 'one', 50));
  await expect(bridge.until(recordings().start(arm, 'two', 50))).rejects.toMatchObject({
    message: 'Arm arm is being recorded already.',
    remedy: 'stop_recording',
  });
  await bridge.until(recordings().stop(arm));
  await expect(bridge.until(recordings().start(arm, 'one', 50))).rejects.toThrow(/recording "one" already/);
  await expect(bridge.until(recordings().play(arm, 'none', 1, A))).rejects.toThrow(/no recording "none"/);
});
