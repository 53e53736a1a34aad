import type { Origin } from '../arm/types.ts';
import type { HttpConfig } from '../config/schema.ts';
import type { Session } from '../http/guard.ts';
import type { Tokens } from '../http/tokens.ts';

/** An arm as the stop thread knows it. */
export interface StopArm {
  readonly id: number;
  readonly name: string;
  readonly bus: string;
  readonly joints: number;
  /** Another machine owns its bus, and knows alone whether its joints rest. */
  readonly remote: boolean;
  /** Its shared snapshot, with the word of its stop. */
  readonly memory: SharedArrayBuffer;
}

/** What the stop thread begins with. */
export interface StopSetup {
  readonly config: HttpConfig;
  readonly tokens: Tokens | null;
  /** Folder of the bridge's state, with the tokens that have names and what is kept of each arm. */
  readonly state: string;
  /** PEM; null: plain HTTP. */
  readonly certificate: { readonly cert: Uint8Array; readonly key: Uint8Array } | null;
  readonly host: string;
  /** On which it listens; 0: a free one. */
  readonly port: number;
  /** Where that port is taken it takes a free one. */
  readonly yields: boolean;
  /** On which the rest of HTTP is served. */
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
  /** What people should know, such as a stop that could not be kept on disk. */
  | { readonly kind: 'trouble'; readonly text: string }
  /** It has latched the stops of these arms, by their places. @property by who has asked, for people @property at monotonic, s */
  | {
      readonly kind: 'stopped';
      readonly arms: readonly number[];
      readonly by: string;
      readonly at: number;
      readonly origin: Origin;
    };

/** Messages to and from the stop thread, which begins when this is made. */
export interface StopChannel {
  post(message: ToStop): void;
  close(): void;
  onMessage: (message: FromStop) => void;
  /** Called once, when the thread has ended, with the reason. */
  onExit: (reason: Error) => void;
}
