import { describe, expect, it } from 'vitest';
import { packet } from '../servo/wire.ts';
import { request } from './frames.ts';
import { STS, VirtualArm, X } from './virtual-arm.ts';

const STEPS = 4096;
const STEPS_PER_RADIAN = STEPS / (2 * Math.PI);

describe.each([
  { model: 'so101', table: STS, id: 1, moved: 300 },
  { model: 'koch', table: X, id: 5, moved: 300 },
])('a servo of $model', ({ model, table, id, moved }) => {
  /** An arm with torque where it stands, and that position. */
  async function holding(): Promise<{ arm: VirtualArm; at: number }> {
    const arm = await VirtualArm.start(model);
    const at = arm.read(id, table.position)!;
    arm.write(id, table.goal, at);
    arm.write(id, table.torque, 1);
    return { arm, at };
  }

  const joint = id - 1;

  it('that takes no goals acknowledges them, keeps the old one, and stays', async () => {
    const { arm, at } = await holding();
    arm.fault({ servos: { [id]: { ignoresGoals: true } } });
    expect(arm.write(id, table.goal, at + moved)).toBe(0);
    const before = arm.joint(joint);
    arm.run(1);
    expect(arm.read(id, table.goal)).toBe(at);
    expect(arm.joint(joint)).toBeCloseTo(before, 2);
    arm.fault({ servos: { [id]: { ignoresGoals: false } } });
    arm.write(id, table.goal, at + moved);
    arm.run(1);
    expect(Math.abs(arm.joint(joint) - before)).toBeGreaterThan(0.3);
  });

  it('tells one reading wrong and the next right, and a frozen one for as long as it is frozen', async () => {
    const arm = await VirtualArm.start(model);
    const at = arm.read(id, table.position)!;
    arm.fault({ servos: { [id]: { misreads: { position: { share: 1, by: 0.5, times: 1 } } } } });
    expect(arm.read(id, table.position)).toBe(at + Math.round(0.5 * STEPS_PER_RADIAN));
    expect(arm.read(id, table.position)).toBe(at);
    arm.fault({ servos: { [id]: { frozen: true } } });
    expect(arm.read(id, table.position)).toBe(at);
    const name = id === 1 ? 'shoulder_pan' : 'wrist_roll';
    arm.simulation.get('arm').sim.hand({ [name]: arm.joint(joint) + 0.3 }, 0.3);
    arm.run(1);
    expect(arm.read(id, table.position)).toBe(at);
    arm.fault({ servos: { [id]: { frozen: false } } });
    expect(Math.abs(arm.read(id, table.position)! - at)).toBeGreaterThan(100);
  });

  it('tells a temperature that it does not have', async () => {
    const arm = await VirtualArm.start(model);
    const true_ = arm.read(id, table.temperature)!;
    arm.fault({ servos: { [id]: { misreads: { temperature: { share: 1, by: 170 } } } } });
    expect(arm.read(id, table.temperature)).toBe(true_ + 170);
    arm.fault({ servos: { [id]: { misreads: { temperature: null } } } });
    expect(arm.read(id, table.temperature)).toBe(true_);
  });

  it('is silent and limp without supply, and has forgotten its torque when it has started again', async () => {
    const { arm } = await holding();
    arm.fault({ volts: 0 });
    expect(arm.read(id, table.position)).toBeNull();
    arm.run(0.2);
    arm.fault({ volts: null });
    expect(arm.read(id, table.position)).toBeNull();
    arm.run(0.1);
    expect(arm.read(id, table.torque)).toBe(0);
  });

  it('that hears nothing of a request for several servos leaves the others to obey it', async () => {
    const arm = await VirtualArm.start(model);
    arm.fault({ missRate: 0.5 });
    const heard = new Set<number>();
    for (let i = 0; i < 40; i++) if (arm.read(id, table.position) !== null) heard.add(i);
    expect(heard.size).toBeGreaterThan(8);
    expect(heard.size).toBeLessThan(32);
  });

  it('that has the id of another one collides with it: damage, one of the two, or both answers', async () => {
    const arm = await VirtualArm.start(model);
    arm.fault({ servos: { [id + 1]: { registers: { id } } } });
    const lengths = new Set<number>();
    const contents = new Set<string>();
    for (let i = 0; i < 40; i++) {
      const frame = arm.feetech ? request(id, 2, ...table.position) : packet(id, 2, table.position[0], 0, 4, 0);
      const reply = arm.ask(frame);
      lengths.add(reply.length);
      contents.add(reply.join());
    }
    expect(lengths.size).toBe(2);
    expect(contents.size).toBeGreaterThanOrEqual(3);
    expect(arm.read(id + 1, table.position)).toBeNull();
  });

  it('refuses a register that it does not have, by name', async () => {
    const arm = await VirtualArm.start(model);
    expect(() => arm.fault({ servos: { [id]: { registers: { goal_sped: 1 } } } })).toThrow(/"goal_sped"/);
    expect(() => arm.fault({ servos: { 99: {} } })).toThrow(/no servo 99/);
  });
});

