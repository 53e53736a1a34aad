import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { DynamixelClient } from '../../src/servo/dynamixel/dynamixel-client.ts';
import { ResetOption } from '../../src/servo/dynamixel/dynamixel-constants.ts';
import { XL330_M288, XL430_W250, XM430_W350 } from '../../src/servo/dynamixel/x-series.ts';
import { FeetechClient } from '../../src/servo/feetech/feetech-client.ts';
import { STS3215 } from '../../src/servo/feetech/sts3215.ts';
import { type BytePort, PortError } from '../../src/servo/port/port.ts';
import { type ServoClient, ServoError } from '../../src/servo/servo-client.ts';
import { modelByName } from '../../src/servo/servo-models.ts';
import { configure, readRegister, scan, writeRegister } from '../../src/servo/setup.ts';
import { DynamixelFirmware } from '../../src/sim/dynamixel-firmware.ts';
import { EmulatedDynamixelBus } from '../../src/sim/emulated-dynamixel-bus.ts';
import { EmulatedFeetechBus } from '../../src/sim/emulated-feetech-bus.ts';
import type { EmulatedServoBus } from '../../src/sim/emulated-servo.ts';
import { Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';

const STS = modelByName('STS3215')!;
const XL330 = modelByName('XL330-M288')!;

/** A port with an emulated bus at its far end; answers come in a later turn of the event loop, as from a real port. */
class BenchPort implements BytePort {
  readonly url = 'test:bench';
  readonly clock = systemClock;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  readonly requests: number[][] = [];
  /** Time until an answer comes, ms. */
  delay = 0;
  bus: EmulatedServoBus | null = null;
  readonly #line: Uint8Array[] = [];
  #now = 0;

  async open(): Promise<void> {}
  write(bytes: Uint8Array): void {
    this.requests.push([...bytes]);
    this.#line.push(bytes.slice());
    // In their order, as on a line.
    setTimeout(() => this.bus?.feed(this.#line.shift()!, ++this.#now), this.delay);
  }
  async close(): Promise<void> {}
  readonly answer = (bytes: Uint8Array): void => this.onBytes(bytes.slice());
}

/** Long, so that a busy machine is not a silent servo; tests of silence take a short one. */
const PATIENT = { deadline: 2000 };
const BRIEF = { deadline: 25 };

function feetech(servos: readonly Sts3215Firmware[], options = PATIENT) {
  const port = new BenchPort();
  const bus = new EmulatedFeetechBus({ servos, onReply: port.answer });
  port.bus = bus;
  return { port, bus, client: new FeetechClient(port, options) };
}

function dynamixel(servos: readonly DynamixelFirmware[], options = PATIENT) {
  const port = new BenchPort();
  const bus = new EmulatedDynamixelBus({ servos, onReply: port.answer });
  port.bus = bus;
  return { port, bus, client: new DynamixelClient(port, options) };
}

/** The error with which a promise ends. */
async function failure(promise: Promise<unknown>): Promise<ServoError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ServoError);
  return error as ServoError;
}

const families = [
  {
    name: 'Feetech',
    model: STS,
    firmware: '3.10',
    make: (options = PATIENT) => feetech([new Sts3215Firmware({ id: 3 }), new Sts3215Firmware({ id: 5 })], options),
  },
  {
    name: 'Dynamixel',
    model: XL330,
    firmware: '46',
    make: (options = PATIENT) =>
      dynamixel(
        [3, 5].map((id) => new DynamixelFirmware({ model: XL330_M288, id })),
        options,
      ),
  },
] as const;

describe.each(families)('a $name client', ({ model, firmware, make }) => {
  const goal = model.common.goalPosition;

  it('tells model and firmware of a servo, and null where there is none', async () => {
    const { client } = make(BRIEF);
    expect(await client.ping(9)).toBeNull();
    const patient = make().client;
    expect(await patient.ping(3)).toEqual({ id: 3, modelNumber: model.modelNumber, firmware });
  });

  it('finds the servos among the ids that it is given', async () => {
    const { client } = make(BRIEF);
    const seen: number[] = [];
    const { found, failed } = await scan(client, [1, 3, 4, 5], ({ id }) => seen.push(id));
    expect(found.map(({ id }) => id)).toEqual([3, 5]);
    expect(seen).toEqual([3, 5]);
    expect(failed).toEqual([]);
  });

  it('writes bytes and reads them back, also when several callers ask at once', async () => {
    const { client } = make();
    const bytes = Uint8Array.from({ length: goal.size }, (_, i) => [0x21, 0x04][i] ?? 0);
    await Promise.all([client.write(3, goal.address, bytes), client.write(5, goal.address, bytes)]);
    const [a, b] = await Promise.all([
      client.read(3, goal.address, goal.size),
      client.read(5, goal.address, goal.size),
    ]);
    expect([a, b]).toEqual([bytes, bytes]);
  });

  it('carries out prepared writes together', async () => {
    const { client } = make();
    const bytes = Uint8Array.from({ length: goal.size }, (_, i) => [0x21, 0x04][i] ?? 0);
    const before = await client.read(5, goal.address, goal.size);
    await client.regWrite(3, goal.address, bytes);
    await client.regWrite(5, goal.address, bytes);
    expect(await client.read(5, goal.address, goal.size)).toEqual(before);
    client.action();
    expect(await client.read(3, goal.address, goal.size)).toEqual(bytes);
    expect(await client.read(5, goal.address, goal.size)).toEqual(bytes);
  });

  it('says which servo is silent, what it was asked, and what to do', async () => {
    const { client, port } = make(BRIEF);
    const error = await failure(client.read(4, 56, 2));
    expect(error.code).toBe('timeout');
    expect(error.id).toBe(4);
    expect(error.message).toBe(
      'servo 4 did not answer the read of 2 bytes at register address 56 in time, twice: ' +
        'check its power, the cable into it, and that its id and baud rate are the ones asked for',
    );
    expect(port.requests).toHaveLength(2);
  });

  it('asks again when an answer is damaged, and says so when the second one is damaged too', async () => {
    const { client, bus } = make(BRIEF);
    bus.faults.corruptRate = 1;
    const error = await failure(client.read(3, goal.address, goal.size));
    expect(error.code).toBe('corrupt');
    expect(error.message).toContain('servo 3');
    expect(error.message).toContain(`register address ${goal.address}`);
    bus.faults.corruptRate = 0;
    expect(await client.read(3, goal.address, goal.size)).toHaveLength(goal.size);
  });

  it('bears that one answer in three is lost', async () => {
    const { client, bus } = make({ deadline: 15 });
    bus.faults.loseRate = 0.33;
    let failed = 0;
    for (let i = 0; i < 40; i++) await client.read(3, goal.address, goal.size).catch(() => failed++);
    // One in nine is lost twice.
    expect(failed).toBeLessThan(14);
  });

  it('does not take a late answer for that to the next request', async () => {
    const { client, port } = make(BRIEF);
    const [low, high] = [model.common.minPosition, model.common.maxPosition];
    port.delay = 60;
    await client.read(3, low.address, low.size).catch(() => {});
    port.delay = 0;
    const bytes = await client.read(3, high.address, high.size);
    expect([bytes[0], bytes[1]]).toEqual([0xff, 0x0f]);
  });

  it('takes no answer for that to another request, however late it is and whatever has been asked meanwhile', async () => {
    const { client, port } = make(BRIEF);
    const [low, high] = [model.common.minPosition, model.common.maxPosition];
    const late: (() => void)[] = [];
    const send = port.write.bind(port);
    port.write = (bytes) => {
      const copy = bytes.slice();
      late.push(() => send(copy));
    };
    await client.read(3, low.address, low.size).catch(() => {});
    await client.read(5, low.address, low.size).catch(() => {});
    await client.read(3, high.address, high.size).catch(() => {});
    port.write = (bytes) => {
      // What was asked before is answered first, as it is on a line.
      for (const request of late.splice(0)) request();
      send(bytes);
    };
    // A busy machine may be a silent servo once more; what it hears is to be right.
    const heard: number[][] = [];
    for (const id of [5, 3]) {
      const before = heard.length;
      await expect
        .poll(async () => {
          await client.read(id, high.address, high.size).then(
            (bytes) => heard.push([...bytes].slice(0, 2)),
            () => {},
          );
          return heard.length > before;
        })
        .toBe(true);
    }
    expect(heard).toEqual([
      [0xff, 0x0f],
      [0xff, 0x0f],
    ]);
  });

  it('ends at once when the port closes', async () => {
    const { client, port } = make();
    const pending = failure(client.read(9, 0, 2));
    await new Promise((resolve) => setTimeout(resolve, 5));
    port.onClose(new PortError('closed', 'test:bench went away'));
    const error = await pending;
    expect([error.code, error.message]).toEqual(['closed', 'test:bench went away']);
  });

  it('reads and writes registers by name, in counts with their sign', async () => {
    const { client } = make();
    await writeRegister(client, model, 3, 'homing_offset', -120);
    expect(await readRegister(client, model, 3, 'homing_offset')).toBe(-120);
  });

  it('refuses a register that is not there, is read only, or cannot hold the value, before it writes anything', async () => {
    const { client, port } = make();
    const wrong = model;
    await expect(writeRegister(client, wrong, 3, 'no_such' as 'id', 1)).rejects.toThrow(
      `a ${model.model} has no register "no_such"; its registers are`,
    );
    await expect(configure(client, wrong, 3, { max_position: 4000, present_voltage: 1 })).rejects.toThrow(
      `register "present_voltage" of a ${model.model} is read only`,
    );
    await expect(writeRegister(client, wrong, 3, 'max_temperature', 300)).rejects.toThrow('within 0..255, not 300');
    await expect(configure(client, wrong, 3, { id: 4 })).rejects.toThrow('write it by itself');
    expect(port.requests).toEqual([]);
  });

  it('writes only what differs, and tells what it changed', async () => {
    const { client, port } = make();
    const sts = model;
    const values = { min_position: 100, max_position: 4095, homing_offset: -5 };
    expect(await configure(client, sts, 3, values)).toEqual([
      { register: 'min_position', from: 0, to: 100 },
      { register: 'homing_offset', from: 0, to: -5 },
    ]);
    const writes = port.requests.length;
    expect(await configure(client, sts, 3, values)).toEqual([]);
    // The second time: three reads, no write.
    expect(port.requests.length - writes).toBe(3);
  });
});

describe('Feetech set-up', () => {
  const lock = STS3215.registers.lock.address;

  it('opens the EEPROM for its writes only, so that they last and nothing else does', async () => {
    const servo = new Sts3215Firmware({ id: 1 });
    const { client, port } = feetech([servo]);
    await configure(client, STS, 1, { p_coefficient: 16, d_coefficient: 32, torque_limit: 500 });
    const writes = port.requests.filter((bytes) => bytes[4] === 3).map((bytes) => bytes.slice(5, -1));
    expect(writes).toEqual([
      [lock, 0],
      [STS3215.registers.p_coefficient.address, 16],
      [lock, 1],
      [STS3215.registers.torque_limit.address, 0xf4, 1],
    ]);
    servo.powerCycle();
    expect(servo.value('p_coefficient')).toBe(16);
    expect(servo.value('torque_limit')).toBe(1000);
  });

  it('locks the EEPROM again also when a write fails', async () => {
    const servo = new Sts3215Firmware({ id: 1 });
    const { client, port, bus } = feetech([servo], BRIEF);
    const send = port.write.bind(port);
    port.write = (bytes) => {
      // The servo does not hear the write itself, neither the first time nor the second.
      const isWrite = bytes[4] === 3 && bytes[5] === STS3215.registers.p_coefficient.address;
      if (!isWrite) send(bytes);
    };
    const error = await failure(writeRegister(client, STS, 1, 'p_coefficient', 16));
    expect(error.code).toBe('timeout');
    expect(servo.value('lock')).toBe(1);
    expect(bus.faults.dead.size).toBe(0);
  });

  it('gives a servo another id, and locks it under that id', async () => {
    const servo = new Sts3215Firmware({ id: 1 });
    const { client } = feetech([servo]);
    await writeRegister(client, STS, 1, 'id', 6);
    expect(await client.ping(6)).not.toBeNull();
    expect(servo.value('lock')).toBe(1);
    servo.powerCycle();
    expect(servo.id).toBe(6);
  });

  it('reads a servo with an alarm like any other', async () => {
    const { client } = feetech([new Sts3215Firmware({ id: 1, supplyVoltage: 12 })]);
    expect(await readRegister(client, STS, 1, 'present_voltage')).toBe(120);
    expect(await readRegister(client, STS, 1, 'status')).toBe(1);
  });

  it('says when a servo has not kept a value', async () => {
    const servo = new Sts3215Firmware({ id: 1 });
    const { client } = feetech([servo]);
    // 128 makes the present position the middle and leaves the torque as it is.
    const error = await failure(configure(client, STS, 1, { torque_enable: 128 }));
    expect(error.message).toContain('servo 1 has 0 in "torque_enable" (register address 40) after 128 was written');
  });

  it('says how to clear an alarm of a servo that cannot be restarted', async () => {
    const { client } = feetech([new Sts3215Firmware({ id: 1 })]);
    const error = await failure(client.reboot(1));
    expect(error.code).toBe('refused');
    expect(error.message).toContain('switch its torque off (register address 40)');
  });
});

describe('Dynamixel set-up', () => {
  function servo(id: number, model: ConstructorParameters<typeof DynamixelFirmware>[0]['model'] = XL330_M288) {
    return new DynamixelFirmware({ model, id });
  }

  it('refuses an EEPROM write under torque, says why, and leaves the torque on', async () => {
    const one = servo(1);
    const { client } = dynamixel([one]);
    await writeRegister(client, XL330, 1, 'torque_enable', 1);
    const bare = await failure(writeRegister(client, XL330, 1, 'operating_mode', 5));
    expect(bare.code).toBe('refused');
    expect(bare.message).toBe(
      'servo 1 refused the write of 1 bytes at register address 11: access error: registers below address 64 can only be ' +
        'written with torque off; support the arm, write 0 to torque enable (register address 64) and try again',
    );
    const whole = await failure(configure(client, XL330, 1, { operating_mode: 5 }));
    expect(whole.message).toContain('servo 1 holds torque');
    expect(one.torqueOn).toBe(true);
    await writeRegister(client, XL330, 1, 'torque_enable', 0);
    expect(await configure(client, XL330, 1, { operating_mode: 5, goal_current: 300 })).toEqual([
      { register: 'operating_mode', from: 3, to: 5 },
      { register: 'goal_current', from: 1750, to: 300 },
    ]);
  });

  it.each([
    ['operating_mode', 2, 'outside the range'],
    ['goal_position', 4096, 'beyond the limit'],
    ['goal_current', 2000, 'beyond the limit'],
  ] as const)('explains the refusal of %s = %i', async (name, value, words) => {
    const { client } = dynamixel([servo(1)]);
    const error = await failure(writeRegister(client, XL330, 1, name, value));
    expect(error.message).toContain(words);
    expect(error.message).toContain(`register address ${XL330_M288.registers[name].address}`);
  });

  it('explains a write that ends inside a register', async () => {
    const { client } = dynamixel([servo(1)]);
    const error = await failure(client.write(1, 116, Uint8Array.of(1, 2)));
    expect(error.message).toContain('does not cover the register as a whole');
  });

  it('reads blocks of different registers at once, and those that are missing one by one', async () => {
    const servos = [servo(1), servo(2, XL430_W250), servo(3, XM430_W350)];
    const { client, port, bus } = dynamixel(servos, BRIEF);
    const requests = [
      { id: 1, address: 0, length: 2 },
      { id: 2, address: 31, length: 1 },
      { id: 3, address: 84, length: 2 },
    ];
    const expected = [[0xb0, 0x04], [72], [0x20, 0x03]].map((bytes) => Uint8Array.from(bytes));
    expect(await client.bulkRead(requests)).toEqual(expected);
    expect(port.requests).toHaveLength(1);
    bus.faults.dead.add(2);
    const later = client.bulkRead(requests);
    setTimeout(() => bus.faults.dead.clear(), 10);
    expect(await later).toEqual(expected);
  });

  it('restarts a servo out of a shutdown', async () => {
    const one = servo(1);
    const { client } = dynamixel([one]);
    await writeRegister(client, XL330, 1, 'torque_enable', 1);
    one.raiseOverload();
    expect(await readRegister(client, XL330, 1, 'torque_enable')).toBe(0);
    const error = await failure(writeRegister(client, XL330, 1, 'torque_enable', 1));
    expect(error.message).toContain('read its hardware error status (register address 70), a restart clears it');
    await client.reboot(1);
    await writeRegister(client, XL330, 1, 'torque_enable', 1);
    expect(one.torqueOn).toBe(true);
  });

  it('puts a servo back to the factory settings and keeps its id', async () => {
    const { client } = dynamixel([servo(4)]);
    await configure(client, XL330, 4, { return_delay: 0, homing_offset: -100 });
    await client.factoryReset(4, ResetOption.allButIdAndBaudRate);
    expect(await readRegister(client, XL330, 4, 'return_delay')).toBe(250);
    expect(await readRegister(client, XL330, 4, 'homing_offset')).toBe(0);
  });
});

it('a client of either family is one shape to set-up', () => {
  const clients: ServoClient[] = [feetech([]).client, dynamixel([]).client];
  expect(clients).toHaveLength(2);
});
