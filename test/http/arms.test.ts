import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildApp, type FakeServices, fakeServices } from './fakes.ts';

let services: FakeServices;
let app: FastifyInstance;

beforeEach(() => {
  services = fakeServices();
  app = buildApp(services);
});
afterEach(() => app.close());

async function ask(method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) {
  const json = body === undefined ? {} : { payload: body, headers: { 'content-type': 'application/json' } };
  const reply = await app.inject({ method, url, ...json });
  return { status: reply.statusCode, body: reply.json() };
}

test('arms are listed with what they are and how they are', async () => {
  const { body } = await ask('GET', '/api/v1/arms');
  expect(body.arms.map(({ name }: { name: string }) => name)).toEqual(['leader', 'follower']);
  expect(body.arms[1]).toMatchObject({
    id: 1,
    model: 'so101',
    gripper: { index: 5, closed: 0, open: 1.5 },
    poses: { init: [0, 0, 0, 0, 0, 0] },
    now: { state: 'ready', owner: null, torque: true, joints: { temperature: Array(6).fill(31) }, opening: 0 },
  });
  expect(body.arms[1].joints[1]).toMatchObject({ role: 'shoulder_lift', servos: [{ id: 2, model: 'STS3215' }] });
});

test('an arm is taken from its owner, kept, and given back; others need to take it over', async () => {
  const arm = services.arms.all[1]!;
  arm.owner = { key: 'mirror', name: 'mirroring' };
  const refused = await ask('POST', '/api/v1/arms/follower/release');
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    'follower is driven by mirroring. Wait until it has ended, or take it with ?take_over=true.',
  ]);
  expect((await ask('POST', '/api/v1/arms/follower/take-over')).body.status).toBe('ok');
  expect(arm.owner).toMatchObject({ name: 'an HTTP client on this computer (lightMyRequest)' });
  expect((await ask('POST', '/api/v1/arms/follower/release')).body.message).toBe('follower is free');
  expect(arm.owner).toBeNull();
  expect((await ask('POST', '/api/v1/arms/follower/release')).body.message).toBe('follower was free already');
});

test('a motion is told and ended by the name of its arm', async () => {
  const arm = services.arms.all[0]!;
  arm.activity = { kind: 'waypoints', progress: 0.5 };
  await ask('POST', '/api/v1/arms/leader/take-over');
  expect((await ask('GET', '/api/v1/arms/leader/motion')).body).toEqual({
    state: 'ready',
    owner: 'an HTTP client on this computer (lightMyRequest)',
    owner_since: 1_767_323_044,
    motion: { kind: 'waypoints', progress: 0.5 },
  });
  expect((await ask('DELETE', '/api/v1/arms/leader/motion')).body.message).toBe('leader holds');
  arm.activity = null;
  expect((await ask('DELETE', '/api/v1/arms/leader/motion')).body.message).toBe('Nothing drove leader');
  arm.owner = { key: 'ros', name: 'a ROS topic' };
  expect((await ask('DELETE', '/api/v1/arms/leader/motion')).status).toBe(409);
  expect((await ask('DELETE', '/api/v1/arms/leader/motion?take_over=true')).status).toBe(200);
  arm.state = 'stopped';
  expect((await ask('DELETE', '/api/v1/arms/leader/motion')).status).toBe(409);
  expect(arm.halts).toBe(3);
});

test('what a move would come to is told in the units of the move', async () => {
  const url = '/api/v1/arms/leader/reachable';
  const early = await ask('POST', url, { x: 3 });
  expect([early.status, early.body.detail]).toEqual([400, expect.stringContaining('/move/init?robot_id=0')]);
  services.arms.all[0]!.initialised = true;
  expect((await ask('POST', url, { x: 3 })).body).toEqual({ reachable: true, message: null, joints: Array(6).fill(0) });
  expect((await ask('POST', url, { x: 300 })).body).toMatchObject({ reachable: false, joints: null });
  expect((await ask('POST', url, { x: '3' })).body.detail[0]).toMatchObject({
    loc: ['body', 'x'],
    type: 'float_parsing',
  });
  expect(services.motion.moves).toEqual([]);
});

test('pairs, configuration and log are told, and no secret', async () => {
  expect((await ask('GET', '/api/v1/pairs')).body).toEqual({ active: false, reason: '', pairs: [] });
  const config = (await ask('GET', '/api/v1/config')).body;
  expect(config).toMatchObject({ http: { port: 8020 }, control: { rate: 200 }, arms: [{ name: 'leader' }] });
  expect(JSON.stringify(config)).not.toContain('token');
  for (const text of ['one', 'two']) {
    services.log.add(JSON.stringify({ level: 30, time: '2026-01-02T03:04:05.000Z', msg: text }));
  }
  expect((await ask('GET', '/api/v1/log?start=1')).body).toEqual({
    next: 2,
    first: 1,
    lines: [{ time: 1767323045, level: 'info', message: 'two' }],
  });
  for (const start of ['-1', '1.5', 'x', '']) {
    expect((await ask('GET', `/api/v1/log?start=${start}`)).body.detail[0].loc).toEqual(['query', 'start']);
  }
});

test('a stop is a stop below /api/v1 too', async () => {
  expect((await ask('POST', '/api/v1/stop?robot_id=1')).body.robots).toEqual([1]);
  expect(services.arms.all.map((arm) => arm.read().state)).toEqual(['ready', 'stopped']);
  expect((await ask('POST', '/api/v1/stop/reset')).body.robots).toEqual([1]);
});

test('serial ports are listed as clients of this interface know them', async () => {
  expect((await ask('POST', '/local/scan-devices')).body.devices).toEqual([
    {
      name: 'USB Single Serial',
      device: '/dev/ttyACM0',
      serial_number: '58FA1234',
      pid: 0x55d3,
      interface: '/dev/serial/by-id/usb-1a86_USB_Single_Serial_58FA1234-if00',
    },
    { name: '/dev/ttyS0', device: '/dev/ttyS0', serial_number: null, pid: null, interface: null },
  ]);
});
