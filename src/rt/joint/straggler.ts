/** Slower than this, a joint stands still, rad/s. */
const STILL = 0.05;
/** A joint counts as loaded above this part of its torque limit. */
const LOADED = 0.4;

/**
 * Explains why a joint does not follow its goals, from its servo's readings.
 * @param alarm its servo has raised an alarm
 * @param takes its servo holds the goals it was sent
 * @param load torque relative to its limit
 * @param velocity measured, rad/s
 */
export function straggling(name: string, alarm: boolean, takes: boolean, load: number, velocity: number): string {
  if (alarm)
    return `the servo of ${name} has raised an alarm and keeps back its torque: stop the arm and reset it, which brings the servo back`;
  if (!takes)
    return `the servo of ${name} does not take its goals: check its registers (arm-bridge doctor) and its cable`;
  const still = Math.abs(velocity) < STILL;
  if (load > LOADED) return still ? `something holds ${name} back` : `${name} is too weak for its load`;
  if (still)
    return `${name} does not move, and its servo does not push: check its registers (arm-bridge doctor) and its gears`;
  return `${name} moves slower than its goals: a speed or acceleration register slows its servo (arm-bridge doctor)`;
}
