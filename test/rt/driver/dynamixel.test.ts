import { describe, expect, test } from 'vitest';
import { type DynamixelModel, XL330_M288, XL430_W250 } from '../../../src/servo/dynamixel/x-series.ts';
import type { DynamixelFirmware } from '../../../src/sim/dynamixel-firmware.ts';
import { DynamixelBench, MIDDLE } from './support/dynamixel-bench.ts';

const IDS = [1, 2, 3, 4, 5, 6];
/** As the Koch v1.1 follower has them. */
const modelOf = (id: number): DynamixelModel => (id < 3 ? XL430_W250 : XL330_M288);
/** Content of the bus watchdog register: as the bridge arms it (units of 20 ms), and after it has run out. */
const WATCHDOG = 25;
const RAN_OUT = -1;

/** Six servos, one for each joint. @param before is done to them before anybody has looked at them */
function makeBench(before?: (servo: DynamixelFirmware, index: number) => void): DynamixelBench {
  return new DynamixelBench(
    IDS.map((id) => [{ model: modelOf(id) }]),
    before,
  );
}

describe('a Dynamixel arm', () => {
  test('stops by itself when its host hangs, and follows again after it has been connected anew', async () => {
    const bench = makeBench();
    await bench.loop.up();
    expect(bench.servos.map((servo) => servo.value('bus_watchdog'))).toEqual(IDS.map(() => 0));
    await bench.loop.hold();
    await bench.loop.becomes(() =>
      expect(bench.servos.map((servo) => servo.value('bus_watchdog'))).toEqual(IDS.map(() => WATCHDOG)),
    );

    bench.loop.hang();
    await bench.loop.becomes(() =>
      expect(bench.servos.map((servo) => servo.value('bus_watchdog'))).toEqual(IDS.map(() => RAN_OUT)),
    );
    expect(bench.servos.every((servo) => servo.torqueOn)).toBe(true);

    bench.loop.driving = false;
    bench.loop.run();
    await bench.loop.becomes(() =>
      expect(bench.servos.map((servo) => servo.value('bus_watchdog'))).toEqual(IDS.map(() => WATCHDOG)),
    );
    await bench.loop.becomes(() => expect(bench.link.up).toBe(true));
    expect([...bench.link.held]).toEqual(IDS.map(() => 1));
    bench.loop.goals.set(bench.link.adopted);
    bench.loop.goals[2] = 0.2;
    bench.loop.driving = true;
    await bench.loop.becomes(() => expect(bench.link.readings.positions[2]!).toBeGreaterThan(0.15));

    bench.loop.driving = false;
    bench.link.setTorque(false);
    await bench.loop.becomes(() => expect(bench.link.anyTorque).toBe(false));
    expect(bench.servos.map((servo) => servo.value('bus_watchdog'))).toEqual(IDS.map(() => 0));
  });

  test('that is limp stays so, and its EEPROM as it is', async () => {
    const bench = makeBench();
    await bench.loop.up();
    for (const servo of bench.servos) expect([servo.value('return_delay'), servo.torqueOn]).toEqual([250, false]);
    expect(bench.loop.warnings).toEqual([]);
  });

  test('whose watchdog has stopped it before takes its goals before its torque all the same', async () => {
    const { goal_position, torque_enable, bus_watchdog } = XL330_M288.registers;
    const bench = makeBench((servo) => {
      servo.write(torque_enable.address, Uint8Array.of(1), 0, 1);
      servo.write(bus_watchdog.address, Uint8Array.of(1), 0, 1);
      servo.step(0.1, Math.PI, 0);
      expect(servo.value('bus_watchdog')).toBe(RAN_OUT);
      servo.write(torque_enable.address, Uint8Array.of(0), 0, 1);
      expect(servo.write(goal_position.address, Uint8Array.of(0, 4, 0, 0), 0, 4)).not.toBe(0);
    });
    await bench.loop.up();
    expect(bench.servos.map((servo) => servo.value('bus_watchdog'))).toEqual(IDS.map(() => 0));
    expect(bench.servos.some((servo) => servo.torqueOn)).toBe(false);
    await bench.loop.hold();
    for (const servo of bench.servos) expect(Math.abs(servo.value('goal_position') - MIDDLE)).toBeLessThan(3);
  });

  test('that holds is adopted as it is', async () => {
    const bench = makeBench((servo, i) => {
      const goal = MIDDLE + 10 * i;
      servo.write(XL330_M288.registers.goal_position.address, Uint8Array.of(goal & 255, goal >> 8, 0, 0), 0, 4);
      servo.write(XL330_M288.registers.torque_enable.address, Uint8Array.of(1), 0, 1);
    });
    await bench.loop.up();
    expect(bench.link.torque).toBe(true);
    for (const [i, servo] of bench.servos.entries()) {
      expect(bench.link.adopted[i]).toBeCloseTo((10 * i * 2 * Math.PI) / 4096, 9);
      expect([servo.torqueOn, servo.value('goal_position'), servo.value('return_delay')]).toEqual([
        true,
        MIDDLE + 10 * i,
        250,
      ]);
    }
  });

  test('with replies lost and corrupt stays connected', async () => {
    const bench = makeBench();
    await bench.loop.up();
    bench.bus.faults.loseRate = 0.05;
    bench.bus.faults.corruptRate = 0.05;
    for (let looks = 0; looks < 150; looks++) {
      await bench.loop.pass(0.02);
      expect(bench.link.up).toBe(true);
    }
    expect(bench.link.readings.discarded).toBeGreaterThan(0);
  });

  test('is given the time that the slowest of its servos takes before it answers', async () => {
    const times: number[] = [];
    for (const slowest of [0, 250]) {
      const bench = new DynamixelBench(
        IDS.map((id) => [{ model: modelOf(id), eeprom: { return_delay: id === 4 ? slowest : 0 } }]),
      );
      await bench.loop.up();
      let shortest = Number.POSITIVE_INFINITY;
      for (let k = 0; k < 50; k++) {
        await bench.loop.pass(0.01);
        shortest = Math.min(shortest, bench.link.readTime);
      }
      times.push(shortest);
    }
    // 250 units of 2 us.
    expect(times[1]! - times[0]!).toBeGreaterThan(250 * 2e-6 - 1e-9);
  });

  test('that was silent for so long that its servos may have stopped by themselves is checked anew', async () => {
    const bench = makeBench();
    await bench.loop.up();
    await bench.loop.hold();
    await bench.loop.pass(0.5);
    const silent = async (duration: number): Promise<void> => {
      for (const id of IDS) bench.bus.faults.dead.add(id);
      await bench.loop.pass(duration);
      bench.bus.faults.dead.clear();
    };
    await silent(0.3);
    await bench.loop.pass(0.2);
    expect(bench.link.up).toBe(true);
    await silent(0.43);
    await bench.loop.until(() => !bench.link.up);
    expect(bench.link.reason).toBe('a servo that had fallen silent answers again: the arm is checked anew');
    await bench.loop.up();
  });
});

