import { expect, test } from 'vitest';
import type { Caller } from '../../src/arm/types.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const A: Caller = { owner: { key: 'a', name: 'owner a' }, takeOver: false };
const ELBOW = 2;

/** An arm of a model that holds at `init`, and is kept by somebody. */
async function held(model: string) {
  const bridge = await VirtualBridge.start({ arms: [{ name: 'arm', model, bus: `sim:${model}` }] });
  const arm = bridge.arm();
  await bridge.until(bridge.bridge.motion.init(arm, A));
  await bridge.until(arm.takeOver(A));
  const sim = bridge.host.arms!.get('arm');
  return { bridge, arm, sim };
}

test('an arm with an overloaded servo is taken from its owner, lowered and released, and says so', async () => {
  const { bridge, arm, sim } = await held('so101');
  sim.sim.raiseOverload(ELBOW + 1);
  await bridge.pass(8);
  expect(arm.owner).toBeNull();
  expect(arm.read()).toMatchObject({ torque: false, state: 'connected' });
  expect(arm.reason).toMatch(/elbow_flex.*overload.*: it has been lowered and released$/);
  const rest = arm.model.poses.get('rest')!;
  const { positions } = await bridge.host.arms!.truth('arm');
  expect(positions[1]).toBeCloseTo(rest[1]!, 0);
});

test('around a servo that has shut itself down the others lower the arm and hold it', async () => {
  const { bridge, arm, sim } = await held('koch');
  sim.sim.raiseOverload(ELBOW + 1);
  await bridge.pass(10);
  expect(arm.owner).toBeNull();
  expect(arm.reason).toMatch(/elbow_flex.*: the other servos have lowered it and hold$/);
  expect(arm.read().torque).toBe(true);
});

test.each([
  ['wrist_roll', { restart: true }, 'limp', 'gripper'],
  ['wrist_roll', { restart: true }, 'limp', 'wrist_flex'],
  ['wrist_roll', { restart: true }, 'silent', 'wrist_flex'],
  ['elbow_flex', { heat: 66 }, 'limp', 'elbow_flex'],
  ['elbow_flex', { heat: 66 }, 'silent', 'gripper'],
])(
  'an arm that is lowered for its %s (%o) gets down although a %s servo is lost on the way, its %s',
  async (first, fault, loss, second) => {
    const { bridge, arm } = await held('koch');
    const id = (name: string): number => 1 + arm.model.joints.findIndex((joint) => joint.name === name);
    await bridge.fault('arm', { servos: { [id(first)]: fault } });
    await bridge.becomes(() => expect(arm.read().state).toBe('moving'));
    await bridge.pass(0.15);
    await bridge.fault(
      'arm',
      loss === 'limp' ? { servos: { [id(second)]: { restart: true } } } : { dead: [id(second)] },
    );
    await bridge.becomes(() => expect(arm.reason).toMatch(new RegExp(`${second}.*have lowered it and hold$`)), 30);
    await bridge.pass(0.5);
    // An arm with a silent servo is disconnected once it is down.
    expect(arm.read().torque).toBe(loss === 'limp');
    const rest = arm.model.poses.get('rest')!;
    const { positions } = await bridge.host.arms!.truth('arm');
    expect(Math.abs(positions[1]! - rest[1]!)).toBeLessThan(0.2);
  },
);

test('an arm with a servo that is silent is lowered by the others, then disconnected for a reason that names it', async () => {
  const { bridge, arm } = await held('so101');
  await bridge.until(bridge.host.arms!.fault('arm', { dead: [ELBOW + 1] }));
  await bridge.pass(12);
  expect(arm.read().state).toBe('disconnected');
  expect(arm.reason).toMatch(/elbow_flex.*; the other servos have lowered it and hold$/);
});

test('a stop of a person stays that of the person, also while a servo of the arm is limp', async () => {
  const { bridge, arm } = await held('koch');
  await bridge.fault('arm', { servos: { 4: { restart: true } } });
  await bridge.becomes(() => expect(arm.reason).toMatch(/have lowered it and hold$/), 12);
  await bridge.pass(0.5);
  await bridge.post('/stop');
  await bridge.pass(0.2);
  expect(await bridge.status(0)).toMatchObject({ state: 'stopped', reason: expect.stringMatching(/^POST \/stop by/) });
  const { events } = (await bridge.get('/api/v1/events')).body;
  const stops = events.filter(({ act }: { act: string }) => act === 'stop');
  expect(stops.map(({ what }: { what: string }) => what)).toEqual(['POST /stop']);
});

test('a gripper carries nothing of the arm: its arm stays with its owner', async () => {
  const { bridge, arm, sim } = await held('so101');
  sim.sim.raiseOverload(arm.model.gripper!.index + 1);
  await bridge.pass(3);
  expect(arm.owner?.key).toBe('a');
  expect(arm.read().torque).toBe(true);
});

test('a limp arm is not lowered', async () => {
  const bridge = await VirtualBridge.start();
  const arm = bridge.arm();
  bridge.host.arms!.get('arm').sim.raiseOverload(ELBOW + 1);
  await bridge.pass(3);
  expect(arm.read()).toMatchObject({ torque: false, state: 'connected' });
  expect(bridge.lines.filter(({ msg }) => msg.includes('lowered'))).toEqual([]);
});
