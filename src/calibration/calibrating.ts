import type { Step } from './calibration-steps.ts';

/** Steps of a calibration that people count; an arm that holds is lowered first, before them. */
export const STEPS = ['middle', 'sweep', 'hold', 'move', 'save'] as const satisfies readonly Step[];

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
