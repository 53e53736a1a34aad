import type { DynamixelModel } from '../servo/dynamixel/x-series.ts';
import type { MotorParameters } from './sts3215-motor.ts';

/** Full output in counts of the PWM registers. */
export const FULL_PWM = 885;

/** Position P gain register content for a gain of 1 PWM count per step. */
export const GAIN_UNIT = 128;

const STEPS_PER_RADIAN = 4096 / (2 * Math.PI);

/**
 * Product page of each model (https://emanual.robotis.com/docs/en/dxl/x/): torque, current and speed at the recommended
 * supply. Stiffness is not chosen but follows from the e-manual's position controller, P / 128 PWM counts per step of
 * error with 885 counts as full output, at the model's P from the factory. D, I and feed-forward gains are not emulated.
 *
 * Chosen, since ROBOTIS publishes none of them: damping as the back-EMF makes it (stall torque per no-load speed), dry
 * friction as 2 % of the stall torque, armature such that the motor's time constant is the STS3215's (47 ms).
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
