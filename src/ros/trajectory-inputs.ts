import type { Logger } from 'pino';
import type { Arm, Caller } from '../arm/types.ts';
import type { TrajectoryService } from '../motion/trajectory-service.ts';
import type { Actions, GoalRun, Outcome } from './action.ts';
import { faultOf } from './errors.ts';
import type { ArmNames } from './names.ts';
import type { Qualities } from './qos.ts';
import type { RosNode } from './rclnodejs.ts';
import { RefusalLog } from './refusals.ts';
import { stampOf } from './time.ts';
import {
  isFault,
  readTolerances,
  readTrajectory,
  TrajectoryCode,
  type TrajectoryGoal,
  type TrajectoryMessage,
  usualTolerances,
} from './trajectory-message.ts';

/** Codes of how a trajectory that had begun ended. */
const END_CODES = {
  done: TrajectoryCode.SUCCESSFUL,
  path: TrajectoryCode.PATH_TOLERANCE_VIOLATED,
  goal: TrajectoryCode.GOAL_TOLERANCE_VIOLATED,
  ended: TrajectoryCode.INVALID_GOAL,
  not_begun: TrajectoryCode.INVALID_GOAL,
} as const;

const NOT_BEGUN = 'cancelled before it began; nothing has moved';

/** Largest distance from its goal at which a gripper has arrived, rad. */
const GRIPPER_TOLERANCE = 0.03;

/** What drives an arm as ros2_control's controllers do: trajectories as action and as topic, and the gripper. */
export class TrajectoryInputs {
  readonly #arm: Arm;
  readonly #names: ArmNames;
  readonly #trajectories: TrajectoryService;
  readonly #node: string;
  readonly #now: () => number;
  readonly #caller: Caller;
  readonly #log: Logger;
  readonly #gripperRefusals: RefusalLog;

