import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GoalWatch } from '../support/goal-watch.ts';
import { furthest } from '../support/poses.ts';
import { PAIR as ARMS, VirtualBridge } from '../support/virtual-bridge.ts';

const PAIR = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
/** Joints that are where they should be: droop that the model does not know, friction and backlash of control, rad. */
const NEAR = 0.03;
/** Of a start, rad/s; of the control loop, s. */
const RAMP_SPEED = 0.6;
const CYCLE = 0.005;

let bridge: VirtualBridge;
beforeEach(async () => {
  bridge = await VirtualBridge.startLight(ARMS);
});

describe('a start with leader and follower apart', () => {
  test('is refused where that is asked for, naming joint and difference, and nothing moves or changes its owner', async () => {
    expect((await bridge.post('/move/init?robot_id=1')).body.status).toBe('ok');
    const before = [await bridge.truth('leader'), await bridge.truth('follower')];
    const refused = await bridge.post('/move/leader/start', { ...PAIR, on_mismatch: 'refuse', mismatch_threshold: 20 });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toMatch(
      /leader to follower.*wrist_flex of the follower is \d+ degrees away.*20 allowed/,
    );
    expect(await bridge.status(1)).toMatchObject({ state: 'ready', owner: null });
    expect(furthest(await bridge.truth('leader'), before[0]!)).toBeLessThan(0.01);
    expect(furthest(await bridge.truth('follower'), before[1]!)).toBeLessThan(0.01);
  });

  test('drives the leader to its follower where that is asked for, which does not move when the hand takes over', async () => {
    expect((await bridge.post('/move/init?robot_id=1')).body.status).toBe('ok');
    const held = await bridge.truth('follower');
    expect((await bridge.post('/move/leader/start', { ...PAIR, align: 'leader', on_mismatch: 'refuse' })).status).toBe(
      200,
    );
    expect(furthest(await bridge.truth('leader'), held)).toBeLessThan(NEAR);
    // The hand takes it while it goes limp.
    const names = bridge.arm('leader').model.joints.map(({ name }) => name);
    await bridge.lead('leader', Object.fromEntries(names.map((name, j) => [name, held[j]!])), 0.5);
    await bridge.becomes(async () => expect((await bridge.status(0)).state).toBe('connected'));
    expect(furthest(await bridge.truth('follower'), held)).toBeLessThan(2 * NEAR);
    expect((await bridge.get('/status')).body.mirror.pairs[0]).toMatchObject({ state: 'mirroring', reason: '' });
    await bridge.post('/move/leader/stop');
    expect(await bridge.status(0)).toMatchObject({ state: 'connected', owner: null });
  });
});

test('however far leader and follower are apart, the start is a ramp, and the stop leaves the follower holding', async () => {
  expect((await bridge.post('/move/init?robot_id=1')).body.status).toBe('ok');
  await bridge.lead('leader', { shoulder_pan: 1.2, shoulder_lift: -0.4, elbow_flex: 0.2 }, 1.5);
  await bridge.pass(2);
  const first = [...bridge.arm('follower').read().goals];
  const before = { time: bridge.host.time.now, goals: first };
  let excess = Number.NEGATIVE_INFINITY;
  const look = bridge.host.clock.every(CYCLE, () => {
    const now = bridge.host.time.now;
    const { goals: sent } = bridge.arm('follower').read();
    const allowed = RAMP_SPEED * (now - before.time + 2 * CYCLE);
    for (const [j, goal] of sent.entries()) excess = Math.max(excess, Math.abs(goal - before.goals[j]!) - allowed);
    before.time = now;
    before.goals = [...sent];
  });
  await bridge.post('/move/leader/start', PAIR);
  await bridge.pass(1);
  expect((await bridge.get('/status')).body.mirror.pairs[0].state).toBe('ramping');
  await bridge.pass(2);
  look.cancel();
  expect(Math.abs(before.goals[0]! - first[0]!)).toBeGreaterThan(0.5);
  expect(excess).toBeLessThanOrEqual(0);
  await bridge.post('/move/leader/stop');
  expect(await bridge.status(1)).toMatchObject({ state: 'ready', torque: true, owner: null });
  await bridge.pass(0.3);
  const held = await bridge.truth('follower');
  await bridge.pass(0.3);
  expect(furthest(await bridge.truth('follower'), held)).toBeLessThan(0.01);
});

