import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HttpConfig } from '../../src/config/schema.ts';
import { buildApp, FakeArm, type FakeServices, fakeServices } from './fakes.ts';

const BODY = { x: 10, y: -20, z: 30, rx: 90, ry: 45, rz: -30, open: 0.5 };

let services: FakeServices;
let app: FastifyInstance;
function build(options: Parameters<typeof fakeServices>[0] = {}): void {
  services = fakeServices(options);
  app = buildApp(services);
}
beforeEach(() => build());
afterEach(() => app.close());

const post = async (payload: unknown, query = '') => {
  const reply = await app.inject({
    method: 'POST',
    url: `/move/teleop${query}`,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(payload),
  });
  return { status: reply.statusCode, body: reply.json() };
};
const inDialect = async (dialect: HttpConfig['dialect']) => {
  await app.close();
  build({ config: { dialect } });
};

test('a message is read in centimetres and degrees, and the hands lead the first and the second arm', async () => {
  expect(await post(BODY)).toEqual({ status: 200, body: { status: 'ok', message: null } });
  await post({ ...BODY, source: 'left', timestamp: 12.5, direction_x: -1 });
  await post({ ...BODY, source: 'left' }, '?robot_id=0');
  await post(BODY, '?arm=follower');
  expect((await post(BODY, '?arm=nobody')).status).toBe(400);
  const [right, left, named, called, ...others] = services.teleoperation.fed;
  expect([called!.arm, others]).toEqual(['follower', []]);
  expect(right).toMatchObject({ arm: 'leader', message: { open: 0.5, timestamp: null } });
  const { x, y, z, pitch, yaw, roll } = right!.message.hand;
  expect([x, y, z]).toEqual([0.1, -0.2, 0.3]);
  for (const [angle, degrees] of [
    [pitch, 90],
    [yaw, 45],
    [roll, -30],
  ] as const) {
    expect(angle).toBeCloseTo((degrees * Math.PI) / 180, 12);
  }
  expect(left).toMatchObject({ arm: 'follower', message: { timestamp: 12.5 } });
  expect(left!.sender).not.toBe(right!.sender);
  expect(named!.arm).toBe('leader');
});

test('in the dialect of phosphobot ry is roll and rz yaw, numbers may be text and open is clamped', async () => {
  await inDialect('phosphobot');
  expect((await post({ ...BODY, x: '10', open: 1.5 })).status).toBe(200);
  const { hand, open } = services.teleoperation.fed[0]!.message;
  expect(hand.x).toBeCloseTo(0.1, 12);
  expect(open).toBe(1);
  expect(hand.roll).toBeCloseTo(Math.PI / 4, 12);
  expect(hand.yaw).toBeCloseTo(-Math.PI / 6, 12);
});

test.each(['standard', 'phosphobot'] as const)('faults are told by field in the dialect %s', async (dialect) => {
  await inDialect(dialect);
  const { x: _x, ...without } = BODY;
  for (const [sent, loc, type] of [
    [without, ['body', 'x'], 'missing'],
    [{ ...BODY, z: null }, ['body', 'z'], 'float_type'],
    [{ ...BODY, source: 'head' }, ['body', 'source'], 'literal_error'],
    [{ ...BODY, direction_y: 1.1 }, ['body', 'direction_y'], 'less_than_equal'],
    [{ ...BODY, direction_x: -2 }, ['body', 'direction_x'], 'greater_than_equal'],
    [[], ['body'], 'model_attributes_type'],
  ] as const) {
    const { status, body } = await post(sent);
    expect([status, body.detail]).toMatchObject([422, [{ loc, type }]]);
  }
  expect(services.teleoperation.fed).toEqual([]);
});

test('an arm that does not follow is an error in the answer; one of somebody else is 409, for phosphobot an error', async () => {
  services.teleoperation.problem = 'arm leader does not follow: elbow and table would touch';
  expect(await post(BODY)).toEqual({
    status: 200,
    body: {
      status: 'error',
      message: 'arm leader does not follow: elbow and table would touch',
      request_id: expect.any(String),
    },
  });
  services.arms.all[0]!.owner = { key: 'mirror', name: 'mirroring' };
  expect((await post(BODY)).status).toBe(409);
  expect((await post(BODY, '?take_over=true')).status).toBe(200);
  await inDialect('phosphobot');
  services.arms.all[0]!.owner = { key: 'mirror', name: 'mirroring' };
  expect(await post(BODY)).toMatchObject({ status: 200, body: { status: 'error' } });
});

test('the left hand needs a second arm, or the name of one', async () => {
  await app.close();
  build({ arms: [new FakeArm(0, 'arm')] });
  expect(await post({ ...BODY, source: 'left' })).toMatchObject({ status: 400 });
  expect((await post({ ...BODY, source: 'left' }, '?robot_id=0')).status).toBe(200);
});
