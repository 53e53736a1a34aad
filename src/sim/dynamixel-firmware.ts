import {
  ErrorNumber,
  HardwareError,
  MAX_ID,
  OperatingMode,
  ResetOption,
} from '../servo/dynamixel/dynamixel-constants.ts';
import type { DynamixelModel, DynamixelRegister } from '../servo/dynamixel/x-series.ts';
import { countRange, decodeSign, encodeSign, loadRaw, type Register, storeRaw } from '../servo/registers.ts';
import { DYNAMIXEL_MOTORS, FULL_PWM, GAIN_UNIT } from './dynamixel-motor.ts';
import type { EmulatedServo } from './emulated-servo.ts';
import type { MotorParameters } from './sts3215-motor.ts';

/** The indirect registers, which are not emulated, begin here. */
const MEMORY_SIZE = 168;
const STEPS = 4096;
const STEPS_PER_RADIAN = STEPS / (2 * Math.PI);
/** Largest goal of the multi-turn modes, steps (256 turns). */
const MULTI_TURN = 1_048_575;

/** Time constant of the reported velocity, s: the firmware differentiates an encoder and smooths the result. */
const SPEED_FILTER = 0.01;
/** Supply drop at full duty, share of the supply. */
const VOLTAGE_SAG = 0.03;
/** Winding temperature above ambient after a long stall at full duty, K, and the time constant to get there, s. */
const STALL_HEATING = 50;
const THERMAL_TIME = 400;
/** Share of the no-load speed over which back-EMF takes the last drive away. */
const DRIVE_FADE = 0.2;
/** Overload: output of at least this share for this long, s. ROBOTIS publishes no figures; these are chosen. */
const OVERLOAD_DUTY = 0.9;
const OVERLOAD_TIME = 2;
/** Distance from the goal at which a profile counts as arrived, steps. */
const ARRIVED = 20;

/** Content of the bus watchdog register after it has run out. */
const WATCHDOG_EXPIRED = -1;

/**
 * Smallest and largest count that the servo takes, where that is less than what the register's bits can hold (e-manual
 * tables). Goals and the velocity limit have limits besides.
 */
const RANGES: Readonly<Partial<Record<DynamixelRegister, readonly [number, number]>>> = {
  id: [0, MAX_ID],
  return_delay: [0, 254],
  drive_mode: [0, 13],
  homing_offset: [-1_044_479, 1_044_479],
  moving_threshold: [0, 1023],
  max_temperature: [0, 100],
  pwm_limit: [0, FULL_PWM],
  velocity_limit: [0, 2047],
  max_position: [0, STEPS - 1],
  min_position: [0, STEPS - 1],
  startup_configuration: [0, 3],
  torque_enable: [0, 1],
  led: [0, 1],
  status_return_level: [0, 2],
  velocity_i_gain: [0, 16_383],
  velocity_p_gain: [0, 16_383],
  position_d_gain: [0, 16_383],
  position_i_gain: [0, 16_383],
  position_p_gain: [0, 16_383],
  feedforward_2nd_gain: [0, 16_383],
  feedforward_1st_gain: [0, 16_383],
  bus_watchdog: [0, 127],
  profile_acceleration: [0, 32_767],
  profile_velocity: [0, 32_767],
};

const GOALS: readonly string[] = ['goal_pwm', 'goal_current', 'goal_velocity', 'goal_position'];

export interface DynamixelFirmwareOptions {
  readonly model: DynamixelModel;
  readonly id: number;
  readonly motor?: Partial<MotorParameters>;
  /** V; default: the model's recommended one. */
  readonly supplyVoltage?: number;
  /** degC. */
  readonly ambientTemperature?: number;
  /** What the firmware says of itself, and whether it knows the fast sync read. */
  readonly firmwareVersion?: number;
  readonly fastSyncRead?: boolean;
  /** EEPROM content that differs from the factory's, decoded counts by register name. */
  readonly eeprom?: Partial<Record<DynamixelRegister, number>>;
}

