import type { ArmModel } from '../arm/model.ts';
import type { WaypointPath } from '../rt/sources/waypoints.ts';
import { type JointTrack, RecordingError } from './recording-file.ts';

/** A measured position beyond its limit by no more than this is brought back to it, rad. */
const LIMIT_SLACK = 0.05;
/** Part of the limit of speed that a replay uses; the cubic between two poses is quicker than its average. */
const SPEED_SHARE = 0.6;

/** Positions are averaged over this time before and after, so that the steps of the encoders do not become jerks, s. */
const SMOOTHING = 0.05;

/** A recording as an arm is to replay it: its first pose, and the way from there. */
export interface Replay {
  readonly first: Float64Array;
  /** Every pose, rad, the first one included. */
  readonly poses: readonly Float64Array[];
  readonly path: WaypointPath;
}

/**
 * Fits a recording to an arm: joints by name, within its position limits, and slower where it is faster than the arm's
 * limits for moves.
 * @param speed 1 as recorded; at most 2
 * @param scale part of the arm's limits of speed that it may use
 * @throws {RecordingError} naming the joint that the recording lacks, or that goes beyond its limits, and when
 */
export function fitTo(model: ArmModel, track: JointTrack, speed: number, scale = 1): Replay {
  const columns = model.joints.map(({ name }) => {
    const column = track.names.indexOf(name);
    if (column < 0) throw new RecordingError(`it has no joint ${name}, but ${track.names.join(', ')}`);
    return column;
  });
  const measured = track.positions.map((positions, k) =>
    Float64Array.from(model.joints, ({ name, lower, upper }, i) => {
      const position = positions[columns[i]!]!;
      if (position < lower - LIMIT_SLACK || position > upper + LIMIT_SLACK) {
        throw new RecordingError(
          `${name} goes to ${position.toFixed(3)} rad after ${track.times[k]!.toFixed(2)} s, beyond its limits of ` +
            `${lower.toFixed(3)} to ${upper.toFixed(3)} rad`,
        );
      }
      return Math.min(Math.max(position, lower), upper);
    }),
  );
  return retimed(model, track.times, smoothed(track.times, measured), speed, SPEED_SHARE * scale);
}

/** Each pose averaged with those about it, as many before as after: the first and the last one stay as they are. */
function smoothed(times: readonly number[], poses: readonly Float64Array[]): Float64Array[] {
  return poses.map((pose, k) => {
    const sum = pose.slice();
    let count = 1;
    for (let reach = 1; k - reach >= 0 && k + reach < poses.length; reach++) {
      const [before, after] = [k - reach, k + reach];
      if (times[k]! - times[before]! > SMOOTHING || times[after]! - times[k]! > SMOOTHING) break;
      for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + poses[before]![i]! + poses[after]![i]!;
      count += 2;
    }
    return sum.map((value) => value / count);
  });
}

/** The poses at the times of a recording, or later where the arm may not be as fast. */
function retimed(
  model: ArmModel,
  recorded: readonly number[],
  poses: readonly Float64Array[],
  speed: number,
  share: number,
): Replay {
  const joints = model.joints.length;
  const times = new Float64Array(poses.length);
  const positions = new Float64Array(poses.length * joints);
  positions.set(poses[0]!);
  for (let k = 1; k < poses.length; k++) {
    let needed = (recorded[k]! - recorded[k - 1]!) / speed;
    for (const [i, { move }] of model.joints.entries()) {
      const way = Math.abs(poses[k]![i]! - poses[k - 1]![i]!);
      needed = Math.max(needed, way / (move.velocity * share));
    }
    times[k] = times[k - 1]! + needed;
    positions.set(poses[k]!, k * joints);
  }
  return { first: poses[0]!, poses, path: { times, positions, velocities: null } };
}
