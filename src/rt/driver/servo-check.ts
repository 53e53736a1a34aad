import type { OverloadedServo } from '../../servo/bus-session.ts';
import { stepsToRadians } from '../../servo/calibration.ts';
import type { ExpectedServo } from '../../servo/expected-servo.ts';
import type { Register } from '../../servo/registers.ts';
import type { FoundServo, StartUp } from '../../servo/start-up.ts';
import type { FoundCap } from './current-caps.ts';
import type { ServoParts } from './servo-parts.ts';
import { expectedServos, type LinkJoint } from './servo-slots.ts';

/** The servos that a check must expect, and those that it must restore first, while that goes on. */
export function planCheck(parts: ServoParts): {
  readonly expected: readonly ExpectedServo[];
  readonly overloaded: readonly OverloadedServo[];
  readonly goesOn: () => boolean;
} {
  const { joints, slots, overload, health, torque, readings } = parts;
  const expected = expectedServos(joints, slots);
  const goesOn = overload.takeWanted();
  if (goesOn === null) return { expected, overloaded: [], goesOn: () => false };
  const overloaded = expected.flatMap((servo, i) =>
    overload.needed(health.alarms[i]!)
      ? [{ servo: { ...servo, model: slots[i]!.model }, held: torque.holds[i] === 1 }]
      : [],
  );
  health.alarms.fill(0);
  readings.alarms.fill(0);
  return { expected, overloaded, goesOn };
}

/**
 * Takes over the results of a check.
 * @param began when its first request left, s
 * @param adopted receives the goals that the servos hold, rad, by joint
 * @param renewed they have been connected all the time, so what was set of their gains holds
 * @returns warnings for people
 */
export function takeOver(
  parts: ServoParts,
  { servos, warnings }: StartUp,
  began: number,
  now: number,
  adopted: Float64Array,
  renewed: boolean,
): string[] {
  const { joints, slots, session, torque, trust, health, readings, homing, statistics, reader, watchdog } = parts;
  for (const [i, servo] of servos.entries()) takeServo(parts, i, servo, now, adopted, renewed);
  torque.combine();
  torque.accept();
  trust.checked(now);
  health.begin(servos);
  readings.temperatureLimits.set(health.limits.subarray(0, joints.length));
  homing.compare(servos);
  statistics.checked(began, now);
  reader.checked(now);
  session.bus.answerDelay = Math.max(...servos.map(({ answerDelay }) => answerDelay));
  session.handOver(slots.map(({ id }) => id));
  // A servo whose watchdog has expired refuses goals, even those it must hold before it gets torque.
  watchdog?.checked(now);
  const told = [...warnings, ...parts.limits.take(servos)];
  if (torque.any && !torque.all) told.push(`${torque.named(0)} without torque, the others hold`);
  return told;
}

function takeServo(
  parts: ServoParts,
  i: number,
  servo: FoundServo,
  now: number,
  adopted: Float64Array,
  renewed: boolean,
): void {
  const { joints, slots, torque, writes, gains, measurements } = parts;
  const slot = slots[i]!;
  slot.model = servo.model;
  slot.countsTurns = servo.countsTurns;
  torque.holds[i] = servo.torque ? 1 : 0;
  const cap = capOf(servo, writes.effortLimits);
  slot.effortLimit = cap === null ? null : servo.effortLimit!.register;
  gains.found(i, servo.positionGain, servo.model.stallTorque / usualGain(joints[slot.joint]!), cap, renewed);
  measurements.begin(i, servo.presentPosition, now);
  // The goal register of a limp servo means nothing: its content may be days old.
  const held = servo.torque ? servo.goalPosition : servo.presentPosition;
  if (i < joints.length) adopted[i] = stepsToRadians(slot.calibration, held);
}

/**
 * The effort cap of a servo; null if it has none that the bus reads back.
 * @param registers cap registers that the bus reads back; a servo of another model than its arm's data say may have a
 * further one
 */
function capOf({ effortLimit, model, torque }: FoundServo, registers: readonly Register[]): FoundCap | null {
  if (effortLimit === null || !registers.some(({ address }) => address === effortLimit.register.address)) return null;
  const { counts, usual, torquePerCount, floating } = effortLimit;
  return { counts, usual, torquePerCount, floating, stallTorque: model.stallTorque, holds: torque };
}

/** Position gain times stall torque, summed over a joint's servos, for which the arm's data state its stiffness. */
function usualGain({ servos }: LinkJoint): number {
  return servos.reduce((sum, { model }) => sum + model.common.positionGain.initial! * model.stallTorque, 0);
}
