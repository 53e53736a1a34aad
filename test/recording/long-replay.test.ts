import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pose, so101 } from '../kinematics/so101.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';
import { writeJointStates } from './mcap.ts';

const NAMES = so101.joints.map(({ name }) => name);

/** The shoulder to and fro about init, for `duration` s. */
function swinging(duration: number, rate: number, at = (time: number, q: number[]): number[] => (time < 0 ? [] : q)) {
  const times = Array.from({ length: duration * rate + 1 }, (_, k) => k / rate);
  const poses = times.map((time) => at(time, [0.3 * Math.sin(0.2 * time), ...pose('init').slice(1)]));
  return { times, poses };
}

test('a recording that is longer than what is checked first is read on while the arm moves, at its own times', async () => {
  const bridge = await VirtualBridge.startLight();
  const folder = join(bridge.folder, 'recordings');
  mkdirSync(folder);
  const { times, poses } = swinging(150, 10);
  await writeJointStates(join(folder, 'long.mcap'), '/arm/joint_states', NAMES, times, poses);
  await bridge.post('/move/init');
  const played = bridge.until(
    bridge.bridge.recordings.play(bridge.arm(), 'long', 1, { owner: { key: 'a', name: 'a' }, takeOver: false }),
    200,
  );
  // It begins at once, and at any time the arm is where it was recorded: the first pose is that of init.
  const began = bridge.host.time.now;
  let worst = 0;
  const watch = bridge.host.clock.every(0.1, () => {
    const { setpoints } = bridge.arm().read();
    const at = bridge.host.time.now - began;
    if (at > 1 && at < 149) worst = Math.max(worst, Math.abs(setpoints[0]! - 0.3 * Math.sin(0.2 * at)));
  });
  expect(await played).toMatchObject({ problem: null, duration: expect.closeTo(150, -1) });
  watch.cancel();
  expect(worst).toBeLessThan(0.03);
});

test('what touches far behind the beginning makes the arm brake before it gets there', async () => {
  const bridge = await VirtualBridge.startLight();
  const folder = join(bridge.folder, 'recordings');
  mkdirSync(folder);
  const floor = [0, 1.5, 0.3, 0.5, 0, 0];
  const { times, poses } = swinging(120, 10, (time, q) => (time > 110 ? floor : q));
  await writeJointStates(join(folder, 'floor.mcap'), '/arm/joint_states', NAMES, times, poses);
  await bridge.post('/move/init');
  const { problem } = await bridge.until(
    bridge.bridge.recordings.play(bridge.arm(), 'floor', 1, { owner: { key: 'a', name: 'a' }, takeOver: false }),
    200,
  );
  expect(problem).toMatch(/after 11\d\.\d+ s .* would touch/);
  const held = bridge.arm().read().setpoints[1]!;
  await bridge.pass(3);
  expect(bridge.arm().read()).toMatchObject({ state: 'ready' });
  expect(bridge.arm().read().setpoints[1]!).toBeCloseTo(held, 3);
  expect(held).toBeCloseTo(pose('init')[1]!, 1);
});
