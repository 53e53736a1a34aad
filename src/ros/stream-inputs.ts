import type { Logger } from 'pino';
import type { Arm, Caller } from '../arm/types.ts';
import type { StreamService } from '../mirror/stream-service.ts';
import { NODE_NAME } from './arguments.ts';
import { inWords } from './errors.ts';
import { JointInput, jointValuesFault, LimitLog } from './joint-input.ts';
import { JOINT_STATE } from './local-arm.ts';
import type { ArmNames } from './names.ts';
import type { Qualities } from './qos.ts';
import type { RosNode } from './rclnodejs.ts';

/** Whose the messages of a topic are: each topic is an owner of its own. @param topic below the arm's namespace */
export function callerOf(arm: Arm, namespace: string, topic: string): Caller {
  return { owner: { key: `ros:${arm.name}/${topic}`, name: `the ROS topic ${namespace}/${topic}` }, takeOver: false };
}

/** `joint_commands`: setpoints by joint name. */
export function acceptJointCommands(
  node: RosNode,
  namespace: string,
  arm: Arm,
  names: ArmNames,
  joints: StreamService,
  qualities: Qualities,
  log: Logger,
): void {
  const known = new Map(arm.model.joints.map(({ name }, index) => [name, index]));
  const topic = `${namespace}/joint_commands`;
  const caller = callerOf(arm, namespace, 'joint_commands');
  const limits = new LimitLog(arm.model.joints, topic, log);
  const commands = new JointInput(topic, log, (message) => {
    const named = names.ofModel(message.names);
    const fault = jointValuesFault(named, message.positions, known);
    if (fault !== null) return fault;
    const refused = joints.command(arm, named, message.positions, caller);
    if (refused !== null) return { kind: refused.message, text: inWords(refused, `${namespace}/${NODE_NAME}`) };
    limits.look(named, message.positions, performance.now() / 1000);
    return null;
  });
  const options = { qos: qualities.stream, isRaw: true } as const;
  node.createSubscription(JOINT_STATE, 'joint_commands', options, (bytes) =>
    commands.receive(bytes, performance.now() / 1000),
  );
}
