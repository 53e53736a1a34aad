import { beforeEach, describe, expect, test } from 'vitest';
import { PAIR, VirtualBridge } from '../support/virtual-bridge.ts';

/** Longest that a servo may be silent before it is taken for dead, s. */
const SILENCE = 0.5;
/** A joint that the bridge lowers is so near to where it is to go, rad. */
const DOWN = 0.1;
/** Joint movement that counts as none: servo steps of 0.0015 rad, and springs that settle, rad. */
const STILL = 0.01;
const ELBOW = 3;
const ALL = [1, 2, 3, 4, 5, 6];

let bridge: VirtualBridge;
beforeEach(async () => {
  bridge = await VirtualBridge.startLight(PAIR);
  expect((await bridge.post('/move/init?robot_id=1')).body).toMatchObject({ status: 'ok' });
});

function expectStill(before: readonly number[], after: readonly number[]): void {
  for (const [j, angle] of before.entries()) expect(Math.abs(after[j]! - angle), `joint ${j}`).toBeLessThan(STILL);
}

async function disconnected(id: number): Promise<void> {
  await bridge.becomes(async () => expect((await bridge.status(id)).state).toBe('disconnected'));
}

async function back(id: number): Promise<void> {
  await bridge.becomes(async () => expect((await bridge.status(id)).state).toBe('ready'));
}

