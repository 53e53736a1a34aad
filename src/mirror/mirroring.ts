import type { ForceFeedback } from '../rt/messages.ts';

/** What gravity compensation supports, percent of the model's torque, 0..100. */
export interface GravityPercentages {
  readonly shoulder: number;
  readonly elbow: number;
  readonly wrist: number;
}

export const DEFAULT_GRAVITY: GravityPercentages = { shoulder: 100, elbow: 50, wrist: 10 };

export type { ForceFeedback };

/** What a start does where leader and follower differ: the follower approaches slowly, or nothing is started. */
export const ON_MISMATCH = ['ramp', 'refuse'] as const;
export type OnMismatch = (typeof ON_MISMATCH)[number];

/** Who goes to whom at the start: the follower to its leader, or the leader, by itself, to its follower first. */
export const ALIGN = ['follower', 'leader'] as const;
export type Align = (typeof ALIGN)[number];

/** What becomes of a leader that floated: it is lowered and released, released at once, or goes on holding. */
export const RELEASES = ['lower', 'now', 'hold'] as const;
export type Release = (typeof RELEASES)[number];

export interface MirrorRequest {
  /** Arm ids. */
  readonly pairs: readonly { readonly leader: number; readonly follower: number }[];
  /** Null: the leaders are limp. */
  readonly gravity: GravityPercentages | null;
  /** Mirrors left and right for the followers. */
  readonly invert: boolean;
  /** What is left out is as the pair's configuration says. */
  readonly onMismatch?: OnMismatch;
  /** Difference of a joint from which `refuse` refuses, rad. */
  readonly mismatchThreshold?: number;
  readonly align?: Align;
  /** The leaders must float for it, and belong to this machine. */
  readonly forceFeedback?: ForceFeedback;
}

export type PairState = 'idle' | 'starting' | 'ramping' | 'mirroring' | 'holding';

export interface PairStatus {
  readonly leader: string;
  readonly follower: string;
  readonly state: PairState;
  /** Who has started it, and when, s since the epoch. */
  readonly owner: string;
  readonly since: number;
  /** Goals written to the follower per second. */
  readonly rate: number;
  /** From the leader's sample to the write of the follower's goal, s. */
  readonly latency: number;
  /** What the leader feels, as it was asked for; it must float for it. */
  readonly forceFeedback: ForceFeedback;
  /** Of the last stop or hold, or why the follower stays behind; empty when there is nothing to say. */
  readonly reason: string;
}

export interface MirrorStatus {
  readonly active: boolean;
  readonly pairs: readonly PairStatus[];
  /** Of the last stop. */
  readonly reason: string;
}
