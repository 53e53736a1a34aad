import type { Arm, Ask } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import type { ControlClient } from '../arm/control-client.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import type { Vector3 } from '../kinematics/frames.ts';
import { asked, type Goals } from './goals.ts';
import type { Planners } from './planners.ts';

/** A way in joint space that has not ended by then decelerates to a hold, s. */
const TIME_LIMIT = 30;
/** Goals closer together than this, s, are followed as they come once there have been so many in a row. */
const DENSE = 0.03;
const DENSE_GOALS = 4;
/** After this silence the arm leaves such a path and goes to its last goal by itself, s. */
const QUIET = 0.1;
/** Goals closer together than this, s, so many in a row, are a stream: it must pause for as long to take an arm that it has lost. */
const STREAM_PAUSE = 0.5;
const STREAM_GOALS = 4;
/** A position beyond its limit by no more than this is brought back to it: a measured one may be written back, rad. */
const LIMIT_SLACK = 0.01;
/** Angles that differ by no more are the same, rad. */
const SAME = 1e-9;

/** An arm on its way to the newest of the goals that one owner writes, under one claim. */
class Flight {
  readonly session: ArmSession;
  /** Key of the owner. */
  readonly owner: string;
  /** Resolves when the snapshot tells of the motion. @throws {BridgeError} when it cannot begin */
  readonly begun: Promise<void>;
  /** The newest goal, rad. */
  goal: Float64Array;
  /** When it came, s. */
  heard: number;
  readonly #control: ControlClient;
  /** Goals in a row that came as a stream, and as a dense one. */
  #streamed = 1;
  #dense = 1;
  #following = false;
  #severed = false;
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
    session.onLost = ({ reason }) => {
      this.#severed = reason !== 'superseded';
    };
    this.begun = new Promise((resolve, reject) => {
      this.#onBegun = resolve;
      this.#onRefused = reject;
    });
  }

  /** It takes newer goals. */
  get goesOn(): boolean {
    return !this.#over && this.session.lost === null;
  }

  /** Its goals come as a stream, and somebody else has ended it. */
  get severed(): boolean {
    return this.#severed && this.#streamed >= STREAM_GOALS;
  }

  /** From the next cycle on the arm goes there instead. */
  retarget(goal: Float64Array): void {
    this.goal = goal;
    this.touch();
    if (this.#following) this.#feed();
    else this.#onRetarget();
  }

  /** A goal has come, also one that it has already. */
  touch(): void {
    const now = this.session.arm.clock.now();
    const gap = now - this.heard;
    this.heard = now;
    this.#streamed = gap < STREAM_PAUSE ? this.#streamed + 1 : 1;
    this.#dense = gap < DENSE ? this.#dense + 1 : 1;
  }

  /** Flies to the goal, and on to each newer one; resolves when the arm has arrived, is lost, or did not set off. */
  async fly(): Promise<void> {
    const { session } = this;
    const { arm } = session;
    try {
      let problem = await session.torqueOn();
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

  /** Follows goals as they come, as close behind them as a follower is behind its leader, until they fall silent. */
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
      return await session.drive(source, { onBegun: () => this.#feed(), instead: quiet });
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

  /** Goes to one goal, or until there is a newer one and the control loop has taken this one up: it is given one a cycle. */
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

/** The arm holds at exactly these setpoints (rad), so that nothing has to move. */
function isAskedToBe(arm: Arm, goal: Float64Array): boolean {
  const { state, holding, setpoints } = arm.read();
  return state === 'ready' && holding && isSame(setpoints, goal);
}

/** Goals of joints that programs write one after the other, without waiting for the arm. */
export class JointGoals {
  readonly #planners: Planners;
  readonly #goals: Goals;
  readonly #control: ControlClient;
  readonly #flights = new Map<Arm, Flight>();
  /** Streams that go on although they have lost their arm. */
  readonly #severed = new Map<Arm, { readonly owner: string; heard: number }>();

  /** @param planners of all arms @param goals shared by all that moves arms to poses */
  constructor(planners: Planners, goals: Goals, control: ControlClient) {
    this.#planners = planners;
    this.#goals = goals;
    this.#control = control;
  }

  /**
   * Torque on if it is off, then towards the goal; resolves once that has begun. A newer goal of the same owner retargets
   * the arm in flight, and resolves at once: of several within one cycle the newest is driven to. Goals that come quicker
   * than the arm can stop at each are followed like a leader.
   * @param wanted rad, one per joint; NaN: the joint keeps its present goal
   * @param caller without a signal: a goal that is accepted goes on when its client leaves
   * @param position of the tool at that goal as it was asked for, m in the base frame; left out: that of the joints
   * @param ask when it was asked; left out: now
   * @throws {BridgeError} disconnected, stopped, owned; bad_request beyond a limit, or where links would touch; unsupported
   *   for a stream that went on while it was stopped, or while somebody else drove the arm
   */
  async write(
    arm: Arm,
    wanted: Float64Array,
    caller: Omit<Caller, 'signal'>,
    position?: Vector3,
    ask: Ask = arm.ask(),
  ): Promise<void> {
    this.#requireFresh(arm, caller);
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

  /** @throws {BridgeError} unsupported, for a stream that has lost the arm and does not pause */
  #requireFresh(arm: Arm, { owner, takeOver }: Omit<Caller, 'signal'>): void {
    const flight = this.#flights.get(arm);
    if (flight?.severed) this.#severed.set(arm, { owner: flight.owner, heard: flight.heard });
    const severed = this.#severed.get(arm);
    if (severed === undefined || severed.owner !== owner.key) return;
    const now = arm.clock.now();
    const silence = now - severed.heard;
    severed.heard = now;
    if (silence >= STREAM_PAUSE || takeOver) {
      this.#severed.delete(arm);
      return;
    }
    arm.requireDrivable();
    throw new BridgeError(
      'unsupported',
      `Arm ${arm.name} does not take up a stream that went on while it was stopped, limp or driven by somebody else: ` +
        `pause the stream for ${STREAM_PAUSE} s first.`,
      { arm },
    );
  }

  /** @throws {BridgeError} bad_request, when links would touch something on the straight way of the joints to the goal */
  #requireFree(arm: Arm, goal: Float64Array): void {
    const contact = this.#planners.of(arm).touches(asked(arm), goal);
    if (contact === null) return;
    throw new BridgeError(
      'bad_request',
      `On the straight way of its joints to this goal arm ${arm.name} would hit something: ${contact}. ` +
        'Nothing has moved; go round it in several steps.',
    );
  }

  /** Claims the arm and lets it set off; resolves once it has. */
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
      if (flight.severed) this.#severed.set(arm, { owner: flight.owner, heard: flight.heard });
      if (this.#flights.get(arm) === flight) this.#flights.delete(arm);
      this.#goals.end(session, session.arrived);
      session.end();
    });
    return flight.begun;
  }

  /** The present goal with what is wanted in it. @throws {BridgeError} bad_request */
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
    return goal;
  }
}
