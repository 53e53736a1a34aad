import type { Register } from './registers.ts';
import type { RegisterAccess } from './servo-client.ts';
import type { PositionLimits, ServoModel } from './servo-model.ts';
import { readRegister, registerName } from './setup.ts';

/** What a servo is, by its table, and how it is set, by its registers. */
export interface ModelFacts {
  readonly id: number;
  /** Trade name. */
  readonly model: string;
  readonly stepsPerTurn: number;
  /** Torque at standstill and full output, Nm. */
  readonly stallTorque: number;
  /** Highest temperature limit that its maker allows, degrees Celsius. */
  readonly highestTemperature: number;
  /** Gains of its position loop, its homing offset and its mode, in counts of its registers. */
  readonly gains: { readonly p: number; readonly i: number; readonly d: number };
  readonly homingOffset: number;
  readonly operatingMode: number;
  /** Its own position limits, in counts. */
  readonly positionLimits: PositionLimits;
}

/** @throws {ServoError} when the servo does not answer */
export async function servoFacts(client: RegisterAccess, id: number, model: ServoModel): Promise<ModelFacts> {
  const { common, stepsPerTurn, stallTorque } = model;
  const read = (register: Register): Promise<number> => readRegister(client, model, id, registerName(model, register));
  const { maxTemperature } = common;
  return {
    id,
    model: model.model,
    stepsPerTurn,
    stallTorque,
    // Servos leave the factory with the highest limit that their maker allows.
    highestTemperature: maxTemperature.initial! * maxTemperature.scale,
    gains: {
      p: await read(common.positionGain),
      i: await read(common.integralGain),
      d: await read(common.derivativeGain),
    },
    homingOffset: await read(common.homingOffset),
    operatingMode: await read(common.operatingMode),
    positionLimits: { lowest: await read(common.minPosition), highest: await read(common.maxPosition) },
  };
}
