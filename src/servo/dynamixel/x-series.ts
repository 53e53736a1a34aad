import { plain, type Register, register, twosComplement, type Unit } from '../registers.ts';
import type { CommonRegisters } from '../servo-model.ts';
import { BAUD_RATES } from './dynamixel-constants.ts';

/**
 * Control tables of Dynamixel X servos (https://emanual.robotis.com/docs/en/dxl/x/, one page per model). Addresses agree
 * within the series wherever a register exists at all, so one sync read or sync write reaches any mixture of them and no
 * bulk read is needed in the control cycle. Homing offset: present position = actual position + offset.
 */

const STEPS_PER_TURN = 4096;
const RADIANS_PER_STEP = (2 * Math.PI) / STEPS_PER_TURN;

const STEP: Unit = { label: 'pulse', quantity: 'position', scale: RADIANS_PER_STEP };
const VELOCITY: Unit = { label: '0.229 rev/min', quantity: 'velocity', scale: (0.229 * 2 * Math.PI) / 60 };
const ACCELERATION: Unit = {
  label: '214.577 rev/min^2',
  quantity: 'acceleration',
  scale: (214.577 * 2 * Math.PI) / 3600,
};
/** The e-manual rounds 1/885 of the full output to 0.113 %. */
const PWM: Unit = { label: '0.113 %', quantity: 'share', scale: 1 / 885 };
const LOAD: Unit = { label: '0.1 %', quantity: 'share', scale: 0.001 };
const DECIVOLT: Unit = { label: '0.1 V', quantity: 'voltage', scale: 0.1 };
const CELSIUS: Unit = { label: 'degC', quantity: 'temperature', scale: 1 };
const TWO_MICROSECONDS: Unit = { label: '2 us', quantity: 'time', scale: 2e-6 };
const MILLISECOND: Unit = { label: 'ms', quantity: 'time', scale: 1e-3 };
const WATCHDOG: Unit = { label: '20 ms', quantity: 'time', scale: 0.02 };
const HARDWARE_ERROR_BITS = plain('hardware error bits');
const S8 = twosComplement(8);
const S16 = twosComplement(16);
const S32 = twosComplement(32);

/** Initial values that differ between models, of registers that all models have. */
interface Defaults {
  readonly modelNumber: number;
  readonly maxTemperature: number;
  readonly maxVoltage: number;
  readonly minVoltage: number;
  readonly velocityLimit: number;
  readonly shutdown: number;
  readonly velocityI: number;
  readonly velocityP: number;
  readonly positionD: number;
  readonly positionI: number;
  readonly positionP: number;
}

