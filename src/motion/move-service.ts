import type { ArmHandle } from '../arm/handle.ts';
import { type Arm, BridgeError, type Caller } from '../arm/types.ts';
import type { Pose } from '../kinematics/frames.ts';
import type { SourceSpec } from '../rt/messages.ts';
import { ArmRun, standing } from './arm-run.ts';
import { asked, type Goals } from './goals.ts';
import type { LineEnd } from './line.ts';
import { lowerTo } from './lower.ts';
import type { AbsoluteMove, EndEffector, Forecast, Motion, MoveOutcome, Path, RelativeMove } from './moves.ts';
import type { ArmPlanner } from './planner.ts';
import type { Planners } from './planners.ts';
import {
  absoluteTarget,
  describe,
  errorsOf,
  missed,
  poseTarget,
  refused,
  relativeTarget,
  type Target,
} from './target.ts';
import { toolIn } from './tool.ts';

/** A move that has not ended by then decelerates to a hold, s. */
const TIME_LIMIT = 30;
/** The longest that lowering before the end of the bridge may take, s. */
const LOWERING_LIMIT = 8;
/** Most that trials may move a joint's goal away from the asked position, rad. */
const LARGEST_CORRECTION = 0.15;
/** An arm that cannot go all the way down around a dead joint goes so far. */
const PARTS_OF_THE_WAY = [1, 0.75, 0.5, 0.25];
/** Longest wait for a bus read that a caller asked for, s. */
const SYNC_TIMEOUT = 0.2;
/** A wave: turns of the wrist to either side, rad, and how many. */
const WAVE = 0.35;
const WAVES = 2;

/** What a move does under its claim. @returns null, or why it has not been completed */
type Work = (run: ArmRun) => Promise<string | null>;

/** Moves of arms by themselves: to poses, with trials; greeting, going to sleep, lowering; reading the end effector. */
export class MoveService implements Motion {
  readonly #planners: Planners;
  readonly #goals: Goals;

  /** @param planners of all arms @param goals shared by all that moves arms to poses */
  constructor(planners: Planners, goals: Goals) {
    this.#goals = goals;
    this.#planners = planners;
  }

  zero(arm: Arm): Pose {
    return this.#planner(arm).zero;
  }

  async init(arm: Arm, caller: Caller): Promise<MoveOutcome> {
    const handle = this.#drivable(arm);
    const outcome = await this.#go(handle, poseTarget(handle, this.#planner(arm), 'init', null), caller);
    if (outcome.ok) handle.initialised = true;
    return outcome;
  }

  async moveAbsolute(arm: Arm, move: AbsoluteMove, caller: Caller): Promise<MoveOutcome> {
    const handle = this.#initialised(arm);
    return this.#move(
      handle,
      absoluteTarget(handle, this.#planner(arm), this.#goals.present(handle), move),
      move,
      caller,
    );
  }

