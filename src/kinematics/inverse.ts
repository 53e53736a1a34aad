/**
 * Inverse kinematics within joint limits: position first, orientation as near as the arm can bring it.
 *
 * Levenberg-Marquardt with an active set of joint limits (J. J. Moré, "The Levenberg-Marquardt algorithm: implementation
 * and theory", 1978; limits by gradient projection), started from the seed and then from the best of random poses.
 * Orientation counts as distance to the set of orientations that have the given angles. Where that distance cannot become
 * 0, position is weighted up until orientation only uses what position leaves free.
 */

import { type AngleTargets, OrientationGoal } from './angles.ts';
import type { Chain } from './chain.ts';
import { identityRotation, type Quaternion, rotationFromQuaternion, type Vector3 } from './frames.ts';

export interface InverseTarget {
  /** Position of the tool in the base frame, m. */
  readonly position: Vector3;
  /** Given angles (rad, null where free) against the orientation of the tool where all are zero; left out: all free. */
  readonly orientation?: AngleTargets & { readonly init: Quaternion };
}

export interface InverseResult {
  /** Positions of all joints; those that do not move the tool are the seed's. */
  readonly q: Float64Array;
  /** The position is reached within the tolerance by a pose that `accept` allows. */
  readonly reachable: boolean;
  /** Distance of the tool from the asked position, m. */
  readonly positionError: number;
  /** Smallest rotation to an orientation that has the given angles, rad; 0 when all are free. */
  readonly orientationError: number;
  /** Where `q` brings the tool: the asked position, or the nearest that was found. */
  readonly position: Vector3;
}

export interface InverseOptions {
  /** Distance (m) within which a position counts as reached. */
  readonly tolerance?: number;
  /** Distance (rad or m) that solutions keep from the joint limits. */
  readonly margin?: number;
  /** Starts: the seed, then random ones. */
  readonly starts?: number;
  /** Says whether a pose may be a solution, e.g. free of collision. */
  readonly accept?: (q: Float64Array) => boolean;
}

/** How strongly position (per m), orientation (per rad) and nearness to the seed (per rad) count. */
interface Weights {
  readonly position: number;
  readonly orientation: number;
  readonly nearness: number;
}

/** One radian weighs as much as 10 cm: both shrink together while both can become 0. */
const TOGETHER: Weights = { position: 10, orientation: 1, nearness: 0 };
const POSITION_ONLY: Weights = { position: 10, orientation: 0, nearness: 0 };
/** Orientation uses what position leaves free; in two steps, as the valley is narrow. */
const POSITION_FIRST: readonly Weights[] = [
  { position: 100, orientation: 1, nearness: 0 },
  { position: 1000, orientation: 1, nearness: 0 },
];
/** Nearness to the seed uses what position and orientation leave free. */
const NEAR_SEED: Weights = { position: 1000, orientation: 100, nearness: 0.1 };

const ITERATIONS = 80;
/** Longest step of one joint in one iteration (rad), so that the search stays near where it started. */
const LONGEST_STEP = 0.5;
/**
 * How many random poses a start is the best of, and whether orientation counts in that. Many begin near the target, few
 * begin in places from where the way down is another one.
 */
const DRAWS = [
  { samples: 30, oriented: true },
  { samples: 8, oriented: true },
  { samples: 2, oriented: false },
] as const;
/** Errors below which a solution is as good as exact: m and rad. */
const EXACT_POSITION = 1e-6;
const EXACT_ORIENTATION = 1e-5;
/** Orientation errors that differ less count as the same, rad. */
const SAME_ORIENTATION = 1e-3;
/** A solution found from the seed and this near to it is taken without looking for nearer ones, rad. */
const NEAR = 1;
/** Exact solutions from random starts that are compared for nearness. */
const ENOUGH = 3;
/** Starts after which a position that none has reached counts as unreachable. */
const HOPELESS = 24;
/** Halvings of the way to a forbidden position in search of the last allowed one. */
const HALVINGS = 7;

