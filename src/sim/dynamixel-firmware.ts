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
import { type ServoFault, ServoFaults } from './servo-faults.ts';
import { ServoSupply } from './servo-supply.ts';
import type { MotorParameters } from './sts3215-motor.ts';

/** The indirect registers begin here; they are not emulated. */
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
/** Share of the no-load speed over which back-EMF fades the drive out. */
const DRIVE_FADE = 0.2;
/** Overload: output of at least this share for this long, s. ROBOTIS publishes no figures; these are assumed. */
const OVERLOAD_DUTY = 0.9;
const OVERLOAD_TIME = 2;
/** Distance from the goal at which a profile counts as arrived, steps. */
const ARRIVED = 20;
/** Bits of the drive mode: the servo turns in reverse; profiles are times (ms) instead of speeds. */
const REVERSE = 1;
const TIMED_PROFILE = 4;
/** Bit of the start-up configuration: torque switches on at power-up. */
const STARTS_WITH_TORQUE = 1;
/** Sample rate of the position controller, Hz, which scales the I gain; assumed. */
const SAMPLES = 1000;
const INTEGRAL_UNIT = 65_536;

/** Value of the bus watchdog register once it has expired. */
const WATCHDOG_EXPIRED = -1;

/**
 * Smallest and largest count that the servo accepts, where the register's bits could hold more (e-manual tables). Goals
 * and the current limit have further checks.
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
  /** V; default: the recommended supply of the model. */
  readonly supplyVoltage?: number;
  /** degC. */
  readonly ambientTemperature?: number;
  /** Version that the firmware reports, and whether it supports the fast sync read. */
  readonly firmwareVersion?: number;
  readonly fastSyncRead?: boolean;
  /** EEPROM values that differ from the factory's, as decoded counts by register name. */
  readonly eeprom?: Partial<Record<DynamixelRegister, number>>;
}

/**
 * One Dynamixel X servo: its control table and its position loop, after the e-manual page of its model. It knows
 * nothing of frames: the bus calls `read`, `write`, `regWrite`, `action`, `heard`, `reboot` and `factoryReset`. The
 * physics calls `step` with the state of the shaft and applies the torque.
 *
 * Assumptions where the e-manual is silent: a goal written to a limp servo stays, so that the servo moves once torque
 * is switched on (the worst case); until a goal is written, the goal is the present position. Reads may span gaps in
 * the table, which read as zeros. Not emulated: indirect addresses, RAM backup, D and feed-forward gains.
 */
export class DynamixelFirmware implements EmulatedServo {
  readonly model: DynamixelModel;
  /** Whether the servo answers a fast sync read. */
  readonly fastSyncRead: boolean;
  /** Content of the control table, one byte per address. */
  readonly memory = new Uint8Array(MEMORY_SIZE);
  readonly #registers: Readonly<Partial<Record<DynamixelRegister, Register>>>;
  /** The register that begins at each address. */
  readonly #starts: (readonly [DynamixelRegister, Register] | undefined)[] = [];
  readonly #persisted = new Uint8Array(MEMORY_SIZE);
  readonly #motor: MotorParameters;
  readonly #supply: ServoSupply;
  readonly #faults: ServoFaults;
  readonly #ambient: number;

  readonly #pending = new Uint8Array(MEMORY_SIZE);
  #pendingAddress = 0;
  #pendingLength = 0;

  // Shaft and drive as of the last step. Steps count in the servo's own direction, across turns.
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

  // Internal goal: it follows the goal register at the speed and acceleration of the profile (step, step/s).
  #profile = 0;
  #profileSpeed = 0;
  /** Time at which the goal was written, s, and position of the profile at that time. */
  #goalTime = 0;
  #goalStart = 0;
  /** Sum of the position error, step s. */
  #integral = 0;

