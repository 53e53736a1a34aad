import type { JointMap } from '../rt/messages.ts';
import { type Fit, UnfitError } from './messages.ts';

/** A measured position beyond its limit by no more than this is brought back to it, rad. */
export const LIMIT_SLACK = 0.05;
/** Positions are averaged over this time before and after, so that the steps of the encoders do not become jerks, s. */
const SMOOTHING = 0.05;

/** Joints of a recording at one time. */
export interface RecordedPose {
  /** s since the first one. */
  readonly time: number;
  /** rad */
  readonly positions: Float64Array;
}

/** Where an arm's joint is for one of a recording: position = scale * recorded + offset; -1: it has none, and stays. */
export type RecordedJoint = Pick<JointMap, 'from' | 'scale' | 'offset'>;

/** Joints of an arm are those of the same name. @throws {UnfitError} naming the joint that the recording lacks */
export function sameNames(joints: Fit['joints'], names: readonly string[]): RecordedJoint[] {
  return joints.map(({ name }) => {
    const from = names.indexOf(name);
    if (from < 0) throw new UnfitError(`it has no joint ${name}, but ${names.join(', ')}`);
    return { from, scale: 1, offset: 0 };
  });
}

/**
 * Fits recorded poses to an arm as they come: joints by name or as they are mapped, within its position limits, smoothed, and slower where they are
 * faster than it may move.
 */
export class Fitter {
  readonly #joints: Fit['joints'];
  readonly #speed: number;
  /** Where each joint is for the recorded ones. */
  readonly #maps: readonly RecordedJoint[];
  /** Poses that are still needed, in their order, and the place of the next one to be given out. */
  readonly #poses: RecordedPose[] = [];
  #next = 0;
  /** Recorded time of what was given out last, its place in the replay, and its pose. */
  #before: { readonly recorded: number; readonly time: number; readonly pose: Float64Array } | null = null;

  /**
   * @param names joints of the recording @param maps from them to those of the arm; null: those of the same name
   * @throws {UnfitError} naming the joint that the recording lacks
   */
  constructor(
    { joints, speed }: Pick<Fit, 'joints' | 'speed'>,
    names: readonly string[],
    maps: readonly JointMap[] | null = null,
  ) {
    this.#joints = joints;
    this.#speed = speed;
    this.#maps = maps ?? sameNames(joints, names);
  }

  /** Takes the next pose, later than the one before. @throws {UnfitError} naming the joint that goes beyond its limits, and when */
  push(time: number, positions: Float64Array): void {
    const pose = Float64Array.from(this.#joints, ({ name, lower, upper, position: stands }, i) => {
      const { from, scale, offset } = this.#maps[i]!;
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
   * The next fitted pose, with its time in the replay (s); null until there are enough of those that come after it.
   * @param ended no more poses come
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

  /** A pose averaged with those about it, as many before as after: the first and the last one stay as they are. */
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

  /** When a pose comes: as recorded, or later where the arm may not be as fast. */
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