/** Solves for one chain. Owns scratch memory: one solver serves one thread. Equal inputs give equal results. */
export class InverseKinematics {
  private readonly chain: Chain;
  private readonly tolerance: number;
  private readonly starts: number;
  private readonly accept: (q: Float64Array) => boolean;
  /** Joints that move the tool. */
  private readonly active: readonly number[];
  private readonly lower: Float64Array;
  private readonly upper: Float64Array;

  private readonly pose = new Float64Array(12);
  private readonly rotation: Float64Array;
  private readonly jacobian: Float64Array;
  private readonly gradient: Float64Array;
  private readonly hessian: Float64Array;
  private readonly factor: Float64Array;
  private readonly step: Float64Array;
  private readonly frozen: Uint8Array;
  private readonly trial: Float64Array;
  private readonly sample: Float64Array;
  private readonly seed: Float64Array;
  private readonly start: Float64Array;

  private target: Vector3 = { x: 0, y: 0, z: 0 };
  private goal = new OrientationGoal({ pitch: null, yaw: null, roll: null }, identityRotation());
  private positionError = 0;
  private random = 0;

  /** @param chain the arm; its joints need finite limits where they move the tool, else they are kept within a turn */
  constructor(chain: Chain, options: InverseOptions = {}) {
    this.chain = chain;
    this.tolerance = options.tolerance ?? 1e-4;
    this.starts = options.starts ?? 40;
    this.accept = options.accept ?? (() => true);
    const margin = options.margin ?? 0.002;
    const n = chain.dof;
    this.active = chain.movesTool.flatMap((moves, index) => (moves ? [index] : []));
    this.lower = Float64Array.from(chain.limits, ({ lower }) => Math.max(lower + margin, -Math.PI));
    this.upper = Float64Array.from(chain.limits, ({ upper }) => Math.min(upper - margin, Math.PI));
    this.rotation = this.pose.subarray(3);
    this.jacobian = new Float64Array(6 * n);
    this.gradient = new Float64Array(n);
    this.hessian = new Float64Array(n * n);
    this.factor = new Float64Array(n * n);
    this.step = new Float64Array(n);
    this.frozen = new Uint8Array(n);
    this.trial = new Float64Array(n);
    this.sample = new Float64Array(n);
    this.seed = new Float64Array(n);
    this.start = new Float64Array(n);
  }

  /**
   * Joint positions that bring the tool to a target.
   *
   * Prefers, in this order: the asked position, the smallest orientation error, nearness to the seed.
   *
   * @param target where the tool shall be
   * @param seed present positions of all joints (dof)
   * @param out receives the solution (dof); made when left out
   */
  solve(
    target: InverseTarget,
    seed: Float64Array,
    out: Float64Array = new Float64Array(this.chain.dof),
  ): InverseResult {
    const init = target.orientation ? rotationFromQuaternion(target.orientation.init) : identityRotation();
    this.goal = new OrientationGoal(target.orientation ?? { pitch: null, yaw: null, roll: null }, init);
    const best = this.search(target.position, seed, this.starts);
    if (best.reachable || !best.forbidden) return this.finish(target.position, best.q, best.reachable, out);
    return this.finish(target.position, this.approach(target.position, seed), false, out);
  }

  /** The best pose of several starts. `forbidden`: the position was reached, but by no pose that is allowed. */
  private search(
    position: Vector3,
    seed: Float64Array,
    starts: number,
  ): { q: Float64Array; reachable: boolean; forbidden: boolean } {
    this.target = position;
    this.random = 0x9e3779b9;
    this.seed.set(seed);
    const redundant = 3 + this.goal.given < this.active.length;
    let best: Candidate | null = null;
    let forbidden = false;
    let exact = 0;
    for (let start = 0; start < starts; start++) {
      const q = seed.slice();
      if (start > 0) this.drawStart(q, DRAWS[start % DRAWS.length]!);
      else this.clamp(q);
      this.descend(q);
      let candidate = this.rate(q, seed);
      if (redundant) {
        const settled = q.slice();
        this.minimise(settled, NEAR_SEED);
        this.minimise(settled, this.goal.given > 0 ? TOGETHER : POSITION_ONLY);
        const near = this.rate(settled, seed);
        if (near.allowed && isBetter(near, candidate, this.tolerance)) candidate = near;
      }
      if (!candidate.allowed) {
        forbidden ||= candidate.position <= this.tolerance;
        continue;
      }
      if (best === null || isBetter(candidate, best, this.tolerance)) best = candidate;
      if (candidate.position <= EXACT_POSITION && candidate.orientation <= EXACT_ORIENTATION) {
        exact++;
        if (start === 0 && candidate.distance <= NEAR) break;
        if (exact >= ENOUGH) break;
      }
      if (start >= HOPELESS && best.position > this.tolerance && !forbidden) break;
    }
    if (best === null) return { q: seed.slice(), reachable: false, forbidden };
    const reachable = best.position <= this.tolerance;
    return { q: best.q, reachable, forbidden: forbidden && !reachable };
  }