  // Decoded registers that every step or every packet needs.
  #id = 0;
  #secondaryId: number | null = null;
  #minPosition = 0;
  #maxPosition = 0;
  #torqueOn = false;
  #direction: 1 | -1 = 1;
  #mode = 0;
  #homing = 0;
  #goal = 0;
  #goalPwm = 0;
  #goalTorque = 0;
  #goalVelocity = 0;
  #pwmLimit = 0;
  #pGain = 0;
  #iGain = 0;
  #profileVelocity = 0;
  #profileAcceleration = 0;
  #timedProfile = false;
  #watchdog = 0;
  #maxTemperature = 0;
  #minVoltage = 0;
  #maxVoltage = 0;

  /** @throws {RangeError} if the id is not valid for a single servo */
  constructor(options: DynamixelFirmwareOptions) {
    if (!Number.isInteger(options.id) || options.id < 0 || options.id > MAX_ID) {
      throw new RangeError(`servo id ${options.id} is not within 0..${MAX_ID}: give each simulated servo its own id`);
    }
    this.model = options.model;
    this.fastSyncRead = options.fastSyncRead ?? true;
    this.#registers = options.model.registers;
    this.#motor = { ...DYNAMIXEL_MOTORS[options.model.model], ...options.motor };
    this.#supply = new ServoSupply(options.supplyVoltage ?? this.#motor.nominalVoltage, this.#motor.nominalVoltage);
    this.#faults = new ServoFaults(options.id + 1);
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
    return this.#id;
  }

  /** Id of a group whose instructions the servo obeys without answering; null: none. */
  get secondaryId(): number | null {
    return this.#secondaryId;
  }

  get torqueOn(): boolean {
    return this.#torqueOn;
  }

  get awake(): boolean {
    return this.#supply.awake;
  }

  get positionGain(): number {
    return this.#pGain;
  }

