import type { ArmModel } from '../arm/model.ts';
import { modelByName } from '../servo/servo-models.ts';
import type { ExpectedServo } from '../servo/start-up.ts';

/**
 * The servos that an arm's data name, joint by joint, without the settings that they are given on connecting.
 * @throws {Error} for a servo of which there is no table
 */
export function expectedServos(model: ArmModel): ExpectedServo[] {
  return model.joints.flatMap(({ name, servos, settings }) =>
    servos.map(({ id, model: trade, sign, shadow }) => {
      const servo = modelByName(trade);
      if (servo === undefined) throw new Error(`joint ${name}: no table of a servo "${trade}"`);
      const first = servos[0]!;
      // A joint that is set to turn in reverse has a shadow that is, unless it is mounted the other way round.
      const reverse = (sign !== first.sign) !== (((settings.drive_mode ?? 0) & 1) === 1);
      return { joint: name, id, model: servo, settings: {}, shadow: shadow ? { of: first.id, reverse } : null };
    }),
  );
}
