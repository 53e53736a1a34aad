import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { BridgeError } from '../../src/arm/types.ts';
import type { HttpConfig } from '../../src/config/schema.ts';
import { buildApp, fakeServices } from './fakes.ts';

const DIALECTS = ['standard', 'phosphobot'] as const;
const NOTHING = { device: null, serialNumber: null, bus: null, variant: null };

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

function serve(config: Partial<HttpConfig> = {}) {
  const services = fakeServices({ config });
  app = buildApp(services);
  return services;
}

async function post(url: string, body?: unknown) {
  const json = { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) };
  const reply = await app!.inject({ method: 'POST', url, ...(body === undefined ? {} : json) });
  return { status: reply.statusCode, body: reply.json() };
}

test.each(DIALECTS)(
  '%s: a client’s request for an arm is understood as it is written in the field',
  async (dialect) => {
    const { connections } = serve({ dialect });
    const body = { robot_name: 'so-101', connection_details: { device_name: '/dev/ttyACM0', ip: 7 }, extra: [] };
    expect(await post('/robot/add-connection', body)).toEqual({
      status: 200,
      body: { status: 'ok', message: 'Robot connection to so-101 added: so101_2, a SO-101', robot_id: 2 },
    });
    await post('/robot/add-connection', { robot_name: 'follower', connection_details: { device_name: null } });
    expect(connections.wanted).toEqual([
      { ...NOTHING, name: 'so101', device: '/dev/ttyACM0' },
      { ...NOTHING, name: 'follower' },
    ]);
    expect(
      await post('/robot/add-connection', { robot_name: 'unitree-go2', connection_details: { ip: '10.0.0.1' } }),
    ).toMatchObject({
      status: 400,
      body: { detail: 'Failed to add robot connection: "unitree-go2" is no arm of this bridge.' },
    });
    connections.connect = async () => {
      throw new BridgeError('unavailable', 'No device answers.', { remedy: 'list_ports' });
    };
    const reply = await app!.inject({
      method: 'POST',
      url: '/robot/add-connection',
      headers: { 'content-type': 'application/json', accept: 'application/problem+json' },
      payload: JSON.stringify(body),
    });
    expect(reply.headers['retry-after']).toBe('1');
    expect(reply.json()).toMatchObject({ status: 503, code: 'unavailable', remedy: 'list_ports' });
  },
);

test.each(DIALECTS)('%s: what is no request for an arm is refused field by field', async (dialect) => {
  const { connections } = serve({ dialect });
  const details = ['body', 'connection_details'];
  for (const [sent, ...faults] of [
    [undefined, ['missing', ['body']]],
    [null, ['model_attributes_type', ['body']]],
    [[], ['model_attributes_type', ['body']]],
    [{}, ['missing', ['body', 'robot_name']], ['missing', details]],
    [{ robot_name: null, connection_details: null }, ['string_type', ['body', 'robot_name']], ['dict_type', details]],
    [{ robot_name: 1, connection_details: [] }, ['string_type', ['body', 'robot_name']], ['dict_type', details]],
    [{ robot_name: 'a', connection_details: { device_name: 1 } }, ['string_type', [...details, 'device_name']]],
  ] as const) {
    const { status, body } = await post('/robot/add-connection', sent);
    expect(status).toBe(422);
    expect(body.detail.map(({ type, loc }: { type: string; loc: string[] }) => [type, loc])).toEqual(faults);
  }
  expect(connections.wanted).toEqual([]);
});

test.each(DIALECTS)('%s: an arm is disconnected by its id, unless somebody else has it', async (dialect) => {
  const { arms, connections } = serve({ dialect });
  expect(await post('/robot/disconnect')).toEqual({
    status: 200,
    body: { status: 'ok', message: 'Robot connection to 0 removed successfully' },
  });
  expect(arms.all[0]).toMatchObject({ detached: true });
  expect((await post('/robot/disconnect?robot_id=5')).status).toBe(400);
  expect((await post('/robot/disconnect?robot_id=x')).body.detail[0]).toMatchObject({ type: 'int_parsing' });
  arms.all[1]!.owner = { key: 'ros', name: 'a ROS topic' };
  expect((await post('/robot/disconnect?robot_id=1')).status).toBe(409);
  connections.refusal = 'Arm follower is still connected.';
  expect(await post('/robot/disconnect?robot_id=1&take_over=true')).toEqual({
    status: 200,
    body: { status: 'error', message: 'Arm follower is still connected.', request_id: expect.any(String) },
  });
});

test('what is asked of all arms leaves out those that have been disconnected on purpose', async () => {
  serve();
  await post('/robot/disconnect?robot_id=1');
  expect(await post('/move/init')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect((await post('/torque/toggle', { torque_status: true })).body.status).toBe('ok');
  expect((await post('/move/init?robot_id=1')).status).toBe(400);
  expect((await app!.inject('/readyz')).statusCode).toBe(200);
  await post('/robot/disconnect?robot_id=0');
  expect((await post('/move/init')).status).toBe(400);
});

test.each(DIALECTS)('%s: how far hands lead is read and changed', async (dialect) => {
  const { teleoperation } = serve({ dialect });
  expect(await post('/teleop/settings/read')).toEqual({ status: 200, body: { vr_scaling: 1 } });
  expect(await post('/teleop/settings', { vr_scaling: 0.5, other: 1 })).toEqual({
    status: 200,
    body: { status: 'ok', message: null },
  });
  expect((await post('/teleop/settings/read')).body).toEqual({ vr_scaling: 0.5 });
  for (const [sent, type, place = ['vr_scaling']] of [
    [undefined, 'missing', []],
    [{}, 'missing'],
    [{ vr_scaling: null }, 'float_type'],
    [{ vr_scaling: 0 }, 'greater_than'],
    [{ vr_scaling: -1 }, 'greater_than'],
    [{ vr_scaling: 11 }, 'less_than_equal'],
    [{ vr_scaling: 'far' }, 'float_parsing'],
  ] as const) {
    const { status, body } = await post('/teleop/settings', sent);
    expect([status, body.detail[0].type, body.detail[0].loc]).toEqual([422, type, ['body', ...place]]);
  }
  expect((await post('/teleop/settings', { vr_scaling: '2' })).status).toBe(dialect === 'phosphobot' ? 200 : 422);
  expect(teleoperation.scaling).toBe(dialect === 'phosphobot' ? 2 : 0.5);
});
