import { beforeEach, describe, expect, test } from 'vitest';
import { PAIR, VirtualBridge } from '../support/virtual-bridge.ts';

/** The follower of the simulated pair, whose physics is the witness of what its joints do. */
const ARM = '?robot_id=1';
const SERVO_STEP = (2 * Math.PI) / 4096;
/** Friction and what is left of the droop, rad. */
const NEAR = 0.02;

let bridge: VirtualBridge;
beforeEach(async () => {
  bridge = await VirtualBridge.startLight(PAIR);
  await bridge.post(`/move/init${ARM}`);
});

async function truth(): Promise<number[]> {
  const { body } = await bridge.get(`/sim/truth${ARM}`);
  return Object.values(body.joints as Record<string, number>);
}

const write = (body: object, query = ARM) => bridge.post(`/joints/write${query}`, body);
const state = async (): Promise<string> => (await bridge.status(1)).state;
const ready = () => bridge.becomes(async () => expect(await state()).toBe('ready'));

describe('/joints/write', () => {
  test('answers before the arm is there; each unit leads where physics says, and reads back', async () => {
    const wanted = [0.4, -0.9, 0.8, 0.2, 0.5, 0.7];
    for (const unit of ['rad', 'degrees', 'motor_units'] as const) {
      const of = (angle: number) =>
        unit === 'rad' ? angle : unit === 'degrees' ? (angle * 180) / Math.PI : 2048 + angle / SERVO_STEP;
      expect(await write({ angles: wanted.map(of), unit })).toEqual({
        status: 200,
        body: { status: 'ok', message: null },
      });
      if (unit === 'rad') expect(await state()).toBe('moving');
      await ready();
      await bridge.becomes(async () => expect(Math.abs((await truth())[0]! - wanted[0]!)).toBeLessThan(NEAR));
      const joints = await truth();
      for (const [i, angle] of wanted.entries()) expect(Math.abs(joints[i]! - angle)).toBeLessThan(NEAR);
      const { body } = await bridge.post(`/joints/read${ARM}`, { unit, source: 'sim' });
      for (const [i, angle] of wanted.entries()) {
        expect(Math.abs(body.angles[i] - of(angle))).toBeLessThan(unit === 'motor_units' ? 1 : 0.1);
      }
      await write({ angles: [0.1], joints_ids: [0] });
      await ready();
    }
  });

  test('the newest goal wins, joint by joint: what it does not name keeps its goal', async () => {
    await write({ angles: [0, -0.7, 0.7, 0, 0, 0] });
    await ready();
    await write({ angles: [0.6], joints_ids: [4] });
    await write({ angles: [-0.5], joints_ids: [0] });
    await write({ angles: [0.3], joints_ids: [0] });
    expect(await bridge.status(1)).toMatchObject({ state: 'moving', owner: expect.any(String) });
    await ready();
    expect((await bridge.status(1)).owner).toBeNull();
    const { body } = await bridge.post(`/joints/read${ARM}`, { source: 'sim', joints_ids: [0, 4] });
    expect(body.angles[0]).toBeCloseTo(0.3, 3);
    expect(body.angles[1]).toBeCloseTo(0.6, 3);
  });

  test('a goal beyond a limit, into the arm or into the table is refused with names, and nothing moves', async () => {
    const before = await truth();
    const beyond = await write({ angles: [2.5], joints_ids: [0] });
    expect(beyond).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/shoulder_pan 2.500 rad/) } });
    const table = await write({ angles: [1.5, 0.3, 0.5], joints_ids: [1, 2, 3] });
    expect(table).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/would touch/) } });
    const now = await truth();
    for (const [i, angle] of before.entries()) expect(Math.abs(now[i]! - angle)).toBeLessThan(0.005);
  });

  test('a stream to a limp arm is answered once the arm has its torque, not when the stream is over', async () => {
    await bridge.post(`/torque/toggle${ARM}`, { torque_status: false });
    let answers = 0;
    for (let cycle = 0; cycle < 50; cycle++) {
      void write({ angles: [cycle / 500], joints_ids: [0] }).then(({ status }) => {
        if (status === 200) answers++;
      });
      await bridge.pass(0.02);
    }
    expect(answers).toBeGreaterThan(40);
  });

  test('a stop holds on the way, and a reset resumes nothing', async () => {
    await write({ angles: [-1.2], joints_ids: [0] });
    await bridge.pass(0.4);
    await bridge.post(`/stop${ARM}`);
    expect(await write({ angles: [0], joints_ids: [0] })).toMatchObject({ status: 409 });
    await bridge.post(`/stop/reset${ARM}`);
    await bridge.pass(0.3);
    const [held] = await truth();
    expect(held).toBeGreaterThan(-1);
    expect(await bridge.status(1)).toMatchObject({ state: 'ready', owner: null });
    await bridge.pass(0.2);
    expect(Math.abs((await truth())[0]! - held!)).toBeLessThan(0.005);
  });
});

