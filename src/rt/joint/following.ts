/** What a joint and its drive are like, one element per joint. */
export interface DrivenJoints {
  /** Nm/rad at the reference gain. */
  readonly stiffness: Float64Array;
  /** Nm s/rad, Nm, kg m^2. */
  readonly damping: Float64Array;
  readonly friction: Float64Array;
  readonly inertia: Float64Array;
}

/** A joint further from where its drive explains it to be does not follow, rad: more than backlash, friction and play. */
const BAND = 0.06;
/** Part of the droop by which it may be wrong besides: what a gripper carries is not in the model. */
const DROOP_SHARE = 0.25;
/** Time by which a joint may lag besides, s: what a drive brakes a quick joint by differs from servo to servo. */
const LAG = 0.01;
/** It is told after so many cycles, and this long, s. */
const CYCLES = 3;
const TIME = 0.015;
/** A load that the model does not know bends a joint as long as it is there: what lasts is learned over this time, s. */
const LEARNING = 0.5;
/** Largest part of it that is learned, rad. */
const MOST_LEARNED = 0.2;
/** Speed over which the sign of friction changes, rad/s. */
export const FRICTION_SPEED = 0.1;
/** After a longer gap between two samples nobody knows what has happened meanwhile, s. */
const LONGEST_GAP = 0.05;
/** The observers' equations are good for steps of this, s. */
const LONGEST_STEP = 0.006;
/** Positions over which a joint's speed is measured. */
const WINDOW = 4;

/**
 * Holds measured positions against goals: each joint has an observer of its position spring, so what drive, droop and limits
 * explain is known in each cycle. Also measures the joints' speeds, more often than the servos tell them.
 */
export class Following {
  /** Measured speeds, rad/s. */
  readonly velocities: Float64Array;
  /** Distance of each joint from where it is explained to be, rad. */
  readonly deviations: Float64Array;
  /** What has been learned of loads that the model does not know: by how much they bend each joint, rad. */
  readonly learned: Float64Array;
  readonly #joints: DrivenJoints;
  /** What the observers expect, rad and rad/s. */
  readonly #position: Float64Array;
  readonly #velocity: Float64Array;
  /** When each joint began to stay behind, s, and cycles since; 0: it follows. */
  readonly #since: Float64Array;
  readonly #cycles: Uint32Array;
  /** Last positions and their instants, the newest at `#newest`. */
  readonly #past: readonly Float64Array[];
  readonly #times = new Float64Array(WINDOW + 1);
  #newest = 0;
  /** Sample that was judged last, s. */
  #at = 0;

  constructor(joints: DrivenJoints) {
    const count = joints.stiffness.length;
    this.#joints = joints;
    this.velocities = new Float64Array(count);
    this.deviations = new Float64Array(count);
    this.#position = new Float64Array(count);
    this.#velocity = new Float64Array(count);
    this.learned = new Float64Array(count);
    this.#since = new Float64Array(count);
    this.#cycles = new Uint32Array(count);
    this.#past = Array.from({ length: WINDOW + 1 }, () => new Float64Array(count));
  }

  /** Instant of the newest positions, monotonic, s. */
  get measured(): number {
    return this.#times[this.#newest]!;
  }

  /** Joints are where they are and rest: what was expected before says nothing. @param now monotonic, s */
  begin(positions: Float64Array, now: number): void {
    for (const past of this.#past) past.set(positions);
    this.#times.fill(now);
    this.velocities.fill(0);
    this.adopt(positions);
  }

  /** Something else than goals has moved the joints. */
  adopt(positions: Float64Array): void {
    this.#position.set(positions);
    this.#velocity.fill(0);
    this.learned.fill(0);
    this.deviations.fill(0);
    this.#cycles.fill(0);
  }

  /** New positions have been measured: speeds are brought up to date. @param at instant of the sample, s */
  measure(positions: Float64Array, at: number): void {
    if (at === this.#times[this.#newest]) return;
    this.#newest = (this.#newest + 1) % (WINDOW + 1);
    this.#past[this.#newest]!.set(positions);
    this.#times[this.#newest] = at;
    const oldest = (this.#newest + 1) % (WINDOW + 1);
    const span = at - this.#times[oldest]!;
    for (let i = 0; i < positions.length; i++)
      this.velocities[i] = span > 0 ? (positions[i]! - this.#past[oldest]![i]!) / span : 0;
  }

  /**
   * One cycle under torque. Without a new sample nothing is judged, and after a gap joints are taken to be where they are.
   * @param goals that the servos hold since the cycle before, rad
   * @param droop by which the arm's weight bends each spring, rad
   * @param gain stiffness relative to the reference gain
   * @param at instant of the sample, s
   */
  step(goals: Float64Array, droop: Float64Array, gain: Float64Array, positions: Float64Array, at: number): void {
    const gap = at - this.#at;
    if (gap <= 0) return;
    this.#at = at;
    if (gap > LONGEST_GAP) {
      this.adopt(positions);
      return;
    }
    const steps = Math.ceil(gap / LONGEST_STEP);
    for (let k = 0; k < steps; k++) this.#expect(goals, droop, gain, gap / steps);
    for (let i = 0; i < goals.length; i++) {
      const away = positions[i]! - this.#position[i]!;
      const band = BAND + DROOP_SHARE * Math.abs(droop[i]!) + LAG * Math.abs(this.#velocity[i]!);
      // A joint that is where it should be without it has lost the load that has been learned.
      if (Math.abs(away - this.learned[i]!) > band && Math.abs(away) <= band) this.learned[i] = 0;
      const deviation = away - this.learned[i]!;
      this.deviations[i] = deviation;
      if (Math.abs(deviation) <= band) {
        // What holds a joint back is no load that it carries.
        const learned = this.learned[i]! + (deviation * gap) / LEARNING;
        this.learned[i] = Math.min(Math.max(learned, -MOST_LEARNED), MOST_LEARNED);
        this.#cycles[i] = 0;
      } else {
        if (this.#cycles[i] === 0) this.#since[i] = at;
        this.#cycles[i] = this.#cycles[i]! + 1;
      }
    }
  }

  /** Moves what is expected on by `dt`, s. */
  #expect(goals: Float64Array, droop: Float64Array, gain: Float64Array, dt: number): void {
    const { stiffness, damping, friction, inertia } = this.#joints;
    for (let i = 0; i < goals.length; i++) {
      const speed = this.#velocity[i]!;
      const pull = stiffness[i]! * gain[i]! * (goals[i]! - droop[i]! - this.#position[i]!);
      const drag = damping[i]! * speed + friction[i]! * Math.tanh(speed / FRICTION_SPEED);
      this.#velocity[i] = speed + ((pull - drag) / inertia[i]!) * dt;
      this.#position[i] = this.#position[i]! + this.#velocity[i]! * dt;
    }
  }

  /** Whether some joint has just left its band: it is worth asking its servo. */
  isSuspect(index: number): boolean {
    return this.#cycles[index]! > 0;
  }

  /** Whether a joint does not follow. */
  isBehind(index: number): boolean {
    return this.#cycles[index]! >= CYCLES && this.#at - this.#since[index]! >= TIME;
  }
}
