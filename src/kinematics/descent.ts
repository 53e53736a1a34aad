/**
 * Local minimisation of the tool's distance from a target, within joint limits.
 *
 * Levenberg-Marquardt with an active set of joint limits (J. J. Moré, "The Levenberg-Marquardt algorithm:
 * implementation and theory", 1978; limits by gradient projection). If the target stays out of reach, the exact second
 * derivatives of the position replace the approximation, because convergence would otherwise take about a hundred
 * steps.
 */

import { type AngleTargets, OrientationGoal } from './angles.ts';
import { identityRotation, type Rotation, type Vector3 } from './frames.ts';
import type { ToolPath } from './tool-path.ts';

/** Weights of position (per m), orientation (per rad) and distance from the seed (per rad). */
export interface Weights {
  readonly position: number;
  readonly orientation: number;
  readonly nearness: number;
}

/** One radian weighs as much as 10 cm; for targets where both errors can reach 0 together. */
export const TOGETHER: Weights = { position: 10, orientation: 1, nearness: 0 };
export const POSITION_ONLY: Weights = { position: 10, orientation: 0, nearness: 0 };
/** For steps that keep the position, to first order. */
const ORIENTATION_FREE: Weights = { position: 1e4, orientation: 1, nearness: 0 };
/** For steps that keep position and orientation, to first order. */
const NEARNESS_FREE: Weights = { position: 1e4, orientation: 1e3, nearness: 1 };

/** Errors below which a pose counts as exact: m and rad. */
export const EXACT_POSITION = 1e-7;
export const EXACT_ORIENTATION = 1e-6;

const ITERATIONS = 60;
/** Longest step of one joint per iteration (rad), so that the search stays near its start. */
const LONGEST_STEP = 0.7;
/** The descent ends once a step predicts to remove less than this share of the cost. */
const ENDED = 1e-9;
/** As `ENDED`, if only exact solutions count: near one, a step predicts to remove nearly all of the cost. */
const HOPELESS = 1e-3;
/** Second derivatives are worth their time if a full step removes less than this share of the cost. */
const CURVED = 0.5;
/** Steps of `slide`, iterations back to the target after each step, and smallest gain of a step to continue (rad). */
const SLIDES = 20;
const WAY_BACK = 8;
const LEAST_TURN = 1e-4;
const LEAST_NEARING = 1e-3;

export class Descent {
  /** Number of joints. */
  readonly size: number;
  /** Joint limits, rad or m. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** The wanted orientations. */
  readonly goal = new OrientationGoal({ pitch: null, yaw: null, roll: null }, identityRotation());
  /** Distance from the target (m), and of the orientation from the goal (rad), at the end of the last method call. */
  positionError = 0;
  orientationError = 0;

  private readonly path: ToolPath;
  /** Wanted position, m. */
  readonly target = new Float64Array(3);
  private readonly seed: Float64Array;
  private readonly pose = new Float64Array(12);
  private readonly rotation: Rotation;
  private readonly jacobian: Float64Array;
  private readonly gradient: Float64Array;
  private readonly hessian: Float64Array;
  private readonly factor: Float64Array;
  private readonly step: Float64Array;
  private readonly frozen: Uint8Array;
  private readonly trial: Float64Array;
  private readonly slid: Float64Array;

  /**
   * @param path its joints are all varied
   * @param lower lowest positions (rad or m), finite
   * @param upper highest positions (rad or m), finite
   */
  constructor(path: ToolPath, lower: Float64Array, upper: Float64Array) {
    const n = path.size;
    this.path = path;
    this.size = n;
    this.lower = lower;
    this.upper = upper;
    this.rotation = this.pose.subarray(3);
    this.seed = new Float64Array(n);
    this.jacobian = new Float64Array(6 * n);
    this.gradient = new Float64Array(n);
    this.hessian = new Float64Array(n * n);
    this.factor = new Float64Array(n * n);
    this.step = new Float64Array(n);
    this.frozen = new Uint8Array(n);
    this.trial = new Float64Array(n);
    this.slid = new Float64Array(n);
  }

