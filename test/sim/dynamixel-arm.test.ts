import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MujocoPhysics } from '../../src/sim/mujoco-physics.ts';
import { type SimArmOptions, type SimServo, SimulatedArm } from '../../src/sim/simulated-arm.ts';
import { packet } from '../servo/wire.ts';
import { JOINTS, so101 } from './so101.ts';

/** What each joint is given: an XM430 has the torque for this arm, the others are on it as on a Koch or a WidowX. */
const MODELS = ['XM430-W350', 'XM430-W350', 'XM430-W350', 'XL430-W250', 'XL330-M288', 'XL330-M077'];
const STEPS_PER_RADIAN = 4096 / (2 * Math.PI);
/** Chosen stiff enough for a clear droop, and the same for one servo and for two. */
const STIFFNESS = 40;
const RETURN_DELAY = 9;
const DRIVE_MODE = 10;
const SECONDARY_ID = 12;
const TORQUE = 64;
const HARDWARE_ERROR = 70;
const GOAL = 116;
const PRESENT = 132;
const VOLTAGE = 144;
const BROADCAST = 254;

const u16 = (value: number): number[] => [value & 0xff, (value >> 8) & 0xff];
const u32 = (value: number): number[] => [...u16(value), ...u16(value >> 16)];

let mj: MainModule;
beforeAll(async () => {
  mj = await loadMujoco();
});

const benches: Bench[] = [];
afterEach(() => {
  for (const bench of benches.splice(0)) {
    bench.arm.dispose();
    expect(bench.failures).toEqual([]);
  }
});

/** An arm on a clock that only the test moves. */
class Bench {
  readonly arm: SimulatedArm;
  readonly failures: string[] = [];
  #steps = 0;
  #reply: number[] = [];

  constructor(
    servos: (joint: number) => readonly SimServo[] = (i) => [servo(i)],
    changes: Partial<SimArmOptions> = {},
  ) {
    const joints = JOINTS.map((name, i) => ({ name, servos: servos(i), ...(i === 1 ? { stiffness: STIFFNESS } : {}) }));
    const onReply = (bytes: Uint8Array): void => void this.#reply.push(...bytes);
    const options = so101('arm', { joints, ...changes });
    this.arm = new SimulatedArm(mj, options, 0, onReply, (text) => this.failures.push(text));
    benches.push(this);
  }

