import type { Arm, Ask } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import type { ControlClient } from '../arm/control-client.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import type { Vector3 } from '../kinematics/frames.ts';
import { asked, type Goals, limpAt, wasMoved } from './goals.ts';
import type { Planners } from './planners.ts';

/** A joint-space motion that has not ended by then decelerates to a hold, s. */
const TIME_LIMIT = 30;
/** After so many goals in a row closer together than this, s, goals are followed as they arrive. */
const DENSE = 0.03;
const DENSE_GOALS = 4;
/** After this silence the arm stops following and moves to its last goal in one motion, s. */
const QUIET = 0.1;
/** Writes closer together than this, s, are a stream: it must pause this long to retake an arm that it has lost. */
const STREAM_PAUSE = 0.5;
/** A stream that has been silent for this long is a new one, s. */
const FORGOTTEN = 10;
/** A position beyond its limit by no more than this is clamped, because a measured one may be written back, rad. */
const LIMIT_SLACK = 0.01;
/** Angles that differ by no more than this are equal, rad. */
const SAME = 1e-9;

/** An arm on its way to the newest goal of one owner, under one claim. */
class Flight {
  readonly session: ArmSession;
  /** Key of the owner. */
  readonly owner: string;
  /** Resolves when the snapshot shows the motion. @throws {BridgeError} when it cannot begin */
  readonly begun: Promise<void>;
  /** The newest goal, rad. */
  goal: Float64Array;
  /** When it came, s. */
  heard: number;
  readonly #control: ControlClient;
  /** Number of goals in a row that came as a dense stream. */
  #dense = 1;
  #following = false;
  #over = false;
  #onBegun: () => void = () => {};
  #onRefused: (error: unknown) => void = () => {};
  #onRetarget: () => void = () => {};

  constructor(session: ArmSession, owner: string, goal: Float64Array, control: ControlClient) {
    this.session = session;
    this.owner = owner;
    this.goal = goal;
    this.heard = session.arm.clock.now();
    this.#control = control;
    this.begun = new Promise((resolve, reject) => {
      this.#onBegun = resolve;
      this.#onRefused = reject;
    });
  }

  /** Whether it accepts newer goals. */
  get goesOn(): boolean {
    return !this.#over && this.session.lost === null;
  }

  /** Moves to a new goal instead from the next cycle on. */
  retarget(goal: Float64Array): void {
    this.goal = goal;
    this.touch();
    if (this.#following) this.#feed();
    else this.#onRetarget();
  }

  /** A goal has arrived, possibly a repeated one. */
  touch(): void {
    const now = this.session.arm.clock.now();
    const gap = now - this.heard;
    this.heard = now;
    this.#dense = gap < DENSE ? this.#dense + 1 : 1;
  }

  /** Moves to the goal, and on to each newer one; resolves when the arm has arrived, is lost, or could not start. */
  async fly(): Promise<void> {
    const { session } = this;
    const { arm } = session;
    const limp = limpAt(arm);
    try {
      let problem = await session.torqueOn();
      if (problem === null && wasMoved(arm, limp)) problem = 'it was moved while it was limp; ask again';
      let goal: Float64Array | null = null;
      while (problem === null && goal !== this.goal) {
        goal = this.goal;
        if (this.#dense >= DENSE_GOALS) {
          problem = await this.#follow();
          goal = null;
        } else {
          session.renew(TIME_LIMIT * arm.slowdown);
          problem = await this.#leg(goal);
        }
      }
      this.#over = true;
      if (problem === null) this.#onBegun();
      else this.#onRefused(new BridgeError('bad_request', `Arm ${arm.name} does not go there: ${problem}.`, { arm }));
    } catch (error) {
      this.#over = true;
      // Once `begun` is settled, later failures are ignored on purpose.
      this.#onRefused(error);
    }
  }

  /** Follows goals as they arrive, as closely as a follower follows its leader, until they pause. */
  async #follow(): Promise<string | null> {
    const { session } = this;
    const { clock } = session.arm;
    let onQuiet: () => void = () => {};
    const quiet = new Promise<void>((resolve) => {
      onQuiet = resolve;
    });
    const timer = clock.every(QUIET / 2, () => {
      if (clock.now() - this.heard > QUIET) onQuiet();
    });
    session.renew(Number.POSITIVE_INFINITY);
    this.#following = true;
    try {
      const source = { kind: 'stream', timeout: 2 * QUIET, reapproach: true } as const;
      const onBegun = (): void => {
        this.#onBegun();
        this.#feed();
      };
      return await session.drive(source, { onBegun, instead: quiet });
    } finally {
      timer.cancel();
      this.#following = false;
      this.#dense = 1;
    }
  }