/**
 * One Dynamixel X servo: its control table and its position loop, by the e-manual's page of the model. It knows nothing
 * of frames; the bus calls `read`, `write`, `regWrite`, `action`, `heard`, `reboot` and `factoryReset`. Physics calls
 * `step` with the shaft's state and applies the torque.
 *
 * Driven in the operating modes current, position, extended position, current-based position and PWM; in velocity mode the
 * motor is not driven. Where the e-manual is silent: a goal written to a limp servo stays, so that switching torque on
 * afterwards moves it, which is the worse case; until one is written, the goal is the present position. Reads may run over
 * gaps of the table, which give zeros. Not emulated: indirect addresses, time-based profiles, start-up configuration.
 */
export class DynamixelFirmware implements EmulatedServo {
  readonly model: DynamixelModel;
  /** Whether it answers a fast sync read. */
  readonly fastSyncRead: boolean;
  /** Content of the control table, one byte per address. */
  readonly memory = new Uint8Array(MEMORY_SIZE);
  readonly #registers: Readonly<Partial<Record<DynamixelRegister, Register>>>;
  /** Register that begins at each address, and register that covers it. */
  readonly #starts: (readonly [DynamixelRegister, Register] | undefined)[] = [];
  readonly #persisted = new Uint8Array(MEMORY_SIZE);
  readonly #motor: MotorParameters;
  readonly #supplyVoltage: number;
  readonly #ambient: number;

  readonly #pending = new Uint8Array(MEMORY_SIZE);
  #pendingAddress = 0;
  #pendingLength = 0;

  // Shaft and drive, as of the last step. Steps count along the servo's own direction, over turns.
  #steps = 0;
  #placed = false;
  #turnBase = 0;
  #speed = 0;
  #torque = 0;
  #duty = 0;
  #temperature: number;
  #time = 0;
  #silence = 0;
  #overloadTime = 0;
  #errors = 0;
  #goalWritten = false;

  // Internal goal, which follows the goal register at the speed and acceleration of the profile (step, step/s).
  #profile = 0;
  #profileSpeed = 0;

