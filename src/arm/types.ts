import type { Pose } from '../kinematics/frames.ts';
import type { CycleTiming, PeriodHistogram } from '../rt/loop/loop-timing.ts';
import type { ArmSnapshot } from '../rt/snapshot/arm-fields.ts';
import type { ArmModel } from './model.ts';

export { ARM_STATES, type ArmSnapshot, type ArmState } from '../rt/snapshot/arm-fields.ts';

/** What drives an arm at this moment. */
export interface Activity {
  /** `trajectory`, `waypoints`, `mirror`, `stream`, `jog` or `float`. */
  readonly kind: string;
  /** Part of the time of the present leg that has passed, 0..1; null for a motion without an end. */
  readonly progress: number | null;
}

/** Who drives, or asks to drive, an arm. Two owners are the same when their keys are equal. */
export interface Owner {
  readonly key: string;
  /** For people: "http client", "ROS topic /follower/joint_commands", "mirroring of leader". */
  readonly name: string;
}

/** Who asks, how insistently, and how the asker lets go. */
export interface Caller {
  readonly owner: Owner;
  /** Take the arm from another owner. */
  readonly takeOver: boolean;
  /** Aborted when the asker has gone: its motion then decelerates to a hold. */
  readonly signal?: AbortSignal;
}

export const ERROR_CODES = [
  'unknown_arm',
  'disconnected',
  'stopped',
  'owned',
  'not_initialised',
  'bad_pair',
  'already_mirroring',
  'no_sample',
  'not_simulated',
  'bad_request',
  'unsupported',
  'unavailable',
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** An error for people outside the loop: a code for programs, and a message that names the arm and the next step. */
export class BridgeError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = 'BridgeError';
  }
}

/** The handle by which the rest of the program knows an arm. */
export interface Arm {
  readonly id: number;
  readonly name: string;
  readonly model: ArmModel;
  /** Where its servos are, as configured: `sim:so101`, `ros`, ... */
  readonly bus: string;
  /** True when another machine owns its bus (`bus: ros`). */
  readonly remote: boolean;
  readonly simulated: boolean;
  /** True while it has been taken off its bus on purpose. */
  readonly detached: boolean;
  /** Present owner; null when the arm is free. */
  readonly owner: Owner | null;
  /** What drives it; null while it holds or is limp. */
  readonly activity: Activity | null;
  /** True once /move/init has set the zero of the absolute frame. */
  readonly initialised: boolean;
  /** Part of the largest speeds of its data that moves and following may use, above 0 and at most 1. */
  readonly speedScale: number;
  /** Sets that part: at once for following, from the next motion on for moves, which are planned for it. */
  limitSpeed(part: number): void;
  /** Part of the largest accelerations of its data with which moves and following may gain speed; braking keeps all. */
  readonly accelerationScale: number;
  /** Sets that part: at once for following, from the next motion on that begins at rest for moves. */
  limitAcceleration(part: number): void;
  /** Why the arm is disconnected or stopped, for people; empty otherwise. */
  readonly reason: string;
  /** @throws {BridgeError} disconnected, with the time of its last good sample */
  requireConnected(): void;
  /** The newest complete snapshot; the returned object is reused by the next call on the same arm. */
  read(): ArmSnapshot;
  /** Resolves with a snapshot whose bus read began after the call. @throws {BridgeError} no_sample after `timeout` s. */
  readFresh(timeout: number): Promise<ArmSnapshot>;
  /** Tool pose in the arm's base frame for joint positions `q` (rad, one per joint). */
  toolPose(q: Float64Array): Pose;
  /** Gripper opening, 0 closed .. 1 open, for joint positions `q`; null for an arm without a gripper. */
  gripperOpening(q: Float64Array): number | null;
  /** A stop is latched; an arm that is disconnected meanwhile is stopped when it comes back. */
  readonly latched: boolean;
  /** Latched stop: decelerates within 0.25 s, holds, and refuses every motion until reset. Needs no ownership. */
  stop(reason: string): Promise<void>;
  /**
   * Leaves `stopped`. The arm belongs to nobody afterwards and holds, or is limp as it was.
   * @throws {BridgeError} stopped when it is stopped again at once, for the reason that it says
   */
  reset(): Promise<void>;
}

/** All arms of this process. */
export interface Arms {
  readonly all: readonly Arm[];
  /** @throws {BridgeError} unknown_arm, listing the known ids. */
  byId(id: number): Arm;
  byName(name: string): Arm | undefined;
}

/** Figures of the control loop, from the shared snapshot. */
export interface LoopStatistics {
  /** Cycles since start. */
  cycles: number;
  /** Configured rate, Hz. */
  rate: number;
  /** Cycles that began later than half a period. */
  late: number;
  /** Mean period of the last second, s. */
  period: number;
  /** Longest period of the last second, s. */
  longestPeriod: number;
  /** Real-time priority of the control thread (SCHED_FIFO); 0 where it has none. */
  priority: number;
  /** From the beginning of a cycle to that of the next. */
  periods: CycleTiming;
  /** Time by which a cycle began too late. */
  lateness: CycleTiming;
  /** From the beginning of the read of all arms until goals made of it had been written to all. */
  latency: CycleTiming;
  /** Periods of the last 10 s, by their length. */
  histogram: PeriodHistogram;
}
