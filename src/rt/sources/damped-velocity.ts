import type { Chain } from '../../kinematics/chain.ts';

/**
 * Length that weighs position against orientation, m: an arm of five joints cannot keep both. With 1 cm, keeping the
 * orientation moves the tool off its line by less than a thousandth of the way.
 */
const LENGTH = 0.01;
/** Squared damping: bounds the joint speeds near wrist singularities, and costs a twentieth of a rotation. */
const DAMPING = 0.05;
/**
 * Thresholds on how far 1 rad of joint motion moves the tool in its worst direction, m/rad: below SLOW, the arm slows
 * down on its way to a singularity; below HALT, it goes no further.
 */
const SLOW = 0.06;
const HALT = 0.02;
/** Look-ahead for singularities, rad. */
const PROBE = 0.01;

/** Joint speeds for a wanted tool twist, by damped least squares. Allocates nothing after construction. */
export class DampedVelocity {
  readonly #chain: Chain;
  readonly #pose = new Float64Array(12);
  readonly #twist = new Float64Array(6);
  readonly #jacobian: Float64Array;
  readonly #normal: Float64Array;
  readonly #ahead: Float64Array;

  constructor(chain: Chain) {
    this.#chain = chain;
    this.#jacobian = new Float64Array(6 * chain.dof);
    this.#normal = new Float64Array(chain.dof * chain.dof);
    this.#ahead = new Float64Array(chain.dof);
  }

  /**
   * Least squares of |W (J v - twist)|^2 + damping |v|^2 by Cholesky decomposition; joints that do not move the tool
   * get 0.
   * @param q joint positions, rad
   * @param twist linear m/s, then angular rad/s, of the tool's origin
   * @param inTool the twist is in axes of the tool, not of the base
   * @param out receives rad/s
   */
  solve(q: Float64Array, twist: Float64Array, inTool: boolean, out: Float64Array): void {
    const n = this.#chain.dof;
    const j = this.#jacobian;
    const a = this.#normal;
    const reach = this.#smallestReach(q);
    this.#turn(twist, inTool);
    for (let row = 0; row < 6; row++) {
      const weight = row < 3 ? 1 / LENGTH : 1;
      this.#twist[row] = this.#twist[row]! * weight;
      for (let c = 0; c < n; c++) j[row * n + c] = j[row * n + c]! * weight;
    }
    for (let r = 0; r < n; r++) {
      let right = 0;
      for (let row = 0; row < 6; row++) right += j[row * n + r]! * this.#twist[row]!;
      out[r] = right;
      for (let c = 0; c <= r; c++) {
        let sum = r === c ? DAMPING : 0;
        for (let row = 0; row < 6; row++) sum += j[row * n + r]! * j[row * n + c]!;
        a[r * n + c] = sum;
      }
    }
    this.#substitute(out);
    if (reach < SLOW) this.#slow(q, reach, out);
  }

  /** Slows down a motion that leads nearer to a singularity. */
  #slow(q: Float64Array, reach: number, speeds: Float64Array): void {
    let most = 0;
    for (let i = 0; i < speeds.length; i++) most = Math.max(most, Math.abs(speeds[i]!));
    if (most === 0) return;
    for (let i = 0; i < q.length; i++) this.#ahead[i] = q[i]! + (speeds[i]! * PROBE) / most;
    if (this.#smallestReach(this.#ahead) >= reach) return;
    const share = Math.max(0, (reach - HALT) / (SLOW - HALT));
    for (let i = 0; i < speeds.length; i++) speeds[i] = speeds[i]! * share;
  }

  /**
   * Smallest singular value of the linear part of the Jacobian at `q`, m/rad: the root of the smallest eigenvalue of
   * its square, in closed form (Smith 1961). Also sets `#pose` and `#jacobian` to those of `q`.
   */
  #smallestReach(q: Float64Array): number {
    const n = this.#chain.dof;
    const j = this.#jacobian;
    this.#chain.forwardJacobian(q, this.#pose, j);
    let xx = 0;
    let yy = 0;
    let zz = 0;
    let xy = 0;
    let xz = 0;
    let yz = 0;
    for (let c = 0; c < n; c++) {
      const x = j[c]!;
      const y = j[n + c]!;
      const z = j[2 * n + c]!;
      xx += x * x;
      yy += y * y;
      zz += z * z;
      xy += x * y;
      xz += x * z;
      yz += y * z;
    }
    const mean = (xx + yy + zz) / 3;
    const a = xx - mean;
    const b = yy - mean;
    const c = zz - mean;
    const spread = Math.sqrt((a * a + b * b + c * c + 2 * (xy * xy + xz * xz + yz * yz)) / 6);
    if (spread === 0) return Math.sqrt(mean);
    const determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
    const ratio = Math.min(Math.max(determinant / (2 * spread ** 3), -1), 1);
    const smallest = mean + 2 * spread * Math.cos((Math.acos(ratio) + 2 * Math.PI) / 3);
    return Math.sqrt(Math.max(0, smallest));
  }

  /** Cholesky factor of the normal matrix in place, then both substitutions. */
  #substitute(x: Float64Array): void {
    const n = this.#chain.dof;
    const a = this.#normal;
    for (let r = 0; r < n; r++) {
      for (let c = 0; c <= r; c++) {
        let sum = a[r * n + c]!;
        for (let k = 0; k < c; k++) sum -= a[r * n + k]! * a[c * n + k]!;
        a[r * n + c] = r === c ? Math.sqrt(sum) : sum / a[c * n + c]!;
      }
    }
    for (let r = 0; r < n; r++) {
      let sum = x[r]!;
      for (let k = 0; k < r; k++) sum -= a[r * n + k]! * x[k]!;
      x[r] = sum / a[r * n + r]!;
    }
    for (let r = n - 1; r >= 0; r--) {
      let sum = x[r]!;
      for (let k = r + 1; k < n; k++) sum -= a[k * n + r]! * x[k]!;
      x[r] = sum / a[r * n + r]!;
    }
  }

  #turn(twist: Float64Array, inTool: boolean): void {
    if (!inTool) {
      this.#twist.set(twist);
      return;
    }
    const pose = this.#pose;
    for (let part = 0; part < 6; part += 3) {
      for (let row = 0; row < 3; row++) {
        const r = 3 + 3 * row;
        this.#twist[part + row] =
          pose[r]! * twist[part]! + pose[r + 1]! * twist[part + 1]! + pose[r + 2]! * twist[part + 2]!;
      }
    }
  }
}
