import { Contents, settle } from './audit.ts';
import type { ExpectedServo } from './expected-servo.ts';
import { bytesOf, loadCounts } from './registers.ts';
import { type ServoClient, ServoError } from './servo-client.ts';
import { readRegister, readRow, registerName, writeRegister } from './setup.ts';
import { positions } from './start-up.ts';

/** A servo answers again within this time after a restart, s. */
const RESTART_TIME = 1;
/** Extra bytes of a read, by which its answer can be told from others. */
const MORE = 2;
/**
 * Torque off, and on again, is sent this many times: one frame may be lost, and waiting for an answer would take too
 * long while a joint gives way.
 */
const TIMES = 3;
/** Time between two of these frames, in which a servo answers, s. */
const GAP = 0.002;
/** Largest distance from its goal at which a servo gets torque again, rad. */
const GIVES_WAY = 0.06;
/** Attempts to move the goal of a servo to where it is, and to give torque to one that stayed limp. */
const ATTEMPTS = 5;
/**
 * Step (rad) and interval (s) in which the goal of a servo that still pulls is moved to its position, so that it lets
 * go gradually.
 */
const LEAD = 0.03;
const LEAD_INTERVAL = 0.005;

/**
 * Recovers a servo that has cut or reduced its torque after an overload: sets its goal to its present position and
 * reads it back, clears its alarm, and switches its torque on again. The joint gives way for some milliseconds, by as
 * much as its load bends it. A limp servo stays limp.
 * @param held the servo has torque, and gets it again
 * @param goesOn whether it is still to get torque: an arm may be stopped meanwhile
 * @throws {ServoError} if the servo does not recover, or does not accept the goal; it is left as it is then
 */
export async function recover(
  client: ServoClient,
  servo: ExpectedServo,
  held: boolean,
  goesOn: () => boolean,
): Promise<void> {
  const { id, model } = servo;
  const contents = new Contents(model);
  if (model.family.alarms.endedBy === 'restart') {
    await restart(client, id);
    await contents.read(client, id);
    await settle(client, { expected: servo, model, contents });
    if (!held) return;
    const goal = await aim(client, servo, contents, false, 'it stays limp');
    if (goesOn()) await hold(client, servo, goal);
  } else if (held) {
    // A bad line is noticed here, before the joint is released.
    await contents.read(client, id);
    const goal = await aim(client, servo, contents, true, 'its torque is left as it is');
    if (!goesOn()) return;
    await dip(client, servo);
    await hold(client, servo, goal);
  } else {
    await writeRegister(client, model, id, registerName(model, model.common.torqueEnable), 0);
  }
}

/** Restarts a servo; afterwards it is limp and its RAM is as from the factory. @throws {ServoError} */
async function restart(client: ServoClient, id: number): Promise<void> {
  await client.reboot(id);
  const deadline = client.clock.now() + RESTART_TIME;
  while ((await client.ping(id)) === null) {
    if (client.clock.now() <= deadline) continue;
    throw new ServoError('timeout', id, `servo ${id} does not answer after its restart: check its power and its cable`);
  }
}

/**
 * Sets the goal of a servo to its present position.
 * @param contents its registers: some servos store a goal beyond their own position limits and drive to the limit
 * @param pulls it has torque
 * @param otherwise the consequence of a failure, for users
 * @returns the goal that it holds now, steps
 * @throws {ServoError}
 */
async function aim(
  client: ServoClient,
  servo: ExpectedServo,
  contents: Contents,
  pulls: boolean,
  otherwise: string,
): Promise<number> {
  const { id, joint, model } = servo;
  const { presentPosition, goalPosition } = model.common;
  const goal = registerName(model, goalPosition);
  const limits = model.family.goalLimits(contents);
  const band = stepsIn(model, GIVES_WAY);
  const refused = (why: string): ServoError => new ServoError('refused', id, `servo ${id} (${joint}) ${why}`);
  let sent: number | null = null;
  for (let round = 0; round <= ATTEMPTS; round++) {
    const { steps, agree } = await positions(client, servo, model, await readRow(client, id, presentPosition));
    const present = steps.at(-1)!;
    if (!agree)
      throw refused(
        `reads its position as ${steps.join(', ')} steps, which do not agree, so ${otherwise}: ` +
          'check its cable and its supply',
      );
    if (limits !== null && (present < limits.lowest - band || present > limits.highest + band))
      throw refused(
        `stands at ${present}, beyond its own position limits ${limits.lowest} to ${limits.highest}, so ${otherwise}: move the joint between ` +
          'them by hand, or switch its torque off and calibrate the arm anew (arm-bridge calibrate)',
      );
    // A joint moved by a hand or by its load may have moved on while its goal approached it.
    if (sent !== null && Math.abs(present - sent) <= band) return sent;
    sent = present;
    if (pulls) sent = await lead(client, servo, present);
    else await writeRegister(client, model, id, goal, present);
    if ((await readRegister(client, model, id, goal)) === sent) continue;
    throw refused(
      `does not take a goal at its position, ${present} steps, so ${otherwise}: check its own position limits ` +
        '(arm-bridge doctor)',
    );
  }
  throw refused(`does not stand still while it is brought back, so ${otherwise}: hold its joint still, and try again`);
}

/**
 * Leads the goal of a servo that pulls to a position (steps), step by step, or until it meets its joint, which may have
 * come towards it: beyond, it would drive the joint. Each step is sent once, to a servo that has just shown that it still
 * has torque: a goal would give torque to one that has restarted meanwhile.
 * @returns the goal that it was given last, steps
 * @throws {ServoError} if it has become limp
 */
async function lead(client: ServoClient, servo: ExpectedServo, to: number): Promise<number> {
  const { id, model } = servo;
  const { goalPosition, presentPosition } = model.common;
  const most = Math.round(stepsIn(model, LEAD));
  let held = await heldGoal(client, servo);
  for (let missed = 0; held !== to; ) {
    const way = Math.sign(to - held);
    const ahead = ((await readRow(client, id, presentPosition)) - held) * way;
    if (ahead <= 0) break;
    const next = held + way * Math.min(most, ahead, Math.abs(to - held));
    client.post(id, goalPosition.address, bytesOf(goalPosition, next));
    await client.clock.sleep(LEAD_INTERVAL);
    held = await heldGoal(client, servo);
    if (held !== next && ++missed > ATTEMPTS) return next;
  }
  return held;
}

/**
 * Makes a servo hold its goal. Before each try the servo must report that it is near the goal and still has it: one
 * that lost its supply meanwhile has another goal, and one whose requests were lost for long has given way.
 * @param goal that it was given, steps
 * @throws {ServoError}
 */
async function hold(client: ServoClient, servo: ExpectedServo, goal: number): Promise<void> {
  const { id, model } = servo;
  const { torqueEnable, goalPosition, presentPosition } = model.common;
  for (let sent = 0; ; sent++) {
    if ((await readRow(client, id, torqueEnable)) === 1) return;
    if (sent === ATTEMPTS) break;
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
 * The goal that a servo holds. Reads more bytes than for its position, because on a line that doubles answers an answer
 * with the position may still come.
 * @throws {ServoError} if the servo is limp: its goal may be from any time, and the next goal may make it pull
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