  /** The last allowed pose on the straight way of the tool from the seed to a position that no allowed pose reaches. */
  private approach(position: Vector3, seed: Float64Array): Float64Array {
    this.chain.forward(seed, this.pose);
    const [x, y, z] = this.pose;
    let q: Float64Array = seed.slice();
    let free = 0;
    let blocked = 1;
    for (let i = 0; i < HALVINGS; i++) {
      const part = (free + blocked) / 2;
      const between = {
        x: x! + part * (position.x - x!),
        y: y! + part * (position.y - y!),
        z: z! + part * (position.z - z!),
      };
      const found = this.search(between, seed, Math.min(6, this.starts));
      if (found.reachable) {
        free = part;
        q = found.q;
      } else {
        blocked = part;
      }
    }
    return q;
  }

  private finish(position: Vector3, q: Float64Array, reachable: boolean, out: Float64Array): InverseResult {
    this.target = position;
    const { orientation, position: error } = this.rate(q, q);
    out.set(q);
    return {
      q: out,
      reachable,
      positionError: error,
      orientationError: orientation,
      position: { x: this.pose[0]!, y: this.pose[1]!, z: this.pose[2]! },
    };
  }

  /** Goes down from `q` to a pose with the smallest position error and, with that, a small orientation error. */
  private descend(q: Float64Array): void {
    if (this.goal.given === 0) {
      this.minimise(q, POSITION_ONLY);
      return;
    }
    this.start.set(q);
    this.minimise(q, TOGETHER);
    this.cost(q, TOGETHER);
    if (this.positionError <= EXACT_POSITION && this.goal.angle <= EXACT_ORIENTATION) return;
    this.refine(q);
    if (this.positionError <= this.tolerance) return;
    // Orientation has led where position cannot follow.
    q.set(this.start);
    this.minimise(q, POSITION_ONLY);
    this.refine(q);
  }

  /** Improves the orientation by what position leaves free. */
  private refine(q: Float64Array): void {
    for (const weights of POSITION_FIRST) this.minimise(q, weights);
    // The weights leave some micrometres; the shortest step that removes them changes the orientation as little.
    this.minimise(q, POSITION_ONLY);
    this.cost(q, POSITION_ONLY);
  }

  private rate(q: Float64Array, seed: Float64Array): Candidate {
    this.cost(q, TOGETHER);
    let square = 0;
    for (const joint of this.active) square += (q[joint]! - seed[joint]!) ** 2;
    return {
      q,
      position: this.positionError,
      orientation: this.goal.angle,
      distance: Math.sqrt(square),
      allowed: this.accept(q),
    };
  }

  /** The best of some random poses. */
  private drawStart(q: Float64Array, { samples, oriented }: (typeof DRAWS)[number]): void {
    const { sample } = this;
    const weights = this.goal.given > 0 && oriented ? TOGETHER : POSITION_ONLY;
    let least = Number.POSITIVE_INFINITY;
    sample.set(q);
    for (let i = 0; i < samples; i++) {
      for (const joint of this.active) {
        sample[joint] = this.lower[joint]! + this.draw() * (this.upper[joint]! - this.lower[joint]!);
      }
      const cost = this.cost(sample, weights);
      if (cost < least) {
        least = cost;
        q.set(sample);
      }
    }
  }

