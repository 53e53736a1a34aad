import type { Arm } from '../arm/arm.ts';
import { type ArmSession, AT_REST } from '../arm/arm-session.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import type { Pose } from '../kinematics/frames.ts';
import type { SourceSpec } from '../rt/messages.ts';
import { asked, type Goals, limpAt, wasMoved } from './goals.ts';
import { type LostJoints, loweringLimit, lowerTo, NONE, type WayDown } from './lower.ts';
import type { AbsoluteMove, EndEffector, Forecast, MoveOutcome, Path, RelativeMove } from './moves.ts';
import type { ArmPlanning, Planners, RequireWanted } from './planners.ts';
import {
  absoluteTarget,
  describe,
  type Errors,
  errorsOf,
  isClose,
  jointTarget,
  missed,
  poseTarget,
  refused,
  relativeTarget,
  shortOf,
  type Target,
} from './target.ts';
import { toolIn } from './tool.ts';

/** A move that has not ended by then decelerates to a hold, s. */
const TIME_LIMIT = 30;
/** How far sticking joints may still move the tool once the arm has settled, and once it is at rest: m and rad. */
const SETTLED_CREEP: Errors = { position: 0.0014, orientation: 0.014 };
const REST_CREEP: Errors = { position: 0.0009, orientation: 0.005 };
/**
 * Most further trials for an arm that is within its tolerances, but close to their edge. With 2, one simulated move in
 * twenty of 0.1 cm crept out of it after its answer; with 4, none of 120.
 */
const IMPROVEMENTS = 4;
/** Largest correction of a joint's goal by trials, rad. */
const LARGEST_CORRECTION = 0.15;
/** Fractions of the path down that are tried when an arm with dead joints cannot go all the way. */
const PARTS_OF_THE_WAY = [1, 0.75, 0.5, 0.25];
/** Longest wait for a bus read requested by a caller, s. */
const SYNC_TIMEOUT = 0.2;
/** A wave: wrist turn to either side, rad, and how often. */
const WAVE = 0.35;
const WAVES = 2;

/** Finds the target of a move, or why it is refused before anything moves. */
type FindTarget = (wanted: RequireWanted) => Promise<Target | string>;
/** What follows once a move has reached its target. @returns null, or why it was not completed */
type Sequel = (session: ArmSession, target: Target) => Promise<string | null>;

/** A move that can be begun. */
interface Plan {
  readonly target: Target;
  /** The motion, run under the move's claim. @param began s by the arm's clock */
  readonly work: (session: ArmSession, began: number) => Promise<MoveOutcome>;
}

/** Moves to poses, with correction trials; greeting, sleeping, lowering; reading the end effector. */
export class MoveService {
  readonly #planners: Planners;
  readonly #goals: Goals;

  /** @param planners of all arms @param goals shared by everything that moves arms to poses */
  constructor(planners: Planners, goals: Goals) {
    this.#goals = goals;
    this.#planners = planners;
  }

  /** The zero of the arm's absolute frame: tool pose of the named pose `init` in the base frame. */
  zero(arm: Arm): Pose {
    return this.#planning(arm).zero;
  }

  /**
   * Switches torque on if it is off, then moves to the named pose `init`, which becomes the zero of the absolute frame.
   * @throws {BridgeError} disconnected, stopped, owned
   */
  async init(arm: Arm, caller: Caller): Promise<MoveOutcome> {
    arm.requireDrivable();
    const outcome = await this.#go(arm, async () => poseTarget(arm, this.#planning(arm), 'init', null), caller);
    if (outcome.ok) arm.initialised = true;
    return outcome;
  }

  /** Moves to another named pose by a checked path. @throws {BridgeError} disconnected, stopped, owned */
  async toPose(arm: Arm, name: string, caller: Caller): Promise<MoveOutcome> {
    arm.requireDrivable();
    return this.#go(arm, async () => poseTarget(arm, this.#planning(arm), name, null), caller);
  }

  /**
   * Moves to joint angles (rad, one per joint; NaN: the joint keeps its present goal) by a checked path.
   * @throws {BridgeError} disconnected, stopped, owned; bad_request beyond a limit
   */
  async toJoints(arm: Arm, angles: Float64Array, caller: Caller): Promise<MoveOutcome> {
    arm.requireDrivable();
    for (const [i, { name, lower, upper }] of arm.model.joints.entries()) {
      if (!(angles[i]! < lower || angles[i]! > upper)) continue;
      const limits = `${lower.toFixed(3)} to ${upper.toFixed(3)} rad`;
      throw new BridgeError('bad_request', `${name} of arm ${arm.name} goes from ${limits}. Nothing has moved.`, {
        arm,
      });
    }
    return this.#go(arm, async () => jointTarget(arm, this.#goals.present(arm), angles), caller);
  }