  run(seconds: number): void {
    for (let i = Math.round(seconds * 1000); i > 0; i--) this.arm.advance((++this.#steps + 0.5) / 1000);
  }

  send(...frame: number[]): number[] {
    this.#reply = [];
    this.arm.feed(Uint8Array.from(frame), (this.#steps + 0.5) / 1000);
    return this.#reply;
  }

  write(id: number, address: number, ...bytes: number[]): void {
    this.send(...packet(id, 3, ...u16(address), ...bytes));
  }

  /** Content of a register, unsigned. */
  read(id: number, address: number, size: number): number {
    const reply = this.send(...packet(id, 2, ...u16(address), ...u16(size)));
    return reply.slice(9, 9 + size).reduce((sum, byte, i) => sum + byte * 256 ** i, 0);
  }

  /** Goals of the servos with these ids, steps, in one sync write; then torque. */
  hold(goals: Readonly<Record<number, number>>): void {
    const ids = Object.keys(goals).map(Number);
    this.send(...packet(BROADCAST, 0x83, ...u16(GOAL), ...u16(4), ...ids.flatMap((id) => [id, ...u32(goals[id]!)])));
    this.send(...packet(BROADCAST, 0x83, ...u16(TORQUE), ...u16(1), ...ids.flatMap((id) => [id, 1])));
  }

  get positions(): number[] {
    return this.arm.truth(0).positions;
  }

  get torques(): number[] {
    return this.arm.truth(0).motorTorques;
  }
}

function servo(joint: number, changes: Partial<SimServo> = {}): SimServo {
  return { id: joint + 1, model: MODELS[joint]!, sign: 1, zero: 2048, ...changes };
}

const MIDDLE = Object.fromEntries(JOINTS.map((_, i) => [i + 1, 2048]));

describe('an arm with Dynamixel servos of several models', () => {
  it('is held against gravity where its goals are, each joint short of its goal by torque over stiffness', () => {
    const bench = new Bench();
    bench.hold({ ...MIDDLE, 1: 2048 + 300, 5: 2048 - 200 });
    bench.run(3);
    expect(bench.positions[0]).toBeCloseTo(300 / STEPS_PER_RADIAN, 2);
    expect(bench.positions[4]).toBeCloseTo(-200 / STEPS_PER_RADIAN, 1.5);
    // MuJoCo's own statics at that pose, with joints that nothing but gravity moves.
    const joints = JOINTS.map((name) => ({ name, damping: 0, frictionLoss: 0, armature: 0 }));
    const { name, urdf, toolLink } = so101('statics');
    const statics = new MujocoPhysics(mj, { name, urdf, toolLink, joints, initial: bench.positions });
    const needed = statics.holdingTorques()[1]!;
    statics.dispose();
    expect(Math.abs(needed)).toBeGreaterThan(0.3);
    const droop = -bench.positions[1]!;
    // Dry friction of the gear carries up to 2 % of the stall torque of it; a step is 0.0015 rad.
    expect(Math.abs(droop - needed / STIFFNESS)).toBeLessThan(0.082 / STIFFNESS + 0.002);
  });

  it('reports positions as its sign and zero say, also where drive mode reverses them', () => {
    const servos = (i: number): SimServo[] => [
      i === 0 ? servo(0, { zero: 1000 }) : i === 5 ? servo(5, { sign: -1, zero: 3000 }) : servo(i),
    ];
    const initial = [0.3, 0, 0, 0, 0, 0.4];
    for (const drive_mode of [0, 1]) {
      const bench = new Bench(servos, { initial, eeprom: { drive_mode } });
      expect(bench.read(1, PRESENT, 4)).toBe(1000 + Math.round(0.3 * STEPS_PER_RADIAN));
      expect(bench.read(6, PRESENT, 4)).toBe(3000 - Math.round(0.4 * STEPS_PER_RADIAN));
      bench.hold({ 1: 1400, 6: 2900 });
      bench.run(1.5);
      expect(bench.positions[0]).toBeCloseTo(400 / STEPS_PER_RADIAN, 1.5);
      expect(bench.positions[5]).toBeCloseTo(100 / STEPS_PER_RADIAN, 1.5);
    }
  });

  it('is limp without torque, and again after its supply has been away', () => {
    const bench = new Bench();
    bench.hold(MIDDLE);
    bench.run(1);
    const held = bench.positions[1]!;
    bench.arm.powerCycle();
    bench.run(0.5);
    expect(bench.torques.every((torque) => torque === 0)).toBe(true);
    expect(Math.abs(bench.positions[1]! - held)).toBeGreaterThan(0.1);
  });

  it('has the supply that its options say, at each servo its own nominal one otherwise', () => {
    const volts = (bench: Bench): number[] => JOINTS.map((_, i) => bench.read(i + 1, VOLTAGE, 2));
    expect(volts(new Bench())).toEqual([120, 120, 120, 120, 50, 50]);
    const wrong = new Bench(undefined, { supplyVoltage: 12 });
    wrong.run(0.1);
    expect(volts(wrong)).toEqual([120, 120, 120, 120, 120, 120]);
    expect(JOINTS.map((_, i) => wrong.read(i + 1, HARDWARE_ERROR, 1))).toEqual([0, 0, 0, 0, 1, 1]);
  });

  it('takes on each fault of the bus and of its servos', () => {
    const bench = new Bench(undefined, { eeprom: { return_delay: 20 } });
    expect(bench.read(4, RETURN_DELAY, 1)).toBe(20);
    bench.arm.raiseOverload(4);
    expect(bench.read(4, HARDWARE_ERROR, 1)).toBe(32);
    expect(() => bench.arm.raiseOverload(9)).toThrow(/"arm" has no servo 9; its ids are 1, 2, 3, 4, 5, 6/);
    bench.arm.bus.faults.dead.add(3);
    expect(bench.send(...packet(3, 1))).toEqual([]);
    bench.arm.bus.faults.loseRate = 1;
    expect(bench.send(...packet(1, 1))).toEqual([]);
    bench.arm.bus.faults.loseRate = 0;
    const good = bench.send(...packet(1, 1));
    bench.arm.bus.faults.corruptRate = 1;
    const bad = bench.send(...packet(1, 1));
    expect(bad).toHaveLength(good.length);
    expect(bad).not.toEqual(good);
  });

  it('is refused with servos that are not emulated, of two families, or with one id twice', () => {
    expect(() => new Bench((i) => [servo(i, i === 2 ? { model: 'AX-12A' } : {})])).toThrow(
      /"arm": servo 3 is a "AX-12A"; emulated are STS3215, XL330-M288/,
    );
    expect(() => new Bench((i) => [servo(i, i === 2 ? { model: 'STS3215' } : {})])).toThrow(/cannot share a bus/);
    expect(() => new Bench((i) => [servo(i, { id: 7 })])).toThrow(/two servos have id 7/);
  });
});

describe('a joint with a shadow servo', () => {
  /** As on a WidowX: mounted face to face, so that the shadow turns in reverse. */
  const paired = (i: number): SimServo[] =>
    i === 1 ? [servo(1), servo(1, { id: 12, sign: -1, shadow: true })] : [servo(i)];

  it('has both servos at work when the first one alone is written to', () => {
    const bench = new Bench(paired);
    expect([bench.read(12, SECONDARY_ID, 1), bench.read(12, DRIVE_MODE, 1)]).toEqual([2, 1]);
    bench.hold(MIDDLE);
    bench.run(3);
    expect(bench.read(12, TORQUE, 1)).toBe(1);
    expect(bench.read(12, PRESENT, 4)).toBe(bench.read(2, PRESENT, 4));
    // The joint is as stiff as with one servo of twice the stiffness, and both pull the same way.
    const alone = new Bench();
    alone.hold(MIDDLE);
    alone.run(3);
    expect(bench.positions[1]).toBeCloseTo(alone.positions[1]!, 2);
    expect(bench.torques[1]).toBeCloseTo(alone.torques[1]!, 1);
  });

  it('answers on its own id alone, and its silence leaves half the stiffness', () => {
    const bench = new Bench(paired);
    bench.hold(MIDDLE);
    bench.run(3);
    const both = bench.positions[1]!;
    bench.write(12, TORQUE, 0);
    bench.run(2);
    expect(bench.read(2, TORQUE, 1)).toBe(1);
    expect(bench.positions[1]! / both).toBeGreaterThan(1.6);
  });
});
