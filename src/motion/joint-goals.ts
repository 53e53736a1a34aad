import type { ArmHandle } from '../arm/handle.ts';
import { type Arm, BridgeError, type Caller } from '../arm/types.ts';
import { asked, type Goals } from './goals.ts';
import type { ArmPlanner } from './planner.ts';
import { ArmRun } from './run.ts';

/** A way in joint space that has not ended by then decelerates to a hold, s. */
const TIME_LIMIT = 30;
/** A position beyond its limit by no more than this is brought back to it: a measured one may be written back, rad. */
const LIMIT_SLACK = 0.01;

/** Goals of joints that programs write one after the other, without waiting for the arm. */
export interface Joints {
  /**
   * Torque on if it is off, then towards the goal; resolves once that has begun. A newer goal of the same owner retargets
   * the arm in flight.
   * @param wanted rad, one per joint; NaN: the joint keeps its present goal
   * @throws {BridgeError} disconnected, stopped, owned; bad_request beyond a limit, or where links would touch
   */
  write(arm: Arm, wanted: Float64Array, caller: Caller): Promise<void>;
}

export class JointGoals implements Joints {
  readonly #planners: ReadonlyMap<Arm, ArmPlanner>;
  readonly #arms: ReadonlyMap<Arm, ArmHandle>;
  readonly #goals: Goals;

  /** @param arms every arm with its planner @param goals shared by all that moves arms to poses */
  constructor(arms: ReadonlyMap<ArmHandle, ArmPlanner>, goals: Goals) {
    this.#planners = arms;
    this.#arms = new Map([...arms.keys()].map((arm) => [arm, arm]));
    this.#goals = goals;
  }

  async write(arm: Arm, wanted: Float64Array, caller: Caller): Promise<void> {
    const handle = this.#arms.get(arm)!;
    handle.requireDrivable();
    const goal = this.#goal(handle, wanted);
    const contact = this.#planners.get(arm)!.touches(asked(handle), goal);
    if (contact !== null) {
      throw new BridgeError(
        'bad_request',
        `On the straight way of its joints to this goal arm ${arm.name} would hit something: ${contact}. ` +
          'Nothing has moved; go round it in several steps.',
      );
    }
    const run = new ArmRun(handle, caller, TIME_LIMIT / handle.speedScale);
    this.#goals.set(run, { q: goal, position: handle.toolPose(goal).position });
    await new Promise<void>((resolve, reject) => {
      // The snapshot tells of the motion from the next cycle on.
      const begun = () => void handle.nextCycle().then(resolve, reject);
      const ended = handle
        .torqueOn()
        .then(() => run.drive({ kind: 'trajectory', goal, speed: null }, begun))
        .finally(() => {
          this.#goals.end(run, run.arrived);
          run.end();
        });
      ended.then((problem) => {
        // Once it has begun the promise is settled, and how it ends is nobody's question.
        if (problem === null) resolve();
        else reject(new BridgeError('bad_request', `Arm ${arm.name} does not go there: ${problem}.`));
      }, reject);
    });
  }

  /** The present goal with what is wanted in it. @throws {BridgeError} bad_request */
  #goal(handle: ArmHandle, wanted: Float64Array): Float64Array {
    const goal = this.#goals.present(handle).q;
    const beyond: string[] = [];
    for (const [i, { name, lower, upper }] of handle.model.joints.entries()) {
      const asked = wanted[i]!;
      if (!Number.isNaN(asked)) {
        goal[i] = asked;
        if (asked < lower - LIMIT_SLACK || asked > upper + LIMIT_SLACK) {
          beyond.push(`${name} ${asked.toFixed(3)} rad (${lower.toFixed(3)} to ${upper.toFixed(3)})`);
        }
      }
      goal[i] = Math.min(Math.max(goal[i]!, lower), upper);
    }
    if (beyond.length > 0) {
      throw new BridgeError(
        'bad_request',
        `Angles are out of bounds for arm ${handle.name}: ${beyond.join(', ')}. Nothing has moved.`,
      );
    }
    return goal;
  }
}
