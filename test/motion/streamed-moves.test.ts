import { beforeEach, expect, test } from 'vitest';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const CONFIG = { http: { dialect: 'phosphobot' }, arms: [{ name: 'arm', id: 0, bus: 'sim:so101' }] };
/** What a request takes in virtual time that does not wait for the arm, s: at most some cycles. */
const AT_ONCE = 0.06;

let bridge: VirtualBridge;
beforeEach(async () => {
  bridge = await VirtualBridge.start(CONFIG);
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
});

/** A request, and the virtual time that it took, s. */
async function timed(url: string, body: object): Promise<{ status: string; message: string | null; took: number }> {
  const begun = bridge.host.time.now;
  const { status, message } = (await bridge.post(url, body)).body;
  return { status, message, took: bridge.host.time.now - begun };
}

const position = async (): Promise<number[]> => {
  const { x, y, z } = (await bridge.post('/end-effector/read', { sync: true })).body;
  return [x, y, z];
};

test('a loop that mirrors is followed within 60 ms, joints and gripper together', async () => {
  const zero = await bridge.truth('arm');
  /** A hand that moves three joints at up to 1 rad/s. */
  const leader = (t: number): number[] => [0.4, 0.2, 0, 0.1, 0].map((most) => most * Math.sin(2.5 * t));
  const seen: { t: number; q: number[] }[] = [];
  const begun = bridge.host.time.now;
  const answers: Promise<{ body: { status: string } }>[] = [];
  for (let cycle = 0; cycle < 750; cycle++) {
    const t = bridge.host.time.now - begun;
    answers.push(bridge.post('/move/absolute', { open: 0.5 + 0.3 * Math.sin(t) }));
    answers.push(bridge.post('/joints/write', { angles: leader(t).map((angle, i) => zero[i]! + angle) }));
    await bridge.pass(1 / 150);
    if (t > 3) seen.push({ t: bridge.host.time.now - begun, q: await bridge.truth('arm') });
  }
  for (const { body } of await bridge.until(Promise.all(answers))) expect(body.status).toBe('ok');
  const missAt = (lag: number): number =>
    Math.max(...seen.flatMap(({ t, q }) => leader(t - lag).map((angle, i) => Math.abs(q[i]! - zero[i]! - angle))));
  const lags = Array.from({ length: 30 }, (_, i) => i * 0.005);
  const lag = lags.reduce((a, b) => (missAt(b) < missAt(a) ? b : a));
  expect(lag).toBeLessThan(0.06);
  expect(missAt(lag)).toBeLessThan(0.02);
  // The last goals are reached although nothing follows them.
  await bridge.pass(1);
  expect((await bridge.post('/move/absolute', { open: 0.2 })).body.status).toBe('ok');
  await bridge.pass(1.5);
  const { open } = (await bridge.post('/end-effector/read', { only_gripper: true, sync: true })).body;
  expect(open).toBeCloseTo(0.2, 1);
});

test('a circle of moves runs at its own rate and ends where it is asked to, its first move and a single one end first', async () => {
  const circle = (step: number) => ({
    x: 0,
    y: 4 * Math.sin(step / 10),
    z: 4 * Math.cos(step / 10),
    rx: 0,
    ry: 0,
    rz: 0,
  });
  expect((await timed('/move/absolute', circle(0))).took).toBeGreaterThan(0.3);
  for (let step = 1; step <= 70; step++) {
    await bridge.pass(0.03);
    const { took, status } = await timed('/move/absolute', circle(step));
    expect(status).toBe('ok');
    expect(took).toBeLessThan(AT_ONCE);
  }
  const last = await timed('/move/absolute', { x: 0, y: -4, z: -4 });
  expect(last.took).toBeGreaterThan(0.3);
  const [, y, z] = await position();
  expect(Math.hypot(y! + 4, z! + 4)).toBeLessThan(1);
  await bridge.pass(1);
  expect((await timed('/move/relative', { z: 1 })).took).toBeGreaterThan(0.2);
  expect((await position())[2]).toBeCloseTo(-3, 0);
});

test.each([
  [0.03, 3.5],
  [0.06, 0.7],
])('the circle that circles_absolute asks for with pauses of %d s is followed within %d cm', async (pause, within) => {
  const off: number[] = [];
  for (let step = 0; step < 90; step++) {
    const angle = (2 * Math.PI * step) / 30;
    const to = { x: 0, y: 4 * Math.sin(angle), z: 4 * Math.cos(angle), rx: 0, ry: 0, rz: 0, open: 0 };
    expect((await timed('/move/absolute', to)).status).toBe('ok');
    const [x, y, z] = await position();
    if (step > 30) off.push(Math.hypot(x!, Math.hypot(y!, z!) - 4));
    await bridge.pass(pause);
  }
  expect(Math.max(...off)).toBeLessThan(within);
});

