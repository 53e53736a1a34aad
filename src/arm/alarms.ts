import { familyByName } from '../servo/families.ts';

/** What the alarm bits of an arm's servos mean, for people: pairs of bit and text. */
export function alarmTexts(family: string): readonly (readonly [bit: number, text: string])[] {
  return familyByName(family).alarms.texts;
}
