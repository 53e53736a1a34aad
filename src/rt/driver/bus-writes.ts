import { radiansToSteps } from '../../servo/calibration.ts';
import { encodeSign, type Register } from '../../servo/registers.ts';
import type { ServoBus } from '../../servo/servo-bus.ts';
import type { Gains } from './gains.ts';
import type { ServoSlot } from './servo-slots.ts';

/** Writes of a control cycle to an arm's servos. No servo acknowledges them. */
export class BusWrites {
  /** 1 for each servo that is written to: all but shadows, which obey the packets for their joint's first servo. */
  readonly commanded: Uint8Array;
  /** Goal last sent to each servo, steps. */
  readonly sent: Float64Array;
  /** Effort-limit registers that servos of these models may have, each of one size wherever it exists. */
  readonly effortLimits: readonly Register[];
  /** The EEPROM of some servo may be open: a gain written now would survive a power cycle. */
  eepromOpen = false;
  readonly #bus: ServoBus;
  readonly #slots: readonly ServoSlot[];
  readonly #gains: Gains;
  readonly #goal: Register;
  readonly #gain: Register;
  readonly #torque: Register;
  readonly #raw: Int32Array;
  readonly #flags: Uint8Array;
  readonly #meant: Uint8Array;

  constructor(bus: ServoBus, slots: readonly ServoSlot[], gains: Gains) {
    const { common } = slots[0]!.model;
    this.#bus = bus;
    this.#slots = slots;
    this.#gains = gains;
    this.#goal = common.goalPosition;
    this.#gain = common.positionGain;
    this.#torque = common.torqueEnable;
    this.effortLimits = effortLimitsOf(slots);
    this.commanded = Uint8Array.from(slots, ({ shadow }) => (shadow ? 0 : 1));
    this.sent = new Float64Array(slots.length).fill(Number.NaN);
    this.#raw = new Int32Array(slots.length);
    this.#flags = new Uint8Array(slots.length);
    this.#meant = new Uint8Array(slots.length);
  }

  /**
   * @param goals rad, by joint
   * @param trusted 1 for each servo that may be sent goals
   * @param only 1 for each servo to write
   */
  goals(goals: Float64Array, trusted: Uint8Array, only: Uint8Array): void {
    for (let i = 0; i < this.#slots.length; i++) {
      const { calibration, joint } = this.#slots[i]!;
      this.#meant[i] = trusted[i]! & only[i]! & this.commanded[i]!;
      if (this.#meant[i] === 0) continue;
      const steps = radiansToSteps(calibration, goals[joint]!);
      this.sent[i] = steps;
      this.#raw[i] = encodeSign(this.#goal.sign, steps);
    }
    this.#bus.syncWrite(this.#goal, this.#raw, this.#meant);
  }

  /**
   * Writes gains and effort limits, which do not survive a power cycle: the lock of a Feetech servo is closed, and
   * these registers of a Dynamixel servo are RAM. A servo that has lost its supply comes back with its lock open, but
   * is not trusted then.
   */
  gains(trusted: Uint8Array): void {
    if (this.eepromOpen) return;
    const { currents } = this.#gains;
    for (let i = 0; i < this.#meant.length; i++) this.#meant[i] = trusted[i]! & this.commanded[i]!;
    this.#bus.syncWrite(this.#gain, this.#gains.wanted, this.#meant);
    if (!currents.pending) return;
    for (let k = 0; k < this.effortLimits.length; k++) {
      const limit = this.effortLimits[k]!;
      for (let i = 0; i < this.#meant.length; i++) {
        const keeps = this.#slots[i]!.effortLimit?.address === limit.address ? 1 : 0;
        this.#meant[i] = trusted[i]! & this.commanded[i]! & keeps;
      }
      this.#bus.syncWrite(limit, currents.wanted, this.#meant);
    }
  }

  /** @param values 1 for each servo that should have torque */
  torque(values: Uint8Array): void {
    this.#bus.syncWrite(this.#torque, values, this.commanded);
  }

  /**
   * Only switches torque off: a kept servo that has lost its torque meanwhile stays limp.
   * @param kept 1 for each servo to leave alone
   */
  release(kept: Uint8Array): void {
    for (let i = 0; i < this.#meant.length; i++) this.#meant[i] = kept[i] === 0 ? this.commanded[i]! : 0;
    this.#flags.fill(0);
    this.#bus.syncWrite(this.#torque, this.#flags, this.#meant);
  }

  all(register: Register, value: number): void {
    this.#flags.fill(value);
    this.#bus.syncWrite(register, this.#flags, this.commanded);
  }
}

function effortLimitsOf(slots: readonly ServoSlot[]): Register[] {
  const limits = new Map<number, Register>();
  for (const { model } of slots) {
    for (const mode of model.family.positionModes) {
      const register = model.family.effortLimit(model, mode)?.register;
      if (register !== undefined) limits.set(register.address, register);
    }
  }
  return [...limits.values()];
}
