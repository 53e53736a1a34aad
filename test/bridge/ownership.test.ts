import { beforeEach, describe, expect, test } from 'vitest';
import { type Answer, PAIR as ARMS, VirtualBridge } from '../support/virtual-bridge.ts';

const PAIR = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
const FAR = { x: -5, y: 15, z: 5 };
const OTHER_WAY = { x: -5, y: -12, z: 0 };

let bridge: VirtualBridge;
beforeEach(async () => {
  bridge = await VirtualBridge.startLight(ARMS);
  await bridge.post('/move/init?robot_id=1');
});

async function position(id: number): Promise<{ x: number; y: number; z: number }> {
  return (await bridge.post(`/end-effector/read?robot_id=${id}`, { sync: true })).body;
}

async function owners(): Promise<(string | null)[]> {
  return (await bridge.get('/status')).body.arms.map((arm: { owner: string | null }) => arm.owner);
}

const start = (...pairs: [unknown, unknown][]) =>
  bridge.post('/move/leader/start', {
    robot_pairs: pairs.map(([leader_id, follower_id]) => ({ leader_id, follower_id })),
  });

describe('a move of a mirrored arm', () => {
  test('is refused with the name of the owner, and mirroring goes on', async () => {
    expect((await start([0, 1])).body).toEqual({ status: 'ok', message: 'Leader-follower control started' });
    for (const [route, body] of [
      ['/move/absolute?robot_id=1', { x: 1, y: 0, z: 0 }],
      ['/move/absolute?robot_id=1', { open: 1 }],
      ['/move/absolute?robot_id=1', { x: 1, path: 'line' }],
      ['/move/relative?robot_id=1', { x: 1 }],
      ['/move/hello?robot_id=1', undefined],
      ['/move/sleep?robot_id=1', undefined],
      ['/move/init?robot_id=1', undefined],
    ] as const) {
      const refused = await bridge.post(route, body);
      expect(refused.status).toBe(409);
      expect(refused.body.detail).toMatch(/follower is driven by leader-follower control.*take_over=true/);
    }
    expect((await bridge.get('/status')).body).toMatchObject({ leader_follower_status: true });
    expect((await bridge.status(1)).state).toBe('mirroring');
  });

  test('with take_over=true ends the pair, says so, and moves', async () => {
    await start([0, 1]);
    await bridge.pass(0.3);
    const moved = await bridge.post('/move/absolute?robot_id=1&take_over=true', { x: 0, y: 5, z: 0 });
    expect(moved.body).toMatchObject({ status: 'ok' });
    expect(Math.abs((await position(1)).y - 5)).toBeLessThan(0.6);
    const { body } = await bridge.get('/status');
    expect(body.leader_follower_status).toBe(false);
    expect(body.mirror.reason).toMatch(/follower: taken over by an HTTP client/);
    expect(await owners()).toEqual([null, null]);
  });

  test('take_over=true of the leader ends the pair too, and the follower holds', async () => {
    await start([0, 1]);
    await bridge.pass(0.3);
    expect((await bridge.post('/move/init?robot_id=0&take_over=true')).body.status).toBe('ok');
    expect((await bridge.get('/status')).body.leader_follower_status).toBe(false);
    expect(await bridge.status(1)).toMatchObject({ state: 'ready', torque: true, owner: null });
    // The hand-over that the pair had begun does not make the leader limp under its new owner.
    await start([0, 1]);
    await bridge.pass(1.9);
    const move = bridge.post('/move/absolute?robot_id=0&take_over=true', { x: 0, y: 10, z: 0 });
    expect((await move).body.status).toBe('ok');
    expect(await bridge.status(0)).toMatchObject({ state: 'ready', torque: true });
  });
});

test('an arm that was taken over is not mirrored on, and nobody else gets it until it is released', async () => {
  expect((await start([0, 1])).status).toBe(200);
  const starter = 'an HTTP client on this computer (lightMyRequest)';
  expect((await owners())[1]).toBe(`leader-follower control, started by ${starter}`);
  expect((await bridge.post('/api/v1/arms/follower/take-over')).body.status).toBe('ok');
  expect((await bridge.get('/api/v1/pairs')).body).toMatchObject({ active: false });
  expect((await owners())[1]).toBe('an HTTP client on this computer (lightMyRequest)');
  expect((await start([0, 1])).status).toBe(409);
  expect((await bridge.post('/move/relative?robot_id=1', { z: 1 })).body.status).toBe('ok');
  expect((await owners())[1]).toBe('an HTTP client on this computer (lightMyRequest)');
  expect((await bridge.post('/api/v1/arms/follower/release')).body.message).toBe('follower is free');
  expect((await start([0, 1])).status).toBe(200);
});

