import { describe, expect, test } from 'vitest';
import type { ServoCalibration } from '../../src/servo/calibration.ts';
import { stepsToRadians } from '../../src/servo/calibration.ts';
import { inTurn, shifted, turnsShifted } from '../../src/servo/homing.ts';
import { recover } from '../../src/servo/recover.ts';
import { loadRaw, storeRaw } from '../../src/servo/registers.ts';
import { type StartUp, startUp } from '../../src/servo/start-up.ts';
import { EmulatedDynamixelBus } from '../../src/sim/emulated-dynamixel-bus.ts';
import { EmulatedFeetechBus } from '../../src/sim/emulated-feetech-bus.ts';
import { Bench, type Watched } from './bench.ts';

const TRADES = ['STS3215', 'XL330-M288'] as const;
const ARM = { return_delay: 0 };

function connect(rig: Bench): Promise<StartUp> {
  rig.client.attach();
  return rig.run(startUp(rig.client, rig.expected));
}

/** Lets servo 2 read its position otherwise: given the true one and how often it has been read. */
function misread(rig: Bench, change: (steps: number, reading: number) => number): void {
  const servo = rig.servos[1]!;
  const { address, size } = rig.model.common.presentPosition;
  const read = servo.read.bind(servo) as (at: number, length: number, out: Uint8Array, offset: number) => number;
  let readings = 0;
  servo.read = ((at: number, length: number, out: Uint8Array, offset: number): number => {
    const result = read(at, length, out, offset);
    if (at <= address && at + length >= address + size) {
      const place = offset + address - at;
      const steps = change(loadRaw(out, place, size), readings++);
      const magnitude = rig.model.family.name === 'feetech' && steps < 0 ? 0x8000 - steps : steps;
      storeRaw(out, place, size, magnitude);
    }
    return result;
  }) as never;
}

describe.each(TRADES)('connecting to %s servos', (trade) => {
  const bench = (): Bench => new Bench(trade, () => ({ eeprom: ARM }));

  test('reads each position three times, and gives the newest', async () => {
    const { servos, warnings } = await connect(bench());
    for (const { readings, presentPosition } of servos) expect(readings).toEqual(Array(3).fill(presentPosition));
    expect(warnings).toEqual([]);
  });

  test.each([0, 1, 2])('throws a stray reading away, be it number %i, and tells', async (stray) => {
    const rig = bench();
    const truth = rig.values('present_position')[1]!;
    misread(rig, (steps, reading) => (reading === stray ? steps + 1200 : steps));
    const { servos, warnings } = await connect(rig);
    expect(servos[1]!.presentPosition).toBe(truth);
    expect(servos[1]!.readings).toContain(truth + 1200);
    expect(warnings).toEqual([
      expect.stringMatching(/^servo 2 \(shoulder_lift\) read its position as .*the stray ones are left out$/),
    ]);
  });

  test('believes no position that jumps between two values, as of two servos with one id', async () => {
    const rig = bench();
    misread(rig, (steps, reading) => (reading % 2 === 0 ? steps : steps + 700));
    await expect(connect(rig)).rejects.toThrow(
      /servo 2 \(shoulder_lift\) reads its position as .*, which do not agree: .*no second servo has its id/,
    );
  });

  test('believes a temperature and a voltage beyond their limits once readings agree', async () => {
    const truth = (await connect(bench())).servos[1]!;
    const rig = bench();
    const once = (by: number) => ({ share: 1, by, times: 1 });
    rig.servos[1]!.fault({ misreads: { temperature: once(120), voltage: once(8) } });
    const found = (await connect(rig)).servos[1]!;
    expect([found.temperature, found.voltage]).toEqual([truth.temperature, truth.voltage]);
    rig.servos[1]!.fault({ misreads: { temperature: { share: 1, by: 120 } } });
    expect((await connect(rig)).servos[1]!.temperature).toBe(truth.temperature + 120);
  });

  test('believes a limp joint that a hand leads', async () => {
    const rig = bench();
    // 8 rad/s at three readings a millisecond.
    misread(rig, (steps, reading) => steps + 3 * reading);
    expect((await connect(rig)).warnings).toEqual([]);
  });

  test('notices two servos with one id whose answers both come', async () => {
    const rig = bench();
    const twin = new Bench(trade, () => ({ eeprom: ARM })).servos[1] as Watched;
    const servos = [...rig.servos, twin] as never[];
    const bus =
      trade === 'STS3215'
        ? new EmulatedFeetechBus({ servos, onReply: () => {} })
        : new EmulatedDynamixelBus({ servos, onReply: () => {} });
    rig.line.connect(bus);
    // The emulated Dynamixel bus finds the first servo of an id: its twin answers behind it.
    if (trade !== 'STS3215') doubled(rig);
    await expect(connect(rig)).rejects.toThrow('more than one servo answers as servo 2 (shoulder_lift)');
  });

  test('notices two servos with one id whose answers damage each other', async () => {
    const rig = bench();
    rig.line.tamper = (bytes) => (idOf(rig, bytes) === 2 && bytes.length > 7 ? collided(bytes) : bytes);
    await expect(connect(rig)).rejects.toThrow('more than one servo answers as servo 2 (shoulder_lift)');
  });

  test('takes no disturbed line for two servos: one answer in ten is damaged, one in twenty lost', async () => {
    const rig = bench();
    let seed = 7;
    const random = (): number => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed / 0x7fffffff;
    };
    rig.line.tamper = (bytes) => (random() < 0.05 ? null : random() < 0.1 ? collided(bytes) : bytes);
    let connected = 0;
    for (let attempt = 0; attempt < 20; attempt++) {
      try {
        await connect(rig);
        connected++;
      } catch (error) {
        expect((error as Error).message).not.toContain('more than one servo');
      }
    }
    expect(connected).toBeGreaterThan(10);
  });

  test('asks little: seven requests a servo, 15 ms on a line of 1 Mbaud', async () => {
    const rig = bench();
    await connect(rig);
    const began = rig.time.now;
    rig.line.requests = 0;
    await connect(rig);
    expect(1000 * (rig.time.now - began)).toBeLessThan(15);
    expect(rig.line.requests).toBeLessThanOrEqual(7 * rig.servos.length);
  });
});

