import type { ServoParts } from './servo-parts.ts';

/** What arming sees of the servos, by slot index. Arming does not change these arrays. */
export interface ArmingView {
  /** For people: "servo 3 (elbow)". */
  label(index: number): string;
  /** 1 for each servo that is written to. */
  readonly commanded: Uint8Array;
  /** 1 for each servo that has torque; 1 for each that carries nothing, because it is dead or limp by itself. */
  readonly holds: Uint8Array;
  readonly lost: Uint8Array;
  /** Present position, steps; 1 for each servo whose position has just been read and believed. */
  readonly steps: Float64Array;
  readonly fresh: Uint8Array;
  /** Goal last sent to each servo, and goal read back from it, steps. */
  readonly sent: Float64Array;
  readonly taken: Float64Array;
  /** Each servo's own position limits, steps. */
  readonly lowest: Float64Array;
  readonly highest: Float64Array;
  /** rad per step. */
  readonly radians: Float64Array;
  energise(): void;
  release(): void;
  /** Switches off the torque of the servos with 0 in `before`. */
  undo(before: Uint8Array): void;
}

/** What arming sees of an arm's servos, and the commands it gives them. */
export function armingView(parts: ServoParts): ArmingView {
  const { torque, writes, health, trust, measurements, limits, slots } = parts;
  const all = (on: 0 | 1): void => {
    torque.expected.fill(on);
    writes.torque(torque.expected);
  };
  return {
    label: (index) => health.label(index),
    commanded: writes.commanded,
    holds: torque.holds,
    lost: trust.lost,
    steps: measurements.steps,
    fresh: measurements.fresh,
    sent: writes.sent,
    taken: measurements.taken,
    lowest: limits.lowest,
    highest: limits.highest,
    radians: Float64Array.from(slots, ({ model }) => (2 * Math.PI) / model.stepsPerTurn),
    energise: () => all(1),
    release: () => all(0),
    undo: (before) => {
      torque.expected.set(before);
      writes.release(before);
    },
  };
}

/** Why torque is undone: a servo moved when it got torque. @param steps distance that it moved */
export function movedText(view: ArmingView, index: number, steps: number): string {
  return (
    `${view.label(index)} moved ${(steps * view.radians[index]!).toFixed(2)} rad when it got torque, which was switched off ` +
    'again: check its load, its calibration and its registers (arm-bridge doctor)'
  );
}

/** Why torque does not go on: a servo does not hold the goal it was sent. */
export function refusalText(view: ArmingView, index: number): string {
  const sent = view.sent[index]!;
  const steps = view.steps[index]!;
  if (steps < view.lowest[index]! || steps > view.highest[index]!) return beyondText(view, index);
  return (
    `${view.label(index)} takes no goals: it keeps ${view.taken[index]} where ${sent} was sent: check its operating mode and ` +
    'its registers (arm-bridge doctor), and that no other program uses the bus'
  );
}

/** Why torque does not go on: a servo stands beyond its own position limits. */
export function beyondText(view: ArmingView, index: number): string {
  const limits = `${view.lowest[index]} to ${view.highest[index]}`;
  return (
    `${view.label(index)} stands at ${view.steps[index]}, beyond its own position limits ${limits}, and takes no goal ` +
    'there: move the joint between them by hand, or calibrate the arm anew (arm-bridge calibrate)'
  );
}
