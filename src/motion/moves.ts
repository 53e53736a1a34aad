/** How the tool gets where it is to go: straight in joint space, or on a straight line. */
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

/** An absolute move. Lengths in m, angles in rad, in the absolute frame: axes of the base frame, zero at pose `init`. */
export interface AbsoluteMove extends Tolerances {
  /** Left out: the present goal of that coordinate is kept. */
  readonly x?: number;
  readonly y?: number;
  readonly z?: number;
  /** Positive lifts the nose; left out: free. */
  readonly pitch?: number;
  /** Positive turns left; left out: free. */
  readonly yaw?: number;
  /** Positive is clockwise seen from behind; left out: free. */
  readonly roll?: number;
  /** 0 closed .. 1 open; left out: the gripper keeps its goal. With nothing else given only the gripper acts. */
  readonly open?: number;
  readonly path: Path;
}

/** A move from the present goal, in axes of the base frame: m and rad. What is left out does not change. */
export interface RelativeMove extends Tolerances {
  readonly x?: number;
  readonly y?: number;
  readonly z?: number;
  /** Change of each angle of the absolute frame; left out: kept, as far as the arm has the joints for it. */
  readonly pitch?: number;
  readonly yaw?: number;
  readonly roll?: number;
  /** 0 closed .. 1 open, not a change. With nothing else given only the gripper acts. */
  readonly open?: number;
  readonly path: Path;
}

export interface MoveOutcome {
  readonly ok: boolean;
  /** Null when ok; else why it ended and how far it came, for people. */
  readonly message: string | null;
  /** Distance between asked and measured tool position, m; null when nothing was asked of it. */
  readonly positionError: number | null;
  /** Smallest rotation to an orientation with the asked angles, rad; null when nothing was asked of it. */
  readonly orientationError: number | null;
  /** Trials made. */
  readonly trials: number;
  /** From acceptance to the end of the motion, s. */
  readonly duration: number;
}

/** What a move would come to. */
export interface Forecast {
  /** Null when it would be begun and could meet its tolerances; else why not, for people. */
  readonly problem: string | null;
  /** Where the joints would go, rad; null where the arm cannot go at all. */
  readonly goal: Float64Array | null;
}

/** The tool in the absolute frame: m and rad; opening 0 closed .. 1 open. */
export interface EndEffector {
  /** Null when only the gripper was asked for. */
  readonly pose: { x: number; y: number; z: number; pitch: number; yaw: number; roll: number } | null;
  readonly open: number | null;
}
