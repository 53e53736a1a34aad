import type { Logger } from 'pino';
import type { JointStreams } from '../arm/joint-streams.ts';
import type { Arm } from '../arm/types.ts';
import { JointInput, jointValuesFault, LimitLog } from './joint-input.ts';
import { JOINT_STATE } from './local-arm.ts';
import type { Qualities } from './qos.ts';
import type { RosNode } from './rclnodejs.ts';

/** `joint_commands`: setpoints by joint name. */
export function acceptJointCommands(
  node: RosNode,
  namespace: string,
  arm: Arm,
  joints: JointStreams,
  qualities: Qualities,
  log: Logger,
): void {
  const known = new Map(arm.model.joints.map(({ name }, index) => [name, index]));
  const topic = `${namespace}/joint_commands`;
  const limits = new LimitLog(arm.model.joints, topic, log);
  const commands = new JointInput(topic, log, (message) => {
    const fault = jointValuesFault(message.names, message.positions, known);
    if (fault !== null) return fault;
    const answer = joints.command(arm, message.names, message.positions, message.stamp, 'joint_commands');
    if (answer !== 'accepted') return { kind: answer.refused, text: answer.refused };
    limits.look(message.names, message.positions, performance.now() / 1000);
    return null;
  });
  const options = { qos: qualities.stream, isRaw: true } as const;
  node.createSubscription(JOINT_STATE, 'joint_commands', options, (bytes) =>
    commands.receive(bytes, performance.now() / 1000),
  );
}
