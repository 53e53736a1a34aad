import type { Origin } from '../arm/types.ts';
import type { HttpConfig } from '../config/schema.ts';
import type { Session } from '../http/guard.ts';
import type { Tokens } from '../http/tokens.ts';

/** The stop thread's data of an arm. */
export interface StopArm {
  readonly id: number;
  readonly name: string;
  readonly bus: string;
  readonly joints: number;
  /** Another machine owns its bus, and only that machine knows whether its joints rest. */
  readonly remote: boolean;
  /** Its shared snapshot, with its stop word. */
  readonly memory: SharedArrayBuffer;
}

/** Start data of the stop thread. */
export interface StopSetup {
  readonly config: HttpConfig;
  readonly tokens: Tokens | null;
  /** The bridge's state folder, with the named tokens and the records of the arms. */
  readonly state: string;
  /** PEM; null: plain HTTP. */
  readonly certificate: { readonly cert: Uint8Array; readonly key: Uint8Array } | null;
  readonly host: string;
  /** Port to listen on; 0: a free one. */
  readonly port: number;
  /** Whether to use a free port if that one is taken. */
  readonly yields: boolean;
  /** Port of the main HTTP server. */
  readonly pagePort: number;
  /** Real-time priority of the thread; null: none. */
  readonly priority: number | null;
  /** The shared memory of the control loop. */
  readonly loop: SharedArrayBuffer;
  readonly arms: readonly StopArm[];
}

export type ToStop =
  | { readonly arm: StopArm }
  /** A page has signed in, or out (null). */
  | { readonly key: string; readonly session: Session | null };

export type FromStop =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'failed'; readonly code: string }
  /** A fault to log, such as a stop that could not be saved to disk. */
  | { readonly kind: 'trouble'; readonly text: string }
  /**
   * It has latched the stops of these arms (indices).
   * @property by human-readable reason with the requester
   * @property at monotonic time, s
   */
  | {
      readonly kind: 'stopped';
      readonly arms: readonly number[];
      readonly by: string;
      readonly at: number;
      readonly origin: Origin;
    };

/** Channel to the stop thread; creating it starts the thread. */
export interface StopChannel {
  post(message: ToStop): void;
  close(): void;
  onMessage: (message: FromStop) => void;
  /** Called once, when the thread has ended, with the reason. */
  onExit: (reason: Error) => void;
}
