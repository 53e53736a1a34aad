import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildApp, type FakeArm, type FakeServices, fakeServices } from './fakes.ts';

let services: FakeServices;
let app: FastifyInstance;
beforeEach(() => {
  services = fakeServices();
  app = buildApp(services);
});
afterEach(() => app.close());

async function post(url: string, body?: unknown) {
  const json = { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) };
  const reply = await app.inject({ method: 'POST', url, ...(body === undefined ? {} : json) });
  return { status: reply.statusCode, body: reply.json() };
}

describe('joints', () => {
  beforeEach(() => services.arms.all[0]!.positions.set([0.5, 0.5, 0, 0, 0, 1]));

  test.each([
    ['rad', [0.5, 0.5, 0, 0, 0, 1]],
    ['degrees', [28.648, 28.648, 0, 0, 0, 57.296]],
    // 4096 steps a turn; the second servo counts the other way round.
    ['motor_units', [2374, 1722, 2048, 2048, 2048, 2700]],
  ])('are read in %s', async (unit, angles) => {
    const { body } = await post('/joints/read', { unit });
    expect(body.unit).toBe(unit);
    for (const [i, angle] of angles.entries()) expect(body.angles[i]).toBeCloseTo(angle, 3);
  });

  test('are read in the order of joints_ids, and null before the first sample', async () => {
    expect((await post('/joints/read', { joints_ids: [5, 0] })).body.angles).toEqual([1, 0.5]);
    services.arms.all[0]!.positions.fill(Number.NaN);
    expect((await post('/joints/read', { joints_ids: [1] })).body.angles).toEqual([null]);
  });

  test.each([
    ['rad', [0.5, 0.5]],
    ['degrees', [28.6479, 28.6479]],
    ['motor_units', [2374, 1722]],
  ])('are written in %s, and what is read is written back as it was', async (unit, angles) => {
    expect(await post('/joints/write', { angles, unit })).toEqual({
      status: 200,
      body: { status: 'ok', message: null },
    });
    const [goal] = services.joints.goals;
    expect(goal!.wanted[0]).toBeCloseTo(0.5, 3);
    expect(goal!.wanted[1]).toBeCloseTo(0.5, 3);
    expect(goal!.wanted.slice(2)).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
  });

  test('joints_ids say which joints are written', async () => {
    await post('/joints/write?robot_id=1', { angles: [0.1, 0.2], joints_ids: [4, 1] });
    expect(services.joints.goals[0]).toMatchObject({
      arm: 'follower',
      wanted: [Number.NaN, 0.2, Number.NaN, Number.NaN, 0.1, Number.NaN],
    });
  });

  test.each([
    [{ angles: [0.1, 0.2], joints_ids: [1] }, /2 angles for 1 joints_ids/],
    [{ angles: [0.1], joints_ids: [9] }, /Joint ID 9 is out of range for the robot. Known ids: 0 shoulder_pan/],
    [{ angles: [0.1], joints_ids: [-1] }, /Joint ID -1/],
    [{ angles: [0.1, 0.2], joints_ids: [3, 3] }, /Joint ID 3 stands twice/],
    [{ angles: [0, 0, 0, 0, 0, 0, 0] }, /Joint ID 6 is out of range/],
    [{ angles: [2] }, /out of bounds: shoulder_pan/],
  ])('%j is refused in words, and nothing is written', async (body, detail) => {
    const answer = await post('/joints/write', body);
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toMatch(detail);
    expect(services.joints.goals).toEqual([]);
  });

  test.each([
    [{}, 'missing', ['body', 'angles']],
    [{ angles: [0.1, null] }, 'float_type', ['body', 'angles', 1]],
    [{ angles: [0.1, '2'] }, 'float_parsing', ['body', 'angles', 1]],
    [{ angles: [0.1], unit: 'deg' }, 'literal_error', ['body', 'unit']],
    [{ angles: [0.1], joints_ids: [0.5] }, 'int_from_float', ['body', 'joints_ids', 0]],
  ])('%j is 422 at its place', async (body, type, loc) => {
    const answer = await post('/joints/write', body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]).toMatchObject({ type, loc });
  });

  test('of a disconnected arm are neither read nor written', async () => {
    services.arms.all[0]!.state = 'disconnected';
    for (const path of ['/joints/read', '/torque/read', '/voltage/read', '/temperature/read']) {
      expect((await post(path)).status).toBe(400);
    }
    expect((await post('/joints/write', { angles: [0] })).status).toBe(400);
  });

  test('of an arm that somebody else drives are written with take_over alone', async () => {
    services.arms.all[0]!.owner = { key: 'mirror', name: 'mirroring of leader' };
    expect(await post('/joints/write', { angles: [0] })).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/mirroring of leader.*take_over=true/) },
    });
    expect((await post('/joints/write?take_over=true', { angles: [0] })).status).toBe(200);
    expect(services.joints.goals[0]!.caller.takeOver).toBe(true);
  });
});

