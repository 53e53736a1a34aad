import { plain, type Register, register, signMagnitude, type Unit } from '../../../src/servo/registers.ts';
import type { ServoSheet } from '../../../src/servo/servo-model.ts';

/** Neither a power of two nor what any other family has. */
export const STEPS_PER_TURN = 1000;

const STEP: Unit = { label: 'step', quantity: 'position', scale: (2 * Math.PI) / STEPS_PER_TURN };
const STEP_RATE: Unit = { label: 'step/s', quantity: 'velocity', scale: (2 * Math.PI) / STEPS_PER_TURN };
const PERCENT: Unit = { label: '1 %', quantity: 'share', scale: 0.01 };
const VOLT: Unit = { label: '0.1 V', quantity: 'voltage', scale: 0.1 };
const CELSIUS: Unit = { label: 'degC', quantity: 'temperature', scale: 1 };

/** Two bytes, the higher one first. */
function word(...row: Parameters<typeof register>): Register {
  return { ...register(...row), bigEndian: true };
}

const registers = {
  model_number: word(0, 2, 'read', 42),
  firmware: register(2, 1, 'read', 7),
  id: register(3, 1, 'eeprom', 1),
  baud_code: register(4, 1, 'eeprom', 0, plain('0 = 1 Mbaud, 1 = 9600 baud')),
  answer_delay: register(5, 1, 'eeprom', 0),
  offset: word(6, 2, 'eeprom', 0, STEP, signMagnitude(15)),
  mode: register(8, 1, 'eeprom', 2, plain('1 wheel, 2 position')),
  lower: word(10, 2, 'eeprom', 0, STEP),
  upper: word(12, 2, 'eeprom', STEPS_PER_TURN - 1, STEP),
  hottest: register(14, 1, 'eeprom', 60, CELSIUS),
  lowest_voltage: register(15, 1, 'eeprom', 60, VOLT),
  highest_voltage: register(16, 1, 'eeprom', 90, VOLT),
  gain_p: register(17, 1, 'eeprom', 20),
  gain_i: register(18, 1, 'eeprom', 0),
  gain_d: register(19, 1, 'eeprom', 0),
  motor: register(40, 1, 'ram', 0, plain('0 off, 1 on')),
  pace: register(41, 1, 'ram', 0, plain('0 = as fast as it can')),
  goal: word(42, 2, 'ram', 0, STEP, signMagnitude(15)),
  place: word(44, 2, 'read', null, STEP, signMagnitude(15)),
  speed: word(46, 2, 'read', null, STEP_RATE, signMagnitude(15)),
  effort: register(48, 1, 'read', null, PERCENT, signMagnitude(7)),
  voltage: register(49, 1, 'read', null, VOLT),
  temperature: register(50, 1, 'read', null, CELSIUS),
  moving: register(51, 1, 'read', 0),
  faults: register(52, 1, 'read', 0),
};

/** Data sheet of a servo that does not exist. */
export const TOY_1: ServoSheet = {
  model: 'TOY-1',
  modelNumber: 42,
  stepsPerTurn: STEPS_PER_TURN,
  supplies: [12],
  stallTorque: 1,
  torquePerEffort: 1,
  baudRates: { 0: 1_000_000, 1: 9_600 },
  registers,
  common: {
    modelNumber: registers.model_number,
    id: registers.id,
    baudCode: registers.baud_code,
    returnDelay: registers.answer_delay,
    homingOffset: registers.offset,
    operatingMode: registers.mode,
    minPosition: registers.lower,
    maxPosition: registers.upper,
    maxTemperature: registers.hottest,
    minVoltage: registers.lowest_voltage,
    maxVoltage: registers.highest_voltage,
    positionGain: registers.gain_p,
    integralGain: registers.gain_i,
    derivativeGain: registers.gain_d,
    torqueEnable: registers.motor,
    goalPosition: registers.goal,
    presentPosition: registers.place,
    presentVelocity: registers.speed,
    presentEffort: registers.effort,
    presentVoltage: registers.voltage,
    presentTemperature: registers.temperature,
    alarms: registers.faults,
  },
};
