import { stepsToRadians } from '../../servo/calibration.ts';
import { decodeSign, type Register } from '../../servo/registers.ts';
import { MAX_BLOCK } from '../../servo/servo-bus.ts';
import type { CommonRegisters, ServoFamily } from '../../servo/servo-model.ts';
import type { ServoHealth } from './servo-health.ts';
import type { ServoSlot } from './servo-slots.ts';

/** A run of registers that one read brings. */
export interface Block {
  readonly address: number;
  readonly length: number;
  /** It holds the present position: the read is a sample. */
  readonly position: boolean;
  /** It holds velocity, effort, voltage and temperature. */
  readonly detail: boolean;
  readonly alarms: boolean;
}

/** The reads that a link makes in turn. */
export interface Blocks {
  /** In each cycle that needs no other. */
  readonly position: Block;
  readonly detail: Block;
  /** Whether the servos hold. */
  readonly state: Block;
  readonly gain: Block;
  /** The gain, and the largest current where servos have one. */
  readonly caps: Block;
}

/** @param goalCurrent register of the largest current, where some servo has one */
export function blocksOf(family: ServoFamily, common: CommonRegisters, goalCurrent: Register | null): Blocks {
  const { presentPosition, presentVelocity, presentEffort, presentVoltage, presentTemperature, alarms } = common;
  const block = (...registers: readonly Register[]): Block => {
    const address = Math.min(...registers.map((register) => register.address));
    const end = Math.max(...registers.map((register) => register.address + register.size));
    const holds = (register: Register): boolean =>
      register.address >= address && register.address + register.size <= end;
    const detail = holds(presentVelocity) && holds(presentTemperature);
    return { address, length: end - address, position: holds(presentPosition), detail, alarms: holds(alarms) };
  };
  const detail = [presentPosition, presentVelocity, presentEffort, presentVoltage, presentTemperature];
  const feetech = family === 'feetech';
  return {
    position: block(presentPosition),
    detail: feetech ? block(...detail, alarms) : block(...detail),
    state: feetech
      ? block(common.torqueEnable, common.goalPosition, presentPosition)
      : block(common.torqueEnable, alarms),
    gain: block(common.positionGain),
    caps: block(common.positionGain, goalCurrent ?? common.positionGain),
  };
}

/** Content of a register, in counts, in what a read of `block` brought (`ServoBus.block`) from the servo in this place. */
export function countsIn(bytes: Uint8Array, index: number, block: Block, register: Register): number {
  const at = index * MAX_BLOCK + register.address - block.address;
  let raw = bytes[at]!;
  if (register.size > 1) raw |= bytes[at + 1]! << 8;
  if (register.size > 2) raw |= (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  return decodeSign(register.sign, raw);
}

/** What the servos of an arm measured last, by joint: rad, rad/s, Nm, degC, V. */
export class Measurements {
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  readonly efforts: Float64Array;
  readonly temperatures: Float64Array;
  readonly voltages: Float64Array;
  readonly alarms: Float64Array;
  readonly #servos: readonly ServoSlot[];
  readonly #joints: number;
  readonly #health: ServoHealth;
  /** Nm, by servo. */
  readonly #efforts: Float64Array;

  constructor(servos: readonly ServoSlot[], joints: number, watch: ServoHealth) {
    this.#servos = servos;
    this.#joints = joints;
    this.#health = watch;
    this.#efforts = new Float64Array(servos.length);
    this.positions = new Float64Array(joints).fill(Number.NaN);
    this.velocities = new Float64Array(joints);
    this.efforts = new Float64Array(joints);
    this.temperatures = new Float64Array(joints);
    this.voltages = new Float64Array(joints);
    this.alarms = new Float64Array(joints);
  }

  /** Takes over what a read of `block` brought; a servo that did not answer keeps its last values. */
  take(bytes: Uint8Array, answered: Uint8Array, block: Block): void {
    for (let i = 0; i < answered.length; i++) if (answered[i] === 1) this.#takeServo(bytes, i, block);
    if (block.alarms || block.detail) this.#combine();
  }

  #takeServo(bytes: Uint8Array, i: number, block: Block): void {
    const { calibration, joint, model } = this.#servos[i]!;
    const { common } = model;
    const first = i < this.#joints;
    if (block.position) {
      const position = stepsToRadians(calibration, countsIn(bytes, i, block, common.presentPosition));
      if (first) this.positions[i] = position;
      else this.#health.apart[i] = position - this.positions[joint]!;
    }
    if (block.alarms) this.#health.alarm(i, countsIn(bytes, i, block, common.alarms));
    if (!block.detail) return;
    const { presentVelocity, presentEffort, presentVoltage, presentTemperature } = common;
    const velocity = countsIn(bytes, i, block, presentVelocity) * presentVelocity.scale;
    if (first) this.velocities[i] = velocity * calibration.sign;
    const effort = countsIn(bytes, i, block, presentEffort) * presentEffort.scale;
    this.#efforts[i] = effort * model.torquePerEffort * calibration.sign;
    const temperature = countsIn(bytes, i, block, presentTemperature) * presentTemperature.scale;
    this.#health.measured(i, temperature, countsIn(bytes, i, block, presentVoltage) * presentVoltage.scale);
  }

  /** What a joint's servos share adds up; of what each has for itself, the worst is shown. */
  #combine(): void {
    const { alarms, temperatures, voltages } = this.#health;
    for (let i = 0; i < this.#servos.length; i++) {
      const { joint } = this.#servos[i]!;
      const first = i < this.#joints;
      this.efforts[joint] = first ? this.#efforts[i]! : this.efforts[joint]! + this.#efforts[i]!;
      this.alarms[joint] = first ? alarms[i]! : this.alarms[joint]! | alarms[i]!;
      this.temperatures[joint] = first ? temperatures[i]! : Math.max(this.temperatures[joint]!, temperatures[i]!);
      if (first) this.voltages[joint] = voltages[i]!;
    }
  }
}
