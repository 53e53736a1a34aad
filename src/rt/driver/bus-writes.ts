import { radiansToSteps } from '../../servo/calibration.ts';
import { encodeSign, type Register } from '../../servo/registers.ts';
import type { ServoBus } from '../../servo/servo-bus.ts';
import type { Gains } from './gains.ts';
import type { ServoSlot } from './servo-slots.ts';

/** What a cycle writes to the servos of an arm. No servo answers any of it. */
export class BusWrites {
  /** 1 for each servo that is written to: all but shadows, which obey their joint's first servo by themselves. */
  readonly commanded: Uint8Array;
  /** Goal that each servo was sent last, steps. */
  readonly sent: Float64Array;
  /** Registers of a largest effort that servos of these models may keep to, of one size wherever they exist. */
  readonly effortLimits: readonly Register[];
  /** The EEPROM of some servo may be open: a gain that is written now would outlast the supply. */
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

  /** @param goals rad, by joint @param trusted 1 for each servo that may be sent goals @param only 1 for each that is meant */
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
   * Not kept over a power cycle: the lock of a Feetech servo is closed, and these registers of a Dynamixel servo are RAM. One
   * that has lost its supply comes back with its lock open, and is not trusted then.
   */
  gains(trusted: Uint8Array): void {
    if (this.eepromOpen) return;
    const { currents } = this.#gains;
    for (let i = 0; i < this.#meant.length; i++) this.#meant[i] = trusted[i]! & this.commanded[i]!;
    this.#bus.syncWrite(this.#gain, this.#gains.wanted, this.#meant);
    if (!currents.pending) return;
    for (let k = 0; k < this.effortLimits.length; k++) {
      const limit = this.effortLimits[k]!;
      let any = 0;
      for (let i = 0; i < this.#meant.length; i++) {
        const keeps = this.#slots[i]!.effortLimit?.address === limit.address ? 1 : 0;
        this.#meant[i] = trusted[i]! & this.commanded[i]! & keeps;
        any |= this.#meant[i]!;
      }
      if (any !== 0) this.#bus.syncWrite(limit, currents.wanted, this.#meant);
    }
  }

  /** @param values 1 for each servo that is to have torque */
  torque(values: Uint8Array): void {
    this.#bus.syncWrite(this.#torque, values, this.commanded);
  }

  /** Switches off servos, and none on: one that has lost its torque meanwhile stays limp. @param kept 1 for each that is left */
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
