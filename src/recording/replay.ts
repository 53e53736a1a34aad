import type { JointMap } from '../rt/messages.ts';
import { type Fit, UnfitError } from './messages.ts';

/** A measured position that exceeds its limit by at most this is clamped to it, rad. */
export const LIMIT_SLACK = 0.05;
/** Half width of the moving average over positions, s, which keeps encoder steps from becoming jerks. */
const SMOOTHING = 0.05;

/** Recorded joint positions at one time. */
export interface RecordedPose {
  /** s since the first pose. */
  readonly time: number;
  /** rad */
  readonly positions: Float64Array;
}

/** Maps a recorded joint to the arm's: position = scale * recorded + offset; `from` -1: no counterpart, it stays. */
export type RecordedJoint = Pick<JointMap, 'from' | 'scale' | 'offset'>;

/** Prefixes with which a recording names all joints of an arm; most often one, which may be empty. */
function prefixesIn(joints: readonly { readonly name: string }[], names: readonly string[]): string[] {
  const first = joints[0]!.name;
  const prefixes = names.flatMap((name) => (name.endsWith(first) ? [name.slice(0, -first.length)] : []));
  return prefixes.filter((prefix) => joints.every(({ name }) => names.includes(prefix + name)));
}

/** Recorded joint names without the prefix that they have besides those of the arm; as they are unless one prefix fits. */
export function withoutPrefix(
  joints: readonly { readonly name: string }[],
  names: readonly string[],
): readonly string[] {
  const [prefix = '', ...others] = prefixesIn(joints, names);
  if (others.length > 0) return names;
  return names.map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name));
}

/**
 * Maps joints by name, with or without a prefix that all of them have in the recording (`ros.joint_prefix`).
 * @throws {UnfitError} naming the joint that the recording lacks, or the prefixes where several fit
 */
export function sameNames(joints: Fit['joints'], names: readonly string[]): RecordedJoint[] {
  const fitting = prefixesIn(joints, names);
  const prefix = fitting.length === 1 ? fitting[0]! : '';
  return joints.map(({ name }) => {
    const from = names.indexOf(prefix + name);
    if (from >= 0) return { from, scale: 1, offset: 0 };
    if (fitting.length === 0) throw new UnfitError(`it has no joint ${name}, but ${names.join(', ')}`);
    throw new UnfitError(`it has the joints of several arms in one message: ${fitting.join(', ')}`);
  });
}

/**
 * Goal of a gripper for its recorded setpoint: where it was measured is where an object stopped it, and as a goal that
 * would not hold the object. A setpoint may lie beyond the limits.
 */
export function graspOf(
  { lower, upper }: Pick<Fit['joints'][number], 'lower' | 'upper'>,
  { scale, offset }: RecordedJoint,
  setpoint: number,
): number {
  return Math.min(Math.max(scale * setpoint + offset, lower), upper);
}

/**
 * Fits a stream of recorded poses to an arm: maps joints, clamps them to the position limits, smooths them, and slows
 * down where the arm cannot move as fast.
 */
export class Fitter {
  readonly #joints: Fit['joints'];
  readonly #speed: number;
  readonly #gripper: number;
  /** Mapping of each joint of the arm. */
  readonly #maps: readonly RecordedJoint[];
  /** Poses that are still needed, in order, and the index of the next one to return. */
  readonly #poses: RecordedPose[] = [];
  #next = 0;
  /** The last pose returned: its time in the recording, its time in the replay, and its positions. */
  #before: { readonly recorded: number; readonly time: number; readonly pose: Float64Array } | null = null;

  /**
   * @param fit `gripper`: index of the gripper's joint; left out: none
   * @param names joints of the recording
   * @param maps from recorded joints to joints of the arm; null: match by name
   * @throws {UnfitError} naming the joint that the recording lacks
   */
  constructor(
    { joints, speed, gripper = -1 }: Pick<Fit, 'joints' | 'speed'> & { readonly gripper?: number },
    names: readonly string[],
    maps: readonly JointMap[] | null = null,
  ) {
    this.#joints = joints;
    this.#speed = speed;
    this.#gripper = gripper;
    this.#maps = maps ?? sameNames(joints, names);
  }

  /**
   * Adds the next pose, which must be later than the one before.
   * @param setpoints of the recorded joints at that time, from which the gripper is replayed; null: unknown
   * @throws {UnfitError} naming the joint that exceeds its limits, and when
   */
  push(time: number, positions: Float64Array, setpoints: Float64Array | null = null): void {
    const pose = Float64Array.from(this.#joints, ({ name, lower, upper, position: stands }, i) => {
      const { from, scale, offset } = this.#maps[i]!;
      if (i === this.#gripper && from >= 0 && setpoints !== null)
        return graspOf(this.#joints[i]!, this.#maps[i]!, setpoints[from]!);
      const position = from < 0 ? stands : scale * positions[from]! + offset;
      if (position < lower - LIMIT_SLACK || position > upper + LIMIT_SLACK) {
        throw new UnfitError(
          `${name} goes to ${position.toFixed(3)} rad after ${time.toFixed(2)} s, beyond its limits of ` +
            `${lower.toFixed(3)} to ${upper.toFixed(3)} rad`,
        );
      }
      return Math.min(Math.max(position, lower), upper);
    });
    this.#poses.push({ time, positions: pose });
  }

  /**
   * The next fitted pose, with its time in the replay (s); null until enough later poses have been added.
   * @param ended whether the input is complete
   */
  take(ended: boolean): RecordedPose | null {
    const recorded = this.#poses[this.#next];
    if (recorded === undefined) return null;
    if (!ended && this.#poses.at(-1)!.time - recorded.time <= SMOOTHING) return null;
    const pose = this.#smoothed(this.#next);
    const time = this.#timeOf(recorded.time, pose);
    this.#before = { recorded: recorded.time, time, pose };
    this.#next++;
    while (this.#next > 0 && recorded.time - this.#poses[0]!.time > SMOOTHING) {
      this.#poses.shift();
      this.#next--;
    }
    return { time, positions: pose };
  }

  /** A pose averaged over as many poses before as after it; the first and the last pose stay unchanged. */
  #smoothed(k: number): Float64Array {
    const { time, positions } = this.#poses[k]!;
    const sum = positions.slice();
    let count = 1;
    for (let reach = 1; k - reach >= 0 && k + reach < this.#poses.length; reach++) {
      const [before, after] = [this.#poses[k - reach]!, this.#poses[k + reach]!];
      if (time - before.time > SMOOTHING || after.time - time > SMOOTHING) break;
      for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + before.positions[i]! + after.positions[i]!;
      count += 2;
    }
    return sum.map((value) => value / count);
  }

  /** Replay time of a pose: as recorded, or later if the arm may not move as fast. */
  #timeOf(recorded: number, pose: Float64Array): number {
    const before = this.#before;
    if (before === null) return 0;
    let needed = (recorded - before.recorded) / this.#speed;
    for (const [i, { velocity }] of this.#joints.entries()) {
      needed = Math.max(needed, Math.abs(pose[i]! - before.pose[i]!) / velocity);
    }
    return before.time + needed;
  }
}
