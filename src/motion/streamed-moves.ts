import type { Arm, Ask } from '../arm/arm.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import { angleBetween, rotationFromQuaternion } from '../kinematics/frames.ts';
import type { Goals, PresentGoal } from './goals.ts';
import type { JointGoals } from './joint-goals.ts';
import type { MoveService } from './move-service.ts';
import type { AbsoluteMove, MoveOutcome, RelativeMove } from './moves.ts';
import type { Planners, RequireWanted } from './planners.ts';
import { absoluteTarget, describe, refused, relativeTarget, type Target } from './target.ts';

/** A move belongs to a stream when it arrives within this time after the previous one was answered, s. */
const FOLLOWS = 0.3;

/** Answer to an accepted step of a stream: nobody waits for its end. */
const ACCEPTED: MoveOutcome = {
  ok: true,
  message: null,
  positionError: null,
  orientationError: null,
  trials: 0,
  duration: 0,
};

/** Who moved an arm last. */
interface Last {
  readonly owner: string;
  /** Number of this owner's moves not answered yet. */
  open: number;
  /** When the last one was answered, s. */
  answered: number;
}

/** Finds the target of a move from a present goal, or why there is none. */
type FindStep = (present: PresentGoal, wanted: RequireWanted) => Promise<Target | string>;

type Moves = Pick<MoveService, 'moveAbsolute' | 'moveRelative'>;

/**
 * Moves from programs that do not wait for arms: while moves follow each other quickly, each step is answered when
 * accepted, and the arm heads for the newest. A move is a step if it ends within its own tolerances of the goal before
 * it. A longer move is answered when it ends, like a single move, because nobody streams in such strides and what
 * follows may rely on its end. A move of the gripper alone is always answered when accepted.
 */
export class StreamedMoves {
  readonly #planners: Planners;
  readonly #goals: Goals;
  readonly #joints: JointGoals;
  readonly #moves: Moves;
  readonly #last = new WeakMap<Arm, Last>();

  /**
   * @param planners of all arms @param goals shared by everything that moves arms to poses
   * @param moves runs moves that are no steps
   */
  constructor(planners: Planners, goals: Goals, joints: JointGoals, moves: Moves) {
    this.#planners = planners;
    this.#goals = goals;
    this.#joints = joints;
    this.#moves = moves;
  }

  /** @throws {BridgeError} disconnected, stopped, owned, not_initialised; unsupported for a stream that lost its arm */
  moveAbsolute(arm: Arm, move: AbsoluteMove, caller: Caller): Promise<MoveOutcome> {
    return this.#move(arm, move, caller, {
      target: (present, wanted) => absoluteTarget(arm, this.#planners.of(arm), present, move, wanted),
      alone: () => this.#moves.moveAbsolute(arm, move, caller),
    });
  }

  /** @throws {BridgeError} as for an absolute move */
  moveRelative(arm: Arm, move: RelativeMove, caller: Caller): Promise<MoveOutcome> {
    return this.#move(arm, move, caller, {
      target: (present, wanted) => relativeTarget(arm, this.#planners.of(arm), present, move, wanted),
      alone: () => this.#moves.moveRelative(arm, move, caller),
    });
  }

  async #move(
    arm: Arm,
    { path }: AbsoluteMove | RelativeMove,
    caller: Caller,
    { target, alone }: { target: FindStep; alone: () => Promise<MoveOutcome> },
  ): Promise<MoveOutcome> {
    this.#joints.requireFresh(arm, caller);
    const { key } = caller.owner;
    const before = this.#last.get(arm);
    const last = before?.owner === key ? before : { owner: key, open: 0, answered: Number.NEGATIVE_INFINITY };
    this.#last.set(arm, last);
    const follows = last.open > 0 || arm.clock.now() - last.answered < FOLLOWS;
    last.open++;
    try {
      const taken = arm.initialised && path === 'joint' ? await this.#stepInTurn(arm, target, follows, caller) : null;
      return await (taken === null ? alone() : taken.outcome);
    } finally {
      last.open--;
      last.answered = arm.clock.now();
    }
  }

  /** Handles a step of a stream after the steps before it: returns its answer, or null for a move that is no step. */
  #stepInTurn(
    arm: Arm,
    find: FindStep,
    follows: boolean,
    caller: Caller,
  ): Promise<{ readonly outcome: Promise<MoveOutcome> } | null> {
    const ask = arm.ask();
    const wanted = (): void => arm.requireWanted(ask);
    return this.#planners.of(arm).inTurn(async () => {
      wanted();
      const step = await this.#step(arm, find, follows, wanted);
      wanted();
      // Not awaited here: the next step need not wait until this one has begun.
      return step === null ? null : { outcome: this.#take(arm, step, caller, ask) };
    });
  }

  /** The target of a stream step, or why there is none; null for a move that is no step. */
  async #step(arm: Arm, targetAt: FindStep, follows: boolean, wanted: RequireWanted): Promise<Target | string | null> {
    const present = this.#goals.present(arm);
    // Computing a gripper-only target changes the joints passed in.
    const target = await targetAt({ q: present.q.slice(), position: present.position }, wanted);
    if (typeof target === 'string') return follows ? target : null;
    if (target.angles === null) return target;
    if (!follows) return null;
    const { position, goal, angles, tolerances } = target;
    const way = Math.hypot(
      position.x - present.position.x,
      position.y - present.position.y,
      position.z - present.position.z,
    );
    if (way > tolerances.positionTolerance) return null;
    const free = angles.pitch === null && angles.yaw === null && angles.roll === null;
    const turn = free ? 0 : angleBetween(this.#orientation(arm, present.q), this.#orientation(arm, goal));
    return turn > tolerances.orientationTolerance ? null : target;
  }

  #orientation(arm: Arm, q: Float64Array) {
    return rotationFromQuaternion(arm.toolPose(q).orientation);
  }

  async #take(arm: Arm, target: Target | string, caller: Caller, ask: Ask): Promise<MoveOutcome> {
    if (typeof target === 'string') return refused(target);
    const { goal, position, tolerances, plannedOrientationError } = target;
    // A step whose client has left is dropped; once accepted it continues.
    const { signal, ...asker } = caller;
    try {
      if (!signal?.aborted) await this.#joints.write(arm, goal, asker, position, ask);
    } catch (error) {
      if (error instanceof BridgeError && error.code === 'bad_request') return refused(error.message);
      throw error;
    }
    if (plannedOrientationError <= tolerances.orientationTolerance) return ACCEPTED;
    const errors = { position: 0, orientation: plannedOrientationError };
    return { ...ACCEPTED, ok: false, message: describe('its orientation cannot be reached', errors) };
  }
}
