import type { FollowCode } from '../snapshot/arm-fields.ts';

/** What a setpoint source tells the loop about the setpoints it has just written. */
export const SourceStatus = {
  /** Setpoints are valid; more will come. */
  running: 0,
  /** Setpoints are valid and final: the motion ends, and the arm holds there. */
  done: 1,
  /** No fresh setpoints: the arm decelerates and holds until there are some again. */
  hold: 2,
} as const;
export type SourceStatus = (typeof SourceStatus)[keyof typeof SourceStatus];

/** Which of an arm's limits the gate applies to a source. */
export type LimitSet = 'move' | 'mirror';

/** One way of driving an arm. Called once per cycle inside the control loop: allocates nothing, throws nothing. */
export interface SetpointSource {
  readonly state: 'moving' | 'mirroring' | 'floating';
  readonly limits: LimitSet;
  /** Its first setpoints continue those passed to `begin` at their velocities: nothing jumps at takeover. */
  readonly continues?: boolean;
  /** For sources that follow samples: what they are doing, and the monotonic time of the newest sample, s. */
  readonly follow?: { readonly code: FollowCode; readonly sampleTime: number };
  /** The angles that it follows now may be wrong, so the arm is as slow as if its own were. */
  readonly doubtful?: boolean;
  /**
   * Takes over the arm where it is.
   * @param setpoints last setpoints, rad
   * @param velocities last velocities of the setpoints, rad/s
   * @param now monotonic time, s
   * @param accelerations of the goals in the last cycle, rad/s^2
   */
  begin(setpoints: Float64Array, velocities: Float64Array, now: number, accelerations: Float64Array): void;
  /**
   * Writes the setpoints wanted at `now` into `out`, which holds the last ones (rad).
   * @param dt time since the last cycle, s
   * @param withheld of the last cycle, see `ArmLink`
   */
  next(now: number, dt: number, out: Float64Array, withheld: Uint8Array): SourceStatus;
}

/**
 * A source that supports a part of each joint's weight and otherwise goes wherever the arm is pushed. When it is done
 * the arm goes limp.
 */
export interface FloatingSource extends SetpointSource {
  readonly state: 'floating';
  /** Part of the model's gravity torque that is supported, 0..1 for each joint. */
  readonly support: Float64Array;
  /** Additional torques for a hand to feel, Nm by joint; null: none. */
  readonly feedback: Float64Array | null;
  /** Position gain of each servo relative to its own; another array when it changes; null: unchanged. */
  readonly gains: Float64Array | null;
}

export function isFloating(source: SetpointSource): source is FloatingSource {
  return source.state === 'floating';
}