function shared(defaults: Defaults) {
  return {
    model_number: register(0, 2, 'read', defaults.modelNumber),
    model_information: register(2, 4, 'read', 0),
    firmware_version: register(6, 1, 'read', null),
    id: register(7, 1, 'eeprom', 1),
    baud_code: register(8, 1, 'eeprom', 1, plain('1 = 57600 baud, 3 = 1 Mbaud')),
    return_delay: register(9, 1, 'eeprom', 250, TWO_MICROSECONDS),
    drive_mode: register(10, 1, 'eeprom', 0, plain('bit 0 = reverse')),
    operating_mode: register(
      11,
      1,
      'eeprom',
      3,
      plain('0 current, 1 velocity, 3 position, 4 extended position, 5 current-based position, 16 PWM'),
    ),
    secondary_id: register(12, 1, 'eeprom', 255, plain('253..255 = none')),
    protocol_type: register(13, 1, 'eeprom', 2),
    homing_offset: register(20, 4, 'eeprom', 0, STEP, S32),
    moving_threshold: register(24, 4, 'eeprom', 10, VELOCITY),
    max_temperature: register(31, 1, 'eeprom', defaults.maxTemperature, CELSIUS),
    max_voltage: register(32, 2, 'eeprom', defaults.maxVoltage, DECIVOLT),
    min_voltage: register(34, 2, 'eeprom', defaults.minVoltage, DECIVOLT),
    pwm_limit: register(36, 2, 'eeprom', 885, PWM),
    velocity_limit: register(44, 4, 'eeprom', defaults.velocityLimit, VELOCITY),
    max_position: register(48, 4, 'eeprom', 4095, STEP),
    min_position: register(52, 4, 'eeprom', 0, STEP),
    shutdown: register(63, 1, 'eeprom', defaults.shutdown, HARDWARE_ERROR_BITS),
    torque_enable: register(64, 1, 'ram', 0, plain('0 off, 1 on')),
    led: register(65, 1, 'ram', 0),
    status_return_level: register(68, 1, 'ram', 2, plain('0 ping, 1 ping and read, 2 all')),
    registered_instruction: register(69, 1, 'read', 0),
    hardware_error_status: register(70, 1, 'read', 0, HARDWARE_ERROR_BITS),
    velocity_i_gain: register(76, 2, 'ram', defaults.velocityI, plain('1/65536')),
    velocity_p_gain: register(78, 2, 'ram', defaults.velocityP, plain('1/128')),
    position_d_gain: register(80, 2, 'ram', defaults.positionD, plain('1/16')),
    position_i_gain: register(82, 2, 'ram', defaults.positionI, plain('1/65536')),
    position_p_gain: register(84, 2, 'ram', defaults.positionP, plain('1/128')),
    feedforward_2nd_gain: register(88, 2, 'ram', 0, plain('1/4')),
    feedforward_1st_gain: register(90, 2, 'ram', 0, plain('1/4')),
    bus_watchdog: register(98, 1, 'ram', 0, WATCHDOG, S8),
    goal_pwm: register(100, 2, 'ram', null, PWM, S16),
    goal_velocity: register(104, 4, 'ram', null, VELOCITY, S32),
    profile_acceleration: register(108, 4, 'ram', 0, ACCELERATION),
    profile_velocity: register(112, 4, 'ram', 0, VELOCITY),
    goal_position: register(116, 4, 'ram', null, STEP, S32),
    realtime_tick: register(120, 2, 'read', null, MILLISECOND),
    moving: register(122, 1, 'read', 0),
    moving_status: register(123, 1, 'read', 0),
    present_pwm: register(124, 2, 'read', null, PWM, S16),
    present_velocity: register(128, 4, 'read', null, VELOCITY, S32),
    present_position: register(132, 4, 'read', null, STEP, S32),
    velocity_trajectory: register(136, 4, 'read', null, VELOCITY, S32),
    position_trajectory: register(140, 4, 'read', null, STEP, S32),
    present_voltage: register(144, 2, 'read', null, DECIVOLT),
    present_temperature: register(146, 1, 'read', null, CELSIUS),
  };
}

/** Registers of the models that measure their current; `unit` is the unit of one count. */
function currentSensing(limit: number, unit: Unit) {
  return {
    current_limit: register(38, 2, 'eeprom', limit, unit),
    goal_current: register(102, 2, 'ram', null, unit, S16),
    present_current: register(126, 2, 'read', null, unit, S16),
  };
}

const STARTUP = { startup_configuration: register(60, 1, 'eeprom', 0) };
const PWM_SLOPE = { pwm_slope: register(62, 1, 'eeprom', 140, plain('1.977 mV/ms')) };
const BACKUP = { backup_ready: register(147, 1, 'read', 0) };

function common(registers: ReturnType<typeof shared>, presentEffort: Register): CommonRegisters {
  return {
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
    positionGain: registers.position_p_gain,
    integralGain: registers.position_i_gain,
    derivativeGain: registers.position_d_gain,
    torqueEnable: registers.torque_enable,
    goalPosition: registers.goal_position,
    presentPosition: registers.present_position,
    presentVelocity: registers.present_velocity,
    presentEffort,
    presentVoltage: registers.present_voltage,
    presentTemperature: registers.present_temperature,
    alarms: registers.hardware_error_status,
  };
}

const MILLIAMPERE: Unit = { label: '1 mA', quantity: 'current', scale: 0.001 };
const XM_CURRENT: Unit = { label: '2.69 mA', quantity: 'current', scale: 0.00269 };

