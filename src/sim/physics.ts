import type { SimObject, SimObjectState } from './sim-object.ts';

/** One moving joint and what resists its motion. */
export interface PhysicsJoint {
  readonly name: string;
  /** Nm s/rad */
  readonly damping: number;
  /** Nm */
  readonly frictionLoss: number;
  /** kg m^2 */
  readonly armature: number;
}

export interface PhysicsOptions {
  /** Of the arm, for messages. */
  readonly name: string;
  /** URDF text; its collision shapes are primitives, its root link is the base. */
  readonly urdf: string;
  /** Link whose pose `toolPose` gives. */
  readonly toolLink: string;
  readonly joints: readonly PhysicsJoint[];
  /** Joint positions at the start, rad, one per element of `joints`. */
  readonly initial: readonly number[];
  /** Mass that hangs at the tool frame, kg; default 0. */
  readonly payload?: number;
  /** Things that stand before the arm; default: none. */
  readonly objects?: readonly SimObject[];
}

/** Pose in the arm's base frame: m, and a unit quaternion. */
export interface SimPose {
  readonly position: { readonly x: number; readonly y: number; readonly z: number };
  readonly orientation: { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
}

/** Step of the physics, s. */
export const TIME_STEP = 0.001;

/** Things that stand before an arm, as they move. */
export interface PhysicsObjects {
  /** Whether any of them moves, or may begin to. */
  readonly awake: boolean;
  /**
   * A hand of limited force leads an object to a place (m) and lets go after `duration` s; 0: at once.
   * @throws {Error} for an object that is not there or does not move, naming those that do; nothing moves then
   */
  lead(name: string, goal: readonly [x: number, y: number, z: number], duration: number): void;
  /** Puts every object back to where it was at the start, at rest, with no hand on it. */
  reset(): void;
  /** Pose of each object, 7 numbers each: place (m), quaternion with w last. */
  poses(): Float64Array;
  /** Where the objects are and what presses on them, as of the last step. */
  state(): SimObjectState[];
}

/** The mechanics of one arm. The torques of servos and hands come in from outside, once per step. */
export interface Physics {
  /** rad, one per joint, as of the last step. */
  readonly positions: Float64Array;
  /** rad/s */
  readonly velocities: Float64Array;
  /** Torque to apply in the next step, Nm. */
  readonly torques: Float64Array;
  /** Null where there are none. */
  readonly objects: PhysicsObjects | null;
  /**
   * One step of `TIME_STEP` with `torques`.
   * @returns false when the result was not finite: the arm then stands still where it was before the step
   */
  step(): boolean;
  /** Pose of the tool link at the present joint positions. */
  toolPose(): SimPose;
  /** Torques that hold the arm at the present positions and velocities, Nm, one per joint. */
  holdingTorques(): Float64Array;
  /** Pairs of links that touch at the present positions; none where no contacts are known. */
  contacts(): string[];
  /** Frees its memory; the object is of no use afterwards. */
  dispose(): void;
}

/** Refuses options in which the initial positions do not fit the joints. @throws {Error} for people */
export function checkInitial({ name, initial, joints }: PhysicsOptions): void {
  if (initial.length === joints.length) return;
  const counts = `${initial.length} initial positions for ${joints.length} joints`;
  throw new Error(`simulated arm "${name}": ${counts}; give one each`);
}
