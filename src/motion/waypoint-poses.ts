import { type FinePoses, finePoses, shapeFault } from '../rt/sources/waypoint-shape.ts';
import { waypointFault } from '../rt/sources/waypoints.ts';
import type { AskedWaypoints } from './plan-messages.ts';

/** Why an arm cannot drive a path, naming the joint and the segment; null if it can. */
export function undrivable({ path, from, waits, moving, limits }: AskedWaypoints): string | null {
  const start = waits ? path.positions.subarray(0, from.length) : from;
  return waypointFault(path, start, limits) ?? shapeFault(path, start, limits, waits || moving);
}

/** Poses along a path for contact checks, dense enough for straight lines between them; or why it cannot be driven. */
export function waypointPoses(asked: AskedWaypoints): FinePoses | string {
  return undrivable(asked) ?? finePoses(asked.path, asked.from, asked.limits.velocity);
}
