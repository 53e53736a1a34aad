import type { ArmingView } from './arming.ts';
import type { ServoParts } from './servo-parts.ts';

/** What arming sees of the servos of an arm, and does to them. */
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
