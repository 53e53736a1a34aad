import { describe, expect, test } from 'vitest';
import { VirtualHost } from '../../explore/virtual-host.ts';
import type { Caller } from '../../src/arm/types.ts';
import { usualTolerances } from '../../src/ros/trajectory-message.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const CALLER: Caller = { owner: { key: 'test', name: 'the test' }, takeOver: false };
const CAUSE =
  /the servo of (\w+) keeps to its own position limits, (-?[\d.]+) to (-?[\d.]+) rad, .*arm-bridge calibrate/;

/** An SO-101 in one of whose servos another program has left position limits, rad, as LeRobot does after a narrow sweep. */
async function limited(name: string, lower: number, upper: number): Promise<VirtualBridge> {
  const before = await VirtualBridge.start({}, undefined, new VirtualHost(null));
  const { zero, sign, id } = before.arm().model.joints.find((joint) => joint.name === name)!.servos[0]!;
  const steps = [lower, upper].map((angle) => Math.round(zero + (sign * angle * 4096) / (2 * Math.PI)));
  const registers = { min_position: Math.min(...steps), max_position: Math.max(...steps) };
  const next = await before.killAndStart(1, () => {
    before.host.arms!.get('arm').fault({ servos: { [id]: { registers } } });
  });
  const arm = next.arm();
  await next.becomes(() => expect(arm.read().state).toBe('connected'));
  return next;
}

/** A hand takes the arm to its initial pose, where it gets torque. */
async function lift(bridge: VirtualBridge): Promise<void> {
  const { joints, poses } = bridge.arm().model;
  const init = poses.get('init')!;
  await bridge.lead('arm', Object.fromEntries(joints.map(({ name }, i) => [name, init[i]!])), 1);
  await bridge.pass(2);
  const { body } = await bridge.post('/torque/toggle?robot_id=0', { torque_status: true });
  expect(body).toMatchObject({ status: 'ok' });
  await bridge.lead('arm', null);
  await bridge.pass(0.5);
}

describe('a servo with narrow position limits of its own', () => {
  test('that stands beyond them gets no torque, and is named with what to do', async () => {
    const bridge = await limited('shoulder_lift', -1.5, 1.5);
    const before = await bridge.truth('arm');
    expect(before[1]).toBeLessThan(-1.6);
    const { status, body } = await bridge.post('/torque/toggle?robot_id=0', { torque_status: true });
    expect(status).toBe(400);
    expect(body.detail).toMatch(/servo 2 \(shoulder_lift\) stands at \d+, beyond its own position limits .*by hand/);
    const after = await bridge.truth('arm');
    expect(Math.abs(after[1]! - before[1]!)).toBeLessThan(0.01);
    expect((await bridge.status(0)).torque).toBe(false);
  });

  test('keeps its joint from poses, which are refused with that cause; others are reached', async () => {
    const bridge = await limited('shoulder_pan', -1, 1);
    expect(bridge.told('the servo of shoulder_pan keeps to its own position limits')).toHaveLength(1);
    expect((await bridge.post('/move/init?robot_id=0')).body).toMatchObject({ status: 'ok' });
    const pan = async () => (await bridge.truth('arm'))[0]!;
    const write = (angle: number) => bridge.post('/joints/write?robot_id=0', { angles: [angle], joints_ids: [0] });

    const refused = await write(1.5);
    expect(JSON.stringify(refused.body)).toMatch(CAUSE);
    expect(Math.abs(await pan())).toBeLessThan(0.02);

    const arm = bridge.arm();
    const path = {
      names: ['shoulder_pan'],
      times: Float64Array.of(2, 4),
      positions: Float64Array.of(0.5, 1.5),
      velocities: null,
    };
    expect(() => bridge.bridge.trajectories.requireFollowable(arm, path, CALLER)).toThrow(
      /waypoint 2 of 2: the servo of/,
    );
    await expect(
      bridge.until(bridge.bridge.trajectories.follow(arm, path, usualTolerances(arm), CALLER)),
    ).rejects.toThrow(CAUSE);

    await write(0.9);
    await bridge.becomes(async () => expect(await pan()).toBeCloseTo(0.9, 1));
  });

  test('that keeps the arm from its rest pose is named by /move/sleep and at the end, and the arm holds', async () => {
    const bridge = await limited('shoulder_lift', -1.4, 1.5);
    await lift(bridge);
    const { body } = await bridge.post('/move/sleep?robot_id=0');
    expect(body).toMatchObject({ status: 'error', message: expect.stringMatching(CAUSE) });
    expect((await bridge.truth('arm'))[1]).toBeCloseTo(-1.4, 1);
    expect((await bridge.status(0)).holding ?? bridge.arm().read().holding).toBe(true);
    await bridge.end();
    expect(bridge.told('was not lowered')[0]).toMatch(CAUSE);
  });
});
