import type { Caller } from '../arm/types.ts';
import type { PathTolerances } from '../motion/trajectory-service.ts';
import type { Actions, GoalRun, Outcome } from './action.ts';
import type { InputParts } from './arm-inputs.ts';
import { originAt } from './audit.ts';
import { controllerCaller, Senders } from './callers.ts';
import { decodeJointTrajectory } from './cdr.ts';
import { CONTROLLER, difference } from './controller-state.ts';
import { faultOf } from './errors.ts';
import { clockOf, stampOf } from './time.ts';
import {
  goalSizeFault,
  isFault,
  type Planned,
  readTolerances,
  readTrajectory,
  TrajectoryCode,
  type TrajectoryFault,
  type TrajectoryGoal,
  type TrajectoryMessage,
  usualTolerances,
} from './trajectory-message.ts';

/** Error codes by the end of a trajectory. */
const END_CODES = {
  done: TrajectoryCode.SUCCESSFUL,
  path: TrajectoryCode.PATH_TOLERANCE_VIOLATED,
  goal: TrajectoryCode.GOAL_TOLERANCE_VIOLATED,
  ended: TrajectoryCode.INVALID_GOAL,
  not_begun: TrajectoryCode.INVALID_GOAL,
} as const;

const NOT_BEGUN = 'cancelled before it began; nothing has moved';

/** Drives an arm as a joint_trajectory_controller of ros2_control does: trajectories by action and by topic. */
export class TrajectoryInputs {
  readonly #parts: InputParts;

  constructor(parts: InputParts) {
    this.#parts = parts;
  }