  #feed(): void {
    this.#control.sample({
      kind: 'setpoints',
      arm: this.session.arm.index,
      group: 'arm',
      positions: this.goal.slice(),
    });
  }

  /**
   * Moves to one goal, or until there is a newer one and the loop has accepted this one: it gets one goal per cycle.
   */
  #leg(goal: Float64Array): Promise<string | null> {
    let onTaken: () => void = () => {};
    const taken = new Promise<void>((resolve) => {
      onTaken = resolve;
    });
    const newer = new Promise<void>((resolve) => {
      this.#onRetarget = resolve;
    });
    const onBegun = (): void => {
      this.#onBegun();
      onTaken();
    };
    const instead = Promise.all([newer, taken]).then(() => {});
    return this.session.drive({ kind: 'trajectory', goal, speed: null }, { onBegun, instead });
  }
}

function isSame(a: Float64Array, b: Float64Array): boolean {
  return a.every((angle, i) => Math.abs(angle - b[i]!) < SAME);
}

/** Whether the arm already holds at exactly these setpoints (rad), so that nothing has to move. */
function isAskedToBe(arm: Arm, goal: Float64Array): boolean {
  const { state, holding, setpoints } = arm.read();
  return state === 'ready' && holding && isSame(setpoints, goal);
}

/** What one owner writes to one arm, without a pause. */
interface WriteStream {
  /** When its first write and its latest one came, accepted or not, s; `begun` is NaN for one that must pause first. */
  begun: number;
  heard: number;
}

/** Joint goals that programs write one after the other, without waiting for the arm. */
export class JointGoals {
  readonly #planners: Planners;
  readonly #goals: Goals;
  readonly #control: ControlClient;
  readonly #flights = new Map<Arm, Flight>();
  /** Streams of each arm, by owner. */
  readonly #streams = new Map<Arm, Map<string, WriteStream>>();

  /** @param planners of all arms @param goals shared by everything that moves arms to poses */
  constructor(planners: Planners, goals: Goals, control: ControlClient) {
    this.#planners = planners;
    this.#goals = goals;
    this.#control = control;
  }

  /**
   * Switches torque on if it is off, then moves towards the goal; resolves once that has begun. A newer goal of the
   * same owner retargets the arm in flight and resolves at once: of several goals within one cycle the newest wins.
   * Goals that arrive faster than the arm can stop at each are followed like a leader.
   * @param wanted rad, one per joint; NaN: the joint keeps its present goal
   * @param caller without a signal: an accepted goal continues when its client leaves
   * @param position requested tool position at that goal, m in the base frame; left out: computed from the joints
   * @param ask the request's number; left out: a new one
   * @throws {BridgeError} disconnected, stopped, owned; bad_request beyond a limit, or for a contact of links;
   *   unsupported for a stream that continued while it was stopped, or while someone else drove the arm
   */
  async write(
    arm: Arm,
    wanted: Float64Array,
    caller: Omit<Caller, 'signal'>,
    position?: Vector3,
    ask: Ask = arm.ask(),
  ): Promise<void> {
    this.requireFresh(arm, caller, arm.inherited);
    arm.requireDrivable();
    const goal = this.#goal(arm, wanted);
    const { owner } = caller;
    const latest = this.#flights.get(arm);
    const flight = latest?.owner === owner.key && latest.goesOn ? latest : null;
    if (flight !== null && isSame(goal, flight.goal)) {
      flight.touch();
      await flight.begun;
    } else if (flight !== null) {
      this.#requireFree(arm, goal);
      this.#goals.set(flight.session, { q: goal, position: position ?? arm.toolPose(goal).position });
      flight.retarget(goal);
      await flight.begun;
    } else if (isAskedToBe(arm, goal)) {
      arm.claim(caller, { ask }).end();
    } else {
      this.#requireFree(arm, goal);
      await this.#begin(arm, goal, caller, ask, position);
    }
  }

