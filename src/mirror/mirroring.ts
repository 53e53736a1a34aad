import type { ArmHandle } from '../arm/handle.ts';
import type { Arm, Caller } from '../arm/types.ts';

/** What gravity compensation supports, percent of the model's torque, 0..100. */
export interface GravityPercentages {
  readonly shoulder: number;
  readonly elbow: number;
  readonly wrist: number;
}

export const DEFAULT_GRAVITY: GravityPercentages = { shoulder: 100, elbow: 50, wrist: 10 };

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
}

export type PairState = 'idle' | 'starting' | 'ramping' | 'mirroring' | 'holding';

export interface PairStatus {
  readonly leader: string;
  readonly follower: string;
  readonly state: PairState;
  readonly owner: string;
  /** Goals written to the follower per second. */
  readonly rate: number;
  /** From the leader's sample to the write of the follower's goal, s. */
  readonly latency: number;
  /** Of the last stop or hold, or why the follower stays behind; empty when there is nothing to say. */
  readonly reason: string;
}

export interface MirrorStatus {
  readonly active: boolean;
  readonly pairs: readonly PairStatus[];
  /** Of the last stop. */
  readonly reason: string;
}

export interface Mirror {
  /** Resolves when the pairs are set up. @throws {BridgeError} bad_pair, already_mirroring, unknown_arm, disconnected, stopped, owned */
  start(request: MirrorRequest, caller: Caller): Promise<void>;
  /**
   * Stops all pairs; followers hold. Resolves to false when nothing was mirroring.
   * @param release what becomes of leaders that floated; left out: they are lowered and released
   */
  stop(caller: Caller, release?: Release): Promise<boolean>;
  status(): MirrorStatus;
  /** Called after each change of `status()`; returns how to stop listening. */
  onChange(listener: () => void): () => void;
}

/** Gravity compensation of single arms: they support their weight and yield to the hand. */
export interface Gravity {
  /** Resolves when the arm floats. @throws {BridgeError} disconnected, stopped, owned, unsupported */
  start(arm: Arm, percentages: GravityPercentages, caller: Caller): Promise<void>;
  /**
   * Resolves to false when the arm was not floating.
   * @param release what becomes of the arm; left out: it holds where it is
   */
  stop(arm: Arm, release?: Release): Promise<boolean>;
}

/** Planned motions that mirroring needs; they are made by another room. */
export interface PlannedMotions {
  /**
   * Drives an arm that the caller has claimed, along a checked way, to `goal` (rad).
   * @returns null when it has arrived, else why not; the arm holds then
   */
  approach(arm: ArmHandle, goal: Float64Array, signal: AbortSignal): Promise<string | null>;
  /** Lowers an arm along a checked way and releases it. @returns null when it is down, else why it holds */
  lower(arm: ArmHandle, caller: Caller): Promise<string | null>;
}
