import type { Homing } from './homing.ts';
import type { RegisterAccess } from './servo-client.ts';
import type { ServoModel } from './servo-model.ts';
import { configure, registerName } from './setup.ts';

/**
 * Writes the homing registers that differ and reads them back, with the EEPROM lock open if there is one. The servo
 * must be limp: afterwards its position counts from elsewhere, but its goal does not.
 * @throws {ServoError} refused if the servo holds torque, or does not keep what was written
 */
export async function writeHoming(
  client: RegisterAccess,
  model: ServoModel,
  id: number,
  { offset, operatingMode, limits }: Homing,
): Promise<void> {
  const { common } = model;
  await configure(client, model, id, {
    [registerName(model, common.operatingMode)]: operatingMode,
    [registerName(model, common.homingOffset)]: offset,
    ...(limits === undefined
      ? {}
      : {
          [registerName(model, common.minPosition)]: limits.lowest,
          [registerName(model, common.maxPosition)]: limits.highest,
        }),
  });
}
