import { describe, expect, it } from 'vitest';
import {
  type DynamixelModel,
  XL330_M077,
  XL330_M288,
  XL430_W250,
  XM430_W350,
} from '../../src/servo/dynamixel/x-series.ts';
import { DynamixelFirmware, type DynamixelFirmwareOptions } from '../../src/sim/dynamixel-firmware.ts';
import { DYNAMIXEL_MOTORS } from '../../src/sim/dynamixel-motor.ts';
import { EmulatedDynamixelBus } from '../../src/sim/emulated-dynamixel-bus.ts';
import { EmulatedFeetechBus } from '../../src/sim/emulated-feetech-bus.ts';
import type { EmulatedServo, EmulatedServoBus } from '../../src/sim/emulated-servo.ts';
import { Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';
import { fastStatus, hex, packet, dynamixelStatus as status } from '../servo/wire.ts';

const RADIANS_PER_STEP = (2 * Math.PI) / 4096;
const MODELS = [XL330_M288, XL330_M077, XL430_W250, XM430_W350].map((model) => [model.model, model] as const);

/** Little-endian bytes. */
const u16 = (value: number): number[] => [value & 0xff, (value >> 8) & 0xff];
const u32 = (value: number): number[] => [...u16(value), ...u16(value >> 16)];

class Bench {
  readonly servos: DynamixelFirmware[];
  readonly bus: EmulatedDynamixelBus;
  #replies: number[] = [];
  #now = 0;

  constructor(ids: readonly number[], options: Partial<DynamixelFirmwareOptions> = {}) {
    this.servos = ids.map((id) => new DynamixelFirmware({ model: XL330_M288, ...options, id }));
    this.bus = new EmulatedDynamixelBus({
      servos: this.servos,
      onReply: (bytes) => this.#replies.push(...bytes),
      seed: 7,
    });
    for (const servo of this.servos) servo.step(0, 2048 * RADIANS_PER_STEP, 0);
  }

  ask(bytes: readonly number[], later = 1): number[] {
    this.#now += later;
    this.#replies = [];
    this.bus.feed(Uint8Array.from(bytes), this.#now);
    return this.#replies;
  }

  read(id: number, address: number, size: number): number[] {
    return this.ask(packet(id, 2, ...u16(address), ...u16(size)));
  }

  /** Writes and returns the error number and alert bit of the answer. */
  write(id: number, address: number, ...data: number[]): number {
    return this.ask(packet(id, 3, ...u16(address), ...data))[8] ?? -1;
  }

  get first(): DynamixelFirmware {
    return this.servos[0]!;
  }

  /** Lets the first servo work with its shaft held at a step; the last torque, Nm. */
  hold(step: number, seconds = 0.001, velocity = 0): number {
    let torque = 0;
    for (let t = 0; t < seconds - 1e-9; t += 0.001) torque = this.first.step(0.001, step * RADIANS_PER_STEP, velocity);
    return torque;
  }
}

describe('frames', () => {
  it('answers the examples of the protocol manual byte for byte', () => {
    const bench = new Bench([1, 2], { model: XM430_W350, firmwareVersion: 38 });
    // The manual's servo is an XM430-W210; the model number is the only difference.
    expect(bench.ask(hex('FF FF FD 00 01 03 00 01 19 4E'))).toEqual(status(1, 0, 0xfc, 3, 38));
    for (const [i, step] of [166, 2079].entries()) bench.servos[i]!.step(0, step * RADIANS_PER_STEP, 0);
    expect(bench.ask(hex('FF FF FD 00 01 07 00 02 84 00 04 00 1D 15'))).toEqual(
      hex('FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0'),
    );
    expect(bench.ask(hex('FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA'))).toEqual(
      hex('FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0 FF FF FD 00 02 08 00 55 00 1F 08 00 00 BA BE'),
    );
    expect(bench.ask(hex('FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89'))).toEqual(
      hex('FF FF FD 00 01 04 00 55 00 A1 0C'),
    );
    expect(bench.first.value('goal_position')).toBe(512);
  });

  it('lets every servo answer a broadcast ping, in the order of the ids', () => {
    const bench = new Bench([7, 2]);
    expect(bench.ask(hex('FF FF FD 00 FE 03 00 01 31 42'))).toEqual([
      ...status(2, 0, ...u16(1200), 46),
      ...status(7, 0, ...u16(1200), 46),
    ]);
  });

  it('finds requests in any chunking and behind any noise', () => {
    const frames = [...packet(1, 1), 0xff, 0xff, 0xfd, ...packet(2, 2, 132, 0, 4, 0), 7, ...packet(1, 3, 65, 0, 1)];
    const whole = new Bench([1, 2]).ask(frames);
    expect(whole).toEqual([...status(1, 0, ...u16(1200), 46), ...status(2, 0, 0, 8, 0, 0), ...status(1, 0)]);
    for (let size = 1; size < frames.length; size++) {
      const bench = new Bench([1, 2]);
      const parts: number[] = [];
      for (let at = 0; at < frames.length; at += size) parts.push(...bench.ask(frames.slice(at, at + size)));
      expect(parts).toEqual(whole);
    }
  });

  it('drops the beginning of a frame of which nothing more comes', () => {
    const bench = new Bench([1]);
    expect(bench.ask(packet(1, 1).slice(0, 8))).toEqual([]);
    expect(bench.ask(packet(1, 1), 50)).toHaveLength(14);
  });

  it('names a wrong CRC, and finds the frame behind it', () => {
    const bench = new Bench([1]);
    const bad = packet(1, 1);
    bad[8] = bad[8]! ^ 1;
    expect(bench.ask([...bad, ...packet(1, 1)])).toEqual([...status(1, 3), ...status(1, 0, ...u16(1200), 46)]);
  });

  it('stuffs what looks like a header within the data', () => {
    const bench = new Bench([1], { eeprom: { operating_mode: 4 } });
    // Bytes of the register: FF FF FD FF.
    expect(bench.write(1, 116, ...u32(-131_073))).toBe(0);
    const reply = bench.read(1, 116, 4);
    expect(reply).toEqual(status(1, 0, 0xff, 0xff, 0xfd, 0xff));
    expect(reply).toHaveLength(16);
  });

  it('is silent to ids that no servo has, and when dead', () => {
    const bench = new Bench([1, 2]);
    expect(bench.ask(packet(9, 1))).toEqual([]);
    bench.bus.faults.dead.add(1);
    expect(bench.ask(packet(1, 1))).toEqual([]);
    expect(bench.ask(packet(0xfe, 0x82, 132, 0, 4, 0, 1, 2))).toEqual(status(2, 0, 0, 8, 0, 0));
  });

  it('loses and damages answers at the rates that are set', () => {
    const bench = new Bench([1]);
    bench.bus.faults.loseRate = 1;
    expect(bench.ask(packet(1, 1))).toEqual([]);
    bench.bus.faults.loseRate = 0;
    bench.bus.faults.corruptRate = 1;
    expect(bench.ask(packet(1, 1))).not.toEqual(status(1, 0, ...u16(1200), 46));
  });

  it('hands each status packet out with the return delay of its servo', () => {
    const bench = new Bench([1, 2]);
    expect(bench.write(2, 9, 0)).toBe(0);
    const seen: [number, number][] = [];
    bench.bus.onStatus = (bytes, delay) => seen.push([bytes.length, delay]);
    bench.ask(packet(0xfe, 0x82, 132, 0, 4, 0, 1, 2));
    expect(seen).toEqual([
      [15, 500e-6],
      [15, 0],
    ]);
  });
});

describe('reading and writing many servos', () => {
  const at = (id: number): { id: number; error: number; data: number[] } => ({ id, error: 0, data: [0, 8, 0, 0] });

  it('answers a fast sync read with one frame', () => {
    expect(new Bench([1, 2]).ask(packet(0xfe, 0x8a, 132, 0, 4, 0, 2, 1))).toEqual(fastStatus([at(2), at(1)]));
  });

  it('ends the frame of a fast sync read at the first servo that is silent', () => {
    const bench = new Bench([1, 2, 3]);
    bench.bus.faults.dead.add(2);
    const whole = fastStatus([at(1), at(2), at(3)]);
    expect(bench.ask(packet(0xfe, 0x8a, 132, 0, 4, 0, 1, 2, 3))).toEqual(whole.slice(0, 8 + 8));
    const old = new Bench([1], { fastSyncRead: false });
    expect(old.ask(packet(0xfe, 0x8a, 132, 0, 4, 0, 1))).toEqual([]);
  });

  it('writes the same registers of several servos without an answer', () => {
    const bench = new Bench([1, 2]);
    const data = [116, 0, 4, 0, 1, ...u32(1500), 2, ...u32(1600)];
    expect(bench.ask(packet(0xfe, 0x83, ...data))).toEqual([]);
    expect(bench.servos.map((servo) => servo.value('goal_position'))).toEqual([1500, 1600]);
  });

  it('reads and writes different registers of several servos', () => {
    const bench = new Bench([1, 2]);
    expect(bench.ask(packet(0xfe, 0x93, 1, 116, 0, 4, 0, ...u32(1500), 2, 65, 0, 1, 0, 1))).toEqual([]);
    expect(bench.ask(packet(0xfe, 0x92, 1, 116, 0, 4, 0, 2, 65, 0, 1, 0))).toEqual([
      ...status(1, 0, ...u32(1500)),
      ...status(2, 0, 1),
    ]);
  });

  it('lets prepared writes act together', () => {
    const bench = new Bench([1, 2]);
    for (const id of [1, 2]) expect(bench.ask(packet(id, 4, 116, 0, ...u32(1000 + id)))).toEqual(status(id, 0));
    expect(bench.read(1, 69, 1)).toEqual(status(1, 0, 1));
    expect(bench.first.value('goal_position')).toBe(2048);
    expect(bench.ask(packet(0xfe, 5))).toEqual([]);
    expect(bench.servos.map((servo) => servo.value('goal_position'))).toEqual([1001, 1002]);
    expect(bench.read(1, 69, 1)).toEqual(status(1, 0, 0));
    expect(bench.ask(packet(1, 5))).toEqual(status(1, 2));
  });

  it('lets a group obey its common id, without an answer and without its EEPROM', () => {
    const bench = new Bench([2, 3], {});
    expect(bench.write(3, 12, 2)).toBe(0);
    expect(bench.ask(packet(2, 3, 116, 0, ...u32(1234)))).toEqual(status(2, 0));
    expect(bench.servos.map((servo) => servo.value('goal_position'))).toEqual([1234, 1234]);
    expect(bench.ask(packet(0xfe, 0x83, 116, 0, 4, 0, 2, ...u32(1300)))).toEqual([]);
    expect(bench.servos.map((servo) => servo.value('goal_position'))).toEqual([1300, 1300]);
    bench.ask(packet(2, 3, 9, 0, 7));
    expect(bench.servos.map((servo) => servo.value('return_delay'))).toEqual([7, 250]);
  });
});

describe('the control table', () => {
  it.each(MODELS)('%s starts with the content that its page of the e-manual gives', (_, model: DynamixelModel) => {
    const servo = new DynamixelFirmware({ model, id: 1 });
    for (const [name, row] of Object.entries(model.registers)) {
      if (row.initial === null || row.access === 'read') continue;
      expect(servo.value(name as 'id'), name).toBe(row.initial);
    }
    expect(servo.value('model_number')).toBe(model.modelNumber);
  });

  it.each([
    ['a read-only register', 132, u32(5), 7],
    ['an address without register', 66, [1], 7],
    ['the inside of a register', 117, [1], 5],
    ['too few bytes', 116, u16(5), 5],
    ['a value out of range', 11, [2], 4],
    ['a status return level that does not exist', 68, [3], 4],
    ['a goal beyond the position limits', 116, u32(4096), 6],
    ['a goal below the position limits', 116, u32(-1), 6],
    ['a current beyond its limit', 102, u16(-1751), 6],
  ])('refuses %s and changes nothing', (_, address, data, error) => {
    const bench = new Bench([1]);
    const before = Uint8Array.from(bench.first.memory);
    expect(bench.write(1, address, ...data)).toBe(error);
    expect(bench.first.memory).toEqual(before);
  });

  it('writes all registers of a packet or none', () => {
    const bench = new Bench([1]);
    expect(bench.write(1, 108, ...u32(10), ...u32(20), ...u32(9999))).toBe(6);
    expect(bench.first.value('profile_velocity')).toBe(0);
    expect(bench.write(1, 108, ...u32(10), ...u32(20), ...u32(999))).toBe(0);
    expect(bench.first.value('goal_position')).toBe(999);
  });

  it('locks the EEPROM while torque is on, and keeps what was written over a restart', () => {
    const bench = new Bench([1]);
    expect(bench.write(1, 20, ...u32(-100))).toBe(0);
    expect(bench.write(1, 64, 1)).toBe(0);
    expect(bench.write(1, 20, ...u32(5))).toBe(7);
    expect(bench.ask(packet(1, 8))).toEqual(status(1, 0));
    expect(bench.first.torqueOn).toBe(false);
    expect(bench.first.value('homing_offset')).toBe(-100);
    expect(bench.first.value('present_position')).toBe(1948);
  });

  it('has no current modes where it has no current sensor', () => {
    const bench = new Bench([1], { model: XL430_W250 });
    expect(bench.write(1, 11, 5)).toBe(4);
    expect(bench.write(1, 11, 4)).toBe(0);
    expect(bench.write(1, 102, ...u16(5))).toBe(7);
    expect(bench.first.value('present_current')).toBeNaN();
  });

  it('answers what its status return level says', () => {
    const bench = new Bench([1]);
    expect(bench.write(1, 68, 1)).toBe(0);
    expect(bench.write(1, 65, 1)).toBe(-1);
    expect(bench.read(1, 65, 1)).toEqual(status(1, 0, 1));
    bench.ask(packet(1, 3, 68, 0, 0));
    expect(bench.read(1, 65, 1)).toEqual([]);
    expect(bench.ask(packet(1, 1))).toEqual(status(1, 0, ...u16(1200), 46));
  });

  it('acknowledges a new id with the old one', () => {
    const bench = new Bench([1]);
    expect(bench.ask(packet(1, 3, 7, 0, 9))).toEqual(status(1, 0));
    expect(bench.ask(packet(9, 1))).toHaveLength(14);
    expect(bench.write(9, 7, 253)).toBe(4);
  });

  it('goes back to the factory settings, except what it is told to keep', () => {
    const bench = new Bench([4]);
    expect(bench.write(4, 8, 3, 0)).toBe(0);
    expect(bench.ask(packet(4, 6, 2))).toEqual(status(4, 0));
    expect([bench.first.id, bench.first.value('baud_code'), bench.first.value('return_delay')]).toEqual([4, 3, 250]);
    bench.ask(packet(0xfe, 6, 0xff));
    expect(bench.first.id).toBe(4);
    expect(bench.ask(packet(4, 6, 0xff))).toEqual(status(4, 0));
    expect([bench.first.id, bench.first.value('baud_code')]).toEqual([1, 1]);
  });

  it('does not know other instructions', () => {
    expect(new Bench([1]).ask(packet(1, 0x77))).toEqual(status(1, 2));
  });
});

describe('the motor', () => {
  it.each(MODELS)('%s is a spring of the stiffness that its gain gives', (name, model) => {
    const bench = new Bench([1], { model });
    expect(bench.hold(2048)).toBe(0);
    expect(bench.write(1, 64, 1)).toBe(0);
    // An I gain adds to the spring as time goes by.
    expect(bench.write(1, 82, 0, 0)).toBe(0);
    const { stiffness } = DYNAMIXEL_MOTORS[name];
    expect(bench.hold(2048 - 20)).toBeCloseTo(stiffness * 20 * RADIANS_PER_STEP, 6);
    expect(bench.write(1, 84, ...u16(200))).toBe(0);
    const gain = 200 / DYNAMIXEL_MOTORS[name].referenceGain;
    expect(bench.hold(2048 - 20)).toBeCloseTo(gain * stiffness * 20 * RADIANS_PER_STEP, 6);
  });

  it('stiffness is P / 128 PWM counts per step, 885 of which are the stall torque', () => {
    const { stiffness } = DYNAMIXEL_MOTORS['XL430-W250'];
    expect(stiffness * RADIANS_PER_STEP).toBeCloseTo((640 / 128 / 885) * 1.5, 9);
  });

  it('gives no more than the stall torque, and reports it as load, PWM and current', () => {
    const xl430 = new Bench([1], { model: XL430_W250 });
    xl430.write(1, 64, 1);
    expect(xl430.hold(100)).toBeCloseTo(1.5, 9);
    expect([xl430.first.value('present_load'), xl430.first.value('present_pwm')]).toEqual([1000, 885]);
    const xm430 = new Bench([1], { model: XM430_W350 });
    xm430.write(1, 64, 1);
    expect(xm430.hold(4000)).toBeCloseTo(-4.1, 9);
    expect(xm430.first.value('present_current')).toBe(Math.round(-2.3 / 0.00269));
  });

  it('limits its current in current-based position mode, but not in position mode', () => {
    const bench = new Bench([1]);
    const perAmpere = 0.52 / 1.47;
    expect(bench.write(1, 11, 5)).toBe(0);
    expect(bench.write(1, 102, ...u16(300))).toBe(0);
    expect(bench.write(1, 64, 1)).toBe(0);
    expect(bench.hold(1000)).toBeCloseTo(0.3 * perAmpere, 9);
    expect(bench.first.value('present_current')).toBe(300);
    const plain = new Bench([1]);
    plain.write(1, 102, ...u16(300));
    plain.write(1, 64, 1);
    expect(plain.hold(1000)).toBeCloseTo(0.52, 9);
  });

  it('drives a current and a PWM directly in their modes, which begin at rest', () => {
    const bench = new Bench([1]);
    bench.write(1, 11, 0);
    bench.write(1, 64, 1);
    expect(bench.hold(2048)).toBe(0);
    bench.write(1, 102, ...u16(-500));
    expect(bench.hold(2048)).toBeCloseTo((-0.5 * 0.52) / 1.47, 9);
    bench.write(1, 64, 0);
    bench.write(1, 11, 16);
    bench.write(1, 64, 1);
    expect(bench.hold(2048)).toBe(0);
    bench.write(1, 100, ...u16(442));
    expect(bench.hold(2048)).toBeCloseTo((442 / 885) * 0.52, 9);
  });

  it('counts turns in extended position mode', () => {
    const bench = new Bench([1], { eeprom: { operating_mode: 4 } });
    bench.hold(2048 + 2 * 4096);
    expect(bench.first.value('present_position')).toBe(2048 + 2 * 4096);
    expect(bench.write(1, 116, ...u32(12_000))).toBe(0);
    expect(bench.write(1, 116, ...u32(2_000_000))).toBe(4);
    bench.hold(2048 + 2 * 4096, 0.2);
    expect(bench.ask(packet(1, 0x10, 1, 0x44, 0x58, 0x4c, 0x22))).toEqual(status(1, 0));
    expect(bench.first.value('present_position')).toBe(2048);
  });

  it('turns the other way in reverse mode, position and torque alike', () => {
    const bench = new Bench([1], { eeprom: { drive_mode: 1 } });
    bench.hold(1000);
    expect(bench.first.value('present_position')).toBe(3096);
    bench.write(1, 64, 1);
    // The goal is a larger position: the shaft turns against the encoder.
    bench.write(1, 116, ...u32(3196));
    expect(bench.hold(1000)).toBeLessThan(0);
  });

  it('keeps the pose when torque goes on, unless a goal was written before', () => {
    const bench = new Bench([1]);
    bench.hold(1234, 0.01);
    expect(bench.first.value('goal_position')).toBe(1234);
    bench.write(1, 64, 1);
    expect(bench.hold(1234)).toBe(0);
    bench.write(1, 64, 0);
    bench.write(1, 116, ...u32(1300));
    bench.write(1, 64, 1);
    expect(bench.hold(1234)).toBeGreaterThan(0);
  });

  it('follows its profile velocity and acceleration', () => {
    const bench = new Bench([1]);
    // 50 x 0.229 rev/min = 781.7 step/s; 20 x 214.577 rev/min^2 = 4883 step/s^2, so that it gets there within 0.16 s.
    bench.write(1, 108, ...u32(20), ...u32(50));
    bench.write(1, 64, 1);
    bench.write(1, 116, ...u32(3048));
    bench.hold(2048, 0.3);
    expect(bench.first.value('velocity_trajectory')).toBe(50);
    const early = bench.first.value('position_trajectory');
    bench.hold(2048, 0.5);
    expect(bench.first.value('position_trajectory') - early).toBeCloseTo(0.5 * 781.7, -1);
    bench.hold(2048, 2);
    expect(bench.first.value('position_trajectory')).toBe(3048);
    expect(bench.first.value('velocity_trajectory')).toBe(0);
  });
});

describe('protection', () => {
  it('stops, and refuses goals, when the bus watchdog has run out', () => {
    const bench = new Bench([1]);
    bench.write(1, 64, 1);
    expect(bench.write(1, 98, 5)).toBe(0);
    bench.write(1, 116, ...u32(2148));
    expect(bench.hold(2048, 0.09)).toBeGreaterThan(0);
    // Any instruction on the bus counts, also one to another servo.
    bench.ask(packet(9, 1));
    expect(bench.hold(2048, 0.09)).toBeGreaterThan(0);
    expect(bench.hold(2060, 0.02)).toBe(0);
    expect(bench.first.value('bus_watchdog')).toBe(-1);
    expect(bench.first.torqueOn).toBe(true);
    expect(bench.write(1, 116, ...u32(2148))).toBe(4);
    expect(bench.write(1, 98, 0)).toBe(0);
    expect(bench.write(1, 116, ...u32(2148))).toBe(0);
  });

  it('does not watch the bus while torque is off', () => {
    const bench = new Bench([1]);
    bench.write(1, 98, 1);
    bench.hold(2048, 0.5);
    expect(bench.first.value('bus_watchdog')).toBe(1);
  });

  it('switches torque off after a long overload, says so with the alert bit, until it is restarted', () => {
    const bench = new Bench([1]);
    bench.write(1, 64, 1);
    bench.write(1, 116, ...u32(4000));
    expect(bench.hold(2048, 1.9)).toBeCloseTo(0.52, 9);
    bench.hold(2048, 0.3);
    expect(bench.first.torqueOn).toBe(false);
    expect(bench.hold(2048)).toBe(0);
    expect(bench.read(1, 70, 1)).toEqual(status(1, 0x80, 0x20));
    expect(bench.write(1, 64, 1)).toBe(0x81);
    expect(bench.ask(packet(1, 8))).toEqual(status(1, 0x80));
    // It starts anew, which takes its time.
    expect(bench.read(1, 70, 1)).toEqual([]);
    bench.hold(2048, 0.2);
    expect(bench.read(1, 70, 1)).toEqual(status(1, 0, 0));
  });

  it('tells a wrong supply, and cuts the torque only where the shutdown mask says so', () => {
    const cut = new Bench([1], { supplyVoltage: 9 });
    cut.write(1, 64, 1);
    cut.hold(2048);
    expect(cut.read(1, 70, 1)).toEqual(status(1, 0x80, 1));
    expect(cut.first.value('present_voltage')).toBe(90);
    expect(cut.first.torqueOn).toBe(false);
    const warned = new Bench([1], { model: XL430_W250, supplyVoltage: 5 });
    warned.hold(2048);
    expect(warned.read(1, 70, 1)).toEqual(status(1, 0x80, 1));
    expect(warned.write(1, 64, 1)).toBe(0x80);
    expect(warned.first.torqueOn).toBe(true);
  });
});

it('servos and buses of both families have one shape, so that an arm can host either', () => {
  const servos: EmulatedServo[] = [new Sts3215Firmware({ id: 1 }), new DynamixelFirmware({ model: XL330_M288, id: 2 })];
  const buses: EmulatedServoBus[] = [
    new EmulatedFeetechBus({ servos: [], onReply: () => {} }),
    new EmulatedDynamixelBus({ servos: [], onReply: () => {} }),
  ];
  expect(servos.map((servo) => servo.step(0.001, 0, 0))).toEqual([0, 0]);
  expect(buses.map((bus) => bus.faults.dead.size)).toEqual([0, 0]);
});
