import type { ArmModel } from '../arm/model.ts';
import { type ExpectedServo, expectedServos as expectedInJoint } from '../servo/expected-servo.ts';
import { modelByName } from '../servo/servo-models.ts';

/**
 * The servos in an arm's data, joint by joint, with their required register values.
 * @throws {Error} for a servo model without a register table
 */
export function expectedServos(model: ArmModel): ExpectedServo[] {
  return model.joints.flatMap(({ name, settings, servos, lower, upper }) =>
    expectedInJoint({
      name,
      settings,
      lower,
      upper,
      servos: servos.map(({ id, model: trade, sign, zero, shadow }) => {
        const servo = modelByName(trade);
        if (servo === undefined) throw new Error(`joint ${name}: no table of a servo "${trade}"`);
        return { id, model: servo, calibration: { sign, zero, stepsPerTurn: servo.stepsPerTurn }, shadow };
      }),
    }),
  );
}
