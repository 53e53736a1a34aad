import { beforeEach, describe, expect, it } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { type AssignFault, type AssignOptions, assign, at, presence, type SetupLine } from '../../src/servo/assign.ts';
import { XL330_M077, XL330_M288, XM430_W350 } from '../../src/servo/dynamixel/x-series.ts';
import type { ExpectedServo } from '../../src/servo/expected-servo.ts';
import { familyByName } from '../../src/servo/families.ts';
import { PortError } from '../../src/servo/port/port.ts';
import { expectedServos } from '../../src/setup/expected-servos.ts';
import { DynamixelFirmware } from '../../src/sim/dynamixel-firmware.ts';
import { Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';
import { type Firmware, ServoBox } from '../support/servo-box.ts';

const OPTIONS: AssignOptions = { baudRate: 1_000_000, ids: [0, 1, 2, 3, 4, 5, 6] };

/** The servo of an arm with this id. */
function of(model: string, id: number): ExpectedServo {
  return expectedServos(loadArmModel(model)).find((servo) => servo.id === id)!;
}

let box: ServoBox;
beforeEach(() => {
  box = new ServoBox();
});

/** A lock that somebody has closed: what is written to the EEPROM then is forgotten with the supply. */
function closeLock(servo: Sts3215Firmware): void {
  servo.write(55, Uint8Array.of(1), 0, 1);
}

const FAMILIES = [
  {
    family: 'feetech',
    wanted: of('so101', 6),
    /** Not at the rate of the arm, and locked. */
    fresh: (id = 1, baud = 1) => {
      const servo = new Sts3215Firmware({ id, eeprom: { baud_code: baud } });
      closeLock(servo);
      return servo;
    },
    /** Rate of baud code 1, baud code of 1 Mbaud, and address of torque enable. */
    slow: 500_000,
    fast: 0,
    torque: 40,
    /** The gripper's own protection (robots/so101/arm.yaml). */
    set: [
      { register: 'max_torque', from: 1000, to: 500 },
      { register: 'protection_current', from: 500, to: 250 },
      { register: 'overload_torque', from: 80, to: 25 },
      { register: 'torque_limit', from: 1000, to: 500 },
    ],
  },
  {
    family: 'dynamixel',
    wanted: of('koch', 6),
    fresh: (id = 1, baud = 1) => new DynamixelFirmware({ model: XL330_M288, id, eeprom: { baud_code: baud } }),
    slow: 57_600,
    fast: 3,
    torque: 64,
    set: [
      { register: 'operating_mode', from: 3, to: 5 },
      { register: 'current_limit', from: 1750, to: 735 },
      { register: 'return_delay', from: 250, to: 0 },
      { register: 'goal_current', from: 1750, to: 735 },
    ],
  },
] as const;

describe.each(FAMILIES)('a $family servo from the factory', ({ family, wanted, fresh, slow, fast, torque, set }) => {
  const line = () => box.line(familyByName(family));
  const failure = async (options = OPTIONS): Promise<[AssignFault, string]> => {
    const error = await assign(line(), wanted, options).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: 'AssignError' });
    const { code, message } = error as { code: AssignFault; message: string };
    return [code, message];
  };
  const state = (servo: Firmware) => [servo.value('id'), servo.value('baud_code')];

  it('gets its id and its rate, and has them still when its supply comes back', async () => {
    const servo = fresh();
    box.connect(servo);
    const { identity, foundAt, changes } = await assign(line(), wanted, OPTIONS);
    expect([identity.id, foundAt]).toEqual([1, slow]);
    expect(changes).toEqual([{ register: 'id', from: 1, to: 6 }, ...set, { register: 'baud_code', from: 1, to: fast }]);
    if (servo instanceof Sts3215Firmware) expect(servo.value('lock')).toBe(1);
    servo.powerCycle();
    expect(state(servo)).toEqual([6, fast]);
  });

  it('is left as it is when it is set up already, and finished when its set-up was cut short', async () => {
    const ready = fresh(6, fast);
    box.connect(ready);
    expect((await assign(line(), wanted, OPTIONS)).changes).toEqual(set);
    expect((await assign(line(), wanted, OPTIONS)).changes).toEqual([]);
    const half = fresh(6, 1);
    box.connect(half);
    expect((await assign(line(), wanted, OPTIONS)).changes).toEqual([
      ...set,
      { register: 'baud_code', from: 1, to: fast },
    ]);
    expect(state(half)).toEqual([6, fast]);
  });

  it('is found at its new rate also when its acknowledgement of it is lost', async () => {
    const servo = fresh();
    box.connect(servo);
    box.losesLastWord = true;
    await assign(line(), wanted, OPTIONS);
    servo.powerCycle();
    expect(state(servo)).toEqual([6, fast]);
  });

  it('is looked for at all rates of its model where it is not at a usual one', async () => {
    const servo = fresh(1, family === 'feetech' ? 4 : 2);
    box.connect(servo);
    const { foundAt } = await assign(line(), wanted, { ...OPTIONS, ids: [1] });
    expect(foundAt).toBe(115_200);
    expect(state(servo)).toEqual([6, fast]);
  });

  it('is looked for at the rates that the adapter has: others of its model are left out', async () => {
    const servo = fresh(1, family === 'feetech' ? 4 : 2);
    box.connect(servo);
    const whole = line();
    const lacking: SetupLine = {
      name: whole.name,
      open: async (baudRate) => {
        if (![57_600, 115_200, 1_000_000].includes(baudRate!)) throw new PortError('unsupported', 'no such rate');
        return whole.open(baudRate);
      },
    };
    expect((await assign(lacking, wanted, { ...OPTIONS, ids: [1] })).foundAt).toBe(115_200);
    await expect(assign(lacking, wanted, { ...OPTIONS, rates: [500_000, 4_000_000] })).rejects.toThrow('no such rate');
  });

  it('keeps its rate where the far end of the line sets it', async () => {
    const servo = fresh();
    box.connect(servo);
    const { foundAt, changes } = await assign(line(), wanted, { ...OPTIONS, baudRate: null });
    expect([foundAt, changes]).toEqual([null, [{ register: 'id', from: 1, to: 6 }, ...set]]);
  });

  it('is not written to while a second one is connected: with the same id, with another, at another rate', async () => {
    for (const other of [fresh(), fresh(3), fresh(1, fast)]) {
      const servo = fresh();
      box.connect(servo, other);
      const before = [state(servo), state(other)];
      const rates = [slow, 1_000_000];
      expect((await failure({ ...OPTIONS, rates }))[0]).toBe('several');
      expect([state(servo), state(other)]).toEqual(before);
    }
  });

  it('is told from two whose answers collide on the wire: only their positions differ', async () => {
    const servos = [fresh(), fresh()];
    box.connect(...servos);
    box.collides = true;
    expect(await failure()).toEqual(['several', expect.stringContaining('more than one servo answers as id 1')]);
    expect(servos.map(state)).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  it('is not written to with a supply that it is not made for', async () => {
    const servo = fresh();
    box.connect(servo);
    servo.fault({ volts: 24 });
    for (let time = 0; time < 0.2; time += 0.01) servo.step(0.01, 0, 0);
    expect(await failure()).toEqual([
      'voltage',
      expect.stringMatching(/^servo 1 measures 24\.0 V, and is made for \d\.\d to \d+\.\d V/),
    ]);
    expect(state(servo)).toEqual([1, 1]);
  });

  it('is not written to while it holds torque', async () => {
    const servo = fresh();
    box.connect(servo);
    servo.write(torque, Uint8Array.of(1), 0, 1);
    expect(await failure()).toEqual(['torque', expect.stringContaining('servo 1 holds torque')]);
    expect([servo.torqueOn, ...state(servo)]).toEqual([true, 1, 1]);
  });

  it('is not taken for one that somebody has given another id, unless that is meant', async () => {
    const servo = fresh(3, fast);
    box.connect(servo);
    expect(await failure()).toEqual(['given', expect.stringContaining('--reassign')]);
    expect(state(servo)).toEqual([3, fast]);
    await assign(line(), wanted, { ...OPTIONS, reassign: true });
    expect(state(servo)).toEqual([6, fast]);
  });

  it('is missed where nobody is connected, and a rate that it does not have is refused', async () => {
    expect(await failure({ ...OPTIONS, ids: [1], rates: [1_000_000] })).toEqual([
      'silent',
      expect.stringMatching(/no .* servo answers at 1000000 baud/),
    ]);
    await expect(assign(line(), wanted, { ...OPTIONS, baudRate: 123_456 })).rejects.toThrow('cannot be set to 123456');
  });
});

describe('the servo that an arm expects', () => {
  it('is one of the model that its data name: a leader’s in a follower is refused', async () => {
    const servo = new DynamixelFirmware({ model: XL330_M077, id: 1 });
    box.connect(servo);
    const wrong = assign(box.line(familyByName('dynamixel')), of('koch', 6), OPTIONS);
    await expect(wrong).rejects.toMatchObject({ code: 'model', message: expect.stringContaining('is a XL330-M077') });
    expect(servo.value('id')).toBe(1);
  });

  it('obeys another one besides where it is its shadow, in reverse where it is mounted so', async () => {
    const servo = new DynamixelFirmware({ model: XM430_W350, id: 1 });
    box.connect(servo);
    await assign(box.line(familyByName('dynamixel')), of('wx250s', 3), OPTIONS);
    servo.powerCycle();
    expect([servo.value('id'), servo.value('secondary_id'), servo.value('drive_mode')]).toEqual([3, 2, 1]);
  });

  it('is there, silent, of another model, or one of several', async () => {
    const servos = [1, 3, 3, 4].map((id) => new DynamixelFirmware({ model: XL330_M288, id, eeprom: { baud_code: 3 } }));
    box.connect(...servos);
    const expected = [5, 4, 3, 1].map((id) => of('koch', id));
    const found = await at(box.line(familyByName('dynamixel')), 1_000_000, (client) => presence(client, expected));
    expect(found).toEqual(['silent', 'there', 'several', 'other']);
  });
});