  async foresee(arm: Arm, move: AbsoluteMove): Promise<Forecast> {
    const handle = this.#initialised(arm);
    const target = absoluteTarget(handle, this.#planner(arm), this.#goals.present(handle), move);
    if (typeof target === 'string') return { problem: target, goal: null };
    const route = this.#route(handle, target.goal);
    if (typeof route === 'string') return { problem: this.#blocked(handle, route), goal: null };
    const left = target.plannedOrientationError;
    if (left <= move.orientationTolerance) return { problem: null, goal: target.goal };
    const degrees = ((left * 180) / Math.PI).toFixed(1);
    const problem = `Arm ${arm.name} can have the position, but of the orientation ${degrees} degrees would be left.`;
    return { problem, goal: target.goal };
  }

  async moveRelative(arm: Arm, move: RelativeMove, caller: Caller): Promise<MoveOutcome> {
    const handle = this.#initialised(arm);
    return this.#move(
      handle,
      relativeTarget(handle, this.#planner(arm), this.#goals.present(handle), move),
      move,
      caller,
    );
  }

  async hello(arm: Arm, caller: Caller): Promise<MoveOutcome> {
    const handle = this.#drivable(arm);
    const target = poseTarget(handle, this.#planner(arm), 'hello', this.#presentGripper(handle));
    const waves = this.#waves(handle, target.goal);
    return this.#go(handle, target, caller, async (run) => {
      for (const goal of waves) {
        const problem = await run.drive({ kind: 'trajectory', goal, speed: null });
        if (problem !== null) return problem;
      }
      await run.settle();
      return run.lostBecause;
    });
  }

  async sleep(arm: Arm, caller: Caller): Promise<MoveOutcome> {
    const handle = this.#drivable(arm);
    const target = poseTarget(handle, this.#planner(arm), 'rest', null);
    const route = this.#route(handle, target.goal);
    if (typeof route === 'string') return refused(this.#blocked(handle, route));
    return this.#underClaim(handle, target, caller, async (run, began) => {
      await handle.torqueOn();
      const problem = await lowerTo(run, route);
      const outcome = this.#outcome(handle, target, began, 1, problem);
      if (problem === null) await handle.torqueOff();
      return outcome;
    });
  }

  async readEndEffector(arm: Arm, options: { onlyGripper: boolean; sync: boolean }): Promise<EndEffector> {
    const handle = this.#handle(arm);
    handle.requireConnected();
    if (!options.onlyGripper) this.#requireZero(arm);
    const { positions } = options.sync ? await handle.readFresh(SYNC_TIMEOUT) : handle.read();
    const open = arm.gripperOpening(positions);
    if (options.onlyGripper) return { pose: null, open };
    return { pose: toolIn(this.zero(arm), arm.toolPose(positions)), open };
  }

  /**
   * Lowers an arm along a checked way to its rest pose and switches its torque off. An arm that is stopped, or for which
   * no free way is found, keeps its torque and holds.
   * @param without joint whose servo is silent or limp: the others go down around it, as low as is free, and hold there
   * @returns null when the arm is down and limp, else why it still holds
   */
  async lower(arm: Arm, caller: Caller, without: number | null = null): Promise<string | null> {
    const handle = this.#handle(arm);
    await standing(handle);
    const { state, torque, holding } = handle.read();
    if (handle.remote || state === 'disconnected' || !torque) return null;
    if (state === 'stopped') {
      return `arm ${arm.name} is stopped and holds; switch its power off only with a hand under it, or start the bridge, reset and stop it again`;
    }
    if (!holding) return `only some servos of arm ${arm.name} have torque: they are left as they are`;
    const rest = this.#planner(arm).pose('rest');
    const route = without === null ? this.#route(handle, rest) : this.#routeAround(handle, rest, without);
    if (typeof route === 'string') {
      return `arm ${arm.name} has no free way down (${route}) and holds; move it clear, then stop the bridge again`;
    }
    const run = new ArmRun(handle, caller, LOWERING_LIMIT);
    try {
      const problem = await lowerTo(run, route, without);
      if (problem !== null) {
        return `arm ${arm.name} was not lowered (${problem}) and holds; free it, then stop the bridge again`;
      }
      if (without === null) await handle.torqueOff();
      return null;
    } finally {
      run.end();
    }
  }

  #handle(arm: Arm): ArmHandle {
    return this.#planners.handle(arm);
  }

