import { expect, test } from 'vitest';
import type { Caller } from '../../src/arm/types.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const MOTIONS = '/api/v1/arms/arm/motions';
const JOGGER: Caller = { owner: { key: 'jogger', name: 'a jogger' }, takeOver: false };
const PAN = 0;
const WRIST = 4;

async function start(): Promise<{ bridge: VirtualBridge; jog: (duration: number) => Promise<void> }> {
  const bridge = await VirtualBridge.start();
  await bridge.post('/move/init');
  // Turns the base alone, so that another client may have the gripper.
  const velocities = Float64Array.from(bridge.arm().model.joints, (_, i) => (i === PAN ? 0.3 : 0));
  const jog = async (duration: number): Promise<void> => {
    for (const end = bridge.host.time.now + duration; bridge.host.time.now < end; await bridge.pass(0.05)) {
      expect(bridge.bridge.jog.feed(bridge.arm(), { kind: 'joints', velocities }, JOGGER)).toBeNull();
    }
  };
  return { bridge, jog };
}

test('a move of one joint takes no other one back to where it was when the gripper was asked for something', async () => {
  const { bridge, jog } = await start();
  await jog(1);
  const grip = await bridge.post(MOTIONS, { gripper: 0.8 });
  await jog(3);
  expect((await bridge.get(`${MOTIONS}/${grip.body.id}`)).body.state).toBe('done');
  await bridge.pass(1);
  const before = (await bridge.truth('arm'))[PAN]!;
  expect(before).toBeGreaterThan(1);
  const turn = await bridge.post(MOTIONS, { joints: { wrist_roll: 0.3 } });
  await bridge.becomes(async () => expect((await bridge.get(`${MOTIONS}/${turn.body.id}`)).body.state).toBe('done'));
  const after = await bridge.truth('arm');
  expect(after[PAN]!).toBeCloseTo(before, 1);
  expect(after[WRIST]!).toBeCloseTo(0.3, 1);
});

test('who has a motion of the gripper may cancel it while somebody else has the rest of the arm', async () => {
  const { bridge, jog } = await start();
  await jog(0.3);
  const grip = await bridge.post(MOTIONS, { gripper: 0.8 });
  await jog(0.1);
  const url = `${MOTIONS}/${grip.body.id}`;
  expect((await bridge.ask('DELETE', url)).status).toBe(200);
  await bridge.becomes(async () => expect((await bridge.get(url)).body.state).toBe('cancelled'));
});