  /** @throws {BridgeError} disconnected, stopped, owned, not_initialised */
  async moveAbsolute(arm: Arm, move: AbsoluteMove, caller: Caller): Promise<MoveOutcome> {
    this.#requireInitialised(arm);
    const planning = this.#planning(arm);
    const target = (wanted: RequireWanted) => absoluteTarget(arm, planning, this.#goals.present(arm), move, wanted);
    return this.#move(arm, target, move, caller);
  }

  /**
   * Forecasts an absolute move without moving anything.
   * @throws {BridgeError} disconnected, stopped, not_initialised; unavailable when too many others wait
   */
  async foresee(arm: Arm, move: AbsoluteMove): Promise<Forecast> {
    this.#requireInitialised(arm);
    return this.#planners.aside(() => this.#foresee(arm, move));
  }

  async #foresee(arm: Arm, move: AbsoluteMove): Promise<Forecast> {
    const target = await absoluteTarget(arm, this.#planning(arm), this.#goals.present(arm), move);
    if (typeof target === 'string') return { problem: target, goal: null };
    const kept = keptBack(arm, target);
    if (kept !== null) return { problem: kept, goal: null };
    const route = await this.#route(arm, target.goal);
    if (typeof route === 'string') return { problem: this.#blocked(arm, route), goal: null };
    const left = target.plannedOrientationError;
    if (left <= move.orientationTolerance) return { problem: null, goal: target.goal };
    const degrees = ((left * 180) / Math.PI).toFixed(1);
    const problem = `Arm ${arm.name} can have the position, but of the orientation ${degrees} degrees would be left.`;
    return { problem, goal: target.goal };
  }

  /**
   * A move relative to the present goal, even the goal of a running motion.
   * @throws {BridgeError} disconnected, stopped, owned, not_initialised
   */
  async moveRelative(arm: Arm, move: RelativeMove, caller: Caller): Promise<MoveOutcome> {
    this.#requireInitialised(arm);
    const planning = this.#planning(arm);
    const target = (wanted: RequireWanted) => relativeTarget(arm, planning, this.#goals.present(arm), move, wanted);
    return this.#move(arm, target, move, caller);
  }

  /**
   * Switches torque on if it is off, moves to the named pose `hello` and waves the wrist twice; the gripper stays as it
   * is.
   * @throws {BridgeError} disconnected, stopped, owned
   */
  async hello(arm: Arm, caller: Caller): Promise<MoveOutcome> {
    arm.requireDrivable();
    const pose = async () => poseTarget(arm, this.#planning(arm), 'hello', this.#presentGripper(arm));
    return this.#go(arm, pose, caller, async (session, { goal: there }) => {
      for (const goal of await this.#waves(arm, there)) {
        const problem = await session.drive({ kind: 'trajectory', goal, speed: null });
        if (problem !== null) return problem;
      }
      await session.settle();
      return session.lost;
    });
  }

  /**
   * Lowers the arm along a checked path to the named pose `rest`, then switches torque off. An arm that does not get
   * down holds. Also lowers an arm stopped by its own servos.
   * @throws {BridgeError} disconnected, stopped, owned
   */
  async sleep(arm: Arm, caller: Caller): Promise<MoveOutcome> {
    arm.requireConnected();
    if (!arm.failed) arm.requireDrivable();
    const plan = async (wanted: RequireWanted): Promise<Plan | string> => {
      const target = poseTarget(arm, this.#planning(arm), 'rest', null);
      const limp = limpAt(arm);
      const route = await this.#route(arm, target.goal, wanted);
      if (typeof route === 'string') return this.#blocked(arm, route);
      const work = async (session: ArmSession, began: number): Promise<MoveOutcome> => {
        const way = await this.#holding(session, limp, route, target);
        const anew = () => this.#route(arm, target.goal);
        const problem = typeof way === 'string' ? way : await lowerTo(session, way, anew);
        const outcome = this.#outcome(arm, target, began, 1, problem);
        if (problem === null) await session.torqueOff();
        return outcome;
      };
      return { target, work };
    };
    return this.#inSession(arm, plan, caller, true);
  }

  /**
   * @param options sync: wait for a bus read begun after the call, at most 0.2 s
   * @throws {BridgeError} disconnected (with the time of the last good sample), not_initialised, no_sample
   */
  async readEndEffector(arm: Arm, options: { onlyGripper: boolean; sync: boolean }): Promise<EndEffector> {
    arm.requireConnected();
    if (!options.onlyGripper) this.#requireZero(arm);
    const { positions } = options.sync ? await arm.readFresh(SYNC_TIMEOUT) : arm.read();
    const open = arm.gripperOpening(positions);
    if (options.onlyGripper) return { pose: null, open };
    return { pose: toolIn(this.zero(arm), arm.toolPose(positions)), open };
  }

  /**
   * Lowers an arm along a checked path to its rest pose and switches its torque off. The arm keeps its torque and holds
   * if someone has stopped it, if it does not answer, or if no free path is found.
   * @param without joints whose servos are silent or limp: the others move down around them, as low as is free, and
   *   hold
   * @returns null when the arm is down and limp, else why it still holds
   */
  async lower(arm: Arm, caller: Caller, without: LostJoints = NONE): Promise<string | null> {
    const ask = arm.ask();
    await arm.standing();
    const { state, torque, holding } = arm.read();
    if (arm.remote || arm.detached) return null;
    if (state === 'disconnected') {
      return `arm ${arm.name} is disconnected (${arm.reason}), so it was not lowered and may hold; put a hand under it before its power goes off`;
    }
    if (!torque) return null;
    if (state === 'stopped' && !arm.failed) {
      return `arm ${arm.name} is stopped and holds; switch its power off only with a hand under it, or start the bridge, reset and stop it again`;
    }
    if (!holding) return `only some servos of arm ${arm.name} have torque: they are left as they are`;
    const rest = this.#planning(arm).pose('rest');
    const way = () => (without.size === 0 ? this.#route(arm, rest) : this.#routeAround(arm, rest, without));
    const route = await way();
    // Its own servos may have stopped it meanwhile, which does not prevent lowering.
    const wanted = arm.failed ? arm.ask() : ask;
    if (typeof route === 'string') {
      return `arm ${arm.name} has no free way down (${route}) and holds; move it clear, then stop the bridge again`;
    }
    const session = arm.claim(caller, { timeLimit: loweringLimit(arm), lowering: true, ask: wanted });
    try {
      const problem = await lowerTo(session, route, way, without);
      if (problem !== null) {
        return `arm ${arm.name} was not lowered (${problem}) and holds; free it, then stop the bridge again`;
      }
      if (without.size === 0) await session.torqueOff();
      return null;
    } finally {
      session.end();
    }
  }

  #planning(arm: Arm): ArmPlanning {
    return this.#planners.of(arm);
  }

  #requireInitialised(arm: Arm): void {
    arm.requireDrivable();
    this.#requireZero(arm);
  }

  #requireZero(arm: Arm): void {
    if (arm.initialised) return;
    throw new BridgeError('not_initialised', `Arm ${arm.name} has no zero yet.`, { arm, remedy: 'init' });
  }

  #presentGripper(arm: Arm): number | null {
    const { gripper } = arm.model;
    return gripper === null ? null : this.#goals.present(arm).q[gripper.index]!;
  }

