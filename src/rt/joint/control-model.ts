import type { GravityModel } from './droop.ts';
import type { DrivenJoints } from './following.ts';
import type { GateLimits } from './gate.ts';
import type { JointMasks } from './joint-groups.ts';
import type { StallGuard } from './stall-guard.ts';
import type { YieldGuard } from './yield-guard.ts';

/** The control loop's model of an arm, one element per joint. */
export interface ControlModel extends DrivenJoints {
  readonly name: string;
  readonly joints: readonly string[];
  /** Which joints are its own, and which is its gripper's. */
  readonly masks: JointMasks;
  readonly limits: GateLimits;
  /** Largest torque of a joint's servos, and the largest that floating may use, Nm. */
  readonly torqueLimit: Float64Array;
  readonly floatTorque: Float64Array;
  readonly gravity: GravityModel;
  /** Stall guard of each joint; null: the joint may press on something indefinitely. */
  readonly stall: readonly (StallGuard | null)[];
  /** Guards of an arm that follows or rests: it yields where something holds it back. */
  readonly yield: readonly (YieldGuard | null)[];
}
