import { bytesOf, countRange, loadCounts, type Register } from './registers.ts';
import { type RegisterAccess, type ServoClient, ServoError, type ServoIdentity } from './servo-client.ts';
import type { ServoModel } from './servo-model.ts';

/** One register that `configure` changed, in counts. */
export interface Change {
  readonly register: string;
  readonly from: number;
  readonly to: number;
}

/** What a scan found. */
export interface ScanResult {
  readonly found: readonly ServoIdentity[];
  /** Ids whose answers are unintelligible. */
  readonly failed: readonly ServoError[];
}

/**
 * A register's content in counts, with its sign.
 * @throws {ServoError} when the servo does not answer or refuses
 */
export async function readRegister(
  client: RegisterAccess,
  model: ServoModel,
  id: number,
  name: string,
): Promise<number> {
  return readRow(client, id, row(model, name));
}

/**
 * Writes one register permanently, in counts, and nothing else of the servo. If the family locks its EEPROM, the lock
 * is opened for it and closed afterwards.
 *
 * A new id takes effect with the servo's acknowledgement. After a new baud rate the servo only answers at that rate, so
 * its lock stays open until power-off.
 * @throws {RangeError} for a read-only register, or a value that it cannot hold; nothing is written then
 * @throws {ServoError} if the servo does not answer or refuses
 */
export async function writeRegister(
  client: RegisterAccess,
  model: ServoModel,
  id: number,
  name: string,
  value: number,
): Promise<void> {
  const target = row(model, name);
  checkValue(model, name, value);
  if (target.access !== 'eeprom') return writeRow(client, id, target, value);
  const heardAt = { [model.common.id.address]: value, [model.common.baudCode.address]: null };
  const after = heardAt[target.address];
  return persist(client, model, id, [{ target, to: value }], after === undefined ? id : after);
}

/** Which of `ids` have a servo; an unintelligible answer does not end the scan. */
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
 * Sets registers of one servo to the given counts permanently: reads them all, writes only those that differ, and reads
 * them back. An EEPROM lock is opened for it, and closed whatever happens. If the family writes its EEPROM only in a
 * limp servo, a servo that holds is refused: torque is never switched off here, because the arm would drop.
 *
 * Id and baud rate are refused, because they change who answers: `writeRegister` writes them.
 * @returns the changes, in the order of writing
 * @throws {RangeError} for an impossible register or value; nothing is written then
 * @throws {ServoError} if the servo does not answer, refuses, or has another value afterwards
 */
export async function configure(
  client: RegisterAccess,
  model: ServoModel,
  id: number,
  values: Readonly<Record<string, number>>,
): Promise<Change[]> {
  const wanted = Object.entries(values).map(([name, value]) => {
    const target = row(model, name);
    checkValue(model, name, value);
    const { id: own, baudCode } = model.common;
    if (target.address === own.address || target.address === baudCode.address) {
      throw new RangeError(`${model.model}: "${name}" changes how servo ${id} is reached; write it by itself`);
    }
    return { name, target, to: value };
  });
  const differing: { name: string; target: Register; from: number; to: number }[] = [];
  for (const { name, target, to } of wanted) {
    const from = await readRow(client, id, target);
    if (from !== to) differing.push({ name, target, from, to });
  }
  if (differing.length === 0) return [];

  const persistent = differing.filter(({ target }) => target.access === 'eeprom');
  const volatile = differing.filter(({ target }) => target.access === 'ram');
  if (persistent.length > 0) {
    await refuseUnderTorque(client, model, id, persistent[0]!.name);
    await persist(client, model, id, persistent, id);
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

/** Row of a register name. Checked at run time, because names also come from users. */
function row(model: ServoModel, name: string): Register {
  const found = Object.hasOwn(model.registers, name) ? model.registers[name] : undefined;
  if (found) return found;
  const names = Object.keys(model.registers).join(', ');
  throw new RangeError(`a ${model.model} has no register "${name}"; its registers are ${names}`);
}

/** @throws {RangeError} for a register that is read only or missing, or a value that it cannot hold */
export function checkValue(model: ServoModel, name: string, value: number): void {
  const target = row(model, name);
  if (target.access === 'read') throw new RangeError(`register "${name}" of a ${model.model} is read only`);
  const { min, max } = countRange(target);
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new RangeError(
    `register "${name}" of a ${model.model} takes whole numbers within ${min}..${max}, not ${value}`,
  );
}

/**
 * Writes EEPROM registers with the lock open, if the family has one, and closes it again, even if a write fails.
 * @param after id of the servo after the writes; null if it is no longer heard
 */
async function persist(
  client: RegisterAccess,
  model: ServoModel,
  id: number,
  writes: readonly { readonly target: Register; readonly to: number }[],
  after: number | null,
): Promise<void> {
  const { eepromLock } = model.family;
  const writeAll = async (): Promise<void> => {
    for (const { target, to } of writes) {
      client.eepromWrites[id]!++;
      await writeRow(client, id, target, to);
    }
  };
  if (eepromLock === null) return writeAll();
  const lock = row(model, eepromLock.register);
  await writeRow(client, id, lock, eepromLock.open);
  try {
    await writeAll();
  } catch (error) {
    await writeRow(client, id, lock, eepromLock.closed).catch(() => {});
    throw error;
  }
  if (after !== null) await writeRow(client, after, lock, eepromLock.closed);
}

/** Locks the EEPROM, if the family has a lock. @throws {ServoError} */
export async function lockEeprom(client: RegisterAccess, model: ServoModel, id: number): Promise<void> {
  const { eepromLock } = model.family;
  if (eepromLock !== null) await configure(client, model, id, { [eepromLock.register]: eepromLock.closed });
}

async function refuseUnderTorque(client: RegisterAccess, model: ServoModel, id: number, name: string): Promise<void> {
  if (!model.family.eepromNeedsLimp) return;
  if ((await readRow(client, id, model.common.torqueEnable)) === 0) return;
  throw new ServoError(
    'refused',
    id,
    `servo ${id} holds torque, and a ${model.family.title} servo takes "${name}" only with torque off: support the arm, write 0 to ` +
      `torque enable (register address ${model.common.torqueEnable.address}), and configure again`,
  );
}

/** A register's content in counts, with its sign. @throws {ServoError} */
export async function readRow(client: RegisterAccess, id: number, target: Register): Promise<number> {
  return loadCounts(target, await client.read(id, target.address, target.size), 0);
}

function writeRow(client: RegisterAccess, id: number, target: Register, value: number): Promise<void> {
  return client.write(id, target.address, bytesOf(target, value));
}
