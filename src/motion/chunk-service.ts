import type { Arm, Ask } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import { BridgeError, type Caller, Cancelled } from '../arm/types.ts';
import type { Clock, Timer } from '../clock.ts';
import { includes, type Joints } from '../rt/joint/joint-groups.ts';
import type { BlendLimits, ChunkPath } from '../rt/sources/chunks.ts';
import { heldBack } from './approach.ts';
import { type ChunkLimits, from } from './chunk-path.ts';
import type { Planners } from './planners.ts';

/** Most points of a chunk, and how far ahead it may reach, s. */
export const MOST_POINTS = 500;
export const LONGEST_CHUNK = 60;
/** Most chunks of one arm that may wait for their contact check. */
const MOST_WAITING = 4;
/** Least time between two points, s. */
const CLOSEST = 0.001;
/** A position beyond its limit by no more than this is clamped, rad: policies are no more precise. */
const LIMIT_SLACK = 0.05;
/** An observation may be this far ahead of the bridge's clock, s, because stamps are rounded. */
const AHEAD = 0.05;
/**
 * Pause of a sender that lost the arm, before it can take it again: the duration of its last chunk, within these
 * bounds, s.
 */
const LEAST_PAUSE = 1;
const MOST_PAUSE = 5;
/** Speeds above a limit by no more than this fraction are rounding. */
const SPEED_SLACK = 1e-3;

/** Time-stamped positions, as a policy outputs them. */
export interface Chunk {
  /** Joints of the model, one per column; null: all, in model order. */
  readonly joints: readonly string[] | null;
  /** s after the observation, one per point, strictly increasing. */
  readonly times: readonly number[];
  /** rad, one row per point. */
  readonly positions: readonly (readonly number[])[];
  /** Time of the observation behind the chunk, seconds since 1970 by the bridge's clock; null: the time of arrival. */
  readonly observed: number | null;
  /** Largest age of the observation, s; an older chunk is skipped entirely. */
  readonly latency: number;
  /** Least time to blend from the running motion into this chunk, s. */
  readonly blend: number;
  /** Without a newer chunk for this long the arm comes to rest, s. */
  readonly deadMan: number;
}

/** Outcome of a chunk. */
export interface ChunkOutcome {
  /** Id of the motion that follows the chunk; null when it is skipped entirely. */
  readonly motion: string | null;
  /** From the observation to the arrival, s. */
  readonly age: number;
  /** Number of points that are followed, and of points that came too late. */
  readonly kept: number;
  readonly skipped: number;
  /** From now to the first and to the last kept point, s; 0 when none is kept. */
  readonly begins: number;
  readonly ends: number;
  /** Joints that cannot move as fast as the chunk wants and will lag. */
  readonly slowed: string[];
  /** Why the chunk is skipped entirely, human-readable; null when it is not. */
  readonly message: string | null;
}

/**
 * How a run of chunks ended. `message`: why it ended before its chunks ran out, or did not arrive at their end,
 * human-readable; null when it did neither.
 */
interface RunEnd {
  readonly ok: boolean;
  readonly message: string | null;
}

/** Starts a run of chunks as a motion that clients can query. @returns its id */
export type StartMotion = (work: (caller: Caller) => Promise<RunEnd>) => Promise<string>;

/** One owner's motion through its chunks. */
interface Run {
  readonly arm: Arm;
  readonly owner: string;
  readonly session: ArmSession;
  /** Connection that sent the newest chunk; null: the sender may disconnect. */
  sender: unknown;
  readonly cut: AbortController;
  readonly watch: Timer;
  /** Resolves once the arm follows its first chunk. */
  readonly begun: Promise<void>;
  /** Id of the motion, once it has one. */
  motion: Promise<string>;
  /** The chunk that it followed when the newest came, if any, and the newest. */
  paths: readonly ChunkPath[];
}

/** The chunk that a run follows at `now` (s), until a newer one takes over; null for none. */
function followed(run: Run | undefined, now: number): ChunkPath | null {
  return run?.paths.findLast(({ times }) => times[0]! <= now) ?? null;
}

