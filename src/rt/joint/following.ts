/** Parameters of the joints and their drives, one element per joint. */
export interface DrivenJoints {
  /** Nm/rad at the reference gain. */
  readonly stiffness: Float64Array;
  /** Nm s/rad, Nm, kg m^2. */
  readonly damping: Float64Array;
  readonly friction: Float64Array;
  readonly inertia: Float64Array;
}

/** A joint further than this from its prediction does not follow, rad: more than backlash, friction and play. */
const BAND = 0.06;
/** This part of the droop is tolerated in addition: the model does not know what a gripper carries. */
const DROOP_SHARE = 0.25;
/** Lag time tolerated in addition, s: how much a drive damps a fast joint differs from servo to servo. */
const LAG = 0.01;
/** A joint is reported after this many cycles and this time, s. */
const CYCLES = 3;
const TIME = 0.015;
/** Time over which lasting deviations are learned, s: an unknown load deflects a joint as long as it is there. */
const LEARNING = 0.5;
/** Largest learned deviation, rad. */
const MOST_LEARNED = 0.2;
/** Speed over which the sign of friction changes, rad/s. */
export const FRICTION_SPEED = 0.1;
/** After a longer gap between two samples the observers restart, s: what happened meanwhile is unknown. */
const LONGEST_GAP = 0.05;
/** Largest integration step of the observers, s. */
const LONGEST_STEP = 0.006;
/** Sample intervals over which a joint's speed is measured. */
const WINDOW = 4;

/**
 * Compares measured positions with goals: an observer of each joint's position spring predicts in each cycle what
 * drive, droop and limits explain. Also measures the joints' speeds, more often than the servos report them.
 */
export class Following {
  /** Measured speeds, rad/s. */
  readonly velocities: Float64Array;
  /** Deviation of each joint from its predicted position, rad. */
  readonly deviations: Float64Array;
  /** Learned deflection of each joint by loads that the model does not know, rad. */
  readonly learned: Float64Array;
  readonly #joints: DrivenJoints;
  /** Predictions of the observers, rad and rad/s. */
  readonly #position: Float64Array;
  readonly #velocity: Float64Array;
  /** When each joint began to lag, s, and cycles since then; 0 cycles: it follows. */
  readonly #since: Float64Array;
  readonly #cycles: Uint32Array;
  /** Last positions and their times, the newest at `#newest`. */
  readonly #past: readonly Float64Array[];
  readonly #times = new Float64Array(WINDOW + 1);
  #newest = 0;
  /** Time of the sample judged last, s. */
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

  /** Time of the newest positions, monotonic, s. */
  get measured(): number {
    return this.#times[this.#newest]!;
  }

  /** Restarts with the joints at rest at these positions: earlier predictions are void. @param now monotonic, s */
  begin(positions: Float64Array, now: number): void {
    for (const past of this.#past) past.set(positions);
    this.#times.fill(now);
    this.velocities.fill(0);
    this.adopt(positions);
  }

  /** Something other than goals has moved the joints. */
  adopt(positions: Float64Array): void {
    this.#position.set(positions);
    this.#velocity.fill(0);
    this.learned.fill(0);
    this.deviations.fill(0);
    this.#cycles.fill(0);
  }

  /** Updates the speeds from new positions. @param at time of the sample, s */
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
   * One cycle under torque. Without a new sample nothing is judged; after a gap predictions restart from the sample.
   * @param goals held by the servos since the previous cycle, rad
   * @param droop deflection of each spring under the arm's weight, rad
   * @param gain stiffness relative to the reference gain
   * @param at time of the sample, s
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
      // A joint that is where it should be without the learned deflection has lost that load.
      if (Math.abs(away - this.learned[i]!) > band && Math.abs(away) <= band) this.learned[i] = 0;
      const deviation = away - this.learned[i]!;
      this.deviations[i] = deviation;
      if (Math.abs(deviation) <= band) {
        // Only learned within the band: whatever holds a joint back further is not a load that it carries.
        const learned = this.learned[i]! + (deviation * gap) / LEARNING;
        this.learned[i] = Math.min(Math.max(learned, -MOST_LEARNED), MOST_LEARNED);
        this.#cycles[i] = 0;
      } else {
        if (this.#cycles[i] === 0) this.#since[i] = at;
        this.#cycles[i] = this.#cycles[i]! + 1;
      }
    }
  }

  /** Advances the predictions by `dt`, s. */
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

  /** Whether a joint is outside its band, so that probing its servo is worthwhile. */
  isSuspect(index: number): boolean {
    return this.#cycles[index]! > 0;
  }

  /** Whether a joint does not follow. */
  isBehind(index: number): boolean {
    return this.#cycles[index]! >= CYCLES && this.#at - this.#since[index]! >= TIME;
  }
}
