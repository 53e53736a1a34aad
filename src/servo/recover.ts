import { Contents, settle } from './audit.ts';
import type { ExpectedServo } from './expected-servo.ts';
import { type ServoClient, ServoError } from './servo-client.ts';
import { readRegister, registerName, writeRegister } from './setup.ts';
import { positions } from './start-up.ts';

/**
 * Brings back a servo that has cut or reduced its torque after an overload: its alarm is cleared, its registers are set
 * anew, its goal becomes where it is and is read back, and its torque goes on again. The joint gives way in these
 * milliseconds by as much as its load bends it. A servo that was limp stays limp.
 * @param held the servo has torque, and is to have it again
 * @throws {ServoError} when the servo does not come back, or does not take the goal: it stays limp then
 */
export async function recover(client: ServoClient, servo: ExpectedServo, held: boolean): Promise<void> {
  const { id, joint, model } = servo;
  const { common, family } = model;
  await family.clearAlarms(client, model, id);
  const contents = new Contents(model);
  await contents.read(client, id);
  await settle(client, { expected: servo, model, contents });
  if (!held) return;
  const { steps, agree } = await positions(client, servo, model, contents.of(common.presentPosition));
  const present = steps.at(-1)!;
  const goal = registerName(model, common.goalPosition);
  if (agree) {
    await writeRegister(client, model, id, goal, present);
    if ((await readRegister(client, model, id, goal)) === present) {
      await writeRegister(client, model, id, registerName(model, common.torqueEnable), 1);
      return;
    }
  }
  throw new ServoError(
    'refused',
    id,
    agree
      ? `servo ${id} (${joint}) does not take a goal at its position, ${present} steps, so it stays limp: check its own ` +
          'position limits (arm-bridge doctor)'
      : `servo ${id} (${joint}) reads its position as ${steps.join(', ')} steps, which do not agree, so it stays limp: ` +
          'check its cable and its supply',
  );
}
