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
  /** Name of the arm, for messages. */
  readonly name: string;
  /** URDF text; collision shapes must be primitives, the root link is the base. */
  readonly urdf: string;
  /** Link whose pose `toolPose` returns. */
  readonly toolLink: string;
  readonly joints: readonly PhysicsJoint[];
  /** Initial joint positions, rad, one per element of `joints`. */
  readonly initial: readonly number[];
  /** Mass at the tool frame, kg; default 0. */
  readonly payload?: number;
  /** Scene objects; default: none. */
  readonly objects?: readonly SimObject[];
}

/** Pose in the arm's base frame: m, and a unit quaternion. */
export interface SimPose {
  readonly position: { readonly x: number; readonly y: number; readonly z: number };
  readonly orientation: { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
}

/** Step of the physics, s. */
export const TIME_STEP = 0.001;

/** Scene objects of an arm in a running simulation. */
export interface PhysicsObjects {
  /** Whether any object moves or may start to move. */
  readonly awake: boolean;
  /**
   * Moves an object to a position (m) by a hand of limited force, which lets go after `duration` s; 0: at once.
   * @throws {Error} for an object that does not exist or is fixed, with the names of the movable ones; nothing moves
   *   then
   */
  lead(name: string, goal: readonly [x: number, y: number, z: number], duration: number): void;
  /** Puts every object back at its initial pose, at rest and not held. */
  reset(): void;
  /** Pose of each object, 7 numbers each: position (m), quaternion with w last. */
  poses(): Float64Array;
  /** Object poses and contact forces as of the last step. */
  state(): SimObjectState[];
}

/** The mechanics of one arm. The caller sets the torques of servos and hands before each step. */
export interface Physics {
  /** rad, one per joint, as of the last step. */
  readonly positions: Float64Array;
  /** rad/s */
  readonly velocities: Float64Array;
  /** Torque to apply in the next step, Nm. */
  readonly torques: Float64Array;
  /** Null without scene objects. */
  readonly objects: PhysicsObjects | null;
  /**
   * Runs one step of `TIME_STEP` with `torques`.
   * @returns false if the result was not finite: the arm then stands still where it was before the step
   */
  step(): boolean;
  /** Pose of the tool link at the present joint positions. */
  toolPose(): SimPose;
  /** Torques that hold the arm at the present positions and velocities, Nm, one per joint. */
  holdingTorques(): Float64Array;
  /** Pairs of links in contact at the present positions; empty for a model without contacts. */
  contacts(): string[];
  /** Frees the memory; do not use the object afterwards. */
  dispose(): void;
}

/** Checks that there is one initial position per joint. @throws {Error} with a message for the user */
export function checkInitial({ name, initial, joints }: PhysicsOptions): void {
  if (initial.length === joints.length) return;
  const counts = `${initial.length} initial positions for ${joints.length} joints`;
  throw new Error(`simulated arm "${name}": ${counts}; give one each`);
}
