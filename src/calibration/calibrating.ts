import type { Arm, Caller } from '../arm/types.ts';

/** Steps of a calibration, in their order; an arm that holds is lowered first, before them. */
export const STEPS = ['middle', 'sweep', 'hold', 'move', 'save'] as const;
export type Step = 'lower' | (typeof STEPS)[number];

/** What a step has come to, and what people are to do next. */
export interface CalibrationAnswer {
  readonly status: 'in_progress' | 'success' | 'error';
  readonly message: string;
  /** 1 to `steps`; 0 before the first. */
  readonly step: number;
  readonly steps: number;
}

/** A calibration that is under way. */
export interface CalibrationView extends CalibrationAnswer {
  readonly joints: readonly {
    readonly name: string;
    /** rad from the middle pose, past a servo's wrap too; NaN before the first sample. */
    readonly position: number;
    readonly least: number;
    readonly most: number;
    /** Range that the arm's data give, rad. */
    readonly range: number;
    /** It needs no leading to its ends, or has been led there. */
    readonly done: boolean;
  }[];
}

/** Calibrates arms, step by step. */
export interface Calibrations {
  /**
   * Begins an arm's calibration, or takes it to its next step.
   * @param reversed joints that moved the other way than was said, at the last step
   * @throws {BridgeError} disconnected, stopped, owned, unsupported, bad_request
   */
  next(arm: Arm, caller: Caller, reversed: readonly string[]): Promise<CalibrationAnswer>;
  /** Null while none is under way. */
  view(arm: Arm): CalibrationView | null;
  /**
   * Ends it and gives the servos back what they had; an arm that holds goes limp over 2 s first. Resolves to false when none
   * is under way. @throws {BridgeError} owned
   */
  cancel(arm: Arm, caller: Caller): Promise<boolean>;
}
