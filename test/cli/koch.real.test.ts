import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registersByMaker, WITNESS_PYTHON } from '../support/witness.ts';
import { arm, type Run, type Served, serve } from './support/program.ts';

let koch: Served;
beforeAll(async () => {
  koch = await serve('--arm', 'koch');
});
afterAll(() => koch.end());

function write(id: number, ...texts: string[]): Promise<Run> {
  return arm('registers', 'write', '--port', koch.url, '--id', String(id), ...texts);
}

function byMaker(...registers: string[]): Promise<number[]> {
  return registersByMaker('dynamixel', koch.path, ...registers);
}

describe.skipIf(process.platform !== 'linux' || !WITNESS_PYTHON)('an emulated Koch on a serial port', () => {
  it('is scanned: which servo is which model, its firmware, voltage, torque and position, as the makers read them', async () => {
    const { code, output } = await arm('scan', '--port', koch.url, '--ids', '0-8', '--baud', '1000000', '--json');
    expect(code).toBe(0);
    const found: Record<string, unknown>[] = JSON.parse(output).ports[0].servos;
    expect(found.map(({ id, family, model, voltage }) => [id, family, model, voltage])).toEqual([
      [1, 'dynamixel', 'XL430-W250', 12],
      [2, 'dynamixel', 'XL430-W250', 12],
      [3, 'dynamixel', 'XL330-M288', 5],
      [4, 'dynamixel', 'XL330-M288', 5],
      [5, 'dynamixel', 'XL330-M288', 5],
      [6, 'dynamixel', 'XL330-M288', 5],
    ]);
    for (const { id, modelNumber, firmware, torque, positionSteps } of found) {
      const registers = ['0:2', '6:1', '64:1', '132:4'].map((register) => `${id}:${register}`);
      const [number, version, enabled, position] = await byMaker(...registers);
      expect([modelNumber, firmware, torque]).toEqual([number, String(version), enabled === 1]);
      // It lies limp on what it lies on.
      expect(Math.abs(Number(positionSteps) - position!)).toBeLessThanOrEqual(2);
    }
  });

  it('has its registers written by name and with a unit, what is there being what the makers read', async () => {
    const { code, output } = await write(6, 'current_limit=900mA', 'max_temperature=60degC', 'position_p_gain=300');
    expect([code, output]).toEqual([0, expect.stringContaining('max_temperature: 70 -> 60 (60 degC)')]);
    expect(await byMaker('6:38:2', '6:31:1', '6:84:2')).toEqual([900, 60, 300]);
    expect((await write(2, 'homing_offset=-77')).code).toBe(0);
    expect(await byMaker('2:20:4')).toEqual([2 ** 32 - 77]);
    const read = await arm('registers', 'read', '--port', koch.url, '--id', '2', '--json', 'homing_offset', 'id');
    expect(JSON.parse(read.output).registers.map(({ counts }: { counts: number }) => counts)).toEqual([-77, 2]);
    expect((await write(2, 'homing_offset=0')).code).toBe(0);
  });

  it('keeps what its servos do not take under torque, and what would make it jump', async () => {
    const refused = await write(4, 'goal_position=2000');
    expect([refused.code, refused.errors]).toEqual([2, expect.stringContaining('goes through the bridge')]);
    expect((await write(4, '--unsafe', 'torque_enable=1')).code).toBe(0);
    const held = await write(4, 'max_temperature=60');
    expect([held.code, held.errors]).toEqual([1, expect.stringContaining('servo 4')]);
    expect(await byMaker('4:31:1', '4:64:1')).toEqual([70, 1]);
    expect((await write(4, '--unsafe', 'torque_enable=0')).code).toBe(0);
  });
});