/** Each answer of servo 2 comes twice, the second time with another position. */
function doubled(rig: Bench): void {
  const tamper = rig.line.tamper;
  rig.line.tamper = (bytes) => {
    if (idOf(rig, bytes) === 2) rig.time.lane('twin').after(bytes.length * 2e-5, () => rig.line.onBytes(bytes.slice()));
    return tamper(bytes);
  };
}

function idOf(rig: Bench, bytes: Uint8Array): number {
  return bytes[rig.model.family.name === 'feetech' ? 2 : 4]!;
}

/** As where two servos pull the line low. */
function collided(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, i) => (i < 5 ? byte : byte & 0x55));
}

describe('a servo that counts turns', () => {
  const mount: ServoCalibration = { sign: 1, zero: 2048, stepsPerTurn: 4096 };

  test('an STS3215 with multi-turn units is read beyond its first turn, and placed where its joint can be', async () => {
    for (const turns of [-2, -1, 1, 3]) {
      const rig = new Bench('STS3215', (id) => (id === 2 ? { eeprom: { ...ARM, phase: 28 } } : { eeprom: ARM }));
      const truth = rig.values('present_position')[1]!;
      misread(rig, (steps) => steps + 4096 * turns);
      const { servos } = await connect(rig);
      expect(servos.map(({ countsTurns }) => countsTurns)).toEqual([false, true, false]);
      expect(servos[1]!.presentPosition).toBe(truth + 4096 * turns);
      const placed = inTurn(mount, 0, servos[1]!.presentPosition);
      expect(stepsToRadians(placed, servos[1]!.presentPosition)).toBeCloseTo(stepsToRadians(mount, truth), 9);
    }
  });

  test.each([
    [1898, 5994, 1],
    [5994, 1898, -1],
    [-200, 3896, 1],
    [1000, 1000 + 2 * 4096 + 90, 2],
    [1000, 1800, 0],
    [1000, 3000, 0],
  ])('that read %i and then %i has counted %i turns anew', (before, present, turns) => {
    expect(turnsShifted(before, present, 4096)).toBe(turns);
    const after = shifted(mount, turns);
    expect(stepsToRadians(after, present)).toBeCloseTo(stepsToRadians(mount, present - turns * 4096), 9);
  });
});

