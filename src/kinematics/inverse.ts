/**
 * Inverse kinematics within joint limits: position first, then the nearest possible orientation.
 *
 * Runs a descent (`descent.ts`) from the seed, then from the best of many random poses. The orientation error is the
 * distance to the set of orientations with the given angles. If that distance cannot become 0, only the freedom that
 * the position leaves is used for the orientation.
 */

import type { AngleTargets } from './angles.ts';
import type { Chain } from './chain.ts';
import { Descent, POSITION_ONLY, TOGETHER } from './descent.ts';
import { identityRotation, type Quaternion, type Rotation, rotationFromQuaternion, type Vector3 } from './frames.ts';
import { PosePool } from './pose-pool.ts';
import type { ToolPath } from './tool-path.ts';

export interface InverseTarget {
  /** Position of the tool in the base frame, m. */
  readonly position: Vector3;
  /** Given angles (rad, null where free) relative to `init`, the orientation where all are 0; default: all free. */
  readonly orientation?: AngleTargets & { readonly init: Quaternion };
}

export interface InverseResult {
  /** Positions of all joints; joints that do not move the tool keep the seed's. */
  readonly q: Float64Array;
  /** Whether a pose that `accept` allows reaches the position within the tolerance. */
  readonly reachable: boolean;
  /** Distance of the tool from the requested position, m. */
  readonly positionError: number;
  /** Smallest rotation to an orientation with the given angles, rad; 0 if all are free. */
  readonly orientationError: number;
  /** Tool position at `q`: the requested position, or the nearest that was found. */
  readonly position: Vector3;
}

export interface InverseOptions {
  /** Distance (m) within which a position counts as reached. */
  readonly tolerance?: number;
  /** Distance (rad or m) of solutions from the joint limits. */
  readonly margin?: number;
  /** Maximum number of random starts after the seed. */
  readonly starts?: number;
  /** Whether a pose is allowed as a solution, e.g. free of collision. */
  readonly accept?: (q: Float64Array) => boolean;
}

const ALL_FREE: AngleTargets = { pitch: null, yaw: null, roll: null };

/** Pool poses per start. */
const DRAWN = 128;
/** Every third start picks the best of only this many poses, so that its descent may end elsewhere. */
const FEW = 4;
/** Number of exact solutions from random starts that are compared for nearness to the seed. */
const ENOUGH = 2;
/** Number of starts after which a position that no start has reached counts as unreachable. */
const POSITION_STARTS = 10;
/** Number of descent ends that are kept to improve the orientation if no pose reaches it exactly. */
const KEPT = 5;
/** Descent ends closer to each other than this are the same, rad. */
const SAME_POSE = 0.1;
/** Orientation errors that differ by less count as equal, rad. */
const SAME_ORIENTATION = 1e-3;
/** Resolution (m) of the search for the nearest allowed position, and maximum number of poses that it tries. */
const RESOLUTION = 1e-3;
const PROBES = 40;
/** Directions of that search: first towards the position (placeholder zeros), then along the axes. */
const WAYS = [
  [0, 0, 0],
  [1, 0, 0],
  [-1, 0, 0],
  [0, 1, 0],
  [0, -1, 0],
  [0, 0, 1],
  [0, 0, -1],
] as const;

/** A pose that was found, with its errors. */
class Candidate {
  readonly x: Float64Array;
  position = Number.POSITIVE_INFINITY;
  orientation = Number.POSITIVE_INFINITY;
  /** Euclidean distance from the seed in joint space. */
  distance = Number.POSITIVE_INFINITY;

  constructor(size: number) {
    this.x = new Float64Array(size);
  }

  clear(): void {
    this.position = Number.POSITIVE_INFINITY;
    this.orientation = Number.POSITIVE_INFINITY;
    this.distance = Number.POSITIVE_INFINITY;
  }

  set(other: Candidate): void {
    this.x.set(other.x);
    this.position = other.position;
    this.orientation = other.orientation;
    this.distance = other.distance;
  }
}