  /** Evenly distributed in 0..1: the generator mulberry32, begun anew for each search. */
  private draw(): number {
    this.random = (this.random + 0x6d2b79f5) | 0;
    let t = Math.imul(this.random ^ (this.random >>> 15), this.random | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  private clamp(q: Float64Array): void {
    for (const joint of this.active) q[joint] = Math.min(this.upper[joint]!, Math.max(this.lower[joint]!, q[joint]!));
  }

  /** Half the sum of squares; leaves tool pose, position error and orientation goal evaluated at `q`. */
  private cost(q: Float64Array, weights: Weights): number {
    this.chain.forward(q, this.pose);
    return this.costHere(q, weights);
  }

  private costHere(q: Float64Array, weights: Weights): number {
    const { pose, target, goal } = this;
    const x = target.x - pose[0]!;
    const y = target.y - pose[1]!;
    const z = target.z - pose[2]!;
    const square = x * x + y * y + z * z;
    this.positionError = Math.sqrt(square);
    goal.evaluate(this.rotation);
    let sum = weights.position * weights.position * square;
    sum += weights.orientation * weights.orientation * goal.angle * goal.angle;
    if (weights.nearness > 0) {
      for (const joint of this.active) {
        const away = weights.nearness * (q[joint]! - this.seed[joint]!);
        sum += away * away;
      }
    }
    return sum / 2;
  }

  /** Goes down from `q`, in place, to a local minimum within the limits. */
  private minimise(q: Float64Array, weights: Weights): void {
    const { active, trial } = this;
    let cost = this.linearise(q, weights);
    let largest = 1e-12;
    for (const joint of active) largest = Math.max(largest, this.hessian[joint * this.chain.dof + joint]!);
    let damping = 1e-4 * largest;
    for (let iteration = 0; iteration < ITERATIONS; iteration++) {
      this.freeze(q);
      if (!this.solveStep(damping)) {
        damping *= 10;
        continue;
      }
      let longest = this.longestStep();
      while (longest <= LONGEST_STEP && this.stopAtLimits(q)) {
        if (!this.solveStep(damping)) break;
        longest = this.longestStep();
      }
      if (longest < 1e-11) return;
      const scale = longest > LONGEST_STEP ? LONGEST_STEP / longest : 1;
      trial.set(q);
      for (const joint of active) trial[joint] = q[joint]! + scale * this.step[joint]!;
      this.clamp(trial);
      const next = this.cost(trial, weights);
      if (next < cost) {
        q.set(trial);
        const gain = cost - next;
        cost = this.linearise(q, weights);
        damping = Math.max(damping / 5, 1e-12 * largest);
        if (gain < 1e-14 * (cost + 1e-16) && scale === 1) return;
      } else {
        damping *= 6;
        if (damping > 1e8 * largest) return;
      }
    }
  }

  /** Gradient (downhill) and Gauss-Newton Hessian at `q`; returns the cost. */
  private linearise(q: Float64Array, weights: Weights): number {
    const { chain, active, pose, jacobian, gradient, hessian, goal, target } = this;
    const n = chain.dof;
    chain.forwardJacobian(q, pose, jacobian);
    const cost = this.costHere(q, weights);
    const wp = weights.position * weights.position;
    const wo = weights.orientation * weights.orientation;
    const wn = weights.nearness * weights.nearness;
    const x = target.x - pose[0]!;
    const y = target.y - pose[1]!;
    const z = target.z - pose[2]!;
    const p = goal.normal;
    const c = goal.correction;
    for (const i of active) {
      const ax = jacobian[i]!;
      const ay = jacobian[n + i]!;
      const az = jacobian[2 * n + i]!;
      const bx = jacobian[3 * n + i]!;
      const by = jacobian[4 * n + i]!;
      const bz = jacobian[5 * n + i]!;
      const px = p[0]! * bx + p[1]! * by + p[2]! * bz;
      const py = p[3]! * bx + p[4]! * by + p[5]! * bz;
      const pz = p[6]! * bx + p[7]! * by + p[8]! * bz;
      gradient[i] =
        wp * (ax * x + ay * y + az * z) + wo * (bx * c[0]! + by * c[1]! + bz * c[2]!) + wn * (this.seed[i]! - q[i]!);
      for (const j of active) {
        if (j > i) break;
        const linear = ax * jacobian[j]! + ay * jacobian[n + j]! + az * jacobian[2 * n + j]!;
        const angular = px * jacobian[3 * n + j]! + py * jacobian[4 * n + j]! + pz * jacobian[5 * n + j]!;
        const value = wp * linear + wo * angular + (i === j ? wn : 0);
        hessian[i * n + j] = value;
        hessian[j * n + i] = value;
      }
    }
    return cost;
  }

  /** Keeps joints that stand at a limit and would go beyond it where they are. */
  private freeze(q: Float64Array): void {
    for (const joint of this.active) {
      const downhill = this.gradient[joint]!;
      const out =
        (q[joint]! <= this.lower[joint]! && downhill < 0) || (q[joint]! >= this.upper[joint]! && downhill > 0);
      this.frozen[joint] = out ? 1 : 0;
      this.step[joint] = 0;
    }
  }

  /** Lets joints whose step crosses a limit go just to the limit; false when none does. The others make up for it. */
  private stopAtLimits(q: Float64Array): boolean {
    let stopped = false;
    for (const joint of this.active) {
      if (this.frozen[joint] === 1) continue;
      const at = q[joint]! + this.step[joint]!;
      const limit = Math.min(this.upper[joint]!, Math.max(this.lower[joint]!, at));
      if (limit === at) continue;
      this.frozen[joint] = 1;
      this.step[joint] = limit - q[joint]!;
      stopped = true;
    }
    return stopped;
  }

  private longestStep(): number {
    let longest = 0;
    for (const joint of this.active) longest = Math.max(longest, Math.abs(this.step[joint]!));
    return longest;
  }

  /** Step of the joints that are not frozen, given the step of those that are, by Cholesky factorisation; false when it is not positive definite. */
  private solveStep(damping: number): boolean {
    const { active, frozen, hessian, factor, gradient, step } = this;
    const n = this.chain.dof;
    for (const i of active) {
      if (frozen[i] === 1) continue;
      let right = gradient[i]!;
      for (const j of active) if (frozen[j] === 1) right -= hessian[i * n + j]! * step[j]!;
      for (const j of active) {
        if (j > i) break;
        if (frozen[j] === 1) continue;
        let sum = hessian[i * n + j]! + (i === j ? damping : 0);
        for (const k of active) {
          if (k >= j) break;
          if (frozen[k] === 0) sum -= factor[i * n + k]! * factor[j * n + k]!;
        }
        if (i !== j) {
          factor[i * n + j] = sum / factor[j * n + j]!;
          right -= factor[i * n + j]! * step[j]!;
        } else {
          if (sum <= 0) return false;
          factor[i * n + i] = Math.sqrt(sum);
        }
      }
      step[i] = right / factor[i * n + i]!;
    }
    for (let at = active.length - 1; at >= 0; at--) {
      const i = active[at]!;
      if (frozen[i] === 1) continue;
      let sum = step[i]!;
      for (let below = at + 1; below < active.length; below++) {
        const k = active[below]!;
        if (frozen[k] === 0) sum -= factor[k * n + i]! * step[k]!;
      }
      step[i] = sum / factor[i * n + i]!;
    }
    return true;
  }
}

interface Candidate {
  readonly q: Float64Array;
  readonly position: number;
  readonly orientation: number;
  /** From the seed: root of the sum of squares over the joints that move the tool. */
  readonly distance: number;
  readonly allowed: boolean;
}

function isBetter(a: Candidate, b: Candidate, tolerance: number): boolean {
  if (a.allowed !== b.allowed) return a.allowed;
  const aReached = a.position <= tolerance;
  if (aReached !== b.position <= tolerance) return aReached;
  if (!aReached && Math.abs(a.position - b.position) > tolerance) return a.position < b.position;
  if (Math.abs(a.orientation - b.orientation) > SAME_ORIENTATION) return a.orientation < b.orientation;
  return a.distance < b.distance;
}
