/** Checks the straight joint-space path between two poses: null when it is free, else the contact. */
export type PathCheck = (from: Float64Array, to: Float64Array) => string | null;

/**
 * A path between two poses in straight joint-space legs: the direct one when it is free, else the first free one
 * through one or two of the given poses.
 * @returns the poses to visit, ending with `to`; or the contact on the direct path when no path is free
 */
export function findRoute(
  from: Float64Array,
  to: Float64Array,
  via: readonly Float64Array[],
  check: PathCheck,
): readonly Float64Array[] | string {
  const touched = check(from, to);
  if (touched === null) return [to];
  const reachable: Float64Array[] = [];
  for (const pose of via) {
    if (check(from, pose) !== null) continue;
    if (check(pose, to) === null) return [pose, to];
    reachable.push(pose);
  }
  for (const first of reachable) {
    for (const second of via) {
      if (second === first || check(first, second) !== null) continue;
      if (check(second, to) === null) return [first, second, to];
    }
  }
  return touched;
}
