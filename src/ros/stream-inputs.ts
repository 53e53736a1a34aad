import type { InputParts } from './arm-inputs.ts';
import { Senders } from './callers.ts';
import { inWords } from './errors.ts';
import { JointInput, jointValuesFault, LimitLog } from './joint-input.ts';
import { JOINT_STATE } from './local-arm.ts';

/** `joint_commands`: setpoints by joint name. */
export function acceptJointCommands({
  node,
  nodeName,
  namespace,
  arm,
  names,
  joints,
  qualities,
  log,
}: InputParts): void {
  const known = new Map(arm.model.joints.map(({ name }, index) => [name, index]));
  const topic = `${namespace}/joint_commands`;
  const senders = new Senders(node, arm, namespace, 'joint_commands');
  const limits = new LimitLog(arm.model.joints, topic, log);
  const commands = new JointInput(topic, log, (message) => {
    const now = arm.clock.now();
    const named = names.ofModel(message.names);
    const fault = jointValuesFault(named, message.positions, known);
    if (fault !== null) return fault;
    // Raw bytes take a quarter of the work of an object, but do not identify their publisher, unless the header does.
    const refused = joints.command(arm, named, message.positions, senders.named(message.frame, now));
    if (refused !== null) return inWords(refused, nodeName);
    limits.look(named, message.positions, now);
    return null;
  });
  const options = { qos: qualities.stream, isRaw: true } as const;
  node.createSubscription(JOINT_STATE, 'joint_commands', options, (bytes) => commands.receive(bytes, arm.clock.now()));
}
