import { expect, test } from 'vitest';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const PAIR = {
  arms: [
    { name: 'leader', id: 0, bus: 'sim:so101' },
    { name: 'follower', id: 1, bus: 'sim:so101' },
  ],
  pairs: [{ leader: 'leader', follower: 'follower' }],
};

test('the whole bridge runs in one thread in virtual time: torque, a move, mirroring, a stop, the end', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  expect((await bridge.post('/move/init?robot_id=1')).body).toMatchObject({ status: 'ok' });
  const moved = await bridge.post('/move/absolute?robot_id=1', { x: 2, y: 1, z: 3 });
  expect(moved.body).toMatchObject({ status: 'ok', trials: 1 });
  const started = await bridge.post('/move/leader/start', {
    robot_pairs: [{ leader_id: 0, follower_id: 1 }],
    invert_controls: false,
    enable_gravity_compensation: false,
  });
  expect(started.body).toMatchObject({ status: 'ok' });
  await bridge.until(bridge.host.arms!.hand('leader', { shoulder_pan: 0.3 }, 1));
  await bridge.pass(6);
  const { positions } = await bridge.host.arms!.truth('follower');
  expect(positions[0]).toBeCloseTo(0.3, 1);
  expect((await bridge.post('/stop')).status).toBe(200);
  expect(bridge.arm('follower').read().state).toBe('stopped');
});
