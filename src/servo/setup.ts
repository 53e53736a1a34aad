import { countRange, decodeSign, encodeSign, loadRaw, type Register, storeRaw } from './registers.ts';
import { type RegisterAccess, type ServoClient, ServoError, type ServoIdentity } from './servo-client.ts';
import type { RegisterName, ServoModel } from './servo-model.ts';

/** One register that `configure` changed, in counts. */
export interface Change {
  readonly register: string;
  readonly from: number;
  readonly to: number;
}

/** What a scan found. */
export interface ScanResult {
  readonly found: readonly ServoIdentity[];
  /** Ids at which something answers that cannot be understood. */
  readonly failed: readonly ServoError[];
}

/** Lock register of a Feetech servo: EEPROM writes persist while it is 0. */
const UNLOCKED = 0;
const LOCKED = 1;

/**
 * A register's content in counts, with its sign.
 * @throws {ServoError} when the servo does not answer or refuses
 */
export async function readRegister<M extends ServoModel>(
  client: RegisterAccess,
  model: M,
  id: number,
  name: RegisterName<M>,
): Promise<number> {
  return readRow(client, id, row(model, name));
}

/**
 * Writes a register, in counts, and nothing else of the servo; on a Feetech servo an EEPROM register is written with the
 * lock open, which is closed again afterwards.
 *
 * A new id takes effect with the servo's acknowledgement. After a new baud rate the servo is only heard at that rate, so
 * a Feetech servo's lock then stays open until the supply is switched off.
 * @throws {RangeError} on a register that is read only, or a value that it cannot hold; nothing is written then
 * @throws {ServoError} when the servo does not answer or refuses
 */
export async function writeRegister<M extends ServoModel>(
  client: RegisterAccess,
  model: M,
  id: number,
  name: RegisterName<M>,
  value: number,
): Promise<void> {
  const target = row(model, name);
  check(model, name, target, value);
  const task = (): Promise<void> => writeRow(client, id, target, value);
  const lock = target.access === 'eeprom' ? lockOf(model) : null;
  if (!lock) return task();
  const heardAt = { [model.common.id.address]: value, [model.common.baudCode.address]: null };
  const after = heardAt[target.address];
  return persist(client, lock, id, task, after === undefined ? id : after);
}

/** Which of `ids` have a servo; ids at which something unintelligible answers do not end the scan. */
export async function scan(
  client: ServoClient,
  ids: Iterable<number>,
  onFound: (identity: ServoIdentity) => void = () => {},
): Promise<ScanResult> {
  const found: ServoIdentity[] = [];
  const failed: ServoError[] = [];
  for (const id of ids) {
    try {
      const identity = await client.ping(id);
      if (!identity) continue;
      found.push(identity);
      onFound(identity);
    } catch (error) {
      if (!(error instanceof ServoError) || error.code === 'closed') throw error;
      failed.push(error);
    }
  }
  return { found, failed };
}

/**
 * Brings registers of one servo to the given counts: reads them all, writes only those that differ, and reads them back.
 * A Feetech servo's EEPROM is unlocked for it and locked again whatever happens. A Dynamixel servo's EEPROM can only be
 * written with its torque off; torque is never switched off here, since the arm would drop.
 *
 * Id and baud rate are refused: they change who answers, which is `writeRegister`'s task.
 * @returns what was changed, in the order of writing @throws {RangeError} on a register or value that cannot be; nothing is written then
 * @throws {ServoError} when the servo does not answer, refuses, or has another value afterwards
 */
