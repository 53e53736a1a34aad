import type { BusSession, Outcome } from '../../servo/bus-session.ts';
import type { JointHoming, ServoFacts } from './arm-link.ts';
import type { ArmReadings } from './arm-readings.ts';
import type { BusWrites } from './bus-writes.ts';
import type { HomingCheck } from './homing-check.ts';
import type { Measurements } from './measurements.ts';
import type { ServoHealth } from './servo-health.ts';
import type { ServoSlot } from './servo-slots.ts';
import type { ServoTrust } from './servo-trust.ts';
import type { TorqueState } from './torque-state.ts';

/** Parts of an arm that the tasks use. */
export interface TaskParts {
  readonly session: BusSession;
  readonly slots: readonly ServoSlot[];
  readonly writes: BusWrites;
  readonly torque: TorqueState;
  readonly homing: HomingCheck;
  readonly health: ServoHealth;
  readonly measurements: Measurements;
  readonly readings: ArmReadings;
  readonly trust: ServoTrust;
  readonly now: () => number;
}

/** Requests to single servos while the loop runs, one transaction per cycle. */
export class ServoTasks {
  /**
   * Offsets are being written to servos: one with torque would run by the difference, so none may get torque meanwhile.
   */
  homing = false;
  readonly #parts: TaskParts;

  constructor(parts: TaskParts) {
    this.#parts = parts;
  }

  /** Reads identity and settings of the joints' first servos. */
  facts(done: (outcome: Outcome<readonly ServoFacts[]>) => void): void {
    const { session, slots, readings } = this.#parts;
    const first = slots.slice(0, readings.positions.length);
    session.facts(first, (outcome) => {
      if ('problem' in outcome) done(outcome);
      else done({ result: outcome.result.map((facts, i) => ({ joint: first[i]!.name, ...facts })) });
    });
  }

  /** Writes the temperatures at which servos switch themselves off, degC, by joint. */
  limitTemperatures(limits: Float64Array, done: (outcome: Outcome<void>) => void): void {
    const { session, slots, health, readings } = this.#parts;
    for (const { id, name, model, joint } of slots) {
      const { initial, scale } = model.common.maxTemperature;
      if (limits[joint]! <= initial! * scale) continue;
      const most = `takes no limit above ${initial! * scale} degrees Celsius`;
      done({ problem: `servo ${id} (${name}), a ${model.model}, ${most}` });
      return;
    }
    const counts = slots.map(({ model, joint }) => Math.round(limits[joint]! / model.common.maxTemperature.scale));
    const written = (i: number): void => {
      health.limits[i] = counts[i]! * slots[i]!.model.common.maxTemperature.scale;
      if (i < readings.temperatureLimits.length) readings.temperatureLimits[i] = health.limits[i]!;
    };
    this.#withOpenEeprom(done, (end) => session.limitTemperatures(slots, counts, written, end));
  }

  /** Writes the homing of the joints' first servos, and reads positions with it from then on. */
  calibrate(joints: readonly JointHoming[], done: (outcome: Outcome<void>) => void): void {
    const { session, slots, torque, homing, measurements, trust, now } = this.#parts;
    if (torque.any) {
      done({ problem: `${torque.named(1)} holds torque: support the arm and let it go limp first` });
      return;
    }
    const writes = joints.map(({ offset, operatingMode, limits }, i) => {
      const { id, model } = slots[i]!;
      return { id, model, offset, operatingMode, limits };
    });
    const written = (i: number, present: number): void => {
      const { offset, expected, sign, zero } = joints[i]!;
      homing.set(i, expected ? offset : null);
      slots[i]!.mount = { sign, zero, stepsPerTurn: slots[i]!.mount.stepsPerTurn };
      measurements.begin(i, present, now());
    };
    this.homing = true;
    this.#withOpenEeprom(done, (end) =>
      session.writeHoming(writes, written, (outcome) => {
        this.homing = false;
        // Their new limits are read before torque goes on.
        trust.uncertain = true;
        if (!('problem' in outcome)) homing.text = '';
        end(outcome);
      }),
    );
  }

  /** Blocks gain writes while a servo's EEPROM may be open, because a gain written then would survive a power cycle. */
  #withOpenEeprom(done: (outcome: Outcome<void>) => void, work: (end: (outcome: Outcome<void>) => void) => void): void {
    const { writes } = this.#parts;
    writes.eepromOpen = true;
    work((outcome) => {
      writes.eepromOpen = false;
      done(outcome);
    });
  }
}
