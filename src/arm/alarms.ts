import { ALARMS } from '../rt/driver/servo-health.ts';
import type { ArmModel } from './model.ts';

/** What the alarm bits of an arm's servos mean, for people: pairs of bit and text. */
export function alarmTexts(family: ArmModel['family']): readonly (readonly [bit: number, text: string])[] {
  return ALARMS[family];
}
