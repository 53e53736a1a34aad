/** Sampling steps over a segment where its Bézier bounds are inconclusive. */
const STEPS = 32;

/**
 * Path of one joint between two waypoints: the quintic with given positions, velocities and accelerations at both ends,
 * as the joint trajectory controller of ros2_control interpolates. Without accelerations it is the cubic. It is stored
 * as Bézier points, whose range contains the whole curve (Farin, "Curves and Surfaces for CAGD", ch. 5). Created once
 * and reused for each joint: allocates nothing.
 */
export class Segment {
  readonly #points = new Float64Array(6);
  #duration = 1;

  /**
   * @param duration s, above 0
   * @param from rad @param speedFrom rad/s @param accelerationFrom rad/s^2
   * @param to rad @param speedTo rad/s @param accelerationTo rad/s^2
   */
  quintic(
    duration: number,
    from: number,
    speedFrom: number,
    accelerationFrom: number,
    to: number,
    speedTo: number,
    accelerationTo: number,
  ): void {
    const points = this.#points;
    const turn = duration / 5;
    const bend = (duration * duration) / 20;
    points[0] = from;
    points[1] = from + turn * speedFrom;
    points[2] = from + 2 * turn * speedFrom + bend * accelerationFrom;
    points[3] = to - 2 * turn * speedTo + bend * accelerationTo;
    points[4] = to - turn * speedTo;
    points[5] = to;
    this.#duration = duration;
  }

  /** The cubic with these positions (rad) and velocities (rad/s) at its ends. */
  cubic(duration: number, from: number, speedFrom: number, to: number, speedTo: number): void {
    const slope = (to - from) / duration;
    const accelerationFrom = (6 * slope - 4 * speedFrom - 2 * speedTo) / duration;
    const accelerationTo = (2 * speedFrom + 4 * speedTo - 6 * slope) / duration;
    this.quintic(duration, from, speedFrom, accelerationFrom, to, speedTo, accelerationTo);
  }

  /** Position at a part of its duration (0..1), rad. */
  at(part: number): number {
    const points = this.#points;
    const rest = 1 - part;
    const near = part * part;
    const far = rest * rest;
    const first = far * far * (rest * points[0]! + 5 * part * points[1]!);
    const middle = 10 * near * far * (rest * points[2]! + part * points[3]!);
    return first + middle + near * near * (5 * rest * points[4]! + part * points[5]!);
  }

  /** The position furthest below `lower` or above `upper`, rad; null if all are within. */
  outside(lower: number, upper: number): number | null {
    if (this.#points.every((point) => point >= lower && point <= upper)) return null;
    let worst: number | null = null;
    let most = 0;
    for (let step = 0; step <= STEPS; step++) {
      const at = this.at(step / STEPS);
      const beyond = Math.max(lower - at, at - upper);
      if (beyond > most) {
        most = beyond;
        worst = at;
      }
    }
    return worst;
  }

  /** Largest absolute speed, rad/s, if it exceeds `limit`; otherwise null. */
  speedAbove(limit: number): number | null {
    return this.#peakAbove(1, 5 / this.#duration, limit);
  }

  /** Largest absolute acceleration, rad/s^2, if it exceeds `limit`; otherwise null. */
  accelerationAbove(limit: number): number | null {
    return this.#peakAbove(2, 20 / this.#duration ** 2, limit);
  }

  /** Number of straight pieces that approximate the path within this deviation, rad. */
  pieces(deviation: number): number {
    let bend = 0;
    for (let i = 0; i < 4; i++) bend = Math.max(bend, Math.abs(this.#difference(2, i)));
    // A chord is off by at most an eighth of the largest second derivative, which is 20 times these differences.
    return Math.max(1, Math.ceil(Math.sqrt((20 * bend) / (8 * deviation))));
  }

  /** Peak of a derivative if above `limit`; otherwise null. Its Bézier points are point differences times `scale`. */
  #peakAbove(order: 1 | 2, scale: number, limit: number): number | null {
    const degree = 5 - order;
    let bound = 0;
    for (let i = 0; i <= degree; i++) bound = Math.max(bound, Math.abs(this.#difference(order, i)) * scale);
    if (bound <= limit) return null;
    let peak = 0;
    for (let step = 0; step <= STEPS; step++)
      peak = Math.max(peak, Math.abs(this.#derivative(order, step / STEPS)) * scale);
    return peak > limit ? peak : null;
  }

  #derivative(order: 1 | 2, part: number): number {
    const degree = 5 - order;
    let value = 0;
    for (let i = 0, choose = 1; i <= degree; i++) {
      value += choose * part ** i * (1 - part) ** (degree - i) * this.#difference(order, i);
      choose *= (degree - i) / (i + 1);
    }
    return value;
  }

  #difference(order: 1 | 2, i: number): number {
    const points = this.#points;
    const first = points[i + 1]! - points[i]!;
    return order === 1 ? first : points[i + 2]! - points[i + 1]! - first;
  }
}
