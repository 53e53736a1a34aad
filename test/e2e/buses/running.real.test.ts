import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sleep } from '../support/bridge.ts';
import { IDS, Rig, RigBridge } from './support/rig.ts';

/** How far a hand moves the first joint meanwhile, rad. */
const MOVED = 0.6;
const PATIENCE = { timeout: 30_000, interval: 5 };
/** Joint movement that counts as none: servo steps of 0.0015 rad, rad. */
const STILL = 0.005;
/** Bound of the issue for noticing a lost port, s. */
const NOTICED = 0.1;

let rig: Rig;
let other: Rig;
let bridge: RigBridge;
beforeEach(async () => {
  rig = await Rig.start();
  other = await Rig.start();
  bridge = await RigBridge.start({ arm: `serial:${rig.path}`, other: `serial:${other.path}` });
  // The rigs live on this thread, which the start of a bridge may keep from answering for a moment.
  const raised = async () => (await bridge.post('/move/init?robot_id=0')).body;
  await expect.poll(raised, PATIENCE).toMatchObject({ status: 'ok' });
  rig.forgetWrites();
});
afterEach(async () => {
  // Without its port an arm is not lowered, which none of these tests is about.
  await rig.close();
  await other.close();
  await bridge.close();
});

function still(before: readonly number[], after: readonly number[]): void {
  for (const [i, angle] of before.entries()) expect(Math.abs(after[i]! - angle), `joint ${i}`).toBeLessThan(STILL);
}

async function becomes(id: number, state: string): Promise<void> {
  const told = async () => {
    const { state, reason } = await bridge.arm(id);
    return { state, reason };
  };
  await expect.poll(told, PATIENCE).toMatchObject({ state });
}

async function move(target: Record<string, number>, id = 0): Promise<unknown> {
  return (await bridge.post(`/move/absolute?robot_id=${id}`, target)).body;
}

describe.skipIf(process.platform !== 'linux')('an arm at work', () => {
  test('a servo that has lost its supply for a moment gets no goal, which could switch it on; its arm stops being driven', async () => {
    const elbow = rig.servo(3);
    const before = [...rig.positions];
    rig.bus.faults.dead.add(3);
    elbow.powerCycle();
    // As long as a servo takes to start up; shorter than what counts as a lost arm.
    await sleep(0.2);
    elbow.writes.length = 0;
    rig.bus.faults.dead.delete(3);
    await expect.poll(() => bridge.told('without torque'), PATIENCE).not.toEqual([]);
    expect(bridge.told('servo 3 (elbow_flex) without torque')).toHaveLength(1);
    await sleep(0.3);
    expect([elbow.torqueOn, elbow.to('goal_position'), elbow.to('torque_enable')]).toEqual([false, [], []]);
    for (const id of [1, 2, 4, 5, 6]) expect(rig.servo(id).torqueOn).toBe(true);
    await expect
      .poll(async () => (await bridge.arm(0)).reason, PATIENCE)
      .toMatch(/servo 3 \(elbow_flex\) has lost its torque by itself.*the other servos have lowered it and hold/);
    expect(Math.abs(rig.positions[2]! - before[2]!)).toBeLessThan(0.005);
    expect((await bridge.post('/move/init?robot_id=0')).body.status).toBe('ok');
    expect(elbow.torqueOn).toBe(true);
  });
});

describe.skipIf(process.platform !== 'linux')('a pair whose set-up fails on the way', () => {
  test('says why, leaves both arms as they were and nothing running, and is set up once the cause is gone', async () => {
    const pair = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
    const measured = async (): Promise<number> => (await bridge.arm(1)).servos[1].temperature;
    other.servo(2).shown = 67;
    await expect.poll(measured, PATIENCE).toBe(67);
    const refused = await bridge.post('/move/leader/start', pair);
    expect(JSON.stringify(refused.body)).toContain('servo 2 (shoulder_lift) has 67 degC');
    const { body } = await bridge.get('/status');
    expect(body.leader_follower_status).toBe(false);
    expect(body.arms.map(({ owner, torque }: { owner: unknown; torque: boolean }) => [owner, torque])).toEqual([
      [null, true],
      [null, false],
    ]);
    other.servo(2).shown = null;
    await expect.poll(measured, PATIENCE).toBeLessThan(60);
    expect((await bridge.post('/move/leader/start', pair)).body.status).toBe('ok');
    expect((await bridge.get('/status')).body.leader_follower_status).toBe(true);
  });
});

describe.skipIf(process.platform !== 'linux')('a port that is unplugged', () => {
  test('is noticed at once, the other arm is not disturbed, and on return nothing moves until it is asked to', async () => {
    expect((await bridge.post('/move/init?robot_id=1')).body.status).toBe('ok');
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      const moving = move({ x: 2, y: 3 - 2 * round, z: 2 }, 1);
      const before = [...rig.positions];
      const goals = rig.goals();
      const from = performance.now();
      await rig.unplug();
      await becomes(0, 'disconnected');
      times.push((performance.now() - from) / 1000);
      expect((await bridge.arm(0)).reason).toMatch(/has gone.*check the USB cable/);
      expect((await bridge.post('/move/init?robot_id=0')).status).toBe(400);
      expect(await moving).toMatchObject({ status: 'ok' });
      rig.forgetWrites();
      await rig.plugIn();
      await becomes(0, 'ready');
      await sleep(0.3);
      // The servos have kept their supply, torque and goals; all that was sent to them is these goals again.
      expect(rig.goals()).toEqual(goals);
      for (const servo of rig.servos) expect(servo.to('torque_enable')).toEqual([]);
      still(before, rig.positions);
      expect(await bridge.arm(0)).toMatchObject({ owner: null, torque: true, reason: '' });
    }
    console.info(`noticed after ${times.map((time) => (time * 1000).toFixed(0)).join(', ')} ms`);
    expect(Math.min(...times)).toBeLessThan(NOTICED);
    expect(bridge.told('other is disconnected')).toEqual([]);
    expect((await bridge.post('/move/init?robot_id=0')).body.status).toBe('ok');
  });

  test('in the middle of a move ends the move with the reason, and the move is not resumed', async () => {
    const moving = bridge.post('/move/absolute?robot_id=0', { x: -4, y: 12, z: 4 });
    await sleep(0.4);
    await rig.unplug();
    const { body } = await moving;
    expect(body).toMatchObject({ status: 'error' });
    await sleep(0.5);
    const held = [...rig.positions];
    await rig.plugIn();
    await becomes(0, 'ready');
    await sleep(0.5);
    still(held, rig.positions);
  });

  test('and comes back limp and moved by hand stays so until it is asked for torque, which then begins where it is', async () => {
    await rig.unplug();
    for (const id of IDS) rig.servo(id).powerCycle();
    await becomes(0, 'disconnected');
    rig.forgetWrites();
    rig.positions[0] = rig.positions[0]! + MOVED;
    await rig.plugIn();
    await becomes(0, 'connected');
    await sleep(0.5);
    for (const servo of rig.servos) expect([servo.torqueOn, servo.to('goal_position')]).toEqual([false, []]);
    const found = rig.servo(1).value('present_position');
    expect((await bridge.post('/move/init?robot_id=0')).body.status).toBe('ok');
    const [first] = rig.servo(1).to('goal_position');
    expect(Math.abs(first!.bytes[0]! + 256 * first!.bytes[1]! - found)).toBeLessThan(5);
  });
});