describe('a servo that miscounts its turns', () => {
  /** Both count turns; the first joint has two servos. */
  const COUNTING = { model: XL330_M288, eeprom: { operating_mode: 5 } } as const;

  test('gets no goal that would turn it by these, nor do others of its joint, and holds where it is', async () => {
    const bench = new DynamixelBench([[COUNTING, COUNTING], [COUNTING]]);
    const { loop, link } = bench;
    await loop.up();
    await loop.hold();
    await loop.pass(0.3);
    for (const servo of [0, 1]) {
      const [before] = bench.angles;
      bench.line.sent.length = 0;
      bench.servos[servo]!.fault({ turns: 1 });
      const withheld = new Set<number>();
      for (let k = 0; k < 60; k++) {
        await loop.pass(0.005);
        withheld.add(link.withheld[0]!);
        expect(link.withheld[1]).toBe(0);
        expect(Math.abs(bench.angles[0]! - before!)).toBeLessThan(0.01);
        expect(Math.abs(link.readings.positions[0]!)).toBeLessThan(0.01);
      }
      expect([...withheld].sort()).toEqual([0, 1]);
      // The first servos of all joints come first.
      const named = bench.writes(XL330_M288.registers.goal_position).map((ids) => ids.join());
      expect([...new Set(named)].sort()).toEqual(['1,3,2', '3']);
      expect(named.filter((ids) => ids === '3').length).toBeLessThan(5);
    }
    expect([link.up, link.power]).toEqual([true, 'holding']);
  });
});
