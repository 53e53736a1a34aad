import { describe, expect, test } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { assign } from '../../src/servo/assign.ts';
import { XL330_M288 } from '../../src/servo/dynamixel/x-series.ts';
import { familyByName } from '../../src/servo/families.ts';
import { expectedServos } from '../../src/setup/expected-servos.ts';
import { DynamixelFirmware } from '../../src/sim/dynamixel-firmware.ts';
import { EmulatedDynamixelBus } from '../../src/sim/emulated-dynamixel-bus.ts';
import { EmulatedFeetechBus } from '../../src/sim/emulated-feetech-bus.ts';
import { Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';
import { type Firmware, ServoBox } from '../support/servo-box.ts';
import { registersOnBus, WITNESS_PYTHON } from '../support/witness.ts';

/** Gives a servo from the factory the id and the rate of the sixth servo of an arm. */
async function setUp(servo: Firmware, family: 'feetech' | 'dynamixel', arm: string): Promise<void> {
  const box = new ServoBox();
  box.connect(servo);
  const wanted = expectedServos(loadArmModel(arm)).find(({ id }) => id === 6)!;
  await assign(box.line(familyByName(family)), wanted, { baudRate: 1_000_000, ids: [0, 1, 2, 3, 4, 5, 6] });
}

describe.skipIf(!WITNESS_PYTHON)('the maker’s SDK reads the id and the rate that were assigned', () => {
  test('of a Feetech servo, whose EEPROM is locked again', async () => {
    const servo = new Sts3215Firmware({ id: 1, eeprom: { baud_code: 1 } });
    await setUp(servo, 'feetech', 'so101');
    const read = await registersOnBus('feetech', ['6:5:1', '6:6:1', '6:55:1'], (onReply) => {
      return new EmulatedFeetechBus({ servos: [servo], onReply });
    });
    expect(read).toEqual([6, 0, 1]);
  });

  test('of a Dynamixel servo', async () => {
    const servo = new DynamixelFirmware({ model: XL330_M288, id: 1, eeprom: { baud_code: 1 } });
    await setUp(servo, 'dynamixel', 'koch');
    const read = await registersOnBus('dynamixel', ['6:7:1', '6:8:1'], (onReply) => {
      return new EmulatedDynamixelBus({ servos: [servo], onReply });
    });
    expect(read).toEqual([6, 3]);
  });
});
