import { expect, test } from 'vitest';
import { VirtualBridge } from '../support/virtual-bridge.ts';

/** Servo of elbow_flex, and by how much it reads too hot: one degree below its limit, before anything could be lowered. */
const ELBOW = 3;
const HOTTER = 41;
/** As hot as has an arm lowered. */
const HOT = 37;

/** Makes the elbow tell a temperature that is so much higher; null: the true one, degrees Celsius. */
function misread(bridge: VirtualBridge, by: number | null): Promise<void> {
  const temperature = by === null ? null : { share: 1, by };
  return bridge.fault('arm', { servos: { [ELBOW]: { misreads: { temperature } } } });
}

test('a servo that gets hot has its arm lowered and released before it switches itself off, and the owner of the arm is told', async () => {
  const bridge = await VirtualBridge.start();
  await bridge.post('/move/init');
  const move = bridge.post('/move/absolute', { x: -4, y: 6, z: 2 });
  await bridge.pass(0.3);
  await misread(bridge, HOT);
  const { status, message } = (await move).body;
  expect([status, message]).toEqual(['error', expect.stringContaining('taken over by the protection of its servos')]);
  await bridge.becomes(async () => expect((await bridge.status(0)).state).toBe('connected'));
  const { reason, torque, owner } = await bridge.status(0);
  expect([torque, owner]).toEqual([false, null]);
  expect(reason).toMatch(
    /^servo 3 \(elbow_flex\) has 6\d degC and switches off at 70: it has been lowered and released$/,
  );
  await misread(bridge, null);
  await bridge.pass(2);
  expect((await bridge.post('/move/init')).body).toMatchObject({ status: 'ok' });
});

test('an arm that its own hot servo has stopped is lowered and released all the same, and has a way out once it is cool', async () => {
  const bridge = await VirtualBridge.start();
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
  await misread(bridge, HOTTER);
  await bridge.pass(4);
  const { state, reason, torque } = (await bridge.ask('GET', '/status')).body.arms[0];
  expect([state, reason]).toEqual(['stopped', expect.stringContaining('69 degC and switches off at 70')]);
  expect(torque).toBe(false);
  const { positions } = await bridge.host.arms!.truth('arm');
  for (const [i, angle] of bridge.arm().model.poses.get('rest')!.entries())
    expect(Math.abs(positions[i]! - angle)).toBeLessThan(0.15);
  expect((await bridge.post('/move/init')).status).toBe(409);
  // Its supply goes off to let it cool, and comes back: it is the same stop, with the same reason.
  const stops = async () => (await bridge.get('/api/v1/events?act=stop')).body.events.length;
  const before = await stops();
  await bridge.fault('arm', { unplugged: true });
  await bridge.becomes(async () => expect((await bridge.status(0)).state).toBe('disconnected'));
  await misread(bridge, null);
  await bridge.fault('arm', { unplugged: false });
  await bridge.becomes(async () => expect((await bridge.status(0)).state).toBe('stopped'));
  expect((await bridge.status(0)).reason).toContain('69 degC and switches off at 70');
  expect(await stops()).toBe(before);
  await misread(bridge, HOTTER);
  await bridge.pass(2);
  // A reset does not keep it from stopping again.
  expect((await bridge.post('/stop/reset')).body).toMatchObject({ status: 'error', robots: [] });
  await misread(bridge, null);
  await bridge.pass(2);
  expect((await bridge.post('/stop/reset')).body.status).toBe('ok');
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
});

test('a reset while a servo is too hot is refused, and its arm goes on down', async () => {
  const bridge = await VirtualBridge.start();
  await bridge.post('/move/init');
  await misread(bridge, HOTTER);
  await bridge.becomes(async () => expect((await bridge.status(0)).state).toBe('stopped'));
  expect((await bridge.post('/stop/reset')).body).toMatchObject({ status: 'error', robots: [] });
  await bridge.becomes(
    async () => expect(await bridge.status(0)).toMatchObject({ state: 'stopped', torque: false }),
    5,
  );
});

test('an arm that a person has stopped on its way down holds until a reset, and is lowered then while its servo is hot', async () => {
  const bridge = await VirtualBridge.start();
  await bridge.post('/move/init');
  await misread(bridge, HOTTER);
  await bridge.becomes(async () => expect((await bridge.status(0)).state).toBe('stopped'));
  await bridge.pass(0.3);
  await bridge.post('/stop');
  await bridge.pass(3);
  expect(await bridge.status(0)).toMatchObject({ state: 'stopped', torque: true });
  expect((await bridge.post('/stop/reset')).body).toMatchObject({ status: 'error', robots: [] });
  await bridge.becomes(
    async () => expect(await bridge.status(0)).toMatchObject({ state: 'stopped', torque: false }),
    5,
  );
});
