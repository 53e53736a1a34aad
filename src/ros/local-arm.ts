import type { Logger } from 'pino';
import type { JointStreams } from '../arm/streams.ts';
import type { Arm } from '../arm/types.ts';
import { JointStateEncoder, PoseStampedEncoder } from './cdr.ts';
import { Decimator } from './decimator.ts';
import { JointInput, jointValuesFault } from './joint-input.ts';
import type { Qualities } from './qos.ts';
import { messageOf, type RosNode } from './rclnodejs.ts';

export const JOINT_STATE = 'sensor_msgs/msg/JointState';

/** Monotonic seconds. */
const clock = (): number => performance.now() / 1000;

/** The topics and services of an arm whose bus this bridge owns, on the arm's own node. */
export class LocalArm {
  readonly #publish: () => void;

  /**
   * @param node in the namespace of the arm
   * @param namespace of that node, for the log
   * @param rate of the published streams, Hz
   */
  constructor(
    node: RosNode,
    namespace: string,
    arm: Arm,
    rate: number,
    joints: JointStreams,
    qualities: Qualities,
    log: Logger,
  ) {
    const names = arm.model.joints.map((joint) => joint.name);
    const stream = { qos: qualities.stream };
    const states = node.createPublisher(JOINT_STATE, 'joint_states', stream);
    const poses = node.createPublisher('geometry_msgs/msg/PoseStamped', 'end_effector/pose', stream);
    const goals = node.createPublisher(JOINT_STATE, 'joint_goals', stream);
    const stateEncoder = new JointStateEncoder(names);
    const goalEncoder = new JointStateEncoder(names);
    const poseEncoder = new PoseStampedEncoder(`${arm.name}/${arm.model.baseLink}`);
    const statePace = new Decimator(rate);
    const goalPace = new Decimator(rate);

    this.#publish = () => {
      const { sampleTime, positions, detailTime, velocities, efforts, torque, goalTime, goals: sent } = arm.read();
      if (sampleTime > 0 && statePace.take(sampleTime) && allFinite(positions)) {
        const known = detailTime > 0;
        const bytes = stateEncoder.encode(
          sampleTime,
          positions,
          known && allFinite(velocities) ? velocities : null,
          known && allFinite(efforts) ? efforts : null,
        );
        states.publish(bytes);
        poses.publish(poseEncoder.encode(sampleTime, arm.toolPose(positions)));
      }
      if (torque && goalTime > 0 && goalPace.take(goalTime) && allFinite(sent)) {
        goals.publish(goalEncoder.encode(goalTime, sent, null, null));
      }
    };

    const known = new Map(names.map((name, index) => [name, index]));
    const commands = new JointInput(`${namespace}/joint_commands`, log, (message) => {
      const fault = jointValuesFault(message.names, message.positions, known);
      if (fault !== null) return fault;
      const answer = joints.command(arm, message.names, message.positions, message.stamp);
      return answer === 'accepted' ? null : { kind: answer.refused, text: answer.refused };
    });
    const options = { qos: qualities.stream, isRaw: true } as const;
    node.createSubscription(JOINT_STATE, 'joint_commands', options, (bytes) => commands.receive(bytes, clock()));
  }

  /** Publishes what is due of the newest snapshot. */
  publish(): void {
    this.#publish();
  }
}

/**
 * Services `~/stop` and `~/reset` of an arm.
 * @param isOpen false once the room closes: an answer then has nowhere to go
 */
export function offerStop(node: RosNode, namespace: string, arm: Arm, isOpen: () => boolean): void {
  const offer = (name: string, act: () => Promise<string>): void => {
    node.createService('std_srvs/srv/Trigger', `~/${name}`, async () => {
      let answer: { success: boolean; message: string };
      try {
        answer = { success: true, message: await act() };
      } catch (error) {
        answer = { success: false, message: messageOf(error) };
      }
      return isOpen() ? answer : undefined;
    });
  };
  const service = (name: string): string => `${namespace}/arm_bridge/${name}`;
  offer('stop', async () => {
    await arm.stop(`the ROS service ${service('stop')} was called`);
    return `${arm.name} is stopped and refuses every motion until ${service('reset')} is called`;
  });
  offer('reset', async () => {
    const wasStopped = arm.read().state === 'stopped';
    await arm.reset();
    if (!wasStopped) return `${arm.name} was not stopped; nothing to reset`;
    return `${arm.name} is reset: it holds and belongs to nobody`;
  });
}

function allFinite(values: Float64Array): boolean {
  for (let index = 0; index < values.length; index++) if (!Number.isFinite(values[index]!)) return false;
  return true;
}