  /** Poses of a greeting around `pose`, ending with it; none for an arm whose wrist is not free to turn there. */
  async #waves(arm: Arm, pose: Float64Array): Promise<readonly Float64Array[]> {
    const wrist = arm.model.joints.findIndex(({ role }) => role === 'wrist_roll');
    const joint = arm.model.joints[wrist];
    if (joint === undefined) return [];
    const ends = [WAVE, -WAVE].map((turn) => {
      const end = pose.slice();
      end[wrist] = Math.min(Math.max(pose[wrist]! + turn, joint.lower), joint.upper);
      return end;
    });
    const planning = this.#planning(arm);
    for (const end of ends) if ((await planning.touches(pose, end)) !== null) return [];
    return [...Array.from({ length: WAVES }, () => ends).flat(), pose];
  }

  /** A free path to `goal` from the arm's setpoints (measured positions when limp), or the contact. */
  #route(arm: Arm, goal: Float64Array, wanted?: RequireWanted): Promise<readonly Float64Array[] | string> {
    return this.#planning(arm).route(asked(arm), goal, wanted);
  }

  /**
   * A straight path towards `goal` with some joints fixed at their last seen positions: as far as is free, else the
   * contact.
   */
  async #routeAround(arm: Arm, goal: Float64Array, joints: LostJoints): Promise<WayDown> {
    const from = asked(arm);
    for (const joint of joints.keys()) from[joint] = arm.read().positions[joint]!;
    let contact = '';
    for (const part of PARTS_OF_THE_WAY) {
      const end = from.map((angle, i) => (joints.has(i) ? angle : angle + part * (goal[i]! - angle)));
      const touched = await this.#planning(arm).touches(from, end);
      if (touched === null) return [end];
      contact ||= touched;
    }
    return contact;
  }

  #blocked(arm: Arm, contact: string): string {
    return `On the way to this pose arm ${arm.name} would hit something: ${contact}. Nothing has moved.`;
  }

  #move(arm: Arm, find: FindTarget, { path }: { readonly path: Path }, caller: Caller): Promise<MoveOutcome> {
    return path === 'line' ? this.#goStraight(arm, find, caller) : this.#go(arm, find, caller);
  }

  /**
   * Moves on a straight line, unless only the gripper acts. The line begins at rest: a moving arm brakes first, because
   * its stopping point is not known before.
   */
  #goStraight(arm: Arm, find: FindTarget, caller: Caller): Promise<MoveOutcome> {
    const refusal = (why: string, moved: string): string =>
      `Arm ${arm.name} cannot take a straight line: ${why}. ${moved} Path "joint" may find a way round.`;
    const plan = async (wanted: RequireWanted): Promise<Plan | string> => {
      const found = await find(wanted);
      if (typeof found === 'string') return found;
      const { angles } = found;
      if (angles === null) return this.#legs(arm, found, wanted);
      const kept = keptBack(arm, found);
      if (kept !== null) return kept;
      const target = { ...found, angles };
      const line = () => this.#planning(arm).line(asked(arm), target, arm, wanted);
      const still = ['connected', 'ready'].includes(arm.read().state);
      const limp = limpAt(arm);
      const early = still ? await line() : null;
      if (typeof early === 'string') return refusal(early, 'Nothing has moved.');
      const work = async (session: ArmSession, began: number): Promise<MoveOutcome> => {
        let problem = (still ? null : await session.brake()) ?? (await session.torqueOn());
        let trials = 0;
        if (problem === null) {
          const planned = early !== null && !wasMoved(arm, limp);
          const way = planned ? early : await this.#planning(arm).line(asked(arm), target, arm);
          const done = limp === null ? 'halted' : 'switched on';
          if (typeof way === 'string') return refused(refusal(way, `The arm has only been ${done}.`));
          const end = { ...target, goal: way.end };
          this.#goals.set(session, { q: way.end, position: target.position });
          const legs: SourceSpec[] = [{ kind: 'waypoints', ...way }];
          problem = await this.#reach(session, end, legs, () => trials++);
        }
        return this.#outcome(arm, target, began, trials, problem);
      };
      return { target, work };
    };
    return this.#inSession(arm, plan, caller);
  }

  /** @param then what follows once the arm has arrived */
  #go(arm: Arm, find: FindTarget, caller: Caller, then?: Sequel): Promise<MoveOutcome> {
    const plan = async (wanted: RequireWanted): Promise<Plan | string> => {
      const target = await find(wanted);
      return typeof target === 'string' ? target : this.#legs(arm, target, wanted, then);
    };
    return this.#inSession(arm, plan, caller);
  }

  /** Plans straight joint-space legs to a target, or returns the contact. */
  async #legs(arm: Arm, target: Target, wanted: RequireWanted, then?: Sequel): Promise<Plan | string> {
    const kept = keptBack(arm, target);
    if (kept !== null) return kept;
    const limp = limpAt(arm);
    const route = await this.#route(arm, target.goal, wanted);
    if (typeof route === 'string') return this.#blocked(arm, route);
    const work = async (session: ArmSession, began: number): Promise<MoveOutcome> => {
      let trials = 0;
      const count = () => trials++;
      const way = await this.#holding(session, limp, route, target);
      const there = typeof way === 'string' ? way : await this.#reach(session, target, legsOf(way), count);
      const problem = there ?? (await then?.(session, target)) ?? null;
      return this.#outcome(arm, target, began, trials, problem);
    };
    return { target, work };
  }

  /**
   * Switches torque on. An arm that lay limp, and has moved since its way was planned, gets a way from where it stands.
   * @param limp where it lay, rad; null when it held @param route planned from there
   * @returns the way from where it holds, or why it does not go
   */
  async #holding(
    session: ArmSession,
    limp: Float64Array | null,
    route: readonly Float64Array[],
    { goal }: Target,
  ): Promise<readonly Float64Array[] | string> {
    const { arm } = session;
    const problem = await session.torqueOn();
    if (problem !== null) return problem;
    if (!wasMoved(arm, limp)) return route;
    const anew = await this.#route(arm, goal);
    return typeof anew === 'string' ? this.#blocked(arm, anew) : anew;
  }

  /**
   * Plans a move after those requested before, claims the arm for it, and releases it after the work.
   * @param plan or why the move is refused before anything moves
   */
  async #inSession(
    arm: Arm,
    plan: (wanted: RequireWanted) => Promise<Plan | string>,
    caller: Caller,
    lowering = false,
  ): Promise<MoveOutcome> {
    const ask = arm.ask();
    const wanted = (): void => arm.requireWanted(ask);
    const begun = await this.#planning(arm).inTurn(async () => {
      wanted();
      const made = await plan(wanted);
      if (typeof made === 'string') return made;
      const { target, work } = made;
      const began = arm.clock.now();
      const session = arm.claim(caller, {
        timeLimit: TIME_LIMIT * arm.slowdown,
        lowering,
        joints: target.angles === null && target.whole !== true ? 'gripper' : 'all',
        ask,
      });
      this.#goals.set(session, { q: target.goal, position: target.position });
      return { session, done: () => work(session, began) };
    });
    if (typeof begun === 'string') return refused(begun);
    const { session, done } = begun;
    try {
      const outcome = await done();
      session.problem = outcome.message;
      return outcome;
    } finally {
      this.#goals.end(session, session.arrived);
      session.end();
    }
  }

  #outcome(arm: Arm, target: Target, began: number, trials: number, problem: string | null): MoveOutcome {
    const errors = errorsOf(arm, this.#planning(arm), target, arm.read().positions);
    return {
      ok: problem === null,
      message: problem === null ? null : describe(problem, errors),
      positionError: errors?.position ?? null,
      orientationError: errors?.orientation ?? null,
      trials,
      duration: arm.clock.now() - began,
    };
  }

  /**
   * Drives the arm to a target, trial by trial.
   * @param legs of the path; the last of them is the first trial
   * @param onTrial called as each trial begins
   */
  async #reach(
    session: ArmSession,
    target: Target,
    legs: readonly SourceSpec[],
    onTrial: () => number,
  ): Promise<string | null> {
    const { arm } = session;
    const planning = this.#planning(arm);
    for (const leg of legs.slice(0, -1)) {
      const problem = await session.drive(leg);
      if (problem !== null) return problem;
    }
    const correction = new Float64Array(target.goal.length);
    let improved = 0;
    let leg = legs.at(-1)!;
    for (;;) {
      const trials = onTrial() + 1;
      const problem = await session.drive(leg);
      if (problem !== null) return problem;
      let { positions } = await session.settle();
      let errors = errorsOf(arm, planning, target, positions);
      if (isClose(target, errors, SETTLED_CREEP)) {
        ({ positions } = await session.settle(AT_REST));
        errors = errorsOf(arm, planning, target, positions);
      }
      if (session.lost !== null) return session.lost;
      const miss = missed(target, errors);
      const last = trials >= target.tolerances.maxTrials;
      const short = shortOf(arm, target);
      if (short !== null && last) return short;
      if (
        miss === null &&
        short === null &&
        (last || improved++ >= IMPROVEMENTS || !isClose(target, errors, REST_CREEP))
      )
        return null;
      if (miss !== null && (last || miss.hopeless)) {
        return `${miss.what} missed after ${trials} trial${trials === 1 ? '' : 's'}`;
      }
      for (let i = 0; i < correction.length; i++) {
        if (i === arm.model.gripper?.index) continue;
        const left = correction[i]! + target.goal[i]! - positions[i]!;
        correction[i] = Math.min(Math.max(left, -LARGEST_CORRECTION), LARGEST_CORRECTION);
      }
      leg = { kind: 'trajectory', goal: target.goal.map((angle, i) => angle + correction[i]!), speed: null };
    }
  }
}

/** Straight joint-space motions along a way. */
function legsOf(way: readonly Float64Array[]): SourceSpec[] {
  return way.map((goal) => ({ kind: 'trajectory', goal, speed: null }));
}

/** Why the arm's servos do not go to a target, or null. */
function keptBack(arm: Arm, { goal }: Target): string | null {
  const limit = arm.servoLimitAt(goal);
  return limit === '' ? null : `Arm ${arm.name} cannot go there: ${limit}. Nothing has moved.`;
}
