import type { DynamixelModel } from '../servo/dynamixel/x-series.ts';
import type { MotorParameters } from './sts3215-motor.ts';

/** Full output, counts of the PWM registers. */
export const FULL_PWM = 885;

/** Register value of the position P gain for a gain of 1 PWM count per step. */
export const GAIN_UNIT = 128;

const STEPS_PER_RADIAN = 4096 / (2 * Math.PI);

/**
 * Torque, current and speed at the recommended supply: product page of each model
 * (https://emanual.robotis.com/docs/en/dxl/x/). Stiffness is derived from the position controller in the e-manual: P /
 * 128 PWM counts per step of error, 885 counts at full output, at the model's factory P. D, I and feed-forward gains
 * are not emulated here.
 *
 * Assumed, because ROBOTIS publishes no figures: damping equal to the back-EMF slope (stall torque over no-load speed),
 * dry friction of 2 % of the stall torque, and an armature that gives the STS3215's motor time constant (47 ms).
 */
function motor(
  gain: number,
  stallTorque: number,
  stallCurrent: number,
  revolutionsPerMinute: number,
  nominalVoltage: number,
): MotorParameters {
  const noLoadSpeed = (revolutionsPerMinute * 2 * Math.PI) / 60;
  const damping = stallTorque / noLoadSpeed;
  return {
    stiffness: ((gain / GAIN_UNIT) * STEPS_PER_RADIAN * stallTorque) / FULL_PWM,
    referenceGain: gain,
    stallTorque,
    noLoadSpeed,
    nominalVoltage,
    stallCurrent,
    damping,
    frictionLoss: 0.02 * stallTorque,
    armature: 0.047 * damping,
  };
}

export const DYNAMIXEL_MOTORS: Readonly<Record<DynamixelModel['model'], MotorParameters>> = {
  'XL330-M288': motor(400, 0.52, 1.47, 103, 5),
  'XL330-M077': motor(400, 0.215, 1.47, 383, 5),
  'XL430-W250': motor(640, 1.5, 1.4, 61, 12),
  'XM430-W350': motor(800, 4.1, 2.3, 46, 12),
};
