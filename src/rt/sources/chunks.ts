import { type SetpointSource, SourceStatus } from './setpoint-source.ts';

/** A piece of motion with time stamps: cubics between its knots, at rest from the last one on. */
export interface ChunkPath {
  /** Monotonic, s, strictly increasing. */
  readonly times: Float64Array;
  /** rad, one row per knot, one column per joint; NaN for a joint that it leaves alone. */
  readonly positions: Float64Array;
  /** rad/s, likewise; 0 in the last row. */
  readonly velocities: Float64Array;
  /** Least time over which it blends in from the running motion, s. */
  readonly blend: number;
}

/** Speeds (rad/s) and accelerations (rad/s^2), one element per joint; a blend uses no more than half of them. */
export interface BlendLimits {
  readonly velocity: Float64Array;
  readonly acceleration: Float64Array;
}

/** Why a chunk cannot be followed by an arm of this many joints; null if it can. */
export function chunkFault({ times, positions, velocities, blend }: ChunkPath, joints: number): string | null {
  const numbers = times.length * joints;
  if (times.length === 0 || positions.length !== numbers || velocities.length !== numbers || !(blend >= 0)) {
    return 'the chunk does not have a number for each joint in each of its knots';
  }
  for (let k = 0; k < times.length; k++) {
    if (!Number.isFinite(times[k]!) || (k > 0 && times[k]! <= times[k - 1]!))
      return 'the times of the chunk do not increase';
  }
  return null;
}

/** A chunk that comes up to this long after the last one has run out still continues the same motion, s. */
export const LINGER = 0.5;
/** Least time of any blend, s; also the time in which joints without a chunk come to rest. */
const SETTLING = 0.1;
/** Part of the limits that a blend uses, unless it would then take longer than `MOST_BLEND`, s. */
const SHARE = 0.5;
const MOST_BLEND = 10;
/** Peaks of a quintic to rest at 0 in unit time: speed and acceleration from position 1, acceleration from speed 1. */
const PEAK_SPEED = 1.875;
const PEAK_ACCELERATION = 5.774;
const PEAK_BRAKING = 3.94;
/** Part of its error that chunk time corrects in a cycle, and the most by which it runs faster or slower meanwhile. */
const DRAW = 0.1;
const MOST_DRAW = 0.2;
/** If the control loop has stood still for longer, chunk time jumps to the clock, s. */
const GAP = 0.1;

/**
 * Follows chunks; each replaces the one before from its first knot on. When a chunk takes over, the joints differ from
 * it in position, velocity and acceleration. A quintic blends this difference to zero, so that all three stay
 * continuous, however far the chunk is from the running motion. The blend takes as long as half of the limits needs.
 * The gate deals with the part of a chunk's own speed and acceleration that exceeds the limits: a blend would outlast it,
 * and lead far away from the chunk. A chunk ends at rest; `LINGER` later, without another one, the source is done.
 */
export class Chunks implements SetpointSource {
  readonly state = 'moving';
  readonly limits = 'mirror';
  readonly continues = true;
  readonly #limits: BlendLimits;
  readonly #clock: () => number;
  /** Present setpoints: rad, rad/s, rad/s^2. */
  readonly #position: Float64Array;
  readonly #velocity: Float64Array;
  readonly #acceleration: Float64Array;
  /** The path, likewise, before the difference is added. */
  readonly #wanted: Float64Array;
  readonly #speed: Float64Array;
  readonly #change: Float64Array;
  /** The difference at takeover, likewise. */
  readonly #off: Float64Array;
  readonly #offSpeed: Float64Array;
  readonly #offChange: Float64Array;
  /** Positions of the joints that the path leaves alone, rad. */
  readonly #stay: Float64Array;
  #path: ChunkPath | null = null;
  #next: ChunkPath | null = null;
  #segment = 0;
  /** When the present path took over, and how long its blend lasts, s. */
  #since = 0;
  #blend = SETTLING;
  /** Chunk time, on the scale of the chunks' stamps: the clock without its cycle-to-cycle jitter, s. */
  #time = 0;

  /** @param clock monotonic time, s, of the same clock as the time stamps */
  constructor(limits: BlendLimits, clock: () => number) {
    const joints = limits.velocity.length;
    this.#limits = limits;
    this.#clock = clock;
    this.#position = new Float64Array(joints);
    this.#velocity = new Float64Array(joints);
    this.#acceleration = new Float64Array(joints);
    this.#wanted = new Float64Array(joints);
    this.#speed = new Float64Array(joints);
    this.#change = new Float64Array(joints);
    this.#off = new Float64Array(joints);
    this.#offSpeed = new Float64Array(joints);
    this.#offChange = new Float64Array(joints);
    this.#stay = new Float64Array(joints);
  }

