import type { Arm } from '../arm/arm.ts';
import { BridgeError } from '../arm/types.ts';
import type { AngleTargets } from '../kinematics/angles.ts';
import { CollisionModel } from '../kinematics/collision.ts';
import type { Pose, Vector3 } from '../kinematics/frames.ts';
import type { InverseResult } from '../kinematics/inverse.ts';
import type { Line, LineEnd } from './line.ts';
import type { FromPlanner, PlanAnswer, PlanKind, PlanKinds, PlanQuestion, ToPlanner } from './plan-messages.ts';
import { contactBetween, type PaceParts, type WayContact } from './planner.ts';

/** Poses that are checked in one piece, so that others have their turn: some milliseconds. */
const SLICE = 128;

/** What nobody moves for, at once: the others are to ask again. */
const MOST_ASIDE = 16;

/** Throws when what is being planned is not wanted any more: looked at whenever the arm begins a new epoch. */
export type RequireWanted = () => void;

const ALWAYS: RequireWanted = () => {};

/** Messages to and from a planner thread, which begins when this is made. */
export interface PlannerChannel {
  post(message: ToPlanner): void;
  close(): void;
  onMessage: (message: FromPlanner) => void;
  /** Called once, when the thread has ended, with the reason. */
  onExit: (reason: Error) => void;
}

/** Lets one piece of work begin when the one before it is through. */
class Turns {
  /** Settles when whoever has the turn is through. */
  #turn: Promise<void> = Promise.resolve();

  async take<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    let through: () => void = () => {};
    this.#turn = new Promise((resolve) => {
      through = resolve;
    });
    await before;
    try {
      return await work();
    } finally {
      through();
    }
  }
}

interface Job {
  readonly request: number;
  readonly arm: Arm;
  /** Its number in the planner thread. */
  readonly index: number;
  readonly question: PlanQuestion;
  readonly requireWanted: RequireWanted;
  readonly resolve: (answer: PlanAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The main thread's end of the planner thread: questions out, one at a time, and answers in. Questions that are not wanted
 * any more are given up, also the one that is being worked on.
 */
export class Planners {
  readonly #launch: (givenUp: SharedArrayBuffer) => PlannerChannel;
  readonly #arms = new Map<Arm, ArmPlanning>();
  readonly #givenUp = new Int32Array(new SharedArrayBuffer(4));
  #channel: PlannerChannel | null = null;
  readonly #queue: Job[] = [];
  #running: Job | null = null;
  #request = 0;
  #open = true;
  readonly #asideTurns = new Turns();
  #aside = 0;

  /** @param launch starts the planner thread, which looks at the word for the request that is given up */
  constructor(launch: (givenUp: SharedArrayBuffer) => PlannerChannel) {
    this.#launch = launch;
  }

  /** What plans for an arm; the planner thread is told of it when it is asked for first. */
  of(arm: Arm): ArmPlanning {
    let planning = this.#arms.get(arm);
    if (planning === undefined) {
      const index = this.#arms.size;
      planning = new ArmPlanning(arm, (question, requireWanted) => this.#ask(arm, index, question, requireWanted));
      this.#arms.set(arm, planning);
      arm.onEpoch = () => this.#review(arm);
      if (this.#channel === null) this.#channel = this.#start();
      else this.#introduce(this.#channel, arm);
    }
    return planning;
  }

  /**
   * Plans what nobody moves for, one thing at a time: motions, and the way down of an arm that must come down, wait for one
   * question of it at most. @throws {BridgeError} unavailable when too many others wait
   */
  async aside<T>(work: () => Promise<T>): Promise<T> {
    if (this.#aside >= MOST_ASIDE) {
      throw new BridgeError('unavailable', `${MOST_ASIDE} others wait to be told what can be reached: ask again.`);
    }
    this.#aside++;
    try {
      return await this.#asideTurns.take(work);
    } finally {
      this.#aside--;
    }
  }

  /** Ends the thread; what it is still asked fails. */
  close(): void {
    this.#open = false;
    this.#channel?.close();
  }

  #start(): PlannerChannel {
    const channel = this.#launch(this.#givenUp.buffer as SharedArrayBuffer);
    channel.onMessage = (message) => this.#take(message);
    channel.onExit = (reason) => this.#ended(channel, reason);
    for (const arm of this.#arms.keys()) this.#introduce(channel, arm);
    return channel;
  }

  #introduce(channel: PlannerChannel, { model, chain }: Arm): void {
    const { baseLink, toolLink, poses } = model;
    const joints = model.joints.map(({ name, role, move }) => ({ name, role, move }));
    channel.post({ setup: { urdf: chain.description, baseLink, toolLink, joints, poses } });
  }

  #ask<Kind extends PlanKind>(
    arm: Arm,
    index: number,
    question: Extract<PlanQuestion, { kind: Kind }>,
    requireWanted: RequireWanted,
  ): Promise<PlanKinds[Kind]['answer']> {
    return new Promise((resolve, reject) => {
      const request = ++this.#request;
      this.#queue.push({ request, arm, index, question, requireWanted, resolve: resolve as Job['resolve'], reject });
      this.#next();
    });
  }

  /** Puts the next question that is still wanted. */
  #next(): void {
    while (this.#running === null) {
      const job = this.#queue.shift();
      if (job === undefined) return;
      const over = this.#open ? whyOver(job) : { error: new BridgeError('unavailable', 'The bridge is ending.') };
      if (over !== null) {
        job.reject(over.error);
        continue;
      }
      this.#channel ??= this.#start();
      this.#running = job;
      const { request, index, question } = job;
      this.#channel.post({ request, arm: index, question });
    }
  }

  #take(message: FromPlanner): void {
    const job = this.#running;
    if (job?.request !== message.request) return;
    this.#running = null;
    // What was given up has been told already; a promise settles once.
    if ('answer' in message) job.resolve(message.answer);
    else
      job.reject(new BridgeError('internal', `Nothing could be planned for arm ${job.arm.name}: ${message.failure}.`));
    this.#next();
  }