describe('what the bridge drives for a client', () => {
  const as =
    (name: string) =>
    (url: string, body?: object): Promise<Answer> =>
      bridge.ask('POST', url, body, { 'x-arm-bridge-client': name });
  const [anna, ben] = [as('anna'), as('ben')];
  const STARTED = (what: string) =>
    new RegExp(`${what}, started by "anna" on this computer, since \\d\\d:\\d\\d:\\d\\d UTC`);

  test('gravity compensation is its own: another client is told whose it is, takes it over, or ends it', async () => {
    await anna('/move/init?robot_id=1');
    expect((await anna('/gravity/start?robot_id=1')).status).toBe(200);
    expect((await anna('/gravity/start?robot_id=1', { gravity_compensation_values: { shoulder: 80 } })).status).toBe(
      200,
    );
    for (const url of ['/gravity/start', '/move/init', '/api/v1/arms/follower/release']) {
      const refused = await ben(url.includes('api') ? url : `${url}?robot_id=1`);
      expect(refused.status).toBe(409);
      expect(refused.body.detail).toMatch(STARTED('gravity compensation'));
    }
    expect((await ben('/gravity/start?robot_id=1&take_over=true')).status).toBe(200);
    expect((await owners())[1]).toBe('gravity compensation, started by "ben" on this computer');
    const [entry] = (await bridge.get('/api/v1/events?arm=follower&limit=1')).body.events;
    expect(entry).toMatchObject({ taken_from: 'gravity compensation, started by "anna" on this computer' });
    expect((await anna('/gravity/stop?robot_id=1')).body.status).toBe('ok');
    expect(await owners()).toEqual([null, null]);
  });

  test('mirroring is its own too; take_over replaces it, and its first client may give the arm back', async () => {
    const body = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
    await anna('/move/leader/start', body);
    const refused = await ben('/gravity/start?robot_id=1');
    expect(refused.body.detail).toMatch(STARTED('leader-follower control'));
    expect((await ben('/move/leader/start?take_over=true', body)).status).toBe(200);
    const { pairs } = (await bridge.get('/api/v1/pairs')).body;
    expect(pairs).toMatchObject([{ owner: '"ben" on this computer' }]);
    expect((await bridge.status(1)).state).toBe('mirroring');
    expect((await anna('/api/v1/arms/follower/release')).status).toBe(409);
    expect((await ben('/api/v1/arms/follower/release')).status).toBe(200);
    expect(await owners()).toEqual([null, null]);
  });
});

describe('a second move of the same client', () => {
  test('supersedes the first, which answers an error, and reaches its own target', async () => {
    const first = bridge.post('/move/absolute?robot_id=1', FAR);
    await bridge.pass(0.4);
    const second = bridge.post('/move/absolute?robot_id=1', OTHER_WAY);
    expect((await first).status).toBe(200);
    expect((await first).body).toMatchObject({ status: 'error', message: expect.stringMatching(/superseded/) });
    expect((await second).body).toMatchObject({ status: 'ok' });
    expect(Math.abs((await position(1)).y - OTHER_WAY.y)).toBeLessThan(0.6);
  });

  test('twenty at once: the last one wins, each of the others says superseded', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => bridge.post('/move/absolute?robot_id=1', { x: 0, y: i / 4, z: 0 })),
    );
    const ok = answers.filter(({ body }) => body.status === 'ok');
    expect(ok).toHaveLength(1);
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      if (body.status !== 'ok') expect(body.message).toMatch(/superseded/);
    }
    expect(await bridge.status(1)).toMatchObject({ state: 'ready', owner: null });
  });
});

