import { Contents, settle } from './audit.ts';
import type { ExpectedServo } from './expected-servo.ts';
import { bytesOf, loadCounts } from './registers.ts';
import { type ServoClient, ServoError } from './servo-client.ts';
import { readRegister, readRow, registerName, writeRegister } from './setup.ts';
import { positions } from './start-up.ts';

/** A servo answers again within this time after a restart, s. */
const RESTART_TIME = 1;
/** Bytes by which two answers can be told from each other. */
const MORE = 2;
/** Torque is sent off, and on again, so many times: one may be lost, and nobody waits for an answer while a joint gives way. */
const TIMES = 3;
/** Time between two of these, in which a servo answers, s. */
const GAP = 0.002;
/** A servo gets torque again while it is no further from its goal than this, rad. */
const GIVES_WAY = 0.06;
/** So many times the goal of a servo is led to where it has gone, and one that stayed limp gets torque again. */
const ATTEMPTS = 5;
/** The goal of a servo that still pulls is led to where it is by so much (rad) every so often (s): it lets go, and not at once. */
const LEAD = 0.03;
const LEAD_INTERVAL = 0.005;

/**
 * Brings back a servo that has cut or reduced its torque after an overload: its goal becomes where it is and is read back,
 * its alarm is cleared, and its torque goes on again. The joint gives way for some milliseconds by as much as its load
 * bends it. A servo that was limp stays limp.
 * @param held the servo has torque, and is to have it again
 * @throws {ServoError} when the servo does not come back, or does not take the goal: it is left as it is then
 */
export async function recover(client: ServoClient, servo: ExpectedServo, held: boolean): Promise<void> {
  const { id, model } = servo;
  if (model.family.alarms.endedBy === 'restart') {
    await restart(client, id);
    const contents = new Contents(model);
    await contents.read(client, id);
    await settle(client, { expected: servo, model, contents });
    if (held) await hold(client, servo, await aim(client, servo, false, 'it stays limp'));
  } else if (held) {
    // A line that answers badly is found out here, before anything has been let go of.
    const goal = await aim(client, servo, true, 'its torque is left as it is');
    await dip(client, servo);
    await hold(client, servo, goal);
  } else {
    await writeRegister(client, model, id, registerName(model, model.common.torqueEnable), 0);
  }
}

/** Restarts a servo, after which it is limp and its RAM as from the factory. @throws {ServoError} */
async function restart(client: ServoClient, id: number): Promise<void> {
  await client.reboot(id);
  const deadline = client.clock.now() + RESTART_TIME;
  while ((await client.ping(id)) === null) {
    if (client.clock.now() <= deadline) continue;
    throw new ServoError('timeout', id, `servo ${id} does not answer after its restart: check its power and its cable`);
  }
}

/**
 * Gives a servo the goal of where it is.
 * @param pulls it has torque
 * @param otherwise what follows where that cannot be, for people
 * @returns the goal that it holds now, steps
 * @throws {ServoError}
 */
async function aim(client: ServoClient, servo: ExpectedServo, pulls: boolean, otherwise: string): Promise<number> {
  const { id, joint, model } = servo;
  const { presentPosition, goalPosition } = model.common;
  const goal = registerName(model, goalPosition);
  const refused = (why: string): ServoError => new ServoError('refused', id, `servo ${id} (${joint}) ${why}`);
  const most = Math.round(stepsIn(model, LEAD));
  let sent: number | null = null;
  for (let round = 0; round <= ATTEMPTS; round++) {
    const { steps, agree } = await positions(client, servo, model, await readRow(client, id, presentPosition));
    const present = steps.at(-1)!;
    if (!agree)
      throw refused(
        `reads its position as ${steps.join(', ')} steps, which do not agree, so ${otherwise}: ` +
          'check its cable and its supply',
      );
    // A joint that a hand or its load moves has gone on while its goal was led to it.
    if (sent !== null && Math.abs(present - sent) <= stepsIn(model, GIVES_WAY)) return sent;
    sent ??= pulls ? await heldGoal(client, servo) : present;
    do {
      sent += Math.min(most, Math.max(-most, present - sent));
      await writeRegister(client, model, id, goal, sent);
      if (sent !== present) await client.clock.sleep(LEAD_INTERVAL);
    } while (sent !== present);
    if ((await readRegister(client, model, id, goal)) === present) continue;
    throw refused(
      `does not take a goal at its position, ${present} steps, so ${otherwise}: check its own position limits ` +
        '(arm-bridge doctor)',
    );
  }
  throw refused(`does not stand still while it is brought back, so ${otherwise}: hold its joint still, and try again`);
}

/**
 * Has a servo hold its goal. Torque is sent only to one that has just told where it is and what it would hold: one that has
 * lost its supply meanwhile holds another goal, and one whose requests were lost for long has given way.
 * @param goal that it was given, steps
 * @throws {ServoError}
 */
async function hold(client: ServoClient, servo: ExpectedServo, goal: number): Promise<void> {
  const { id, model } = servo;
  const { torqueEnable, goalPosition, presentPosition } = model.common;
  for (let sent = 0; sent < ATTEMPTS; sent++) {
    if ((await readRow(client, id, torqueEnable)) === 1) return;
    const away = Math.abs((await readRow(client, id, presentPosition)) - goal);
    if (away > stepsIn(model, GIVES_WAY) || (await readRow(client, id, goalPosition)) !== goal) break;
    client.post(id, torqueEnable.address, bytesOf(torqueEnable, 1));
    await client.clock.sleep(GAP);
  }
  throw lostTorque(servo);
}

function lostTorque({ id, joint }: ExpectedServo): ServoError {
  return new ServoError(
    'refused',
    id,
    `servo ${id} (${joint}) gave way or restarted while it was brought back, so it stays limp: lower the arm, check its ` +
      'supply, and switch torque on again',
  );
}

const stepsIn = ({ stepsPerTurn }: ExpectedServo['model'], angle: number): number =>
  (angle * stepsPerTurn) / (2 * Math.PI);

/**
 * The goal that a servo holds. It is asked for more bytes than for its position: on a line that doubles answers one of those
 * may still be on its way.
 * @throws {ServoError} where it holds none: the goal of a limp servo may be left from any time, and it may begin to pull with
 * the next one
 */
async function heldGoal(client: ServoClient, servo: ExpectedServo): Promise<number> {
  const { id, model } = servo;
  const { goalPosition, torqueEnable } = model.common;
  const goal = loadCounts(goalPosition, await client.read(id, goalPosition.address, goalPosition.size + MORE), 0);
  if ((await readRow(client, id, torqueEnable)) === 0) throw lostTorque(servo);
  return goal;
}

/** Switches torque off, which ends the alarm, and on again at once. */
async function dip(client: ServoClient, { id, model }: ExpectedServo): Promise<void> {
  const { torqueEnable } = model.common;
  for (const on of [0, 1]) {
    for (let sent = 0; sent < TIMES; sent++) {
      client.post(id, torqueEnable.address, bytesOf(torqueEnable, on));
      await client.clock.sleep(GAP);
    }
  }
}