  #planner(arm: Arm): ArmPlanner {
    return this.#planners.of(arm);
  }

  #drivable(arm: Arm): ArmHandle {
    const handle = this.#handle(arm);
    handle.requireDrivable();
    return handle;
  }

  #initialised(arm: Arm): ArmHandle {
    const handle = this.#drivable(arm);
    this.#requireZero(arm);
    return handle;
  }

  #requireZero(arm: Arm): void {
    if (!arm.initialised) throw new BridgeError('not_initialised', `Arm ${arm.name} has no zero yet: call /move/init.`);
  }

  #presentGripper(handle: ArmHandle): number | null {
    const { gripper } = handle.model;
    return gripper === null ? null : this.#goals.present(handle).q[gripper.index]!;
  }

  /** Poses of a greeting about `pose`, ending with it; none for an arm whose wrist is not free to turn there. */
  #waves(handle: ArmHandle, pose: Float64Array): readonly Float64Array[] {
    const wrist = handle.model.joints.findIndex(({ role }) => role === 'wrist_roll');
    const joint = handle.model.joints[wrist];
    if (joint === undefined) return [];
    const ends = [WAVE, -WAVE].map((turn) => {
      const end = pose.slice();
      end[wrist] = Math.min(Math.max(pose[wrist]! + turn, joint.lower), joint.upper);
      return end;
    });
    const planner = this.#planner(handle);
    if (ends.some((end) => planner.touches(pose, end) !== null)) return [];
    return [...Array.from({ length: WAVES }, () => ends).flat(), pose];
  }

  /** A free way from where the arm is asked to be (or lies, when limp) to `goal`, or what is in the way. */
  #route(handle: ArmHandle, goal: Float64Array): readonly Float64Array[] | string {
    return this.#planner(handle).route(asked(handle), goal);
  }

  /** A straight way towards `goal` on which one joint stays where it was seen last: as far as is free, or what is in the way. */
  #routeAround(handle: ArmHandle, goal: Float64Array, joint: number): readonly Float64Array[] | string {
    const from = asked(handle);
    from[joint] = handle.read().positions[joint]!;
    let contact = '';
    for (const part of PARTS_OF_THE_WAY) {
      const end = from.map((angle, i) => (i === joint ? angle : angle + part * (goal[i]! - angle)));
      const touched = this.#planner(handle).touches(from, end);
      if (touched === null) return [end];
      contact ||= touched;
    }
    return contact;
  }

  #blocked(handle: ArmHandle, contact: string): string {
    return `On the way to this pose arm ${handle.name} would hit something: ${contact}. Nothing has moved.`;
  }

  /** @param target or why there is none */
  async #move(
    handle: ArmHandle,
    target: Target | string,
    { path }: { readonly path: Path },
    caller: Caller,
  ): Promise<MoveOutcome> {
    if (typeof target === 'string') return refused(target);
    const { angles } = target;
    return path === 'line' && angles !== null
      ? this.#goStraight(handle, { ...target, angles }, caller)
      : this.#go(handle, target, caller);
  }

  /** On a straight line. It begins at rest: an arm that moves brakes first, since its way on is not known before. */
  async #goStraight(handle: ArmHandle, target: Target & LineEnd, caller: Caller): Promise<MoveOutcome> {
    const plan = () => this.#planner(handle).line(asked(handle), target, handle);
    const refusal = (why: string, moved: string) =>
      refused(`Arm ${handle.name} cannot take a straight line: ${why}. ${moved} Path "joint" may find a way round.`);
    const still = ['connected', 'ready'].includes(handle.read().state);
    const early = still ? plan() : null;
    if (typeof early === 'string') return refusal(early, 'Nothing has moved.');
    return this.#underClaim(handle, target, caller, async (run, began) => {
      let problem = still ? null : await run.brake();
      const line = early ?? plan();
      if (problem === null && typeof line === 'string') return refusal(line, 'The arm has only been halted.');
      let trials = 0;
      if (problem === null && typeof line !== 'string') {
        await handle.torqueOn();
        const end = { ...target, goal: line.end };
        this.#goals.set(run, { q: line.end, position: target.position });
        problem = await this.#reach(run, end, [{ kind: 'waypoints', ...line }], () => trials++);
      }
      return this.#outcome(handle, target, began, trials, problem);
    });
  }

  /** @param then what follows once the arm is there */
  async #go(handle: ArmHandle, target: Target, caller: Caller, then?: Work): Promise<MoveOutcome> {
    const route = this.#route(handle, target.goal);
    if (typeof route === 'string') return refused(this.#blocked(handle, route));
    return this.#underClaim(handle, target, caller, async (run, began) => {
      await handle.torqueOn();
      let trials = 0;
      const count = () => trials++;
      const legs = route.map((goal): SourceSpec => ({ kind: 'trajectory', goal, speed: null }));
      const problem = (await this.#reach(run, target, legs, count)) ?? (await then?.(run)) ?? null;
      return this.#outcome(handle, target, began, trials, problem);
    });
  }

  /** Claims the arm for a move to `target` and gives it back after the work; `began` in s of its clock. */
  async #underClaim(
    handle: ArmHandle,
    target: Target,
    caller: Caller,
    work: (run: ArmRun, began: number) => Promise<MoveOutcome>,
  ): Promise<MoveOutcome> {
    const began = handle.clock.now();
    const run = new ArmRun(handle, caller, TIME_LIMIT * handle.patience);
    this.#goals.set(run, { q: target.goal, position: target.position });
    try {
      return await work(run, began);
    } finally {
      this.#goals.end(run, run.arrived);
      run.end();
    }
  }

  #outcome(handle: ArmHandle, target: Target, began: number, trials: number, problem: string | null): MoveOutcome {
    const errors = errorsOf(handle, this.#planner(handle), target, handle.read().positions);
    return {
      ok: problem === null,
      message: problem === null ? null : describe(problem, errors),
      positionError: errors?.position ?? null,
      orientationError: errors?.orientation ?? null,
      trials,
      duration: handle.clock.now() - began,
    };
  }

  /**
   * Leads the arm to a target, trial by trial.
   * @param legs the way there; the last of them is the first trial
   * @param onTrial called as each trial begins
   */
  async #reach(
    run: ArmRun,
    target: Target,
    legs: readonly SourceSpec[],
    onTrial: () => number,
  ): Promise<string | null> {
    const { handle } = run;
    const planner = this.#planner(handle);
    for (const leg of legs.slice(0, -1)) {
      const problem = await run.drive(leg);
      if (problem !== null) return problem;
    }
    const correction = new Float64Array(target.goal.length);
    let leg = legs.at(-1)!;
    for (;;) {
      const trials = onTrial() + 1;
      const problem = await run.drive(leg);
      if (problem !== null) return problem;
      const { positions } = await run.settle();
      const gone = run.lostBecause;
      if (gone !== null) return gone;
      const miss = missed(target, errorsOf(handle, planner, target, positions));
      if (miss === null) return null;
      if (trials >= target.tolerances.maxTrials || miss.hopeless) {
        return `${miss.what} missed after ${trials} trial${trials === 1 ? '' : 's'}`;
      }
      for (let i = 0; i < correction.length; i++) {
        if (i === handle.model.gripper?.index) continue;
        const left = correction[i]! + target.goal[i]! - positions[i]!;
        correction[i] = Math.min(Math.max(left, -LARGEST_CORRECTION), LARGEST_CORRECTION);
      }
      leg = { kind: 'trajectory', goal: target.goal.map((angle, i) => angle + correction[i]!), speed: null };
    }
  }
}
