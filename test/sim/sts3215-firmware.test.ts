import { describe, expect, it } from 'vitest';
import { EmulatedFeetechBus } from '../../src/sim/emulated-feetech-bus.ts';
import { type FirmwareOptions, Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';
import { concat, hex, request, status, word } from './frames.ts';

const RADIANS_PER_STEP = (2 * Math.PI) / 4096;

class Bench {
  readonly servos: Sts3215Firmware[];
  readonly bus: EmulatedFeetechBus;
  #replies: number[] = [];
  #now = 0;

  constructor(ids: readonly number[], options: Partial<FirmwareOptions> = {}) {
    this.servos = ids.map((id) => new Sts3215Firmware({ ...options, id }));
    this.bus = new EmulatedFeetechBus({
      servos: this.servos,
      onReply: (bytes) => this.#replies.push(...bytes),
      seed: 7,
    });
    for (const servo of this.servos) servo.step(0, 2048 * RADIANS_PER_STEP, 0);
  }

  ask(bytes: Uint8Array, later = 1): Uint8Array {
    this.#now += later;
    this.#replies = [];
    this.bus.feed(bytes, this.#now);
    return Uint8Array.from(this.#replies);
  }

  /** Lets a servo work with its shaft blocked at a step. */
  stall(id: number, step: number, seconds: number): number {
    const servo = this.servos.find((s) => s.id === id)!;
    let torque = 0;
    for (let t = 0; t < seconds; t += 0.001) torque = servo.step(0.001, step * RADIANS_PER_STEP, 0);
    return torque;
  }
}

describe('frames', () => {
  it('answers the ping of the protocol manual byte for byte', () => {
    expect(new Bench([1]).ask(hex('FF FF 01 02 01 FB'))).toEqual(hex('FF FF 01 02 00 FC'));
  });

  it('reads the model number 777 and the present position 2048, low byte first', () => {
    const bench = new Bench([1]);
    expect(bench.ask(hex('FF FF 01 04 02 03 02 F3'))).toEqual(hex('FF FF 01 04 00 09 03 EE'));
    expect(bench.ask(hex('FF FF 01 04 02 38 02 BE'))).toEqual(hex('FF FF 01 04 00 00 08 F2'));
  });

  it('acknowledges a write and gives the written value back', () => {
    const bench = new Bench([1]);
    expect(bench.ask(hex('FF FF 01 05 03 2A 00 04 C8'))).toEqual(hex('FF FF 01 02 00 FC'));
    expect(bench.ask(request(1, 2, 42, 2))).toEqual(status(1, 0, 0, 4));
  });

  it('finds requests in any chunking', () => {
    const frames = concat(request(1, 1), request(2, 2, 3, 2), request(1, 3, 46, ...word(300)), request(2, 1));
    const whole = new Bench([1, 2]).ask(frames);
    expect(whole).toEqual(concat(status(1, 0), status(2, 0, 9, 3), status(1, 0), status(2, 0)));
    for (let size = 1; size < frames.length; size++) {
      const bench = new Bench([1, 2]);
      const parts: Uint8Array[] = [];
      for (let at = 0; at < frames.length; at += size) parts.push(bench.ask(frames.slice(at, at + size)));
      expect(concat(...parts)).toEqual(whole);
    }
  });

  it('finds a frame behind noise, false headers and a frame with a wrong checksum', () => {
    for (const noise of ['00 7F FF', 'FF', 'FF FF', 'FF FF FF', 'FF FF 01', 'FF FF 01 01', 'FF FF 01 02 01 FA']) {
      expect(new Bench([1]).ask(concat(hex(noise), request(1, 1))), noise).toEqual(status(1, 0));
    }
  });

  it('does not wait for the rest of a false frame for longer than the frame time-out', () => {
    const bench = new Bench([1]);
    expect(bench.ask(hex('FF FF 01 FA 03'))).toHaveLength(0);
    expect(bench.ask(request(1, 1), 50)).toEqual(status(1, 0));
  });

  it('does not answer a wrong checksum, an unknown instruction or a foreign id', () => {
    const bench = new Bench([1]);
    expect(bench.ask(hex('FF FF 01 02 01 FA'))).toHaveLength(0);
    expect(bench.ask(request(1, 0x55))).toHaveLength(0);
    expect(bench.ask(request(9, 1))).toHaveLength(0);
  });

  it('answers a sync read with one status per servo in the order of the request', () => {
    const bench = new Bench([1, 2, 3]);
    expect(bench.ask(request(0xfe, 0x82, 5, 1, 3, 1, 2))).toEqual(
      concat(status(3, 0, 3), status(1, 0, 1), status(2, 0, 2)),
    );
  });

  it('carries out a sync write without an answer', () => {
    const bench = new Bench([1, 2]);
    expect(bench.ask(request(0xfe, 0x83, 42, 2, 1, ...word(1000), 2, ...word(3000)))).toHaveLength(0);
    expect(bench.servos.map((servo) => servo.value('goal_position'))).toEqual([1000, 3000]);
  });

  it('answers a broadcast ping once per servo and a broadcast write not at all', () => {
    const bench = new Bench([1, 2]);
    expect(bench.ask(request(0xfe, 1))).toEqual(concat(status(1, 0), status(2, 0)));
    expect(bench.ask(request(0xfe, 3, 41, 7))).toHaveLength(0);
    expect(bench.servos.map((servo) => servo.value('acceleration'))).toEqual([7, 7]);
  });

  it('keeps a reg write until the action', () => {
    const bench = new Bench([1]);
    expect(bench.ask(request(1, 4, 42, ...word(900)))).toEqual(status(1, 0));
    expect([bench.servos[0]!.value('goal_position'), bench.servos[0]!.value('async_write_flag')]).toEqual([0, 1]);
    expect(bench.ask(request(0xfe, 5))).toHaveLength(0);
    expect([bench.servos[0]!.value('goal_position'), bench.servos[0]!.value('async_write_flag')]).toEqual([900, 0]);
  });

  it('answers only pings and reads at response level 0', () => {
    const bench = new Bench([1]);
    expect(bench.ask(request(1, 3, 8, 0))).toEqual(status(1, 0));
    expect(bench.ask(request(1, 3, 41, 7))).toHaveLength(0);
    expect(bench.ask(request(1, 2, 41, 1))).toEqual(status(1, 0, 7));
  });
});

describe('faults', () => {
  it('leaves no gap for a dead servo, which does not obey either', () => {
    const bench = new Bench([1, 2, 3]);
    bench.bus.faults.dead.add(2);
    expect(bench.ask(request(0xfe, 0x82, 5, 1, 1, 2, 3))).toEqual(concat(status(1, 0, 1), status(3, 0, 3)));
    bench.ask(request(0xfe, 0x83, 42, 2, 1, ...word(1000), 2, ...word(1000)));
    expect(bench.servos.map((servo) => servo.value('goal_position'))).toEqual([1000, 0, 0]);
  });

  it('loses and corrupts the share of replies that it is told to, the same ones for the same seed', () => {
    const run = (): string => {
      const bench = new Bench([1]);
      bench.bus.faults.loseRate = 0.2;
      bench.bus.faults.corruptRate = 0.2;
      const good = status(1, 0).toString();
      let text = '';
      for (let i = 0; i < 1000; i++) {
        const reply = bench.ask(request(1, 1));
        text += reply.length === 0 ? 'l' : reply.toString() === good ? '.' : 'c';
      }
      return text;
    };
    const text = run();
    expect(text).toBe(run());
    const count = (letter: string): number => text.split(letter).length - 1;
    expect(count('l')).toBeGreaterThan(150);
    expect(count('l')).toBeLessThan(250);
    expect(count('c')).toBeGreaterThan(110);
    expect(count('c')).toBeLessThan(210);
  });
});

describe('control table', () => {
  it('answers an id change under the old id', () => {
    const bench = new Bench([1]);
    expect(bench.ask(request(1, 3, 5, 9))).toEqual(status(1, 0));
    expect(bench.ask(request(9, 1))).toEqual(status(9, 0));
    expect(bench.ask(request(1, 1))).toHaveLength(0);
  });

  it('keeps EEPROM content over a power cycle only when the lock was open', () => {
    const bench = new Bench([1]);
    const servo = bench.servos[0]!;
    bench.ask(request(1, 3, 21, 16));
    bench.ask(request(1, 3, 55, 1));
    bench.ask(request(1, 3, 13, 60));
    expect([servo.value('p_coefficient'), servo.value('max_temperature')]).toEqual([16, 60]);
    servo.powerCycle();
    expect([servo.value('p_coefficient'), servo.value('max_temperature')]).toEqual([16, 70]);
    expect(servo.value('lock')).toBe(0);
  });

  it('keeps read-only registers as they are', () => {
    const bench = new Bench([1]);
    expect(bench.ask(request(1, 3, 56, ...word(99)))).toEqual(status(1, 0));
    expect(bench.servos[0]!.value('present_position')).toBe(2048);
    bench.ask(request(1, 3, 3, 1, 1));
    expect(bench.servos[0]!.value('model_number')).toBe(777);
  });

  it('copies max_torque to torque_limit at power-on', () => {
    const bench = new Bench([1]);
    bench.ask(request(1, 3, 16, ...word(500)));
    bench.servos[0]!.powerCycle();
    expect(bench.servos[0]!.value('torque_limit')).toBe(500);
  });

  it('subtracts the homing offset and wraps to 0..4095', () => {
    const bench = new Bench([1]);
    bench.ask(request(1, 3, 31, ...word(100)));
    expect(bench.servos[0]!.value('present_position')).toBe(1948);
    bench.ask(request(1, 3, 31, ...word(2048 + 100)));
    expect(bench.servos[0]!.value('present_position')).toBe(2148);
    bench.stall(1, 4090, 0.002);
    expect(bench.servos[0]!.value('present_position')).toBe(94);
  });

  it('takes torque_enable 128 as "here is 2048" and leaves the torque as it is', () => {
    const bench = new Bench([1]);
    bench.stall(1, 1500, 0.002);
    bench.ask(request(1, 3, 40, 128));
    const servo = bench.servos[0]!;
    expect([servo.value('present_position'), servo.value('homing_offset')]).toEqual([2048, -548]);
    expect(servo.value('torque_enable')).toBe(0);
  });

  it('switches torque on with a goal write, unless told that this part does not', () => {
    const careless = new Bench([1]);
    careless.ask(request(0xfe, 0x83, 42, 2, 1, ...word(2048)));
    expect(careless.servos[0]!.torqueOn).toBe(true);
    const other = new Bench([1], { torqueOnGoalWrite: false });
    other.ask(request(0xfe, 0x83, 42, 2, 1, ...word(2048)));
    expect(other.servos[0]!.torqueOn).toBe(false);
  });

  it('clamps the goal to the position limits', () => {
    const bench = new Bench([1]);
    bench.ask(request(1, 3, 9, ...word(1000), ...word(3000)));
    bench.ask(request(1, 3, 42, ...word(4000)));
    expect(bench.servos[0]!.value('goal_position_echo')).toBe(3000);
  });
});

describe('motor', () => {
  const driven = (goal: number, options: Partial<FirmwareOptions> = {}): Bench => {
    const bench = new Bench([1], options);
    bench.ask(request(1, 3, 42, ...word(goal)));
    return bench;
  };

  it('is a spring of 17.8 Nm/rad on whole steps, proportional to P', () => {
    const bench = driven(2048 + 20);
    expect(bench.stall(1, 2048, 0.01)).toBeCloseTo(17.8 * 20 * RADIANS_PER_STEP, 9);
    expect(bench.stall(1, 2048.4, 0.01)).toBeCloseTo(17.8 * 20 * RADIANS_PER_STEP, 9);
    bench.ask(request(1, 3, 21, 16));
    expect(bench.stall(1, 2048, 0.01)).toBeCloseTo((17.8 / 2) * 20 * RADIANS_PER_STEP, 9);
  });

  it('does nothing within the dead zone', () => {
    const bench = driven(2049);
    expect(bench.stall(1, 2048, 0.01)).toBe(0);
    bench.ask(request(1, 3, 27, 0));
    expect(bench.stall(1, 2048, 0.01)).toBeGreaterThan(0);
  });

  it('gives no torque while torque is off, whatever the goal', () => {
    const bench = driven(3000);
    bench.ask(request(1, 3, 40, 0));
    expect(bench.stall(1, 2048, 0.01)).toBe(0);
  });

  it('gives 2.94 Nm at most, scaled by torque_limit and max_torque', () => {
    const bench = driven(4000);
    expect(bench.stall(1, 1000, 0.01)).toBeCloseTo(2.94, 9);
    bench.ask(request(1, 3, 48, ...word(300)));
    expect(bench.stall(1, 1000, 0.01)).toBeCloseTo(0.882, 9);
    bench.ask(request(1, 3, 16, ...word(100)));
    expect(bench.stall(1, 1000, 0.01)).toBeCloseTo(0.294, 9);
  });

  it('has no drive left at the no-load speed and all of it against the motion', () => {
    const servo = driven(4000).servos[0]!;
    expect(servo.step(0.001, 1000 * RADIANS_PER_STEP, 5.5)).toBe(0);
    expect(servo.step(0.001, 1000 * RADIANS_PER_STEP, -5.5)).toBeCloseTo(2.94, 9);
  });

  it('cuts the torque to the protective torque after the protection time and says so in every reply', () => {
    const bench = driven(4000);
    expect(bench.stall(1, 1000, 1.9)).toBeCloseTo(2.94, 9);
    expect(bench.stall(1, 1000, 0.2)).toBeCloseTo(0.2 * 2.94, 9);
    expect(bench.ask(request(1, 2, 56, 2))).toEqual(status(1, 32, ...word(1000)));
    expect(bench.servos[0]!.value('status')).toBe(32);
    bench.ask(request(1, 3, 42, ...word(1010)));
    expect(bench.stall(1, 1000, 0.01)).toBeCloseTo(17.8 * 10 * RADIANS_PER_STEP, 9);
    expect(bench.ask(request(1, 1))).toEqual(status(1, 0));
  });

  it('raises the voltage alarm outside its limits and still answers with data', () => {
    const bench = new Bench([1], { supplyVoltage: 12 });
    expect(bench.ask(request(1, 2, 62, 1))).toEqual(status(1, 1, 120));
  });

  it('gets warm under load, slowly, and lets go above its temperature limit', () => {
    const bench = driven(4000, { ambientTemperature: 28, eeprom: { protection_time: 255, overload_torque: 100 } });
    expect(bench.servos[0]!.value('present_temperature')).toBe(28);
    bench.stall(1, 1000, 10);
    const warm = bench.servos[0]!.temperature;
    expect(warm).toBeGreaterThan(28.5);
    expect(warm).toBeLessThan(31);
    bench.ask(request(1, 3, 13, 28));
    expect(bench.stall(1, 1000, 0.01)).toBe(0);
    expect(bench.ask(request(1, 1))).toEqual(status(1, 4));
  });

  it('reports load with its sign in bit 10, a voltage that sags, and current', () => {
    const bench = driven(100);
    bench.stall(1, 3000, 0.01);
    const reply = bench.ask(request(1, 2, 60, 3));
    expect(reply).toEqual(status(1, 0, ...word(1024 + 1000), 72));
    expect(bench.servos[0]!.value('present_current') * 0.0065).toBeCloseTo(-2.43, 1);
  });

  it('moves its own goal at goal_speed and with acceleration when they are set', () => {
    const bench = new Bench([1]);
    bench.ask(request(1, 3, 46, ...word(400)));
    bench.ask(request(1, 3, 42, ...word(3000)));
    const perStep = 17.8 * RADIANS_PER_STEP;
    expect(bench.stall(1, 2048, 0.1) / perStep).toBeCloseTo(40, -0.5);
    expect(bench.servos[0]!.value('moving')).toBe(1);

    const soft = new Bench([1]);
    soft.ask(request(1, 3, 41, 10));
    soft.ask(request(1, 3, 42, ...word(2148)));
    expect(soft.stall(1, 2048, 0.2) / perStep).toBeCloseTo(20, -0.5);
    expect(soft.stall(1, 2048, 1) / perStep).toBeCloseTo(100, 6);
  });
});
