/** What the programs of the benchmark tell each other, as JSON on the command line and on standard output. */

export type Family = 'feetech' | 'dynamixel';

/** Six emulated servos on a pseudo-terminal. */
export interface EmulatorOptions {
  readonly family: Family;
  /** Rate of the line, baud; null for a line that takes no time. */
  readonly baudRate: number | null;
  /** Share of replies that never arrive, 0..1. */
  readonly loseRate: number;
}

/** What an emulator says when it is told to end. */
export interface EmulatorReport {
  /** Goals that each of its servos was sent. */
  readonly goals: readonly number[];
}

export interface ClientOptions {
  /**
   * `mirror`: the control loop, pairs of leader and follower; `bus`: one bus by itself, a sync read and a sync write in turn;
   * `loop`: the control loop with that one bus; `heap`: `mirror` over a number of cycles, and what it left on the heap.
   */
  readonly kind: 'mirror' | 'bus' | 'loop' | 'heap';
  readonly family: Family;
  /** Device files: leader and follower of each pair, or the one bus. */
  readonly ports: readonly string[];
  /** Hz; null for cycles that begin as soon as the one before has ended. */
  readonly rate: number | null;
  /** Time over which is measured, s. */
  readonly seconds: number;
  /** Cycles of `heap`. */
  readonly cycles: number;
  /** Leaders float, and feel what pushes their followers. */
  readonly feels?: boolean;
}

/** What a client measured. */
export interface ClientReport {
  readonly cycles: number;
  /** s */
  readonly seconds: number;
  /** Processor time of the client's process, s. */
  readonly cpu: number;
  /** From the beginning of a cycle to that of the next, s, in ascending order. */
  readonly periods: readonly number[];
  /** From the beginning of the leader's read to the goals' being written, s, in ascending order. */
  readonly ages: readonly number[];
  /** Goal frames sent in all, the time before the measurement included; 0 where nobody counts. */
  readonly sent: number;
  /** Cycles of the measurement without goals. */
  readonly skipped: number;
  /** What the cycles of `heap` left, bytes; null for other kinds. */
  readonly heap: { readonly used: number; readonly buffers: number } | null;
}

/** A request that is always the same. */
export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON; null for none. */
  readonly body: string | null;
}

export interface LoadOptions {
  readonly port: number;
  /** Each connection asks them in turn. */
  readonly questions: readonly Question[];
  readonly connections: number;
  /** Time over which is measured, s, after one of which errors alone count. */
  readonly seconds: number;
  readonly warmUp: number;
}

export interface LoadReport {
  /** Answers per second. */
  readonly rate: number;
  /** From the request to the whole answer, s. */
  readonly p50: number;
  readonly p99: number;
  readonly answers: number;
  /** Answers other than 200, and connections that ended. */
  readonly errors: number;
  /** The first of them; empty without any. */
  readonly error: string;
}

/** Clients of the live stream. */
export interface WatchOptions {
  readonly port: number;
  readonly clients: number;
  /** As many of them stop reading. */
  readonly deaf: number;
  /** Frames of the arms per second that each asks for. */
  readonly rate: number;
  readonly seconds: number;
}

export interface WatchReport {
  /** Frames of the arms per second that the slowest of those who read was sent. */
  readonly rate: number;
  /** Connections of those who read that ended before their time. */
  readonly lost: number;
}