/** State of one sender of chunks for an arm. */
interface Sender {
  /** When its last accepted chunk came, s, and until when it must pause if its motion ends early, s. */
  heard: number;
  pause: number;
  /** Its motion was ended from outside. */
  severed: boolean;
}

/** Drives arms through chunks of time-stamped positions from policies; each chunk blends in from the one before. */
export class ChunkService {
  readonly #planners: Planners;
  readonly #clock: Clock;
  readonly #runs = new Set<Run>();
  readonly #waiting = new Map<Arm, number>();
  readonly #senders = new Map<Arm, Map<string, Sender>>();
  #open = true;

  /** @param planners of all arms */
  constructor(planners: Planners, clock: Clock) {
    this.#planners = planners;
    this.#clock = clock;
  }

  /**
   * Accepts a chunk; resolves once the arm follows it, or it turns out that no point can be followed. The first chunk
   * takes the arm, whose torque must be on; later ones continue its motion until it has come to rest.
   * @param sender connection whose end ends the motion (`leave`); null: the sender may disconnect
   * @throws {BridgeError} bad_request, naming joint and point; disconnected, stopped, owned, uncalibrated; unsupported
   *   without torque, on a contact, and for a sender that continues after its motion was ended
   */
  async take(arm: Arm, chunk: Chunk, caller: Caller, sender: unknown, start: StartMotion): Promise<ChunkOutcome> {
    if (!this.#open) throw new BridgeError('unavailable', 'The bridge is ending.', { arm });
    const arrived = this.#clock.now();
    const { positions, names } = pointsOf(arm, chunk);
    const joints = arm.jointsOf(names);
    const age = chunk.observed === null ? 0 : this.#clock.wall() - chunk.observed;
    if (age < -AHEAD) {
      throw new BridgeError(
        'bad_request',
        `observed is ${(-age).toFixed(2)} s ahead of the bridge's clock: send the stamp that came with the arm's state, or leave it out.`,
        { arm },
      );
    }
    const ask = arm.ask();
    try {
      arm.requireHolding();
      const refused = arm.refusalFor(caller, joints);
      if (refused !== null) throw refused;
      arm.requirePlaced(caller);
    } catch (error) {
      const known = this.#senders.get(arm)?.has(caller.owner.key) === true;
      // One that is new may have to take over, but a reset alone lets nobody go on.
      if (known || (error instanceof BridgeError && error.code === 'stopped'))
        this.#refused(arm, caller.owner.key, arrived, chunk.times.at(-1)! - Math.max(age, 0));
      throw error;
    }
    const times = Float64Array.from(chunk.times, (time) => arrived - Math.max(age, 0) + time);
    if (this.#runOf(arm, caller, joints) === undefined) this.#requirePaused(arm, caller, arrived - age, times.at(-1)!);
    const none = { motion: null, age, kept: 0, skipped: times.length, begins: 0, ends: 0, slowed: [] };
    if (age > chunk.latency) {
      const message = `It came ${age.toFixed(2)} s after its observation, its latency budget is ${chunk.latency} s: it is skipped.`;
      return { ...none, message };
    }
    const wanted = () => arm.requireWanted(ask, joints);
    const before = () => followed(this.#runOf(arm, caller, joints), this.#clock.now());
    const path = await this.#inTurn(arm, () => this.#freePath(arm, times, positions, chunk.blend, before, wanted));
    const now = this.#clock.now();
    const skipped = times.findLastIndex((time) => time <= now) + 1;
    if (skipped === times.length) return { ...none, message: 'All of its points are late: it is skipped.' };
    const rest = from(path, now);
    const present = this.#runOf(arm, caller, joints);
    const motion =
      (present === undefined ? null : await this.#goOn(present, rest, chunk.deadMan, sender)) ??
      (await this.#begin(arm, rest, caller, ask, joints, chunk.deadMan, sender, start));
    const last = times.at(-1)!;
    this.#heard(arm, caller.owner.key, now, last);
    const kept = times.length - skipped;
    const begins = Math.max(0, times[skipped]! - now);
    return {
      motion,
      age,
      kept,
      skipped,
      begins,
      ends: last - now,
      slowed: slowedOf(arm, times, positions),
      message: null,
    };
  }

  /** The sender has disconnected: the motion of its chunks comes to rest, and the arm holds. */
  leave(sender: unknown): void {
    for (const run of this.#runs) {
      if (run.sender === sender) run.cut.abort(new Cancelled('the connection that sent the chunks has closed'));
    }
  }

  /** Accepts no further chunks. */
  close(): void {
    this.#open = false;
  }

  /** This owner's run with these joints; undefined if there is none. */
  #runOf(arm: Arm, { owner }: Caller, joints: Joints): Run | undefined {
    return [...this.#runs].find(
      (run) =>
        run.arm === arm && run.owner === owner.key && run.session.lost === null && includes(run.session.joints, joints),
    );
  }

  async #begin(
    arm: Arm,
    first: ChunkPath,
    caller: Caller,
    ask: Ask,
    joints: Joints,
    deadMan: number,
    sender: unknown,
    start: StartMotion,
  ): Promise<string> {
    const motion = start((asker) => this.#run(arm, first, asker, ask, joints, deadMan, sender));
    const run = this.#runOf(arm, caller, joints);
    if (run !== undefined) run.motion = motion;
    const id = await motion;
    await run?.begun;
    return id;
  }

  /** @returns id of the motion; null when it has run out meanwhile */
  async #goOn(run: Run, path: ChunkPath, deadMan: number, sender: unknown): Promise<string | null> {
    await run.begun;
    try {
      await run.session.chunk(path);
    } catch (error) {
      await run.arm.nextCycle();
      if (run.session.arrived) return null;
      throw error;
    }
    const before = followed(run, this.#clock.now());
    run.paths = before === null ? [path] : [before, path];
    run.sender = sender;
    run.watch.start(deadMan);
    return run.motion;
  }

  /** Follows chunks until they run out or the motion is ended. */
  async #run(
    arm: Arm,
    first: ChunkPath,
    asker: Caller,
    ask: Ask,
    joints: Joints,
    deadMan: number,
    sender: unknown,
  ): Promise<RunEnd> {
    const cut = new AbortController();
    const signal = asker.signal === undefined ? cut.signal : AbortSignal.any([asker.signal, cut.signal]);
    const session = arm.claim({ ...asker, signal }, { joints, ask });
    const { key } = asker.owner;
    const watch = this.#clock.timer(() => cut.abort(new Cancelled('no newer chunk has come')), true);
    watch.start(deadMan);
    let onBegun: () => void = () => {};
    let onRefused: (error: unknown) => void = () => {};
    const begun = new Promise<void>((resolve, reject) => {
      onBegun = resolve;
      onRefused = reject;
    });
    begun.catch(() => {});
    const run: Run = {
      arm,
      owner: key,
      session,
      sender,
      cut,
      watch,
      begun,
      motion: Promise.resolve(''),
      paths: [first],
    };
    this.#runs.add(run);
    try {
      const message = await session.drive({ kind: 'chunks', first }, { onBegun });
      onRefused(new BridgeError('unsupported', `Arm ${arm.name} does not follow the chunk: ${message}.`, { arm }));
      // A sender that merely fell silent may start anew at once.
      if (message !== null && !cut.signal.aborted) this.#sever(arm, key);
      const short = message === null ? await this.#missed(run) : null;
      return { ok: message === null && short === null, message: message ?? short };
    } catch (error) {
      onRefused(error);
      this.#sever(arm, key);
      throw error;
    } finally {
      watch.cancel();
      this.#runs.delete(run);
      session.end();
    }
  }

  /**
   * Why a run that has reached the end of its chunks has not arrived there, human-readable; null if it has. Chunks
   * follow like mirroring, so the control loop does not end them when a joint is held back.
   */
  async #missed({ arm, session, watch, paths }: Run): Promise<string | null> {
    watch.cancel();
    await session.settle();
    // The owner's next motion has begun meanwhile.
    if (session.lost !== null) return null;
    const goal = paths.at(-1)!.positions.slice(-arm.model.joints.length);
    // A gripper that something holds back is not at fault.
    if (arm.model.gripper !== null) goal[arm.model.gripper.index] = Number.NaN;
    return heldBack(arm, goal);
  }

  /** @throws {BridgeError} unavailable, when too many chunks wait for an arm */
  async #inTurn<T>(arm: Arm, look: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(arm) ?? 0;
    if (waiting >= MOST_WAITING) {
      throw new BridgeError(
        'unavailable',
        `${waiting} chunks for arm ${arm.name} wait already: send one after the other.`,
        {
          arm,
        },
      );
    }
    this.#waiting.set(arm, waiting + 1);
    try {
      return await look();
    } finally {
      this.#waiting.set(arm, this.#waiting.get(arm)! - 1);
    }
  }

  /**
   * The motion of a chunk.
   * @param before the chunk that the arm follows by then
   * @throws {BridgeError} unsupported, when it would lead to a contact
   */
  async #freePath(
    arm: Arm,
    times: Float64Array,
    positions: Float64Array,
    blend: number,
    before: () => ChunkPath | null,
    requireWanted: () => void,
  ): Promise<ChunkPath> {
    const planning = this.#planners.of(arm);
    const { setpoints, velocities } = arm.read();
    const at = setpoints.slice();
    const follows = before();
    const asked = {
      times,
      positions,
      blend,
      limits: limitsOf(arm),
      setpoints: at,
      velocities: velocities.slice(),
      before: follows,
      now: this.#clock.now(),
    };
    const { path, led } = await planning.chunk(asked, requireWanted);
    requireWanted();
    const touched = await planning.touchesAlong(at, led.positions, requireWanted);
    // Another one may have taken over meanwhile.
    if (before() !== follows) return this.#freePath(arm, times, positions, blend, before, requireWanted);
    if (touched === null) return path;
    const when = led.times[touched.index]!;
    const next = times.findIndex((time) => time >= when);
    const where = next < 0 ? 'After its last point' : `On the way to point ${next} of ${times.length}`;
    throw new BridgeError(
      'unsupported',
      `${where} arm ${arm.name} would hit something: ${touched.contact}. Nothing of the chunk is followed.`,
      { arm },
    );
  }

