import { familyByName } from '../servo/families.ts';

/** Human-readable meanings of a servo family's alarm bits: pairs of bit and text. */
export function alarmTexts(family: string): readonly (readonly [bit: number, text: string])[] {
  return familyByName(family).alarms.texts;
}
