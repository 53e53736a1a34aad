import { expect, test } from 'vitest';
import { VirtualBridge } from '../support/virtual-bridge.ts';

/** A hand moves a limp arm after the way of its next motion has been checked, and before it has torque. */
async function moved(): Promise<VirtualBridge> {
  const bridge = await VirtualBridge.startLight();
  await bridge.pass(1);
  void bridge.lead('arm', { shoulder_pan: 1 }, 0.25);
  await bridge.pass(0.05);
  return bridge;
}

test('joint goals are refused then, and the arm stays where the hand has put it', async () => {
  const bridge = await moved();
  expect(await bridge.post('/joints/write?robot_id=0', { angles: [0], joints_ids: [5] })).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('was moved while it was limp; ask again') },
  });
  await bridge.lead('arm', null);
  await bridge.pass(1);
  expect((await bridge.truth('arm'))[0]).toBeCloseTo(1, 1);
  expect((await bridge.post('/joints/write?robot_id=0', { angles: [0], joints_ids: [5] })).status).toBe(200);
});

test('moves and straight lines are planned anew from there', async () => {
  const bridge = await moved();
  const init = bridge.post('/move/init?robot_id=0');
  await bridge.pass(0.4);
  await bridge.lead('arm', null);
  expect((await init).body).toMatchObject({ status: 'ok' });
  await bridge.post('/torque/toggle?robot_id=0', { torque_status: false });
  void bridge.lead('arm', { shoulder_pan: 0.8 }, 0.2);
  await bridge.pass(0.05);
  const line = bridge.post('/move/absolute?robot_id=0', { x: -3, y: 0, z: 3, path: 'line' });
  await bridge.pass(0.4);
  await bridge.lead('arm', null);
  expect((await line).body).toMatchObject({ status: 'ok' });
});