const xl330 = { maxTemperature: 70, maxVoltage: 70, minVoltage: 35, shutdown: 53, positionD: 0, positionP: 400 };

const xl330m288 = {
  ...shared({ ...xl330, modelNumber: 1200, velocityLimit: 445, velocityI: 1600, velocityP: 180, positionI: 0 }),
  ...currentSensing(1750, MILLIAMPERE),
  ...STARTUP,
  ...PWM_SLOPE,
  ...BACKUP,
};

const xl330m077 = {
  ...shared({ ...xl330, modelNumber: 1190, velocityLimit: 1620, velocityI: 400, velocityP: 40, positionI: 400 }),
  ...currentSensing(1750, MILLIAMPERE),
  ...STARTUP,
  ...PWM_SLOPE,
  ...BACKUP,
};

const xl430w250 = {
  ...shared({
    modelNumber: 1060,
    maxTemperature: 72,
    maxVoltage: 140,
    minVoltage: 60,
    velocityLimit: 265,
    shutdown: 52,
    velocityI: 1000,
    velocityP: 100,
    positionD: 4000,
    positionI: 0,
    positionP: 640,
  }),
  present_load: register(126, 2, 'read', null, LOAD, S16),
  ...STARTUP,
  ...BACKUP,
};

const xm430w350 = {
  ...shared({
    modelNumber: 1020,
    maxTemperature: 80,
    maxVoltage: 160,
    minVoltage: 95,
    velocityLimit: 350,
    shutdown: 52,
    velocityI: 1920,
    velocityP: 100,
    positionD: 0,
    positionI: 0,
    positionP: 800,
  }),
  ...currentSensing(1193, XM_CURRENT),
};

/** XL330-M288-T: 0.52 Nm at 5 V and 1.47 A. */
export const XL330_M288 = {
  model: 'XL330-M288',
  modelNumber: 1200,
  stepsPerTurn: STEPS_PER_TURN,
  supplies: [5],
  stallTorque: 0.52,
  torquePerEffort: 0.52 / 1.47,
  baudRates: BAUD_RATES,
  registers: xl330m288,
  common: common(xl330m288, xl330m288.present_current),
} as const;

/** XL330-M077-T: 0.215 Nm at 5 V and 1.47 A. */
export const XL330_M077 = {
  model: 'XL330-M077',
  modelNumber: 1190,
  stepsPerTurn: STEPS_PER_TURN,
  supplies: [5],
  stallTorque: 0.215,
  torquePerEffort: 0.215 / 1.47,
  baudRates: BAUD_RATES,
  registers: xl330m077,
  common: common(xl330m077, xl330m077.present_current),
} as const;

/** XL430-W250-T: 1.5 Nm at 12 V. It has no current sensor: its load is inferred from its output. */
export const XL430_W250 = {
  model: 'XL430-W250',
  modelNumber: 1060,
  stepsPerTurn: STEPS_PER_TURN,
  supplies: [12],
  stallTorque: 1.5,
  torquePerEffort: 1.5,
  baudRates: BAUD_RATES,
  registers: xl430w250,
  common: common(xl430w250, xl430w250.present_load),
} as const;

/** XM430-W350-T and -R: 4.1 Nm at 12 V and 2.3 A. */
export const XM430_W350 = {
  model: 'XM430-W350',
  modelNumber: 1020,
  stepsPerTurn: STEPS_PER_TURN,
  supplies: [12],
  stallTorque: 4.1,
  torquePerEffort: 4.1 / 2.3,
  baudRates: BAUD_RATES,
  registers: xm430w350,
  common: common(xm430w350, xm430w350.present_current),
} as const;

/** The X models with a table here. */
export type DynamixelModel = typeof XL330_M288 | typeof XL330_M077 | typeof XL430_W250 | typeof XM430_W350;

/** Every register name of the X series; not every model has all of them. */
export type DynamixelRegister = DynamixelModel extends infer M
  ? M extends DynamixelModel
    ? keyof M['registers']
    : never
  : never;
