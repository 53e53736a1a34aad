import { beforeAll, describe, expect, it } from 'vitest';
import {
  type DynamixelModel,
  XL330_M077,
  XL330_M288,
  XL430_W250,
  XM430_W350,
} from '../../src/servo/dynamixel/x-series.ts';
import { STS3215 } from '../../src/servo/feetech/sts3215.ts';
import type { ControlTable } from '../../src/servo/registers.ts';
import { DynamixelFirmware } from '../../src/sim/dynamixel-firmware.ts';
import { EmulatedDynamixelBus } from '../../src/sim/emulated-dynamixel-bus.ts';
import { WITNESS_PYTHON, witnessOnBus } from '../support/witness.ts';

const OK = 0;
const MODEL = 1200;
const FIRMWARE = 46;
/** Names of the tables here for those of the e-manual, which the makers' SDK and rustypot use. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  baud_rate: 'baud_code',
  return_delay_time: 'return_delay',
  secondary_shadow_id: 'secondary_id',
  temperature_limit: 'max_temperature',
  max_voltage_limit: 'max_voltage',
  min_voltage_limit: 'min_voltage',
  max_position_limit: 'max_position',
  min_position_limit: 'min_position',
  present_input_voltage: 'present_voltage',
};
/** The same of the STS3215. */
const OTHER_STS_NAMES: Readonly<Record<string, string>> = {
  firmware_major_version: 'firmware_major',
  firmware_minor_version: 'firmware_minor',
  baud_rate: 'baud_code',
  return_delay_time: 'return_delay',
  response_status_level: 'response_level',
  min_position_limit: 'min_position',
  max_position_limit: 'max_position',
  max_temperature_limit: 'max_temperature',
  max_voltage_limit: 'max_voltage',
  min_voltage_limit: 'min_voltage',
  max_torque_limit: 'max_torque',
  unloading_condition: 'unload_condition',
  speed_closed_loop_p_coefficient: 'velocity_p',
  velocity_closed_loop_i_coefficient: 'velocity_i',
  over_current_protection_time: 'over_current_time',
  goal_velocity: 'goal_speed',
  present_velocity: 'present_speed',
  moving_velocity_threshold: 'move_threshold',
};

interface Report {
  readonly rustypot: unknown;
  readonly sdk_tables: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>>;
  readonly rustypot_tables: Readonly<Record<string, readonly (readonly [string, number, number])[]>>;
  readonly [name: string]: unknown;
}

/** Registers of another implementation's table that are at another place here, and how many are at the same. */
function compare(
  table: ControlTable,
  names: Readonly<Record<string, string>>,
  rows: readonly (readonly [string, number, number])[],
): { agreeing: number; differing: string[] } {
  const differing: string[] = [];
  let agreeing = 0;
  for (const [name, address, size] of rows) {
    const row = table[names[name] ?? name];
    if (!row) continue;
    if (row.address === address && row.size === size) agreeing++;
    else differing.push(`${name}: ${row.address}/${row.size} here, ${address}/${size} there`);
  }
  return { agreeing, differing };
}

describe.skipIf(!WITNESS_PYTHON)('other implementations over a pseudo terminal', () => {
  let report: Report;
  const servos = [1, 2, 3, 4, 5, 6].map((id) => new DynamixelFirmware({ model: XL330_M288, id }));

  beforeAll(async () => {
    const script = new URL('dynamixel-witness.py', import.meta.url);
    report = (await witnessOnBus(script, (onReply) => new EmulatedDynamixelBus({ servos, onReply }))) as Report;
  });

  it("the makers' SDK understands the emulated servos in every kind of transaction", () => {
    const { rustypot, sdk_tables, rustypot_tables, ...transactions } = report;
    const found = Object.fromEntries([1, 2, 3, 4, 5, 6].map((id) => [id, [MODEL, FIRMWARE]]));
    expect(transactions).toEqual({
      ping: [MODEL, OK, 0],
      ping_missing: true,
      broadcast_ping: [found, OK],
      model: [MODEL, OK, 0],
      write: [OK, 0],
      led: [1, OK, 0],
      id_change: [OK, 0],
      new_id: [16, OK, 0],
      range: [OK, 4],
      limit: [OK, 6],
      read_only: [OK, 7],
      stuffed_write: [OK, 0],
      stuffed_read: [0xfffdffff, OK, 0],
      torque: [OK, 0],
      eeprom_under_torque: [OK, 7],
      sync_write: OK,
      sync_read: OK,
      goals: [2001, 2002, 2003, 2004],
      fast_sync_read: OK,
      fast_goals: [2001, 2002, 2003, 2004],
      reg_write: [OK, 0],
      before_action: 2002,
      registered: 1,
      after_action: 1500,
      bulk_read: OK,
      bulk: [2001, 1],
      bulk_write: OK,
      bulk_written: [30, 0],
      reboot: [OK, 0],
      torque_after_reboot: [0, OK, 0],
      factory_reset: [OK, 0],
      after_reset: [3, OK, 0],
    });
  });

  it('rustypot understands them too, signs and refusals included', () => {
    expect(report.rustypot).toEqual({
      ping: [true, true],
      scan: { 1: MODEL, 2: MODEL },
      write: 0,
      read: 1024,
      negative: -77,
      sync_read: [100, -200, 300],
      refusal: 7,
      reboot: true,
    });
  });

  it.each([
    [1200, XL330_M288],
    [1190, XL330_M077],
    [1060, XL430_W250],
    [1020, XM430_W350],
  ] as [number, DynamixelModel][])(
    "the makers' SDK has the registers of model %i at the same places",
    (number, model) => {
      const rows = Object.entries(report.sdk_tables[number]!).map(
        ([name, [address, size]]) => [name.toLowerCase().replace(/[^a-z0-9]+/g, '_'), address, size] as const,
      );
      const { agreeing, differing } = compare(model.registers, OTHER_NAMES, rows);
      expect(differing).toEqual([]);
      expect(agreeing).toBeGreaterThanOrEqual(46);
    },
  );

  it.each([
    ['Xl330PyController', XL330_M288.registers, OTHER_NAMES, 52],
    ['Xl430PyController', XL430_W250.registers, OTHER_NAMES, 50],
    ['Sts3215PyController', STS3215.registers, OTHER_STS_NAMES, 48],
  ] as const)('rustypot has the registers of %s at the same places', (name, table, names, least) => {
    const { agreeing, differing } = compare(table, names, report.rustypot_tables[name]!);
    expect(differing).toEqual([]);
    expect(agreeing).toBeGreaterThanOrEqual(least);
  });
});
