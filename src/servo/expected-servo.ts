import { radiansToSteps, type ServoCalibration } from './calibration.ts';
import type { ServoModel } from './servo-model.ts';

/** A servo that an arm expects on its bus. */
export interface ExpectedServo {
  /** Joint that it turns, for messages. */
  readonly joint: string;
  readonly id: number;
  readonly model: ServoModel;
  /** Register contents that the arm's data want, in counts, by register name. */
  readonly settings: Readonly<Record<string, number>>;
  /**
   * For a shadow: the servo whose packets it obeys besides its own, and whether it turns in reverse. Null for others.
   */
  readonly shadow: { readonly of: number; readonly reverse: boolean } | null;
  /** Travel of its joint, steps; null if unknown. */
  readonly travel: readonly [min: number, max: number] | null;
}

/** A servo as it is mounted in a joint. */
export interface MountedServo {
  readonly id: number;
  readonly model: ServoModel;
  readonly calibration: ServoCalibration;
  /** It obeys the packets for the joint's first servo. */
  readonly shadow: boolean;
}

/** A joint with its servos, the first of which gives its position. */
export interface MountedJoint {
  readonly name: string;
  readonly servos: readonly MountedServo[];
  /** Register contents, in counts, by register name. */
  readonly settings: Readonly<Record<string, number>>;
  /** Its position limits, rad. */
  readonly lower: number;
  readonly upper: number;
}

/** The servos that the arm's data name for a joint, with the wanted settings of each. */
export function expectedServos({ name: joint, servos, settings, lower, upper }: MountedJoint): ExpectedServo[] {
  const first = servos[0]!;
  const travelOf = (calibration: ServoCalibration): readonly [number, number] => {
    const ends = [lower, upper].map((angle) => radiansToSteps(calibration, angle));
    return [Math.min(...ends), Math.max(...ends)];
  };
  return servos.map(({ id, model, calibration, shadow }) => {
    if (!shadow) return { joint, id, model, settings, shadow: null, travel: travelOf(calibration) };
    const { reverse: own } = model.family;
    const { [own?.register ?? '']: mode = 0, ...rest } = settings;
    // If the joint's first servo is set to reverse, so is its shadow, unless the shadow is mounted the other way round.
    const reversed = own !== null && (mode & own.bit) !== 0;
    const reverse = (calibration.sign !== first.calibration.sign) !== reversed;
    // A shadow counts like the servo that it follows.
    const travel = travelOf(first.calibration);
    return { joint, id, model, settings: rest, shadow: { of: first.id, reverse }, travel };
  });
}
