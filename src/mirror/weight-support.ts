import { forgetWhenRestored, type GainStore } from '../arm/gain-store.ts';
import type { ArmHandle, Claim, RunningMotion } from '../arm/handle.ts';
import { BridgeError } from '../arm/types.ts';
import type { SourceSpec } from '../rt/messages.ts';
import type { GravityPercentages } from './mirroring.ts';

const SUPPORT_BY_ROLE: Readonly<Record<string, keyof GravityPercentages>> = {
  shoulder_lift: 'shoulder',
  elbow_flex: 'elbow',
  wrist_flex: 'wrist',
};

/**
 * Lets an arm float whose torque is on: it supports a part of its weight and yields to the hand. Its servos' own gains are
 * on disk before they are changed. Joints without a percentage of their own are supported as the wrist is.
 * @param claim under which it floats: an arm that has been lost on the way is left to whoever has it
 * @throws {BridgeError} disconnected, stopped, owned, unavailable when the gains cannot be kept
 */
export async function float(
  arm: ArmHandle,
  claim: Claim,
  gravity: GravityPercentages,
  store: GainStore,
): Promise<RunningMotion> {
  const { joints, gravity: settings } = arm.model;
  const support = Float64Array.from(joints, (joint) => gravity[SUPPORT_BY_ROLE[joint.role] ?? 'wrist'] / 100);
  const gains = new Float64Array(joints.length).fill(settings.softGain);
  const source: SourceSpec = { kind: 'float', support, fade: 0, gains };
  try {
    const plan = await arm.gains(gains);
    arm.requireHeld(claim);
    store.keep(arm.name, arm.bus, plan);
  } catch (error) {
    if (error instanceof BridgeError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new BridgeError(
      'unavailable',
      `The servo gains of arm ${arm.name} cannot be kept for the case of a crash (${why}), so it does not float. Make state_folder writable.`,
    );
  }
  const forget = (): void => void forgetWhenRestored(arm, store, gains);
  try {
    const motion = await arm.drive(source);
    void motion.ended.then(forget);
    return motion;
  } catch (error) {
    forget();
    throw error;
  }
}
