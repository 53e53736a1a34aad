import type { Outcome } from '../../servo/bus-session.ts';
import type { ModelFacts } from '../../servo/servo-facts.ts';
import type { PositionLimits } from '../../servo/servo-model.ts';
import type { ArmReadings } from './arm-readings.ts';
import type { Gains } from './gains.ts';

/** One servo of an arm: what it is, and how its registers are set. */
export interface ServoFacts extends ModelFacts {
  readonly joint: string;
}

/** How a servo fails: it still carries and will not for long, it is limp and answers, or it does not answer. */
export type Ailment = 'failing' | 'limp' | 'silent';

/** What becomes of an arm's torque: no servo has it, some have it, it is on its way on, all have it, it is on its way off. */
export type Power = 'limp' | 'partial' | 'arming' | 'holding' | 'releasing';

/** What a joint's first servo counts from. */
export interface JointHoming {
  /** Homing offset to be written, in counts. */
  readonly offset: number;
  readonly operatingMode: number;
  /** Positions that it is to take as goals, in counts; left out: those that it takes stay. */
  readonly limits?: PositionLimits | undefined;
  /** Whether the servo is to have this offset from now on: the arm has been calibrated with it. */
  readonly expected: boolean;
  readonly sign: 1 | -1;
  /** Servo steps at joint angle zero. */
  readonly zero: number;
}

/**
 * What the control loop knows of an arm's hardware: readings in, goal positions out, both in radians by joint. A link never
 * throws and never waits: it reports `up` and `reason`, and answers by callbacks.
 */
export interface ArmLink {
  /** True while the arm answers and its registers are known. */
  readonly up: boolean;
  /** Why it is not up, for people; empty while it is. */
  readonly reason: string;
  /** What people must know of an arm that is up; empty when nothing. */
  readonly trouble: string;
  readonly readings: ArmReadings;
  /** Every servo reports torque on. */
  readonly torque: boolean;
  /** Some servo reports torque on. */
  readonly anyTorque: boolean;
  /** 1 for each joint whose servos all report torque on. */
  readonly held: Uint8Array;
  /** What becomes of its torque. */
  readonly power: Power;
  /** Torque is on its way on: goals are to be written in each cycle. */
  readonly arming: boolean;
  /** Servos are taking torque with the goals that they were sent, which must stay. */
  readonly frozen: boolean;
  /** Torque is to go on, and it is being found out where limp servos are and what the others hold, `adopted`. */
  readonly settling: boolean;
  /** Goal positions that the servos held when the link came up, rad. */
  readonly adopted: Float64Array;
  /** Position limits that the servos themselves keep to, rad; infinite where they keep to none. */
  readonly limits: { readonly lower: Float64Array; readonly upper: Float64Array };
  /** Upper bound of each joint's stiffness relative to the arm's data, by gains and models of its servos (1 = nominal). */
  readonly gain: Float64Array;
  /** How those gains are changed; null where they cannot be. */
  readonly gains: Gains | null;
  /** Why torque must not be switched on, by the newest readings; empty when it may. Do not call from the control cycle. */
  readonly torqueRefusal: string;
  /** Why the servos disagree with the calibration of their arm, so that it must not be driven; empty if they agree. */
  readonly miscalibrated: string;
  /** Why another machine that owns the arm does not let it be driven; empty when it does, and for an own arm. */
  readonly blocked: string;
  /** Why the arm must be stopped; empty when it need not. */
  readonly fault: string;
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
  /** Answers of this cycle came to a request that had been repeated by then: the bus is slow. */
  readonly late: boolean;
  /** Begins this cycle's read; returns whether `onSettled` will follow. */
  begin(now: number): boolean;
  /** The deadline of this cycle's read has passed: retry once, then settle. */
  expire(): void;
  /** Sends goal positions, rad. */
  write(goals: Float64Array): void;
  /**
   * Of each joint, whether it was sent the last goals: 0; 1 when one of its servos has not been heard, or the bus is taken by a
   * transaction; 2 when one is lost.
   */
  readonly withheld: Uint8Array;
  /** Reads torque and goals of the servos in the next cycle. */
  probe(): void;
  /**
   * Whether the servos of a joint hold the goals that they were sent, as far as is known.
   * @param resting the goals have stayed the same since the read that tells: they have to be the very same
   */
  takesGoals(joint: number, resting: boolean): boolean;
  /**
   * Switches torque on or off. It goes on only for servos that have shown that they hold the goal of where they are, so goals
   * are to be written in each cycle from now on.
   * @param settle is told why it is not done; empty when it is
   */
  setTorque(on: boolean, settle?: (problem: string) => void): void;
  /** Ends what switches torque on, and undoes it. @param why for people */
  endArming(why: string): void;
  /**
   * Brings back servos that have cut or reduced their torque; the arm is checked anew afterwards.
   * @returns why it is not done; empty when it is under way, or when no servo needs it
   */
  recover(now: number): string;
  /** An arm with a limp or silent servo is not driven any more: it is checked anew. */
  giveUp(): void;
  /** Reads what the servos are and how they are set, one transaction in a cycle. */
  servos(done: (outcome: Outcome<readonly ServoFacts[]>) => void): void;
  /**
   * Writes the temperature at which each servo switches itself off, degrees Celsius, one transaction in a cycle. A problem
   * comes before or after some servos have been written.
   */
  limitTemperatures(limits: Float64Array, done: (outcome: Outcome<void>) => void): void;
  /**
   * Writes what the first servo of each joint counts from, one transaction in a cycle, and reads positions so from then on.
   * Servos must be limp. A problem comes before or after some have been written.
   */
  calibrate(joints: readonly JointHoming[], done: (outcome: Outcome<void>) => void): void;
  /** Lets go of the bus until `reopen`; meanwhile it is not up, for this reason. @param done is called when the port is free */
  close(reason: string, done?: () => void): void;
  /** Opens the bus again after `close`; does nothing to a link that has not been closed. */
  reopen(): void;
}