  get protects(): boolean {
    return (this.#errors & this.#get('shutdown')) !== 0;
  }

  get goal(): number {
    return this.#goal;
  }

  get goalDistance(): number {
    return (this.#goal - this.#present) / STEPS_PER_RADIAN;
  }

  get returnDelay(): number {
    return this.#get('return_delay') * 2e-6;
  }

  /** Which instructions are answered: 0 ping, 1 also reads, 2 all. */
  get returnLevel(): number {
    return this.#get('status_return_level');
  }

  /** Latched bits of `HardwareError`; if not 0, status packets carry the alert bit. */
  get hardwareErrors(): number {
    return this.#errors;
  }

  /** Supply voltage at the servo, V. */
  get voltage(): number {
    return this.#supply.volts * (1 - VOLTAGE_SAG * Math.abs(this.#duty));
  }

  /** degC. */
  get temperature(): number {
    return this.#temperature;
  }

  /** Decoded value of one register, as a read would return it now; NaN if the model has no such register. */
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
    if (this.#get('startup_configuration') & STARTS_WITH_TORQUE) this.#set('torque_enable', 1);
    this.#decode();
    this.#rebase();
    this.#followPresent();
    this.#startProfile();
  }

  /** Restarts as the reboot instruction does; once physics runs, it stays silent for its start-up time too. */
  reboot(): void {
    this.powerCycle();
    if (this.#placed) this.#supply.start();
  }

  fault(fault: ServoFault): void {
    const { registers = {}, overload, heat, turns, volts, restart } = fault;
    const unknown = Object.keys(registers).find((name) => !Object.hasOwn(this.#registers, name));
    if (unknown !== undefined) throw new Error(`an ${this.model.model} has no register "${unknown}"`);
    this.#faults.change(fault);
    if (turns !== undefined && this.#mode !== OperatingMode.position) this.#miscount(turns);
    if (heat !== undefined) this.#temperature = heat;
    for (const [name, value] of Object.entries(registers) as [DynamixelRegister, number][]) {
      this.#set(name, value);
      if (this.#registers[name]!.access !== 'ram') this.#persist(name, value);
      this.#decode();
      this.#written(name);
    }
    if (volts !== undefined && this.#supply.change(volts)) this.powerCycle();
    if (restart) this.powerCycle();
    if (overload) this.raiseOverload();
  }

  /** Restores the factory EEPROM, except for the registers that the option keeps, and restarts. */
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

  /** A valid instruction packet has passed on the bus: restarts the bus watchdog. */
  heard(): void {
    this.#silence = 0;
  }

  /** Copies `length` bytes from `address` into `out`. Returns an error number, 0 for none. */
  read(address: number, length: number, out: Uint8Array, outOffset: number): number {
    if (length === 0 || address + length > MEMORY_SIZE) return ErrorNumber.access;
    this.#measure();
    for (let i = 0; i < length; i++) out[outOffset + i] = this.memory[address + i]!;
    return 0;
  }

  /**
   * Writes whole registers, all or none.
   * @param bySecondaryId whether the packet was addressed to the servo's group
   * @returns an error number, 0 for none
   */
  write(address: number, data: Uint8Array, offset: number, length: number, bySecondaryId = false): number {
    const error = this.#check(address, data, offset, length, bySecondaryId);
    if (error !== 0) return error;
    for (let at = 0; at < length; ) {
      const [name, row] = this.#starts[address + at]!;
      const raw = loadRaw(data, offset + at, row.size);
      at += row.size;
      if (name === 'goal_position' && this.#faults.ignoresGoals) continue;
      storeRaw(this.memory, row.address, row.size, raw);
      if (row.access === 'eeprom') storeRaw(this.#persisted, row.address, row.size, raw);
      // Goals come in every cycle.
      if (name === 'goal_position') this.#goal = decodeSign(row.sign, raw);
      else this.#decode();
      this.#written(name);
    }
    return 0;
  }

  /** Holds a write until `action`; a second one replaces the first. Returns an error number, 0 for none. */
  regWrite(address: number, data: Uint8Array, offset: number, length: number): number {
    const error = this.#check(address, data, offset, length, false);
    if (error !== 0) return error;
    for (let i = 0; i < length; i++) this.#pending[i] = data[offset + i]!;
    this.#pendingAddress = address;
    this.#pendingLength = length;
    return 0;
  }

  /** Executes the held write. Returns an error number, 0 for none; an instruction error if no write is held. */
  action(): number {
    const length = this.#pendingLength;
    if (length === 0) return ErrorNumber.instruction;
    this.#pendingLength = 0;
    return this.write(this.#pendingAddress, this.#pending, 0, length);
  }

  /** Resets the present position to within one turn; only at rest. Returns an error number, 0 for none. */
  clearTurns(): number {
    if (this.#isMoving()) return ErrorNumber.resultFail;
    this.#rebase();
    return 0;
  }

  step(dt: number, angle: number, velocity: number): number {
    const direction = this.#direction;
    this.#supply.step(dt);
    this.#time += dt;
    this.#steps = Math.round(direction * angle * STEPS_PER_RADIAN);
    if (!this.#placed) this.#rebase();
    this.#placed = true;
    this.#speed += (dt / (SPEED_FILTER + dt)) * (direction * velocity * STEPS_PER_RADIAN - this.#speed);
    if (this.awake) this.#watchBus(dt);
    if (!this.#torqueOn) this.#followPresent();
    this.#torque = this.#torqueOn && this.awake ? this.#drive(dt, direction * velocity) : 0;
    this.#duty = this.#torque === 0 ? 0 : this.#torque / this.#stallTorque;
    const heating = STALL_HEATING * this.#duty * this.#duty;
    this.#temperature += (dt / THERMAL_TIME) * (heating - (this.#temperature - this.#ambient));
    if (this.awake) this.#watchHardware(dt);
    return direction * this.#torque;
  }

  get #stallTorque(): number {
    return (this.#motor.stallTorque * this.#supply.volts) / this.#motor.nominalVoltage;
  }

  get #torquePerAmpere(): number {
    return this.#motor.stallTorque / this.#motor.stallCurrent;
  }

  get #present(): number {
    return this.#steps - this.#turnBase + this.#homing;
  }

  get #controlsPosition(): boolean {
    return (
      this.#mode === OperatingMode.position ||
      this.#mode === OperatingMode.extendedPosition ||
      this.#mode === OperatingMode.currentBasedPosition
    );
  }

  /** Torque in the servo's own direction, Nm. */
  #drive(dt: number, velocity: number): number {
    const stall = this.#stallTorque;
    let demand = 0;
    let limit = Math.min(Math.abs(this.#goalPwm), this.#pwmLimit) / FULL_PWM;
    if (this.#controlsPosition || this.#mode === OperatingMode.velocity) {
      if (this.#controlsPosition) this.#advanceProfile(dt);
      else this.#profile += this.#goalVelocity * dt;
      demand = this.#positionDemand(dt, limit);
      if (this.#mode === OperatingMode.currentBasedPosition)
        limit = Math.min(limit, Math.abs(this.#goalTorque) / stall);
    } else if (this.#mode === OperatingMode.current) {
      demand = this.#goalTorque;
    } else if (this.#mode === OperatingMode.pwm) {
      demand = (this.#goalPwm / FULL_PWM) * stall;
    }
    const noLoad = (this.#motor.noLoadSpeed * this.#supply.volts) / this.#motor.nominalVoltage;
    const speed = demand > 0 ? velocity : -velocity;
    const driven = Math.min(1, Math.max(0, (noLoad - speed) / (DRIVE_FADE * noLoad)));
    const magnitude = Math.min(Math.abs(demand), limit * stall, driven * stall);
    return demand < 0 ? -magnitude : magnitude;
  }

  /** Torque that the position loop asks for, Nm. @param limit share of the full output */
  #positionDemand(dt: number, limit: number): number {
    const error = this.#profile - this.#present;
    const unit = ((this.#motor.stiffness / this.#ownStiffness) * this.#stallTorque) / FULL_PWM;
    if (this.#iGain === 0) return (error * this.#pGain * unit) / GAIN_UNIT;
    const perSum = (this.#iGain * SAMPLES) / INTEGRAL_UNIT;
    const most = (limit * FULL_PWM) / perSum;
    this.#integral = Math.min(most, Math.max(-most, this.#integral + error * dt));
    return ((error * this.#pGain) / GAIN_UNIT + this.#integral * perSum) * unit;
  }

  /** Stiffness of the plain position controller at the reference gain, Nm/rad; options may ask for another. */
  get #ownStiffness(): number {
    return ((this.#motor.referenceGain / GAIN_UNIT) * STEPS_PER_RADIAN * this.#motor.stallTorque) / FULL_PWM;
  }

  #advanceProfile(dt: number): void {
    if (this.#profileVelocity === 0) {
      this.#profile = this.#goal;
      this.#profileSpeed = 0;
    } else if (this.#timedProfile) {
      this.#advanceTimed(dt);
    } else {
      const { scale: velocityScale } = this.model.registers.profile_velocity;
      const { scale: accelerationScale } = this.model.registers.profile_acceleration;
      const velocity = this.#profileVelocity * velocityScale * STEPS_PER_RADIAN;
      this.#approach(dt, velocity, this.#profileAcceleration * accelerationScale * STEPS_PER_RADIAN);
    }
  }

  /** Timed profile: reaches the goal `profile_velocity` ms after it was written. */
  #advanceTimed(dt: number): void {
    const duration = this.#profileVelocity / 1000;
    const ramp = Math.min(this.#profileAcceleration / 1000, duration / 2);
    const t = Math.min(this.#time - this.#goalTime, duration);
    const top = 1 / (duration - ramp);
    let share = top * (t - ramp / 2);
    if (t < ramp) share = (top * t * t) / (2 * ramp);
    else if (t > duration - ramp) share = 1 - (ramp === 0 ? 0 : (top * (duration - t) ** 2) / (2 * ramp));
    const before = this.#profile;
    this.#profile = this.#goalStart + share * (this.#goal - this.#goalStart);
    this.#profileSpeed = (this.#profile - before) / dt;
  }

  /** Moves the profile towards the goal within a speed (step/s) and an acceleration (step/s^2; 0: unlimited). */
  #approach(dt: number, velocity: number, acceleration: number): void {
    const rest = this.#goal - this.#profile;
    if (acceleration === 0) {
      const move = Math.min(Math.abs(rest), velocity * dt);
      this.#profile += Math.sign(rest) * move;
      this.#profileSpeed = rest === 0 ? 0 : Math.sign(rest) * velocity;
      return;
    }
    const change = acceleration * dt;
    const wanted = Math.sign(rest) * Math.min(velocity, Math.sqrt(2 * acceleration * Math.abs(rest)));
    this.#profileSpeed += Math.min(change, Math.max(-change, wanted - this.#profileSpeed));
    const move = this.#profileSpeed * dt;
    if (Math.abs(rest) <= Math.abs(move) && Math.abs(this.#profileSpeed) <= 2 * change) {
      this.#profile = this.#goal;
      this.#profileSpeed = 0;
    } else {
      this.#profile += move;
    }
  }

  get #stepsPerVelocity(): number {
    return this.model.registers.profile_velocity.scale * STEPS_PER_RADIAN;
  }

  /** Stops the motion if the bus is silent for longer than the bus watchdog allows while torque is on. */
  #watchBus(dt: number): void {
    if (!this.#torqueOn || this.#watchdog <= 0) {
      this.#silence = 0;
      return;
    }
    this.#silence += dt;
    if (this.#silence <= this.#watchdog * this.model.registers.bus_watchdog.scale) return;
    this.#set('bus_watchdog', WATCHDOG_EXPIRED);
    this.#set('profile_acceleration', 0);
    this.#set('profile_velocity', 0);
    this.#set('goal_velocity', 0);
    if (this.#controlsPosition) this.#set('goal_position', Math.round(this.#present));
    else this.#set('goal_pwm', 0);
    if (this.#registers.goal_current && !this.#controlsPosition) this.#set('goal_current', 0);
    this.#decode();
  }

  #watchHardware(dt: number): void {
    this.#overloadTime = Math.abs(this.#duty) >= OVERLOAD_DUTY ? this.#overloadTime + dt : 0;
    if (this.#overloadTime >= OVERLOAD_TIME) this.#raise(HardwareError.overload);
    if (this.#temperature > this.#maxTemperature) this.#raise(HardwareError.overheating);
    const volts = this.voltage * 10;
    if (volts > this.#maxVoltage || volts < this.#minVoltage) this.#raise(HardwareError.inputVoltage);
  }

  /** Latches a hardware error. If the shutdown mask includes it, torque switches off until a restart. */
  #raise(bit: number): void {
    this.#errors |= bit;
    if (!this.#torqueOn || !(this.#errors & this.#get('shutdown'))) return;
    this.#set('torque_enable', 0);
    this.#decode();
  }

  /** First error number of a write, 0 if all of it is allowed. */
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
    if (this.#mode !== OperatingMode.position) return Math.abs(value) > MULTI_TURN ? ErrorNumber.dataRange : 0;
    return value < this.#minPosition || value > this.#maxPosition ? ErrorNumber.dataLimit : 0;
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

  /** Side effects of a register write. */
  #written(name: DynamixelRegister): void {
    if (name === 'goal_position') {
      this.#goalWritten = true;
      this.#goalTime = this.#time;
      this.#goalStart = this.#profile;
    }
    if (name === 'operating_mode' || name === 'drive_mode') {
      this.#resetGoals();
      this.#decode();
      this.#rebase();
      this.#goalWritten = false;
      this.#followPresent();
    }
    if (name === 'torque_enable') {
      if (this.#mode === OperatingMode.position && this.#torqueOn) this.#rebase();
      if (!this.#torqueOn) this.#overloadTime = 0;
      this.#startProfile();
    }
    if (name === 'bus_watchdog') this.#silence = 0;
  }

  /** Starts the internal goal at the position of the shaft. */
  #startProfile(): void {
    this.#profile = this.#present;
    this.#profileSpeed = 0;
    this.#goalStart = this.#profile;
    this.#goalTime = this.#time;
    this.#integral = 0;
  }

  /** Decodes the registers that every step or every packet needs; call after every register change. */
  #decode(): void {
    const driveMode = this.#get('drive_mode');
    const secondaryId = this.#get('secondary_id');
    this.#id = this.#get('id');
    this.#secondaryId = secondaryId > MAX_ID ? null : secondaryId;
    this.#minPosition = this.#get('min_position');
    this.#maxPosition = this.#get('max_position');
    const current = this.#registers.goal_current;
    this.#torqueOn = this.#get('torque_enable') === 1;
    this.#direction = driveMode & REVERSE ? -1 : 1;
    this.#timedProfile = (driveMode & TIMED_PROFILE) !== 0;
    this.#mode = this.#get('operating_mode');
    this.#homing = this.#get('homing_offset');
    this.#goal = this.#get('goal_position');
    this.#goalPwm = this.#get('goal_pwm');
    this.#goalTorque = current ? this.#get('goal_current') * current.scale * this.#torquePerAmpere : 0;
    this.#goalVelocity = this.#get('goal_velocity') * this.#stepsPerVelocity;
    this.#pwmLimit = this.#get('pwm_limit');
    this.#pGain = this.#get('position_p_gain');
    this.#iGain = this.#get('position_i_gain');
    this.#profileVelocity = this.#get('profile_velocity');
    this.#profileAcceleration = this.#get('profile_acceleration');
    this.#watchdog = this.#get('bus_watchdog');
    this.#maxTemperature = this.#get('max_temperature');
    this.#minVoltage = this.#get('min_voltage');
    this.#maxVoltage = this.#get('max_voltage');
  }

  /** Initialises the goals: 0 for the one that the mode drives by, the limit for goals that only limit others. */
  #resetGoals(): void {
    const mode = this.#get('operating_mode');
    this.#set('goal_pwm', mode === OperatingMode.pwm ? 0 : this.#get('pwm_limit'));
    this.#set('goal_velocity', mode === OperatingMode.velocity ? 0 : this.#get('velocity_limit'));
    this.#set('goal_current', mode === OperatingMode.current ? 0 : this.#get('current_limit'));
  }

  /** Resets the turn count: the present position is again within one turn. */
  #rebase(): void {
    this.#turnBase = Math.floor(this.#steps / STEPS) * STEPS;
  }

  /** Shifts the multi-turn count together with the goal, so that the shaft stays still. */
  #miscount(turns: number): void {
    this.#turnBase -= turns * STEPS;
    this.#profile += turns * STEPS;
    this.#goalStart += turns * STEPS;
    this.#goal += turns * STEPS;
    this.#set('goal_position', this.#goal);
  }

  /** Sets the goal to the present position until a goal is written. */
  #followPresent(): void {
    if (this.#goalWritten || this.#goal === this.#present) return;
    this.#goal = this.#present;
    this.#set('goal_position', this.#goal);
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
    this.#set('present_position', this.#faults.position(this.#present, STEPS_PER_RADIAN));
    this.#set('velocity_trajectory', this.#profileSpeed / this.#stepsPerVelocity);
    this.#set('position_trajectory', this.#profile);
    this.#set('present_voltage', Math.max(0, 10 * this.#faults.measured('voltage', this.voltage)));
    this.#set('present_temperature', byte(this.#faults.measured('temperature', this.#temperature)));
  }

  #rows(): [DynamixelRegister, Register][] {
    return Object.entries(this.#registers) as [DynamixelRegister, Register][];
  }

  /** Decoded value of a register; 0 if the model has no such register. */
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

/** A measurement as a one-byte register holds it. */
function byte(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value)));
}
