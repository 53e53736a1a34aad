/**
 * Times a joint path as MoveIt's time-optimal trajectory generation does (Kunz and Stilman 2012): straight legs with circular
 * blends that stay within `tolerance` of the corners, as fast along them as the limits allow, sampled at equal times with
 * velocities and accelerations. The speed along the path is found by a forward and a backward pass over a fine grid.
 */

/** One sample: rad, rad/s, rad/s^2 per joint. */
export interface Sample {
  readonly time: number;
  readonly positions: readonly number[];
  readonly velocities: readonly number[];
  readonly accelerations: readonly number[];
}

type Vector = readonly number[];

const GRID = 1e-3;

const add = (a: Vector, b: Vector, scale = 1): number[] => a.map((value, i) => value + scale * b[i]!);
const dot = (a: Vector, b: Vector): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
const length = (a: Vector): number => Math.sqrt(dot(a, a));
const unit = (a: Vector): number[] => a.map((value) => value / length(a));

/** A piece of the path by its length from its beginning: position, first and second derivative. */
interface Piece {
  readonly length: number;
  at(s: number): readonly [Vector, Vector, Vector];
}

function line(from: Vector, to: Vector): Piece {
  const direction = unit(add(to, from, -1));
  const none = from.map(() => 0);
  return { length: length(add(to, from, -1)), at: (s) => [add(from, direction, s), direction, none] };
}

/** The arc that rounds off a corner, or null for one that is none. */
function blend(
  before: Vector,
  corner: Vector,
  after: Vector,
  tolerance: number,
): (Piece & { readonly reach: number }) | null {
  const into = unit(add(corner, before, -1));
  const out = unit(add(after, corner, -1));
  const angle = Math.acos(Math.min(1, Math.max(-1, dot(into, out))));
  if (angle < 1e-6) return null;
  const most = Math.min(length(add(corner, before, -1)), length(add(after, corner, -1))) / 2;
  const reach = Math.min(most, (tolerance * Math.sin(angle / 2)) / (1 - Math.cos(angle / 2)));
  const radius = reach / Math.tan(angle / 2);
  const centre = add(corner, unit(add(out, into, -1)), radius / Math.cos(angle / 2));
  const x = unit(add(add(corner, into, -reach), centre, -1));
  return {
    reach,
    length: angle * radius,
    at: (s) => {
      const turned = s / radius;
      const [cos, sin] = [Math.cos(turned), Math.sin(turned)];
      return [
        add(add(centre, x, radius * cos), into, radius * sin),
        add(
          into.map((value) => value * cos),
          x,
          -sin,
        ),
        add(
          x.map((value) => (-value * cos) / radius),
          into,
          -sin / radius,
        ),
      ];
    },
  };
}

function pieces(points: readonly Vector[], tolerance: number): Piece[] {
  const made: Piece[] = [];
  let from = points[0]!;
  for (let i = 1; i < points.length; i++) {
    const corner = points[i]!;
    const arc = i + 1 < points.length ? blend(points[i - 1]!, corner, points[i + 1]!, tolerance) : null;
    const to = arc === null ? corner : arc.at(0)[0];
    if (length(add(to, from, -1)) > 1e-9) made.push(line(from, to));
    if (arc !== null) made.push(arc);
    from = arc === null ? corner : arc.at(arc.length)[0];
  }
  return made;
}

/**
 * @param points rad, one row per pose of the path
 * @param velocity rad/s @param acceleration rad/s^2, of each joint
 * @param step time between two samples, s
 */
export function timeOptimal(
  points: readonly Vector[],
  velocity: Vector,
  acceleration: Vector,
  { tolerance = 0.05, step = 0.05 } = {},
): Sample[] {
  const parts = pieces(points, tolerance);
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const count = Math.max(20, Math.ceil(total / GRID));
  const ds = total / count;
  const along = (s: number): readonly [Vector, Vector, Vector] => {
    let rest = Math.min(Math.max(s, 0), total);
    for (const part of parts.slice(0, -1)) {
      if (rest <= part.length) return part.at(rest);
      rest -= part.length;
    }
    return parts.at(-1)!.at(Math.min(rest, parts.at(-1)!.length));
  };
  const grid = Array.from({ length: count + 1 }, (_, i) => along(i * ds));
  /** Bounds of the acceleration along the path where its squared speed is x. */
  const bounds = (i: number, x: number): [number, number] => {
    const [, first, second] = grid[i]!;
    let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const [j, slope] of first.entries()) {
      if (Math.abs(slope) < 1e-9) continue;
      const least = (-acceleration[j]! - second[j]! * x) / slope;
      const most = (acceleration[j]! - second[j]! * x) / slope;
      low = Math.max(low, Math.min(least, most));
      high = Math.min(high, Math.max(least, most));
    }
    return [low, high];
  };
  const speeds = grid.map(([, first, second]) => {
    let most = Number.POSITIVE_INFINITY;
    for (const [j, slope] of first.entries()) {
      if (Math.abs(slope) > 1e-9) most = Math.min(most, (velocity[j]! / slope) ** 2);
      if (Math.abs(second[j]!) > 1e-9) most = Math.min(most, acceleration[j]! / Math.abs(second[j]!) / 2);
    }
    return most;
  });
  speeds[0] = 0;
  speeds[count] = 0;
  for (let i = 0; i < count; i++)
    speeds[i + 1] = Math.min(speeds[i + 1]!, speeds[i]! + 2 * ds * bounds(i, speeds[i]!)[1]);
  for (let i = count; i > 0; i--)
    speeds[i - 1] = Math.min(speeds[i - 1]!, speeds[i]! - 2 * ds * bounds(i, speeds[i]!)[0]);

  const times = [0];
  for (let i = 0; i < count; i++)
    times.push(times[i]! + (2 * ds) / (Math.sqrt(speeds[i]!) + Math.sqrt(speeds[i + 1]!)));
  const end = times[count]!;
  const samples: Sample[] = [];
  for (let k = 0; k <= Math.ceil(end / step - 1e-9); k++) {
    const time = Math.min(k * step, end);
    let i = times.findIndex((later) => later > time) - 1;
    if (i < 0) i = count - 1;
    // Between two points of the grid the acceleration along the path is constant.
    const pull = (speeds[i + 1]! - speeds[i]!) / (2 * ds);
    const t = time - times[i]!;
    const here = Math.sqrt(speeds[i]!);
    const speed = time === end ? 0 : here + pull * t;
    const [positions, first, second] = along(i * ds + here * t + (pull * t * t) / 2);
    samples.push({
      time,
      positions: time === end ? points.at(-1)! : positions,
      velocities: first.map((slope) => slope * speed),
      accelerations: first.map((slope, j) => slope * pull + second[j]! * speed * speed),
    });
  }
  return samples;
}
