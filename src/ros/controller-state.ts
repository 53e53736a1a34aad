import type { Arm } from '../arm/types.ts';
import { offerService } from './arm-services.ts';
import { faultOf } from './errors.ts';
import type { ArmNames } from './names.ts';
import type { Qualities } from './qos.ts';
import type { RosNode, RosPublisher } from './rclnodejs.ts';
import { type Stamp, secondsOf, stampOf } from './time.ts';

export const CONTROLLER = 'arm_controller';
/** A query for a time at most this far from now is answered with the present setpoints, s. */
const PRESENT = 0.1;

/**
 * State interfaces of a trajectory controller: `arm_controller/controller_state`, published while it has subscribers,
 * and `arm_controller/query_state`. rclnodejs leaves out fields that the ROS 2 release in use does not have.
 */
export class ControllerState {
  readonly #arm: Arm;
  readonly #joints: readonly string[];
  readonly #publisher: RosPublisher;
  /** Time of the newest sample that was published, s. */
  #told = 0;

  /**
   * @param nodeName full name of the node
   * @param now by the ROS clock, seconds since the epoch
   * @param isOpen false once the room closes
   */
  constructor(
    node: RosNode,
    nodeName: string,
    arm: Arm,
    names: ArmNames,
    qualities: Qualities,
    now: () => number,
    isOpen: () => boolean,
  ) {
    this.#arm = arm;
    this.#joints = names.joints;
    const type = 'control_msgs/msg/JointTrajectoryControllerState';
    this.#publisher = node.createPublisher(type, `${CONTROLLER}/controller_state`, { qos: qualities.stream });
    offerService<{ readonly time: Stamp }>(
      node,
      'control_msgs/srv/QueryTrajectoryState',
      `${CONTROLLER}/query_state`,
      isOpen,
      async ({ time }) => this.#at(secondsOf(time), now()),
      (error) => ({ success: false, message: faultOf(error, nodeName).message }),
    );
  }

  /** Publishes the newest state if there are subscribers, once: while the bus is silent, so is the topic. */
  publish(): void {
    if (this.#publisher.subscriptionCount === 0) return;
    const { sampleTime, setpoints, positions, velocities, goals, goalVelocities } = this.#arm.read();
    if (sampleTime === this.#told) return;
    this.#told = sampleTime;
    this.#publisher.publish({
      header: { stamp: stampOf(sampleTime), frame_id: '' },
      joint_names: this.#joints,
      reference: point(setpoints, goalVelocities),
      feedback: point(positions, velocities),
      error: point(difference(setpoints, positions), difference(goalVelocities, velocities)),
      // Servos are sent positions alone.
      output: point(goals),
      speed_scaling_factor: this.#arm.pace,
    });
  }

  /** @param time of the query; 0: now */
  #at(time: number, now: number): object {
    this.#arm.requireConnected();
    if (time !== 0 && Math.abs(time - now) > PRESENT) {
      const message = `where the joints are asked to be is told of the present alone: ask for time 0, not ${(time - now).toFixed(3)} s from now`;
      return { success: false, message };
    }
    const { setpoints, goalVelocities } = this.#arm.read();
    return {
      success: true,
      message: '',
      name: this.#joints,
      position: [...setpoints],
      velocity: [...goalVelocities],
    };
  }
}

/** @param positions rad @param velocities rad/s */
function point(positions: Float64Array, velocities: ArrayLike<number> = []): object {
  return {
    positions: [...positions],
    velocities: Array.from(velocities),
    time_from_start: { sec: 0, nanosec: 0 },
  };
}

/** `from` less `what`, joint by joint. */
export function difference(from: Float64Array, what: Float64Array): Float64Array {
  return from.map((value, i) => value - what[i]!);
}
