import { expect, test } from 'vitest';
import { writeHoming } from '../../src/servo/homing.ts';
import { Bench } from './bench.ts';

test.each([
  ['STS3215', 0, 3],
  ['XL330-M288', 4, 4],
] as const)(
  'what a %s counts from, its mode and its own position limits are written for good, and counted',
  async (trade, operatingMode, writes) => {
    const rig = new Bench(trade);
    const homing = { offset: -150, operatingMode, limits: { lowest: 700, highest: 3300 } };
    rig.client.attach();
    await rig.run(writeHoming(rig.client, rig.model, 2, homing));
    const kept = (): number[] => {
      return ['homing_offset', 'operating_mode', 'min_position', 'max_position'].map((name) => rig.values(name)[1]!);
    };
    rig.servos[1]!.powerCycle();
    expect(kept()).toEqual([-150, operatingMode, 700, 3300]);
    // The Feetech servo was in its mode already.
    expect(rig.client.eepromWrites[2]).toBe(writes);
    await rig.run(writeHoming(rig.client, rig.model, 2, homing));
    expect(rig.client.eepromWrites[2]).toBe(writes);
    expect([rig.values('homing_offset')[0], rig.values('min_position')[2]]).toEqual([0, 0]);
  },
);
