import { beforeEach, describe, expect, test } from 'vitest';
import { VirtualHost } from '../../explore/virtual-host.ts';
import { bridgeTo, IDS, VirtualRig } from '../support/rig.ts';
import type { VirtualBridge } from '../support/virtual-bridge.ts';

/** How far a hand moves the first joint meanwhile, rad. */
const MOVED = 0.6;
/** Joint movement that counts as none: servo steps of 0.0015 rad, rad. */
const STILL = 0.005;
/** Bound for noticing a lost port, s. */
const NOTICED = 0.1;

let rig: VirtualRig;
let other: VirtualRig;
let bridge: VirtualBridge;
beforeEach(async () => {
  const host = new VirtualHost(null);
  rig = new VirtualRig(host, 'rig');
  other = new VirtualRig(host, 'other');
  bridge = await bridgeTo(host, { arm: rig, other });
  expect((await bridge.post('/move/init?robot_id=0')).body.status).toBe('ok');
  rig.forgetWrites();
});

function still(before: readonly number[], after: readonly number[]): void {
  for (const [i, angle] of before.entries()) expect(Math.abs(after[i]! - angle), `joint ${i}`).toBeLessThan(STILL);
}

const becomes = (id: number, state: string) =>
  bridge.becomes(async () => expect(await bridge.status(id)).toMatchObject({ state }));

test('a servo that has lost its supply for a moment gets no goal, which could switch it on; its arm stops being driven', async () => {
  const elbow = rig.servo(3);
  const before = [...rig.positions];
  rig.bus.faults.dead.add(3);
  elbow.powerCycle();
  // As long as a servo takes to start up; shorter than what counts as a lost arm.
  await bridge.pass(0.2);
  elbow.writes.length = 0;
  rig.bus.faults.dead.delete(3);
  await bridge.becomes(() => expect(bridge.told('without torque')).not.toEqual([]));
  expect(bridge.told('servo 3 (elbow_flex) without torque')).toHaveLength(1);
  await bridge.pass(0.3);
  expect([elbow.torqueOn, elbow.to('goal_position'), elbow.to('torque_enable')]).toEqual([false, [], []]);
  for (const id of [1, 2, 4, 5, 6]) expect(rig.servo(id).torqueOn).toBe(true);
  await bridge.becomes(async () =>
    expect((await bridge.status(0)).reason).toMatch(
      /servo 3 \(elbow_flex\) has lost its torque by itself.*the other servos have lowered it and hold/,
    ),
  );
  expect(Math.abs(rig.positions[2]! - before[2]!)).toBeLessThan(0.005);
  expect((await bridge.post('/move/init?robot_id=0')).body.status).toBe('ok');
  expect(elbow.torqueOn).toBe(true);
});

test('a stop is not confirmed for an arm whose servos fall silent before they rest, and is for one that was silent before', async () => {
  await bridge.post('/joints/write?robot_id=0', { angles: [1], joints_ids: [0] });
  await bridge.pass(0.3);
  rig.port.unplug();
  const { body } = await bridge.post('/stop?robot_id=0');
  expect(body).toMatchObject({
    status: 'error',
    message: expect.stringContaining('fell silent before they were seen'),
  });
  expect((await bridge.post('/stop?robot_id=0')).body).toMatchObject({ status: 'ok' });
});

test('a pair whose set-up fails on the way says why, leaves both arms as they were, and is set up once the cause is gone', async () => {
  const pair = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
  const measures = (check: (temperature: number) => void) =>
    bridge.becomes(async () => check((await bridge.status(1)).servos[1].temperature));
  other.servo(2).shown = 67;
  await measures((temperature) => expect(temperature).toBe(67));
  const refused = await bridge.post('/move/leader/start', pair);
  expect(JSON.stringify(refused.body)).toContain('servo 2 (shoulder_lift) has 67 degC');
  const { body } = await bridge.get('/status');
  expect(body.leader_follower_status).toBe(false);
  expect(body.arms.map(({ owner, torque }: { owner: unknown; torque: boolean }) => [owner, torque])).toEqual([
    [null, true],
    [null, false],
  ]);
  other.servo(2).shown = null;
  await measures((temperature) => expect(temperature).toBeLessThan(60));
  expect((await bridge.post('/move/leader/start', pair)).body.status).toBe('ok');
  expect((await bridge.get('/status')).body.leader_follower_status).toBe(true);
});

