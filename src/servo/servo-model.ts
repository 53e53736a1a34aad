import type { ControlTable, Register } from './registers.ts';
import type { ServoFamily } from './servo-family.ts';

/** Registers that every servo model has, whatever its maker calls them and wherever they are. */
export interface CommonRegisters {
  readonly modelNumber: Register;
  readonly id: Register;
  readonly baudCode: Register;
  readonly returnDelay: Register;
  readonly homingOffset: Register;
  readonly operatingMode: Register;
  readonly minPosition: Register;
  readonly maxPosition: Register;
  readonly maxTemperature: Register;
  readonly minVoltage: Register;
  readonly maxVoltage: Register;
  readonly positionGain: Register;
  readonly integralGain: Register;
  readonly derivativeGain: Register;
  readonly torqueEnable: Register;
  readonly goalPosition: Register;
  readonly presentPosition: Register;
  readonly presentVelocity: Register;
  /** The register that is closest to the torque: a share of the full output, or the motor's current. */
  readonly presentEffort: Register;
  readonly presentVoltage: Register;
  readonly presentTemperature: Register;
  /** Alarms, as bits of the family. */
  readonly alarms: Register;
}

/** The data sheet of one servo model. It contains no framing, so the emulated servos are made from it too. */
export interface ServoSheet {
  /** Trade name. */
  readonly model: string;
  /** The model number that the servo reports. */
  readonly modelNumber: number;
  readonly stepsPerTurn: number;
  /** Supply that it is made for, V; several if it is sold in versions that only the print on it tells apart. */
  readonly supplies: readonly number[];
  /** Torque at standstill and full output, Nm. */
  readonly stallTorque: number;
  /** Nm for each SI unit (full output or A) of `common.presentEffort`. */
  readonly torquePerEffort: number;
  /** Baud rate by content of the baud code register. */
  readonly baudRates: Readonly<Record<number, number>>;
  readonly registers: ControlTable;
  readonly common: CommonRegisters;
}

/** The register that limits a servo's effort while it holds a position. */
export interface EffortLimit {
  /** Largest current, or largest share of the full output. */
  readonly register: Register;
  /** Torque of one count, Nm. */
  readonly torquePerCount: number;
  /** Whether the limit also applies while the arm floats. */
  readonly floating: boolean;
}

/** Positions that a servo accepts as goals, counts. */
export interface PositionLimits {
  readonly lowest: number;
  readonly highest: number;
}

/** A servo model with the family whose protocol it speaks. */
export interface ServoModel extends ServoSheet {
  readonly family: ServoFamily;
}
