import type { Logger } from 'pino';
import type { Arm } from '../arm/types.ts';
import type { StreamService } from '../mirror/stream-service.ts';
import type { JogService } from '../motion/jog-service.ts';
import type { TrajectoryService } from '../motion/trajectory-service.ts';
import { Actions } from './action.ts';
import { NODE_NAME } from './arguments.ts';
import { ArmServices } from './arm-services.ts';
import { ArmFrames } from './frames.ts';
import { GripperInputs } from './gripper-inputs.ts';
import { type InputNode, LentNode } from './lent-node.ts';
import { offerMoves } from './move-actions.ts';
import type { ArmNames } from './names.ts';
import type { Qualities } from './qos.ts';
import type { Rcl, RosNode } from './rclnodejs.ts';
import type { ResponseSender } from './responses.ts';
import type { RosServices } from './room.ts';
import { ServoInputs } from './servo-inputs.ts';
import { acceptJointCommands } from './stream-inputs.ts';
import { TrajectoryInputs } from './trajectory-inputs.ts';

/** Shared by the inputs of all arms. */
export interface InputContext {
  readonly rcl: Rcl;
  readonly services: RosServices;
  readonly qualities: Qualities;
  readonly responses: ResponseSender;
  /** False once the room closes. */
  isOpen(): boolean;
  onError(error: unknown): void;
}

/** Dependencies of the streams, trajectories and gripper commands of one arm. */
export interface InputParts {
  /** In the namespace of the arm. */
  readonly node: InputNode;
  /** Full name of the node, human-readable. */
  readonly nodeName: string;
  readonly namespace: string;
  readonly arm: Arm;
  readonly names: ArmNames;
  readonly frames: ArmFrames;
  readonly joints: StreamService;
  readonly jogging: JogService;
  readonly trajectories: TrajectoryService;
  /** Speeds and poses with an older stamp are refused, s; 0: none. */
  readonly oldest: number;
  readonly qualities: Qualities;
  readonly log: Logger;
}

/** Interfaces through which other nodes drive an arm; they can be withdrawn. */
export interface Drivable {
  drive(): void;
  /** Takes effect at once, except that an action with a running goal stays until the goal has ended. */
  withdraw(): void;
}

/**
 * Offers all interfaces of an arm to other nodes: at once the services that only read or stop, and those that drive the
 * arm when `drive` is called.
 * @param node in the namespace of the arm
 * @param paused changes a node, even one that spins, while its thread does not wait for messages
 */
export function offerArm(
  node: RosNode,
  namespace: string,
  arm: Arm,
  names: ArmNames,
  context: InputContext,
  paused: (node: RosNode, work: () => void) => void,
): Drivable & { readonly actions: Actions } {
  const { rcl, services, qualities, isOpen } = context;
  const { motion, joints, jogging, trajectories } = services;
  const log = services.logger.child({ arm: arm.name });
  const nodeName = `${namespace}/${NODE_NAME}`;
  const actions = new Actions(rcl, node, namespace, arm, context.responses, context.onError, log);
  new ArmServices(node, nodeName, arm, isOpen).offerAlways(motion);
  const lent = new LentNode(node);
  const frames = new ArmFrames(arm, names, services.mountOf(arm));
  const oldest = services.config.ros.oldest_command;
  const about = { node: lent, nodeName, namespace, arm, names, frames, oldest, qualities, log };
  const parts: InputParts = { ...about, joints, jogging, trajectories };
  /** Resolves when the actions are as last requested. */
  let changed = Promise.resolve();
  const offer = (): void => {
    const offered = new ArmServices(lent, nodeName, arm, isOpen);
    offered.offerMotion(motion);
    offered.offerTorque(services.torque);
    offered.offerGravity(services.gravity);
    acceptJointCommands(parts);
    new ServoInputs(parts).accept();
    const inputs = new TrajectoryInputs(parts);
    inputs.acceptTopic();
    inputs.offerAction(actions);
    new GripperInputs(parts).offerActions(actions);
    offerMoves(actions, arm, names, motion, nodeName);
  };
  const change = (work: () => void): void => {
    if (isOpen()) paused(node, work);
  };
  return {
    actions,
    drive() {
      if (node.spinning) changed = changed.then(() => change(offer)).catch(context.onError);
      else offer();
    },
    withdraw() {
      change(() => lent.withdraw());
      changed = changed
        .then(() => actions.finished())
        .then(() => change(() => actions.withdraw()))
        .catch(context.onError);
    },
  };
}
