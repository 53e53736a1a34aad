import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { PROBE_LENGTHS, SHORTEST_PROBE } from '../../src/servo/exchange.ts';
import { FAMILIES, familyByName } from '../../src/servo/families.ts';
import { modelByName, modelByNumber, SERVO_MODELS } from '../../src/servo/servo-models.ts';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));

/** Source files that must know of no family: all but the folders of families, their registry, and the emulated servos. */
function others(): { name: string; code: string }[] {
  const own = new RegExp(`^(?:servo/(?:${FAMILIES.map(({ name }) => name).join('|')})/|servo/families\\.ts$|sim/)`);
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !own.test(name))
    .map((name) => ({
      name,
      code: readFileSync(join(SOURCE, name), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, ''),
    }));
}

test('nothing outside the folder of a family asks which one it is, or knows how many steps its turn has', () => {
  const names = FAMILIES.flatMap(({ name, models }) => [name, ...models.map(({ model }) => model)]).join('|');
  // The example of an answer may name a servo: it asks nothing.
  const knows = new RegExp(
    `(?<!model: )['"\`](?:${names})['"\`]|/(?:${names})/|STEPS_PER_TURN = \\d|4095|4096 \\/|\\/ 4096|\\* 4096`,
    'i',
  );
  const found = others().flatMap(({ name, code }) => (knows.test(code) ? [`${name}: ${knows.exec(code)![0]}`] : []));
  expect(found).toEqual([]);
});

test('a family is found by its name, and its models by name and number', () => {
  for (const family of FAMILIES) {
    expect(familyByName(family.name)).toBe(family);
    for (const model of family.models) {
      expect(model.family).toBe(family);
      expect(modelByName(model.model)).toBe(model);
      expect(modelByNumber(family, model.modelNumber)).toBe(model);
    }
  }
  expect(() => familyByName('hobby')).toThrow('there is no servo family "hobby"; there are feetech, dynamixel');
  expect(new Set(SERVO_MODELS.map(({ model }) => model)).size).toBe(SERVO_MODELS.length);
});

describe.each(SERVO_MODELS)('the family of $model', ({ family, registers, common }) => {
  test('names registers that its models have', () => {
    const { eepromLock, reverse, secondaryId, watchdog, acknowledgement } = family;
    const names = [eepromLock?.register, reverse?.register, secondaryId, watchdog?.register, acknowledgement?.register];
    for (const name of names) if (name !== undefined && name !== null) expect(registers[name], name).toBeDefined();
  });

  test('reads what it needs to judge in blocks whose late answers pass for none of others', () => {
    const { auditBlocks } = family;
    for (const row of Object.values(common)) {
      if (row === null) continue;
      const inside = auditBlocks.some(([at, length]) => row.address >= at && row.address + row.size <= at + length);
      expect(inside, `register ${row.address}`).toBe(true);
    }
    // Longer than whatever links ask for, and none of the six lengths of probes.
    for (const [, length] of auditBlocks) expect(length).toBeGreaterThan(SHORTEST_PROBE + PROBE_LENGTHS - 1);
  });

  test('has a text for its overload, which it can be brought back from', () => {
    const { alarms } = family;
    expect(alarms.texts.find(([bit]) => bit === alarms.overload)?.[1]).toMatch(/^overload/);
    expect(alarms.recoverable & alarms.overload).toBe(alarms.overload);
  });
});
