import { expect, test } from 'vitest';
import { VirtualBridge } from '../support/virtual-bridge.ts';

/** Asked for, in cm: what the joints' servos can tell is about half of it. */
const TOLERANCE = 0.1;

test('a move that says ok is still within its tolerance when the arm has come to rest', async () => {
  const bridge = await VirtualBridge.start();
  await bridge.post('/move/init?robot_id=0');
  const far: string[] = [];
  for (let i = 0; i < 24; i++) {
    const pose = { x: 3 * Math.sin(i * 1.7), y: 5 * Math.sin(i * 2.3), z: 4 * Math.sin(i * 3.1) };
    const move = await bridge.post('/move/absolute?robot_id=0', { ...pose, position_tolerance: TOLERANCE });
    expect(move.body).toMatchObject({ status: 'ok' });
    await bridge.pass(1.5);
    const { body } = await bridge.post('/end-effector/read?robot_id=0');
    const left = Math.hypot(body.x - pose.x, body.y - pose.y, body.z - pose.z);
    if (left > TOLERANCE) far.push(`${JSON.stringify(pose)}: ${left} cm`);
  }
  expect(far).toEqual([]);
});
