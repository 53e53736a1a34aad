import type { ServoCalibration } from '../../servo/calibration.ts';
import { type ExpectedServo, expectedServos as expectedInJoint } from '../../servo/expected-servo.ts';
import { inTurn } from '../../servo/homing.ts';
import type { Register } from '../../servo/registers.ts';
import type { ServoModel } from '../../servo/servo-model.ts';

/** A servo as the bus needs it. */
export interface LinkServo {
  readonly id: number;
  readonly model: ServoModel;
  readonly calibration: ServoCalibration;
  /** Homing offset that its arm has been calibrated with, in counts; undefined where nothing says so. */
  readonly homing?: number | undefined;
  /**
   * It obeys the packets for the joint's first servo by itself, so it is read and never written to in the loop. Its
   * calibration says how it is mounted: with the other sign it is set to turn in reverse, and counts as the first one.
   */
  readonly shadow: boolean;
}

/** A joint as the bus needs it. */
export interface LinkJoint {
  readonly name: string;
  /** The first one gives the position; they share the load. */
  readonly servos: readonly LinkServo[];
  /** Register contents, in counts, to be set at start, by register name. */
  readonly settings: Readonly<Record<string, number>>;
  /** Its range, rad: the middle resolves which full turn a multi-turn servo is in. */
  readonly lower: number;
  readonly upper: number;
}

/** A servo in its place: those that give the joints' positions first, in the order of the joints, then all others. */
export interface ServoSlot extends LinkServo {
  readonly joint: number;
  readonly name: string;
  /** As found on connecting. */
  model: ServoModel;
  /** Register of the largest effort that it keeps to, as found on connecting; null: none. */
  effortLimit: Register | null;
  /** Its position leaves the first turn, as found on connecting. */
  countsTurns: boolean;
  /** Middle of the joint's range, rad. */
  readonly middle: number;
  /** How it is mounted, as calibrated last. */
  mount: ServoCalibration;
  /** The same in the turn that it counts in. */
  calibration: ServoCalibration;
}

/** Places of the servos of these joints. */
export function servoSlots(joints: readonly LinkJoint[]): ServoSlot[] {
  const all = joints.flatMap(({ name, servos, lower, upper }, joint) =>
    servos.map((servo, order) => {
      const mount = servo.shadow ? servos[0]!.calibration : servo.calibration;
      return {
        place: {
          ...{ ...servo, joint, name, middle: (lower + upper) / 2, mount, calibration: mount },
          ...{ effortLimit: null, countsTurns: false },
        },
        first: order === 0,
      };
    }),
  );
  return [...all.filter(({ first }) => first), ...all.filter(({ first }) => !first)].map(({ place }) => place);
}

/** What the check on connecting is to expect of them. */
export function expectedServos(joints: readonly LinkJoint[], servos: readonly ServoSlot[]): ExpectedServo[] {
  const all = joints.flatMap(expectedInJoint);
  return servos.map((servo) => all.find(({ id }) => id === servo.id)!);
}

/** The turn that a multi-turn servo counts in, by where its joint can be: it is lost with the servo's supply. */
export function findTurn(slot: ServoSlot, present: number): void {
  const { mount, middle, countsTurns } = slot;
  slot.calibration = countsTurns ? inTurn(mount, middle, present) : mount;
}