  /**
   * Sets the target.
   *
   * @param position wanted position of the tool, m
   * @param seed positions (size) from which nearness is measured
   * @param angles wanted angles, rad, null where free
   * @param init orientation of the tool where all angles are zero
   */
  aim(position: Vector3, seed: Float64Array, angles: AngleTargets, init: Rotation): void {
    this.target[0] = position.x;
    this.target[1] = position.y;
    this.target[2] = position.z;
    this.seed.set(seed);
    this.goal.aim(angles, init);
  }

  /** Position and rotation (12 numbers, as `ToolPath.forward` gives them) of the tool at `x`; updates the errors. */
  measure(x: Float64Array): Float64Array {
    this.cost(x, TOGETHER);
    return this.pose;
  }

  /** Whether the last method call ended on the target. */
  get exact(): boolean {
    return this.positionError <= EXACT_POSITION && this.orientationError <= EXACT_ORIENTATION;
  }

  /** Clamps joints to their limits. */
  clamp(x: Float64Array): void {
    for (let i = 0; i < this.size; i++) x[i] = Math.min(this.upper[i]!, Math.max(this.lower[i]!, x[i]!));
  }

  /**
   * Minimises from `x`, in place, to a local minimum within the limits.
   *
   * @param exactOnly give up as soon as the descent evidently does not end on the target
   * @param iterations maximum number of steps
   */
  minimise(x: Float64Array, weights: Weights, exactOnly = false, iterations = ITERATIONS): void {
    const { size: n, trial, step, gradient, hessian } = this;
    const { position: wp, orientation: wo } = weights;
    const enough = exactOnly ? HOPELESS : ENDED;
    let cost = this.cost(x, weights);
    let positionError = this.positionError;
    let orientationError = this.orientationError;
    let damping = -1;
    let curved = false;
    for (let iteration = 0; iteration < iterations; iteration++) {
      if (positionError <= EXACT_POSITION && (wo === 0 || orientationError <= EXACT_ORIENTATION)) break;
      this.linearise(x, weights);
      if (curved) this.bend(wp);
      if (damping < 0) damping = 1e-4 * this.largest();
      let better = false;
      let promised = 0;
      let scale = 1;
      while (!better && damping < 1e8 * wp * wp) {
        this.freeze(x);
        if (!this.solveWithin(x, damping)) {
          damping = Math.max(10 * damping, 1e-6 * wp * wp);
          continue;
        }
        const longest = this.longestStep();
        if (longest < 1e-11) break;
        promised = 0;
        for (let i = 0; i < n; i++) {
          let row = 0;
          for (let j = 0; j < n; j++) row += hessian[i * n + j]! * step[j]!;
          promised += step[i]! * (gradient[i]! - row / 2);
        }
        if (promised < enough * cost && !(exactOnly && longest > LONGEST_STEP)) break;
        scale = longest > LONGEST_STEP ? LONGEST_STEP / longest : 1;
        for (let i = 0; i < n; i++) trial[i] = x[i]! + scale * step[i]!;
        this.clamp(trial);
        const next = this.cost(trial, weights);
        better = next < cost;
        if (better) {
          curved = !exactOnly && wo === 0 && scale === 1 && cost - next < CURVED * cost;
          cost = next;
          damping /= 5;
        } else {
          damping *= 6;
        }
      }
      if (!better) break;
      x.set(trial);
      positionError = this.positionError;
      orientationError = this.orientationError;
    }
    this.positionError = positionError;
    this.orientationError = orientationError;
  }

  /** Improves the orientation, in place, from an `x` at the target, and keeps the position. */
  turn(x: Float64Array): void {
    this.slide(x, POSITION_ONLY, ORIENTATION_FREE);
  }

  /** Moves `x`, which is at the target, closer to the seed, in place, and keeps the target. */
  near(x: Float64Array): void {
    this.slide(x, this.goal.given > 0 ? TOGETHER : POSITION_ONLY, NEARNESS_FREE);
  }

