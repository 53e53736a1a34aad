/** What the live stream and the routes say (docs/http.md), as far as the page reads it. SI units. */

export const ARM_STATES = ['disconnected', 'connected', 'ready', 'moving', 'mirroring', 'floating', 'stopped'] as const;
export type ArmState = (typeof ARM_STATES)[number];

export type Vector = readonly [number, number, number];

export interface JointInfo {
  readonly name: string;
  readonly role: string;
  readonly lower: number;
  readonly upper: number;
  /** Limit of planned motion, rad/s. */
  readonly velocity: number;
  /** Nm */
  readonly torque_limit: number;
  readonly servos: readonly { readonly id: number; readonly model: string }[];
}

/** What does not change about an arm. */
export interface ArmInfo {
  readonly id: number;
  readonly name: string;
  readonly model: string;
  readonly title: string;
  readonly bus: string;
  readonly simulated: boolean;
  readonly base_link: string;
  readonly tool_link: string;
  readonly mount: { readonly xyz: Vector; readonly rpy: Vector };
  readonly joints: readonly JointInfo[];
  readonly gripper: { readonly index: number; readonly closed: number; readonly open: number } | null;
  readonly poses: Readonly<Record<string, readonly number[]>>;
  /** What the alarm bits of its servos mean, by the bit. */
  readonly alarms: Readonly<Record<string, string>>;
}

type Values = readonly (number | null)[];

/** An arm at one moment; arrays are in the order of its joints. */
export interface ArmFrame {
  readonly id: number;
  readonly state: ArmState;
  readonly owner: string | null;
  readonly torque: boolean;
  readonly initialised: boolean;
  readonly reason: string;
  readonly joints: {
    readonly position: Values;
    readonly goal: Values;
    readonly velocity: Values;
    readonly effort: Values;
    readonly temperature: Values;
    readonly voltage: Values;
    readonly alarm: readonly number[];
  };
  readonly tool: {
    readonly position: Vector;
    readonly orientation: readonly [number, number, number, number];
  } | null;
  readonly opening: number | null;
  readonly motion: { readonly kind: string; readonly progress: number | null } | null;
}

export interface Hello {
  readonly type: 'hello';
  readonly version: string;
  readonly scopes: readonly string[];
  readonly arms: readonly ArmInfo[];
}

export interface PairFrame {
  readonly leader: string;
  readonly follower: string;
  readonly state: 'idle' | 'starting' | 'ramping' | 'mirroring' | 'holding';
  readonly owner: string;
  readonly rate: number;
  readonly latency: number | null;
  readonly reason: string;
}

interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

interface Timing {
  readonly recent: Percentiles;
  readonly total: Percentiles;
}

export interface LoopFrame {
  readonly cycles: number;
  readonly rate: number;
  readonly late: number;
  readonly period: number;
  readonly longest_period: number;
  readonly priority: number | null;
  readonly periods: Timing;
  readonly lateness: Timing;
  readonly latency: Timing;
  /** Cycles of the last 10 s by their period; `width` of a bin in s, the last bin has all longer ones. */
  readonly period_histogram: { readonly width: number; readonly counts: readonly number[] };
  readonly ros: {
    readonly enabled: boolean;
    readonly reason: string;
    readonly distro: string | null;
    /** While it is being prepared: what is being done, and about how long it takes, s. */
    readonly preparing: { readonly step: string; readonly left: number } | null;
  };
}

export interface LogLine {
  readonly time: number;
  readonly level: string;
  readonly message: string;
}

export type ServerMessage =
  | Hello
  | { readonly type: 'arms'; readonly t: number; readonly arms: readonly ArmFrame[] }
  | {
      readonly type: 'pairs';
      readonly active: boolean;
      readonly reason: string;
      readonly pairs: readonly PairFrame[];
    }
  | ({ readonly type: 'loop' } & LoopFrame)
  | { readonly type: 'log'; readonly lines: readonly LogLine[] }
  | { readonly type: 'refused'; readonly request: string; readonly reason: string; readonly arm?: number };

/** Answer of a step of a calibration. */
export interface CalibrationAnswer {
  readonly calibration_status: 'error' | 'success' | 'in_progress';
  /** What has been done, and what to do before the next call. */
  readonly message: string;
  /** 1 to `total_nb_steps`; 0 before the first. */
  readonly current_step: number;
  readonly total_nb_steps: number;
}

/** What a joint has been led over, from the middle pose. */
export interface SweptJoint {
  readonly name: string;
  readonly position: number | null;
  readonly least: number | null;
  readonly most: number | null;
  /** That the data of the arm give. */
  readonly range: number;
  /** It has been led to both of its ends, or need not be. */
  readonly done: boolean;
}

/** A calibration that is under way. */
export interface CalibrationState extends CalibrationAnswer {
  readonly joints: readonly SweptJoint[];
}

export interface Twist {
  /** m/s */
  readonly linear: Vector;
  /** rad/s */
  readonly angular: Vector;
  readonly frame: 'base' | 'tool';
}

export type Jog = { readonly joints: Readonly<Record<string, number>> } | { readonly twist: Twist };