/** Inverse kinematics for one chain. Owns scratch memory: use it in one thread. Equal inputs give equal results. */
export class InverseKinematics {
  private readonly chain: Chain;
  private readonly tolerance: number;
  private readonly starts: number;
  private readonly accept: ((q: Float64Array) => boolean) | null;
  /** Joints that move the tool. */
  private readonly active: readonly number[];
  private readonly descent: Descent;
  private readonly path: ToolPath;
  private drawn: PosePool | null = null;

  /** Scratch for all joints; joints that do not move the tool keep the seed's positions. */
  private readonly whole: Float64Array;
  /** The arrays from here on hold only the joints that move the tool. */
  private readonly seed: Float64Array;
  private readonly x: Float64Array;
  private readonly raw: Float64Array;
  private readonly rated: Candidate;
  private readonly best: Candidate;
  private readonly kept: readonly Candidate[];
  /** Smallest position error of a pose that `accept` refused, m. */
  private refused = Number.POSITIVE_INFINITY;

  /** @param chain the arm; unlimited joints that move the tool are kept within half a turn of 0 */
  constructor(chain: Chain, options: InverseOptions = {}) {
    this.chain = chain;
    this.tolerance = options.tolerance ?? 1e-4;
    this.starts = options.starts ?? 40;
    this.accept = options.accept ?? null;
    const margin = options.margin ?? 0.002;
    this.active = chain.movesTool.flatMap((moves, index) => (moves ? [index] : []));
    const limits = this.active.map((joint) => chain.limits[joint]!);
    const within = (limit: number, turn: number): number => (Number.isFinite(limit) ? limit : turn);
    const lower = Float64Array.from(limits, (limit) => within(limit.lower + margin, -Math.PI));
    const upper = Float64Array.from(limits, (limit) => within(limit.upper - margin, Math.PI));
    const path = chain.toolPath(this.active);
    this.descent = new Descent(path, lower, upper);
    this.path = path;
    this.whole = new Float64Array(chain.dof);
    this.seed = new Float64Array(path.size);
    this.x = new Float64Array(path.size);
    this.raw = new Float64Array(path.size);
    this.rated = new Candidate(path.size);
    this.best = new Candidate(path.size);
    this.kept = Array.from({ length: KEPT }, () => new Candidate(path.size));
  }

  /**
   * Joint positions that bring the tool to a target.
   *
   * Priorities, in this order: the requested position, the smallest orientation error, nearness to the seed.
   *
   * @param target wanted tool position and angles
   * @param seed present positions of all joints (dof)
   * @param out receives the solution (dof); default: a new array
   */
  solve(
    target: InverseTarget,
    seed: Float64Array,
    out: Float64Array = new Float64Array(this.chain.dof),
  ): InverseResult {
    const { position, orientation } = target;
    const angles = orientation ?? ALL_FREE;
    const init = orientation ? rotationFromQuaternion(orientation.init) : identityRotation();
    this.whole.set(seed);
    for (const [at, joint] of this.active.entries()) this.seed[at] = seed[joint]!;
    const { best } = this;
    this.descent.aim(position, this.seed, angles, init);
    this.search();
    const reachable = best.position <= this.tolerance;
    if (!reachable && this.refused < best.position) this.approach(position, angles, init);
    for (const [at, joint] of this.active.entries()) this.whole[joint] = best.x[at]!;
    out.set(this.whole);
    this.descent.aim(position, this.seed, angles, init);
    const [x, y, z] = this.descent.measure(best.x);
    return {
      q: out,
      reachable,
      positionError: this.descent.positionError,
      orientationError: this.descent.orientationError,
      position: { x: x!, y: y!, z: z! },
    };
  }

