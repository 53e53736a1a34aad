import type { Outcome } from '../../servo/bus-session.ts';
import type { ModelFacts } from '../../servo/servo-facts.ts';
import type { PositionLimits } from '../../servo/servo-model.ts';
import type { ArmReadings } from './arm-readings.ts';
import type { Gains } from './gains.ts';

/** One servo of an arm: its identity and its register settings. */
export interface ServoFacts extends ModelFacts {
  readonly joint: string;
}

/** How a servo fails: still carrying but not for long, limp but answering, or not answering. */
export type Ailment = 'failing' | 'limp' | 'silent';

/** State of an arm's torque: off in all servos, on in some, being switched on, on in all, being switched off. */
export type Power = 'limp' | 'partial' | 'arming' | 'holding' | 'releasing';

/** Homing of a joint's first servo: where it counts from. */
export interface JointHoming {
  /** Homing offset to write, in counts. */
  readonly offset: number;
  readonly operatingMode: number;
  /** Position limits to write, in counts; left out: its limits stay. */
  readonly limits?: PositionLimits | undefined;
  /** Whether the arm has been calibrated with this offset, so that later checks expect it. */
  readonly expected: boolean;
  readonly sign: 1 | -1;
  /** Servo steps at joint angle zero. */
  readonly zero: number;
}

/**
 * The control loop's interface to an arm's hardware: readings in, goal positions out, both in radians by joint. A link
 * never throws and never blocks: it reports `up` and `reason`, and answers by callbacks.
 */
export interface ArmLink {
  /** True while the arm answers and its registers are known. */
  readonly up: boolean;
  /** Why the link is not up, as text for people; empty while it is up. */
  readonly reason: string;
  /** A problem that people must know of while the arm is up; empty if there is none. */
  readonly trouble: string;
  readonly readings: ArmReadings;
  /** Every servo reports torque on. */
  readonly torque: boolean;
  /** Some servo reports torque on. */
  readonly anyTorque: boolean;
  /** 1 for each joint whose servos all report torque on. */
  readonly held: Uint8Array;
  /** State of the arm's torque. */
  readonly power: Power;
  /** Torque is being switched on: write goals in each cycle. */
  readonly arming: boolean;
  /** Servos are taking torque at the goals they were sent: these goals must not change. */
  readonly frozen: boolean;
  /** Torque was requested: limp servos are read until they stand still, and goals of the others go into `adopted`. */
  readonly settling: boolean;
  /** Goal positions that the servos held when the link came up, rad. */
  readonly adopted: Float64Array;
  /** The servos' own position limits, rad; infinite where they have none. */
  readonly limits: { readonly lower: Float64Array; readonly upper: Float64Array };
  /**
   * Upper bound of each joint's stiffness relative to the arm's data, by its servos' gains and models (1 = nominal).
   */
  readonly gain: Float64Array;
  /** Changes these gains; null if they cannot be changed. */
  readonly gains: Gains | null;
  /**
   * Why torque must not be switched on, by the newest readings; empty if it may. Do not call from the control cycle.
   */
  readonly torqueRefusal: string;
  /** Why the servos disagree with the calibration of their arm, so that it must not be driven; empty if they agree. */
  readonly miscalibrated: string;
  /** Why the machine that owns a remote arm does not let it be driven; empty if it does, and for a local arm. */
  readonly blocked: string;
  /** Why the arm must be stopped; empty if it need not be. */
  readonly fault: string;
  /** Reports the servo behind `fault` by `onAiling` once more. */
  failAgain(): void;
  /** True for a remote arm: another part passes its goals on, and the link has no servos to hold. */
  readonly remote: boolean;
  /** Called when a read begun by `begin` has settled. */
  onSettled: () => void;
  /** Called with a warning about the servos, for people. */
  onWarning: (text: string) => void;
  /**
   * Called with a joint whose servo cannot go on carrying, and why: the arm must be lowered. If the servo is limp or
   * silent, the link stays up for at most 35 s, until `giveUp` says that the arm is down or cannot be lowered.
   */
  onAiling: (joint: number, text: string, ailment: Ailment) => void;
  /** Time from the start of the read until the line has carried its answer, including everything sent before, s. */
  readonly readTime: number;
  /** An answer of this cycle came only after its request had been repeated: the bus is slow. */
  readonly late: boolean;
  /** Begins this cycle's read; returns whether `onSettled` will follow. */
  begin(now: number): boolean;
  /** The deadline of this cycle's read has passed: retries once, then settles. */
  expire(): void;
  /** Sends goal positions, rad. */
  write(goals: Float64Array): void;
  /**
   * By joint, whether the last goals were withheld: 0 sent; 1 not sent, because one of its servos has not been heard, may
   * have miscounted its turns, or a transaction has the bus; 2 not sent, because one of its servos is lost.
   */
  readonly withheld: Uint8Array;
  /** Reads torque and goals of the servos in the next cycle. */
  probe(): void;
  /**
   * Whether a joint's servos hold the goals they were sent, by the newest read of their goal registers.
   * @param resting the goals have not changed since before that read, so they must match, except for rounding
   */
  takesGoals(joint: number, resting: boolean): boolean;
  /**
   * Switches torque on or off. A servo gets torque only after it has confirmed a goal at its present position, so write
   * goals in each cycle from now on.
   * @param settle called with the reason for a failure; with an empty string on success
   */
  setTorque(on: boolean, settle?: (problem: string) => void): void;
  /**
   * Cancels switching torque on, and undoes it.
   * @param why for people
   */
  endArming(why: string): void;
  /**
   * Restores servos that have cut or reduced their torque, and then checks the arm again.
   * @param goesOn whether they are still to get torque
   * @returns why it is refused; empty if it is under way, or if no servo needs it
   */
  recover(now: number, goesOn: () => boolean): string;
  /** Stops driving an arm with a limp or silent servo, and checks it again. */
  giveUp(): void;
  /** Reads the servos' identity and settings, one transaction per cycle. */
  servos(done: (outcome: Outcome<readonly ServoFacts[]>) => void): void;
  /**
   * Writes the temperature at which each servo switches itself off, degrees Celsius, one transaction per cycle. After a
   * problem, some servos may have been written.
   */
  limitTemperatures(limits: Float64Array, done: (outcome: Outcome<void>) => void): void;
  /**
   * Writes the homing of each joint's first servo, one transaction per cycle, and reads positions with it from then on.
   * Servos must be limp. After a problem, some servos may have been written.
   */
  calibrate(joints: readonly JointHoming[], done: (outcome: Outcome<void>) => void): void;
  /**
   * Releases the bus until `reopen`; until then the link is not up, for this reason.
   * @param done called when the port is free
   */
  close(reason: string, done?: () => void): void;
  /** Opens the bus again after `close`; does nothing if the link is not closed. */
  reopen(): void;
}