  /**
   * Takes steps that keep the target to first order, and after each returns to it by the shortest way. A descent with
   * large weights would have to follow a curved valley in tiny steps.
   */
  private slide(x: Float64Array, held: Weights, wanted: Weights): void {
    const { size: n, slid, step } = this;
    let away = this.away(x, wanted);
    const leastGain = wanted.nearness > 0 ? LEAST_NEARING : LEAST_TURN;
    let damping = 1e-3;
    for (let slide = 0; slide < SLIDES; slide++) {
      this.cost(x, wanted);
      this.linearise(x, wanted);
      this.frozen.fill(0);
      if (!this.solveWithin(x, damping)) {
        damping *= 10;
        continue;
      }
      const longest = this.longestStep();
      const scale = longest > LONGEST_STEP ? LONGEST_STEP / longest : 1;
      for (let i = 0; i < n; i++) slid[i] = x[i]! + scale * step[i]!;
      this.clamp(slid);
      this.minimise(slid, held, true, WAY_BACK);
      const gain = this.positionError <= 10 * EXACT_POSITION ? away - this.away(slid, wanted) : -1;
      if (gain > 0) {
        x.set(slid);
        away -= gain;
        damping /= 5;
      } else {
        damping *= 10;
      }
      if (longest < leastGain || (gain > 0 && gain < leastGain) || damping > 1e4) break;
    }
    this.cost(x, TOGETHER);
  }

  /** The value that `slide` reduces: orientation error or distance from the seed, rad. */
  private away(x: Float64Array, wanted: Weights): number {
    if (wanted.nearness === 0) {
      this.cost(x, TOGETHER);
      return this.orientationError;
    }
    let square = 0;
    for (let i = 0; i < this.size; i++) square += (x[i]! - this.seed[i]!) ** 2;
    return Math.sqrt(square);
  }

  /** Half the weighted sum of squares; leaves path, errors and orientation goal evaluated at `x`. */
  private cost(x: Float64Array, { position, orientation, nearness }: Weights): number {
    const { pose, target, goal } = this;
    this.path.forward(x, pose);
    const ex = target[0]! - pose[0]!;
    const ey = target[1]! - pose[1]!;
    const ez = target[2]! - pose[2]!;
    const square = ex * ex + ey * ey + ez * ez;
    this.positionError = Math.sqrt(square);
    let sum = position * position * square;
    if (orientation > 0 && goal.given > 0) {
      goal.evaluate(this.rotation);
      this.orientationError = goal.angle;
      sum += orientation * orientation * goal.angle * goal.angle;
    } else {
      this.orientationError = 0;
    }
    if (nearness > 0) {
      for (let i = 0; i < this.size; i++) {
        const away = nearness * (x[i]! - this.seed[i]!);
        sum += away * away;
      }
    }
    return sum / 2;
  }

  /** Negative gradient and Gauss-Newton Hessian at `x`, where `cost` must have been evaluated last. */
  private linearise(x: Float64Array, weights: Weights): void {
    const { size: n, pose, jacobian, gradient, hessian, goal, target } = this;
    this.path.jacobian(jacobian);
    const wp = weights.position * weights.position;
    const wo = goal.given > 0 ? weights.orientation * weights.orientation : 0;
    const wn = weights.nearness * weights.nearness;
    const ex = target[0]! - pose[0]!;
    const ey = target[1]! - pose[1]!;
    const ez = target[2]! - pose[2]!;
    const p = goal.normal;
    const c = goal.correction;
    for (let i = 0; i < n; i++) {
      const ax = jacobian[i]!;
      const ay = jacobian[n + i]!;
      const az = jacobian[2 * n + i]!;
      gradient[i] = wp * (ax * ex + ay * ey + az * ez) + wn * (this.seed[i]! - x[i]!);
      for (let j = 0; j <= i; j++) {
        const value = wp * (ax * jacobian[j]! + ay * jacobian[n + j]! + az * jacobian[2 * n + j]!);
        hessian[i * n + j] = value;
        hessian[j * n + i] = value;
      }
      hessian[i * n + i] = hessian[i * n + i]! + wn;
    }
    if (wo === 0) return;
    for (let i = 0; i < n; i++) {
      const bx = jacobian[3 * n + i]!;
      const by = jacobian[4 * n + i]!;
      const bz = jacobian[5 * n + i]!;
      gradient[i] = gradient[i]! + wo * (bx * c[0]! + by * c[1]! + bz * c[2]!);
      const px = wo * (p[0]! * bx + p[1]! * by + p[2]! * bz);
      const py = wo * (p[3]! * bx + p[4]! * by + p[5]! * bz);
      const pz = wo * (p[6]! * bx + p[7]! * by + p[8]! * bz);
      for (let j = 0; j <= i; j++) {
        const value = px * jacobian[3 * n + j]! + py * jacobian[4 * n + j]! + pz * jacobian[5 * n + j]!;
        hessian[i * n + j] = hessian[i * n + j]! + value;
        if (i !== j) hessian[j * n + i] = hessian[j * n + i]! + value;
      }
    }
  }

