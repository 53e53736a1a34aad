import type { ModelFacts } from '../../servo/servo-facts.ts';
import type { Gains } from './gains.ts';

/** One servo of an arm: what it is, and how its registers are set. */
export interface ServoFacts extends ModelFacts {
  readonly joint: string;
}

/** How a servo fails: it still carries and will not for long, it is limp and answers, or it does not answer. */
export type Ailment = 'failing' | 'limp' | 'silent';

/** What a joint's first servo counts from. */
export interface JointHoming {
  /** Homing offset to be written, in counts. */
  readonly offset: number;
  readonly operatingMode: number;
  /** Whether the servo is to have this offset from now on: the arm has been calibrated with it. */
  readonly expected: boolean;
  readonly sign: 1 | -1;
  /** Servo steps at joint angle zero. */
  readonly zero: number;
}

/**
 * What the control loop knows of an arm's hardware: measured positions in, goal positions out, both in radians by joint.
 * A link never throws and never waits: it reports `up` and `reason`.
 */
export interface ArmLink {
  /** True while the arm answers and its registers are known. */
  readonly up: boolean;
  /** Why it is not up, for people; empty while it is. */
  readonly reason: string;
  /** Every servo reports torque on. */
  readonly torque: boolean;
  /** Some servo reports torque on. */
  readonly anyTorque: boolean;
  /** 1 for each joint whose servos all report torque on. */
  readonly held: Uint8Array;
  /** Measured joint positions, rad; NaN before the first sample. */
  readonly positions: Float64Array;
  /** Monotonic time at which the read that gave `positions` began, s; 0 before the first. */
  readonly sampleTime: number;
  /** The same for those of its servos that are not taken for dead: what an arm can be lowered by. */
  readonly steerTime: number;
  /** Goal positions that the servos held when the link came up, rad. */
  readonly adopted: Float64Array;
  /** Largest stiffness that each joint may have now, by gains and models of its servos, against that of the arm's data. */
  readonly gain: Float64Array;
  /** How those gains are changed; null where they cannot be. */
  readonly gains: Gains | null;
  /** Monotonic time of the read that gave the fields below, s. */
  readonly detailTime: number;
  readonly velocities: Float64Array;
  readonly efforts: Float64Array;
  readonly temperatures: Float64Array;
  /** Temperature at which each servo switches itself off, degrees Celsius; 0 where it is not known. */
  readonly temperatureLimits: Float64Array;
  readonly voltages: Float64Array;
  readonly alarms: Float64Array;
  /** Why torque must not be switched on, by the newest measurements; empty when it may. Not for every cycle. */
  readonly torqueRefusal: string;
  /** In what the servos differ from the calibration of their arm, so that it must not be driven; empty when in nothing. */
  readonly miscalibrated: string;
  /** Why the arm must be stopped; empty when it need not. */
  readonly fault: string;
  /** Monotonic time at which each joint was heard last, by the quietest of its servos, s. */
  readonly heard: Float64Array;
  /** Replies that never came, by joint: those of its first servo. */
  readonly lost: ArrayLike<number>;
  /** Bytes that belonged to no valid reply. */
  readonly discarded: number;
  /** Time from request to last reply: median and 99th percentile of the last seconds, s; 0 before. */
  readonly roundTripMedian: number;
  readonly roundTripLongest: number;
  /** True when goals are handed on by somebody else (a remote arm): the link has no servos to hold. */
  readonly remote: boolean;
  /** Called when a read begun by `begin` has settled. */
  onSettled: () => void;
  /** Called with what people should know of the servos. */
  onWarning: (text: string) => void;
  /**
   * Called with the joint whose servo cannot go on carrying, and why: its arm is to be lowered. While one is limp or silent
   * the arm stays up so long, at most 10 s, until `giveUp` says that it has been lowered or cannot be.
   */
  onAiling: (joint: number, text: string, ailment: Ailment) => void;
  /** Time from the beginning of the read until the line has carried its answer, with all that was sent before, s. */
  readonly readTime: number;
  /** Begins this cycle's read; returns whether `onSettled` will follow. */
  begin(now: number): boolean;
  /** The deadline of this cycle's read has passed: retry once, then settle. */
  expire(): void;
  /** Sends goal positions, rad. */
  write(goals: Float64Array): void;
  /** Of each joint, whether it was sent the last goals: 0; 1 when one of its servos has not been heard; 2 when one is dead. */
  readonly withheld: Uint8Array;
  /**
   * Asks for torque on or off; `torque` tells when the servos have it. It goes on only after goals have been sent to all
   * servos since, so they are to be written in each cycle from now on.
   */
  setTorque(on: boolean): void;
  /**
   * Brings back servos that have cut or reduced their torque; the arm is checked anew afterwards.
   * @returns why it is not done; empty when it is under way, or when no servo needs it
   */
  recover(now: number): string;
  /** An arm with a limp or silent servo is not driven any more: it is checked anew. */
  giveUp(): void;
  /** Reads what the servos are and how they are set, one transaction in a cycle. @throws {Error} for people */
  servos(): Promise<readonly ServoFacts[]>;
  /**
   * Writes the temperature at which each servo switches itself off, degrees Celsius, one transaction in a cycle.
   * @throws {Error} for people, before or after some servos have been written
   */
  limitTemperatures(limits: Float64Array): Promise<void>;
  /** Lets go of the bus until `reopen`; meanwhile it is not up, for this reason. */
  close(reason: string): Promise<void>;
  /** Opens the bus again after `close`; does nothing to a link that has not been closed. */
  reopen(): void;
  /**
   * Writes what the first servo of each joint counts from, one transaction in a cycle, and reads positions so from then on.
   * @throws {Error} for people, when a servo holds torque or does not take it; before or after some have been written
   */
  calibrate(joints: readonly JointHoming[]): Promise<void>;
}
