import { MAX_ID, StatusBit } from '../servo/feetech/feetech-constants.ts';
import { STS3215, type Sts3215Register } from '../servo/feetech/sts3215.ts';
import { decodeSign, encodeSign, type Register } from '../servo/registers.ts';
import type { EmulatedServo } from './emulated-servo.ts';
import { type ServoFault, ServoFaults } from './servo-faults.ts';
import { ServoSupply } from './servo-supply.ts';
import { type MotorParameters, STS3215_MOTOR } from './sts3215-motor.ts';

const REGISTERS: Readonly<Record<Sts3215Register, Register>> = STS3215.registers;
const NAMES = Object.keys(REGISTERS) as Sts3215Register[];
const MEMORY_SIZE = 256;

const STEPS_PER_TURN = STS3215.stepsPerTurn;
const STEP_MASK = STEPS_PER_TURN - 1;
const STEPS_PER_RADIAN = STEPS_PER_TURN / (2 * Math.PI);
const MIDDLE = STEPS_PER_TURN / 2;

/** Value of `torque_enable` that makes the present position the middle of the turn, and leaves torque as it is. */
const CENTRE_COMMAND = 128;

const READ_ONLY = 0;
const RAM = 1;
const EEPROM = 2;
const ACCESS = accessOfEachByte();

const TORQUE_ENABLE = REGISTERS.torque_enable.address;
const GOAL_POSITION = REGISTERS.goal_position.address;
const ID = REGISTERS.id.address;
const LOCK = REGISTERS.lock.address;
const FIRST_MEASURED = REGISTERS.present_position.address;

/** Time constant of the reported speed, s: the firmware differentiates an encoder and smooths the result. */
const SPEED_FILTER = 0.01;
/** Supply drop at full duty, V. */
const VOLTAGE_SAG = 0.25;
/** Winding temperature above ambient after a long stall at full duty, K, and the time constant to get there, s. */
const STALL_HEATING = 50;
const THERMAL_TIME = 400;
/** Current that the electronics draw without any torque, A. */
const IDLE_CURRENT = 0.03;
const CURRENT_UNIT = 0.0065;
/** Share of the no-load speed over which back-EMF fades the drive out. */
const DRIVE_FADE = 0.2;
/** Reported speed at which the servo starts to report motion, step/s. */
const MOVING_SPEED = 15;
/** Bit of `phase` for multi-turn positions, counted since the start, instead of 0..4095. */
const COUNTS_TURNS = 1 << 4;
/** Values of `operating_mode`. */
const Mode = { position: 0, velocity: 1, pwm: 2, step: 3 } as const;
/** Sign bit of `goal_time`, which holds the output in PWM mode, 0.1 %. */
const PWM_SIGN = 1 << 10;
/** Share of the proportional torque that one count of the I gain adds per second; assumed. */
const INTEGRAL_RATE = 0.1;
/** Share of the motor's damping that comes from the D gain at `USUAL_D`; assumed. */
const D_SHARE = 0.5;
const USUAL_D = 32;

export interface FirmwareOptions {
  readonly id: number;
  readonly motor?: Partial<MotorParameters>;
  /** V. */
  readonly supplyVoltage?: number;
  /** degC. */
  readonly ambientTemperature?: number;
  /**
   * Whether writing a goal to a limp servo switches its torque on. Sources disagree about the real servo; true is the
   * worse case, which a bridge must handle safely.
   */
  readonly torqueOnGoalWrite?: boolean;
  /** EEPROM values that differ from the factory's, decoded, by register name. */
  readonly eeprom?: Partial<Record<Sts3215Register, number>>;
}

/**
 * One STS3215: its control table and its position loop (Feetech STS memory table). It knows nothing of frames: the bus
 * calls `read`, `write`, `regWrite` and `action`. The physics calls `step` with the state of the shaft and applies the
 * torque.
 *
 * With bit 4 of `phase`, reported and goal positions are multi-turn, counted from the turn in which the servo starts
 * (LeRobot pull request 3373). With both position limits 0, goals are multi-turn too (Feetech). Where the table is
 * silent, the worst case is emulated: a goal time left over from another program slows every goal, and an I gain takes
 * effect. The baud rate is only stored, and the return delay is passed on with each reply, because a byte port has no
 * wire on which to apply them.
 */
