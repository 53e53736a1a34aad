import type { Caller } from '../arm/types.ts';

/** What gravity compensation supports, percent of the model's torque, 0..100. */
export interface GravityPercentages {
  readonly shoulder: number;
  readonly elbow: number;
  readonly wrist: number;
}

export interface MirrorRequest {
  /** Arm ids. */
  readonly pairs: readonly { readonly leader: number; readonly follower: number }[];
  /** Null: the leaders are limp. */
  readonly gravity: GravityPercentages | null;
  /** Mirrors left and right for the followers. */
  readonly invert: boolean;
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
  /** Of the last stop or hold; empty when there is nothing to say. */
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
  /** Stops all pairs; followers hold. Resolves to false when nothing was mirroring. */
  stop(caller: Caller): Promise<boolean>;
  status(): MirrorStatus;
  /** Called after each change of `status()`; returns how to stop listening. */
  onChange(listener: () => void): () => void;
}