  /** Adds the second-order term that makes the Hessian of the position exact. */
  private bend(weight: number): void {
    const { pose, target } = this;
    this.path.addCurvature(
      target[0]! - pose[0]!,
      target[1]! - pose[1]!,
      target[2]! - pose[2]!,
      -weight * weight,
      this.hessian,
    );
  }

  private largest(): number {
    let largest = 1e-12;
    for (let i = 0; i < this.size; i++) largest = Math.max(largest, this.hessian[i * this.size + i]!);
    return largest;
  }

  /** Freezes joints that are at a limit and would move beyond it. */
  private freeze(x: Float64Array): void {
    for (let i = 0; i < this.size; i++) {
      const downhill = this.gradient[i]!;
      const out = (x[i]! <= this.lower[i]! && downhill < 0) || (x[i]! >= this.upper[i]! && downhill > 0);
      this.frozen[i] = out ? 1 : 0;
      this.step[i] = 0;
    }
  }

  /** Solves for a step within the limits: joints stop there and the others compensate. False: no such step. */
  private solveWithin(x: Float64Array, damping: number): boolean {
    if (!this.solveStep(damping)) return false;
    while (this.longestStep() <= LONGEST_STEP && this.stopAtLimits(x)) {
      if (!this.solveStep(damping)) return false;
    }
    return true;
  }

  /** Shortens the step of joints that would cross a limit, so that they end at it. False: no joint would. */
  private stopAtLimits(x: Float64Array): boolean {
    let stopped = false;
    for (let i = 0; i < this.size; i++) {
      if (this.frozen[i] === 1) continue;
      const at = x[i]! + this.step[i]!;
      const limit = Math.min(this.upper[i]!, Math.max(this.lower[i]!, at));
      if (limit === at) continue;
      this.frozen[i] = 1;
      this.step[i] = limit - x[i]!;
      stopped = true;
    }
    return stopped;
  }

  private longestStep(): number {
    let longest = 0;
    for (let i = 0; i < this.size; i++) longest = Math.max(longest, Math.abs(this.step[i]!));
    return longest;
  }

  /**
   * Solves for the step of the joints that are not frozen, given the step of the frozen ones, by Cholesky
   * factorisation. False if the matrix is not positive definite.
   */
  private solveStep(damping: number): boolean {
    const { size: n, frozen, hessian, factor, gradient, step } = this;
    for (let i = 0; i < n; i++) {
      if (frozen[i] === 1) continue;
      let right = gradient[i]!;
      for (let j = 0; j < n; j++) if (frozen[j] === 1) right -= hessian[i * n + j]! * step[j]!;
      for (let j = 0; j < i; j++) {
        if (frozen[j] === 1) continue;
        let sum = hessian[i * n + j]!;
        for (let k = 0; k < j; k++) if (frozen[k] === 0) sum -= factor[i * n + k]! * factor[j * n + k]!;
        sum /= factor[j * n + j]!;
        factor[i * n + j] = sum;
        right -= sum * step[j]!;
      }
      let diagonal = hessian[i * n + i]! + damping;
      for (let k = 0; k < i; k++) if (frozen[k] === 0) diagonal -= factor[i * n + k]! * factor[i * n + k]!;
      if (diagonal <= 0) return false;
      const root = Math.sqrt(diagonal);
      factor[i * n + i] = root;
      step[i] = right / root;
    }
    for (let i = n - 1; i >= 0; i--) {
      if (frozen[i] === 1) continue;
      let sum = step[i]!;
      for (let k = i + 1; k < n; k++) if (frozen[k] === 0) sum -= factor[k * n + i]! * step[k]!;
      step[i] = sum / factor[i * n + i]!;
    }
    return true;
  }
}