describe('a port that is unplugged', () => {
  test('is noticed at once, the other arm is not disturbed, and on return nothing moves until it is asked to', async () => {
    expect((await bridge.post('/move/init?robot_id=1')).body.status).toBe('ok');
    for (let round = 0; round < 3; round++) {
      const moving = bridge.post('/move/absolute?robot_id=1', { x: 2, y: 3 - 2 * round, z: 2 });
      const before = [...rig.positions];
      const goals = rig.goals();
      const from = bridge.host.time.now;
      rig.port.unplug();
      await becomes(0, 'disconnected');
      expect(bridge.host.time.now - from).toBeLessThan(NOTICED);
      expect((await bridge.status(0)).reason).toMatch(/has gone/);
      expect((await bridge.post('/move/init?robot_id=0')).status).toBe(400);
      expect((await moving).body).toMatchObject({ status: 'ok' });
      rig.forgetWrites();
      rig.port.plugIn();
      await becomes(0, 'ready');
      await bridge.pass(0.3);
      // The servos have kept their supply, torque and goals; all that was sent to them is these goals again.
      expect(rig.goals()).toEqual(goals);
      for (const servo of rig.servos) expect(servo.to('torque_enable')).toEqual([]);
      still(before, rig.positions);
      expect(await bridge.status(0)).toMatchObject({ owner: null, torque: true, reason: '' });
    }
    expect(bridge.told('other is disconnected')).toEqual([]);
    expect((await bridge.post('/move/init?robot_id=0')).body.status).toBe('ok');
  });

  test('in the middle of a move ends the move with the reason, and the move is not resumed', async () => {
    const moving = bridge.post('/move/absolute?robot_id=0', { x: -4, y: 12, z: 4 });
    await bridge.pass(0.4);
    rig.port.unplug();
    expect((await moving).body).toMatchObject({ status: 'error', message: expect.stringMatching(/has gone/) });
    await bridge.pass(0.5);
    const held = [...rig.positions];
    rig.port.plugIn();
    await becomes(0, 'ready');
    await bridge.pass(0.5);
    still(held, rig.positions);
  });

  test('and comes back limp and moved by hand stays so until it is asked for torque, which then begins where it is', async () => {
    rig.port.unplug();
    for (const id of IDS) rig.servo(id).powerCycle();
    await becomes(0, 'disconnected');
    rig.forgetWrites();
    rig.positions[0] = rig.positions[0]! + MOVED;
    rig.port.plugIn();
    await becomes(0, 'connected');
    await bridge.pass(0.5);
    for (const servo of rig.servos) expect([servo.torqueOn, servo.to('goal_position')]).toEqual([false, []]);
    const found = rig.servo(1).value('present_position');
    expect((await bridge.post('/move/init?robot_id=0')).body.status).toBe('ok');
    const [first] = rig.servo(1).to('goal_position');
    expect(Math.abs(first!.bytes[0]! + 256 * first!.bytes[1]! - found)).toBeLessThan(5);
  });
});

test('an arm that is being disconnected is not said to be disconnected already', async () => {
  const disconnect = async () => (await bridge.post('/robot/disconnect?robot_id=0')).body.message;
  const first = disconnect();
  await bridge.pass(0.1);
  expect(await disconnect()).toMatch(/^Arm arm is being disconnected\./);
  expect(await bridge.until(first)).not.toMatch(/already/);
  expect(await disconnect()).toMatch(/^Arm arm is disconnected already\./);
});
