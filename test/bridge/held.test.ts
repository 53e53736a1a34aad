import { expect, test } from 'vitest';
import { VirtualHost } from '../../explore/virtual-host.ts';
import type { Caller } from '../../src/arm/types.ts';
import { usualTolerances } from '../../src/ros/trajectory-message.ts';
import { STS3215 } from '../../src/servo/feetech/sts3215.ts';
import { encodeSign, storeRaw } from '../../src/servo/registers.ts';
import { DynamixelFirmware } from '../../src/sim/dynamixel-firmware.ts';
import type { Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

type Firmware = DynamixelFirmware | Sts3215Firmware;

const CURRENT_BASED = 5;
const TURN = 0.2;
const CALLER: Caller = { owner: { key: 'test', name: 'the test' }, takeOver: false };

const servosOf = (bridge: VirtualBridge): Firmware[] =>
  bridge.host.arms!.get('arm').sim.servos.flat() as unknown as Firmware[];

const contentOf = (servo: Firmware, register: string): number => servo.value(register as never);

/** Writes a register as another program would. */
function preset(servo: Firmware, register: string, value: number): void {
  const { registers } = servo instanceof DynamixelFirmware ? servo.model : STS3215;
  const { address, size, sign } = registers[register as never] as (typeof STS3215.registers)['goal_position'];
  const bytes = new Uint8Array(size);
  storeRaw(bytes, 0, size, encodeSign(sign, value));
  servo.write(address, bytes, 0, size);
  expect(contentOf(servo, register)).toBe(value);
}

/** The register by which a servo that holds is kept to a largest effort, in the makers' tables. */
function limitOf(servo: Firmware): string {
  if (!(servo instanceof DynamixelFirmware)) return 'torque_limit';
  return servo.value('operating_mode') === CURRENT_BASED ? 'goal_current' : 'goal_pwm';
}

const limits = (bridge: VirtualBridge): number[] => servosOf(bridge).map((servo) => contentOf(servo, limitOf(servo)));

test.each([
  { model: 'so101', speed: 'goal_speed', slow: 1000 },
  { model: 'koch', speed: 'profile_velocity', slow: 100 },
  { model: 'wx250s', speed: 'profile_velocity', slow: 100 },
])(
  'servos of a $model that hold when a bridge connects are given no more torque and no more speed, until their joint is asked to move, or torque goes on anew',
  async ({ model, speed, slow }) => {
    const arms = [{ name: 'arm', bus: `sim:${model}`, model }];
    const before = await VirtualBridge.start({ arms }, undefined, new VirtualHost(null));
    const toggle = (bridge: VirtualBridge, body: object) => bridge.post('/torque/toggle?robot_id=0', body);
    expect((await toggle(before, { torque_status: true })).body.status).toBe('ok');
    const own = limits(before);
    for (const servo of servosOf(before))
      preset(servo, limitOf(servo), Math.round(contentOf(servo, limitOf(servo)) / 2));
    const less = limits(before);
    const speeds = (): number[] => servosOf(before).map((servo) => contentOf(servo, speed));
    const bridge = await before.killAndStart(1, () => {
      for (const servo of servosOf(before)) preset(servo, speed, slow);
    });
    const arm = bridge.arm();
    await bridge.becomes(() => expect(arm.read()).toMatchObject({ holding: true }));
    await bridge.pass(1);
    expect(limits(bridge)).toEqual(less);
    expect(speeds()).toEqual(own.map(() => slow));
    expect(bridge.told(`${speed} is ${slow} instead of 0`)[0]).toMatch(
      /left so while it holds, and set when the limp arm next gets torque$/,
    );
    expect(bridge.told(`instead of ${own[0]}`)[0]).toMatch(/, and set when its joint is asked to move, or when/);

    const { joints, gripper } = arm.model;
    const [first] = joints;
    const turning = {
      names: [first!.name],
      times: Float64Array.of(2),
      positions: Float64Array.of(arm.read().positions[0]! + TURN),
      velocities: null,
    };
    const { trajectories } = bridge.bridge;
    await bridge.until(trajectories.follow(arm, turning, usualTolerances(arm), CALLER));
    // A joint may have several servos, which come one after the other; the gripper's are the last.
    const gripping = bridge.host.arms!.get('arm').sim.servos[gripper!.index]!.length;
    expect(limits(bridge)).toEqual([...own.slice(0, -gripping), ...less.slice(-gripping)]);
    const { lower, upper } = joints[gripper!.index]!;
    const half = { position: (lower + upper) / 2, velocity: null, torque: null };
    await bridge.until(trajectories.gripper(arm, half, 0.1, CALLER));
    expect(limits(bridge)).toEqual(own);

    expect(speeds()).toEqual(own.map(() => slow));
    expect((await toggle(bridge, { torque_status: false, force: true })).body.status).toBe('ok');
    expect(speeds()).toEqual(own.map(() => slow));
    expect((await toggle(bridge, { torque_status: true })).body.status).toBe('ok');
    expect(speeds()).toEqual(own.map(() => 0));
  },
);

test.each([0.01, 0.02, 0.05, 0.2])(
  'a move that is asked for %s s after torque goes on with that torque',
  async (later) => {
    const arm = await VirtualBridge.startLight({ arms: [{ name: 'arm', model: 'koch', bus: 'sim:koch' }] });
    const servos = servosOf(arm);
    let cut = 0;
    let before = 0;
    const watch = arm.host.clock.every(0.005, () => {
      const holding = servos.filter((servo) => contentOf(servo, 'torque_enable') === 1).length;
      if (holding < before) cut++;
      before = holding;
    });
    const torque = arm.post('/torque/toggle?robot_id=0', { torque_status: true });
    await arm.pass(later);
    expect((await arm.post('/move/init?robot_id=0')).body).toMatchObject({ status: 'ok' });
    await torque;
    watch.cancel();
    expect(cut).toBe(0);
    expect((await arm.status(0)).torque).toBe(true);
  },
);

test.each([
  { model: 'so101', speed: 'goal_speed', slow: 300, end: 'sleep' },
  { model: 'koch', speed: 'profile_velocity', slow: 20, end: 'sleep' },
  { model: 'so101', speed: 'goal_speed', slow: 300, end: 'exit' },
])(
  'a $model that another program has left holding with slow servos ($speed $slow) is lowered by $end, at their speed',
  async ({ model, speed, slow, end }) => {
    const before = await VirtualBridge.start(
      { arms: [{ name: 'arm', bus: `sim:${model}`, model }] },
      undefined,
      new VirtualHost(null),
    );
    expect((await before.post('/move/init?robot_id=0')).body).toMatchObject({ status: 'ok' });
    const bridge = await before.killAndStart(1, () => {
      for (const servo of servosOf(before)) preset(servo, speed, slow);
    });
    await bridge.becomes(() => expect(bridge.arm().read()).toMatchObject({ holding: true }));
    const servos = servosOf(bridge);
    if (end === 'sleep') expect((await bridge.post('/move/sleep?robot_id=0')).body).toMatchObject({ status: 'ok' });
    else await bridge.until(bridge.bridge.close(), 35);
    expect(servos.map((servo) => contentOf(servo, 'torque_enable'))).not.toContain(1);
  },
);
