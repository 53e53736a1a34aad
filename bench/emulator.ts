/**
 * Serves six emulated servos on a pseudo-terminal until SIGTERM: the register tables, frames and line of the simulated
 * arms, without their physics, so that what is measured is the client. Prints the device file, at the end its report.
 */
import { systemClock } from '../src/clock.ts';
import { XL330_M288 } from '../src/servo/dynamixel/x-series.ts';
import { DynamixelFirmware } from '../src/sim/dynamixel-firmware.ts';
import { EmulatedDynamixelBus } from '../src/sim/emulated-dynamixel-bus.ts';
import { EmulatedFeetechBus } from '../src/sim/emulated-feetech-bus.ts';
import type { EmulatedServo, EmulatedServoBus } from '../src/sim/emulated-servo.ts';
import { Sts3215Firmware } from '../src/sim/sts3215-firmware.ts';
import { PseudoTerminal } from '../src/sim/terminal.ts';
import { Wire } from '../src/sim/wire.ts';
import { setPriority } from '../src/thread.ts';
import type { EmulatorOptions, EmulatorReport } from './messages.ts';

const IDS = [1, 2, 3, 4, 5, 6];
/** Above that of every client. */
const PRIORITY = 60;
/** The shafts swing slowly about the middle, so that every sample and every goal differs from the one before. */
const SWING = { amplitude: 0.2, frequency: 0.3, period: 0.005 };

const options: EmulatorOptions = JSON.parse(process.argv[2]!);
// Real servos wait for no processor. Where that is not allowed, these are late now and then.
setPriority(PRIORITY);
const goals = IDS.map(() => 0);

function counts(address: number, length: number, goal: { readonly address: number; readonly size: number }): boolean {
  return address <= goal.address && address + length >= goal.address + goal.size;
}

class CountingSts3215 extends Sts3215Firmware {
  override write(address: number, data: Uint8Array, offset: number, length: number): void {
    if (this.torqueOn && counts(address, length, { address: 42, size: 2 })) goals[this.id - 1]!++;
    super.write(address, data, offset, length);
  }
}

class CountingXl330 extends DynamixelFirmware {
  override write(address: number, data: Uint8Array, offset: number, length: number, bySecondaryId = false): number {
    if (this.torqueOn && counts(address, length, { address: 116, size: 4 })) goals[this.id - 1]!++;
    return super.write(address, data, offset, length, bySecondaryId);
  }
}

function makeBus(onReply: (bytes: Uint8Array) => void): { bus: EmulatedServoBus; servos: EmulatedServo[] } {
  const eeprom = { return_delay: 0 };
  if (options.family === 'feetech') {
    const servos = IDS.map((id) => new CountingSts3215({ id, eeprom }));
    return { servos, bus: new EmulatedFeetechBus({ servos, onReply }) };
  }
  const servos = IDS.map((id) => new CountingXl330({ id, eeprom, model: XL330_M288 }));
  return { servos, bus: new EmulatedDynamixelBus({ servos, onReply }) };
}

const { bus, servos } = makeBus((bytes) => terminal.write(bytes));
bus.faults.loseRate = options.loseRate;
// The wire's own figures, to which results are compared, know no turn-around within a servo.
const wire =
  options.baudRate === null
    ? null
    : new Wire({
        baudRate: options.baudRate,
        turnAround: 0,
        clock: systemClock,
        send: (bytes) => terminal.write(bytes),
      });
if (wire) bus.onStatus = (bytes, returnDelay) => wire.reply(bytes, returnDelay);
const terminal = await PseudoTerminal.open((chunk) => {
  const now = systemClock.now();
  wire?.request(chunk.length, now);
  bus.feed(chunk, 1000 * now);
});

const swing = setInterval(() => {
  const phase = (2 * Math.PI * SWING.frequency * performance.now()) / 1000;
  const angle = Math.PI + SWING.amplitude * Math.sin(phase);
  const velocity = SWING.amplitude * 2 * Math.PI * SWING.frequency * Math.cos(phase);
  for (const servo of servos) servo.step(SWING.period, angle, velocity);
}, SWING.period * 1000);

process.once('SIGTERM', () => {
  clearInterval(swing);
  wire?.clear();
  const report: EmulatorReport = { goals };
  process.stdout.write(`${JSON.stringify(report)}\n`);
  void terminal.close();
});
process.stdout.write(`${terminal.path}\n`);
