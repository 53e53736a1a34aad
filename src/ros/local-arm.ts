import type { Arm } from '../arm/types.ts';
import { ArmStatus } from './arm-status.ts';
import { JointStateEncoder, PoseStampedEncoder, WrenchStampedEncoder } from './cdr.ts';
import { Decimator } from './decimator.ts';
import type { ArmNames } from './names.ts';
import type { Qualities } from './qos.ts';
import type { RosNode } from './rclnodejs.ts';
import type { Broadcaster } from './transforms.ts';

/** They are read every 50 ms: under the stamp of positions that are later by more than this they are told no more, s. */
const DETAILS_KEPT = 0.1;

export const JOINT_STATE = 'sensor_msgs/msg/JointState';

/** Publishers for an arm whose bus this bridge owns, on the arm's own node. */
export class LocalArm {
  readonly #publish: () => void;
  readonly #status: ArmStatus;
  readonly #setRate: (rate: number) => void;

  /**
   * @param node in the namespace of the arm
   * @param rate of the published streams, Hz
   * @param broadcaster of its frames
   */
  constructor(node: RosNode, arm: Arm, names: ArmNames, rate: number, broadcaster: Broadcaster, qualities: Qualities) {
    this.#status = new ArmStatus(node, arm, names, qualities);
    const description = node.createPublisher('std_msgs/msg/String', 'robot_description', { qos: qualities.latched });
    description.publish({ data: names.urdf() });
    const stream = { qos: qualities.stream };
    const states = node.createPublisher(JOINT_STATE, 'joint_states', stream);
    const poses = node.createPublisher('geometry_msgs/msg/PoseStamped', 'end_effector/pose', stream);
    const wrenches = node.createPublisher('geometry_msgs/msg/WrenchStamped', 'external_wrench', stream);
    const torques = node.createPublisher(JOINT_STATE, 'external_torques', stream);
    const goals = node.createPublisher(JOINT_STATE, 'joint_goals', stream);
    const stateEncoder = new JointStateEncoder(names.joints);
    const torqueEncoder = new JointStateEncoder(names.joints);
    const goalEncoder = new JointStateEncoder(names.joints);
    const poseEncoder = new PoseStampedEncoder(names.frame(arm.model.baseLink));
    const wrenchEncoder = new WrenchStampedEncoder(names.frame(arm.model.toolLink));
    let statePace = new Decimator(rate);
    let goalPace = new Decimator(rate);
    this.#setRate = (next) => {
      statePace = new Decimator(next);
      goalPace = new Decimator(next);
    };

    this.#publish = () => {
      const snapshot = arm.read();
      const { sampleTime, positions, detailTime, velocities, efforts, torque, goalTime, goals: sent } = snapshot;
      if (sampleTime > 0 && statePace.take(sampleTime) && allFinite(positions)) {
        const known = sampleTime - detailTime <= DETAILS_KEPT;
        const bytes = stateEncoder.encode(
          sampleTime,
          positions,
          known && allFinite(velocities) ? velocities : null,
          known && allFinite(efforts) ? efforts : null,
        );
        states.publish(bytes);
        poses.publish(poseEncoder.encode(sampleTime, arm.toolPose(positions)));
        broadcaster.publish(sampleTime, positions);
        const wrench = arm.toolWrench(snapshot, 'tool');
        if (wrench !== null) {
          wrenches.publish(wrenchEncoder.encode(sampleTime, wrench));
          torques.publish(torqueEncoder.encode(sampleTime, positions, null, snapshot.external));
        }
      }
      if (torque && goalTime > 0 && goalPace.take(goalTime) && allFinite(sent)) {
        goals.publish(goalEncoder.encode(goalTime, sent, null, null));
      }
    };
  }

  /** Publishes the messages due for the newest snapshot. */
  publish(): void {
    this.#publish();
  }

  /** @param rate of the published streams from now on, Hz */
  setRate(rate: number): void {
    this.#setRate(rate);
  }

  /** Publishes a change of the arm's state. */
  publishStatus(): void {
    this.#status.publish();
  }

  /** Publishes the arm's state again with the next call of `publishStatus`, changed or not. */
  repeatStatus(): void {
    this.#status.repeat();
  }
}

function allFinite(values: Float64Array): boolean {
  for (let index = 0; index < values.length; index++) if (!Number.isFinite(values[index]!)) return false;
  return true;
}