  offerAction(actions: Actions): void {
    actions.offer<TrajectoryGoal>(
      'control_msgs/action/FollowJointTrajectory',
      `${CONTROLLER}/follow_joint_trajectory`,
      { judge: (goal) => this.#judge(goal), execute: (run) => this.#follow(run) },
    );
  }

  /** `arm_controller/joint_trajectory`: like the action, without a response; a message without points stops the arm. */
  acceptTopic(): void {
    const { node, nodeName, arm, namespace, trajectories, qualities } = this.#parts;
    const name = `${CONTROLLER}/joint_trajectory`;
    const senders = new Senders(node, arm, namespace, name);
    let newest = 0;
    const take = async (bytes: Uint8Array, caller: Caller): Promise<void> => {
      const message = decodeJointTrajectory(bytes);
      if (message.points.length === 0) {
        await this.#halt(caller);
        return;
      }
      const planned = readTrajectory(arm, this.#ofModel(message), clockOf(node));
      if (isFault(planned)) throw new Error(planned.text);
      const number = ++newest;
      const { path, begin } = planned;
      try {
        await trajectories.follow(arm, path, usualTolerances(arm), caller, this.#left(begin));
      } catch (error) {
        // Replaced while it was being checked.
        if (number === newest) throw error;
      }
    };
    const type = 'trajectory_msgs/msg/JointTrajectory';
    node.createSubscription(type, name, { qos: qualities.stream, isRaw: true }, (bytes) => {
      const { journal } = arm;
      const before = journal.changes;
      // Raw bytes take a fiftieth of the work of an object, but do not identify their publisher.
      const who = senders.namesAt(arm.clock.now());
      const origin = originAt(who ?? 'a ROS publisher', `topic ${namespace}/${name}`);
      take(bytes, { ...this.#caller(who), origin }).catch((error: unknown) => {
        if (journal.hasWritten(origin, before)) return;
        journal.record('motion', arm.name, origin, 'refused', faultOf(error, nodeName).message);
      });
    });
  }

  /** Ends the controller's motion, and any trajectory that waits or is being checked: the arm decelerates and holds. */
  async #halt(caller: Caller): Promise<void> {
    const { arm } = this.#parts;
    // Nobody owns joints for which a trajectory is still being checked, whoever has the others.
    const has = (joints: 'arm' | 'gripper'): boolean =>
      (arm.ownerOf(joints)?.key ?? caller.owner.key) === caller.owner.key;
    if (has('arm')) await arm.halt(caller, undefined, has('gripper') ? 'all' : 'arm');
    else if (has('gripper')) await arm.halt(caller, undefined, 'gripper');
  }

  /** Returns a function for the time until `begin`, s. */
  #left(begin: number | null): () => number {
    return () => (begin === null ? 0 : begin - clockOf(this.#parts.node));
  }

  /** Tolerances and trajectory of a goal, or its fault. */
  #read(goal: TrajectoryGoal): { readonly tolerances: PathTolerances; readonly planned: Planned } | TrajectoryFault {
    const { node, arm, names } = this.#parts;
    const tooLarge = goalSizeFault(goal);
    if (tooLarge !== null) return tooLarge;
    const ofModel = (list: TrajectoryGoal['path_tolerance']): TrajectoryGoal['path_tolerance'] =>
      list.map((tolerance) => ({ ...tolerance, name: names.ofModel([tolerance.name])[0]! }));
    const tolerances = readTolerances(arm, {
      ...goal,
      path_tolerance: ofModel(goal.path_tolerance),
      goal_tolerance: ofModel(goal.goal_tolerance),
    });
    if (isFault(tolerances)) return tolerances;
    const planned = readTrajectory(arm, this.#ofModel(goal.trajectory), clockOf(node));
    return isFault(planned) ? planned : { tolerances, planned };
  }

  #judge(goal: TrajectoryGoal): string | null {
    const read = this.#read(goal);
    if (isFault(read)) return read.text;
    try {
      const { arm, trajectories } = this.#parts;
      const { path, begin } = read.planned;
      trajectories.requireFollowable(arm, path, this.#caller(null), begin !== null);
      return null;
    } catch (error) {
      return faultOf(error, this.#parts.nodeName).message;
    }
  }

  async #follow({ goal, client, origin, signal, tell }: GoalRun<TrajectoryGoal>): Promise<Outcome> {
    const read = this.#read(goal);
    if (isFault(read)) return followed(read.code, read.text);
    const { tolerances, planned } = read;
    const { path, begin } = planned;
    const { arm, trajectories } = this.#parts;
    let begun: number | null = null;
    tell(() => this.#progress(path.names, begun === null ? 0 : arm.clock.now() - begun));
    try {
      const caller = { ...this.#caller(client.name), signal, origin };
      const left = this.#left(begin);
      const { end, message } = await trajectories.follow(arm, path, tolerances, caller, left, () => {
        begun = arm.clock.now();
      });
      if (signal.aborted) {
        return cancelled(end === 'not_begun' ? NOT_BEGUN : 'cancelled; the arm has decelerated and holds');
      }
      return followed(END_CODES[end], message);
    } catch (error) {
      if (signal.aborted) return cancelled(NOT_BEGUN);
      return followed(TrajectoryCode.INVALID_GOAL, faultOf(error, this.#parts.nodeName).message);
    }
  }

  #ofModel(message: TrajectoryMessage): TrajectoryMessage {
    return { ...message, joint_names: this.#parts.names.ofModel(message.joint_names) };
  }

  /** Goals and messages of one controller replace one another. @param who sender, human-readable */
  #caller(who: string | null): Caller {
    return controllerCaller(this.#parts.arm, this.#parts.namespace, CONTROLLER, who);
  }

  /**
   * Feedback of a trajectory: setpoints of the joints, measured positions, and the difference.
   * @param time since its begin, s
   */
  #progress(names: readonly string[], time: number): object {
    const { arm, names: onGraph } = this.#parts;
    const snapshot = arm.read();
    const places = names.map((name) => arm.model.joints.findIndex((joint) => joint.name === name));
    const pick = (values: Float64Array): Float64Array => Float64Array.from(places, (place) => values[place]!);
    const time_from_start = stampOf(time);
    const point = (positions: Float64Array, velocities: Float64Array): object => ({
      positions: pick(positions),
      velocities: pick(velocities),
      time_from_start,
    });
    const { setpoints, goalVelocities, positions, velocities } = snapshot;
    return {
      header: { stamp: stampOf(snapshot.sampleTime), frame_id: '' },
      joint_names: names.map((name) => onGraph.joint(name)),
      desired: point(setpoints, goalVelocities),
      actual: point(positions, velocities),
      error: point(difference(setpoints, positions), difference(goalVelocities, velocities)),
    };
  }
}

function cancelled(error_string: string): Outcome {
  return { state: 'canceled', result: { error_code: TrajectoryCode.SUCCESSFUL, error_string } };
}

function followed(error_code: number, error_string: string): Outcome {
  const done = error_code === TrajectoryCode.SUCCESSFUL;
  return { state: done ? 'succeeded' : 'aborted', result: { error_code, error_string } };
}