  /**
   * @param observed time of the observation, monotonic, s
   * @throws {BridgeError} unsupported, for chunks that continue after their motion was ended
   */
  #requirePaused(arm: Arm, { owner, takeOver }: Caller, observed: number, last: number): void {
    const now = this.#clock.now();
    const known = this.#senders.get(arm)?.get(owner.key);
    if (known === undefined && !arm.inherited) return;
    const sender = known ?? { heard: Number.NEGATIVE_INFINITY, pause: now + LEAST_PAUSE, severed: true };
    if (known === undefined) this.#sendersOf(arm, now).set(owner.key, sender);
    // Whoever takes over may go on after another owner, but not after a stop.
    const over = takeOver ? arm.interrupted : Math.max(arm.severed, arm.interrupted);
    if ((takeOver || !sender.severed) && sender.heard > over) return;
    if (now >= sender.pause && observed >= over) return;
    sender.severed = true;
    sender.pause = Math.max(sender.pause, now + pauseFor(last - now));
    throw new BridgeError(
      'unsupported',
      `Arm ${arm.name} does not follow chunks that go on after it was stopped, released, limp, driven by somebody else or left ` +
        `holding by an earlier bridge: send none for ${(sender.pause - now).toFixed(1)} s, then begin anew.`,
      { arm },
    );
  }

  #heard(arm: Arm, key: string, now: number, last: number): void {
    this.#sendersOf(arm, now).set(key, { heard: now, pause: now + pauseFor(last - now), severed: false });
  }

  /** Those of whom something is still to be remembered. */
  #sendersOf(arm: Arm, now: number): Map<string, Sender> {
    const senders = this.#senders.get(arm) ?? new Map<string, Sender>();
    this.#senders.set(arm, senders);
    for (const [other, { pause }] of senders) if (pause + MOST_PAUSE < now) senders.delete(other);
    return senders;
  }

  /** Whoever sends on while the arm cannot follow does not take it by that once it can. @param duration of the chunk, s */
  #refused(arm: Arm, key: string, now: number, duration: number): void {
    const senders = this.#sendersOf(arm, now);
    const { heard, pause } = senders.get(key) ?? { heard: Number.NEGATIVE_INFINITY, pause: now };
    senders.set(key, { heard, pause: Math.max(pause, now + pauseFor(duration)), severed: true });
  }

  #sever(arm: Arm, key: string): void {
    const sender = this.#senders.get(arm)?.get(key);
    if (sender !== undefined) sender.severed = true;
  }
}