describe('torque', () => {
  test('is switched for one arm or for all', async () => {
    await post('/torque/toggle?robot_id=1', { torque_status: true });
    await post('/torque/toggle', { torque_status: false });
    await post('/torque/toggle?robot_id=0', { torque_status: false, force: true });
    expect(services.torque.switched).toEqual([
      { arm: 'follower', on: true, force: false },
      { arm: 'leader', on: false, force: false },
      { arm: 'follower', on: false, force: false },
      { arm: 'leader', on: false, force: true },
    ]);
  });

  test('of one of two arms that is refused is told beside the other one, of all is the answer', async () => {
    const [leader, follower] = services.arms.all as [FakeArm, FakeArm];
    leader.owner = { key: 'ros', name: 'a ROS topic' };
    const { status, body } = await post('/torque/toggle', { torque_status: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/^leader \(robot 0\): .*a ROS topic/),
    });
    follower.owner = leader.owner;
    expect((await post('/torque/toggle', { torque_status: true })).status).toBe(409);
  });

  test('that an arm keeps is an error that says why', async () => {
    services.torque.refusal = 'something holds elbow_flex back';
    expect((await post('/torque/toggle?robot_id=0', { torque_status: false })).body).toEqual({
      status: 'error',
      message: 'something holds elbow_flex back',
      request_id: expect.any(String),
    });
  });
});

describe('servos', () => {
  test('tell voltage and temperature with its limit; those of another machine nothing', async () => {
    expect((await post('/temperature/read')).body.current_max_Temperature[5]).toEqual({ current: 31, max: 70 });
    expect((await post('/voltage/read')).body.current_voltage).toHaveLength(6);
  });

  test('take one temperature limit each', async () => {
    const limits = [60, 61, 62, 63, 64, 65];
    expect((await post('/temperature/write', { maximum_temperature: limits })).status).toBe(200);
    expect(services.arms.all[0]!.servos.limits).toEqual(limits);
    const short = await post('/temperature/write', { maximum_temperature: [60] });
    expect(short).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/1 values.*6 joints/) } });
    expect((await post('/temperature/write', { maximum_temperature: [60.5] })).status).toBe(422);
  });

  test('are described with their ids, steps, signs and gains', async () => {
    expect((await post('/robot/config?robot_id=1')).body).toMatchObject({
      robot_id: 1,
      name: 'follower',
      config: {
        name: 'so101',
        servos_offsets: [2048, 2048, 2048, 2048, 2048, 2048],
        servos_offsets_signs: [1, -1, 1, 1, 1, 1],
        pid_gains: Array(6).fill({ p_gain: 32, i_gain: 0, d_gain: 32 }),
      },
      gripper_joint_index: 5,
      servo_ids: [1, 2, 3, 4, 5, 6],
      resolution: 4096,
    });
  });
});
