import type { ArmHandle, Claim, RunningMotion } from '../arm/handle.ts';
import { type Arm, type ArmSnapshot, BridgeError, type Caller } from '../arm/types.ts';
import { type AngleTargets, anglesFromRotation, orientationError } from '../kinematics/angles.ts';
import { type Pose, rotationFromQuaternion, type Vector3 } from '../kinematics/frames.ts';
import type { ArmPlanner } from './planner.ts';
import type { AbsoluteMove, EndEffector, Motion, MoveOutcome } from './types.ts';

/** A move that has not ended by then decelerates to a hold, s. */
const TIME_LIMIT = 30;
/** The arm has settled when no joint has left this band for `SETTLE_WINDOW`, rad (one servo step and a half). */
const SETTLE_BAND = 0.0024;
const SETTLE_WINDOW = 0.08;
/** An arm that swings longer is measured as it is, s. */
const SETTLE_LIMIT = 1.5;
/** Most that trials may move a joint's goal away from the asked position, rad. */
const LARGEST_CORRECTION = 0.15;
/** Speed at which an arm is lowered before its torque goes off, rad/s, and the longest that may take, s. */
const LOWERING_SPEED = 1;
const LOWERING_LIMIT = 8;
/** An arm further from its rest pose than this is not down, rad. */
const DOWN_BAND = 0.15;
/** Longest wait for an arm to brake, s. */
const BRAKING_LIMIT = 0.4;
/** Longest wait for a bus read that a caller asked for, s. */
const SYNC_TIMEOUT = 0.2;
/** Tolerances of moves to named poses: m and rad. */
const POSE_TOLERANCE = { position: 0.005, orientation: (3 * Math.PI) / 180 };
const POSE_TRIALS = 10;

/** What a move goes to, in the base frame. */
interface Target {
  readonly goal: Float64Array;
  readonly position: Vector3;
  /** Asked angles; null when no position was asked for and only the gripper acts. */
  readonly angles: AngleTargets | null;
  readonly maxTrials: number;
  readonly positionTolerance: number;
  readonly orientationTolerance: number;
  /** Orientation error that the nearest reachable orientation leaves, rad. */
  readonly plannedOrientationError: number;
}

interface Errors {
  readonly position: number;
  readonly orientation: number;
}

/** What an arm was last asked to go to, valid as long as nothing else has driven it. */
interface LastGoal {
  readonly motion: number;
  readonly goal: Float64Array;
}

function centimetres(metres: number): string {
  return `${(metres * 100).toFixed(2)} cm`;
}

function degrees(radians: number): string {
  return `${((radians * 180) / Math.PI).toFixed(2)} degrees`;
}