export class Sts3215Firmware implements EmulatedServo {
  /** Content of the control table, one byte per address. */
  readonly memory = new Uint8Array(MEMORY_SIZE);
  readonly #persisted = new Uint8Array(MEMORY_SIZE);
  readonly #motor: MotorParameters;
  readonly #supply: ServoSupply;
  readonly #faults: ServoFaults;
  readonly #ambient: number;
  readonly #torqueOnGoalWrite: boolean;

  readonly #pending = new Uint8Array(MEMORY_SIZE);
  #pendingAddress = 0;
  #pendingLength = 0;

  // Shaft and drive as of the last step. Steps count across turns.
  #steps = 0;
  /** Steps at which the multi-turn count is 0, before the homing offset. */
  #turnBase = 0;
  #placed = false;
  #velocity = 0;
  #speed = 0;
  #duty = 0;
  #temperature: number;

  // Internal goal: it follows the goal register at the speed and acceleration that the registers allow (count,
  // count/s).
  #profile = 0;
  #profileSpeed = 0;
  #goal = 0;
  /** Speed that the goal time implies, count/s. */
  #timedSpeed = 0;
  /** Goal of step mode; each written goal is added to it. */
  #stepGoal = 0;
  /** Sum of the position error, count s. */
  #integral = 0;

  #overloadTime = 0;
  #overloaded = false;
  #overloadLatched = false;
  #overCurrentTime = 0;
  #overCurrent = false;

  // Decoded registers that the position loop needs in every step.
  #torqueOn = false;
  #mode: number = Mode.position;
  /** Nm per count of position error, and per count s of its integral. */
  #torquePerCount = 0;
  #torquePerIntegral = 0;
  /** Encoder steps per position count. */
  #resolution = 1;
  /** Whether reported positions are multi-turn, and whether goals are. */
  #tellsTurns = false;
  #drivesTurns = false;
  /** Nm s/rad, in addition to the motor's own. */
  #extraDamping = 0;
  #pwm = 0;
  #cwDeadZone = 0;
  #ccwDeadZone = 0;
  #offset = 0;
  #torqueLimit = 0;
  #protectiveTorque = 0;
  #overloadTorque = 0;
  #protectionTime = 0;
  #protectionCurrent = 0;
  #overCurrentLimit = 0;
  #maxTemperature = 0;
  #minVoltage = 0;
  #maxVoltage = 0;
  #unloadMask = 0;
  #goalSpeed = 0;
  #acceleration = 0;
  #moveThreshold = 0;

