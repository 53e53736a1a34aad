import { radiansToSteps, type ServoCalibration } from './calibration.ts';
import type { ServoModel } from './servo-model.ts';

/** A servo that an arm expects on its bus. */
export interface ExpectedServo {
  /** Joint that it turns, for messages. */
  readonly joint: string;
  readonly id: number;
  readonly model: ServoModel;
  /** Register contents, in counts, that the data of the arm want, by register name. */
  readonly settings: Readonly<Record<string, number>>;
  /**
   * The servo whose packets it is to obey besides its own, and whether it is to turn in reverse; null when it is no shadow.
   */
  readonly shadow: { readonly of: number; readonly reverse: boolean } | null;
  /** Steps between which its joint can travel; null where that is not known. */
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

/** The servos that the data of an arm name for a joint, and what each is to hold. */
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
    // A joint that is set to turn in reverse has a shadow that is, unless it is mounted the other way round.
    const reversed = own !== null && (mode & own.bit) !== 0;
    const reverse = (calibration.sign !== first.calibration.sign) !== reversed;
    // It counts as the servo does that it follows.
    const travel = travelOf(first.calibration);
    return { joint, id, model, settings: rest, shadow: { of: first.id, reverse }, travel };
  });
}
