/** Largest speeds (rad/s) and accelerations (rad/s^2), one element per joint. */
export interface TimingLimits {
  readonly velocity: Float64Array;
  readonly acceleration: Float64Array;
}

/** When a path passes its poses (s after the start), and how fast: rad/s, one row per pose. */
export interface PathTiming {
  readonly times: Float64Array;
  readonly velocities: Float64Array;
}

/** Bisection steps in the search for a pose's largest speed; each doubles the precision. */
const HALVINGS = 50;

/**
 * Time-optimal timing of a path from rest to rest within velocity and acceleration limits: TOPP-RA (H. Pham and Q.-C.
 * Pham, "A new approach to time-optimal path parameterization based on reachability analysis", 2018). The backward pass
 * finds the largest speeds from which the arm can still brake. The forward pass accelerates as much as these allow.
 *
 * @param poses at least three poses at equal distances along the path, row by row, rad
 */
export function timePath(poses: Float64Array, limits: TimingLimits): PathTiming {
  const joints = limits.velocity.length;
  const count = poses.length / joints;
  const { slope, curve } = derivatives(poses, joints);
  const rows = new Rows(slope, curve, limits);
  // Upper bounds of the squared path speed, in (poses per second)^2. The derivative of the squared speed along the path
  // is twice the path acceleration.
  const most = new Float64Array(count);
  for (let k = count - 2; k > 0; k--) {
    const top = rows.topSquare(k);
    most[k] = largest(top, (square) => rows.accelerations(k, square, most[k + 1]!));
  }
  const times = new Float64Array(count);
  const velocities = new Float64Array(poses.length);
  let square = 0;
  for (let k = 0; k < count - 1; k++) {
    rows.accelerations(k, square, most[k + 1]!);
    const next = Math.min(Math.max(square + 2 * rows.upper, 0), most[k + 1]!);
    times[k + 1] = times[k]! + 2 / (Math.sqrt(square) + Math.sqrt(next));
    square = next;
    for (let i = 0; i < joints; i++) {
      const at = (k + 1) * joints + i;
      velocities[at] = slope[at]! * Math.sqrt(square);
    }
  }
  return { times, velocities };
}

/** The largest possible value up to `top`, given that every value below a possible one is possible. */
function largest(top: number, possible: (value: number) => boolean): number {
  if (possible(top)) return top;
  let good = 0;
  let bad = top;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (good + bad) / 2;
    if (possible(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

/** Bounds on path speed and acceleration at each pose, from the joint limits. */
class Rows {
  /** Largest path acceleration found by the last call of `accelerations`, poses/s^2. */
  upper = 0;
  readonly #slope: Float64Array;
  readonly #curve: Float64Array;
  readonly #limits: TimingLimits;

  constructor(slope: Float64Array, curve: Float64Array, limits: TimingLimits) {
    this.#slope = slope;
    this.#curve = curve;
    this.#limits = limits;
  }

  /** Square of the largest path speed that respects the velocity limits at pose `k`. */
  topSquare(k: number): number {
    const { velocity } = this.#limits;
    let top = Number.MAX_VALUE;
    for (let i = 0; i < velocity.length; i++) {
      const slope = Math.abs(this.#slope[k * velocity.length + i]!);
      if (slope > 0) top = Math.min(top, (velocity[i]! / slope) ** 2);
    }
    return top;
  }

  /** Whether an acceleration from pose `k` at squared speed `square` leads to one of 0 to `next` at the next pose. */
  accelerations(k: number, square: number, next: number): boolean {
    const { acceleration } = this.#limits;
    let lower = -square / 2;
    let upper = (next - square) / 2;
    const joints = acceleration.length;
    for (let i = 0; i < joints; i++) {
      const most = acceleration[i]!;
      const here = k * joints + i;
      const there = here + joints;
      // Start and end of the step: at its end the square has grown by twice the acceleration.
      for (const [slope, curve] of [
        [this.#slope[here]!, this.#curve[here]!],
        [this.#slope[there]! + 2 * this.#curve[there]!, this.#curve[there]!],
      ] as const) {
        const bend = curve * square;
        if (slope === 0) {
          if (Math.abs(bend) > most) return false;
          continue;
        }
        const a = (-most - bend) / slope;
        const b = (most - bend) / slope;
        lower = Math.max(lower, Math.min(a, b));
        upper = Math.min(upper, Math.max(a, b));
      }
    }
    this.upper = upper;
    return lower <= upper;
  }
}

/** First and second derivatives with respect to the pose index, by second-order differences. */
function derivatives(poses: Float64Array, joints: number): { slope: Float64Array; curve: Float64Array } {
  const count = poses.length / joints;
  const slope = new Float64Array(poses.length);
  const curve = new Float64Array(poses.length);
  for (let k = 0; k < count; k++) {
    const inner = Math.min(Math.max(k, 1), count - 2);
    for (let i = 0; i < joints; i++) {
      const before = poses[(inner - 1) * joints + i]!;
      const here = poses[inner * joints + i]!;
      const after = poses[(inner + 1) * joints + i]!;
      const bend = after - 2 * here + before;
      curve[k * joints + i] = bend;
      slope[k * joints + i] = (after - before) / 2 + (k - inner) * bend;
    }
  }
  return { slope, curve };
}
