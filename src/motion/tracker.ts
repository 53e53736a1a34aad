import type { OrientationGoal } from '../kinematics/angles.ts';
import type { Chain } from '../kinematics/chain.ts';
import type { Vector3 } from '../kinematics/frames.ts';

/** Weight of position (1/m) relative to orientation (1/rad): so large that the position is met almost exactly. */
const POSITION_WEIGHT = 3000;
/** Keeps joints still that neither position nor orientation needs; relative to orientation weight 1. */
const STILLNESS = 1e-4;
const ITERATIONS = 12;
/** Smaller steps count as converged, rad. */
const SETTLED = 1e-10;
/** Distance that joints keep from their limits, rad. */
const MARGIN = 0.002;

/**
 * Makes an arm's joints track a tool that moves in small steps: from the last pose to the nearest pose that has the new
 * position and comes as near to the new orientation as the arm can. It never leaps to another configuration, as a
 * general inverse-kinematics search would. Gauss-Newton; joints that reach a limit are held there.
 */
export class ToolTracker {
  readonly #chain: Chain;
  readonly #active: readonly number[];
  readonly #lower: Float64Array;
  readonly #upper: Float64Array;
  readonly #pose = new Float64Array(12);
  readonly #jacobian: Float64Array;
  readonly #normal: Float64Array;
  readonly #gradient: Float64Array;
  readonly #step: Float64Array;
  readonly #held: Uint8Array;

  constructor(chain: Chain) {
    const n = chain.dof;
    this.#chain = chain;
    this.#active = chain.movesTool.flatMap((moves, index) => (moves ? [index] : []));
    this.#lower = Float64Array.from(chain.limits, ({ lower }) => lower + MARGIN);
    this.#upper = Float64Array.from(chain.limits, ({ upper }) => upper - MARGIN);
    this.#jacobian = new Float64Array(6 * n);
    this.#normal = new Float64Array(n * n);
    this.#gradient = new Float64Array(n);
    this.#step = new Float64Array(n);
    this.#held = new Uint8Array(n);
  }

  /**
   * @param position of the tool, m, base frame
   * @param q joint positions, rad: start on entry, result on return
   * @returns remaining distance from the position, m
   */
  follow(position: Vector3, goal: OrientationGoal, q: Float64Array): number {
    for (let i = 0; i < ITERATIONS; i++) {
      this.#linearise(position, goal, q);
      if (this.#advance(q) < SETTLED) break;
    }
    this.#chain.forward(q, this.#pose);
    return Math.hypot(position.x - this.#pose[0]!, position.y - this.#pose[1]!, position.z - this.#pose[2]!);
  }

  #linearise(position: Vector3, goal: OrientationGoal, q: Float64Array): void {
    const n = this.#chain.dof;
    const j = this.#jacobian;
    const pose = this.#pose;
    this.#chain.forwardJacobian(q, pose, j);
    goal.evaluate(pose.subarray(3));
    const left = [position.x - pose[0]!, position.y - pose[1]!, position.z - pose[2]!];
    const { correction, normal } = goal;
    const weight = POSITION_WEIGHT * POSITION_WEIGHT;
    for (const a of this.#active) {
      let pull = 0;
      for (let row = 0; row < 3; row++) {
        pull += weight * j[row * n + a]! * left[row]! + j[(3 + row) * n + a]! * correction[row]!;
      }
      this.#gradient[a] = pull;
      for (const b of this.#active) {
        let sum = a === b ? STILLNESS : 0;
        for (let row = 0; row < 3; row++) {
          sum += weight * j[row * n + a]! * j[row * n + b]!;
          const turned = normal[3 * row]! * j[3 * n + b]! + normal[3 * row + 1]! * j[4 * n + b]!;
          sum += j[(3 + row) * n + a]! * (turned + normal[3 * row + 2]! * j[5 * n + b]!);
        }
        this.#normal[a * n + b] = sum;
      }
    }
  }

  /** One step within the limits. @returns the largest change of a joint, rad */
  #advance(q: Float64Array): number {
    this.#held.fill(0);
    for (let pass = 0; pass <= this.#active.length; pass++) {
      this.#solve();
      let met = false;
      for (const a of this.#active) {
        const at = q[a]! + this.#step[a]!;
        if (this.#held[a] === 1 || (at >= this.#lower[a]! && at <= this.#upper[a]!)) continue;
        this.#held[a] = 1;
        this.#step[a] =
          Math.min(Math.max(at, Math.min(this.#lower[a]!, q[a]!)), Math.max(this.#upper[a]!, q[a]!)) - q[a]!;
        met = true;
      }
      if (!met) break;
    }
    let most = 0;
    for (const a of this.#active) {
      q[a] = q[a]! + this.#step[a]!;
      most = Math.max(most, Math.abs(this.#step[a]!));
    }
    return most;
  }

  /** The step of the free joints, given that of the held ones: Gaussian elimination, positive definite. */
  #solve(): void {
    const n = this.#chain.dof;
    const free = this.#active.filter((a) => this.#held[a] === 0);
    const rows = free.map((a) => {
      let right = this.#gradient[a]!;
      for (const b of this.#active) if (this.#held[b] === 1) right -= this.#normal[a * n + b]! * this.#step[b]!;
      return [...free.map((b) => this.#normal[a * n + b]!), right];
    });
    const size = free.length;
    for (let k = 0; k < size; k++) {
      for (let r = k + 1; r < size; r++) {
        const share = rows[r]![k]! / rows[k]![k]!;
        for (let c = k; c <= size; c++) rows[r]![c] = rows[r]![c]! - share * rows[k]![c]!;
      }
    }
    for (let k = size - 1; k >= 0; k--) {
      let right = rows[k]![size]!;
      for (let c = k + 1; c < size; c++) right -= rows[k]![c]! * this.#step[free[c]!]!;
      this.#step[free[k]!] = right / rows[k]![k]!;
    }
  }
}
