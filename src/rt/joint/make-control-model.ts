import type { Chain } from '../../kinematics/chain.ts';
import type { JointSetup } from '../messages.ts';
import type { ControlModel } from './control-model.ts';
import { jointMasks } from './joint-groups.ts';
import { StallGuard, yieldLimits } from './stall-guard.ts';
import { YieldGuard } from './yield-guard.ts';

/** Part of a joint's torque limit that floating may use. */
const FLOAT_TORQUE_SHARE = 0.5;

/**
 * Converts joint setups to the arrays that the control loop uses.
 * @param gripper index of the joint that may be driven separately; null: none
 */
export function controlModel(
  name: string,
  joints: readonly JointSetup[],
  chain: Chain,
  gripper: number | null = null,
): ControlModel {
  const of = (pick: (joint: JointSetup) => number): Float64Array => Float64Array.from(joints, pick);
  return {
    name,
    joints: joints.map((joint) => joint.name),
    masks: jointMasks(joints.length, gripper),
    limits: {
      lower: of((joint) => joint.lower),
      upper: of((joint) => joint.upper),
      velocity: { move: of((joint) => joint.moveVelocity), mirror: of((joint) => joint.mirrorVelocity) },
      acceleration: { move: of((joint) => joint.moveAcceleration), mirror: of((joint) => joint.mirrorAcceleration) },
    },
    stiffness: of((joint) => joint.stiffness),
    damping: of((joint) => joint.damping),
    friction: of((joint) => joint.friction),
    inertia: of((joint) => joint.inertia),
    torqueLimit: of((joint) => joint.torqueLimit),
    floatTorque: of((joint) => joint.torqueLimit * FLOAT_TORQUE_SHARE),
    gravity: (q, out) => chain.gravityTorques(q, out),
    stall: joints.map(({ stall }) => (stall === null ? null : new StallGuard(stall))),
    yield: joints.map(({ torqueLimit }) => new YieldGuard(yieldLimits(torqueLimit))),
  };
}