  /** An arm has begun a new epoch: what was asked before it may be over. */
  #review(arm: Arm): void {
    const mine = [...this.#queue, ...(this.#running === null ? [] : [this.#running])].filter((job) => job.arm === arm);
    for (const job of mine) {
      const over = whyOver(job);
      if (over === null) continue;
      if (job === this.#running) Atomics.store(this.#givenUp, 0, job.request);
      else this.#queue.splice(this.#queue.indexOf(job), 1);
      job.reject(over.error);
    }
  }

  /** The next question starts another thread. */
  #ended(channel: PlannerChannel, reason: Error): void {
    if (this.#channel === channel) this.#channel = null;
    const job = this.#running;
    this.#running = null;
    job?.reject(
      new BridgeError('unavailable', `The planner thread has ended (${reason.message}). Nothing has moved: ask again.`),
    );
    this.#next();
  }
}

function whyOver({ requireWanted }: Job): { readonly error: unknown } | null {
  try {
    requireWanted();
    return null;
  } catch (error) {
    return { error };
  }
}

/** Puts a question about an arm to the planner thread. */
type AskPlanner = <Kind extends PlanKind>(
  question: Extract<PlanQuestion, { kind: Kind }>,
  requireWanted: RequireWanted,
) => Promise<PlanKinds[Kind]['answer']>;

/**
 * What one arm can reach, and how it gets there: asked in the main thread, found in the planner thread. Where a
 * `requireWanted` is given, its error ends the planning as soon as it throws.
 */
export class ArmPlanning {
  /** The zero of the absolute frame: tool pose of the named pose `init`, in the base frame. */
  readonly zero: Pose;
  readonly #arm: Arm;
  readonly #ask: AskPlanner;
  readonly #collision: CollisionModel;
  readonly #turns = new Turns();

  constructor(arm: Arm, ask: AskPlanner) {
    this.#arm = arm;
    this.#ask = ask;
    this.#collision = new CollisionModel(arm.chain);
    this.zero = arm.toolPose(this.pose('init'));
  }

  /** A copy of a named pose, rad. */
  pose(name: string): Float64Array {
    return this.#arm.model.poses.get(name)!.slice();
  }

  /**
   * Plans one thing after the other, in the order in which they are asked: what is planned next begins where the one before
   * leads.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.take(work);
  }

  /** See `ArmPlanner.solve`. */
  solve(
    position: Vector3,
    angles: AngleTargets,
    seed: Float64Array,
    requireWanted: RequireWanted = ALWAYS,
  ): Promise<InverseResult> {
    return this.#ask<'solve'>({ kind: 'solve', position, angles, seed }, requireWanted);
  }

  /** See `ArmPlanner.route`. */
  route(
    from: Float64Array,
    to: Float64Array,
    requireWanted: RequireWanted = ALWAYS,
  ): Promise<readonly Float64Array[] | string> {
    return this.#ask<'route'>({ kind: 'route', from, to }, requireWanted);
  }

  /** See `ArmPlanner.line`. */
  line(
    from: Float64Array,
    to: LineEnd,
    { pace, accelerationScale }: PaceParts,
    requireWanted: RequireWanted = ALWAYS,
  ): Promise<Line | string> {
    return this.#ask<'line'>({ kind: 'line', from, to, parts: { pace, accelerationScale } }, requireWanted);
  }

  /**
   * What would touch what on the straight joint-space way between two poses (rad); null when it is free. Found in the calling
   * thread: one way takes a millisecond or less. Many belong to `touchesAlong`.
   */
  touches(from: Float64Array, to: Float64Array): string | null {
    return contactBetween(this.#collision, from, to);
  }

  /**
   * What would touch what on the straight joint-space ways from `from` through many poses, one after the other in
   * `positions` (rad), and to which of them; null when all are free. Other questions have their turn in between.
   */
  async touchesAlong(
    from: Float64Array,
    positions: Float64Array,
    requireWanted: RequireWanted = ALWAYS,
  ): Promise<WayContact | null> {
    const joints = from.length;
    const rows = positions.length / joints;
    for (let first = 0; first < rows; first += SLICE) {
      const slice = positions.slice(first * joints, (first + SLICE) * joints);
      const begin = first === 0 ? from.slice() : positions.slice((first - 1) * joints, first * joints);
      const contact = await this.#ask<'along'>({ kind: 'along', from: begin, positions: slice }, requireWanted);
      if (contact !== null) return { ...contact, index: first + contact.index };
      requireWanted();
    }
    return null;
  }
}
