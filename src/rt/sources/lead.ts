/** Corner frequency of the filter on a follower's path, rad/s: three equal lags, 37 ms together. */
const CORNER = 80;
/** Speed range over which the sign of friction changes, rad/s. */
const FRICTION_SPEED = 0.1;

/**
 * Lead of the goal over the path that makes the joint itself follow: the torque of damping, inertia and friction over
 * the stiffness of the position spring. One element per joint.
 */
export interface DriveModel {
  /** Damping over stiffness, s. */
  readonly damping: Float64Array;
  /** Inertia over stiffness, s^2. */
  readonly inertia: Float64Array;
  /** Friction over stiffness, rad. */
  readonly friction: Float64Array;
  /** False: the path is sent unchanged, because the bridge that owns the servos smooths it and adds the lead. */
  readonly smooth: boolean;
}

/**
 * Turns a sampled path into goals for position springs: smooths it by three equal first-order lags, whose states also
 * give its velocity and acceleration, and adds the lead of the drive (computed torque, expressed as goals). With an
 * accurate model the joint follows the smoothed path: only the filter's lag remains, the same for all joints.
 */
export class Lead {
  readonly #drive: DriveModel;
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  readonly #third: Float64Array;

  constructor(drive: DriveModel) {
    const joints = drive.damping.length;
    this.#drive = drive;
    this.#first = new Float64Array(joints);
    this.#second = new Float64Array(joints);
    this.#third = new Float64Array(joints);
  }

  /** The path begins at rest at `positions`, rad. */
  reset(positions: Float64Array): void {
    this.#first.set(positions);
    this.#second.set(positions);
    this.#third.set(positions);
  }

  /** The path of one joint has been moved as a whole, by `way`, rad. */
  shift(joint: number, way: number): void {
    this.#first[joint] = this.#first[joint]! + way;
    this.#second[joint] = this.#second[joint]! + way;
    this.#third[joint] = this.#third[joint]! + way;
  }

  /**
   * Takes the path's next point (rad) and writes the goals for it into `out`.
   * @param dt s
   * @param part part of the drive's lead to add, 0..1 for each joint; the path is smoothed in any case
   * @param waits 1 for each joint whose goal stays; null: none
   */
  step(path: Float64Array, dt: number, part: Float64Array, out: Float64Array, waits: Uint8Array | null = null): void {
    const share = 1 - Math.exp(-CORNER * dt);
    const { damping, inertia, friction, smooth } = this.#drive;
    if (!smooth) {
      out.set(path);
      return;
    }
    for (let i = 0; i < out.length; i++) {
      if (waits?.[i] === 1) continue;
      const first = this.#first[i]! + share * (path[i]! - this.#first[i]!);
      const second = this.#second[i]! + share * (first - this.#second[i]!);
      const third = this.#third[i]! + share * (second - this.#third[i]!);
      this.#first[i] = first;
      this.#second[i] = second;
      this.#third[i] = third;
      const velocity = CORNER * (second - third);
      const acceleration = CORNER * CORNER * (first - 2 * second + third);
      const lead =
        damping[i]! * velocity + inertia[i]! * acceleration + friction[i]! * Math.tanh(velocity / FRICTION_SPEED);
      out[i] = third + part[i]! * lead;
    }
  }
}