function distance(a: Vector3, b: Vector3): number {
  return Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

/** Moves to poses: init and absolute ones, with trials; reading the end effector; lowering before torque goes off. */
export class MotionService implements Motion {
  readonly #planners: ReadonlyMap<Arm, ArmPlanner>;
  readonly #arms: ReadonlyMap<Arm, ArmHandle>;
  readonly #lastGoals = new Map<Arm, LastGoal>();

  /** @param arms every arm with its planner */
  constructor(arms: ReadonlyMap<ArmHandle, ArmPlanner>) {
    this.#planners = arms;
    this.#arms = new Map([...arms.keys()].map((arm) => [arm, arm]));
  }

  zero(arm: Arm): Pose {
    return this.#planner(arm).zero;
  }

  async init(arm: Arm, caller: Caller): Promise<MoveOutcome> {
    const handle = this.#handle(arm);
    handle.requireDrivable();
    const planner = this.#planner(arm);
    const target: Target = {
      goal: planner.pose('init'),
      position: planner.zero.position,
      angles: { pitch: 0, yaw: 0, roll: 0 },
      maxTrials: POSE_TRIALS,
      positionTolerance: POSE_TOLERANCE.position,
      orientationTolerance: POSE_TOLERANCE.orientation,
      plannedOrientationError: 0,
    };
    const outcome = await this.#go(handle, target, caller);
    if (outcome.ok) handle.initialised = true;
    return outcome;
  }

  async moveAbsolute(arm: Arm, move: AbsoluteMove, caller: Caller): Promise<MoveOutcome> {
    const handle = this.#handle(arm);
    handle.requireDrivable();
    if (!arm.initialised) throw new BridgeError('not_initialised', `Arm ${arm.name} has no zero yet: call /move/init.`);
    const planned = this.#plan(handle, move);
    if (typeof planned === 'string') return refused(planned);
    return this.#go(handle, planned, caller);
  }

  async readEndEffector(arm: Arm, options: { onlyGripper: boolean; sync: boolean }): Promise<EndEffector> {
    const handle = this.#handle(arm);
    const present = handle.read();
    if (present.state === 'disconnected') {
      const last = present.sampleTime === 0 ? 'none yet' : new Date(present.sampleTime * 1000).toISOString();
      throw new BridgeError(
        'disconnected',
        `Arm ${arm.name} is disconnected: ${arm.reason}. Last good sample: ${last}.`,
      );
    }
    if (!options.onlyGripper && !arm.initialised) {
      throw new BridgeError('not_initialised', `Arm ${arm.name} has no zero yet: call /move/init.`);
    }
    const { positions } = options.sync ? await handle.readFresh(SYNC_TIMEOUT) : present;
    const open = arm.gripperOpening(positions);
    if (options.onlyGripper) return { pose: null, open };
    const zero = this.zero(arm);
    const tool = arm.toolPose(positions);
    const angles = anglesFromRotation(
      rotationFromQuaternion(tool.orientation),
      rotationFromQuaternion(zero.orientation),
    );
    return {
      pose: {
        x: tool.position.x - zero.position.x,
        y: tool.position.y - zero.position.y,
        z: tool.position.z - zero.position.z,
        ...angles,
      },
      open,
    };
  }

  /**
   * Lowers an arm along a checked way to its rest pose and switches its torque off. An arm that is stopped, or for which
   * no free way is found, keeps its torque and holds.
   * @returns null when the arm is down and limp, else why it still holds
   */
  async lower(arm: Arm, caller: Caller): Promise<string | null> {
    const handle = this.#handle(arm);
    await this.#standing(handle);
    const { state, torque, holding } = handle.read();
    if (handle.remote || state === 'disconnected' || !torque) return null;
    if (state === 'stopped') {
      return `arm ${arm.name} is stopped and holds; switch its power off only with a hand under it, or start the bridge, reset and stop it again`;
    }
    if (!holding) return `only some servos of arm ${arm.name} have torque: they are left as they are`;
    const rest = this.#planner(arm).pose('rest');
    const route = this.#route(handle, rest);
    if (typeof route === 'string') {
      return `arm ${arm.name} has no free way down (${route}) and holds; move it clear, then stop the bridge again`;
    }
    const claim = handle.claim(caller, () => {});
    try {
      const deadline = performance.now() + LOWERING_LIMIT * 1000;
      for (const goal of route) {
        const leg = await handle.drive({ kind: 'trajectory', goal, speed: LOWERING_SPEED });
        const reason = await this.#wait(handle, leg, deadline, undefined);
        if (reason !== 'done') return `arm ${arm.name} was not lowered (${reason}) and holds`;
      }
      const { positions } = await this.#settle(handle);
      const blocked = handle.model.joints.find(
        ({ role }, i) => role !== 'gripper' && Math.abs(positions[i]! - rest[i]!) > DOWN_BAND,
      );
      if (blocked !== undefined) {
        return `arm ${arm.name} is not down (something holds ${blocked.name} back) and holds; free it, then stop the bridge again`;
      }
      await handle.torqueOff();
      return null;
    } finally {
      handle.release(claim);
    }
  }

  /** Waits until the goals of an arm that is being stopped stand still. */
  async #standing(handle: ArmHandle): Promise<void> {
    const limit = performance.now() + 1000 * BRAKING_LIMIT;
    for (let last = handle.read().goals.slice(); performance.now() < limit; last = handle.read().goals.slice()) {
      await handle.nextCycle();
      if (handle.read().goals.every((goal, i) => goal === last[i])) return;
    }
  }

  #handle(arm: Arm): ArmHandle {
    return this.#arms.get(arm)!;
  }

  #planner(arm: Arm): ArmPlanner {
    return this.#planners.get(arm)!;
  }

  /** Where the arm is asked to be: by the last move, or, when something else drove it since, by its setpoints. */
  #presentGoal(handle: ArmHandle): Float64Array {
    const snapshot = handle.read();
    const last = this.#lastGoals.get(handle);
    if (last !== undefined && last.motion === snapshot.motion && snapshot.holding) return last.goal.slice();
    return (snapshot.holding ? snapshot.setpoints : snapshot.positions).slice();
  }

  /** @returns the target, or why it is refused before anything moves */
  #plan(handle: ArmHandle, move: AbsoluteMove): Target | string {
    const planner = this.#planner(handle);
    const { gripper } = handle.model;
    const goal = this.#presentGoal(handle);
    const present = handle.toolPose(goal).position;
    const zero = planner.zero.position;
    const position = {
      x: move.x === undefined ? present.x : zero.x + move.x,
      y: move.y === undefined ? present.y : zero.y + move.y,
      z: move.z === undefined ? present.z : zero.z + move.z,
    };
    const angles: AngleTargets = { pitch: move.pitch ?? null, yaw: move.yaw ?? null, roll: move.roll ?? null };
    const noAngle = angles.pitch === null && angles.yaw === null && angles.roll === null;
    const onlyGripper = move.x === undefined && move.y === undefined && move.z === undefined && noAngle;
    let plannedOrientationError = 0;
    if (!onlyGripper) {
      const solution = planner.solve(position, angles, goal);
      if (!solution.reachable) {
        const near = solution.position;
        return (
          `x, y, z = ${this.#interfacePosition(position, zero)} cm cannot be reached by arm ${handle.name}; ` +
          `the nearest position that can is ${this.#interfacePosition(near, zero)} cm. Nothing has moved.`
        );
      }
      plannedOrientationError = solution.orientationError;
      goal.set(solution.q);
    }
    if (gripper !== null && move.open !== undefined) {
      goal[gripper.index] = gripper.closed + move.open * (gripper.open - gripper.closed);
    }
    return {
      goal,
      position,
      angles: onlyGripper ? null : angles,
      maxTrials: move.maxTrials,
      positionTolerance: move.positionTolerance,
      orientationTolerance: move.orientationTolerance,
      plannedOrientationError,
    };
  }

  #interfacePosition(position: Vector3, zero: Vector3): string {
    const parts = [position.x - zero.x, position.y - zero.y, position.z - zero.z];
    return parts.map((metres) => (metres * 100).toFixed(1)).join(', ');
  }

  /** A free way from where the arm is asked to be (or lies, when limp) to `goal`, or what is in the way. */
  #route(handle: ArmHandle, goal: Float64Array): readonly Float64Array[] | string {
    const snapshot = handle.read();
    const from = (snapshot.holding ? snapshot.setpoints : snapshot.positions).slice();
    return this.#planner(handle).route(from, goal);
  }

  async #go(handle: ArmHandle, target: Target, caller: Caller): Promise<MoveOutcome> {
    const route = this.#route(handle, target.goal);
    if (typeof route === 'string') {
      return refused(`On the way to this pose arm ${handle.name} would hit something: ${route}. Nothing has moved.`);
    }
    const began = performance.now();
    const deadline = began + TIME_LIMIT * 1000;
    let wake: () => void = () => {};
    const lost = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const claim = handle.claim(caller, () => wake());
    let trials = 0;
    const end = (problem: string | null): MoveOutcome => {
      const errors = this.#errors(handle, target);
      return {
        ok: problem === null,
        message: problem === null ? null : describe(problem, errors),
        positionError: errors?.position ?? null,
        orientationError: errors?.orientation ?? null,
        trials,
        duration: (performance.now() - began) / 1000,
      };
    };
    try {
      await handle.torqueOn();
      const correction = new Float64Array(target.goal.length);
      for (const leg of route.slice(0, -1)) {
        const problem = await this.#leg(handle, leg, claim, deadline, caller, lost);
        if (problem !== null) return end(problem);
      }
      for (;;) {
        trials++;
        const goal = target.goal.map((angle, i) => angle + correction[i]!);
        const problem = await this.#leg(handle, goal, claim, deadline, caller, lost, target.goal);
        if (problem !== null) return end(problem);
        const snapshot = await this.#settle(handle, lost);
        const gone = claim.lostBecause();
        if (gone !== null) return end(gone);
        const missed = this.#missed(handle, target);
        if (missed === null) return end(null);
        if (trials >= target.maxTrials || missed.hopeless) {
          return end(`${missed.what} missed after ${trials} trial${trials === 1 ? '' : 's'}`);
        }
        for (let i = 0; i < correction.length; i++) {
          if (i === handle.model.gripper?.index) continue;
          const left = correction[i]! + target.goal[i]! - snapshot.positions[i]!;
          correction[i] = Math.min(Math.max(left, -LARGEST_CORRECTION), LARGEST_CORRECTION);
        }
      }
    } finally {
      handle.release(claim);
    }
  }

  /** One trajectory under a claim. @returns null when it has run to its end, else why it has not */
  async #leg(
    handle: ArmHandle,
    goal: Float64Array,
    claim: Claim,
    deadline: number,
    caller: Caller,
    lost: Promise<void>,
    asked: Float64Array = goal,
  ): Promise<string | null> {
    const before = claim.lostBecause();
    if (before !== null) return before;
    if (caller.signal?.aborted) return 'the client has gone';
    this.#lastGoals.delete(handle);
    let leg: RunningMotion;
    try {
      leg = await handle.drive({ kind: 'trajectory', goal, speed: null });
    } catch (error) {
      // Stopped or disconnected on the way to the control loop: what has been moved so far is to be told.
      const meanwhile = claim.lostBecause();
      if (meanwhile !== null) return meanwhile;
      throw error;
    }
    const reason = await this.#wait(handle, leg, deadline, caller.signal, lost);
    const during = claim.lostBecause();
    if (during !== null) return during;
    switch (reason) {
      case 'done':
        this.#lastGoals.set(handle, { motion: leg.motion, goal: asked });
        return null;
      case 'client_gone':
        return 'the client has gone; the arm holds where it is';
      case 'time_limit':
        return `time limit of ${TIME_LIMIT} s`;
      case 'silent':
        return 'its servos have not answered for a while; the arm holds';
      default:
        return `ended by the control loop (${reason})`;
    }
  }

  async #wait(
    handle: ArmHandle,
    leg: RunningMotion,
    deadline: number,
    signal: AbortSignal | undefined,
    lost?: Promise<void>,
  ): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    let onAbort: () => void = () => {};
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve('time_limit'), Math.max(0, deadline - performance.now()));
      onAbort = () => resolve('client_gone');
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted) onAbort();
    });
    const races: Promise<string>[] = [leg.ended, late];
    if (lost !== undefined) races.push(lost.then(() => 'lost'));
    const reason = await Promise.race(races);
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    if (reason === 'client_gone' || reason === 'time_limit') await handle.cancel(leg.motion);
    // Whoever has the arm need not have driven it yet; once he has, this cancels nothing.
    if (reason === 'lost') handle.cancel(leg.motion).catch(() => {});
    return reason;
  }

  /** Waits until the joints rest, or long enough, or the arm is lost; resolves with the newest snapshot. */
  async #settle(handle: ArmHandle, lost: Promise<void> = new Promise(() => {})): Promise<ArmSnapshot> {
    const limit = performance.now() + SETTLE_LIMIT * 1000;
    let gone = false;
    void lost.then(() => {
      gone = true;
    });
    const anchor = handle.read().positions.slice();
    let since = handle.read().sampleTime;
    while (performance.now() < limit && !gone) {
      await handle.nextCycle();
      const { positions, sampleTime } = handle.read();
      const left = positions.some((angle, i) => Math.abs(angle - anchor[i]!) > SETTLE_BAND);
      if (left) {
        anchor.set(positions);
        since = sampleTime;
      } else if (sampleTime - since >= SETTLE_WINDOW) {
        break;
      }
    }
    return handle.read();
  }

  #errors(handle: ArmHandle, target: Target): Errors | null {
    if (target.angles === null) return null;
    const tool = handle.toolPose(handle.read().positions);
    return {
      position: distance(tool.position, target.position),
      orientation: orientationError(
        rotationFromQuaternion(tool.orientation),
        rotationFromQuaternion(this.zero(handle).orientation),
        target.angles,
      ),
    };
  }

  /** @returns null when both tolerances are met; `hopeless` when no trial can meet them */
  #missed(handle: ArmHandle, target: Target): { what: string; hopeless: boolean } | null {
    const errors = this.#errors(handle, target);
    if (errors === null) return null;
    if (errors.position > target.positionTolerance) return { what: 'position tolerance', hopeless: false };
    if (errors.orientation <= target.orientationTolerance) return null;
    const hopeless = target.plannedOrientationError > target.orientationTolerance;
    return {
      what: hopeless
        ? 'the position is reached, but its orientation cannot be: orientation tolerance'
        : 'orientation tolerance',
      hopeless,
    };
  }
}

function describe(problem: string, errors: Errors | null): string {
  if (errors === null) return `The move has not been completed: ${problem}.`;
  return (
    `The move has not been completed: ${problem}. ` +
    `Left: ${centimetres(errors.position)} and ${degrees(errors.orientation)}.`
  );
}

function refused(message: string): MoveOutcome {
  return { ok: false, message, positionError: null, orientationError: null, trials: 0, duration: 0 };
}
