import type { Descent, Weights } from './descent.ts';
import type { ToolPath } from './tool-path.ts';

/**
 * Random poses of an arm with their tool poses, computed once. Finding the nearest of many poses to a target then costs
 * less than a few evaluations of forward kinematics.
 */
export class PosePool {
  private readonly size: number;
  private readonly positions: Float64Array;
  private readonly poses: Float64Array;
  private readonly rotation = new Float64Array(9);

  /**
   * @param path its joints are varied
   * @param lower lowest positions
   * @param upper highest positions
   * @param count number of poses
   */
  constructor(path: ToolPath, lower: Float64Array, upper: Float64Array, count: number) {
    const n = path.size;
    this.size = n;
    this.positions = new Float64Array(count * n);
    this.poses = new Float64Array(count * 12);
    const next = mulberry32(0x9e3779b9);
    for (let pose = 0; pose < count; pose++) {
      const x = this.positions.subarray(pose * n, (pose + 1) * n);
      for (let i = 0; i < n; i++) x[i] = lower[i]! + next() * (upper[i]! - lower[i]!);
      path.forward(x, this.poses.subarray(pose * 12, (pose + 1) * 12));
    }
  }

  /**
   * Writes the best pose of a range into `out`.
   *
   * @param from index of the first pose
   * @param to index after the last pose
   */
  nearest(descent: Descent, weights: Weights, from: number, to: number, out: Float64Array): void {
    const { poses, rotation } = this;
    const { goal, target } = descent;
    const wp = weights.position * weights.position;
    const wo = goal.given > 0 ? weights.orientation * weights.orientation : 0;
    let best = from;
    let least = Number.POSITIVE_INFINITY;
    for (let pose = from; pose < to; pose++) {
      const at = 12 * pose;
      const ex = target[0]! - poses[at]!;
      const ey = target[1]! - poses[at + 1]!;
      const ez = target[2]! - poses[at + 2]!;
      let cost = wp * (ex * ex + ey * ey + ez * ez);
      if (cost >= least) continue;
      if (wo > 0) {
        for (let i = 0; i < 9; i++) rotation[i] = poses[at + 3 + i]!;
        goal.evaluate(rotation);
        cost += wo * goal.angle * goal.angle;
        if (cost >= least) continue;
      }
      least = cost;
      best = pose;
    }
    for (let i = 0; i < this.size; i++) out[i] = this.positions[this.size * best + i]!;
  }

  /**
   * Writes the allowed pose whose tool is nearest to the target's position into `out`. False if no pose is allowed.
   *
   * @param allowed whether a pose may be used; called only for poses nearer than the best so far
   */
  nearestAllowed(descent: Descent, allowed: (x: Float64Array) => boolean, out: Float64Array): boolean {
    const { poses, size } = this;
    const [x, y, z] = descent.target;
    let least = Number.POSITIVE_INFINITY;
    for (let pose = 0; 12 * pose < poses.length; pose++) {
      const at = 12 * pose;
      const square = (x! - poses[at]!) ** 2 + (y! - poses[at + 1]!) ** 2 + (z! - poses[at + 2]!) ** 2;
      if (square >= least) continue;
      const found = this.positions.subarray(size * pose, size * (pose + 1));
      if (!allowed(found)) continue;
      least = square;
      out.set(found);
    }
    return least < Number.POSITIVE_INFINITY;
  }
}

/** Uniform pseudo-random numbers in 0..1, a fixed sequence per seed: the generator mulberry32. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
