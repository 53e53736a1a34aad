import type { MessagePort } from 'node:worker_threads';
import type { SimFault } from './servo-line.ts';
import type { SimObjectState } from './sim-object.ts';
import type { SimArmOptions, SimTruth } from './simulated-arm.ts';

/** Start-up data of the simulation thread. */
export interface SimWorkerData {
  readonly arms: readonly SimArmOptions[];
  /** SCHED_FIFO priority, 1..99; null for none. */
  readonly priority: number | null;
}

export type SimCall =
  /** Connects a byte port to the arm's bus, replacing the previous one. */
  | { readonly type: 'attach'; readonly arm: string; readonly port: MessagePort }
  | {
      readonly type: 'hand';
      readonly arm: string;
      readonly joints: Readonly<Record<string, number>> | null;
      readonly duration: number;
      readonly stiffness: Readonly<Record<string, number>>;
    }
  | { readonly type: 'add'; readonly arm: SimArmOptions }
  | { readonly type: 'connect'; readonly arm: string; readonly ids: readonly number[] }
  | { readonly type: 'truth'; readonly arm: string }
  | { readonly type: 'fault'; readonly arm: string; readonly fault: SimFault }
  | { readonly type: 'objects'; readonly arm: string }
  | {
      readonly type: 'lead-object';
      readonly arm: string;
      readonly object: string;
      readonly goal: readonly [x: number, y: number, z: number];
      readonly duration: number;
    }
  | { readonly type: 'reset-objects'; readonly arm: string }
  | { readonly type: 'stop' };

/** Result of a call: the state of an arm or of its scene objects; null for other calls. */
export type SimResult = SimTruth | readonly SimObjectState[] | null;

/** Main thread to simulation thread; a `SimReply` with the same number answers it. */
export interface SimRequest {
  readonly number: number;
  readonly call: SimCall;
}

export type SimReply =
  /** MuJoCo is loaded and every arm is built. */
  | { readonly type: 'ready' }
  /** The simulation could not start, or an arm's physics diverged. */
  | { readonly type: 'failure'; readonly message: string }
  | { readonly type: 'done'; readonly number: number; readonly result: SimResult }
  /** Scene objects have moved; see `SimulatedArms.onObjects`. */
  | { readonly type: 'objects'; readonly arm: string; readonly poses: Float64Array }
  | { readonly type: 'refused'; readonly number: number; readonly message: string };
