import { BusSession } from '../../servo/bus-session.ts';
import type { BytePort } from '../../servo/port/port.ts';
import { LONGEST_PAUSE } from '../loop/awake-clock.ts';
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
import { blocksOf } from './servo-reads.ts';
import { type LinkJoint, type ServoSlot, servoSlots } from './servo-slots.ts';
import { ServoTasks } from './servo-tasks.ts';
import { ServoTrust } from './servo-trust.ts';
import { TorqueState } from './torque-state.ts';
import { Watchdog } from './watchdog.ts';

/** Time that a simulated servo has for an answer in a check, ms. */
const SIMULATED_DEADLINE = 500;

/** What a link to an arm of servos is made of. */
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
  readonly tasks: ServoTasks;
  /** Null where servos have none. */
  readonly watchdog: Watchdog | null;
}

/** What the parts tell the link. */
export interface PartListener {
  warning(text: string): void;
  /** The servo in this place cannot go on carrying. */
  ailing(index: number, text: string): void;
}

export function makeServoParts(
  port: BytePort,
  joints: readonly LinkJoint[],
  leftGains: GainPlan | null,
  simulated: boolean,
  listener: PartListener,
): ServoParts {
  const slots = servoSlots(joints);
  const ids = slots.map(({ id }) => id);
  const jointOf = slots.map(({ joint }) => joint);
  const { family, registers, common } = slots[0]!.model;
  // A busy host is waited for; nothing else makes a simulated servo late.
  const patience = simulated ? { deadline: SIMULATED_DEADLINE } : {};
  const session = new BusSession(port, (open) => ({
    bus: family.makeBus(open, ids),
    client: family.makeClient(open, patience),
  }));
  const { bus } = session;
  const readings = new ArmReadings(joints.length);
  const health = new ServoHealth(
    slots.map(({ id, name }) => ({ id, joint: name })),
    family,
    (text) => listener.warning(text),
    (index, text) => listener.ailing(index, text),
  );
  const torque = new TorqueState(slots, joints.length);
  const homing = new HomingCheck(slots);
  const gains = new Gains(jointOf, leftGains);
  const measurements = new Measurements(readings, slots, health, torque);
  const statistics = new BusStatistics(readings, bus, jointOf);
  const writes = new BusWrites(bus, slots, gains);
  const watchdog = family.watchdog === null ? undefined : registers[family.watchdog.register];
  // Servos with a watchdog have stopped by themselves in a pause of this length, and refuse goals until they are checked.
  const trust = new ServoTrust(slots.length, watchdog === undefined ? LONGEST_PAUSE : 0, simulated);
  const blocks = blocksOf(family.reads, common, writes.goalCurrent);
  return {
    ...{ joints, slots, session, readings, health, homing, torque, trust, gains, measurements, statistics, writes },
    limits: new ServoLimits(slots, joints),
    overload: new OverloadRecovery(family),
    reader: new CycleReader({ bus, blocks, slots, readings, measurements, statistics, trust, torque, gains }),
    tasks: new ServoTasks({
      ...{ session, slots, writes, torque, homing, health, measurements, readings },
      now: () => port.clock.now(),
    }),
    watchdog:
      watchdog === undefined ? null : new Watchdog(family.watchdog!.counts, (value) => writes.all(watchdog, value)),
  };
}
