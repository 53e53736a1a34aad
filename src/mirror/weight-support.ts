import type { RunningMotion } from '../arm/arm-control.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import { forgetWhenRestored, type GainStore } from '../arm/gain-store.ts';
import type { ArmModel } from '../arm/model.ts';
import { BridgeError } from '../arm/types.ts';
import { messageOf } from '../message-of.ts';
import type { SourceSpec } from '../rt/messages.ts';
import type { GravityPercentages } from './mirroring.ts';

const SUPPORT_BY_ROLE: Readonly<Record<string, keyof GravityPercentages>> = {
  shoulder_lift: 'shoulder',
  elbow_flex: 'elbow',
  wrist_flex: 'wrist',
};

/** Supported fraction of each joint's weight, 0..1. Joints without a percentage of their own use that of the wrist. */
export function supportOf({ joints }: ArmModel, gravity: GravityPercentages): Float64Array {
  return Float64Array.from(joints, ({ role }) => gravity[SUPPORT_BY_ROLE[role] ?? 'wrist'] / 100);
}

/**
 * Makes an arm with torque on float: it supports part of its weight and yields to the hand. The servos' own gains are
 * on disk before they are changed.
 * @throws {BridgeError} disconnected, stopped, owned; unavailable when the gains cannot be saved
 */
export async function float(
  session: ArmSession,
  gravity: GravityPercentages,
  store: GainStore,
): Promise<RunningMotion> {
  const { arm } = session;
  const gains = new Float64Array(arm.model.joints.length).fill(arm.model.gravity.softGain);
  const source: SourceSpec = { kind: 'float', support: supportOf(arm.model, gravity), fade: 0, gains };
  try {
    const plan = await arm.servos.gains(gains);
    session.requireHeld();
    store.keep(arm.name, arm.bus, plan);
  } catch (error) {
    if (error instanceof BridgeError) throw error;
    throw new BridgeError(
      'unavailable',
      `The servo gains of arm ${arm.name} cannot be kept for the case of a crash (${messageOf(error)}), so it does not float. Make state_folder writable.`,
      { arm },
    );
  }
  const forget = (): void => void forgetWhenRestored(arm, store, gains);
  try {
    const motion = await session.begin(source);
    void motion.ended.then(forget);
    return motion;
  } catch (error) {
    forget();
    throw error;
  }
}
