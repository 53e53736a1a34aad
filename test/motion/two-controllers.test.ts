import { beforeEach, describe, expect, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import type { Caller } from '../../src/arm/types.ts';
import { usualTolerances } from '../../src/ros/trajectory-message.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const caller = (key: string): Caller => ({ owner: { key, name: `the controller ${key}` }, takeOver: false });
const ARM = caller('arm_controller');
const GRIPPER = caller('gripper_controller');
const stream = (key: string): Caller => ({ owner: { key, name: `the stream ${key}` }, takeOver: false });
const TOLERANCE = 0.03;
/** Registers of the makers' tables: torque limit of an STS3215 in 0.1 %, goal current of an XL330 in mA, goal PWM of X servos. */
const TORQUE_LIMIT = 48;
const GOAL_CURRENT = 102;
const GOAL_PWM = 100;

let bridge: VirtualBridge;
let arm: Arm;
beforeEach(async () => {
  bridge = await VirtualBridge.start();
  arm = bridge.arm();
  await bridge.until(bridge.bridge.motion.init(arm, caller('init')));
});

/** A way of the arm's own joints, to `pan` (rad) in `duration` s. */
const turn = (pan: number, duration: number, caller: Caller = ARM) =>
  bridge.bridge.trajectories.follow(
    arm,
    {
      names: ['shoulder_pan'],
      times: Float64Array.of(duration),
      positions: Float64Array.of(pan),
      velocities: null,
    },
    usualTolerances(arm),
    caller,
  );
const grip = (position: number, more: { velocity?: number; torque?: number } = {}, by: Caller = GRIPPER) =>
  bridge.bridge.trajectories.gripper(
    arm,
    { position, velocity: more.velocity ?? null, torque: more.torque ?? null },
    TOLERANCE,
    by,
  );
const gripper = () => arm.read().positions[arm.model.gripper!.index]!;
const pan = () => arm.read().positions[0]!;
/** A word of the gripper's servo, as its register holds it. */
const register = (address: number, of = 'arm'): number => {
  const { servos } = bridge.host.arms!.get(of).sim;
  const { memory } = servos.at(-1)![0] as unknown as { memory: Uint8Array };
  return memory[address]! + 256 * memory[address + 1]!;
};

describe('arm and gripper are driven at the same time', () => {
  test('by a trajectory and a gripper command, neither of which ends the other', async () => {
    const turning = turn(0.8, 2);
    await bridge.pass(0.4);
    const gripping = grip(1.5);
    await bridge.pass(0.4);
    expect(arm.ownerOf('arm')?.key).toBe('arm_controller');
    expect(arm.ownerOf('gripper')?.key).toBe('gripper_controller');
    expect(gripper()).toBeGreaterThan(0.2);
    expect(pan()).toBeGreaterThan(0.05);
    expect(await bridge.until(gripping)).toEqual({ reached: true, stalled: false, message: '' });
    expect(arm.read().state).toBe('moving');
    expect(await bridge.until(turning)).toEqual({ end: 'done', message: '' });
    expect(pan()).toBeCloseTo(0.8, 1);
    expect(gripper()).toBeCloseTo(1.5, 1);
    expect(arm.read().state).toBe('ready');
  });

  test('a gripper that is still on its way goes on when the arm has arrived, and when it is cancelled', async () => {
    const gripping = grip(1.7, { velocity: 0.5 });
    expect(await bridge.until(turn(0.3, 1))).toMatchObject({ end: 'done' });
    expect(arm.read().state).toBe('moving');
    const cancelled = new AbortController();
    const turning = turn(-0.5, 2, { ...ARM, signal: cancelled.signal });
    await bridge.pass(0.5);
    cancelled.abort();
    await bridge.until(turning);
    const at = pan();
    expect(await bridge.until(gripping)).toMatchObject({ reached: true });
    expect(pan()).toBeCloseTo(at, 1);
  });

  test('a newer goal of one controller replaces its own, not the other', async () => {
    const turning = turn(0.6, 3);
    const first = grip(1.6, { velocity: 0.3 });
    await bridge.pass(0.5);
    const second = grip(0.2);
    expect((await bridge.until(first)).message).toMatch(/superseded/);
    expect(await bridge.until(second)).toMatchObject({ reached: true });
    expect(await bridge.until(turning)).toMatchObject({ end: 'done' });
  });

  test('a jog of the tool goes on while the gripper closes', async () => {
    await bridge.until(grip(1.5));
    const jogging = caller('jog');
    const jog = (z: number) => {
      const twist = Float64Array.of(0, 0, z, 0, 0, 0);
      const refused = bridge.bridge.jog.feed(arm, { kind: 'twist', twist, frame: 'base' }, jogging);
      expect(refused).toBeNull();
    };
    const before = arm.toolPose(arm.read().positions).position.z;
    jog(-0.05);
    const closing = grip(0.1);
    for (let i = 0; i < 30; i++) {
      await bridge.pass(0.05);
      jog(-0.05);
    }
    expect(await bridge.until(closing)).toMatchObject({ reached: true });
    expect(arm.ownerOf('arm')?.key).toBe('jog');
    expect(arm.toolPose(arm.read().positions).position.z).toBeLessThan(before - 0.04);
  });

  test('by two streams: the gripper of one, the other joints of another', async () => {
    for (let i = 0; i < 60; i++) {
      const joints = bridge.bridge.streams;
      expect(joints.command(arm, ['gripper'], Float64Array.of(0.8), stream('gripper_stream'))).toBeNull();
      expect(joints.command(arm, ['shoulder_pan'], Float64Array.of(0.4), stream('arm_stream'))).toBeNull();
      await bridge.pass(0.05);
    }
    expect(gripper()).toBeCloseTo(0.8, 1);
    expect(pan()).toBeCloseTo(0.4, 1);
  });

  test('a stream whose joint does not follow goes on, and the arm says why', async () => {
    await bridge.fault('arm', { servos: { 1: { ignoresGoals: true } } });
    const send = () => bridge.bridge.streams.command(arm, ['shoulder_pan'], Float64Array.of(0.6), stream('arm_stream'));
    for (let i = 0; i < 40; i++) {
      expect(send()).toBeNull();
      await bridge.pass(0.05);
    }
    expect(arm.reason).toMatch(/^shoulder_pan of arm does not move, and its servo does not push/);
    await bridge.fault('arm', { servos: { 1: { ignoresGoals: false } } });
    for (let i = 0; i < 20; i++) {
      expect(send()).toBeNull();
      await bridge.pass(0.05);
    }
    expect([arm.reason, Math.abs(pan() - 0.6) < 0.1]).toEqual(['', true]);
  });

  test('by HTTP: one request that names only the opening leaves a trajectory alone', async () => {
    const turning = turn(0.6, 2);
    await bridge.pass(0.3);
    expect((await bridge.post('/move/absolute', { open: 1, max_trials: 1 })).status).toBe(200);
    expect(await bridge.until(turning)).toMatchObject({ end: 'done' });
    expect(arm.gripperOpening(arm.read().positions)).toBeGreaterThan(0.95);
  });
});

describe('what belongs to both', () => {
  test('one stop ends both, and both rest', async () => {
    const turning = turn(1.2, 2);
    const gripping = grip(1.7);
    await bridge.pass(0.6);
    await bridge.until(arm.stopAtRest('test'));
    const at = [pan(), gripper()];
    expect(await bridge.until(turning)).toMatchObject({ end: 'ended', message: expect.stringMatching(/stopped/) });
    expect(await bridge.until(gripping)).toMatchObject({ reached: false, stalled: false });
    await bridge.pass(1);
    expect(Math.abs(pan() - at[0]!)).toBeLessThan(0.02);
    expect(Math.abs(gripper() - at[1]!)).toBeLessThan(0.02);
    await bridge.until(arm.reset());
    await bridge.pass(1);
    expect(Math.abs(pan() - at[0]!)).toBeLessThan(0.02);
    expect(arm.owner).toBeNull();
  });

  test('who drives all joints keeps both, and loses both when one is taken over', async () => {
    const all = caller('everything');
    const moving = bridge.bridge.motion.init(arm, all);
    await bridge.pass(0.05);
    await expect(bridge.until(grip(1))).rejects.toThrow(/driven by the controller everything/);
    expect((await bridge.until(moving)).ok).toBe(true);

    const turning = bridge.bridge.trajectories.follow(
      arm,
      {
        names: ['shoulder_pan', 'gripper'],
        times: Float64Array.of(2),
        positions: Float64Array.of(0.8, 1.5),
        velocities: null,
      },
      usualTolerances(arm),
      all,
    );
    await bridge.pass(0.5);
    const gripping = grip(0, {}, { ...GRIPPER, takeOver: true });
    expect(await bridge.until(turning)).toMatchObject({ message: expect.stringMatching(/taken over/) });
    await bridge.until(gripping);
    await bridge.pass(1);
    expect(pan()).toBeLessThan(0.7);
  });

  test('a stream that names the gripper too, later, takes it as well', async () => {
    const joints = bridge.bridge.streams;
    const send = (names: string[], values: number[]) =>
      joints.command(arm, names, Float64Array.from(values), stream('stream'));
    expect(send(['shoulder_pan'], [0.1])).toBeNull();
    expect(arm.ownerOf('gripper')).toBeNull();
    for (let i = 0; i < 30; i++) {
      await bridge.pass(0.05);
      expect(send(['shoulder_pan', 'gripper'], [0.2, 0.5])).toBeNull();
    }
    expect(arm.ownerOf('gripper')?.key).toMatch(/stream/);
    expect(gripper()).toBeCloseTo(0.5, 1);
  });
});

describe('what a gripper goal asks for holds', () => {
  test('its velocity', async () => {
    const began = bridge.host.time.now;
    const from = gripper();
    expect(await bridge.until(grip(from + 0.7, { velocity: 0.1 }))).toMatchObject({ reached: true });
    expect(bridge.host.time.now - began).toBeGreaterThan(6);
  });

  test('its effort: the servo keeps to it while it holds, and has its own again with the next goal', async () => {
    await bridge.until(grip(1.6));
    expect(register(TORQUE_LIMIT)).toBe(500);
    await bridge.until(bridge.host.arms!.hand('arm', { gripper: 1 }, 0.3));
    const outcome = await bridge.until(grip(0.1, { torque: 0.25 }));
    expect(outcome).toMatchObject({ reached: false, stalled: true });
    expect(register(TORQUE_LIMIT)).toBe(85);
    expect(Math.abs(arm.read().efforts[arm.model.gripper!.index]!)).toBeLessThan(0.27);
    // It is let go of by its bus for a moment, and squeezes no more when it is back.
    bridge.host.arms!.get('arm').unplug();
    await bridge.becomes(() => expect(arm.read().state).toBe('disconnected'));
    bridge.host.arms!.get('arm').plugIn();
    await bridge.becomes(() => expect(arm.read().state).toBe('ready'));
    await bridge.pass(1);
    expect(register(TORQUE_LIMIT)).toBe(85);
    bridge = await bridge.killAndStart();
    arm = bridge.arm();
    await bridge.becomes(() => expect(arm.read()).toMatchObject({ holding: true }));
    expect(register(TORQUE_LIMIT)).toBe(85);
    // The arm moves on with what it holds.
    await bridge.until(turn(0.4, 1.5));
    await bridge.until(bridge.bridge.motion.init(arm, caller('init')));
    expect(register(TORQUE_LIMIT)).toBe(500);
  });

  test('of a servo that limits its current', async () => {
    bridge = await VirtualBridge.start({ arms: [{ name: 'arm', bus: 'sim:koch', model: 'koch' }] });
    arm = bridge.arm();
    await bridge.until(bridge.bridge.motion.init(arm, caller('init')));
    await bridge.until(grip(-1.4));
    await bridge.until(bridge.host.arms!.hand('arm', { gripper: -0.8 }, 0.3));
    expect(await bridge.until(grip(0, { torque: 0.1 }))).toMatchObject({ stalled: true });
    expect(register(GOAL_CURRENT)).toBeLessThan(300);
    // A bridge that is killed meanwhile leaves it, and the next one has all of it for the next goal.
    const limited = register(GOAL_CURRENT);
    bridge = await bridge.killAndStart();
    arm = bridge.arm();
    await bridge.becomes(() => expect(arm.read()).toMatchObject({ holding: true }));
    expect(register(GOAL_CURRENT)).toBe(limited);
    await bridge.until(bridge.host.arms!.hand('arm', null, 0));
    expect(await bridge.until(grip(-1.2))).toMatchObject({ reached: true });
    expect(register(GOAL_CURRENT)).toBe(735);
  });

  test('of a servo without a current sensor, which limits its output', async () => {
    bridge = await VirtualBridge.start({ arms: [{ name: 'arm', bus: 'sim:wx250s', model: 'wx250s' }] });
    arm = bridge.arm();
    await bridge.until(bridge.bridge.motion.init(arm, caller('init')));
    await bridge.until(grip(1.2));
    // Half of the full output (885), as the arm's data say; 1.5 Nm belong to all of it.
    expect(register(GOAL_PWM)).toBe(442);
    await bridge.until(bridge.host.arms!.hand('arm', { gripper: 0.8 }, 0.3));
    const outcome = await bridge.until(grip(0, { torque: 0.2 }));
    expect(outcome).toEqual({ reached: false, stalled: true, message: '' });
    expect(register(GOAL_PWM)).toBe(118);
    expect(Math.abs(arm.read().efforts[arm.model.gripper!.index]!)).toBeLessThan(0.21);
    // It holds on while the arm turns, and has its own again with the next goal; of the others none has changed.
    expect(await bridge.until(turn(0.3, 1.5))).toMatchObject({ end: 'done' });
    expect(register(GOAL_PWM)).toBe(118);
    const { servos } = bridge.host.arms!.get('arm').sim;
    const others = servos.slice(0, -1).flat() as unknown as readonly { readonly memory: Uint8Array }[];
    for (const { memory } of others) expect(memory[GOAL_PWM]! + 256 * memory[GOAL_PWM + 1]!).toBe(885);
    expect(await bridge.until(grip(0))).toMatchObject({ stalled: true });
    expect(register(GOAL_PWM)).toBe(442);
  });
});