  /**
   * Hears a write of an owner, or a move that may belong to a stream of them.
   * @param goesOn a stream that has not been heard before counts as one that has lost the arm
   * @throws {BridgeError} unsupported, for a stream that has lost the arm and has not paused since; stopped or owned
   *   while that lasts
   */
  requireFresh(arm: Arm, caller: Omit<Caller, 'signal'>, goesOn = false): void {
    const { key } = caller.owner;
    const now = arm.clock.now();
    const ended = arm.intentEnded(caller);
    const streams = this.#streams.get(arm) ?? new Map<string, WriteStream>();
    this.#streams.set(arm, streams);
    for (const [owner, { heard }] of streams) if (now - heard > FORGOTTEN) streams.delete(owner);
    const stream = streams.get(key) ?? { begun: goesOn ? Number.NaN : now, heard: now };
    streams.set(key, stream);
    // A write that arrives right after the control thread has ended the stream may have been sent before.
    if (now - Math.max(stream.heard, arm.severed) >= STREAM_PAUSE) stream.begun = now;
    stream.heard = now;
    if (stream.begun >= ended) return;
    arm.requireDrivable();
    const owned = arm.refusalFor(caller);
    if (owned !== null) throw owned;
    throw new BridgeError(
      'unsupported',
      `Arm ${arm.name} does not take up a stream that went on while it was stopped, limp, driven by somebody else or left ` +
        `holding by an earlier bridge: pause the stream for ${STREAM_PAUSE} s first.`,
      { arm },
    );
  }

  /** @throws {BridgeError} bad_request, for a contact on the straight joint-space path to the goal */
  #requireFree(arm: Arm, goal: Float64Array): void {
    const contact = this.#planners.of(arm).touchesNow(asked(arm), goal);
    if (contact === null) return;
    throw new BridgeError(
      'bad_request',
      `On the straight way of its joints to this goal arm ${arm.name} would hit something: ${contact}. ` +
        'Nothing has moved; go round it in several steps.',
    );
  }

  /** Claims the arm and starts the motion; resolves once it has begun. */
  #begin(
    arm: Arm,
    goal: Float64Array,
    caller: Omit<Caller, 'signal'>,
    ask: Ask,
    position = arm.toolPose(goal).position,
  ): Promise<void> {
    const session = arm.claim(caller, { timeLimit: TIME_LIMIT * arm.slowdown, ask });
    const flight = new Flight(session, caller.owner.key, goal, this.#control);
    this.#flights.set(arm, flight);
    this.#goals.set(session, { q: goal, position });
    void flight.fly().finally(() => {
      if (this.#flights.get(arm) === flight) this.#flights.delete(arm);
      this.#goals.end(session, session.arrived);
      session.end();
    });
    return flight.begun;
  }

  /** The present goal with the wanted positions merged in. @throws {BridgeError} bad_request */
  #goal(arm: Arm, wanted: Float64Array): Float64Array {
    const goal = this.#goals.present(arm).q;
    const beyond: string[] = [];
    for (const [i, { name, lower, upper }] of arm.model.joints.entries()) {
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
        `Angles are out of bounds for arm ${arm.name}: ${beyond.join(', ')}. Nothing has moved.`,
      );
    }
    const limit = arm.servoLimitAt(wanted);
    if (limit !== '') {
      throw new BridgeError('bad_request', `Arm ${arm.name} does not go there: ${limit}. Nothing has moved.`, { arm });
    }
    return goal;
  }
}
