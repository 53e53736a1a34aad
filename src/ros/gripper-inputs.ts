import type { Caller } from '../arm/types.ts';
import type { GripperCommand, GripperOutcome } from '../motion/trajectory-service.ts';
import type { Actions, GoalRun, Outcome } from './action.ts';
import type { InputParts } from './arm-inputs.ts';
import { controllerCaller } from './callers.ts';
import { faultOf } from './errors.ts';
import { stampOf } from './time.ts';

/** Largest distance from its goal at which a gripper counts as arrived, rad. */
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

/** Conversion of goals, results and feedback of one action type. */
interface Dialect<Goal> {
  /** The command of a goal. @throws {Error} the fault of the goal, human-readable */
  read(goal: Goal): GripperCommand;
  state(): object;
}

/** The gripper as its own controller, with both action types that programs use. Goals of both replace one another. */
export class GripperInputs {
  readonly #parts: InputParts;

  constructor(parts: InputParts) {
    this.#parts = parts;
  }

  offerActions(actions: Actions): void {
    if (this.#parts.arm.model.gripper === null) return;
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
        const { positions, efforts } = this.#parts.arm.read();
        return { position: positions[this.#index]!, effort: efforts[this.#index]! };
      },
    });
  }

  get #index(): number {
    return this.#parts.arm.model.gripper!.index;
  }

  get #joint(): string {
    return this.#parts.arm.model.joints[this.#index]!.name;
  }

  #offer<Goal>(actions: Actions, type: string, name: string, { read, state }: Dialect<Goal>): void {
    const { arm, trajectories, namespace, nodeName } = this.#parts;
    const callerOf = (who?: string): Caller => controllerCaller(arm, namespace, 'gripper_controller', who);
    const outcomeOf = ({ reached, stalled, message }: GripperOutcome): Outcome => ({
      // Grasping is what a gripper is for: a stalled one has succeeded, and reports `stalled`.
      state: reached || stalled ? 'succeeded' : 'aborted',
      result: { ...state(), stalled, reached_goal: reached },
      reason: message,
    });
    const execute = async ({ goal, client, origin, signal, tell }: GoalRun<Goal>): Promise<Outcome> => {
      tell(state);
      try {
        const command = read(goal);
        const caller = { ...callerOf(client.name), signal, origin };
        return outcomeOf(await trajectories.gripper(arm, command, TOLERANCE, caller));
      } catch (error) {
        return outcomeOf({ reached: false, stalled: false, message: faultOf(error, nodeName).message });
      }
    };
    const judge = (goal: Goal): string | null => {
      try {
        trajectories.requireGripper(arm, read(goal), callerOf());
        return null;
      } catch (error) {
        return faultOf(error, nodeName).message;
      }
    };
    actions.offer<Goal>(type, name, { judge, execute });
  }

  #readParallel({ name, position, velocity, effort }: ParallelGripperGoal['command']): GripperCommand {
    const joint = this.#joint;
    const asked = position[0];
    const named = this.#parts.names.ofModel(name).every((given) => given === joint);
    if (asked === undefined || !named || [name, position, velocity, effort].some(({ length }) => length > 1)) {
      throw new Error(`its command must hold one position, of the joint ${joint}, and one velocity and effort at most`);
    }
    return commandOf(asked, velocity[0] ?? 0, effort[0] ?? 0, joint);
  }

  #jointState(): object {
    const { arm, names } = this.#parts;
    const { sampleTime, positions, velocities, efforts } = arm.read();
    return {
      header: { stamp: stampOf(sampleTime), frame_id: '' },
      name: [names.joint(this.#joint)],
      position: [positions[this.#index]!],
      velocity: [velocities[this.#index]!],
      effort: [efforts[this.#index]!],
    };
  }
}

/** A velocity or effort of 0 means that the sender left it open: rad, rad/s and Nm. @throws {Error} the fault */
function commandOf(position: number, velocity: number, torque: number, joint: string): GripperCommand {
  if (!Number.isFinite(position)) throw new Error(`the position of ${joint} is ${position}`);
  if (!(velocity >= 0)) throw new Error(`the velocity of ${joint} is ${velocity}: more than 0 is needed, or none`);
  if (!(torque >= 0)) throw new Error(`the effort of ${joint} is ${torque}: more than 0 is needed, or none`);
  const given = (value: number): number | null => (value === 0 || value === Number.POSITIVE_INFINITY ? null : value);
  return { position, velocity: given(velocity), torque: given(torque) };
}
