import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BridgeProcess, HAS_ROS, sleep } from './support/bridge.ts';
import { type JointRow, medianSpeed, Peer, speedsOf, topSpeed } from './support/peer.ts';

/** What the design promises: an owner holds after 100 ms of silence, stops within 0.25 s, is free after 0.5 s. */
const STALE = 0.1;
const STOP_TIME = 0.25;
const OWNERSHIP = 0.5;
const CYCLE = 0.02;
const RAMP_SPEED = 0.6;
const MIRROR_VELOCITY = 3;
const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];
const TOPIC = '/far/joint_commands';
const START = { shoulder_pan: 0, shoulder_lift: -0.7, elbow_flex: 0.7, wrist_flex: 0, wrist_roll: 0.05, gripper: 0 };

const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-remote-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function configuration(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const OPERATOR = configuration(
  'operator.yaml',
  'arms:\n  - { name: leader, id: 0, bus: "sim:so101" }\n  - { name: nowhere, id: 9, bus: ros }\n  - { name: far, id: 1, bus: ros }\n',
);
const OWNER = configuration('owner.yaml', 'arms:\n  - { name: far, bus: "sim:so101" }\n');

async function truth(bridge: BridgeProcess, id: number): Promise<Record<string, number>> {
  return (await bridge.get(`/sim/truth?robot_id=${id}`)).body.joints;
}

describe.skipIf(!HAS_ROS)('an arm whose bus another bridge owns', () => {
  let owner: BridgeProcess;
  let operator: BridgeProcess;
  let peer: Peer;
  let goals: () => Promise<JointRow[]>;
  let commands: () => Promise<JointRow[]>;
  beforeAll(async () => {
    peer = await Peer.start();
    // Without shared memory, of which the system keeps what a killed process had.
    operator = await BridgeProcess.startWith({ FASTDDS_BUILTIN_TRANSPORTS: 'UDPv4' }, '--config', OPERATOR);
  });
  afterEach(async () => {
    if (operator.child.signalCode === null) await operator.post('/move/leader/stop');
  });
  afterAll(async () => {
    await operator.end();
    await owner.endStopped();
    await peer.close();
  });

  /** A stream of one point from a program that is no bridge; resolves with the time after its last message. */
  const stream = (seconds: number, point: Record<string, number>) =>
    peer.publish(TOPIC, Array(Math.round(seconds / 0.02)).fill(point), 0.02);

  const mirrorState = async (): Promise<string> => (await operator.get('/status')).body.mirror.pairs[0]?.state;

  /** The leader, led by hand to where the far arm is, mirrored without a ramp left to go. */
  async function follow(): Promise<void> {
    await operator.post('/sim/hand', { robot_id: 0, joints: START, duration: 0.8 });
    await sleep(1);
    const pair = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
    expect((await operator.post('/move/leader/start', pair)).body.status).toBe('ok');
    await expect.poll(mirrorState, { timeout: 20_000 }).toBe('mirroring');
  }

  test('is disconnected, with what to do, until its owner runs', async () => {
    const far = await operator.arm(1);
    expect(far).toMatchObject({ name: 'far', state: 'disconnected' });
    expect(far.reason).toMatch(/\/far\/joint_states.*start the bridge that owns its bus/);
    const read = await operator.post('/end-effector/read?robot_id=1', { only_gripper: true });
    expect(read.status).toBe(400);
    expect(read.body.detail).toMatch(/far is disconnected: .*joint_states/);

    owner = await BridgeProcess.start('--config', OWNER);
    // It is limp, and its owner says so.
    await expect.poll(async () => (await operator.arm(1)).state, { timeout: 10_000 }).toBe('connected');
    goals = await peer.record('joints', '/far/joint_goals');
    commands = await peer.record('joints', TOPIC);
  });

  test('has one publisher of its states and services: its owner; the operator publishes its commands', async () => {
    // Names of nodes arrive some time after their topics.
    const named = (topic: string) => expect.poll(() => peer.publishersOf(topic), { timeout: 20_000 });
    await named('/far/joint_states').toEqual(['/far/arm_bridge']);
    await named('/far/joint_goals').toEqual(['/far/arm_bridge']);
    await named(TOPIC).toEqual(['/arm_bridge']);
    expect(await peer.publishersOf('/leader/joint_commands')).toEqual([]);
  });

  test('drops commands while its torque is off, and its owner says what to do', async () => {
    await peer.advertise(TOPIC);
    const before = await truth(owner, 0);
    await stream(0.3, { shoulder_pan: 0.5 });
    expect(await owner.arm(0)).toMatchObject({ state: 'connected', torque: false, owner: null });
    expect(owner.log).toMatch(/joint_commands refused: arm far is connected, not ready: .*\/far\/arm_bridge\/init/);
    expect(await goals()).toEqual([]);
    expect(Math.abs((await truth(owner, 0)).shoulder_pan! - before.shoulder_pan!)).toBeLessThan(0.005);
  });

  test('ramps to the leader, however far, and follows it; its own gate limits it', async () => {
    const pairs = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
    expect((await operator.post('/move/leader/start', pairs)).body.detail).toMatch(
      /Arm far is limp: switch its torque on/,
    );
    expect((await owner.post('/move/init')).body.status).toBe('ok');
    await expect.poll(async () => (await operator.arm(1)).state).toBe('ready');
    await operator.post('/sim/hand', { robot_id: 0, joints: { ...START, shoulder_pan: 0.7 }, duration: 0.8 });
    await sleep(1);
    await goals();
    const pair = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
    expect((await operator.post('/move/leader/start', pair)).body.status).toBe('ok');
    await sleep(0.7);
    const ramp = await goals();
    expect(topSpeed(ramp)).toBeGreaterThan(RAMP_SPEED / 2);
    // Most of the time: the owner ramps after a stream that ramps, and catches up with it where a sample was late.
    expect(medianSpeed(ramp, 10)).toBeLessThan(RAMP_SPEED * 1.4);
    expect(await owner.arm(0)).toMatchObject({
      state: 'moving',
      owner: expect.stringMatching(/the ROS topic \/far\/joint_commands$/),
    });
    expect(await operator.arm(1)).toMatchObject({
      state: 'mirroring',
      owner: expect.stringContaining('leader-follower control, started by'),
    });
    await expect.poll(mirrorState, { timeout: 20_000 }).toBe('mirroring');

    await operator.post('/sim/hand', { robot_id: 0, joints: { shoulder_pan: -0.4, wrist_roll: 0.6 }, duration: 1 });
    await sleep(2.5);
    const [leader, far] = [await truth(operator, 0), await truth(owner, 0)];
    for (const joint of JOINTS) expect(Math.abs(far[joint]! - leader[joint]!), joint).toBeLessThan(0.03);
    const rows = await goals();
    expect(topSpeed(rows)).toBeLessThan(MIRROR_VELOCITY * 1.05);

    expect((await operator.post('/move/leader/stop')).body.status).toBe('ok');
    await sleep(0.9);
    expect(await owner.arm(0)).toMatchObject({ state: 'ready', torque: true, owner: null });
  });

  test('goes to init when the operator asks, and the answer is by its measured pose', async () => {
    expect((await owner.post('/move/absolute', { x: -12, y: 22, z: 10 })).body.status).toBe('ok');
    const { body } = await operator.post('/move/init?robot_id=1');
    expect(body).toMatchObject({ status: 'ok', message: null });
    const joints = await truth(owner, 0);
    expect(Math.abs(joints.shoulder_pan!)).toBeLessThan(0.03);
    expect((await operator.post('/move/absolute?robot_id=1', { x: 0, y: 5, z: 0 })).body).toMatchObject({
      status: 'ok',
    });
    const read = (await operator.post('/end-effector/read?robot_id=1', { sync: true })).body;
    expect(Math.abs(read.y - 5)).toBeLessThan(0.6);
    expect((await operator.post('/move/init?robot_id=1')).body.status).toBe('ok');
  });

  test('stops within 0.25 s when the operator stops it', async () => {
    await follow();
    await operator.post('/sim/hand', { robot_id: 0, joints: { shoulder_pan: 1 }, duration: 1 });
    await sleep(0.5);
    await goals();
    const asked = Date.now() / 1000;
    await operator.post('/stop?robot_id=1');
    await sleep(0.8);
    const rows = await goals();
    const late = speedsOf(rows.filter((row) => row.stamp > asked + 0.1 + STALE + STOP_TIME + CYCLE));
    for (const { speeds } of late) for (const speed of speeds) expect(speed).toBeCloseTo(0, 9);
    expect(await operator.arm(1)).toMatchObject({ state: 'stopped' });
    await operator.post('/stop/reset');
    await sleep(0.3);
    expect(topSpeed(await goals())).toBe(0);
    expect((await owner.arm(0)).owner).toBeNull();
  });

  test('is let go of while it is mirrored, and connected again: its owner holds it, and nothing moves by itself', async () => {
    await follow();
    await operator.post('/sim/hand', { robot_id: 0, joints: { shoulder_pan: -0.6 }, duration: 1 });
    await sleep(0.5);
    await goals();
    expect((await operator.post('/robot/disconnect?robot_id=1')).body).toMatchObject({ status: 'ok' });
    const away = await operator.arm(1);
    expect(away).toMatchObject({ state: 'disconnected', owner: null });
    expect(away.reason).toMatch(/disconnected by .*\/robot\/add-connection connects it/);
    expect((await operator.get('/status')).body.leader_follower_status).toBe(false);
    await expect
      .poll(() => owner.arm(0), { timeout: 20_000 })
      .toMatchObject({ state: 'ready', torque: true, owner: null });
    expect(topSpeed(await goals())).toBeLessThan(MIRROR_VELOCITY * 1.05);
    // What its owner goes on telling does not bring it back, and nobody drives it.
    await commands();
    await sleep(0.3);
    expect(await operator.arm(1)).toMatchObject({ state: 'disconnected' });
    expect((await operator.post('/move/init?robot_id=1')).body.detail).toMatch(/far is disconnected/);
    expect(await commands()).toEqual([]);

    const connection = { robot_name: 'far', connection_details: { bus: 'ros' } };
    expect((await operator.post('/robot/add-connection', connection)).body).toMatchObject({
      status: 'ok',
      robot_id: 1,
    });
    expect(await operator.arm(1)).toMatchObject({ state: 'ready', owner: null });
    await sleep(0.3);
    expect(topSpeed(await goals())).toBe(0);
    expect((await operator.post('/move/init?robot_id=1')).body.status).toBe('ok');
  });

  test('decelerates and holds when the operator is killed, and is free half a second later', async () => {
    await owner.post('/move/init');
    await follow();
    await goals();
    await commands();
    await operator.post('/sim/hand', { robot_id: 0, joints: { shoulder_pan: 1.2 }, duration: 1.2 });
    await sleep(0.6);
    expect((await operator.end('SIGKILL')).code).toBeNull();
    await sleep(1);
    const last = (await commands()).at(-1)!.published;
    const rows = await goals();
    expect(topSpeed(rows.filter((row) => row.stamp > last - 0.2 && row.stamp < last))).toBeGreaterThan(0.3);
    const moving = speedsOf(rows).filter(({ speeds }) => speeds.some((speed) => Math.abs(speed) > 1e-6));
    expect(moving.at(-1)!.time - last).toBeLessThan(STALE + STOP_TIME + 2 * CYCLE);
    expect(rows.at(-1)!.stamp - last).toBeGreaterThan(OWNERSHIP);
    // Nothing jumps on the way: each step is within the limit.
    expect(topSpeed(rows)).toBeLessThan(MIRROR_VELOCITY * 1.05);
    await expect
      .poll(() => owner.arm(0), { timeout: 20_000 })
      .toMatchObject({ state: 'ready', torque: true, owner: null });
    expect((await owner.post('/move/init')).body.status).toBe('ok');
  });

  describe('by any ROS program, through joint_commands', () => {
    test('moves the joints that are named, at ramp speed at first, and no other; silence holds within 0.35 s and frees', async () => {
      await goals();
      const streaming = stream(2, { wrist_roll: 0.7, shoulder_pan: -0.4 });
      await sleep(1);
      expect(await owner.arm(0)).toMatchObject({
        state: 'moving',
        owner: expect.stringContaining(`the ROS topic ${TOPIC}`),
      });
      const last = await streaming;
      const joints = await truth(owner, 0);
      expect(joints.wrist_roll).toBeCloseTo(0.7, 1);
      expect(joints.shoulder_pan).toBeCloseTo(-0.4, 1);
      await sleep(OWNERSHIP + 0.4);
      const rows = await goals();
      expect(topSpeed(rows, 5)).toBeLessThan(RAMP_SPEED * 1.1);
      for (const joint of ['shoulder_lift', 'elbow_flex', 'wrist_flex', 'gripper']) {
        const j = JOINTS.indexOf(joint);
        const angles = rows.map((row) => row.position[j]!);
        expect(Math.max(...angles) - Math.min(...angles), joint).toBeLessThan(0.01);
      }
      const still = speedsOf(rows.filter((row) => row.stamp > last + STALE + STOP_TIME + CYCLE));
      for (const { speeds } of still) for (const speed of speeds) expect(speed).toBeCloseTo(0, 9);
      expect(await owner.arm(0)).toMatchObject({ state: 'ready', owner: null });
    });

    test('jumps to no far-away point, and stops at its limits', async () => {
      await goals();
      await stream(1.5, { gripper: 9 });
      expect(topSpeed(await goals(), 5)).toBeLessThan(RAMP_SPEED * 1.1);
      expect((await truth(owner, 0)).gripper).toBeLessThan(1.75);
      expect(owner.log).toMatch(
        /joint_commands followed in part: gripper is asked to 9\.000 rad and stops at its limit/,
      );
      await sleep(0.7);
    });

    test.each([
      ['a wrong name', { elbow: 0.3 }, /no joint "elbow"; it has shoulder_pan/],
      ['NaN', { shoulder_pan: Number.NaN }, /the position of shoulder_pan is NaN/],
      ['a wrong name beside a right one', { shoulder_pan: 0.5, elbow: 1 }, /no joint "elbow"/],
    ])('refuses %s as a whole', async (_, point, text) => {
      const before = await truth(owner, 0);
      await stream(0.2, point);
      expect(await owner.arm(0)).toMatchObject({ state: 'ready', owner: null });
      expect(owner.log.replaceAll('\\"', '"')).toMatch(text);
      expect(Math.abs((await truth(owner, 0)).shoulder_pan! - before.shoulder_pan!)).toBeLessThan(0.005);
    });
  });
});
