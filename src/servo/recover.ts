import { type ServoClient, ServoError } from './servo-client.ts';
import { configure, readRegister, registerName, writeRegister } from './setup.ts';
import type { ExpectedServo } from './start-up.ts';

/** A Dynamixel servo answers again within this time after a reboot, s. */
const REBOOT_TIME = 1;

/**
 * Brings back a servo that has cut or reduced its torque after an overload: its torque goes off, which clears the alarm
 * (a Dynamixel servo is rebooted, and given its settings again), its goal becomes where it is, and its torque goes on again. The joint gives way by
 * what its load bends it in these milliseconds. A servo that was limp stays limp.
 * @param held the servo has torque, and is to have it again
 * @throws {ServoError} when the servo does not come back
 */
export async function recover(
  client: ServoClient,
  { id, model, settings }: ExpectedServo,
  held: boolean,
): Promise<void> {
  const torqueEnable = registerName(model, model.common.torqueEnable);
  if (model.family === 'dynamixel') {
    await client.reboot(id);
    await answering(client, id);
    await configure(client, model, id, settings);
  } else {
    await writeRegister(client, model, id, torqueEnable, 0);
  }
  if (!held) return;
  const present = await readRegister(client, model, id, registerName(model, model.common.presentPosition));
  await writeRegister(client, model, id, registerName(model, model.common.goalPosition), present);
  await writeRegister(client, model, id, torqueEnable, 1);
}

async function answering(client: ServoClient, id: number): Promise<void> {
  const deadline = client.clock.now() + REBOOT_TIME;
  while ((await client.ping(id)) === null) {
    if (client.clock.now() > deadline) {
      throw new ServoError(
        'timeout',
        id,
        `servo ${id} does not answer after its reboot: check its power and its cable`,
      );
    }
  }
}
