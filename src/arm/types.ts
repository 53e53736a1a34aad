import type { CycleTiming, PeriodHistogram } from '../rt/loop/loop-timing.ts';
import type { ArmSession } from './arm-session.ts';

export type { Joints } from '../rt/joint/joint-groups.ts';
export { ARM_STATES, type ArmSnapshot, type ArmState } from '../rt/snapshot/arm-fields.ts';
export type { Arm } from './arm.ts';
export type { Arms } from './arms.ts';

/** What drives an arm now. */
export interface Activity {
  /** `trajectory`, `waypoints`, `mirror`, `stream`, `jog` or `float`. */
  readonly kind: string;
  /** Elapsed fraction of the present leg's time, 0..1; null for a motion without an end. */
  readonly progress: number | null;
}

/** Who drives, or asks to drive, an arm. Two owners are the same when their keys are equal. */
export interface Owner {
  readonly key: string;
  /** Human-readable: `"notebook" on this computer`, `the ROS topic /follower/joint_commands`. */
  readonly name: string;
  /** The client that started what drives the arm; left out: the owner itself. */
  readonly client?: Owner;
}

/**
 * Owner of what the bridge itself drives, started by a client. It is another owner than its client, so that a motion of
 * that client does not replace it by mistake.
 * @param what human-readable: `leader-follower control`
 */
export function startedBy(client: Owner, what: string): Owner {
  return {
    key: `${what} ${client.key}`,
    client,
    // A client's name may change.
    get name() {
      return `${what}, started by ${client.name}`;
    },
  };
}

/** The request behind an action. */
export interface Origin {
  /** Its sender, human-readable. */
  readonly who: string;
  /** Where it came from: an address, `this computer`, `ROS 2`, `the bridge`. */
  readonly from: string;
  /** `POST /move/init`, `service /follower/arm_bridge/init`, ... */
  readonly what: string;
  /** Request id that its answer and its log lines carry; null where there is none. */
  readonly request: string | null;
}

/** Who asks, whether by take-over, and how the caller cancels. */
export interface Caller {
  readonly owner: Owner;
  /** Take the arm from another owner. */
  readonly takeOver: boolean;
  /** Aborted when the caller has gone: its motion then decelerates to a hold. */
  readonly signal?: AbortSignal;
  /** The caller knows that the arm's angles may be wrong. */
  readonly uncalibrated?: boolean;
  /** The bridge itself asks, not a person or a program. */
  readonly automatic?: boolean;
  /** Called with the session as soon as the caller has the arm. */
  readonly onTaken?: (session: Pick<ArmSession, 'motion' | 'joints'>) => void;
  /** Left out: the owner itself. */
  readonly origin?: Origin;
}

export const ERROR_CODES = [
  'unknown_arm',
  'unknown_recording',
  'disconnected',
  'stopped',
  'owned',
  'not_initialised',
  'uncalibrated',
  'bad_pair',
  'already_mirroring',
  'no_sample',
  'not_simulated',
  'bad_request',
  'unsupported',
  'unavailable',
  'unattended',
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** What to do about an error. HTTP, ROS 2 and the page each phrase it in their own words. */
export const REMEDIES = [
  /** Move the arm to its pose `init`. */
  'init',
  /** Release the arm's stop. */
  'reset',
  'torque_on',
  /** Wait until the owner has finished, or take the arm over. */
  'take_over',
  'stop_mirroring',
  'stop_recording',
  /** List the serial ports of this machine. */
  'list_ports',
  /** Connect the arm, which was disconnected on purpose. */
  'connect',
  /** Calibrate the arm, or repeat the request with `uncalibrated`. */
  'calibrate',
] as const;
export type Remedy = (typeof REMEDIES)[number];

/**
 * An error for people outside the loop: a code for programs, a message in plain words that names the arm, and the next
 * step where another part of the bridge offers one.
 */
export class BridgeError extends Error {
  override readonly name = 'BridgeError';
  readonly code: ErrorCode;
  /** The arm concerned; null for the whole bridge. */
  readonly arm: { readonly id: number; readonly name: string } | null;
  readonly remedy: Remedy | null;

  /** @param message one or more sentences; nothing of HTTP or ROS 2 */
  constructor(
    code: ErrorCode,
    message: string,
    { arm = null, remedy = null }: { readonly arm?: BridgeError['arm']; readonly remedy?: Remedy | null } = {},
  ) {
    super(message);
    this.code = code;
    this.arm = arm === null ? null : { id: arm.id, name: arm.name };
    this.remedy = remedy;
  }
}

/** Abort reason of a cancelled motion, human-readable. Any other reason means that the caller has gone. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** Figures of the control loop, from the shared snapshot. */
export interface LoopStatistics {
  /** Cycles since start. */
  cycles: number;
  /** Configured rate, Hz. */
  rate: number;
  /** Cycles that began more than half a period late. */
  late: number;
  /** Why this computer does not keep up, human-readable; empty when it does. */
  trouble: string;
  /** Mean period of the last second, s. */
  period: number;
  /** Longest period of the last second, s. */
  longestPeriod: number;
  /** Real-time priority of the control thread (SCHED_FIFO); 0 where it has none. */
  priority: number;
  /** From the start of a cycle to the start of the next. */
  periods: CycleTiming;
  /** How late cycles began. */
  lateness: CycleTiming;
  /** From the start of the read of all arms until the resulting goals had been written to all. */
  latency: CycleTiming;
  /** Periods of the last 10 s, by length. */
  histogram: PeriodHistogram;
}
