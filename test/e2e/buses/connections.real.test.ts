import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GoalWatch, SERVO_STEP } from '../../../bench/goal-watch.ts';
import { STS3215 } from '../../../src/servo/feetech/sts3215.ts';
import type { PortInfo } from '../../../src/servo/port/discovery.ts';
import { IDS, SO101 } from '../../support/rig.ts';
import { registersByMaker, WITNESS_PYTHON } from '../../support/witness.ts';
import { RigBridge, SerialRig } from './support/rig.ts';

const PATIENCE = { timeout: 20_000, interval: 10 };
const REST = SO101.poses.get('rest')!;
const SERIAL = 'FTA4XK2';
/** How near its rest pose an arm is down, rad. */
const DOWN = 0.15;
const GRIPPER = 5;
/** Rate of the loop, Hz: slow, so that a busy machine keeps up with both ends of both lines. */
const RATE = 50;
/** Goals are stepped by two periods at most, however late a cycle is (`ControlLoop`). */
const LONGEST_STEP = (2 * Math.max(...SO101.joints.map(({ move }) => move.velocity))) / RATE + SERVO_STEP;

let first: SerialRig;
let second: SerialRig;
let bridge: RigBridge;
/** Bytes that have come to the second rig. */
let heard = 0;
/** The wire of the first rig. */
const wire = new GoalWatch();
beforeAll(async () => {
  first = await SerialRig.start();
  second = await SerialRig.start();
  const listen = ({ bus }: SerialRig, take: (chunk: Uint8Array) => void): void => {
    const feed = bus.feed.bind(bus);
    bus.feed = (chunk, now) => {
      take(chunk);
      feed(chunk, now);
    };
  };
  listen(first, (chunk) => wire.take(chunk));
  listen(second, (chunk) => {
    heard += chunk.length;
  });
  const port = (rig: SerialRig, serialNumber: string | null): PortInfo => ({
    path: rig.path,
    byId: null,
    vendorId: '1a86',
    productId: '55d3',
    vendor: null,
    product: 'USB Single Serial',
    serialNumber,
    latencyTimer: null,
    adapter: null,
  });
  // Serial numbers lead to no port here: the pseudo-terminals have none, so that arms are added by their paths.
  const scan = async (): Promise<PortInfo[]> => [port(first, null), port(second, `${SERIAL} &`)];
  bridge = await RigBridge.start({ arm: `serial:${first.path}` }, { rate: RATE }, scan, ['arm', 'so101_1']);
});
afterAll(async () => {
  await first.close();
  await second.close();
  await bridge.close();
});

const add = (robot_name: string, connection_details: object) =>
  bridge.post('/robot/add-connection', { robot_name, connection_details });
const states = async () =>
  (await bridge.get('/status')).body.arms.map(({ id, state }: { id: number; state: string }) => [id, state]);

/** The first arm has held all the while: no servo of it was sent another goal. */
async function undisturbed<T>(work: () => Promise<T>): Promise<T> {
  const goals = first.goals();
  first.forgetWrites();
  const result = await work();
  expect(first.goals()).toEqual(goals);
  for (const servo of first.servos) expect(servo.to('torque_enable')).toEqual([]);
  expect((await bridge.arm(0)).state).toBe('ready');
  return result;
}

