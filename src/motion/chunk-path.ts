import { type BlendLimits, type ChunkPath, Chunks } from '../rt/sources/chunks.ts';

/** Limits that a chunk must respect, one element per joint: rad, rad/s, rad/s^2. */
export interface ChunkLimits {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Largest speed at a point. */
  readonly passing: Float64Array;
  /** Deceleration of a joint after its last point. */
  readonly braking: Float64Array;
}

/** A chunk for an arm that is at `setpoints` (rad) with `velocities` (rad/s); see `chunkPath` for the rest. */
export interface AskedChunk {
  readonly times: Float64Array;
  readonly positions: Float64Array;
  readonly blend: number;
  readonly limits: ChunkLimits & BlendLimits;
  readonly setpoints: Float64Array;
  readonly velocities: Float64Array;
  /** The chunk that the arm follows until this one takes over; null for none. */
  readonly before: ChunkPath | null;
  /** Monotonic, s. */
  readonly now: number;
}

/** The motion of a chunk, and where it leads the joints: see `ledTo`. */
export interface LedChunk {
  readonly path: ChunkPath;
  readonly led: LedPoses;
}

/** Positions in rad, row by row, and their times, monotonic, s. */
interface LedPoses {
  readonly times: Float64Array;
  readonly positions: Float64Array;
}

/** Shortest braking after the last point, s. */
const SHORTEST_BRAKING = 0.05;
/** Sampling interval for contact checks along a chunk, s: no joint moves further than 0.15 rad in between. */
const LOOK = 0.05;

/**
 * A smooth motion through points: the natural cubic spline, with continuous velocities and accelerations (de Boor, "A
 * Practical Guide to Splines", ch. IV), passing no point faster than the joints can move. After the last point it
 * brakes to rest with constant deceleration.
 * @param times monotonic, s, strictly increasing
 * @param positions rad, one row per point, one column per joint; NaN throughout the columns of joints that do not move
 */
export function chunkPath(times: Float64Array, positions: Float64Array, blend: number, limits: ChunkLimits): ChunkPath {
  const joints = limits.lower.length;
  const count = times.length;
  const speeds = new Float64Array(count * joints);
  const column = new Float64Array(count);
  let braking = SHORTEST_BRAKING;
  for (let i = 0; i < joints; i++) {
    if (Number.isNaN(positions[i]!)) continue;
    for (let k = 0; k < count; k++) column[k] = positions[k * joints + i]!;
    const speed = splineSpeeds(times, column);
    // A speed that no joint reaches would carry the blend into it, and the braking after it, far beyond the points.
    const most = limits.passing[i]!;
    for (let k = 0; k < count; k++) speeds[k * joints + i] = Math.min(Math.max(speed[k]!, -most), most);
    braking = Math.max(braking, Math.abs(speeds[(count - 1) * joints + i]!) / limits.braking[i]!);
  }
  const path = {
    times: new Float64Array(count + 1),
    positions: new Float64Array((count + 1) * joints),
    velocities: new Float64Array((count + 1) * joints),
    blend,
  };
  path.times.set(times);
  path.times[count] = times[count - 1]! + braking;
  path.positions.set(positions);
  path.velocities.set(speeds);
  for (let i = 0; i < joints; i++) {
    const last = (count - 1) * joints + i;
    const rest = positions[last]! + (speeds[last]! * braking) / 2;
    path.positions[count * joints + i] = Math.min(Math.max(rest, limits.lower[i]!), limits.upper[i]!);
  }
  return path;
}

/** Speeds of the natural cubic spline at its points, rad/s: a tridiagonal system, solved by elimination. */
function splineSpeeds(times: Float64Array, values: Float64Array): Float64Array {
  const last = times.length - 1;
  const speeds = new Float64Array(last + 1);
  if (last === 0) return speeds;
  const factors = new Float64Array(last + 1);
  const slope = (k: number): number => (values[k + 1]! - values[k]!) / (times[k + 1]! - times[k]!);
  factors[0] = 0.5;
  speeds[0] = 1.5 * slope(0);
  for (let k = 1; k <= last; k++) {
    const before = 1 / (times[k]! - times[k - 1]!);
    const after = k === last ? 0 : 1 / (times[k + 1]! - times[k]!);
    const right = 3 * (before * slope(k - 1) + (k === last ? 0 : after * slope(k)));
    const pivot = 2 * (before + after) - before * factors[k - 1]!;
    factors[k] = after / pivot;
    speeds[k] = (right - before * speeds[k - 1]!) / pivot;
  }
  for (let k = last - 1; k >= 0; k--) speeds[k] = speeds[k]! - factors[k]! * speeds[k + 1]!;
  return speeds;
}

/** The part of a chunk from the last knot before `now` on: the control thread does not need the past. */
export function from(path: ChunkPath, now: number): ChunkPath {
  const { times, positions, velocities, blend } = path;
  const joints = positions.length / times.length;
  let first = 0;
  while (first + 2 < times.length && times[first + 1]! <= now) first++;
  return {
    times: times.slice(first),
    positions: positions.slice(first * joints),
    velocities: velocities.slice(first * joints),
    blend,
  };
}

/** Where a chunk leads the joints, for the contact check: along the chunk before until its own first point. */
function ledTo(path: ChunkPath, { setpoints, velocities, limits, before, now }: AskedChunk): LedPoses {
  const joints = setpoints.length;
  let t = now;
  const source = new Chunks(limits, () => t);
  source.begin(setpoints, velocities, now, new Float64Array(joints));
  const at = setpoints.slice();
  if (before !== null) {
    source.take(from(before, now));
    source.next(now, 0, at);
  }
  source.take(path);
  const times: number[] = [];
  const positions: number[] = [];
  // The blend can last longer than the chunk, and its length is not known before.
  for (let end = path.times[0]! + LOOK; t < end || t < source.end; end = Math.max(end, source.end)) {
    t += LOOK;
    source.next(t, LOOK, at);
    times.push(t);
    positions.push(...at);
  }
  return { times: Float64Array.from(times), positions: Float64Array.from(positions) };
}

/** The motion of a chunk, and where it leads the arm from now on. */
export function ledChunk(asked: AskedChunk): LedChunk {
  const { times, positions, blend, limits, now } = asked;
  const path = chunkPath(times, positions, blend, limits);
  return { path, led: ledTo(from(path, now), asked) };
}
