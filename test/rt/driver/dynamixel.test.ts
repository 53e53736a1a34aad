import { describe, expect, test } from 'vitest';
import { VirtualTime } from '../../../explore/virtual-clock.ts';
import type { ServoLink } from '../../../src/rt/driver/servo-link.ts';
import { type DynamixelModel, XL330_M288, XL430_W250 } from '../../../src/servo/dynamixel/x-series.ts';
import { modelByName } from '../../../src/servo/servo-models.ts';
import { DynamixelFirmware } from '../../../src/sim/dynamixel-firmware.ts';
import { EmulatedDynamixelBus } from '../../../src/sim/emulated-dynamixel-bus.ts';
import { VirtualLine } from '../../servo/virtual-line.ts';
import { LinkLoop } from './support/link.ts';

const IDS = [1, 2, 3, 4, 5, 6];
/** As the Koch v1.1 follower has them. */
const modelOf = (id: number): DynamixelModel => (id < 3 ? XL430_W250 : XL330_M288);
/** Position at which the rig's shafts stand: the middle of the turn, where the joints are at 0. */
const MIDDLE = 2048;
const STEP = 0.001;
/** Content of the bus watchdog register: as the bridge arms it (units of 20 ms), and after it has run out. */
const WATCHDOG = 25;
const RAN_OUT = -1;

/** Six servos with light shafts on a line, and an arm's link on the other end. */
class Bench {
  readonly time = new VirtualTime();
  readonly servos: readonly DynamixelFirmware[];
  readonly bus: EmulatedDynamixelBus;
  readonly loop: LinkLoop;
  readonly #angles = IDS.map(() => Math.PI);

  /** @param before is done to the servos before anybody has looked at them */
  constructor(before: (servo: DynamixelFirmware, index: number) => void = () => {}) {
    const clock = this.time.lane('all');
    this.servos = IDS.map((id) => new DynamixelFirmware({ model: modelOf(id), id }));
    this.bus = new EmulatedDynamixelBus({ servos: this.servos, onReply: () => {} });
    clock.every(STEP, () => this.#step());
    this.#step();
    for (const [i, servo] of this.servos.entries()) before(servo, i);
    const line = new VirtualLine(clock);
    line.connect(this.bus);
    const joints = IDS.map((id) => ({
      lower: -Math.PI,
      upper: Math.PI,
      name: `joint_${id}`,
      servos: [
        {
          id,
          model: modelByName(modelOf(id).model)!,
          calibration: { sign: 1 as const, zero: MIDDLE, stepsPerTurn: 4096 },
          shadow: false,
        },
      ],
      settings: {},
    }));
    this.loop = new LinkLoop(this.time, line, joints);
  }

  get link(): ServoLink {
    return this.loop.link;
  }

  #step(): void {
    for (const [i, servo] of this.servos.entries()) {
      const torque = servo.step(STEP, this.#angles[i]!, 0);
      // Shafts that glide as if in oil: where they go is the point, not how.
      this.#angles[i] = this.#angles[i]! + STEP * 2 * Math.max(-1, Math.min(1, torque));
    }
  }
}

describe('a Dynamixel arm', () => {
  test('stops by itself when its host hangs, and follows again after it has been connected anew', async () => {
    const bench = new Bench();
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
    const bench = new Bench();
    await bench.loop.up();
    for (const servo of bench.servos) expect([servo.value('return_delay'), servo.torqueOn]).toEqual([250, false]);
    expect(bench.loop.warnings).toEqual([]);
  });

  test('whose watchdog has stopped it before takes its goals before its torque all the same', async () => {
    const { goal_position, torque_enable, bus_watchdog } = XL330_M288.registers;
    const bench = new Bench((servo) => {
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
    const bench = new Bench((servo, i) => {
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
    const bench = new Bench();
    await bench.loop.up();
    bench.bus.faults.loseRate = 0.05;
    bench.bus.faults.corruptRate = 0.05;
    for (let looks = 0; looks < 150; looks++) {
      await bench.loop.pass(0.02);
      expect(bench.link.up).toBe(true);
    }
    expect(bench.link.readings.discarded).toBeGreaterThan(0);
  });
});
