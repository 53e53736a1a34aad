import type { JointSetup } from '../rt/messages.ts';
import type { ArmModel } from './model.ts';

/** The joint data of a model that the control thread needs. */
export function jointSetups({ joints }: ArmModel): JointSetup[] {
  return joints.map((joint) => ({
    name: joint.name,
    servos: joint.servos,
    settings: joint.settings,
    stall: joint.stall,
    torqueLimit: joint.torqueLimit,
    stiffness: joint.stiffness,
    damping: joint.damping,
    friction: joint.friction,
    inertia: joint.inertia,
    lower: joint.lower,
    upper: joint.upper,
    moveVelocity: joint.move.velocity,
    moveAcceleration: joint.move.acceleration,
    moveJerk: joint.move.jerk ?? null,
    mirrorVelocity: joint.mirror.velocity,
    mirrorAcceleration: joint.mirror.acceleration,
  }));
}
