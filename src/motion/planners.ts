import type { Arm } from '../arm/arm.ts';
import { type ArmBuild, ArmModelError, type ReadModel } from '../arm/model.ts';
import { BridgeError } from '../arm/types.ts';
import type { AngleTargets } from '../kinematics/angles.ts';
import { CollisionModel } from '../kinematics/collision.ts';
import type { Pose, Vector3 } from '../kinematics/frames.ts';
import type { InverseResult } from '../kinematics/inverse.ts';
import type { FinePoses } from '../rt/sources/waypoint-shape.ts';
import type { AskedChunk, LedChunk } from './chunk-path.ts';
import type { Line, LineEnd } from './line.ts';
import type {
  AskedWaypoints,
  FromPlanner,
  ModelAnswer,
  PlanAnswer,
  PlanKind,
  PlanKinds,
  PlanQuestion,
  ToPlanner,
} from './plan-messages.ts';
import { contactBetween, type PaceParts, type WayContact } from './planner.ts';

/** Poses checked in one piece, some milliseconds of work, so that other questions get their turn. */
const SLICE = 128;

/** Most forecasts that may wait at once; further ones must ask again. */
const MOST_ASIDE = 16;

/** Throws when the plan is no longer wanted; called whenever the arm begins a new epoch. */
export type RequireWanted = () => void;

const ALWAYS: RequireWanted = () => {};

/** Messages to and from a planner thread, which starts when the channel is created. */
export interface PlannerChannel {
  post(message: ToPlanner): void;
  close(): void;
  onMessage: (message: FromPlanner) => void;
  /** Called once, with the reason, when the thread has ended. */
  onExit: (reason: Error) => void;
}

/** Serial executor: each piece of work begins when the one before it has finished. */
class Turns {
  /** Settles when the last piece of work queued has finished. */
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

/** A question as it is sent to the planner thread. */
type Question = Exclude<ToPlanner, { readonly setup: unknown }>;

/** How many questions of a kind were answered, and the time from the questions to the answers, s. */
export interface PlanningTime {
  count: number;
  time: number;
}

interface Job {
  readonly request: number;
  /** When it was asked, by the arm's clock, s; 0 for a question about a model. */
  readonly asked: number;
  /** Null for a question about a model. */
  readonly arm: Arm | null;
  readonly message: Question;
  readonly requireWanted: RequireWanted;
  readonly resolve: (answer: PlanAnswer | ModelAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The main thread's end of the planner thread: sends one question at a time and receives the answers. Questions no
 * longer wanted are given up, even the running one.
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
  readonly #times = new Map<PlanKind, PlanningTime>();
  readonly #asideTurns = new Turns();
  #aside = 0;

  /** @param launch starts the planner thread, which polls the given word for the request that was given up */
  constructor(launch: (givenUp: SharedArrayBuffer) => PlannerChannel) {
    this.#launch = launch;
  }

  /** How long questions about arms have taken so far, waiting included. */
  get times(): ReadonlyMap<PlanKind, Readonly<PlanningTime>> {
    return this.#times;
  }

  /** The planning of an arm. The first call for an arm registers it with the planner thread. */
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
   * Plans forecasts, one at a time, so that motions, even an urgent lowering, wait for at most one forecast question.
   * @throws {BridgeError} unavailable when too many others wait
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

  /** Reads a model in the planner thread. @throws {ArmModelError} as `readArmModel` */
  readModel(model: string, variant: string): Promise<ReadModel> {
    return this.#send({ request: ++this.#request, arm: null, question: { kind: 'model', model, variant } });
  }

  /** Reads the builds of a model in the planner thread. @throws {ArmModelError} as `armBuilds` */
  builds(model: string): Promise<readonly ArmBuild[]> {
    return this.#send({ request: ++this.#request, arm: null, question: { kind: 'builds', model } });
  }

  /** Ends the thread; open questions fail. */
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
    const request = ++this.#request;
    return this.#send<PlanKinds[Kind]['answer']>({ request, arm: index, question }, arm, requireWanted);
  }

  #send<Answer extends PlanAnswer | ModelAnswer>(
    message: Question,
    arm: Arm | null = null,
    requireWanted: RequireWanted = ALWAYS,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { request } = message;
      const asked = arm?.clock.now() ?? 0;
      this.#queue.push({ request, asked, arm, message, requireWanted, resolve: resolve as Job['resolve'], reject });
      this.#next();
    });
  }

  /** Sends the next question that is still wanted. */
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
      this.#channel.post(job.message);
    }
  }

  #take(message: FromPlanner): void {
    const job = this.#running;
    if (job?.request !== message.request) return;
    this.#running = null;
    // A question that was given up has been rejected already; a promise settles only once.
    if ('answer' in message) {
      this.#note(job);
      job.resolve(message.answer);
    } else if ('unreadable' in message) job.reject(new ArmModelError(message.unreadable));
    else {
      const what = job.arm === null ? 'No model could be read' : `Nothing could be planned for arm ${job.arm.name}`;
      job.reject(new BridgeError('internal', `${what}: ${message.failure}.`));
    }
    this.#next();
  }

  #note({ arm, asked, message }: Job): void {
    if (arm === null || message.arm === null) return;
    const { kind } = message.question;
    const times = this.#times.get(kind) ?? { count: 0, time: 0 };
    times.count++;
    times.time += arm.clock.now() - asked;
    this.#times.set(kind, times);
  }

  /** An arm has begun a new epoch: earlier questions may be void. */
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

/** Sends a question about an arm to the planner thread. */
type AskPlanner = <Kind extends PlanKind>(
  question: Extract<PlanQuestion, { kind: Kind }>,
  requireWanted: RequireWanted,
) => Promise<PlanKinds[Kind]['answer']>;

/**
 * What one arm can reach, and how it gets there: asked in the main thread, computed in the planner thread. The error of
 * a given `requireWanted` ends the planning as soon as it throws.
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
   * Plans one thing after the other, in the order of the requests, because each plan begins where the one before ends.
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
   * Poses along a path for `touchesAlong`, or why the arm cannot drive the path, naming the joint and the segment. See
   * `waypointPoses`.
   */
  waypoints(asked: AskedWaypoints, requireWanted: RequireWanted = ALWAYS): Promise<FinePoses | string> {
    return this.#ask<'waypoints'>({ kind: 'waypoints', ...asked }, requireWanted);
  }

  /** See `ledChunk`. */
  chunk(asked: AskedChunk, requireWanted: RequireWanted = ALWAYS): Promise<LedChunk> {
    return this.#ask<'chunk'>({ kind: 'chunk', ...asked }, requireWanted);
  }

  /** The contact on the straight joint-space path between two poses (rad); null when there is none. */
  async touches(from: Float64Array, to: Float64Array, requireWanted: RequireWanted = ALWAYS): Promise<string | null> {
    const touched = await this.#ask<'along'>(
      { kind: 'along', from: from.slice(), positions: to.slice() },
      requireWanted,
    );
    return touched?.contact ?? null;
  }

  /**
   * As `touches`, but computed in the calling thread, for streams whose messages must not wait for other questions. A
   * message checks one such path, or few short ones: 4 us per 0.02 rad of the joint that moves most.
   */
  touchesNow(from: Float64Array, to: Float64Array): string | null {
    return contactBetween(this.#collision, from, to);
  }

  /**
   * The first contact on the straight joint-space legs from `from` through the poses in `positions` (rad, row by row),
   * with the index of its pose; null when there is none. Other questions get their turn in between.
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
