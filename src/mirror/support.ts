import type { ArmHandle } from '../arm/handle.ts';
import type { SourceSpec } from '../control/messages.ts';
import type { GravityPercentages } from './types.ts';

/**
 * Part of their own position gain with which the servos of a floating arm work: soft, so that what the hand feels of a
 * goal that comes a cycle late is small, and hard enough that a servo step is less than the gears' friction.
 */
export const SOFT_GAIN = 0.375;

const SUPPORT_BY_ROLE: Readonly<Record<string, keyof GravityPercentages>> = {
  shoulder_lift: 'shoulder',
  elbow_flex: 'elbow',
  wrist_flex: 'wrist',
};

/** What lets an arm float; joints without a percentage of their own are supported as the wrist is. */
export function floatingSource(arm: ArmHandle, gravity: GravityPercentages): SourceSpec {
  const { joints } = arm.model;
  const support = Float64Array.from(joints, (joint) => gravity[SUPPORT_BY_ROLE[joint.role] ?? 'wrist'] / 100);
  return { kind: 'float', support, fade: 0, gains: new Float64Array(joints.length).fill(SOFT_GAIN) };
}