describe.skipIf(process.platform !== 'linux')('arms while the bridge runs', () => {
  test('only devices that a scan shows are opened, and nothing on the network', async () => {
    await expect.poll(async () => (await bridge.post('/move/init?robot_id=0')).body.status, PATIENCE).toBe('ok');
    const refused = [
      { device_name: '/etc/passwd' },
      { device_name: `${second.path}/../port` },
      { serial_number: 'another' },
      { bus: 'tcp://127.0.0.1:9' },
      { bus: 'serial:/dev/null' },
      { bus: 'sim:so101' },
      { ip: '127.0.0.1', port: 9 },
      {},
    ];
    for (const details of refused) {
      const { status, body } = await add('so-101', details);
      expect([status, body.detail], JSON.stringify(details)).toEqual([
        400,
        expect.stringContaining('Failed to add robot connection: '),
      ]);
    }
    expect((await add('so-101', { device_name: '/etc/passwd' })).body.detail).toContain(`There are: ${first.path}`);
    expect((await add('so-7', { device_name: second.path })).body.detail).toContain('koch, so100, so101, wx250s');
    expect(heard).toBe(0);
    expect(await states()).toEqual([[0, 'ready']]);
  });

  test('an arm that does not answer is not added, and its port is let go of', async () => {
    second.bus.faults.dead.add(3);
    const { status, body } = await undisturbed(() => add('so-101', { device_name: second.path }));
    expect([status, body.detail]).toEqual([400, expect.stringMatching(/does not answer: .*servo 3/)]);
    expect(await states()).toEqual([[0, 'ready']]);
    const before = heard;
    await bridge.post('/end-effector/read', { sync: true });
    await bridge.post('/end-effector/read', { sync: true });
    expect(heard).toBe(before);
    second.bus.faults.dead.clear();
  });

  test('an arm moves on while another is added and disconnected: its goals go on, and none jumps', async () => {
    let going = true;
    const moves = (async () => {
      while (going) for (const z of [3, -3]) await bridge.post('/move/relative?robot_id=0', { z });
    })();
    try {
      await expect.poll(async () => (await bridge.arm(0)).state, PATIENCE).toBe('moving');
      const before = wire.count;
      // On a busy machine it may take the arm longer to answer than it is given.
      const added = async () => (await add('so-101', { device_name: second.path })).body.robot_id;
      await expect.poll(added, PATIENCE).toBe(1);
      expect((await bridge.post('/robot/disconnect?robot_id=1')).body.status).toBe('ok');
      expect(wire.count).toBeGreaterThan(before);
    } finally {
      going = false;
    }
    await moves;
    expect(wire.largest).toBeGreaterThan(0);
    expect(wire.largest).toBeLessThan(LONGEST_STEP);
  });

  test('an arm is added limp while another holds, and moves; asked for again, it is the same', async () => {
    const added = await undisturbed(() => add('so-101', { device_name: second.path }));
    expect(added).toMatchObject({ status: 200, body: { status: 'ok', robot_id: 1 } });
    expect(await bridge.arm(1)).toMatchObject({ name: 'so101_1', model: 'so101', state: 'connected', torque: false });
    expect((await add('so-101', { serial_number: `${SERIAL} &` })).body.robot_id).toBe(1);
    expect((await add('arm', { device_name: first.path })).body.robot_id).toBe(0);
    expect((await bridge.get('/api/v1/config')).body.arms).toHaveLength(2);
    await undisturbed(async () => {
      expect((await bridge.post('/move/init?robot_id=1')).body).toMatchObject({ status: 'ok' });
      expect((await bridge.post('/move/relative?robot_id=1', { z: 2 })).body).toMatchObject({ status: 'ok' });
      expect((await bridge.post('/joints/write?robot_id=1', { angles: [0.2] })).body.status).toBe('ok');
    });
  });

  test('disconnecting ends a motion, whose client is told, lowers the arm, and lets go of its port', async () => {
    await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('ready');
    const move = bridge.post('/move/absolute?robot_id=1', { x: 2, y: 8, z: 4 });
    await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('moving');
    const { status, body } = await undisturbed(() => bridge.post('/robot/disconnect?robot_id=1'));
    expect([status, body]).toEqual([200, { status: 'ok', message: 'Robot connection to 1 removed successfully' }]);
    expect((await move).body).toMatchObject({ status: 'error', message: expect.stringContaining('disconnects it') });
    for (const [i, angle] of REST.entries()) {
      if (i !== GRIPPER) expect(Math.abs(second.positions[i]! - angle), `joint ${i}`).toBeLessThan(DOWN);
    }
    expect(await states()).toEqual([
      [0, 'ready'],
      [1, 'disconnected'],
    ]);
    expect((await bridge.arm(1)).reason).toMatch(
      /disconnected by an HTTP client on this computer .*: \/robot\/add-connection connects it/,
    );
    expect((await bridge.post('/robot/disconnect?robot_id=1')).body.message).toContain('disconnected already');
    expect((await bridge.post('/move/init?robot_id=1')).status).toBe(400);
    // It is as it should be, so that whoever watches the bridge is not called.
    expect((await bridge.get('/readyz')).status).toBe(200);
    if (!WITNESS_PYTHON) return;
    const { address, size } = STS3215.registers.torque_enable;
    const torque = IDS.map((id) => `${id}:${address}:${size}`);
    expect(await registersByMaker('feetech', second.path, ...torque)).toEqual(IDS.map(() => 0));
  });

  test('a leader that is disconnected ends its pair: the follower holds, and the leader comes back with its id', async () => {
    expect((await add('so101_1', {})).body).toMatchObject({ status: 'ok', robot_id: 1 });
    const pair = { robot_pairs: [{ leader_id: 1, follower_id: 0 }] };
    expect((await bridge.post('/move/leader/start', pair)).body.status).toBe('ok');
    expect((await bridge.post('/robot/disconnect?robot_id=1')).body.status).toBe('ok');
    const { body } = await bridge.get('/status');
    expect(body.leader_follower_status).toBe(false);
    expect(body.mirror.reason).toContain('so101_1 is being disconnected');
    expect(body.arms[0]).toMatchObject({ state: 'ready', torque: true });
    expect((await add('so101_1', {})).body.robot_id).toBe(1);
  });

  test('an arm that is stopped, or that somebody else has, stays connected', async () => {
    await bridge.post('/stop?robot_id=0');
    expect(await bridge.post('/robot/disconnect?robot_id=0')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('/stop/reset') },
    });
    expect(await bridge.arm(0)).toMatchObject({ state: 'stopped', torque: true });
    await bridge.post('/stop/reset?robot_id=0');
    await bridge.post('/move/init?robot_id=0');
    await bridge.post('/gravity/start?robot_id=0');
    expect((await bridge.post('/robot/disconnect?robot_id=0')).body).toMatchObject({ status: 'ok' });
    expect((await add('arm', {})).body.robot_id).toBe(0);
    expect(await bridge.post('/robot/disconnect?robot_id=7')).toMatchObject({ status: 400 });
  });
});
