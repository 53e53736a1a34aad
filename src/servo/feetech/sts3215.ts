import { plain, register, signMagnitude, type Unit } from '../registers.ts';
import type { CommonRegisters } from '../servo-model.ts';
import { BAUD_RATES } from './feetech-constants.ts';

const STEPS_PER_TURN = 4096;
const RADIANS_PER_STEP = (2 * Math.PI) / STEPS_PER_TURN;

const STEP: Unit = { label: 'step', quantity: 'position', scale: RADIANS_PER_STEP };
const STEP_RATE: Unit = { label: 'step/s', quantity: 'velocity', scale: RADIANS_PER_STEP };
const ACCELERATION: Unit = { label: '100 step/s^2', quantity: 'acceleration', scale: 100 * RADIANS_PER_STEP };
const DECIVOLT: Unit = { label: '0.1 V', quantity: 'voltage', scale: 0.1 };
const CELSIUS: Unit = { label: 'degC', quantity: 'temperature', scale: 1 };
const CURRENT: Unit = { label: '6.5 mA', quantity: 'current', scale: 0.0065 };
const PERMILLE: Unit = { label: '0.1 %', quantity: 'share', scale: 0.001 };
const DUTY: Unit = { label: '0.1 % PWM duty', quantity: 'share', scale: 0.001 };
const PERCENT: Unit = { label: '1 %', quantity: 'share', scale: 0.01 };
const TWO_MICROSECONDS: Unit = { label: '2 us', quantity: 'time', scale: 2e-6 };
const MILLISECOND: Unit = { label: 'ms', quantity: 'time', scale: 1e-3 };
const TEN_MILLISECONDS: Unit = { label: '10 ms', quantity: 'time', scale: 1e-2 };
const STATUS_BITS = plain('status bits');

const registers = {
  firmware_major: register(0, 1, 'read', 3),
  firmware_minor: register(1, 1, 'read', 10),
  model_number: register(3, 2, 'read', 777),
  id: register(5, 1, 'eeprom', 1),
  baud_code: register(6, 1, 'eeprom', 0, plain('0 = 1 Mbaud')),
  return_delay: register(7, 1, 'eeprom', 0, TWO_MICROSECONDS),
  response_level: register(8, 1, 'eeprom', 1),
  min_position: register(9, 2, 'eeprom', 0, STEP),
  max_position: register(11, 2, 'eeprom', 4095, STEP),
  max_temperature: register(13, 1, 'eeprom', 70, CELSIUS),
  max_voltage: register(14, 1, 'eeprom', 80, DECIVOLT),
  min_voltage: register(15, 1, 'eeprom', 40, DECIVOLT),
  max_torque: register(16, 2, 'eeprom', 1000, PERMILLE),
  phase: register(18, 1, 'eeprom', 12),
  unload_condition: register(19, 1, 'eeprom', 44, STATUS_BITS),
  led_alarm_condition: register(20, 1, 'eeprom', 47, STATUS_BITS),
  p_coefficient: register(21, 1, 'eeprom', 32),
  d_coefficient: register(22, 1, 'eeprom', 32),
  i_coefficient: register(23, 1, 'eeprom', 0),
  minimum_startup_force: register(24, 2, 'eeprom', 16, PERMILLE),
  cw_dead_zone: register(26, 1, 'eeprom', 1, STEP),
  ccw_dead_zone: register(27, 1, 'eeprom', 1, STEP),
  protection_current: register(28, 2, 'eeprom', 500, CURRENT),
  angular_resolution: register(30, 1, 'eeprom', 1),
  homing_offset: register(31, 2, 'eeprom', 0, STEP, signMagnitude(11)),
  operating_mode: register(33, 1, 'eeprom', 0, plain('0 position, 1 velocity, 2 PWM, 3 step')),
  protective_torque: register(34, 1, 'eeprom', 20, PERCENT),
  protection_time: register(35, 1, 'eeprom', 200, TEN_MILLISECONDS),
  overload_torque: register(36, 1, 'eeprom', 80, PERCENT),
  velocity_p: register(37, 1, 'eeprom', 10),
  over_current_time: register(38, 1, 'eeprom', 200, TEN_MILLISECONDS),
  velocity_i: register(39, 1, 'eeprom', 10),
  torque_enable: register(40, 1, 'ram', 0, plain('0 off, 1 on, 128 = present position becomes 2048')),
  acceleration: register(41, 1, 'ram', 0, ACCELERATION),
  goal_position: register(42, 2, 'ram', 0, STEP, signMagnitude(15)),
  goal_time: register(44, 2, 'ram', 0, MILLISECOND),
  goal_speed: register(46, 2, 'ram', 0, STEP_RATE, signMagnitude(15)),
  torque_limit: register(48, 2, 'ram', 1000, PERMILLE),
  lock: register(55, 1, 'ram', 0, plain('0 = EEPROM writes persist')),
  present_position: register(56, 2, 'read', null, STEP, signMagnitude(15)),
  present_speed: register(58, 2, 'read', null, STEP_RATE, signMagnitude(15)),
  present_load: register(60, 2, 'read', null, DUTY, signMagnitude(10)),
  present_voltage: register(62, 1, 'read', null, DECIVOLT),
  present_temperature: register(63, 1, 'read', null, CELSIUS),
  async_write_flag: register(64, 1, 'read', 0),
  status: register(65, 1, 'read', 0, STATUS_BITS),
  moving: register(66, 1, 'read', 0),
  present_current: register(69, 2, 'read', null, CURRENT, signMagnitude(15)),
  goal_position_echo: register(71, 2, 'read', null, STEP, signMagnitude(15)),
  move_threshold: register(80, 1, 'eeprom', 1),
  maximum_velocity_limit: register(84, 1, 'eeprom', 0),
  maximum_acceleration: register(85, 1, 'eeprom', 0, ACCELERATION),
  acceleration_multiplier: register(86, 1, 'eeprom', 1),
} as const;

/** Registers of an STS table that every family has under some name. */
const common: CommonRegisters = {
  modelNumber: registers.model_number,
  id: registers.id,
  baudCode: registers.baud_code,
  returnDelay: registers.return_delay,
  homingOffset: registers.homing_offset,
  operatingMode: registers.operating_mode,
  minPosition: registers.min_position,
  maxPosition: registers.max_position,
  maxTemperature: registers.max_temperature,
  minVoltage: registers.min_voltage,
  maxVoltage: registers.max_voltage,
  positionGain: registers.p_coefficient,
  integralGain: registers.i_coefficient,
  derivativeGain: registers.d_coefficient,
  torqueEnable: registers.torque_enable,
  goalPosition: registers.goal_position,
  presentPosition: registers.present_position,
  presentVelocity: registers.present_speed,
  presentEffort: registers.present_load,
  presentVoltage: registers.present_voltage,
  presentTemperature: registers.present_temperature,
  alarms: registers.status,
};

/**
 * Data sheet of the Feetech STS3215 (Feetech memory table spreadsheet; names as LeRobot's motor tables give them).
 * Position: 4096 steps a turn. Homing offset: present position = actual position - offset.
 */
export const STS3215 = {
  model: 'STS3215',
  modelNumber: 777,
  stepsPerTurn: STEPS_PER_TURN,
  supplies: [7.4, 12],
  /** Torque at a load of 100 %, Nm (30 kg cm, 12 V part). */
  stallTorque: 2.94,
  /** Nm at a load of 1, which is the full output. */
  torquePerEffort: 2.94,
  baudRates: BAUD_RATES,
  registers,
  common,
} as const;

export type Sts3215Register = keyof typeof STS3215.registers;