  /** Searches for the best allowed pose; the result is in `best`. */
  private search(): void {
    const { descent, x, best, kept } = this;
    const oriented = descent.goal.given > 0;
    best.clear();
    this.refused = Number.POSITIVE_INFINITY;
    for (const candidate of kept) candidate.clear();

    if (oriented) {
      x.set(this.seed);
      descent.clamp(x);
      descent.minimise(x, TOGETHER, true);
      if (descent.exact && this.settle()) return;
      this.keep();
    }
    if (!this.searchPosition(oriented) || !oriented) return;
    this.searchOrientation();
    if (best.position <= this.tolerance && best.orientation <= SAME_ORIENTATION) return;
    for (const candidate of kept) {
      if (candidate.position === Number.POSITIVE_INFINITY) continue;
      x.set(candidate.x);
      this.turn();
    }
    if (best.position > this.tolerance) this.searchPosition(false);
  }

  /**
   * Searches for the position alone, then turns towards the angles. Returns whether the position is reached.
   *
   * @param once stop at the first pose that reaches it, even if that pose is not allowed
   */
  private searchPosition(once: boolean): boolean {
    const { descent, x } = this;
    const oriented = descent.goal.given > 0;
    let reached = false;
    let exact = 0;
    for (let start = 0; start <= this.starts; start++) {
      if (start === 0) x.set(this.seed);
      else this.draw(start - 1, false);
      descent.clamp(x);
      descent.minimise(x, POSITION_ONLY);
      if (descent.positionError <= this.tolerance) {
        reached = true;
        const allowed = oriented ? this.turn() : this.settle();
        if (once) return true;
        if (allowed && (start === 0 || ++exact === ENOUGH)) return true;
      } else {
        this.consider();
        if (!reached && start >= POSITION_STARTS) return false;
      }
    }
    return reached;
  }

  /** Searches for poses that reach position and orientation; keeps the best ends of descents that do not. */
  private searchOrientation(): void {
    const { descent, x } = this;
    let exact = 0;
    for (let start = 0; start < this.starts; start++) {
      this.draw(start, true);
      descent.minimise(x, TOGETHER, true);
      if (!descent.exact) this.keep();
      else if (this.settle() && ++exact === ENOUGH) return;
    }
  }

  /**
   * Moves the pose `x` to the position, then turns it towards the given angles as far as the position allows. False if
   * no allowed pose results.
   */
  private turn(): boolean {
    const { descent, x } = this;
    descent.minimise(x, POSITION_ONLY);
    if (descent.positionError > this.tolerance) return false;
    this.raw.set(x);
    descent.turn(x);
    if (this.consider()) return true;
    x.set(this.raw);
    return this.consider();
  }

  /** Considers the exact pose `x`, moved closer to the seed if joints are redundant. False if it is not allowed. */
  private settle(): boolean {
    const { descent, x } = this;
    if (3 + descent.goal.given < descent.size) {
      this.raw.set(x);
      descent.near(x);
      if (this.consider()) return true;
      x.set(this.raw);
    }
    return this.consider();
  }

  /** Rates the pose `x` and stores it if it is the best so far. False if it is not allowed. */
  private consider(): boolean {
    const { rated, best } = this;
    this.rate();
    if (!this.allowed(rated.x)) {
      this.refused = Math.min(this.refused, rated.position);
      return false;
    }
    if (isBetter(rated, best, this.tolerance)) best.set(rated);
    return true;
  }

  private rate(): void {
    const { descent, x, rated, seed } = this;
    descent.measure(x);
    rated.x.set(x);
    rated.position = descent.positionError;
    rated.orientation = descent.orientationError;
    rated.distance = distance(x, seed);
  }

  /** Keeps the pose `x` if it is among the best descent ends; it replaces the worst of them. */
  private keep(): void {
    this.rate();
    let worst = this.kept[0]!;
    for (const candidate of this.kept) {
      if (remaining(candidate) > remaining(worst)) worst = candidate;
      if (candidate.position < Number.POSITIVE_INFINITY && distance(candidate.x, this.rated.x) < SAME_POSE) return;
    }
    if (remaining(this.rated) < remaining(worst)) worst.set(this.rated);
  }