describe('/move/leader/start and stop', () => {
  test.each([
    ['an unknown leader', [[7, 1]], 'Robot ID 7 is unknown. Known ids: 0, 1.'],
    ['an unknown follower', [[0, -1]], 'Robot ID -1 is unknown. Known ids: 0, 1.'],
    ['no leader', [[null, 1]], 'Leader ID is required for robot pair 0.'],
    ['no follower', [[0, null]], 'Follower ID is required for robot pair 0.'],
    ['equal ids', [[1, 1]], /pair 0 .*follower.*cannot follow itself/],
    [
      'an arm in two roles',
      [
        [0, 1],
        [1, 0],
      ],
      /pair 1 .*two roles/,
    ],
    [
      'a follower of two',
      [
        [0, 1],
        [0, 1],
      ],
      /pair 1 .*follower.*two roles/,
    ],
  ] as [string, [unknown, unknown][], string | RegExp][])(
    '%s is refused, and nothing is left running',
    async (...row) => {
      const [, pairs, detail] = row;
      const { status, body } = await start(...pairs);
      expect(status).toBe(400);
      if (typeof detail === 'string') expect(body.detail).toBe(detail);
      else expect(body.detail).toMatch(detail);
      expect(await owners()).toEqual([null, null]);
      expect((await start([0, 1])).body.status).toBe('ok');
    },
  );

  test('start without pairs, or with half a pair, is 422 at its place', async () => {
    expect((await bridge.post('/move/leader/start', { robot_pairs: [] })).status).toBe(422);
    const { status, body } = await bridge.post('/move/leader/start', { robot_pairs: [{ leader_id: 0 }] });
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ type: 'missing', loc: ['body', 'robot_pairs', 0, 'follower_id'] }]);
  });

  test('start while running says who started it and when; stop while not says so in the known words', async () => {
    await start([0, 1]);
    const running =
      /^Leader-follower control is already running: leader leads follower, started by an HTTP client .*, since \d\d:\d\d:\d\d UTC\. To stop it, call \/move\/leader\/stop/;
    for (const pair of [
      [0, 1],
      [1, 0],
    ] as const) {
      expect(await start([...pair])).toMatchObject({ status: 400, body: { detail: expect.stringMatching(running) } });
    }
    const stop = () => bridge.post('/move/leader/stop?release=hold');
    expect(await stop()).toEqual({ status: 200, body: { status: 'ok', message: 'Stopping leader-follower control' } });
    expect(await owners()).toEqual([null, null]);
    const idle = { status: 'error', message: 'Leader-follower control is not running' };
    expect(await stop()).toMatchObject({ status: 200, body: idle });
  });

  test.each([
    ['move', '/move/absolute?robot_id=1', FAR],
    ['straight line', '/move/relative?robot_id=1', { y: 12, path: 'line' }],
    ['greeting', '/move/hello?robot_id=1', undefined],
    ['way to sleep', '/move/sleep?robot_id=1', undefined],
  ])(
    'start while a %s runs is refused with the name of its owner; take_over=true ends it, and it is told',
    async (...row) => {
      const move = bridge.post(row[1], row[2]);
      await bridge.pass(0.3);
      const refused = await start([0, 1]);
      expect(refused.status).toBe(409);
      expect(refused.body.detail).toMatch(/follower is driven by an HTTP client/);
      expect((await owners())[0]).toBeNull();
      expect((await bridge.post('/move/leader/start?take_over=true', PAIR)).body.status).toBe('ok');
      const ended = { status: 'error', message: expect.stringMatching(/taken over by leader-follower control/) };
      expect((await move).body).toMatchObject(ended);
      expect((await bridge.status(1)).state).toBe('mirroring');
    },
  );

  test('a set-up that fails leaves nothing running: the next start does', async () => {
    await bridge.post('/stop?robot_id=1');
    const failed = await start([0, 1]);
    expect(failed.status).toBe(400);
    expect(failed.body.detail).toMatch(/follower is stopped/);
    expect(await owners()).toEqual([null, null]);
    await bridge.post('/stop/reset');
    expect((await start([0, 1])).body.status).toBe('ok');
  });

  test('stop at any instant of the set-up leaves both arms free, and a leader with torque holding', async () => {
    await bridge.post('/move/init?robot_id=0');
    for (let i = 0; i < 10; i++) {
      const started = start([0, 1]);
      await bridge.pass(0.001 * i);
      await bridge.post('/move/leader/stop?release=hold');
      const { status } = await started;
      expect([200, 400]).toContain(status);
      await bridge.post('/move/leader/stop?release=hold');
      const { body } = await bridge.get('/status');
      expect(body.leader_follower_status).toBe(false);
      for (const arm of body.arms) expect(arm).toMatchObject({ state: 'ready', torque: true, owner: null });
    }
    await bridge.pass(2.2);
    expect(await bridge.status(0)).toMatchObject({ state: 'ready', torque: true });
  });
});
