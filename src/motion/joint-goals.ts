import type { ArmHandle } from '../arm/handle.ts';
import { type Arm, BridgeError, type Caller } from '../arm/types.ts';
import { ArmRun } from './arm-run.ts';
import { asked, type Goals } from './goals.ts';
import type { Planners } from './planners.ts';

/** A way in joint space that has not ended by then decelerates to a hold, s. */
const TIME_LIMIT = 30;
/** A position beyond its limit by no more than this is brought back to it: a measured one may be written back, rad. */
const LIMIT_SLACK = 0.01;
/** Angles that differ by no more are the same, rad. */
const SAME = 1e-9;

/** Goals of joints that programs write one after the other, without waiting for the arm. */
export interface Joints {
  /**
   * Torque on if it is off, then towards the goal; resolves once that has begun. A newer goal of the same owner retargets
   * the arm in flight, and resolves at once: of several within one cycle the newest is driven to.
   * @param wanted rad, one per joint; NaN: the joint keeps its present goal
   * @throws {BridgeError} disconnected, stopped, owned; bad_request beyond a limit, or where links would touch
   */
  write(arm: Arm, wanted: Float64Array, caller: Caller): Promise<void>;
}

/** An arm on its way to the newest of the goals that one owner writes, under one claim. */
class Flight {
  readonly run: ArmRun;
  /** Key of the owner. */
  readonly owner: string;
  /** Resolves when the snapshot tells of the motion. @throws {BridgeError} when it cannot begin */
  readonly begun: Promise<void>;
  /** The newest goal, rad. */
  goal: Float64Array;
  #over = false;
  #onBegun: () => void = () => {};
  #onRefused: (error: unknown) => void = () => {};
  #onRetarget: () => void = () => {};

  constructor(run: ArmRun, owner: string, goal: Float64Array) {
    this.run = run;
    this.owner = owner;
    this.goal = goal;
    this.begun = new Promise((resolve, reject) => {
      this.#onBegun = resolve;
      this.#onRefused = reject;
    });
  }

  /** It takes newer goals. */
  get goesOn(): boolean {
    return !this.#over && this.run.lostBecause === null;
  }

  /** From the next cycle on the arm goes there instead. */
  retarget(goal: Float64Array): void {
    this.goal = goal;
    this.#onRetarget();
  }

  /** Flies to the goal, and on to each newer one; resolves when the arm has arrived, is lost, or did not set off. */
  async fly(): Promise<void> {
    const { run } = this;
    try {
      await run.handle.torqueOn();
      let problem: string | null;
      let goal: Float64Array;
      do {
        goal = this.goal;
        run.renew();
        problem = await this.#leg(goal);
      } while (problem === null && goal !== this.goal);
      this.#over = true;
      if (problem === null) this.#onBegun();
      else this.#onRefused(new BridgeError('bad_request', `Arm ${run.handle.name} does not go there: ${problem}.`));
    } catch (error) {
      this.#over = true;
      // Once it has begun the promise is settled, and how it ends is nobody's question.
      this.#onRefused(error);
    }
  }

  /** Goes to one goal, or until there is a newer one and the control loop has taken this one up: it is given one a cycle. */
  #leg(goal: Float64Array): Promise<string | null> {
    const { run } = this;
    let onTaken: () => void = () => {};
    const taken = new Promise<void>((resolve) => {
      onTaken = resolve;
    });
    const newer = new Promise<void>((resolve) => {
      this.#onRetarget = resolve;
    });
    const begun = (): void => {
      // The snapshot tells of the motion from the next cycle on.
      void run.handle.nextCycle().then(() => {
        this.#onBegun();
        onTaken();
      }, this.#onRefused);
    };
    const instead = Promise.all([newer, taken]).then(() => {});
    return run.drive({ kind: 'trajectory', goal, speed: null }, begun, instead);
  }
}

function isSame(a: Float64Array, b: Float64Array): boolean {
  return a.every((angle, i) => Math.abs(angle - b[i]!) < SAME);
}

/** The arm holds at exactly these setpoints (rad), so that nothing has to move. */
function isAskedToBe(handle: ArmHandle, goal: Float64Array): boolean {
  const { state, holding, setpoints } = handle.read();
  return state === 'ready' && holding && isSame(setpoints, goal);
}

export class JointGoals implements Joints {
  readonly #planners: Planners;
  readonly #goals: Goals;
  readonly #flights = new Map<ArmHandle, Flight>();

  /** @param planners of all arms @param goals shared by all that moves arms to poses */
  constructor(planners: Planners, goals: Goals) {
    this.#planners = planners;
    this.#goals = goals;
  }

  async write(arm: Arm, wanted: Float64Array, { owner, takeOver, signal }: Caller): Promise<void> {
    const handle = this.#planners.handle(arm);
    handle.requireDrivable();
    const goal = this.#goal(handle, wanted);
    // Who has gone before anything began wants nothing any more; once a goal is accepted, its client may go.
    if (signal?.aborted) return;
    const caller = { owner, takeOver };
    const latest = this.#flights.get(handle);
    const flight = latest?.owner === owner.key && latest.goesOn ? latest : null;
    if (flight !== null && isSame(goal, flight.goal)) {
      await flight.begun;
    } else if (flight !== null) {
      this.#requireFree(handle, goal);
      this.#goals.set(flight.run, { q: goal, position: handle.toolPose(goal).position });
      flight.retarget(goal);
      await flight.begun;
    } else if (isAskedToBe(handle, goal)) {
      handle.release(handle.claim(caller, () => {}));
    } else {
      this.#requireFree(handle, goal);
      await this.#begin(handle, goal, caller);
    }
  }

  /** @throws {BridgeError} bad_request, when links would touch something on the straight way of the joints to the goal */
  #requireFree(handle: ArmHandle, goal: Float64Array): void {
    const contact = this.#planners.of(handle).touches(asked(handle), goal);
    if (contact === null) return;
    throw new BridgeError(
      'bad_request',
      `On the straight way of its joints to this goal arm ${handle.name} would hit something: ${contact}. ` +
        'Nothing has moved; go round it in several steps.',
    );
  }

  /** Claims the arm and lets it set off; resolves once it has. */
  #begin(handle: ArmHandle, goal: Float64Array, caller: Caller): Promise<void> {
    const run = new ArmRun(handle, caller, TIME_LIMIT * handle.patience);
    const flight = new Flight(run, caller.owner.key, goal);
    this.#flights.set(handle, flight);
    this.#goals.set(run, { q: goal, position: handle.toolPose(goal).position });
    flight.fly().finally(() => {
      if (this.#flights.get(handle) === flight) this.#flights.delete(handle);
      this.#goals.end(run, run.arrived);
      run.end();
    });
    return flight.begun;
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