  /**
   * Takes the newest chunk: it takes over at its first knot, or at once if that has passed. A waiting chunk is dropped.
   * @returns why it cannot be followed; null if it is accepted
   */
  take(path: ChunkPath): string | null {
    const fault = chunkFault(path, this.#position.length);
    if (fault === null) this.#next = path;
    return fault;
  }

  /** When the chunks received so far end at rest, monotonic, s. */
  get end(): number {
    const path = this.#next ?? this.#path;
    const run = this.#since + this.#blend;
    return path === null ? run : Math.max(path.times[path.times.length - 1]!, run);
  }

  begin(setpoints: Float64Array, velocities: Float64Array, _now: number, accelerations: Float64Array): void {
    this.#position.set(setpoints);
    this.#velocity.set(velocities);
    this.#acceleration.set(accelerations);
    this.#time = this.#clock();
    this.#path = null;
    this.#takeOver(this.#time);
  }

  next(_now: number, dt: number, out: Float64Array): SourceStatus {
    const { end } = this;
    this.#tick(dt);
    const t = this.#time;
    if (this.#next !== null && t >= this.#next.times[0]!) {
      // The blend starts from this cycle's setpoints on the old path.
      this.#evaluate(t);
      this.#path = this.#next;
      this.#next = null;
      this.#segment = 0;
      this.#takeOver(t);
    }
    this.#evaluate(t);
    out.set(this.#position);
    return this.#next === null && t > end + LINGER ? SourceStatus.done : SourceStatus.running;
  }

  /** Advances chunk time. After a gap, the joints blend from where they are to where the path has gone meanwhile. */
  #tick(dt: number): void {
    const late = this.#clock() - this.#time;
    if (late > GAP) {
      this.#time += late;
      this.#takeOver(this.#time);
    } else this.#time += Math.min(Math.max(dt + DRAW * (late - dt), (1 - MOST_DRAW) * dt), (1 + MOST_DRAW) * dt);
  }

  /** Starts a blend from the joints' present motion to the path. */
  #takeOver(t: number): void {
    const { velocity, acceleration } = this.#limits;
    this.#since = t;
    this.#follow(t);
    let blend = Math.max(this.#path?.blend ?? 0, SETTLING);
    for (let i = 0; i < velocity.length; i++) {
      const off = this.#leaves(i) ? 0 : Math.abs(this.#position[i]! - this.#wanted[i]!);
      const offSpeed = Math.abs(this.#velocity[i]! - (this.#leaves(i) ? 0 : within(this.#speed[i]!, velocity[i]!)));
      const most = SHARE * acceleration[i]!;
      blend = Math.max(blend, (PEAK_SPEED * off) / (SHARE * velocity[i]!), Math.sqrt((PEAK_ACCELERATION * off) / most));
      blend = Math.max(blend, (PEAK_BRAKING * offSpeed) / most);
    }
    blend = Math.min(blend, MOST_BLEND);
    this.#blend = blend;
    for (let i = 0; i < velocity.length; i++) {
      // A joint that is left alone stays where its blend brings it to rest.
      if (this.#leaves(i)) this.#stay[i] = this.#position[i]! + (this.#velocity[i]! * blend) / 2;
    }
    this.#follow(t);
    for (let i = 0; i < velocity.length; i++) {
      this.#off[i] = this.#position[i]! - this.#wanted[i]!;
      this.#offSpeed[i] = this.#velocity[i]! - within(this.#speed[i]!, velocity[i]!);
      this.#offChange[i] = this.#acceleration[i]! - within(this.#change[i]!, acceleration[i]!);
    }
  }

  /** Whether the path leaves a joint alone. */
  #leaves(i: number): boolean {
    return this.#path === null || Number.isNaN(this.#path.positions[i]!);
  }

  /** Evaluates the path at `t`. */
  #follow(t: number): void {
    const path = this.#path;
    const joints = this.#wanted.length;
    const last = path === null ? 0 : path.times.length - 1;
    while (path !== null && this.#segment < last && t >= path.times[this.#segment + 1]!) this.#segment++;
    for (let i = 0; i < joints; i++) {
      if (path === null || this.#leaves(i)) {
        this.#wanted[i] = this.#stay[i]!;
        this.#speed[i] = 0;
        this.#change[i] = 0;
        continue;
      }
      const at = this.#segment * joints + i;
      if (this.#segment === last) {
        this.#wanted[i] = path.positions[at]!;
        this.#speed[i] = 0;
        this.#change[i] = 0;
        continue;
      }
      const from = path.times[this.#segment]!;
      const span = path.times[this.#segment + 1]! - from;
      const s = (t - from) / span;
      const way = path.positions[at + joints]! - path.positions[at]!;
      const first = path.velocities[at]! * span;
      const second = path.velocities[at + joints]! * span;
      // The cubic with these ends: start + first s + b s^2 + c s^3.
      const b = 3 * way - 2 * first - second;
      const c = first + second - 2 * way;
      this.#wanted[i] = path.positions[at]! + s * (first + s * (b + s * c));
      this.#speed[i] = (first + s * (2 * b + 3 * s * c)) / span;
      this.#change[i] = (2 * b + 6 * s * c) / (span * span);
    }
  }

  /** Computes the setpoints at `t`: the path plus the remaining difference. */
  #evaluate(t: number): void {
    this.#follow(t);
    const span = this.#blend;
    const s = Math.min((t - this.#since) / span, 1);
    const s2 = s * s;
    const s3 = s2 * s;
    const s4 = s3 * s;
    const s5 = s4 * s;
    for (let i = 0; i < this.#position.length; i++) {
      const off = this.#off[i]!;
      const speed = this.#offSpeed[i]! * span;
      const change = (this.#offChange[i]! * span * span) / 2;
      const left =
        off * (1 - 10 * s3 + 15 * s4 - 6 * s5) +
        speed * (s - 6 * s3 + 8 * s4 - 3 * s5) +
        change * (s2 - 3 * s3 + 3 * s4 - s5);
      const leftSpeed =
        off * (-30 * s2 + 60 * s3 - 30 * s4) +
        speed * (1 - 18 * s2 + 32 * s3 - 15 * s4) +
        change * (2 * s - 9 * s2 + 12 * s3 - 5 * s4);
      const leftChange =
        off * (-60 * s + 180 * s2 - 120 * s3) +
        speed * (-36 * s + 96 * s2 - 60 * s3) +
        change * (2 - 18 * s + 36 * s2 - 20 * s3);
      this.#position[i] = this.#wanted[i]! + left;
      this.#velocity[i] = this.#speed[i]! + leftSpeed / span;
      this.#acceleration[i] = this.#change[i]! + leftChange / (span * span);
    }
  }
}

function within(value: number, most: number): number {
  return Math.min(Math.max(value, -most), most);
}