export async function configure<M extends ServoModel>(
  client: RegisterAccess,
  model: M,
  id: number,
  values: Readonly<Partial<Record<RegisterName<M>, number>>>,
): Promise<Change[]> {
  const wanted = (Object.entries(values) as [RegisterName<M>, number][]).map(([name, value]) => {
    const target = row(model, name);
    check(model, name, target, value);
    const { id: own, baudCode } = model.common;
    if (target.address === own.address || target.address === baudCode.address) {
      throw new RangeError(`${model.model}: "${name}" changes how servo ${id} is reached; write it by itself`);
    }
    return { name, target, to: value };
  });
  const differing: { name: RegisterName<M>; target: Register; from: number; to: number }[] = [];
  for (const { name, target, to } of wanted) {
    const from = await readRow(client, id, target);
    if (from !== to) differing.push({ name, target, from, to });
  }
  if (differing.length === 0) return [];

  const persistent = differing.filter(({ target }) => target.access === 'eeprom');
  const volatile = differing.filter(({ target }) => target.access === 'ram');
  if (persistent.length > 0) {
    await refuseUnderTorque(client, model, id, persistent[0]!.name);
    const lock = lockOf(model);
    const task = async (): Promise<void> => {
      for (const { target, to } of persistent) await writeRow(client, id, target, to);
    };
    await (lock ? persist(client, lock, id, task, id) : task());
  }
  for (const { target, to } of volatile) await writeRow(client, id, target, to);

  const changes = [...persistent, ...volatile];
  for (const { name, target, to } of changes) {
    const content = await readRow(client, id, target);
    if (content === to) continue;
    throw new ServoError(
      'refused',
      id,
      `servo ${id} has ${content} in "${name}" (register address ${target.address}) after ${to} was written: ` +
        'check that this value is allowed for a ' +
        `${model.model}, and that it is one`,
    );
  }
  return changes.map(({ name, from, to }) => ({ register: name, from, to }));
}

/** Name of one of a model's registers. */
export function registerName(model: ServoModel, register: Register): string {
  return Object.keys(model.registers).find((name) => model.registers[name] === register)!;
}

/** Row of a register name; names also come from people, whom no type stops. */
function row(model: ServoModel, name: string): Register {
  const found = Object.hasOwn(model.registers, name) ? model.registers[name] : undefined;
  if (found) return found;
  const names = Object.keys(model.registers).join(', ');
  throw new RangeError(`a ${model.model} has no register "${name}"; its registers are ${names}`);
}

function check(model: ServoModel, name: string, target: Register, value: number): void {
  if (target.access === 'read') throw new RangeError(`register "${name}" of a ${model.model} is read only`);
  const { min, max } = countRange(target);
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new RangeError(
    `register "${name}" of a ${model.model} takes whole numbers within ${min}..${max}, not ${value}`,
  );
}

function lockOf(model: ServoModel): Register | null {
  return model.family === 'feetech' ? row(model, 'lock') : null;
}

/**
 * Runs a task with a Feetech servo's lock open, and closes it again, also when the task fails.
 * @param after the id that the servo has then; null when it is not heard any more
 */
async function persist(
  client: RegisterAccess,
  lock: Register,
  id: number,
  task: () => Promise<void>,
  after: number | null,
): Promise<void> {
  await writeRow(client, id, lock, UNLOCKED);
  try {
    await task();
  } catch (error) {
    await writeRow(client, id, lock, LOCKED).catch(() => {});
    throw error;
  }
  if (after !== null) await writeRow(client, after, lock, LOCKED);
}

async function refuseUnderTorque(client: RegisterAccess, model: ServoModel, id: number, name: string): Promise<void> {
  if (model.family !== 'dynamixel') return;
  if ((await readRow(client, id, model.common.torqueEnable)) === 0) return;
  throw new ServoError(
    'refused',
    id,
    `servo ${id} holds torque, and a Dynamixel servo takes "${name}" only with torque off: support the arm, write 0 to ` +
      `torque enable (register address ${model.common.torqueEnable.address}), and configure again`,
  );
}

/** A register's content in counts, with its sign. @throws {ServoError} */
export async function readRow(client: RegisterAccess, id: number, target: Register): Promise<number> {
  const bytes = await client.read(id, target.address, target.size);
  return decodeSign(target.sign, loadRaw(bytes, 0, target.size));
}

async function writeRow(client: RegisterAccess, id: number, target: Register, value: number): Promise<void> {
  const bytes = new Uint8Array(target.size);
  storeRaw(bytes, 0, target.size, encodeSign(target.sign, value));
  await client.write(id, target.address, bytes);
}
