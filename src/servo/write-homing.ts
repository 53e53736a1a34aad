import type { Homing } from './homing.ts';
import type { RegisterAccess } from './servo-client.ts';
import type { ServoModel } from './servo-model.ts';
import { configure, registerName } from './setup.ts';

/**
 * Writes what differs and reads it back, with the lock of the EEPROM open where there is one. The servo must be limp: its
 * position counts from elsewhere afterwards, and its goal does not.
 * @throws {ServoError} refused when the servo holds torque, or does not keep what was written
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