  /** @throws {RangeError} when the id is not one a single servo can have. */
  constructor(options: DynamixelFirmwareOptions) {
    if (!Number.isInteger(options.id) || options.id < 0 || options.id > MAX_ID) {
      throw new RangeError(`servo id ${options.id} is not within 0..${MAX_ID}: give each simulated servo its own id`);
    }
    this.model = options.model;
    this.fastSyncRead = options.fastSyncRead ?? true;
    this.#registers = options.model.registers;
    this.#motor = { ...DYNAMIXEL_MOTORS[options.model.model], ...options.motor };
    this.#supplyVoltage = options.supplyVoltage ?? this.#motor.nominalVoltage;
    this.#ambient = options.ambientTemperature ?? 25;
    this.#temperature = this.#ambient;
    for (const [name, row] of this.#rows()) {
      this.#starts[row.address] = [name, row];
      const value = options.eeprom?.[name] ?? row.initial ?? 0;
      if (row.access !== 'ram') storeRaw(this.#persisted, row.address, row.size, encodeSign(row.sign, value));
    }
    this.#persist('id', options.id);
    this.#persist('firmware_version', options.firmwareVersion ?? 46);
    this.powerCycle();
  }

  get id(): number {
    return this.#get('id');
  }

  /** Id of a group that the servo obeys without answering; null for none. */
  get secondaryId(): number | null {
    const id = this.#get('secondary_id');
    return id > MAX_ID ? null : id;
  }

  get torqueOn(): boolean {
    return this.#get('torque_enable') === 1;
  }

  get returnDelay(): number {
    return this.#get('return_delay') * 2e-6;
  }

  /** Which instructions are answered: 0 ping, 1 also reads, 2 all. */
  get returnLevel(): number {
    return this.#get('status_return_level');
  }

  /** Latched bits of `HardwareError`; not 0 means that status packets carry the alert bit. */
  get hardwareErrors(): number {
    return this.#errors;
  }

  /** Supply at the servo, V. */
  get voltage(): number {
    return this.#supplyVoltage * (1 - VOLTAGE_SAG * Math.abs(this.#duty));
  }

  /** degC. */
  get temperature(): number {
    return this.#temperature;
  }

  /** Decoded content of one register, as a read at this moment gives it; NaN where the model has no such register. */
  value(name: DynamixelRegister): number {
    this.#measure();
    return this.#registers[name] ? this.#get(name) : Number.NaN;
  }

  powerCycle(): void {
    this.memory.set(this.#persisted);
    for (const [name, row] of this.#rows()) if (row.access === 'ram') this.#set(name, row.initial ?? 0);
    this.#resetGoals();
    this.#pendingLength = 0;
    this.#errors = 0;
    this.#overloadTime = 0;
    this.#silence = 0;
    this.#torque = 0;
    this.#duty = 0;
    this.#goalWritten = false;
    this.#rebase();
    this.#followPresent();
  }

  /** As a restart over the bus does. */
  reboot(): void {
    this.powerCycle();
  }

  /** Puts the EEPROM back to the factory's content, except what the option leaves alone, and restarts. */
  factoryReset(option: number): void {
    for (const [name, row] of this.#rows()) {
      if (row.access !== 'eeprom') continue;
      if (name === 'id' && option !== ResetOption.all) continue;
      if (name === 'baud_code' && option === ResetOption.allButIdAndBaudRate) continue;
      this.#persist(name, row.initial ?? 0);
    }
    this.powerCycle();
  }

  raiseOverload(): void {
    this.#raise(HardwareError.overload);
  }

  /** A valid instruction packet has passed on the bus: the bus watchdog begins anew. */
  heard(): void {
    this.#silence = 0;
  }

  /** Copies `length` bytes from `address` on into `out`; returns an error number, 0 for none. */
  read(address: number, length: number, out: Uint8Array, outOffset: number): number {
    if (length === 0 || address + length > MEMORY_SIZE) return ErrorNumber.access;
    this.#measure();
    for (let i = 0; i < length; i++) out[outOffset + i] = this.memory[address + i]!;
    return 0;
  }

  /**
   * Writes whole registers, all or none.
   * @param bySecondaryId whether the packet was sent to the group that the servo belongs to
   * @returns an error number, 0 for none
   */
  write(address: number, data: Uint8Array, offset: number, length: number, bySecondaryId = false): number {
    const error = this.#check(address, data, offset, length, bySecondaryId);
    if (error !== 0) return error;
    for (let at = 0; at < length; ) {
      const [name, row] = this.#starts[address + at]!;
      const raw = loadRaw(data, offset + at, row.size);
      storeRaw(this.memory, row.address, row.size, raw);
      if (row.access === 'eeprom') storeRaw(this.#persisted, row.address, row.size, raw);
      this.#written(name);
      at += row.size;
    }
    return 0;
  }

  /** Keeps a write until `action`; a second one replaces the first. Returns an error number, 0 for none. */
  regWrite(address: number, data: Uint8Array, offset: number, length: number): number {
    const error = this.#check(address, data, offset, length, false);
    if (error !== 0) return error;
    for (let i = 0; i < length; i++) this.#pending[i] = data[offset + i]!;
    this.#pendingAddress = address;
    this.#pendingLength = length;
    return 0;
  }

  /** Carries out the kept write; an instruction error when there is none. */
  action(): number {
    const length = this.#pendingLength;
    if (length === 0) return ErrorNumber.instruction;
    this.#pendingLength = 0;
    return this.write(this.#pendingAddress, this.#pending, 0, length);
  }

  /** Brings the present position back within one turn; only at rest. Returns an error number, 0 for none. */
  clearTurns(): number {
    if (this.#isMoving()) return ErrorNumber.resultFail;
    this.#rebase();
    return 0;
  }

  step(dt: number, angle: number, velocity: number): number {
    const direction = this.#direction;
    this.#time += dt;
    this.#steps = Math.round(direction * angle * STEPS_PER_RADIAN);
    if (!this.#placed) this.#rebase();
    this.#placed = true;
    this.#speed += (dt / (SPEED_FILTER + dt)) * (direction * velocity * STEPS_PER_RADIAN - this.#speed);
    this.#watchBus(dt);
    if (!this.torqueOn) this.#followPresent();
    this.#torque = this.torqueOn ? this.#drive(dt, direction * velocity) : 0;
    this.#duty = this.#torque / this.#stallTorque;
    const heating = STALL_HEATING * this.#duty * this.#duty;
    this.#temperature += (dt / THERMAL_TIME) * (heating - (this.#temperature - this.#ambient));
    this.#watchHardware(dt);
    return direction * this.#torque;
  }

  get #direction(): 1 | -1 {
    return this.#get('drive_mode') & 1 ? -1 : 1;
  }

  get #stallTorque(): number {
    return (this.#motor.stallTorque * this.#supplyVoltage) / this.#motor.nominalVoltage;
  }

  get #torquePerAmpere(): number {
    return this.#motor.stallTorque / this.#motor.stallCurrent;
  }

  get #present(): number {
    return this.#steps - this.#turnBase + this.#get('homing_offset');
  }

  get #controlsPosition(): boolean {
    const mode = this.#get('operating_mode');
    return (
      mode === OperatingMode.position ||
      mode === OperatingMode.extendedPosition ||
      mode === OperatingMode.currentBasedPosition
    );
  }

  /** Torque along the servo's own direction, Nm. */
  #drive(dt: number, velocity: number): number {
    const mode = this.#get('operating_mode');
    const stall = this.#stallTorque;
    const current = this.#registers.goal_current;
    const ampere = current ? this.#get('goal_current') * current.scale * this.#torquePerAmpere : 0;
    let demand = 0;
    let limit = Math.min(Math.abs(this.#get('goal_pwm')), this.#get('pwm_limit')) / FULL_PWM;
    if (this.#controlsPosition) {
      this.#advanceProfile(dt);
      const gain = this.#get('position_p_gain') / GAIN_UNIT / FULL_PWM;
      const stiffness = this.#motor.stiffness / this.#ownStiffness;
      demand = (this.#profile - this.#present) * gain * stiffness * stall;
      if (mode === OperatingMode.currentBasedPosition) limit = Math.min(limit, Math.abs(ampere) / stall);
    } else if (mode === OperatingMode.current) {
      demand = ampere;
    } else if (mode === OperatingMode.pwm) {
      demand = (this.#get('goal_pwm') / FULL_PWM) * stall;
    }
    const noLoad = (this.#motor.noLoadSpeed * this.#supplyVoltage) / this.#motor.nominalVoltage;
    const speed = demand > 0 ? velocity : -velocity;
    const driven = Math.min(1, Math.max(0, (noLoad - speed) / (DRIVE_FADE * noLoad)));
    const magnitude = Math.min(Math.abs(demand), limit * stall, driven * stall);
    return demand < 0 ? -magnitude : magnitude;
  }

  /** Stiffness that the position controller alone gives at the reference gain, Nm/rad; options may ask for another. */
  get #ownStiffness(): number {
    return ((this.#motor.referenceGain / GAIN_UNIT) * STEPS_PER_RADIAN * this.#motor.stallTorque) / FULL_PWM;
  }

  #advanceProfile(dt: number): void {
    const goal = this.#get('goal_position');
    const velocity = this.#get('profile_velocity') * this.#stepsPerVelocity;
    const acceleration = this.#get('profile_acceleration') * this.#stepsPerAcceleration;
    const rest = goal - this.#profile;
    if (velocity === 0) {
      this.#profile = goal;
      this.#profileSpeed = 0;
    } else if (acceleration === 0) {
      const move = Math.min(Math.abs(rest), velocity * dt);
      this.#profile += Math.sign(rest) * move;
      this.#profileSpeed = rest === 0 ? 0 : Math.sign(rest) * velocity;
    } else {
      const change = acceleration * dt;
      const wanted = Math.sign(rest) * Math.min(velocity, Math.sqrt(2 * acceleration * Math.abs(rest)));
      this.#profileSpeed += Math.min(change, Math.max(-change, wanted - this.#profileSpeed));
      const move = this.#profileSpeed * dt;
      if (Math.abs(rest) <= Math.abs(move) && Math.abs(this.#profileSpeed) <= 2 * change) {
        this.#profile = goal;
        this.#profileSpeed = 0;
      } else {
        this.#profile += move;
      }
    }
  }

  get #stepsPerVelocity(): number {
    return this.model.registers.profile_velocity.scale * STEPS_PER_RADIAN;
  }

  get #stepsPerAcceleration(): number {
    return this.model.registers.profile_acceleration.scale * STEPS_PER_RADIAN;
  }

  /** Stops the motion when nothing has been heard for the time in the bus watchdog register while torque is on. */
  #watchBus(dt: number): void {
    const limit = this.#get('bus_watchdog');
    if (!this.torqueOn || limit <= 0) {
      this.#silence = 0;
      return;
    }
    this.#silence += dt;
    if (this.#silence <= limit * this.model.registers.bus_watchdog.scale) return;
    this.#set('bus_watchdog', WATCHDOG_EXPIRED);
    this.#set('profile_acceleration', 0);
    this.#set('profile_velocity', 0);
    this.#set('goal_velocity', 0);
    if (this.#controlsPosition) this.#set('goal_position', Math.round(this.#present));
    else this.#set('goal_pwm', 0);
    if (this.#registers.goal_current && !this.#controlsPosition) this.#set('goal_current', 0);
  }

  #watchHardware(dt: number): void {
    this.#overloadTime = Math.abs(this.#duty) >= OVERLOAD_DUTY ? this.#overloadTime + dt : 0;
    if (this.#overloadTime >= OVERLOAD_TIME) this.#raise(HardwareError.overload);
    if (this.#temperature > this.#get('max_temperature')) this.#raise(HardwareError.overheating);
    const volts = this.voltage * 10;
    if (volts > this.#get('max_voltage') || volts < this.#get('min_voltage')) this.#raise(HardwareError.inputVoltage);
  }

  /** Latches a hardware error; the shutdown mask says whether the torque goes off with it, until a restart. */
  #raise(bit: number): void {
    this.#errors |= bit;
    if (this.#errors & this.#get('shutdown')) this.#set('torque_enable', 0);
  }

  /** First error number of a write, 0 when all of it is allowed. */
  #check(address: number, data: Uint8Array, offset: number, length: number, bySecondaryId: boolean): number {
    if (length === 0) return ErrorNumber.dataLength;
    for (let at = 0; at < length; ) {
      const start = this.#starts[address + at];
      if (!start) return this.#isInside(address + at) ? ErrorNumber.dataLength : ErrorNumber.access;
      const [name, row] = start;
      if (at + row.size > length) return ErrorNumber.dataLength;
      if (row.access === 'read') return ErrorNumber.access;
      if (row.access === 'eeprom' && (this.torqueOn || bySecondaryId)) return ErrorNumber.access;
      const error = this.#checkValue(name, row, decodeSign(row.sign, loadRaw(data, offset + at, row.size)));
      if (error !== 0) return error;
      at += row.size;
    }
    return 0;
  }

  #checkValue(name: DynamixelRegister, row: Register, value: number): number {
    if (GOALS.includes(name) && this.#get('bus_watchdog') === WATCHDOG_EXPIRED) return ErrorNumber.dataRange;
    const { min, max } = countRange(row);
    const [low, high] = RANGES[name] ?? [min, max];
    if (value < low || value > high) return ErrorNumber.dataRange;
    switch (name) {
      case 'operating_mode':
        return this.#hasMode(value) ? 0 : ErrorNumber.dataRange;
      case 'baud_code':
        return value in this.model.baudRates ? 0 : ErrorNumber.dataRange;
      case 'current_limit':
        return value > (row.initial ?? 0) ? ErrorNumber.dataRange : 0;
      case 'goal_pwm':
        return Math.abs(value) > this.#get('pwm_limit') ? ErrorNumber.dataLimit : 0;
      case 'goal_current':
        return Math.abs(value) > this.#get('current_limit') ? ErrorNumber.dataLimit : 0;
      case 'goal_velocity':
        return Math.abs(value) > this.#get('velocity_limit') ? ErrorNumber.dataLimit : 0;
      case 'goal_position':
        return this.#checkGoal(value);
      case 'torque_enable':
        return value === 1 && this.#errors & this.#get('shutdown') ? ErrorNumber.resultFail : 0;
      default:
        return 0;
    }
  }

  #checkGoal(value: number): number {
    if (this.#get('operating_mode') !== OperatingMode.position)
      return Math.abs(value) > MULTI_TURN ? ErrorNumber.dataRange : 0;
    return value < this.#get('min_position') || value > this.#get('max_position') ? ErrorNumber.dataLimit : 0;
  }

  #hasMode(mode: number): boolean {
    const needsCurrent = mode === OperatingMode.current || mode === OperatingMode.currentBasedPosition;
    if (needsCurrent) return this.#registers.goal_current !== undefined;
    return Object.values(OperatingMode).includes(mode as (typeof OperatingMode)['position']);
  }

  #isInside(address: number): boolean {
    for (const [, row] of this.#rows()) if (address > row.address && address < row.address + row.size) return true;
    return false;
  }

  /** What a register's new content sets going. */
  #written(name: DynamixelRegister): void {
    if (name === 'goal_position') this.#goalWritten = true;
    if (name === 'operating_mode' || name === 'drive_mode') {
      this.#resetGoals();
      this.#rebase();
      this.#goalWritten = false;
      this.#followPresent();
    }
    if (name === 'torque_enable') {
      if (this.#get('operating_mode') === OperatingMode.position && this.torqueOn) this.#rebase();
      if (!this.torqueOn) this.#overloadTime = 0;
      this.#profile = this.#present;
      this.#profileSpeed = 0;
    }
    if (name === 'bus_watchdog') this.#silence = 0;
  }

  /** A goal that a mode drives by begins at rest; where it only limits another one, it begins at its own limit. */
  #resetGoals(): void {
    const mode = this.#get('operating_mode');
    this.#set('goal_pwm', mode === OperatingMode.pwm ? 0 : this.#get('pwm_limit'));
    this.#set('goal_velocity', mode === OperatingMode.velocity ? 0 : this.#get('velocity_limit'));
    this.#set('goal_current', mode === OperatingMode.current ? 0 : this.#get('current_limit'));
  }

  /** Counts the present position within one turn again. */
  #rebase(): void {
    this.#turnBase = Math.floor(this.#steps / STEPS) * STEPS;
  }

  /** Until somebody writes a goal, it is where the shaft is. */
  #followPresent(): void {
    if (!this.#goalWritten) this.#set('goal_position', this.#present);
  }

  #isMoving(): boolean {
    const threshold = this.#get('moving_threshold') * this.model.registers.moving_threshold.scale * STEPS_PER_RADIAN;
    return Math.abs(this.#speed) >= threshold;
  }

  #measure(): void {
    const arrived = Math.abs(this.#get('goal_position') - this.#profile) <= ARRIVED;
    const velocity = this.#speed / this.#stepsPerVelocity;
    this.#set('registered_instruction', this.#pendingLength > 0 ? 1 : 0);
    this.#set('hardware_error_status', this.#errors);
    this.#set('realtime_tick', Math.floor(this.#time * 1000) % 32_768);
    this.#set('moving', this.#isMoving() ? 1 : 0);
    this.#set('moving_status', arrived ? 1 : 0);
    this.#set('present_pwm', this.#duty * FULL_PWM);
    if (this.#registers.present_load) this.#set('present_load', this.#duty * 1000);
    const current = this.#registers.present_current;
    if (current) this.#set('present_current', this.#torque / this.#torquePerAmpere / current.scale);
    this.#set('present_velocity', velocity);
    this.#set('present_position', this.#present);
    this.#set('velocity_trajectory', this.#profileSpeed / this.#stepsPerVelocity);
    this.#set('position_trajectory', this.#profile);
    this.#set('present_voltage', this.voltage * 10);
    this.#set('present_temperature', this.#temperature);
  }

  #rows(): [DynamixelRegister, Register][] {
    return Object.entries(this.#registers) as [DynamixelRegister, Register][];
  }

  /** Decoded content of a register; 0 where the model has none of this name. */
  #get(name: DynamixelRegister): number {
    const row = this.#registers[name];
    return row ? decodeSign(row.sign, loadRaw(this.memory, row.address, row.size)) : 0;
  }

  #set(name: DynamixelRegister, value: number): void {
    const row = this.#registers[name];
    if (row) storeRaw(this.memory, row.address, row.size, encodeSign(row.sign, Math.round(value)));
  }

  #persist(name: DynamixelRegister, value: number): void {
    const row = this.#registers[name];
    if (row) storeRaw(this.#persisted, row.address, row.size, encodeSign(row.sign, value));
  }
}