/** Time until the joint of a servo has gone half of `steps`, s. */
async function timeToMove(registers: Record<string, number>, model: string, id: number, steps = 400): Promise<number> {
  const arm = await VirtualArm.start(model);
  const table = arm.feetech ? STS : X;
  arm.fault({ servos: { [id]: { registers } } });
  const at = arm.read(id, table.position)!;
  arm.write(id, table.goal, at);
  arm.write(id, table.torque, 1);
  const before = arm.joint(id - 1);
  arm.ask(
    arm.feetech
      ? request(id, 3, 42, (at + steps) & 255, (at + steps) >> 8)
      : packet(id, 3, 116, 0, (at + steps) & 255, (at + steps) >> 8, 0, 0),
    0,
  );
  const from = arm.time.now;
  while (Math.abs(arm.joint(id - 1) - before) < steps / 2 / STEPS_PER_RADIAN) {
    arm.run(0.005);
    if (arm.time.now - from > 10) return Number.POSITIVE_INFINITY;
  }
  return arm.time.now - from;
}

describe('registers that another program has left', () => {
  it.each([
    [{ goal_speed: 100 }, 1.5, 3],
    [{ acceleration: 2 }, 0.8, 2.5],
    [{ goal_time: 2000 }, 0.8, 2],
    [{ torque_limit: 30 }, 0.5, 10],
    [{ max_torque: 30, torque_limit: 30 }, 0.5, 10],
    [{ d_coefficient: 254 }, 0.125, 0.3],
  ])('%o slow an STS3215 down', async (registers, least, most) => {
    const usual = await timeToMove({}, 'so101', 1);
    expect(usual).toBeLessThan(0.12);
    const slow = await timeToMove(registers, 'so101', 1);
    expect(slow).toBeGreaterThan(least);
    expect(slow).toBeLessThan(most);
  });

  it.each([
    [{ profile_velocity: 4 }, 1],
    [{ profile_velocity: 300, profile_acceleration: 1 }, 0.5],
    // Bit 2 makes times of both.
    [{ drive_mode: 4, profile_velocity: 2000, profile_acceleration: 500 }, 0.9],
    [{ goal_pwm: 30 }, 0.5],
  ])('%o slow a Dynamixel down', async (registers, least) => {
    expect(await timeToMove({}, 'koch', 5)).toBeLessThan(0.4);
    expect(await timeToMove(registers, 'koch', 5)).toBeGreaterThan(least);
  });

  it('an STS3215 clamps a goal beyond its own limits, and shows that in its echo', async () => {
    const arm = await VirtualArm.start();
    const at = arm.read(1, STS.position)!;
    arm.fault({ servos: { 1: { registers: { max_position: at + 100 } } } });
    arm.write(1, STS.goal, at);
    arm.write(1, STS.torque, 1);
    expect(arm.write(1, STS.goal, at + 400)).toBe(0);
    arm.run(1);
    expect(arm.read(1, [71, 2])).toBe(at + 100);
    expect(arm.read(1, STS.position)).toBeLessThan(at + 110);
  });

  it('a Dynamixel refuses a goal beyond its own limits and keeps the old one', async () => {
    const arm = await VirtualArm.start('koch');
    const at = arm.read(3, X.position)!;
    arm.fault({ servos: { 3: { registers: { operating_mode: 3, max_position: at + 100 } } } });
    arm.write(3, X.goal, at);
    arm.write(3, X.torque, 1);
    expect(arm.write(3, X.goal, at + 400)).toBe(6);
    expect(arm.read(3, X.goal)).toBe(at);
  });

  it('an STS3215 in multi-turn units tells positions beyond a turn, and below 0, until it starts again', async () => {
    const arm = await VirtualArm.start('so101', { initial: [0, -1.73, 1.6, 1.02, -0.5, 0] });
    // The seam of the encoder comes close to where the wrist stands.
    const at = arm.read(5, STS.position)!;
    arm.fault({ servos: { 5: { registers: { phase: 12 + 16, homing_offset: at - 5 }, restart: true } } });
    expect(arm.read(5, STS.position)).toBe(5);
    arm.simulation.get('arm').sim.hand({ wrist_roll: arm.joint(4) - 0.5 }, 0.5);
    arm.run(1);
    const raw = arm.read(5, STS.position)!;
    expect(raw & 0x8000).toBe(0x8000);
    expect(-(raw & 0x7fff)).toBeLessThan(-200);
    arm.fault({ powerCycle: true });
    expect(arm.read(5, STS.position)).toBe(STEPS - (raw & 0x7fff));
  });

  it('a coarser resolution makes counts of several steps', async () => {
    const arm = await VirtualArm.start();
    const at = arm.read(1, STS.position)!;
    arm.fault({ servos: { 1: { registers: { angular_resolution: 2 } } } });
    expect(arm.read(1, STS.position)).toBe(Math.trunc(at / 2));
  });

  it('a Dynamixel that has turned out of its first turn tells another one after a brown-out', async () => {
    const arm = await VirtualArm.start('koch');
    arm.fault({ servos: { 3: { registers: { operating_mode: 4 } } } });
    arm.fault({ servos: { 3: { turns: 1 } } });
    const before = arm.read(3, X.position)!;
    expect(before).toBeGreaterThan(STEPS);
    arm.fault({ servos: { 3: { volts: 0 } } });
    arm.run(0.12);
    arm.fault({ servos: { 3: { volts: null } } });
    arm.run(0.15);
    expect(arm.read(3, X.position)).toBe(before - STEPS);
  });

  it('a Dynamixel that is to start with torque has it after a brown-out, and holds', async () => {
    const arm = await VirtualArm.start('koch');
    arm.fault({ servos: { 5: { registers: { startup_configuration: 1 }, restart: true } } });
    expect(arm.read(5, X.torque)).toBe(1);
    const before = arm.joint(4);
    arm.run(1);
    expect(arm.joint(4)).toBeCloseTo(before, 2);
  });
});
