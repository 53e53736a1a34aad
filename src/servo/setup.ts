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
  /** Ids at which something answers that cannot be understood. */
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
 * Writes a register, in counts, so that it lasts, and nothing else of the servo. Where the family locks its EEPROM, the lock
 * is opened for it and closed afterwards.
 *
 * A new id takes effect with the servo's acknowledgement. After a new baud rate the servo is only heard at that rate, so its
 * lock stays open until the supply is switched off.
 * @throws {RangeError} on a register that is read only, or a value that it cannot hold; nothing is written then
 * @throws {ServoError} when the servo does not answer or refuses
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
 * Brings registers of one servo to the given counts so that they last: reads them all, writes only those that differ, and
 * reads them back. A lock of the EEPROM is opened for it and closed whatever happens. Where the family writes its EEPROM
 * only in a limp servo, one that holds is refused: torque is never switched off here, since the arm would drop.
 *
 * Id and baud rate are refused: they change who answers, which is `writeRegister`'s task.
 * @returns what was changed, in the order of writing @throws {RangeError} on a register or value that cannot be; nothing is written then
 * @throws {ServoError} when the servo does not answer, refuses, or has another value afterwards
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

/** Row of a register name; names also come from people, whom no type stops. */
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
 * Writes EEPROM registers with the lock open, where the family has one, and closes it again, also when a write fails.
 * @param after the id that the servo has then; null when it is not heard any more
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

/** Closes the lock of the EEPROM, where the family has one. @throws {ServoError} */
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