describe('a servo that is silent', () => {
  test('for 0.1 s is borne: the arm holds, and a move goes on to its target', async () => {
    const before = await bridge.truth('follower');
    await bridge.fault('follower', { dead: [ELBOW] });
    await bridge.pass(0.1);
    await bridge.fault('follower', { dead: [] });
    expect(await bridge.status(1)).toMatchObject({ state: 'ready', torque: true });
    expectStill(before, await bridge.truth('follower'));

    const move = bridge.post('/move/absolute?robot_id=1', { x: -3, y: 8, z: 3 });
    await bridge.pass(0.3);
    await bridge.fault('follower', { dead: [ELBOW] });
    await bridge.pass(0.1);
    await bridge.fault('follower', { dead: [] });
    expect((await move).body).toMatchObject({ status: 'ok' });
  });

  test('is not said to hold: torque on is answered when all servos have been heard', async () => {
    const on = () => bridge.post('/torque/toggle?robot_id=1', { torque_status: true });
    await bridge.fault('follower', { dead: [ELBOW] });
    await bridge.pass(0.02);
    const answer = on();
    await bridge.pass(0.1);
    await bridge.fault('follower', { dead: [] });
    expect((await answer).body).toMatchObject({ status: 'ok' });

    await bridge.fault('follower', { dead: [ELBOW] });
    await bridge.pass(0.02);
    const { status, body } = await on();
    expect([status, body.detail]).toEqual([
      400,
      expect.stringMatching(
        /^Arm follower has given no sample within 0.5 s: its servos have not answered since; .*doctor\)\.$/,
      ),
    ]);
  });

  test('for longer is dead: the others lower the arm around it and hold; the reason names servo and joint; it comes back unmoved', async () => {
    const before = await bridge.truth('follower');
    const rest = bridge.arm('follower').model.poses.get('rest')!;
    await bridge.fault('follower', { dead: [ELBOW] });
    await bridge.becomes(async () =>
      expect((await bridge.status(1)).owner).toMatch(
        /^the protection of its servos \(servo 3 \(elbow_flex\) has not answered/,
      ),
    );
    const refused = await bridge.post('/move/init?robot_id=1&take_over=true');
    expect(refused.body.detail).toMatch(/kept for the protection of its servos/);
    expect((await bridge.status(1)).sample_age).toBeGreaterThan(SILENCE);
    await disconnected(1);
    const arm = await bridge.status(1);
    expect(arm.reason).toMatch(/servo 3 \(elbow_flex\) has not answered.*; the other servos have lowered it and hold/);
    const lowered = await bridge.truth('follower');
    for (const [j, angle] of lowered.entries()) {
      expect(Math.abs(angle - (j === ELBOW - 1 ? before : rest)[j]!), `joint ${j}`).toBeLessThan(DOWN);
    }
    for (const [route, body] of [
      ['/end-effector/read?robot_id=1', { sync: true }],
      ['/move/absolute?robot_id=1', { x: 1 }],
      ['/move/init?robot_id=1', undefined],
      ['/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] }],
    ] as const) {
      const refused = await bridge.post(route, body);
      expect(refused.status).toBe(400);
      expect(refused.body.detail).toMatch(/follower is disconnected: .*servo 3 \(elbow_flex\).*Last good sample: 20/);
    }
    expect((await bridge.post('/move/init?robot_id=0')).body.status).toBe('ok');
    expect((await bridge.status(0)).owner).toBeNull();
    expectStill(lowered, await bridge.truth('follower'));

    await bridge.fault('follower', { dead: [] });
    await back(1);
    expect(await bridge.status(1)).toMatchObject({ torque: true, owner: null });
    await bridge.pass(0.5);
    expectStill(lowered, await bridge.truth('follower'));
    expect((await bridge.post('/move/init?robot_id=1')).body.status).toBe('ok');
    expect((await bridge.status(1)).reason).toBe('');
  });

  test('and answers again while the arm is being lowered is not sent anything before it has been asked; all hold', async () => {
    await bridge.fault('follower', { dead: [ELBOW] });
    await bridge.becomes(async () =>
      expect((await bridge.status(1)).owner).toMatch(
        /^the protection of its servos \(servo 3 \(elbow_flex\) has not answered/,
      ),
    );
    await bridge.pass(0.2);
    await bridge.fault('follower', { dead: [] });
    await bridge.becomes(async () => expect((await bridge.status(1)).owner).toBeNull());
    await back(1);
    await bridge.pass(0.3);
    const held = await bridge.truth('follower');
    await bridge.pass(0.5);
    expectStill(held, await bridge.truth('follower'));
    expect(await bridge.status(1)).toMatchObject({ state: 'ready', torque: true, owner: null });
  });

  test.each([1, 2, 4])(
    'since it has got the id of servo %s has nothing moved, since it goes where that one is sent; its own id brings the arm back',
    async (id) => {
      await bridge.fault('follower', { servos: { 5: { registers: { id } } } });
      // It has gone to the goal that the other one is sent in each cycle before anybody can know.
      await bridge.pass(0.9 * SILENCE);
      const before = await bridge.truth('follower');
      await disconnected(1);
      expect((await bridge.status(1)).reason).toMatch(
        new RegExp(
          `servo 5 \\(wrist_roll\\) is silent, and two servos seem to answer as servo ${id} .*so nothing is moved`,
        ),
      );
      await bridge.pass(3);
      expectStill(before, await bridge.truth('follower'));
      await bridge.fault('follower', { servos: { 5: { registers: { id: 5 } } } });
      await back(1);
      expectStill(before, await bridge.truth('follower'));
    },
  );

  test('in an arm that a person has stopped leaves it holding where it is', async () => {
    await bridge.post('/stop?robot_id=1');
    const before = await bridge.truth('follower');
    await bridge.fault('follower', { dead: [ELBOW] });
    await disconnected(1);
    await bridge.pass(0.5);
    expectStill(before, await bridge.truth('follower'));
    await bridge.fault('follower', { dead: [] });
    await bridge.becomes(async () => expect((await bridge.status(1)).state).toBe('stopped'));
    await bridge.post('/stop/reset');
  });

  test('in the middle of a move ends it with the reason, and nothing resumes it', async () => {
    const move = bridge.post('/move/absolute?robot_id=1', { x: -5, y: 15, z: 5 });
    await bridge.pass(0.4);
    await bridge.fault('follower', { dead: [ELBOW] });
    const { status, body } = await move;
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'error' });
    expect(body.message).toMatch(/not answered|protection/);
    await disconnected(1);
    await bridge.pass(0.5);
    const held = await bridge.truth('follower');
    await bridge.fault('follower', { dead: [] });
    await back(1);
    await bridge.pass(0.5);
    expectStill(held, await bridge.truth('follower'));
  });

  test('as leader makes the follower hold; the pair ends with the reason, and does not go on by itself', async () => {
    await bridge.post('/move/init?robot_id=0');
    await bridge.post('/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] });
    // Before, it would be lowered: it goes limp over 2 s.
    await bridge.becomes(async () => expect((await bridge.status(0)).state).toBe('connected'));
    await bridge.fault('leader', { dead: [ELBOW] });
    await bridge.pass(0.3);
    const held = await bridge.truth('follower');
    await disconnected(0);
    // The pair has ended at once; the follower is told to hold in the next cycle.
    await bridge.becomes(async () => expect((await bridge.status(1)).state).toBe('ready'));
    const { body } = await bridge.get('/status');
    expect(body.mirror.reason).toMatch(/leader: the arm is disconnected .*servo 3 \(elbow_flex\)/);
    expect(body.arms[1]).toMatchObject({ state: 'ready', torque: true, owner: null });
    await bridge.fault('leader', { dead: [] });
    await bridge.becomes(async () => expect((await bridge.status(0)).state).not.toBe('disconnected'));
    await bridge.pass(0.3);
    expect((await bridge.get('/status')).body.leader_follower_status).toBe(false);
    expectStill(held, await bridge.truth('follower'));
  });
});

test('a bus on which nobody answers says so, and its arm comes back unmoved; a stop meanwhile lasts until its reset', async () => {
  const before = await bridge.truth('follower');
  await bridge.fault('follower', { dead: ALL });
  await disconnected(1);
  expect((await bridge.status(1)).reason).toMatch(/no servo|no answer/);
  await bridge.post('/stop?robot_id=1');
  expect((await bridge.post('/stop/reset')).body).toMatchObject({ status: 'ok', robots: [1] });
  await bridge.fault('follower', { dead: [] });
  await back(1);
  await bridge.pass(0.3);
  expectStill(before, await bridge.truth('follower'));
});

test('servos whose supply was off come back limp, are not switched on by themselves, and are by /move/init', async () => {
  // It falls on the table.
  bridge = await VirtualBridge.start(PAIR);
  expect((await bridge.post('/move/init?robot_id=1')).body.status).toBe('ok');
  await bridge.fault('follower', { dead: ALL, powerCycle: true });
  await disconnected(1);
  await bridge.pass(0.5);
  const fallen = await bridge.truth('follower');
  await bridge.fault('follower', { dead: [] });
  await bridge.becomes(async () => expect((await bridge.status(1)).state).toBe('connected'));
  await bridge.pass(0.5);
  expect(await bridge.status(1)).toMatchObject({ state: 'connected', torque: false, owner: null });
  expectStill(fallen, await bridge.truth('follower'));
  expect((await bridge.post('/move/init?robot_id=1')).body.status).toBe('ok');
});

test.each([
  ['lost', { loseRate: 0.01 }],
  ['corrupt', { corruptRate: 0.01 }],
])('with one reply in a hundred %s, moves reach their targets', async (_, fault) => {
  await bridge.fault('follower', fault);
  for (const target of [
    { x: 0, y: 8, z: 0 },
    { x: -6, y: -6, z: 4, rx: -15 },
    { x: 2, y: 0, z: -6 },
  ]) {
    const { body } = await bridge.post('/move/absolute?robot_id=1', {
      ...target,
      position_tolerance: 0.2,
      orientation_tolerance: 1,
    });
    expect(body).toMatchObject({ status: 'ok', message: null });
    expect((await bridge.status(1)).state).toBe('ready');
  }
});

test('torque that waits for a check of servos on a bad line is refused soon, and does not come later', async () => {
  const limp = await VirtualBridge.startLight({
    arms: PAIR.arms.map((arm) => ({ ...arm, model: 'koch', bus: 'sim:koch' })),
  });
  await limp.fault('follower', { missRate: 0.45 });
  await limp.pass(2.5);
  const asked = limp.host.time.now;
  const { status, body } = await limp.post('/torque/toggle?robot_id=1', { torque_status: true });
  expect([status, body.detail]).toEqual([400, expect.stringMatching(/could not be checked within 5 s: .*its cables/)]);
  expect(limp.host.time.now - asked).toBeLessThan(7);
  await limp.fault('follower', { missRate: 0 });
  await limp.becomes(async () => expect(await limp.status(1)).toMatchObject({ state: 'connected', torque: false }));
  await limp.pass(3);
  expect((await limp.status(1)).torque).toBe(false);
  expect((await limp.post('/torque/toggle?robot_id=1', { torque_status: true })).body.status).toBe('ok');
});

test('torque waits longer than 5 s for a check whose answers all come, but late, as those of a busy computer do', async () => {
  const limp = await VirtualBridge.startLight({
    arms: PAIR.arms.map((arm) => ({ ...arm, model: 'koch', bus: 'sim:koch' })),
  });
  // So that it is checked anew.
  await limp.fault('follower', { missRate: 0.35 });
  await limp.pass(2.5);
  await limp.fault('follower', { missRate: 0 });
  const late = (lateRate: number, lateness: number): void =>
    void limp.host.arms!.fault('follower', { replies: { lateRate, lateness } });
  limp.host.clock.after(0.01, () => late(1, 0.49));
  limp.host.clock.after(6, () => late(0, 0));
  const asked = limp.host.time.now;
  const { body } = await limp.post('/torque/toggle?robot_id=1', { torque_status: true });
  expect(body).toMatchObject({ status: 'ok' });
  expect(limp.host.time.now - asked).toBeGreaterThan(6);
  expect((await limp.status(1)).torque).toBe(true);
});
