/** Slower than this, a joint stands still, rad/s. */
const STILL = 0.05;
/** A joint counts as loaded above this part of its torque limit. */
const LOADED = 0.4;
/** A servo pushes if it gives this part of what its distance to its setpoint asks for. */
const PUSHES = 0.5;

/** A joint that does not follow its goals, as its servo's readings show it. */
export interface Straggler {
  /** Its servo has raised an alarm. */
  readonly alarm: boolean;
  /** Its servo holds the goals it was sent. */
  readonly takes: boolean;
  /** Torque of its servo, and the largest that it may give, Nm. */
  readonly effort: number;
  readonly torqueLimit: number;
  /** What it takes to carry the joint, Nm. */
  readonly weight: number;
  /** What the servo's position spring adds for the way to the joint's setpoint, Nm. */
  readonly pull: number;
  /** Measured, rad/s. */
  readonly velocity: number;
}

/** Explains why a joint does not follow its goals. */
export function straggling(name: string, joint: Straggler): string {
  const { alarm, takes, effort, torqueLimit, weight, pull, velocity } = joint;
  if (alarm)
    return `the servo of ${name} has raised an alarm and keeps back its torque: stop the arm and reset it, which brings the servo back`;
  if (!takes)
    return `the servo of ${name} does not take its goals: check its registers (arm-bridge doctor) and its cable`;
  const still = Math.abs(velocity) < STILL;
  if (!still && Math.abs(effort) > LOADED * torqueLimit) return `${name} is too weak for its load`;
  // A servo that a register slows goes on to goals of its own, which are near: it hardly pushes.
  const pushes = (effort - weight) * Math.sign(pull) > PUSHES * Math.abs(pull);
  if (pushes || Math.abs(effort) > LOADED * torqueLimit) return `something holds ${name} back`;
  if (still)
    return `${name} does not move, and its servo does not push: check its registers (arm-bridge doctor) and its gears`;
  return `${name} moves slower than its goals: a speed or acceleration register slows its servo (arm-bridge doctor)`;
}