describe('while it runs', () => {
  /** Of an SO-101's joints, and the part of it with which a follower goes on pressing on what holds it back, Nm. */
  const TORQUE_LIMIT = 2.94;
  const YIELDS_TO = 0.4 * TORQUE_LIMIT;
  const ELBOW = 2;
  const names = (): string[] => bridge.arm('leader').model.joints.map(({ name }) => name);

  async function lead(joints: Record<string, number>): Promise<void> {
    const pose = await bridge.truth('leader');
    await bridge.lead('leader', { ...Object.fromEntries(names().map((name, j) => [name, pose[j]!])), ...joints }, 0.6);
  }

  /** Of the follower, through each test. */
  let watch: GoalWatch;

  async function pair(): Promise<{ state: string; reason: string }> {
    return (await bridge.get('/status')).body.mirror.pairs[0];
  }

  beforeEach(async () => {
    expect((await bridge.post('/move/init?robot_id=1')).body.status).toBe('ok');
    expect((await bridge.post('/move/init?robot_id=0')).body.status).toBe('ok');
    await lead({});
    expect((await bridge.post('/move/leader/start', PAIR)).status).toBe(200);
    await bridge.becomes(async () => expect((await pair()).state).toBe('mirroring'));
    watch = new GoalWatch(bridge.arm('follower'));
  });

  afterEach(() => bridge.until(watch.expectSafe()));

  test('a follower that something holds back yields, says so, is not overloaded, and goes on when it is free', async () => {
    const held = (await bridge.truth('follower'))[ELBOW]!;
    await bridge.lead('follower', { elbow_flex: held }, 0.3);
    await lead({ elbow_flex: held + 0.8 });
    await bridge.becomes(async () => expect((await pair()).reason).toMatch(/something holds elbow_flex of follower/));
    await bridge.becomes(async () =>
      expect(Math.abs((await bridge.host.arms!.truth('follower')).motorTorques[ELBOW]!)).toBeLessThan(YIELDS_TO + 0.15),
    );
    expect((await bridge.status(1)).servos.every((servo: { alarms: number }) => servo.alarms === 0)).toBe(true);
    await bridge.lead('follower', null, 0);
    await bridge.becomes(async () => expect((await pair()).reason).toBe(''));
    await bridge.becomes(async () => expect((await bridge.truth('follower'))[ELBOW]! - held).toBeGreaterThan(0.7));
  });

  test('a start of a pair that runs is refused and changes nothing; a second stop says that nothing runs', async () => {
    const refused = await bridge.post('/move/leader/start', PAIR);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toMatch(/already running/);
    expect((await pair()).state).toBe('mirroring');
    const before = await bridge.truth('follower');
    const stops = await Promise.all([bridge.post('/move/leader/stop'), bridge.post('/move/leader/stop')]);
    expect(stops.map(({ body }) => body.status).sort()).toEqual(['error', 'ok']);
    expect((await bridge.post('/move/leader/stop')).body.message).toMatch(/not running/);
    expect(furthest(await bridge.truth('follower'), before)).toBeLessThan(NEAR);
    expect(await bridge.status(1)).toMatchObject({ state: 'ready', torque: true, owner: null });
  });

  test('a main thread that is blocked for 0.2 s, again and again, stops nothing: the follower goes on following', async () => {
    const target = (await bridge.truth('leader')).map((angle, j) => angle + (j === 0 ? 0.5 : 0));
    await bridge.lead('leader', Object.fromEntries(names().map((name, j) => [name, target[j]!])), 1);
    for (let k = 0; k < 8; k++) {
      bridge.host.clock.pause(0.2);
      await bridge.pass(0.26);
    }
    // It has arrived meanwhile, not afterwards.
    expect(furthest(await bridge.truth('follower'), target)).toBeLessThan(2 * NEAR);
    expect(await pair()).toMatchObject({ state: 'mirroring', reason: '' });
  });

  test.each(['leader', 'follower'])(
    'a bus of the %s that is cut ends the pair, which says so; the other arm does not move, and nothing resumes',
    async (cut) => {
      const follower = await bridge.truth('follower');
      await bridge.fault(cut, { dead: [1, 2, 3, 4, 5, 6] });
      await bridge.becomes(async () =>
        expect((await bridge.get('/status')).body.mirror.reason).toMatch(
          new RegExp(`arm ${cut}: (the arm is disconnected .*no servo has answered|its servos have not answered)`),
        ),
      );
      await bridge.fault(cut, { dead: [] });
      const id = cut === 'leader' ? 0 : 1;
      await bridge.becomes(async () => expect((await bridge.status(id)).state).not.toBe('disconnected'));
      await lead({ shoulder_pan: 0.4 });
      await bridge.pass(0.8);
      expect((await bridge.get('/status')).body.leader_follower_status).toBe(false);
      expect(furthest(await bridge.truth('follower'), follower)).toBeLessThan(NEAR);
      expect(await bridge.status(1)).toMatchObject({ state: 'ready', torque: true, owner: null });
    },
  );

  test('a start during a move of the same client ends the move, which says so, and nothing jumps', async () => {
    await bridge.post('/move/leader/stop?release=hold');
    const move = bridge.post('/move/absolute?robot_id=1', { x: -4, y: 10, z: 4 });
    await bridge.pass(0.3);
    const refused = await bridge.post('/move/leader/start', PAIR);
    expect(refused.status).toBe(409);
    expect((await bridge.post('/move/leader/start?take_over=true', PAIR)).status).toBe(200);
    expect((await move).body).toMatchObject({ status: 'error' });
    expect((await move).body.message).toMatch(/taken over by leader-follower control/);
    expect(['ramping', 'mirroring']).toContain((await pair()).state);
  });
});

