import type { GravityModel } from './droop.ts';
import type { DrivenJoints } from './following.ts';
import type { GateLimits } from './gate.ts';
import type { JointMasks } from './joint-groups.ts';
import type { StallGuard } from './stall-guard.ts';

/** What the control loop knows of an arm, one element per joint. */
export interface ControlModel extends DrivenJoints {
  readonly name: string;
  readonly joints: readonly string[];
  /** Which joints are its own, and which is its gripper's. */
  readonly masks: JointMasks;
  readonly limits: GateLimits;
  /** Largest torque that a joint's servos give, and that floating may ask of it, Nm. */
  readonly torqueLimit: Float64Array;
  readonly floatTorque: Float64Array;
  readonly gravity: GravityModel;
  /** Guards of the joints that have one, else null: such a joint may press on something for good. */
  readonly stall: readonly (StallGuard | null)[];
  /** The same for an arm that follows or rests: it yields where something holds it back. */
  readonly yield: readonly (StallGuard | null)[];
}