  /** @throws {RangeError} if the id is not valid for a single servo */
  constructor(options: FirmwareOptions) {
    if (!Number.isInteger(options.id) || options.id < 0 || options.id > MAX_ID) {
      throw new RangeError(`servo id ${options.id} is not within 0..${MAX_ID}: give each simulated servo its own id`);
    }
    this.#motor = { ...STS3215_MOTOR, ...options.motor };
    this.#supply = new ServoSupply(options.supplyVoltage ?? this.#motor.nominalVoltage, this.#motor.nominalVoltage);
    this.#faults = new ServoFaults(options.id + 1);
    this.#ambient = options.ambientTemperature ?? 25;
    this.#torqueOnGoalWrite = options.torqueOnGoalWrite ?? true;
    this.#temperature = this.#ambient;
    for (const name of NAMES) {
      const row = REGISTERS[name];
      if (row.access !== 'ram') storeSigned(this.#persisted, row, options.eeprom?.[name] ?? row.initial ?? 0);
    }
    store(this.#persisted, REGISTERS.id, options.id);
    this.powerCycle();
  }

  get id(): number {
    return this.memory[ID] ?? 0;
  }

  /** Whether the motor is energised, according to the torque register. */
  get torqueOn(): boolean {
    return this.#torqueOn;
  }

  /** Whether the servo acknowledges writes and actions (`response_level`, register 8). */
  get acknowledges(): boolean {
    return this.memory[REGISTERS.response_level.address] !== 0;
  }

  /** Delay between a request and the servo's answer (register 7, units of 2 us), s. */
  get returnDelay(): number {
    return load(this.memory, REGISTERS.return_delay) * 2e-6;
  }

  get awake(): boolean {
    return this.#supply.awake;
  }

  get positionGain(): number {
    return load(this.memory, REGISTERS.p_coefficient);
  }

  get protects(): boolean {
    return (this.status & this.#unloadMask) !== 0;
  }

  get goal(): number {
    return this.#goal;
  }

  get goalDistance(): number {
    return ((this.#goal - this.#position(this.#drivesTurns)) * this.#resolution) / STEPS_PER_RADIAN;
  }

  /** Raises the overload alarm, as a blocked shaft does; it lasts until torque or the supply is switched off. */
  raiseOverload(): void {
    this.#overloadLatched = true;
  }

  fault(fault: ServoFault): void {
    const { registers = {}, overload, heat, turns, volts, restart } = fault;
    const unknown = Object.keys(registers).find((name) => !Object.hasOwn(REGISTERS, name));
    if (unknown !== undefined) throw new Error(`an STS3215 has no register "${unknown}"`);
    this.#faults.change(fault);
    if (turns !== undefined && this.#tellsTurns) this.#miscount(turns);
    if (heat !== undefined) this.#temperature = heat;
    for (const [name, value] of Object.entries(registers)) {
      const row = REGISTERS[name as Sts3215Register];
      storeSigned(this.memory, row, value);
      if (row.access !== 'ram') storeSigned(this.#persisted, row, value);
    }
    this.#decode();
    if (volts !== undefined && this.#supply.change(volts)) this.powerCycle();
    if (restart) this.powerCycle();
    if (overload) this.raiseOverload();
  }

  /** Alarms as of the last step, bits of `StatusBit`. */
  get status(): number {
    let bits = 0;
    const volts = this.voltage * 10;
    if (volts > this.#maxVoltage || volts < this.#minVoltage) bits |= StatusBit.voltage;
    if (this.#temperature > this.#maxTemperature) bits |= StatusBit.temperature;
    if (this.#overCurrent) bits |= StatusBit.current;
    if (this.#overloaded || this.#overloadLatched) bits |= StatusBit.overload;
    return bits;
  }

  /** Supply voltage at the servo, V. */
  get voltage(): number {
    return this.#supply.volts - VOLTAGE_SAG * Math.abs(this.#duty);
  }

  /** degC. */
  get temperature(): number {
    return this.#temperature;
  }

  /** Decoded value of one register, as a read would return it now. */
  value(name: Sts3215Register): number {
    this.#measure();
    const row = REGISTERS[name];
    return decodeSign(row.sign, load(this.memory, row));
  }

  /** Switches the supply off and on: EEPROM as persisted, RAM at its power-on values, torque off, alarms cleared. */
  powerCycle(): void {
    this.memory.set(this.#persisted);
    for (const name of NAMES) {
      const row = REGISTERS[name];
      if (row.access === 'ram') store(this.memory, row, row.initial ?? 0);
    }
    store(this.memory, REGISTERS.torque_limit, load(this.memory, REGISTERS.max_torque));
    this.#pendingLength = 0;
    this.#overloadLatched = false;
    this.#release();
    this.#decode();
    this.#countFromHere();
  }

  /** Copies `length` bytes from `address` into `out`; addresses beyond the table read as zero. */
  read(address: number, length: number, out: Uint8Array, outOffset: number): void {
    if (address + length > FIRST_MEASURED) this.#measure();
    for (let i = 0; i < length; i++) out[outOffset + i] = this.memory[address + i] ?? 0;
  }

  /**
   * Writes `length` bytes of `data`. Read-only and unknown addresses keep their values. EEPROM values always take
   * effect, and persist if the lock was open.
   */
  write(address: number, data: Uint8Array, offset: number, length: number): void {
    const persists = this.memory[LOCK] === 0;
    const torque = this.memory[TORQUE_ENABLE] ?? 0;
    for (let i = 0; i < length; i++) {
      const at = address + i;
      const access = ACCESS[at] ?? READ_ONLY;
      if (access === READ_ONLY) continue;
      const value = data[offset + i] ?? 0;
      if (at === ID && value > MAX_ID) continue;
      if (this.#faults.ignoresGoals && (at === GOAL_POSITION || at === GOAL_POSITION + 1)) continue;
      this.memory[at] = value;
      if (access === EEPROM && persists) this.#persisted[at] = value;
    }
    if (covers(address, length, TORQUE_ENABLE)) this.#switchTorque(torque, persists);
    const goal = covers(address, length, GOAL_POSITION) || covers(address, length, GOAL_POSITION + 1);
    if (goal && this.#torqueOnGoalWrite && !this.#faults.ignoresGoals) this.memory[TORQUE_ENABLE] = 1;
    this.#decode();
    if (goal && !this.#faults.ignoresGoals) this.#goalWritten();
  }

  /** Holds a write until `action`; a second one replaces the first. */
  regWrite(address: number, data: Uint8Array, offset: number, length: number): void {
    for (let i = 0; i < length; i++) this.#pending[i] = data[offset + i] ?? 0;
    this.#pendingAddress = address;
    this.#pendingLength = length;
  }

  /** Executes the held write, if any. */
  action(): void {
    const length = this.#pendingLength;
    if (length === 0) return;
    this.#pendingLength = 0;
    this.write(this.#pendingAddress, this.#pending, 0, length);
  }

  /**
   * Runs one cycle of the position loop.
   * @param dt s
   * @param angle of the shaft, rad, unwrapped; 0 is encoder step 0
   * @param velocity of the shaft, rad/s
   * @returns the motor's torque on the shaft, Nm; 0 if the motor is not driven
   */
  step(dt: number, angle: number, velocity: number): number {
    this.#supply.step(dt);
    this.#steps = Math.round(angle * STEPS_PER_RADIAN);
    if (!this.#placed) {
      this.#placed = true;
      this.#countFromHere();
    }
    this.#velocity = velocity;
    this.#speed += (dt / (SPEED_FILTER + dt)) * (velocity * STEPS_PER_RADIAN - this.#speed);
    const torque = this.#torqueOn && this.awake ? this.#drive(dt) : 0;
    this.#duty = torque === 0 ? 0 : torque / this.#stallTorque;
    this.#watchCurrent(dt);
    const heating = STALL_HEATING * this.#duty * this.#duty;
    this.#temperature += (dt / THERMAL_TIME) * (heating - (this.#temperature - this.#ambient));
    return torque;
  }

  get #stallTorque(): number {
    return (this.#motor.stallTorque * this.#supply.volts) / this.#motor.nominalVoltage;
  }

  /** Steps within the turn. */
  get #actual(): number {
    return this.#steps & STEP_MASK;
  }

  /** Position in counts, multi-turn or within one turn. */
  #position(overTurns: boolean): number {
    const steps = overTurns ? this.#steps - this.#turnBase - this.#offset : (this.#steps - this.#offset) & STEP_MASK;
    return this.#resolution === 1 ? steps : Math.trunc(steps / this.#resolution);
  }

  /** Restarts the turn count at the turn that the shaft is in. */
  #countFromHere(): void {
    this.#turnBase = this.#steps - this.#offset - this.#position(false) * this.#resolution;
  }

  /** Shifts the multi-turn count together with the goal, so that the shaft stays still. */
  #miscount(turns: number): void {
    this.#turnBase -= turns * STEPS_PER_TURN;
    this.#profile += (turns * STEPS_PER_TURN) / this.#resolution;
    store(this.memory, REGISTERS.goal_position, encodeSign(REGISTERS.goal_position.sign, Math.round(this.#profile)));
  }

  /** Whether goals are positions, absolute or in steps. */
  get #drivesPosition(): boolean {
    return this.#mode === Mode.position || this.#mode === Mode.step;
  }

  #drive(dt: number): number {
    const demand = this.#mode === Mode.pwm ? this.#pwm * this.#stallTorque : this.#positionDemand(dt);
    const stall = this.#stallTorque;
    const wanted = Math.min(Math.abs(demand), this.#torqueLimit * stall);
    this.#watchOverload(dt, wanted / stall);

    const unload = this.status & this.#unloadMask;
    if (unload & ~StatusBit.overload) return 0;
    const limit = unload & StatusBit.overload ? Math.min(wanted, this.#protectiveTorque * stall) : wanted;
    const noLoad = (this.#motor.noLoadSpeed * this.#supply.volts) / this.#motor.nominalVoltage;
    const speed = demand > 0 ? this.#velocity : -this.#velocity;
    const driven = Math.min(1, Math.max(0, (noLoad - speed) / (DRIVE_FADE * noLoad)));
    const magnitude = Math.min(limit, driven * stall);
    return demand < 0 ? -magnitude : magnitude;
  }

  /** Torque that the position loop asks for, Nm. */
  #positionDemand(dt: number): number {
    if (this.#drivesPosition) this.#advanceProfile(dt);
    else this.#profile += this.#goalSpeed * dt;
    const error = Math.round(this.#profile) - this.#position(this.#drivesTurns);
    const deadZone = error > 0 ? this.#ccwDeadZone : this.#cwDeadZone;
    let demand = Math.abs(error) <= deadZone ? 0 : error * this.#torquePerCount;
    if (this.#torquePerIntegral > 0) {
      const most = (this.#torqueLimit * this.#stallTorque) / this.#torquePerIntegral;
      this.#integral = Math.min(most, Math.max(-most, this.#integral + error * dt));
      demand += this.#integral * this.#torquePerIntegral;
    }
    return demand - this.#extraDamping * this.#velocity;
  }

  /** The protection ends when the demand no longer exceeds the overload torque, or when torque is switched off. */
  #watchOverload(dt: number, load: number): void {
    if (load <= this.#overloadTorque) {
      this.#overloadTime = 0;
      this.#overloaded = false;
      return;
    }
    this.#overloadTime += dt;
    if (this.#overloadTime >= this.#protectionTime) this.#overloaded = true;
  }

  #watchCurrent(dt: number): void {
    if (Math.abs(this.#duty) * this.#motor.stallCurrent <= this.#protectionCurrent) {
      this.#overCurrentTime = 0;
      return;
    }
    this.#overCurrentTime += dt;
    if (this.#overCurrentTime >= this.#overCurrentLimit) this.#overCurrent = true;
  }

  #advanceProfile(dt: number): void {
    const asked = Math.abs(this.#goalSpeed) || this.#timedSpeed;
    if (asked === 0 && this.#acceleration === 0) {
      this.#profile = this.#goal;
      this.#profileSpeed = 0;
      return;
    }
    const top = asked === 0 ? Number.POSITIVE_INFINITY : asked;
    const rest = this.#goal - this.#profile;
    if (this.#acceleration === 0) {
      this.#profile += Math.sign(rest) * Math.min(Math.abs(rest), top * dt);
      this.#profileSpeed = rest === 0 ? 0 : Math.sign(rest) * top;
      return;
    }
    const change = this.#acceleration * dt;
    const wanted = Math.sign(rest) * Math.min(top, Math.sqrt(2 * this.#acceleration * Math.abs(rest)));
    this.#profileSpeed += Math.min(change, Math.max(-change, wanted - this.#profileSpeed));
    const move = this.#profileSpeed * dt;
    if (Math.abs(rest) <= Math.abs(move) && Math.abs(this.#profileSpeed) <= 2 * change) {
      this.#profile = this.#goal;
      this.#profileSpeed = 0;
    } else {
      this.#profile += move;
    }
  }

  /** Side effects of a goal write. */
  #goalWritten(): void {
    const time = load(this.memory, REGISTERS.goal_time) / 1000;
    if (this.#mode === Mode.step) this.#goal = this.#stepGoal += signed(this.memory, REGISTERS.goal_position);
    this.#timedSpeed = time > 0 ? Math.abs(this.#goal - this.#profile) / time : 0;
  }

  #switchTorque(previous: number, persists: boolean): void {
    const wanted = this.memory[TORQUE_ENABLE] ?? 0;
    if (wanted === CENTRE_COMMAND) {
      const row = REGISTERS.homing_offset;
      const raw = encodeSign(row.sign, this.#actual - MIDDLE);
      store(this.memory, row, raw);
      if (persists) store(this.#persisted, row, raw);
      this.memory[TORQUE_ENABLE] = previous;
    } else if (wanted > 1) {
      this.memory[TORQUE_ENABLE] = previous;
    }
  }

  #release(): void {
    this.#overloaded = false;
    this.#overloadTime = 0;
    this.#overCurrent = false;
    this.#overCurrentTime = 0;
    this.#duty = 0;
    this.#integral = 0;
    this.#timedSpeed = 0;
    this.#torqueOn = false;
  }

  /** Decodes the registers that the position loop needs; call after every register change. */
  #decode(): void {
    const memory = this.memory;
    this.#mode = load(memory, REGISTERS.operating_mode);
    this.#resolution = Math.max(1, load(memory, REGISTERS.angular_resolution));
    const gain = load(memory, REGISTERS.p_coefficient) / this.#motor.referenceGain;
    this.#torquePerCount = (this.#motor.stiffness * gain * this.#resolution) / STEPS_PER_RADIAN;
    this.#torquePerIntegral = this.#torquePerCount * INTEGRAL_RATE * load(memory, REGISTERS.i_coefficient);
    this.#extraDamping = this.#motor.damping * D_SHARE * (load(memory, REGISTERS.d_coefficient) / USUAL_D - 1);
    this.#cwDeadZone = load(memory, REGISTERS.cw_dead_zone);
    this.#ccwDeadZone = load(memory, REGISTERS.ccw_dead_zone);
    this.#offset = signed(memory, REGISTERS.homing_offset);
    const limit = Math.min(load(memory, REGISTERS.torque_limit), load(memory, REGISTERS.max_torque), 1000);
    this.#torqueLimit = limit / 1000;
    this.#protectiveTorque = load(memory, REGISTERS.protective_torque) / 100;
    this.#overloadTorque = load(memory, REGISTERS.overload_torque) / 100;
    this.#protectionTime = load(memory, REGISTERS.protection_time) / 100;
    this.#protectionCurrent = load(memory, REGISTERS.protection_current) * CURRENT_UNIT;
    this.#overCurrentLimit = load(memory, REGISTERS.over_current_time) / 100;
    this.#maxTemperature = load(memory, REGISTERS.max_temperature);
    this.#minVoltage = load(memory, REGISTERS.min_voltage);
    this.#maxVoltage = load(memory, REGISTERS.max_voltage);
    this.#unloadMask = load(memory, REGISTERS.unload_condition);
    this.#goalSpeed = signed(memory, REGISTERS.goal_speed);
    const pwm = load(memory, REGISTERS.goal_time);
    this.#pwm = ((pwm & PWM_SIGN ? -1 : 1) * Math.min(pwm & (PWM_SIGN - 1), 1000)) / 1000;
    const acceleration = load(memory, REGISTERS.acceleration);
    const ceiling = load(memory, REGISTERS.maximum_acceleration);
    this.#acceleration = 100 * (acceleration === 0 || ceiling === 0 ? acceleration : Math.min(acceleration, ceiling));
    this.#moveThreshold = load(memory, REGISTERS.move_threshold);

    const low = load(memory, REGISTERS.min_position);
    const high = load(memory, REGISTERS.max_position);
    const goal = signed(memory, REGISTERS.goal_position);
    // Both limits at zero mean "no limit" to Feetech servos.
    const endless = low === 0 && high === 0;
    this.#tellsTurns = (load(memory, REGISTERS.phase) & COUNTS_TURNS) !== 0;
    this.#drivesTurns = this.#tellsTurns || endless || this.#mode !== Mode.position;
    if (this.#mode === Mode.position) this.#goal = endless ? goal : Math.min(high, Math.max(low, goal));

    const torqueOn = memory[TORQUE_ENABLE] === 1;
    if (torqueOn && !this.#torqueOn) {
      this.#profile = this.#position(this.#drivesTurns);
      this.#profileSpeed = 0;
      this.#stepGoal = this.#profile;
      if (this.#mode === Mode.step) this.#goal = this.#profile;
    }
    if (!torqueOn && this.#torqueOn) this.#overloadLatched = false;
    if (!torqueOn) this.#release();
    this.#torqueOn = torqueOn;
  }

  #measure(): void {
    const memory = this.memory;
    const status = this.status;
    const current = (Math.abs(this.#duty) * this.#motor.stallCurrent + IDLE_CURRENT) / CURRENT_UNIT;
    const atGoal = Math.abs(this.#goal - this.#profile) <= this.#moveThreshold;
    const moving = Math.abs(this.#speed) >= MOVING_SPEED || (this.#torqueOn && !atGoal);
    const position = this.#faults.position(this.#position(this.#tellsTurns), STEPS_PER_RADIAN / this.#resolution);
    storeSigned(memory, REGISTERS.present_position, this.#tellsTurns ? position : Math.max(0, position));
    storeSigned(memory, REGISTERS.present_speed, this.#speed);
    storeSigned(memory, REGISTERS.present_load, this.#duty * 1000);
    store(memory, REGISTERS.present_voltage, byte(10 * this.#faults.measured('voltage', this.voltage)));
    store(memory, REGISTERS.present_temperature, byte(this.#faults.measured('temperature', this.#temperature)));
    store(memory, REGISTERS.async_write_flag, this.#pendingLength > 0 ? 1 : 0);
    store(memory, REGISTERS.status, status);
    store(memory, REGISTERS.moving, moving ? 1 : 0);
    storeSigned(memory, REGISTERS.present_current, this.#duty < 0 ? -current : current);
    storeSigned(memory, REGISTERS.goal_position_echo, this.#goal);
  }
}

function accessOfEachByte(): Uint8Array {
  const access = new Uint8Array(MEMORY_SIZE);
  for (const name of NAMES) {
    const row = REGISTERS[name];
    const code = row.access === 'eeprom' ? EEPROM : row.access === 'ram' ? RAM : READ_ONLY;
    access.fill(code, row.address, row.address + row.size);
  }
  return access;
}

/** A measurement as a one-byte register holds it. */
function byte(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value)));
}

function covers(address: number, length: number, at: number): boolean {
  return at >= address && at < address + length;
}

function load(memory: Uint8Array, row: Register): number {
  let raw = 0;
  for (let i = row.size - 1; i >= 0; i--) raw = raw * 256 + (memory[row.address + i] ?? 0);
  return raw;
}

function signed(memory: Uint8Array, row: Register): number {
  return decodeSign(row.sign, load(memory, row));
}

function store(memory: Uint8Array, row: Register, raw: number): void {
  for (let i = 0; i < row.size; i++) memory[row.address + i] = (raw >>> (8 * i)) & 0xff;
}

function storeSigned(memory: Uint8Array, row: Register, value: number): void {
  store(memory, row, encodeSign(row.sign, Math.round(value)));
}