describe('an arm that floats', () => {
  const full = { gravity_compensation_values: { shoulder: 100, elbow: 100, wrist: 100 } };

  test('stays where it is, belongs to gravity compensation, and holds without a jump when it is stopped', async () => {
    expect((await bridge.post('/move/init?robot_id=0')).body.status).toBe('ok');
    const before = await bridge.truth('leader');
    expect((await bridge.post('/gravity/start?robot_id=0', full)).body.status).toBe('ok');
    expect(await bridge.status(0)).toMatchObject({
      state: 'floating',
      owner: 'gravity compensation, started by an HTTP client on this computer (lightMyRequest)',
    });
    expect((await bridge.post('/move/init?robot_id=0')).status).toBe(409);
    await bridge.pass(2);
    expect(furthest(await bridge.truth('leader'), before)).toBeLessThan(NEAR);
    const floated = await bridge.truth('leader');
    expect((await bridge.post('/gravity/stop?robot_id=0')).body).toMatchObject({ status: 'ok' });
    expect(await bridge.status(0)).toMatchObject({ state: 'ready', torque: true, owner: null });
    await bridge.pass(0.5);
    expect(furthest(await bridge.truth('leader'), floated)).toBeLessThan(0.01);
    expect((await bridge.post('/gravity/stop?robot_id=0')).body).toMatchObject({ status: 'error' });
  });

  test('a leader that stiffens because its servos were silent ends its pair, which tells why; both arms hold', async () => {
    expect((await bridge.post('/move/init')).body.status).toBe('ok');
    const start = { ...PAIR, enable_gravity_compensation: true, ...full };
    expect((await bridge.post('/move/leader/start', start)).status).toBe(200);
    await bridge.pass(2);
    const held = await bridge.truth('follower');
    void bridge.fault('leader', { stall: 0.35 });
    await bridge.pass(1);
    const reason = expect.stringMatching(/^arm leader: its servos have not answered/);
    expect((await bridge.get('/status')).body.mirror).toMatchObject({ pairs: [{ state: 'idle', reason }], reason });
    for (const id of [0, 1])
      expect(await bridge.status(id)).toMatchObject({ state: 'ready', torque: true, owner: null });
    expect(furthest(await bridge.truth('follower'), held)).toBeLessThan(2 * NEAR);
  });

  test('as leader holds at the stop, is lowered to its rest pose and released; the follower holds', async () => {
    expect((await bridge.post('/move/init?robot_id=0')).body.status).toBe('ok');
    expect((await bridge.post('/move/init?robot_id=1')).body.status).toBe('ok');
    const start = { ...PAIR, enable_gravity_compensation: true, ...full };
    expect((await bridge.post('/move/leader/start', start)).status).toBe(200);
    const held = await bridge.truth('follower');
    expect((await bridge.post('/move/leader/stop')).body.status).toBe('ok');
    await bridge.becomes(async () => expect((await bridge.status(0)).state).toBe('connected'));
    const rest = [...bridge.arm('leader').model.poses.get('rest')!];
    expect(furthest((await bridge.truth('leader')).slice(0, 4), rest.slice(0, 4))).toBeLessThan(0.2);
    expect(await bridge.status(1)).toMatchObject({ state: 'ready', torque: true, owner: null });
    expect(furthest(await bridge.truth('follower'), held)).toBeLessThan(2 * NEAR);
  });
});

test('a follower with a payload, stretched out behind a leader that stands still, carries it', async () => {
  const LIFT = 1;
  const [leads, follows] = ARMS.arms;
  bridge = await VirtualBridge.startLight({ ...ARMS, arms: [leads, { ...follows, simulation: { payload: 0.25 } }] });
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
  expect((await bridge.post('/move/leader/start', PAIR)).status).toBe(200);
  // The upper arm upright, the rest level: the shoulder and the elbow carry most.
  await bridge.lead('leader', { shoulder_lift: 1.3, elbow_flex: -1.3, wrist_flex: 0 }, 4);
  await bridge.pass(5);
  const held = (await bridge.truth('follower'))[LIFT]!;
  const { motorTorques } = await bridge.host.arms!.truth('follower');
  expect(Math.abs(motorTorques[LIFT]!)).toBeGreaterThan(0.6 * 2.94);
  await bridge.pass(3);
  expect(Math.abs((await bridge.truth('follower'))[LIFT]! - held)).toBeLessThan(0.01);
  expect((await bridge.get('/status')).body.mirror.pairs[0]).toMatchObject({ state: 'mirroring', reason: '' });
});
