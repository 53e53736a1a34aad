/** Path of the tool to its target: straight in joint space, or a straight line. */
export const PATHS = ['joint', 'line'] as const;
export type Path = (typeof PATHS)[number];

/** When a move counts as done. */
export interface Tolerances {
  /** Most trials, >= 1. */
  readonly maxTrials: number;
  /** m */
  readonly positionTolerance: number;
  /** rad */
  readonly orientationTolerance: number;
}

/** An absolute move. Lengths in m, angles in rad, in the absolute frame: base frame axes, zero at pose `init`. */
export interface AbsoluteMove extends Tolerances {
  /** Left out: that coordinate keeps its present goal. */
  readonly x?: number;
  readonly y?: number;
  readonly z?: number;
  /** Positive lifts the nose; left out: free. */
  readonly pitch?: number;
  /** Positive turns left; left out: free. */
  readonly yaw?: number;
  /** Positive is clockwise seen from behind; left out: free. */
  readonly roll?: number;
  /** 0 closed .. 1 open; left out: the gripper keeps its goal. If nothing else is given, only the gripper moves. */
  readonly open?: number;
  readonly path: Path;
}

/** A move relative to the present goal, in axes of the base frame: m and rad. What is left out does not change. */
export interface RelativeMove extends Tolerances {
  readonly x?: number;
  readonly y?: number;
  readonly z?: number;
  /** Change of each angle of the absolute frame; left out: kept, as far as the arm has the joints for it. */
  readonly pitch?: number;
  readonly yaw?: number;
  readonly roll?: number;
  /** 0 closed .. 1 open, not a change. If nothing else is given, only the gripper moves. */
  readonly open?: number;
  readonly path: Path;
}

export interface MoveOutcome {
  readonly ok: boolean;
  /** Null when ok; else why it ended and how far it came, human-readable. */
  readonly message: string | null;
  /** Distance between requested and measured tool position, m; null if no position was requested. */
  readonly positionError: number | null;
  /** Smallest rotation to an orientation with the requested angles, rad; null if no orientation was requested. */
  readonly orientationError: number | null;
  /** Number of trials made. */
  readonly trials: number;
  /** From acceptance to the end of the motion, s. */
  readonly duration: number;
}

/** Forecast of a move. */
export interface Forecast {
  /** Null when the move would start and could meet its tolerances; else why not, human-readable. */
  readonly problem: string | null;
  /** Joint positions of the target, rad; null where the arm cannot go at all. */
  readonly goal: Float64Array | null;
}

/** The tool in the absolute frame: m and rad; opening 0 closed .. 1 open. */
export interface EndEffector {
  /** Null when only the gripper was asked for. */
  readonly pose: { x: number; y: number; z: number; pitch: number; yaw: number; roll: number } | null;
  readonly open: number | null;
}
