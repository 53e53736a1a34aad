import type { Arm } from '../arm/types.ts';
import { Actions } from './action.ts';
import { NODE_NAME } from './arguments.ts';
import { ArmServices } from './arm-services.ts';
import { ArmFrames } from './frames.ts';
import { GripperInputs } from './gripper-inputs.ts';
import { offerMoves } from './move-actions.ts';
import type { ArmNames } from './names.ts';
import type { Qualities } from './qos.ts';
import type { Rcl, RosNode } from './rclnodejs.ts';
import type { RosServices } from './room.ts';
import { ServoInputs } from './servo-inputs.ts';
import { acceptJointCommands } from './stream-inputs.ts';
import { clockOf } from './time.ts';
import { TrajectoryInputs } from './trajectory-inputs.ts';

/** What the inputs of all arms have in common. */
export interface InputContext {
  readonly rcl: Rcl;
  readonly services: RosServices;
  readonly qualities: Qualities;
  /** False once the room closes. */
  isOpen(): boolean;
  onError(error: unknown): void;
}

/**
 * Everything by which other nodes ask something of an arm: services that only read and stop at once, and what drives it when
 * `drive` is called.
 * @param node in the namespace of the arm
 */
export function offerArm(
  node: RosNode,
  namespace: string,
  arm: Arm,
  names: ArmNames,
  context: InputContext,
): { readonly actions: Actions; readonly drive: () => void } {
  const { rcl, services, qualities } = context;
  const { motion, joints, jogging, trajectories } = services;
  const logger = services.logger.child({ arm: arm.name });
  const name = `${namespace}/${NODE_NAME}`;
  const actions = new Actions(rcl, node, namespace, logger, context.onError);
  const offered = new ArmServices(node, name, arm, context.isOpen);
  offered.offerAlways(motion);
  const drive = (): void => {
    offered.offerMotion(motion);
    offered.offerTorque(services.torque);
    offered.offerGravity(services.gravity);
    acceptJointCommands(node, namespace, arm, names, joints, qualities, logger);
    const frames = new ArmFrames(arm, names, services.mountOf(arm));
    const oldest = services.config.ros.oldest_command;
    const parts = { arm, names, namespace, frames, joints, jogging, trajectories, oldest };
    new ServoInputs(node, parts, qualities, logger).accept();
    const inputs = new TrajectoryInputs(arm, names, trajectories, namespace, name, () => clockOf(node), logger);
    inputs.acceptTopic(node, namespace, qualities);
    inputs.offerAction(actions);
    new GripperInputs(arm, names, trajectories, namespace, name, logger).offerActions(actions);
    offerMoves(actions, arm, motion, name);
  };
  return { actions, drive };
}
