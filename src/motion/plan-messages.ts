import type { ArmBuild, ReadModel } from '../arm/model.ts';
import type { AngleTargets } from '../kinematics/angles.ts';
import type { Vector3 } from '../kinematics/frames.ts';
import type { InverseResult } from '../kinematics/inverse.ts';
import type { RobotDescription } from '../kinematics/urdf.ts';
import type { FinePoses } from '../rt/sources/waypoint-shape.ts';
import type { WaypointLimits, WaypointPath } from '../rt/sources/waypoints.ts';
import type { AskedChunk, LedChunk } from './chunk-path.ts';
import type { Line, LineEnd } from './line.ts';
import type { PaceParts, PlannedArm, WayContact } from './planner.ts';

/** The data of an arm that the planner thread needs. */
export interface PlanSetup extends PlannedArm {
  readonly urdf: RobotDescription;
  readonly baseLink: string;
  readonly toolLink: string;
}

/** A path that an arm is to drive. */
export interface AskedWaypoints {
  readonly path: WaypointPath;
  /** Where the arm is now, rad. */
  readonly from: Float64Array;
  /** The path begins later, from wherever the arm is by then. */
  readonly waits: boolean;
  /** The arm is in motion, so the way to the first pose is not known. */
  readonly moving: boolean;
  readonly limits: WaypointLimits;
}

/** Questions to the planner thread, with their answers. Joint positions in rad, lengths in m. */
export interface PlanKinds {
  readonly solve: {
    readonly question: { readonly position: Vector3; readonly angles: AngleTargets; readonly seed: Float64Array };
    readonly answer: InverseResult;
  };
  readonly route: {
    readonly question: { readonly from: Float64Array; readonly to: Float64Array };
    readonly answer: readonly Float64Array[] | string;
  };
  readonly line: {
    readonly question: { readonly from: Float64Array; readonly to: LineEnd; readonly parts: PaceParts };
    readonly answer: Line | string;
  };
  readonly along: {
    readonly question: { readonly from: Float64Array; readonly positions: Float64Array };
    readonly answer: WayContact | null;
  };
  readonly waypoints: {
    readonly question: AskedWaypoints;
    /** Poses along the path, or why it cannot be driven. */
    readonly answer: FinePoses | string;
  };
  readonly chunk: {
    readonly question: AskedChunk;
    readonly answer: LedChunk;
  };
}

/** Questions about models, with their answers: reading one takes tens of milliseconds. */
export interface ModelKinds {
  readonly model: {
    readonly question: { readonly model: string; readonly variant: string };
    readonly answer: ReadModel;
  };
  readonly builds: {
    readonly question: { readonly model: string };
    readonly answer: readonly ArmBuild[];
  };
}

export type ModelQuestion = {
  [Kind in keyof ModelKinds]: { readonly kind: Kind } & ModelKinds[Kind]['question'];
}[keyof ModelKinds];
export type ModelAnswer = ModelKinds[keyof ModelKinds]['answer'];

export type PlanKind = keyof PlanKinds;

export type PlanQuestion = { [Kind in PlanKind]: { readonly kind: Kind } & PlanKinds[Kind]['question'] }[PlanKind];
export type PlanAnswer = PlanKinds[PlanKind]['answer'];

export type ToPlanner =
  | { readonly setup: PlanSetup }
  /** Arms are numbered in the order of their setups. */
  | { readonly request: number; readonly arm: number; readonly question: PlanQuestion }
  | { readonly request: number; readonly arm: null; readonly question: ModelQuestion };

export type FromPlanner =
  | { readonly request: number; readonly answer: PlanAnswer | ModelAnswer }
  /** Message of the `ArmModelError` with which a model could not be read. */
  | { readonly request: number; readonly unreadable: string }
  /** The question was given up, or could not be answered; human-readable. */
  | { readonly request: number; readonly failure: string };