/** How long a sender must pause after a chunk of this duration (s), s. */
function pauseFor(duration: number): number {
  return Math.min(Math.max(duration, LEAST_PAUSE), MOST_PAUSE);
}

/** Limits that a chunk and its blend must respect. */
function limitsOf(arm: Arm): ChunkLimits & BlendLimits {
  const { joints } = arm.model;
  const acceleration = Float64Array.from(joints, ({ move }) => move.acceleration);
  return {
    lower: Float64Array.from(joints, ({ lower }) => lower),
    upper: Float64Array.from(joints, ({ upper }) => upper),
    passing: Float64Array.from(joints, ({ mirror }) => mirror.velocity * arm.pace),
    braking: acceleration,
    velocity: Float64Array.from(joints, ({ move }) => move.velocity * arm.pace),
    acceleration,
  };
}

/**
 * The points of a chunk as rows of all joints, rad, NaN for joints without a column; and the names of the others.
 * @throws {BridgeError} bad_request
 */
function pointsOf(
  arm: Arm,
  { joints, times, positions }: Chunk,
): { readonly positions: Float64Array; readonly names: readonly string[] } {
  const model = arm.model.joints;
  const all = model.map(({ name }) => name);
  const names = joints ?? all;
  const refuse = (what: string): never => {
    throw new BridgeError('bad_request', `${what} Nothing of the chunk is followed.`, { arm });
  };
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) refuse(`joints: arm ${arm.name} has no joint "${unknown}", only ${all.join(', ')}.`);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) refuse(`joints: ${twice} stands twice.`);
  if (times.length !== positions.length) {
    refuse(`times has ${times.length} elements for ${positions.length} rows of positions: give each point one time.`);
  }
  for (let k = 1; k < times.length; k++) {
    if (times[k]! - times[k - 1]! >= CLOSEST) continue;
    refuse(`times.${k} (${times[k]} s) is not at least ${CLOSEST} s after the one before it (${times[k - 1]} s).`);
  }
  const rows = new Float64Array(times.length * all.length).fill(Number.NaN);
  const columns = names.map((name) => all.indexOf(name));
  for (const [k, row] of positions.entries()) {
    if (row.length !== names.length) {
      refuse(
        `positions.${k} has ${row.length} numbers for ${names.length} joints of arm ${arm.name} (${names.join(', ')}).`,
      );
    }
    for (const [column, i] of columns.entries()) {
      const { name, lower, upper } = model[i]!;
      const position = row[column]!;
      if (position < lower - LIMIT_SLACK || position > upper + LIMIT_SLACK) {
        refuse(
          `positions.${k}.${column}: ${name} of arm ${arm.name} cannot go to ${position.toFixed(3)} rad, its limits are ` +
            `${lower.toFixed(3)} to ${upper.toFixed(3)} rad.`,
        );
      }
      rows[k * all.length + i] = Math.min(Math.max(position, lower), upper);
    }
  }
  return { positions: rows, names };
}

/** Joints that would exceed the arm's speed between two points. */
function slowedOf(arm: Arm, times: Float64Array, positions: Float64Array): string[] {
  const { joints } = arm.model;
  return joints.flatMap(({ name, mirror }, i) => {
    const most = mirror.velocity * arm.pace * (1 + SPEED_SLACK);
    for (let k = 1; k < times.length; k++) {
      const way = Math.abs(positions[k * joints.length + i]! - positions[(k - 1) * joints.length + i]!);
      if (way / (times[k]! - times[k - 1]!) > most) return [name];
    }
    return [];
  });
}
