import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { DynamixelBus } from '../../src/servo/dynamixel/dynamixel-bus.ts';
import { DynamixelClient } from '../../src/servo/dynamixel/dynamixel-client.ts';
import { XL330_M288, XL430_W250 } from '../../src/servo/dynamixel/x-series.ts';
import { FeetechBus } from '../../src/servo/feetech/feetech-bus.ts';
import { FeetechClient } from '../../src/servo/feetech/feetech-client.ts';
import { STS3215 } from '../../src/servo/feetech/sts3215.ts';
import { makePort } from '../../src/servo/port/make.ts';
import type { BytePort } from '../../src/servo/port/port.ts';
import { modelByName } from '../../src/servo/servo-models.ts';
import { configure, readRegister } from '../../src/servo/setup.ts';
import { DynamixelFirmware } from '../../src/sim/dynamixel-firmware.ts';
import { EmulatedDynamixelBus } from '../../src/sim/emulated-dynamixel-bus.ts';
import { EmulatedFeetechBus } from '../../src/sim/emulated-feetech-bus.ts';
import type { EmulatedServoBus } from '../../src/sim/emulated-servo.ts';
import { Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';
import { PseudoTerminal } from '../../src/sim/terminal.ts';

const STS = modelByName('STS3215')!;
const XL330 = modelByName('XL330-M288')!;

const IDS = [1, 2, 3, 4, 5, 6];
/** Long: a busy machine is not a silent servo. */
const PATIENT = { deadline: 5000 };

/** Puts an emulated bus behind a real pseudo-terminal and opens that as a serial port. */
async function connect(make: (onReply: (bytes: Uint8Array) => void) => EmulatedServoBus): Promise<BytePort> {
  const bus = make((bytes) => terminal.write(bytes));
  const terminal = await PseudoTerminal.open((chunk) => bus.feed(chunk, performance.now()));
  const port = makePort(`serial:${terminal.path}?baud=1000000`, systemClock);
  onTestFinished(async () => {
    await port.close();
    await terminal.close();
  });
  await port.open();
  return port;
}

/** Reads until all servos have answered once. */
function read(bus: FeetechBus | DynamixelBus, address: number, length: number): Promise<void> {
  return new Promise((resolve) => {
    bus.onSettled = resolve;
    bus.beginRead(address, length);
  });
}

describe.skipIf(process.platform !== 'linux')('over a real serial port', () => {
  it('a Feetech arm is set up by its client, then read and written by its bus', async () => {
    const servos = IDS.map((id) => new Sts3215Firmware({ id }));
    const port = await connect((onReply) => new EmulatedFeetechBus({ servos, onReply }));
    const client = new FeetechClient(port, PATIENT);
    for (const id of IDS) expect((await client.ping(id))?.modelNumber).toBe(777);
    expect(await configure(client, STS, 3, { p_coefficient: 16 })).toEqual([
      { register: 'p_coefficient', from: 32, to: 16 },
    ]);
    const bus = new FeetechBus(port, IDS);
    bus.syncWrite(
      STS3215.registers.goal_position,
      IDS.map((id) => 2000 + id),
    );
    for (let cycle = 0; cycle < 50; cycle++) await read(bus, STS3215.registers.goal_position.address, 2);
    expect(IDS.map((_, i) => bus.block[40 * i]! | (bus.block[40 * i + 1]! << 8))).toEqual(IDS.map((id) => 2000 + id));
    expect([bus.discarded, ...bus.lost]).toEqual([0, 0, 0, 0, 0, 0, 0]);
    client.attach();
    expect(await readRegister(client, STS, 6, 'goal_position')).toBe(2006);
  });

  it('a Dynamixel arm of two models is, too, by fast sync reads', async () => {
    const servos = IDS.map((id) => new DynamixelFirmware({ model: id < 3 ? XL430_W250 : XL330_M288, id }));
    const port = await connect((onReply) => new EmulatedDynamixelBus({ servos, onReply }));
    const client = new DynamixelClient(port, PATIENT);
    const models: (number | undefined)[] = [];
    for (const id of IDS) models.push((await client.ping(id))?.modelNumber);
    expect(models).toEqual([1060, 1060, 1200, 1200, 1200, 1200]);
    expect(await configure(client, XL330, 6, { operating_mode: 5, return_delay: 0 })).toHaveLength(2);
    const bus = new DynamixelBus(port, IDS);
    bus.syncWrite(
      XL430_W250.registers.goal_position,
      IDS.map((id) => 2000 + id),
    );
    for (let cycle = 0; cycle < 50; cycle++) await read(bus, XL430_W250.registers.goal_position.address, 4);
    expect(IDS.map((_, i) => bus.block[40 * i]! | (bus.block[40 * i + 1]! << 8))).toEqual(IDS.map((id) => 2000 + id));
    expect([bus.discarded, ...bus.lost]).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(bus.fast).toBe(true);
    client.attach();
    expect(await readRegister(client, XL330, 6, 'operating_mode')).toBe(5);
  });
});