test('steps of a crane at 20 Hz are all made, and what is out of reach is told at once', async () => {
  for (let step = 0; step < 10; step++) {
    const { took, status } = await timed('/move/relative', { z: -0.5, open: step % 2 });
    expect(status).toBe('ok');
    if (step > 0) expect(took).toBeLessThan(AT_ONCE);
    await bridge.pass(0.05);
  }
  // The gripper takes longest, and all joints arrive with it.
  await bridge.pass(2);
  expect((await position())[2]).toBeCloseTo(-5, 0);
  await bridge.post('/move/relative', { z: 0.5 });
  const beyond = await timed('/move/relative', { x: 90 });
  expect(beyond).toMatchObject({ status: 'error', message: expect.stringContaining('cannot be reached') });
});

test('who would wait no longer than 5 s is answered before, and the arm goes on', async () => {
  await bridge.post('/move/sleep');
  bridge.arm().limitSpeed(0.1);
  const begun = bridge.host.time.now;
  const headers = { host: '127.0.0.1', 'user-agent': 'python-httpx/0.28.1' };
  const answer = await bridge.until(bridge.bridge.http.inject({ method: 'POST', url: '/move/init', headers }));
  const took = bridge.host.time.now - begun;
  expect([took > 4 && took < 5, answer.json().message]).toEqual([true, 'The arm is still on its way.']);
  await bridge.becomes(async () => expect((await bridge.status(0)).state).toBe('ready'));
  expect(Math.hypot(...(await position()))).toBeLessThan(1);
});

/** Joint goals of one stream, the newest on its way. */
const write = (angle: number, query = '') => bridge.post(`/joints/write${query}`, { angles: [angle], joints_ids: [0] });

test.each([
  [100, 0.002],
  [5, 0.02],
])('a stream at %d Hz that goes on over a stop and its reset moves nothing until it has paused', async (rate, step) => {
  let written = 0;
  const next = () => write(step * ++written);
  for (let cycle = 0; cycle < 10; cycle++) {
    void next();
    await bridge.pass(1 / rate);
  }
  await bridge.post('/stop');
  for (let cycle = 0; cycle < 5; cycle++) {
    expect((await next()).status).toBe(409);
    await bridge.pass(1 / rate);
  }
  await bridge.post('/stop/reset');
  const [held] = await bridge.truth('arm');
  for (let cycle = 0; cycle < 20; cycle++) {
    const { status, body } = await next();
    expect([status, body.detail]).toEqual([400, expect.stringContaining('pause the stream')]);
    await bridge.pass(1 / rate);
  }
  expect(Math.abs((await bridge.truth('arm'))[0]! - held!)).toBeLessThan(0.02);
  await bridge.pass(0.6);
  expect((await write(0.3)).body.status).toBe('ok');
});

test('a slow stream that goes on after a move of another owner moves nothing until it has paused, or takes over', async () => {
  const arm = bridge.arm();
  const another = { owner: { key: 'another', name: 'another' }, takeOver: false };
  const stream = async (): Promise<void> => {
    for (let cycle = 1; cycle <= 4; cycle++) {
      expect((await write(0.02 * cycle)).status).toBe(200);
      await bridge.pass(0.3);
    }
    arm.claim(another).end();
  };
  await stream();
  expect((await write(0.1)).body.detail).toContain('pause the stream');
  await bridge.pass(0.3);
  expect((await write(0.1)).body.detail).toContain('pause the stream');
  await bridge.pass(0.6);
  await stream();
  expect((await write(0.1, '?take_over=true')).status).toBe(200);
});

test('long moves that follow each other over a stop and its reset move nothing until they have paused', async () => {
  const move = (z: number) => bridge.post('/move/absolute', { x: 0, y: 0, z });
  void move(5);
  await bridge.pass(0.2);
  await bridge.post('/stop');
  await bridge.post('/stop/reset');
  for (const z of [-5, 5, -5]) {
    expect((await move(z)).body.detail).toContain('pause the stream');
    await bridge.pass(0.4);
  }
  await bridge.pass(0.2);
  expect((await move(-2)).body.status).toBe('ok');
});
