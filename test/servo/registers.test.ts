import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { familyByName } from '../../src/servo/families.ts';
import { countRange, decodeSign, encodeSign, fromSI, loadRaw, storeRaw, toSI } from '../../src/servo/registers.ts';
import { modelByName, modelByNumber, SERVO_MODELS } from '../../src/servo/servo-models.ts';

const MODELS = SERVO_MODELS.map((model) => [model.model, model] as const);

test.each(MODELS)('%s: each register gives back every count that it can hold', (_, model) => {
  const bytes = new Uint8Array(8);
  for (const [name, row] of Object.entries(model.registers)) {
    const { min, max } = countRange(row);
    fc.assert(
      fc.property(fc.integer({ min, max }), (counts) => {
        bytes.fill(0xa5);
        storeRaw(bytes, 2, row.size, encodeSign(row.sign, counts));
        expect(decodeSign(row.sign, loadRaw(bytes, 2, row.size)), name).toBe(counts);
        expect([bytes[1], bytes[2 + row.size]], name).toEqual([0xa5, 0xa5]);
        expect(fromSI(row, toSI(row, counts)), name).toBe(counts);
      }),
      { seed: 4, numRuns: 20, examples: [[min], [max], [0]] },
    );
  }
});

describe('sign rules', () => {
  test("two's complement is that of the machine", () => {
    const view = new DataView(new ArrayBuffer(4));
    for (const value of [-1, -2048, 2047, -131_073, 1_048_575, -(2 ** 31), 2 ** 31 - 1]) {
      view.setInt32(0, value, true);
      expect(encodeSign({ kind: 'twos_complement', bits: 32 }, value)).toBe(view.getUint32(0, true));
    }
    for (const value of [-1, -885, 32_767, -32_768]) {
      view.setInt16(0, value, true);
      expect(encodeSign({ kind: 'twos_complement', bits: 16 }, value)).toBe(view.getUint16(0, true));
      expect(decodeSign({ kind: 'twos_complement', bits: 16 }, view.getUint16(0, true))).toBe(value);
    }
    expect(decodeSign({ kind: 'twos_complement', bits: 8 }, 255)).toBe(-1);
  });

  test('what a signed register cannot hold saturates instead of changing its sign', () => {
    expect(encodeSign({ kind: 'twos_complement', bits: 16 }, 40_000)).toBe(0x7fff);
    expect(encodeSign({ kind: 'twos_complement', bits: 16 }, -40_000)).toBe(0x8000);
    expect(encodeSign({ kind: 'sign_magnitude', bit: 11 }, -3000)).toBe(0x800 | 2047);
  });
});

test.each(MODELS)('%s: no two registers overlap', (_, model) => {
  const owner = new Map<number, string>();
  for (const [name, row] of Object.entries(model.registers)) {
    for (let at = row.address; at < row.address + row.size; at++) {
      expect(owner.get(at), `${name} at ${at}`).toBeUndefined();
      owner.set(at, name);
    }
  }
});

test.each(MODELS)('%s: common registers hold what they say', (_, model) => {
  const { common } = model;
  expect(toSI(common.presentPosition, model.stepsPerTurn)).toBeCloseTo(2 * Math.PI, 12);
  expect(common.presentVelocity.quantity).toBe('velocity');
  expect(toSI(common.presentVoltage, 74)).toBeCloseTo(7.4, 12);
  expect(toSI(common.presentTemperature, 40)).toBe(40);
  expect(toSI(common.returnDelay, 250)).toBeCloseTo(500e-6, 12);
  expect(['share', 'current']).toContain(common.presentEffort.quantity);
  // Full effort is the stall torque: a load of 1, or the stall current.
  const full = common.presentEffort.quantity === 'share' ? 1 : model.stallTorque / model.torquePerEffort;
  expect(full * model.torquePerEffort).toBeCloseTo(model.stallTorque, 12);
  expect(model.registers.model_number?.initial).toBe(model.modelNumber);
});

test('velocities and currents of the X series are those of the e-manual', () => {
  const xm = modelByName('XM430-W350')!;
  expect(toSI(xm.common.presentVelocity, 1)).toBeCloseTo(0.023981, 6);
  expect(toSI(xm.registers.current_limit!, 1193)).toBeCloseTo(3.209, 3);
  expect(toSI(modelByName('XL330-M288')!.registers.current_limit!, 1750)).toBeCloseTo(1.75, 12);
});

test('a model is found by its trade name, however it is written, and by its number within its family', () => {
  expect(modelByName('xl430 w250')?.modelNumber).toBe(1060);
  expect(modelByName('XL330-M077')?.modelNumber).toBe(1190);
  expect(modelByName('sts3250')?.modelNumber).toBe(2825);
  expect(modelByName('AX-12A')).toBeUndefined();
  expect(modelByNumber(familyByName('dynamixel'), 1020)?.model).toBe('XM430-W350');
  expect(modelByNumber(familyByName('feetech'), 777)?.model).toBe('STS3215');
  expect(modelByNumber(familyByName('feetech'), 1020)).toBeUndefined();
});