  /** Made when it is first needed: an arm may never be asked for a pose. */
  private get pool(): PosePool {
    const { lower, upper } = this.descent;
    this.drawn ??= new PosePool(this.path, lower, upper, DRAWN * this.starts);
    return this.drawn;
  }

  /** Copies a random pose near the target into `x`. */
  private draw(start: number, oriented: boolean): void {
    const weights = oriented ? TOGETHER : POSITION_ONLY;
    const from = start === 0 ? 0 : DRAWN * start;
    const to = start === 0 ? DRAWN * this.starts : from + (start % 3 === 2 ? FEW : DRAWN);
    this.pool.nearest(this.descent, weights, from, to, this.x);
  }

  /**
   * Finds the nearest allowed pose to a position that no allowed pose reaches, into `best`. From the nearest known
   * pose, the tool moves towards the position, or sideways if that direction is blocked, in shrinking steps.
   */
  private approach(position: Vector3, angles: AngleTargets, init: Rotation): void {
    const { descent, x, best } = this;
    x.set(this.seed);
    this.consider();
    if (this.pool.nearestAllowed(descent, (pose) => this.allowed(pose), x)) this.consider();
    if (best.position === Number.POSITIVE_INFINITY) {
      best.x.set(this.seed);
      return;
    }
    const asked = [position.x, position.y, position.z];
    let here = [...descent.measure(best.x).subarray(0, 3)];
    let left = distance(here, asked);
    let step = left / 2;
    for (let probe = 0, way = 0; probe < PROBES && step > RESOLUTION && left > this.tolerance; way++) {
      if (way === WAYS.length) {
        way = 0;
        step /= 2;
      }
      const there = here.map((value, i) =>
        way === 0 ? value + Math.min(1, step / left) * (asked[i]! - value) : value + step * WAYS[way]![i]!,
      );
      if (distance(there, asked) > left - RESOLUTION / 10) continue;
      probe++;
      descent.aim({ x: there[0]!, y: there[1]!, z: there[2]! }, this.seed, ALL_FREE, init);
      x.set(best.x);
      if (!this.probe()) {
        this.draw(probe % this.starts, false);
        if (!this.probe()) continue;
      }
      best.x.set(x);
      here = there;
      left = distance(here, asked);
      way = -1;
    }
    descent.aim({ x: here[0]!, y: here[1]!, z: here[2]! }, this.seed, angles, init);
    x.set(best.x);
    best.clear();
    this.consider();
    if (descent.goal.given > 0) this.turn();
  }

  /** Whether a descent from `x` reaches the position with an allowed pose. */
  private probe(): boolean {
    this.descent.minimise(this.x, POSITION_ONLY);
    return this.descent.positionError <= this.tolerance && this.allowed(this.x);
  }

  /** Whether `accept` allows the positions `x` of the joints that move the tool. */
  private allowed(x: Float64Array): boolean {
    if (this.accept === null) return true;
    for (const [at, joint] of this.active.entries()) this.whole[joint] = x[at]!;
    return this.accept(this.whole);
  }
}

/** Remaining weighted error of position and orientation. */
function remaining(candidate: Candidate): number {
  return TOGETHER.position * candidate.position + candidate.orientation;
}

/** Euclidean distance. */
function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let square = 0;
  for (let i = 0; i < a.length; i++) square += (a[i]! - b[i]!) ** 2;
  return Math.sqrt(square);
}

function isBetter(a: Candidate, b: Candidate, tolerance: number): boolean {
  const reached = a.position <= tolerance;
  if (reached !== b.position <= tolerance) return reached;
  if (!reached && Math.abs(a.position - b.position) > tolerance) return a.position < b.position;
  if (Math.abs(a.orientation - b.orientation) > SAME_ORIENTATION) return a.orientation < b.orientation;
  return a.distance < b.distance;
}
