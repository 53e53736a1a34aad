import type { Logger } from 'pino';
import type { Arm, Caller } from '../arm/types.ts';
import type { GripperCommand, GripperOutcome, TrajectoryService } from '../motion/trajectory-service.ts';
import type { Actions, GoalRun, Outcome } from './action.ts';
import { faultOf } from './errors.ts';
import type { ArmNames } from './names.ts';
import { RefusalLog } from './refusals.ts';
import { stampOf } from './time.ts';

/** Largest distance from its goal at which a gripper has arrived, rad. */
const TOLERANCE = 0.03;

/** Goal of control_msgs/action/ParallelGripperCommand: a sensor_msgs/msg/JointState. */
export interface ParallelGripperGoal {
  readonly command: {
    readonly name: readonly string[];
    readonly position: ArrayLike<number>;
    readonly velocity: ArrayLike<number>;
    readonly effort: ArrayLike<number>;
  };
}

/** Goal of control_msgs/action/GripperCommand. */
export interface GripperGoal {
  readonly command: { readonly position: number; readonly max_effort: number };
}

/** What tells goals, results and feedback of one action type. */
interface Dialect<Goal> {
  /** What is asked for. @throws {Error} what is wrong with the goal, for people */
  read(goal: Goal): GripperCommand;
  state(): object;
}

/** The gripper as a controller of its own, as action of both types that programs use. Goals of both replace one another. */
export class GripperInputs {
  readonly #arm: Arm;
  readonly #names: ArmNames;
  readonly #trajectories: TrajectoryService;
  readonly #namespace: string;
  readonly #node: string;
  readonly #caller: Caller;
  readonly #log: Logger;

  /** @param namespace of the arm @param node full name of its node, for people */
  constructor(
    arm: Arm,
    names: ArmNames,
    trajectories: TrajectoryService,
    namespace: string,
    node: string,
    log: Logger,
  ) {
    this.#arm = arm;
    this.#names = names;
    this.#trajectories = trajectories;
    this.#namespace = namespace;
    this.#node = node;
    this.#log = log;
    this.#caller = {
      owner: { key: `ros:${arm.name}/gripper_controller`, name: `the ROS controller ${namespace}/gripper_controller` },
      takeOver: false,
    };
  }

  offerActions(actions: Actions): void {
    if (this.#arm.model.gripper === null) return;
    this.#offer<ParallelGripperGoal>(
      actions,
      'control_msgs/action/ParallelGripperCommand',
      'gripper_controller/gripper_cmd',
      {
        read: ({ command }) => this.#readParallel(command),
        state: () => ({ state: this.#jointState() }),
      },
    );
    this.#offer<GripperGoal>(actions, 'control_msgs/action/GripperCommand', 'gripper_action_controller/gripper_cmd', {
      read: ({ command }) => commandOf(command.position, 0, command.max_effort, this.#joint),
      state: () => {
        const { positions, efforts } = this.#arm.read();
        return { position: positions[this.#index]!, effort: efforts[this.#index]! };
      },
    });
  }

  get #index(): number {
    return this.#arm.model.gripper!.index;
  }

  get #joint(): string {
    return this.#arm.model.joints[this.#index]!.name;
  }

  #offer<Goal>(actions: Actions, type: string, name: string, { read, state }: Dialect<Goal>): void {
    const refusals = new RefusalLog(this.#log, `Goal of ${this.#namespace}/${name} aborted`);
    const abort = (text: string): void => refusals.refuse(text, () => text, performance.now() / 1000);
    const result = ({ reached, stalled }: Pick<GripperOutcome, 'reached' | 'stalled'>): Outcome => ({
      // Holding something is what a gripper is for: a stalled one has succeeded, and says so.
      state: reached || stalled ? 'succeeded' : 'aborted',
      result: { ...state(), stalled, reached_goal: reached },
    });
    const execute = async ({ goal, signal, tell }: GoalRun<Goal>): Promise<Outcome> => {
      tell(state);
      try {
        const command = read(goal);
        const outcome = await this.#trajectories.gripper(this.#arm, command, TOLERANCE, { ...this.#caller, signal });
        if (outcome.message !== '' && !signal.aborted) abort(outcome.message);
        return result(outcome);
      } catch (error) {
        abort(faultOf(error, this.#node).message);
        return result({ reached: false, stalled: false });
      }
    };
    const judge = (goal: Goal): string | null => {
      try {
        this.#trajectories.requireGripper(this.#arm, read(goal), this.#caller);
        return null;
      } catch (error) {
        return faultOf(error, this.#node).message;
      }
    };
    actions.offer<Goal>(type, name, { judge, execute });
  }

  #readParallel({ name, position, velocity, effort }: ParallelGripperGoal['command']): GripperCommand {
    const joint = this.#joint;
    const named = name.length === 0 ? 0 : this.#names.ofModel(name).indexOf(joint);
    const asked = position[named];
    if (asked === undefined || name.length > 1)
      throw new Error(`its command must hold one position, of the joint ${joint}`);
    return commandOf(asked, velocity[named] ?? 0, effort[named] ?? 0, joint);
  }

  #jointState(): object {
    const { sampleTime, positions, velocities, efforts } = this.#arm.read();
    return {
      header: { stamp: stampOf(sampleTime), frame_id: '' },
      name: [this.#names.joint(this.#joint)],
      position: [positions[this.#index]!],
      velocity: [velocities[this.#index]!],
      effort: [efforts[this.#index]!],
    };
  }
}

/** A velocity or an effort of 0 is one that the sender has left open: rad, rad/s and Nm. @throws {Error} what is wrong */
function commandOf(position: number, velocity: number, torque: number, joint: string): GripperCommand {
  if (!Number.isFinite(position)) throw new Error(`the position of ${joint} is ${position}`);
  if (!(velocity >= 0)) throw new Error(`the velocity of ${joint} is ${velocity}: more than 0 is needed, or none`);
  if (!(torque >= 0)) throw new Error(`the effort of ${joint} is ${torque}: more than 0 is needed, or none`);
  const given = (value: number): number | null => (value === 0 || value === Number.POSITIVE_INFINITY ? null : value);
  return { position, velocity: given(velocity), torque: given(torque) };
}