describe.each(TRADES)('bringing a %s back after an overload', (trade) => {
  function overloaded(): Bench {
    const rig = new Bench(trade, () => ({ eeprom: ARM, ram: { torque_enable: 1 } }));
    rig.servos[1]!.raiseOverload();
    rig.client.attach();
    return rig;
  }

  test('it holds where it is again, its goal read back before the torque, and its registers set anew', async () => {
    const rig = overloaded();
    rig.servos[1]!.writes.length = 0;
    await rig.run(recover(rig.client, { ...rig.expected[1]!, settings: {} }, true, () => true));
    const { goalPosition, torqueEnable } = rig.model.common;
    const writes = rig.servos[1]!.writes.map(({ address }) => address);
    expect(writes.lastIndexOf(goalPosition.address)).toBeLessThan(writes.lastIndexOf(torqueEnable.address));
    expect(rig.values('goal_position')[1]).toBe(rig.values('present_position')[1]);
    expect(rig.servos[1]!.torqueOn).toBe(true);
    expect(rig.lasting).toEqual([]);
  });

  test('one that holds is let go of for some milliseconds, and only where its line answers', async () => {
    const rig = overloaded();
    const servo = rig.servos[1]!;
    if (rig.model.family.alarms.endedBy === 'restart') return;
    rig.bus.faults.corruptRate = 1;
    await expect(rig.run(recover(rig.client, rig.expected[1]!, true, () => true))).rejects.toThrow(/came damaged/);
    expect(servo.torqueOn).toBe(true);
    rig.bus.faults.corruptRate = 0;
    rig.client.attach();
    const { torqueEnable, goalPosition } = rig.model.common;
    storeRaw(servo.memory, goalPosition.address, goalPosition.size, rig.values('present_position')[1]! + 100);
    const goals: number[] = [];
    let cut = Number.NaN;
    let limp = 0;
    const write = servo.write.bind(servo) as (at: number, data: Uint8Array, from: number, length: number) => number;
    servo.write = ((at: number, data: Uint8Array, from: number, length: number) => {
      const done = write(at, data, from, length);
      if (at === goalPosition.address) goals.push(data[from]! + 256 * data[from + 1]!);
      if (at === torqueEnable.address && data[from] === 0 && Number.isNaN(cut)) cut = rig.time.now;
      if (at === torqueEnable.address && data[from] === 1 && limp === 0) limp = rig.time.now - cut;
      return done;
    }) as never;
    await rig.run(recover(rig.client, rig.expected[1]!, true, () => true));
    expect(limp).toBeGreaterThan(0);
    expect(limp).toBeLessThan(0.01);
    expect(goals.length).toBeGreaterThan(4);
    for (const [i, goal] of goals.entries()) if (i > 0) expect(Math.abs(goal - goals[i - 1]!)).toBeLessThanOrEqual(20);
    expect(servo.torqueOn).toBe(true);
  });

  test('one whose joint comes towards its goal meanwhile is met there, and not driven back', async () => {
    const rig = overloaded();
    const servo = rig.servos[1]!;
    if (rig.model.family.alarms.endedBy === 'restart') return;
    const { goalPosition } = rig.model.common;
    const began = rig.values('present_position')[1]!;
    storeRaw(servo.memory, goalPosition.address, goalPosition.size, began - 600);
    // It falls by 400 steps, a little at each look.
    let present = began;
    misread(rig, (steps, reading) => {
      present = steps - Math.min(400, 15 * Math.max(0, reading - 6));
      return present;
    });
    let last = began - 600;
    let driven = 0;
    const write = servo.write.bind(servo) as (at: number, data: Uint8Array, from: number, length: number) => number;
    servo.write = ((at: number, data: Uint8Array, from: number, length: number) => {
      const goal = data[from]! + 256 * data[from + 1]!;
      if (at === goalPosition.address) {
        if (goal > last) driven = Math.max(driven, goal - present);
        last = goal;
      }
      return write(at, data, from, length);
    }) as never;
    await rig.run(recover(rig.client, rig.expected[1]!, true, () => true));
    expect(driven).toBe(0);
    expect(Math.abs(rig.values('goal_position')[1]! - (began - 400))).toBeLessThan(40);
    expect(servo.torqueOn).toBe(true);
  });

  test('it gets no torque where its arm is stopped before, and is not let go of', async () => {
    const rig = overloaded();
    const servo = rig.servos[1]!;
    servo.writes.length = 0;
    const { torqueOn } = servo;
    let asked = 0;
    await rig.run(recover(rig.client, { ...rig.expected[1]!, settings: {} }, true, () => asked++ > 0));
    const { torqueEnable } = rig.model.common;
    expect(servo.writes.filter(({ address }) => address === torqueEnable.address)).toEqual([]);
    expect([asked, servo.torqueOn]).toEqual([1, torqueOn && rig.model.family.alarms.endedBy !== 'restart']);
  });

  test('one that has lost its supply meanwhile gets no goal and no torque', async () => {
    const rig = overloaded();
    if (rig.model.family.alarms.endedBy === 'restart') return;
    const servo = rig.servos[1]!;
    servo.powerCycle();
    const { goalPosition } = rig.model.common;
    servo.writes.length = 0;
    await expect(rig.run(recover(rig.client, rig.expected[1]!, true, () => true))).rejects.toThrow(
      /servo 2 \(shoulder_lift\) gave way or restarted while it was brought back, so it stays limp: lower the arm/,
    );
    expect(servo.writes.map(({ address }) => address)).not.toContain(goalPosition.address);
    expect(servo.torqueOn).toBe(false);
  });

  test('one whose torque does not come back where it has given way stays limp', async () => {
    const rig = overloaded();
    if (rig.model.family.alarms.endedBy === 'restart') return;
    const servo = rig.servos[1]!;
    const { torqueEnable, goalPosition } = rig.model.common;
    const write = servo.write.bind(servo) as (at: number, data: Uint8Array, from: number, length: number) => number;
    servo.write = ((at: number, data: Uint8Array, from: number, length: number) => {
      // It restarts as soon as it has let go, and its goal is that of a servo that has just got its supply.
      if (at === torqueEnable.address && data[from] === 1) return 0;
      const done = write(at, data, from, length);
      if (at === torqueEnable.address) storeRaw(servo.memory, goalPosition.address, goalPosition.size, 0);
      return done;
    }) as never;
    await expect(rig.run(recover(rig.client, rig.expected[1]!, true, () => true))).rejects.toThrow(
      /stays limp: lower the arm/,
    );
    expect(servo.torqueOn).toBe(false);
  });

  test('one that does not take the goal gets no torque that it does not have, and is named', async () => {
    const rig = overloaded();
    const servo = rig.servos[1]!;
    const write = servo.write.bind(servo) as (at: number, ...rest: unknown[]) => number;
    servo.write = ((at: number, ...rest: unknown[]) =>
      at === rig.model.common.goalPosition.address ? 0 : write(at, ...rest)) as never;
    const restarts = rig.model.family.alarms.endedBy === 'restart';
    if (restarts) rig.preset(servo, 'torque_enable', 0);
    const { goalPosition } = rig.model.common;
    storeRaw(servo.memory, goalPosition.address, goalPosition.size, 100);
    if ('reboot' in servo) servo.reboot = () => {};
    await expect(rig.run(recover(rig.client, rig.expected[1]!, true, () => true))).rejects.toThrow(
      /servo 2 \(shoulder_lift\) does not take a goal at its position, \d+ steps, so (it stays limp|its torque is left as it is)/,
    );
    expect(servo.torqueOn).toBe(!restarts);
  });

  test('one whose position cannot be believed gets no torque that it does not have', async () => {
    const rig = overloaded();
    misread(rig, (steps, reading) => (reading % 2 === 0 ? steps : steps + 900));
    const restarts = rig.model.family.alarms.endedBy === 'restart';
    await expect(rig.run(recover(rig.client, rig.expected[1]!, true, () => true))).rejects.toThrow(
      restarts ? /do not agree, so it stays limp/ : /do not agree, so its torque is left as it is/,
    );
    expect(rig.servos[1]!.torqueOn).toBe(!restarts);
  });

  test('one that stands beyond its own position limits is left as it is: it would go to them', async () => {
    const { model, servos } = overloaded();
    if (model.family.alarms.endedBy === 'restart') return;
    const present = servos[1]!.value('present_position' as never);
    const narrow = { ...ARM, min_position: present + 200, max_position: present + 1000 };
    const rig = new Bench(trade, (id) => ({ eeprom: id === 2 ? narrow : ARM, ram: { torque_enable: 1 } }));
    rig.servos[1]!.raiseOverload();
    rig.client.attach();
    rig.servos[1]!.writes.length = 0;
    await expect(rig.run(recover(rig.client, rig.expected[1]!, true, () => true))).rejects.toThrow(
      /servo 2 \(shoulder_lift\) stands at \d+, beyond its own position limits \d+ to \d+, so its torque is left as it is/,
    );
    expect(rig.servos[1]!.writes).toEqual([]);
    expect(rig.servos[1]!.torqueOn).toBe(true);
  });

  test('one that was limp stays so', async () => {
    const rig = overloaded();
    await rig.run(recover(rig.client, rig.expected[1]!, false, () => true));
    expect(rig.servos[1]!.torqueOn).toBe(false);
  });
});
