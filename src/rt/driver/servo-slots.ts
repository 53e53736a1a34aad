import type { ServoCalibration } from '../../servo/calibration.ts';
import { type ExpectedServo, expectedServos as expectedInJoint } from '../../servo/expected-servo.ts';
import { inTurn } from '../../servo/homing.ts';
import type { Register } from '../../servo/registers.ts';
import type { ServoModel } from '../../servo/servo-model.ts';

/** A servo as its link needs it. */
export interface LinkServo {
  readonly id: number;
  readonly model: ServoModel;
  readonly calibration: ServoCalibration;
  /** Homing offset from the arm's calibration, in counts; undefined if unknown. */
  readonly homing?: number | undefined;
  /**
   * Obeys the packets for the joint's first servo, so the loop reads it and never writes to it. Its calibration says
   * how it is mounted: with the other sign it is set to turn in reverse, and then counts like the first servo.
   */
  readonly shadow: boolean;
}

/** A joint as its link needs it. */
export interface LinkJoint {
  readonly name: string;
  /** The first servo gives the position; all of them share the load. */
  readonly servos: readonly LinkServo[];
  /** Register contents to set at start, in counts, by register name. */
  readonly settings: Readonly<Record<string, number>>;
  /** Its range, rad: the middle resolves which full turn a multi-turn servo is in. */
  readonly lower: number;
  readonly upper: number;
}

/** A servo at its slot index: the joints' first servos come first, in the order of the joints, then all others. */
export interface ServoSlot extends LinkServo {
  readonly joint: number;
  readonly name: string;
  /** As found on connecting. */
  model: ServoModel;
  /** Its effort-limit register, as found on connecting; null: none. */
  effortLimit: Register | null;
  /** Its position counts beyond the first turn, as found on connecting. */
  countsTurns: boolean;
  /** Middle of the joint's range, rad. */
  readonly middle: number;
  /** Its mounting, as last calibrated. */
  mount: ServoCalibration;
  /** `mount`, shifted to the turn that the servo counts in. */
  calibration: ServoCalibration;
}

/** Slots of the servos of these joints. */
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

/** What the check on connecting must expect of these servos. */
export function expectedServos(joints: readonly LinkJoint[], servos: readonly ServoSlot[]): ExpectedServo[] {
  const all = joints.flatMap(expectedInJoint);
  return servos.map((servo) => all.find(({ id }) => id === servo.id)!);
}

/** Finds the turn that a multi-turn servo counts in, from its joint's range: the servo loses it with its supply. */
export function findTurn(slot: ServoSlot, present: number): void {
  const { mount, middle, countsTurns } = slot;
  slot.calibration = countsTurns ? inTurn(mount, middle, present) : mount;
}