  /**
   * @param namespace of the arm
   * @param node full name of its node, for people
   * @param now clock of ROS, seconds since the epoch
   */
  constructor(
    arm: Arm,
    names: ArmNames,
    trajectories: TrajectoryService,
    namespace: string,
    node: string,
    now: () => number,
    log: Logger,
  ) {
    this.#log = log;
    this.#gripperRefusals = new RefusalLog(log, `Goal of ${namespace}/gripper_controller/gripper_cmd aborted`);
    this.#arm = arm;
    this.#names = names;
    this.#trajectories = trajectories;
    this.#node = node;
    this.#now = now;
    // Goals and messages of one controller replace one another.
    this.#caller = {
      owner: { key: `ros:${arm.name}/arm_controller`, name: `the ROS controller ${namespace}/arm_controller` },
      takeOver: false,
    };
  }

  offerActions(actions: Actions): void {
    actions.offer<TrajectoryGoal>(
      'control_msgs/action/FollowJointTrajectory',
      'arm_controller/follow_joint_trajectory',
      (run) => this.#follow(run),
    );
    if (this.#arm.model.gripper !== null) {
      actions.offer<GripperGoal>(
        'control_msgs/action/ParallelGripperCommand',
        'gripper_controller/gripper_cmd',
        (run) => this.#grip(run),
      );
    }
  }

  /** `arm_controller/joint_trajectory`: as the action, without an answer; a message without points stops the arm. */
  acceptTopic(node: RosNode, namespace: string, qualities: Qualities): void {
    const topic = `${namespace}/arm_controller/joint_trajectory`;
    const refusals = new RefusalLog(this.#log, `Message on ${topic} refused`);
    let newest = 0;
    const take = async (message: TrajectoryMessage): Promise<void> => {
      if (message.points.length === 0) {
        await this.#halt();
        return;
      }
      const planned = readTrajectory(this.#arm, this.#ofModel(message), this.#now());
      if (isFault(planned)) {
        refusals.refuse(planned.text, () => planned.text, performance.now() / 1000);
        return;
      }
      const number = ++newest;
      const { path, wait } = planned;
      const usual = usualTolerances(this.#arm);
      try {
        const outcome = await this.#trajectories.follow(this.#arm, path, usual, this.#caller, wait);
        if (outcome.message !== '' && number === newest) {
          this.#log.warn(`The trajectory on ${topic} was not completed. ${outcome.message}`);
        }
      } catch (error) {
        // Replaced while it was being checked.
        if (number === newest) throw error;
      }
    };
    const type = 'trajectory_msgs/msg/JointTrajectory';
    node.createSubscription<TrajectoryMessage>(
      type,
      'arm_controller/joint_trajectory',
      { qos: qualities.stream },
      (message) =>
        take(message).catch((error: unknown) => {
          const { code, message: text } = faultOf(error, this.#node);
          refusals.refuse(code, () => text, performance.now() / 1000);
        }),
    );
  }

  /** What the controller drives the arm with, and what waits to begin, ends: the arm decelerates and holds. */
  async #halt(): Promise<void> {
    if (this.#arm.owner?.key === this.#caller.owner.key) await this.#arm.halt(this.#caller);
  }

  async #follow({ goal, signal, tell }: GoalRun<TrajectoryGoal>): Promise<Outcome> {
    const ofModel = (list: TrajectoryGoal['path_tolerance']): TrajectoryGoal['path_tolerance'] =>
      list.map((tolerance) => ({ ...tolerance, name: this.#names.ofModel([tolerance.name])[0]! }));
    const tolerances = readTolerances(this.#arm, {
      ...goal,
      path_tolerance: ofModel(goal.path_tolerance),
      goal_tolerance: ofModel(goal.goal_tolerance),
    });
    if (isFault(tolerances)) return followed(tolerances.code, tolerances.text);
    const planned = readTrajectory(this.#arm, this.#ofModel(goal.trajectory), this.#now());
    if (isFault(planned)) return followed(planned.code, planned.text);
    const { path, wait } = planned;
    tell(() => this.#progress(path.names));
    try {
      const caller = { ...this.#caller, signal };
      const { end, message } = await this.#trajectories.follow(this.#arm, path, tolerances, caller, wait);
      if (signal.aborted) {
        const what = end === 'not_begun' ? NOT_BEGUN : 'cancelled; the arm has decelerated and holds';
        return followed(TrajectoryCode.SUCCESSFUL, what);
      }
      return followed(END_CODES[end], message);
    } catch (error) {
      if (signal.aborted) return followed(TrajectoryCode.SUCCESSFUL, NOT_BEGUN);
      return followed(TrajectoryCode.INVALID_GOAL, faultOf(error, this.#node).message);
    }
  }

  #ofModel(message: TrajectoryMessage): TrajectoryMessage {
    return { ...message, joint_names: this.#names.ofModel(message.joint_names) };
  }

  /** Feedback of a trajectory: where the joints are asked to be, where they are, and the difference. */
  #progress(names: readonly string[]): object {
    const snapshot = this.#arm.read();
    const places = names.map((name) => this.#arm.model.joints.findIndex((joint) => joint.name === name));
    const pick = (values: Float64Array): Float64Array => Float64Array.from(places, (place) => values[place]!);
    const desired = pick(snapshot.setpoints);
    const actual = pick(snapshot.positions);
    return {
      header: { stamp: stampOf(snapshot.sampleTime), frame_id: '' },
      joint_names: names.map((name) => this.#names.joint(name)),
      desired: point(desired),
      actual: { ...point(actual), velocities: pick(snapshot.velocities) },
      error: point(desired.map((value, index) => value - actual[index]!)),
    };
  }

  async #grip({ goal, signal, tell }: GoalRun<GripperGoal>): Promise<Outcome> {
    const joint = this.#arm.model.joints[this.#arm.model.gripper!.index]!.name;
    const { name, position } = goal.command;
    const named = name.length === 0 ? 0 : this.#names.ofModel(name).indexOf(joint);
    const asked = position[named];
    const result = (reached: boolean, stalled: boolean): Outcome => ({
      // Holding something is what a gripper is for: a stalled one has succeeded, and says so.
      state: reached || stalled ? 'succeeded' : 'aborted',
      result: { state: this.#gripper(joint), stalled, reached_goal: reached },
    });
    if (asked === undefined || name.length > 1 || !Number.isFinite(asked)) {
      this.#refuse(`its command must hold one finite position of the joint ${joint}`);
      return result(false, false);
    }
    tell(() => ({ state: this.#gripper(joint) }));
    try {
      const caller = {
        ...this.#caller,
        owner: { ...this.#caller.owner, key: `ros:${this.#arm.name}/gripper` },
        signal,
      };
      const outcome = await this.#trajectories.gripper(this.#arm, asked, GRIPPER_TOLERANCE, caller);
      if (outcome.message !== '' && !signal.aborted) this.#refuse(outcome.message);
      return result(outcome.reached, outcome.stalled);
    } catch (error) {
      this.#refuse(faultOf(error, this.#node).message);
      return result(false, false);
    }
  }

  /** Logs why a gripper's goal is aborted: its result has no place for that. */
  #refuse(text: string): void {
    this.#gripperRefusals.refuse(text, () => text, performance.now() / 1000);
  }

  #gripper(name: string): object {
    const { sampleTime, positions, velocities, efforts } = this.#arm.read();
    const { index } = this.#arm.model.gripper!;
    return {
      header: { stamp: stampOf(sampleTime), frame_id: '' },
      name: [this.#names.joint(name)],
      position: [positions[index]!],
      velocity: [velocities[index]!],
      effort: [efforts[index]!],
    };
  }
}

/** Goal of control_msgs/action/ParallelGripperCommand. */
interface GripperGoal {
  readonly command: { readonly name: readonly string[]; readonly position: Float64Array };
}

function point(positions: Float64Array): object {
  return { positions, time_from_start: { sec: 0, nanosec: 0 } };
}

function followed(error_code: number, error_string: string): Outcome {
  const done = error_code === TrajectoryCode.SUCCESSFUL;
  return { state: done ? 'succeeded' : 'aborted', result: { error_code, error_string } };
}
