/** Stiffness and damping of a firm hand on a joint, Nm/rad and Nm s/rad; reduced for joints with little inertia. */
const HAND_STIFFNESS = 40;
const DAMPING = 2;
/** Largest torque of the hand at each joint, Nm. */
export const HAND_TORQUE = 3;
/** Motions of at least this duration start and stop smoothly, s. */
const SMOOTH_DURATION = 0.25;
/** Largest speed of a hand, rad/s, and its largest acceleration, rad/s^2. */
export const HAND_SPEED = 2.5;
const HAND_ACCELERATION = 40;
/** Time constant with which the hand closes the gap to its planned target, s. */
const CLOSING_TIME = 0.03;

/**
 * A person's hand on one joint: a spring and damper towards a moving target, limited to `HAND_TORQUE`. A motion of 0.25
 * s or more follows a fifth-order polynomial from the target's present position and velocity to rest at the goal. A
 * shorter motion is a straight line, so that a stream of short steps moves at an even speed. The hand never exceeds a
 * person's speed and acceleration; it then arrives late.
 */
export class Hand {
  readonly #inertia: number;
  readonly #dt: number;
  #stiffness = HAND_STIFFNESS;
  #damping = DAMPING;
  #held = false;
  #torque = 0;

  // Planned target: polynomial in `#elapsed` (0..`#duration`), with coefficients of s, s^2, ...
  #c0 = 0;
  #c1 = 0;
  #c3 = 0;
  #c4 = 0;
  #c5 = 0;
  #elapsed = 0;
  #duration = 0;
  #goal = 0;
  #position = 0;
  #velocity = 0;

  // Actual hand, which keeps its speed and acceleration limits.
  #handPosition = 0;
  #handVelocity = 0;

  /**
   * @param inertia lower bound for the joint, kg m^2
   * @param dt step time, s: the damper must not reverse the joint's motion within one step
   */
  constructor(inertia: number, dt: number) {
    this.#inertia = inertia;
    this.#dt = dt;
  }

  get held(): boolean {
    return this.#held;
  }

  /** Torque of the last step, Nm. */
  get torque(): number {
    return this.#torque;
  }

  /**
   * Grips the joint if the hand does not hold it yet, and moves it to `goal` (rad) within `duration` (s).
   * @param position of the joint, rad
   * @param velocity of the joint, rad/s
   * @param stiffness of the hand's spring, Nm/rad: a soft hand yields to forces on the joint
   */
  move(goal: number, duration: number, position: number, velocity: number, stiffness = HAND_STIFFNESS): void {
    // Keeps the damping ratio of a firm hand.
    const damping = DAMPING * Math.sqrt(stiffness / HAND_STIFFNESS);
    const softness = Math.min(1, this.#inertia / (damping * this.#dt));
    this.#stiffness = softness * stiffness;
    this.#damping = softness * damping;
    if (!this.#held) {
      this.#held = true;
      this.#position = position;
      this.#velocity = velocity;
      this.#handPosition = position;
      this.#handVelocity = velocity;
    }
    const t = Math.max(duration, 0.001);
    const d = goal - this.#position;
    const v = this.#velocity;
    this.#c0 = this.#position;
    if (duration >= SMOOTH_DURATION) {
      this.#c1 = v;
      this.#c3 = (10 * d - 6 * v * t) / t ** 3;
      this.#c4 = (8 * v * t - 15 * d) / t ** 4;
      this.#c5 = (6 * d - 3 * v * t) / t ** 5;
    } else {
      this.#c1 = d / t;
      this.#c3 = 0;
      this.#c4 = 0;
      this.#c5 = 0;
    }
    this.#goal = goal;
    this.#duration = t;
    this.#elapsed = 0;
  }

  letGo(): void {
    this.#held = false;
    this.#torque = 0;
  }

  /**
   * Advances the target by `dt` (s).
   * @returns the hand's torque on a joint at `position` (rad) with `velocity` (rad/s), Nm; 0 if the hand has let go
   */
  step(dt: number, position: number, velocity: number): number {
    if (!this.#held) return 0;
    this.#elapsed += dt;
    const s = this.#elapsed;
    if (s >= this.#duration) {
      this.#position = this.#goal;
      this.#velocity = 0;
    } else {
      this.#position = this.#c0 + s * (this.#c1 + s * s * (this.#c3 + s * (this.#c4 + s * this.#c5)));
      this.#velocity = this.#c1 + s * s * (3 * this.#c3 + s * (4 * this.#c4 + s * 5 * this.#c5));
    }
    const left = this.#position - this.#handPosition;
    const closing = Math.min(Math.abs(left) / CLOSING_TIME, Math.sqrt(2 * HAND_ACCELERATION * Math.abs(left)));
    const speed = clamp(this.#velocity + Math.sign(left) * closing, HAND_SPEED);
    this.#handVelocity += clamp(speed - this.#handVelocity, HAND_ACCELERATION * dt);
    this.#handPosition += dt * this.#handVelocity;
    const wanted = this.#stiffness * (this.#handPosition - position) + this.#damping * (this.#handVelocity - velocity);
    this.#torque = clamp(wanted, HAND_TORQUE);
    return this.#torque;
  }
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, -most), most);
}
