import { expect, test } from 'vitest';
import { VirtualBridge } from '../support/virtual-bridge.ts';

/** Servo of elbow_flex, and by how much it reads too hot: one degree below its limit, before anything could be lowered. */
const ELBOW = 3;
const HOTTER = 41;

test('an arm that its own hot servo has stopped is lowered and released all the same, and has a way out once it is cool', async () => {
  const bridge = await VirtualBridge.start();
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
  const misread = (shown: number | null) =>
    bridge.until(
      bridge.host.arms!.fault('arm', {
        servos: { [ELBOW]: { misreads: { temperature: shown === null ? null : { share: 1, by: shown } } } },
      }),
    );
  await misread(HOTTER);
  await bridge.pass(4);
  const { state, reason, torque } = (await bridge.ask('GET', '/status')).body.arms[0];
  expect([state, reason]).toEqual(['stopped', expect.stringContaining('69 degC and switches off at 70')]);
  expect(torque).toBe(false);
  const { positions } = await bridge.host.arms!.truth('arm');
  for (const [i, angle] of bridge.arm().model.poses.get('rest')!.entries())
    expect(Math.abs(positions[i]! - angle)).toBeLessThan(0.15);
  expect((await bridge.post('/move/init')).status).toBe(409);
  // A reset does not keep it from stopping again.
  expect((await bridge.post('/stop/reset')).body).toMatchObject({ status: 'error', robots: [] });
  await misread(null);
  await bridge.pass(2);
  expect((await bridge.post('/stop/reset')).body.status).toBe('ok');
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
});
