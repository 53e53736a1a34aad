import type { Step } from './calibration-steps.ts';

/** Calibration steps as numbered for users. An arm with torque on is lowered first; that step has no number. */
export const STEPS = ['middle', 'sweep', 'hold', 'move', 'save'] as const satisfies readonly Step[];

/** Result of a step, and what the user must do next. */
export interface CalibrationAnswer {
  readonly status: 'in_progress' | 'success' | 'error';
  readonly message: string;
  /** 1 to `steps`; 0 before the first. */
  readonly step: number;
  readonly steps: number;
}

/** A calibration in progress. */
export interface CalibrationView extends CalibrationAnswer {
  readonly joints: readonly {
    readonly name: string;
    /** rad from the middle pose, continuous across the encoder wrap; NaN before the first sample. */
    readonly position: number;
    readonly least: number;
    readonly most: number;
    /** Range of the joint in the arm model, rad. */
    readonly range: number;
    /** The joint was swept over its range, or needs no sweep because it turns a full turn. */
    readonly done: boolean;
  }[];
}