test('a motion that is ended by name answers so, and its arm holds', async () => {
  await write({ angles: [1.2], joints_ids: [0] });
  const motion = '/api/v1/arms/follower/motion';
  const { body } = await bridge.get(motion);
  expect(body).toMatchObject({ state: 'moving', motion: { kind: 'trajectory' } });
  expect(body.motion.progress).toBeLessThan(1);
  expect((await bridge.ask('DELETE', motion)).body).toEqual({ status: 'ok', message: 'follower holds' });
  await bridge.pass(0.5);
  expect((await truth())[0]).toBeLessThan(1.1);
  expect((await bridge.get(motion)).body).toMatchObject({ state: 'ready', owner: null, motion: null });
});

describe('/torque/toggle', () => {
  test('off lowers a raised arm before it lets it go; on holds it there without a jump', async () => {
    await write({ angles: [0, -0.7, 0.7, 0, 0, 0] });
    await ready();
    const off = await bridge.post(`/torque/toggle${ARM}`, { torque_status: false });
    expect(off).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await bridge.status(1)).toMatchObject({ state: 'connected', torque: false });
    const lying = await truth();
    await bridge.pass(0.3);
    for (const [i, angle] of (await truth()).entries()) expect(Math.abs(angle - lying[i]!)).toBeLessThan(0.1);
    const before = await truth();
    await bridge.post(`/torque/toggle${ARM}`, { torque_status: true });
    expect(await bridge.status(1)).toMatchObject({ state: 'ready', torque: true, owner: null });
    await bridge.pass(0.2);
    for (const [i, angle] of (await truth()).entries()) expect(Math.abs(angle - before[i]!)).toBeLessThan(0.02);
    const { body } = await bridge.post(`/torque/read${ARM}`);
    expect(body.current_torque).toHaveLength(6);
  });

  test('off with force lets a stopped arm go where it is', async () => {
    await bridge.post(`/stop${ARM}`);
    expect(await bridge.post(`/torque/toggle${ARM}`, { torque_status: false })).toMatchObject({ status: 409 });
    expect(await bridge.post(`/torque/toggle${ARM}`, { torque_status: false, force: true })).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
    expect(await bridge.status(1)).toMatchObject({ state: 'stopped', torque: false });
    await bridge.post(`/stop/reset${ARM}`);
  });
});

describe('servos', () => {
  test('tell voltages, temperatures and gains from their registers', async () => {
    const { current_voltage: voltages } = (await bridge.post(`/voltage/read${ARM}`)).body;
    expect(voltages).toEqual(Array(6).fill(7.4));
    const config = (await bridge.post(`/robot/config${ARM}`)).body;
    expect(config).toMatchObject({ robot_id: 1, name: 'follower', servo_ids: [1, 2, 3, 4, 5, 6], resolution: 4096 });
    expect(config.config.pid_gains[0]).toEqual({ p_gain: 32, i_gain: 0, d_gain: 32 });
  });

  test('take a temperature limit while the arm moves, which does not feel it', async () => {
    await bridge.post(`/torque/toggle${ARM}`, { torque_status: true });
    const move = bridge.post(`/move/init${ARM}`);
    await bridge.pass(0.2);
    const write = await bridge.post(`/temperature/write${ARM}`, { maximum_temperature: [60, 61, 62, 63, 64, 65] });
    expect(write).toEqual({ status: 200, body: { status: 'ok', message: null } });
    expect((await move).body.status).toBe('ok');
    const { current_max_Temperature: temperatures } = (await bridge.post(`/temperature/read${ARM}`)).body;
    expect(temperatures.map(({ max }: { max: number }) => max)).toEqual([60, 61, 62, 63, 64, 65]);
  });

  test('never take more than their maker allows, nor less than they have', async () => {
    const hot = await bridge.post(`/temperature/write${ARM}`, { maximum_temperature: [60, 60, 60, 60, 60, 71] });
    expect(hot.status).toBe(400);
    expect(hot.body.detail).toMatch(/servo 6 \(gripper\).*STS3215, is 70 degrees Celsius, not 71/);
    const cold = await bridge.post(`/temperature/write${ARM}`, { maximum_temperature: [60, 60, 10, 60, 60, 60] });
    expect(cold.status).toBe(400);
    expect(cold.body.detail).toMatch(/servo 3 \(elbow_flex\).*switch itself off at 10/);
  });
});
