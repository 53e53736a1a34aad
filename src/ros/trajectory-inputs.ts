import type { Logger } from 'pino';
import type { Arm, Caller, Joints } from '../arm/types.ts';
import type { PathTolerances, TrajectoryService } from '../motion/trajectory-service.ts';
import type { Actions, GoalRun, Outcome } from './action.ts';
import { faultOf } from './errors.ts';
import type { ArmNames } from './names.ts';
import type { Qualities } from './qos.ts';
import type { RosNode } from './rclnodejs.ts';
import { RefusalLog } from './refusals.ts';
import { stampOf } from './time.ts';
import {
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

/** Codes of how a trajectory that had begun ended. */
const END_CODES = {
  done: TrajectoryCode.SUCCESSFUL,
  path: TrajectoryCode.PATH_TOLERANCE_VIOLATED,
  goal: TrajectoryCode.GOAL_TOLERANCE_VIOLATED,
  ended: TrajectoryCode.INVALID_GOAL,
  not_begun: TrajectoryCode.INVALID_GOAL,
} as const;

const NOT_BEGUN = 'cancelled before it began; nothing has moved';

/** What drives an arm as ros2_control's controllers do: trajectories, as action and as topic. */
export class TrajectoryInputs {
  readonly #arm: Arm;
  readonly #names: ArmNames;
  readonly #trajectories: TrajectoryService;
  readonly #node: string;
  readonly #now: () => number;
  readonly #caller: Caller;
  readonly #log: Logger;

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

  offerAction(actions: Actions): void {
    actions.offer<TrajectoryGoal>(
      'control_msgs/action/FollowJointTrajectory',
      'arm_controller/follow_joint_trajectory',
      { judge: (goal) => this.#judge(goal), execute: (run) => this.#follow(run) },
    );
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
      const { path, begin } = planned;
      const usual = usualTolerances(this.#arm);
      try {
        const outcome = await this.#trajectories.follow(this.#arm, path, usual, this.#caller, this.#left(begin));
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

  /** What the controller drives the arm with ends, and so does what waits or is still checked: the arm decelerates and holds. */
  async #halt(): Promise<void> {
    const has = (joints: Joints): boolean => this.#arm.ownerOf(joints)?.key === this.#caller.owner.key;
    const joints = has('gripper') ? 'all' : 'arm';
    if (has('arm') || this.#arm.ownerOf(joints) === null) await this.#arm.halt(this.#caller, undefined, joints);
  }

  /** How long it is until then, s. */
  #left(begin: number | null): () => number {
    return () => (begin === null ? 0 : begin - this.#now());
  }

  /** Tolerances of a goal, and its trajectory, or what is wrong with it. */
  #read(goal: TrajectoryGoal): { readonly tolerances: PathTolerances; readonly planned: Planned } | TrajectoryFault {
    const ofModel = (list: TrajectoryGoal['path_tolerance']): TrajectoryGoal['path_tolerance'] =>
      list.map((tolerance) => ({ ...tolerance, name: this.#names.ofModel([tolerance.name])[0]! }));
    const tolerances = readTolerances(this.#arm, {
      ...goal,
      path_tolerance: ofModel(goal.path_tolerance),
      goal_tolerance: ofModel(goal.goal_tolerance),
    });
    if (isFault(tolerances)) return tolerances;
    const planned = readTrajectory(this.#arm, this.#ofModel(goal.trajectory), this.#now());
    return isFault(planned) ? planned : { tolerances, planned };
  }

  #judge(goal: TrajectoryGoal): string | null {
    const read = this.#read(goal);
    if (isFault(read)) return read.text;
    try {
      const { path, begin } = read.planned;
      this.#trajectories.requireFollowable(this.#arm, path, this.#caller, begin !== null);
      return null;
    } catch (error) {
      return faultOf(error, this.#node).message;
    }
  }

  async #follow({ goal, signal, tell }: GoalRun<TrajectoryGoal>): Promise<Outcome> {
    const read = this.#read(goal);
    if (isFault(read)) return followed(read.code, read.text);
    const { tolerances, planned } = read;
    const { path, begin } = planned;
    tell(() => this.#progress(path.names));
    try {
      const caller = { ...this.#caller, signal };
      const { end, message } = await this.#trajectories.follow(this.#arm, path, tolerances, caller, this.#left(begin));
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
}

function point(positions: Float64Array): object {
  return { positions, time_from_start: { sec: 0, nanosec: 0 } };
}

function followed(error_code: number, error_string: string): Outcome {
  const done = error_code === TrajectoryCode.SUCCESSFUL;
  return { state: done ? 'succeeded' : 'aborted', result: { error_code, error_string } };
}
