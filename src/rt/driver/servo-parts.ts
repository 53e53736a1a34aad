import type { BusSession } from '../../servo/bus-session.ts';
import { ArmReadings } from './arm-readings.ts';
import { BusStatistics } from './bus-statistics.ts';
import { BusWrites } from './bus-writes.ts';
import { CycleReader } from './cycle-reader.ts';
import { type GainPlan, Gains } from './gains.ts';
import { HomingCheck } from './homing-check.ts';
import { Measurements } from './measurements.ts';
import { OverloadRecovery } from './overload-recovery.ts';
import { ServoHealth } from './servo-health.ts';
import { ServoLimits } from './servo-limits.ts';
import { type LossListener, ServoLosses } from './servo-losses.ts';
import { blocksOf } from './servo-reads.ts';
import { type LinkJoint, type ServoSlot, servoSlots } from './servo-slots.ts';
import { ServoTasks } from './servo-tasks.ts';
import { ServoTrust } from './servo-trust.ts';
import { TorqueState } from './torque-state.ts';
import { Watchdog } from './watchdog.ts';

/** The parts of a link to an arm with servos. */
export interface ServoParts {
  readonly joints: readonly LinkJoint[];
  readonly slots: readonly ServoSlot[];
  readonly session: BusSession;
  readonly readings: ArmReadings;
  readonly health: ServoHealth;
  readonly homing: HomingCheck;
  readonly limits: ServoLimits;
  readonly overload: OverloadRecovery;
  readonly torque: TorqueState;
  readonly trust: ServoTrust;
  readonly gains: Gains;
  readonly measurements: Measurements;
  readonly statistics: BusStatistics;
  readonly writes: BusWrites;
  readonly reader: CycleReader;
  readonly losses: ServoLosses;
  readonly tasks: ServoTasks;
  /** Null if the servos have none. */
  readonly watchdog: Watchdog | null;
}

export function makeServoParts(
  session: BusSession,
  joints: readonly LinkJoint[],
  leftGains: GainPlan | null,
  simulated: boolean,
  listener: LossListener,
): ServoParts {
  const slots = servoSlots(joints);
  const jointOf = slots.map(({ joint }) => joint);
  const { family, registers, common } = slots[0]!.model;
  const { bus } = session;
  const readings = new ArmReadings(joints.length);
  const health = new ServoHealth(
    slots.map(({ id, name }) => ({ id, joint: name })),
    family,
    (text) => listener.warning(text),
    (index, text) => losses.ailing(index, text),
  );
  const torque = new TorqueState(slots, joints.length);
  const homing = new HomingCheck(slots);
  const gains = new Gains(jointOf, leftGains);
  const measurements = new Measurements(readings, slots, health, torque);
  const statistics = new BusStatistics(readings, bus, jointOf);
  const writes = new BusWrites(bus, slots, gains);
  const watchdog = family.watchdog === null ? undefined : registers[family.watchdog.register];
  const patience = watchdog === undefined ? Number.POSITIVE_INFINITY : family.watchdog!.counts * watchdog.scale;
  const trust = new ServoTrust(slots.length, patience, simulated);
  const blocks = blocksOf(family.reads, common, writes.effortLimits);
  const reader = new CycleReader({ bus, blocks, slots, readings, measurements, statistics, trust, torque, gains });
  const losses = new ServoLosses({ slots, trust, health, reader, measurements, bus }, listener);
  return {
    ...{
      joints,
      slots,
      session,
      readings,
      health,
      homing,
      torque,
      trust,
      gains,
      measurements,
      statistics,
      writes,
      reader,
      losses,
    },
    limits: new ServoLimits(slots, joints),
    overload: new OverloadRecovery(family),
    tasks: new ServoTasks({
      ...{ session, slots, writes, torque, homing, health, measurements, readings, trust },
      now: () => session.clock.now(),
    }),
    watchdog:
      watchdog === undefined ? null : new Watchdog(family.watchdog!.counts, (value) => writes.all(watchdog, value)),
  };
}
