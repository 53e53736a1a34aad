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

/** Halvings in search of the largest speed of a pose; each doubles its precision. */
const HALVINGS = 50;

/**
 * The quickest way along a path from rest to rest within velocity and acceleration limits: TOPP-RA (H. Pham and
 * Q.-C. Pham, "A new approach to time-optimal path parameterization based on reachability analysis", 2018). Backwards
 * along the path it finds the largest speeds from which the arm can still brake, forwards it takes the largest
 * acceleration that keeps to them.
 *
 * @param poses at least three poses at equal distances along the path, row by row, rad
 */
export function timePath(poses: Float64Array, limits: TimingLimits): PathTiming {
  const joints = limits.velocity.length;
  const count = poses.length / joints;
  const { slope, curve } = derivatives(poses, joints);
  const rows = new Rows(slope, curve, limits);
  // Squares of the path's speed in poses per second, and how far they may be. Their derivative along the path is twice
  // the path's acceleration.
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

/** The largest value up to `top` that is possible, where all below a possible one are. */
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

/** What the joints' limits leave to the path's speed and acceleration at each of its poses. */
class Rows {
  /** Largest acceleration of the path that `accelerations` has found, poses/s^2. */
  upper = 0;
  readonly #slope: Float64Array;
  readonly #curve: Float64Array;
  readonly #limits: TimingLimits;

  constructor(slope: Float64Array, curve: Float64Array, limits: TimingLimits) {
    this.#slope = slope;
    this.#curve = curve;
    this.#limits = limits;
  }

  /** Square of the largest path speed that keeps to the velocity limits at pose `k`. */
  topSquare(k: number): number {
    const { velocity } = this.#limits;
    let top = Number.MAX_VALUE;
    for (let i = 0; i < velocity.length; i++) {
      const slope = Math.abs(this.#slope[k * velocity.length + i]!);
      if (slope > 0) top = Math.min(top, (velocity[i]! / slope) ** 2);
    }
    return top;
  }

  /** Whether there is an acceleration from pose `k` to the next, at speed `square`, that leads to one of 0 to `next`. */
  accelerations(k: number, square: number, next: number): boolean {
    const { acceleration } = this.#limits;
    let lower = -square / 2;
    let upper = (next - square) / 2;
    const joints = acceleration.length;
    for (let i = 0; i < joints; i++) {
      const most = acceleration[i]!;
      const here = k * joints + i;
      const there = here + joints;
      // Where it begins, and where it ends: the square has grown by twice the acceleration there.
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

/** First and second derivatives by the number of the pose, by differences of second order. */
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
