import { gravityConfig } from '../config/schema.ts';
import type { ForceFeedback } from '../rt/messages.ts';

/** Gravity support, percent of the model's torque, 0..100. */
export interface GravityPercentages {
  readonly shoulder: number;
  readonly elbow: number;
  readonly wrist: number;
}

export const DEFAULT_GRAVITY: GravityPercentages = gravityConfig.parse({});

export type { ForceFeedback };

/** A change of force feedback; a part left out stays as it is. */
export type FeedbackChange = { readonly [part in keyof ForceFeedback]?: ForceFeedback[part] | undefined };

/** How a start treats a mismatch of leader and follower: the follower approaches slowly, or the start is refused. */
export const ON_MISMATCH = ['ramp', 'refuse'] as const;
export type OnMismatch = (typeof ON_MISMATCH)[number];

/** Which arm moves at the start: the follower to its leader, or first the leader, by itself, to its follower. */
export const ALIGN = ['follower', 'leader'] as const;
export type Align = (typeof ALIGN)[number];

/** What happens to a leader that floated: it is lowered and released, released at once, or holds. */
export const RELEASES = ['lower', 'now', 'hold'] as const;
export type Release = (typeof RELEASES)[number];

export interface MirrorRequest {
  /** Arm ids. */
  readonly pairs: readonly { readonly leader: number; readonly follower: number }[];
  /** Null: the leaders are limp. */
  readonly gravity: GravityPercentages | null;
  /** Mirrors left and right for the followers. */
  readonly invert: boolean;
  /** Fields left out are taken from the pair's configuration. */
  readonly onMismatch?: OnMismatch;
  /** Joint difference above which `refuse` refuses, rad. */
  readonly mismatchThreshold?: number;
  readonly align?: Align;
  /** Requires that the leaders float and belong to this machine. */
  readonly forceFeedback?: ForceFeedback;
}

export type PairState = 'idle' | 'starting' | 'ramping' | 'mirroring' | 'holding';

export interface PairStatus {
  readonly leader: string;
  readonly follower: string;
  readonly state: PairState;
  /** Who started it, and when, s since the epoch. */
  readonly owner: string;
  readonly since: number;
  /** Goals written to the follower per second. */
  readonly rate: number;
  /** From the leader's sample to the write of the follower's goal, s. */
  readonly latency: number;
  /** Requested force feedback; the leader feels it only while it floats. */
  readonly forceFeedback: ForceFeedback;
  /** Reason of the last stop or hold, or why the follower lags; empty when there is none. */
  readonly reason: string;
}

export interface MirrorStatus {
  readonly active: boolean;
  readonly pairs: readonly PairStatus[];
  /** Reason of the last stop. */
  readonly reason: string;
}
