import { Contents, restore } from './audit.ts';
import type { ExpectedServo } from './expected-servo.ts';
import { PortError } from './port/port.ts';
import type { Register } from './registers.ts';
import { type ServoClient, ServoError, type ServoIdentity } from './servo-client.ts';
import type { ServoModel } from './servo-model.ts';
import { modelByNumber } from './servo-models.ts';
import { type Change, lockEeprom, readRow, registerName, scan, writeRegister } from './setup.ts';

/** Default ids to ask: arms have fewer servos than this, and a servo that nobody has set up has id 1. */
export const USUAL_IDS: readonly number[] = Array.from({ length: 21 }, (_, id) => id);
/** Times one id is asked to find two servos with it, because colliding answers may look like one in a single try. */
const ECHOES = 3;
/** Time within which a servo answers at its new baud rate, s. */
const RATE_TIME = 1;

/** A bus that can be opened at any rate. */
export interface SetupLine {
  /** Its URL, for messages. */
  readonly name: string;
  /**
   * @param baudRate null: the far end of the line sets it
   * @throws {PortError}
   */
  open(baudRate: number | null): Promise<{ readonly client: ServoClient; close(): Promise<void> }>;
}

/**
 * Why a servo is not set up: none or several answer, it is another model, it was given its id on purpose, it has torque
 * on, or it has the wrong supply. `line`: the line failed, or the servo failed on the way.
 */
export type AssignFault = 'silent' | 'several' | 'model' | 'given' | 'torque' | 'voltage' | 'line';

/** A servo cannot be set up as it is. Nothing has been written to it, and the message says what to do. */
export class AssignError extends Error {
  override readonly name = 'AssignError';
  constructor(
    readonly code: AssignFault,
    message: string,
  ) {
    super(message);
  }
}

export interface AssignOptions {
  /** Baud rate to give the servo; null: the far end of the line sets the rate, which stays. */
  readonly baudRate: number | null;
  /** Rates to search for it; left out: `baudRate` and the factory's, then all others of its model. */
  readonly rates?: readonly number[];
  /** Ids to ask. */
  readonly ids: readonly number[];
  /** Whether a servo that has been given an id may get another one. */
  readonly reassign?: boolean;
  /** Runs the part that must not be interrupted; a program holds signals back meanwhile. */
  readonly whole?: <T>(task: () => Promise<T>) => Promise<T>;
}

/** Result of setting up a servo. */
export interface Assigned {
  readonly identity: ServoIdentity;
  /** Rate at which it was found, baud; null where the line's far end sets it. */
  readonly foundAt: number | null;
  /** Supply voltage that it measures, V; within its limits. */
  readonly supply: number;
  /** In the order of writing; empty when it was set up already. */
  readonly changes: readonly Change[];
}

/** A servo that answered, and whether it did at the rate that its baud code register names. */
interface Hearing {
  readonly identity: ServoIdentity;
  readonly rate: number | null;
  readonly own: boolean;
}

/**
 * Gives the only servo on a line the id and baud rate that an arm expects, and sets its registers to what the arm's
 * data want. Writes nothing unless it is the only servo, of the expected model, limp, and has a supply within its
 * limits. Id and rate are each written on their own, and read back where the servo answers afterwards; the EEPROM is
 * locked at the end. Another run repairs an interrupted one.
 * @throws {AssignError} for a servo that cannot be set up as it is
 * @throws {RangeError} for a rate that its model does not have
 * @throws {ServoError} if it falls silent, or does not keep what was written
 * @throws {PortError}
 */
export async function assign(line: SetupLine, wanted: ExpectedServo, options: AssignOptions): Promise<Assigned> {
  const { model } = wanted;
  const code = options.baudRate === null ? null : codeOf(model, options.baudRate);
  const { identity, rate } = await only(line, wanted, options);
  refuseOther(identity, wanted, options.reassign ?? false);
  const write = async (): Promise<Pick<Assigned, 'supply' | 'changes'>> => {
    const settled = await at(line, rate, (client) => settle(client, wanted, identity.id, code));
    await at(line, options.baudRate, (client) => confirm(client, wanted, code));
    return settled;
  };
  const settled = await (options.whole === undefined ? write() : options.whole(write));
  return { identity, foundAt: rate, ...settled };
}

/**
 * Writes what differs, the rate last.
 * @throws {AssignError} if the servo is not alone, not limp, or has the wrong supply
 */
async function settle(
  client: ServoClient,
  wanted: ExpectedServo,
  present: number,
  code: number | null,
): Promise<Pick<Assigned, 'supply' | 'changes'>> {
  const { id, model } = wanted;
  const { common } = model;
  await refuseCompany(client, model, present);
  const found = new Contents(model);
  await found.read(client, present);
  refuseTorque(found, model, present);
  const supply = refuseSupply(found, model, present);
  const changes: Change[] = [];
  if (present !== id) {
    await writeId(client, model, present, id);
    changes.push({ register: registerName(model, common.id), from: present, to: id });
  }
  const contents = new Contents(model);
  await contents.read(client, id);
  changes.push(...(await restore(client, { expected: wanted, model, contents })));
  const rate = await readRow(client, id, common.baudCode);
  if (code !== null && rate !== code) {
    await writeRate(client, model, id, code);
    changes.push({ register: registerName(model, common.baudCode), from: rate, to: code });
  }
  return { supply, changes };
}

/** How a servo answers on a bus with all servos of its arm. */
export type Presence = 'there' | 'silent' | 'several' | 'other';

/**
 * Which of an arm's servos answer: one per id, of the expected model. Writes nothing.
 * @returns in the order of `expected` @throws {ServoError} closed
 */
export async function presence(client: ServoClient, expected: readonly ExpectedServo[]): Promise<Presence[]> {
  const found: Presence[] = [];
  for (const { id, model } of expected) {
    try {
      const identity = await client.ping(id);
      if (identity === null) found.push('silent');
      else if (identity.modelNumber !== model.modelNumber) found.push('other');
      else found.push((await crowded(client, model, id)) ? 'several' : 'there');
    } catch (error) {
      if (!(error instanceof ServoError) || error.code === 'closed') throw error;
      found.push('several');
    }
  }
  return found;
}

/** Runs a task with the line open at a rate. */
export async function at<T>(
  line: SetupLine,
  baudRate: number | null,
  task: (client: ServoClient) => Promise<T>,
): Promise<T> {
  const { client, close } = await line.open(baudRate);
  try {
    return await task(client);
  } finally {
    await close();
  }
}

function codeOf({ model, baudRates }: ServoModel, wanted: number): number {
  const code = Object.keys(baudRates).find((key) => baudRates[Number(key)] === wanted);
  if (code !== undefined) return Number(code);
  throw new RangeError(`a ${model} cannot be set to ${wanted} baud; it has ${Object.values(baudRates).join(', ')}`);
}

/** The only servo of the line. @throws {AssignError} silent or several */
async function only(line: SetupLine, { id, model }: ExpectedServo, options: AssignOptions): Promise<Hearing> {
  const ids = [...new Set([...options.ids, id])];
  const hearings: Hearing[] = [];
  for (const [round, rates] of rounds(model, options).entries()) {
    for (const rate of rates) {
      try {
        for (const hearing of await hear(line, model, rate, ids)) merge(hearings, hearing);
      } catch (error) {
        // The adapter may lack some rates of the model; the servo may be at another one.
        if (round === 0 || !(error instanceof PortError) || error.code !== 'unsupported') throw error;
      }
    }
    if (hearings.length > 0) break;
  }
  const [first, second] = hearings;
  if (first === undefined) {
    const asked = rounds(model, options).flat();
    const rates = asked[0] === null ? '' : ` at ${asked.join(', ')} baud`;
    throw new AssignError(
      'silent',
      `${line.name}: no ${model.family.name} servo answers${rates}: check its supply, that its cable goes into the adapter, ` +
        'and that this is the arm that was named; setup servo --ids 0-252 asks all ids',
    );
  }
  if (second === undefined) return first;
  const list = hearings.map(({ identity, rate }) => `id ${identity.id}${rate === null ? '' : ` at ${rate} baud`}`);
  throw new AssignError(
    'several',
    `${line.name}: ${hearings.length} servos answer (${list.join(', ')}): connect only the one that is to get id ${id}`,
  );
}

/** Rounds of rates to try; the next round is needed only if the one before finds no servo. */
function rounds(model: ServoModel, { baudRate, rates }: AssignOptions): (number | null)[][] {
  if (baudRate === null) return [[null]];
  if (rates !== undefined) return [[...rates]];
  const usual = new Set([baudRate, model.baudRates[model.common.baudCode.initial!]!]);
  const others = Object.values(model.baudRates).filter((rate) => !usual.has(rate));
  return [[...usual], others];
}

/** Servos that answer at one rate. @throws {AssignError} several, if answers are damaged */
async function hear(
  line: SetupLine,
  { family }: ServoModel,
  rate: number | null,
  ids: readonly number[],
): Promise<Hearing[]> {
  return at(line, rate, async (client) => {
    const { found, failed } = await scan(client, ids);
    if (failed[0] !== undefined) throw new AssignError('several', `${line.name}: ${failed[0].message}`);
    const hearings: Hearing[] = [];
    for (const identity of found) {
      const model = modelByNumber(family, identity.modelNumber);
      const own = model?.baudRates[await readRow(client, identity.id, model.common.baudCode)];
      hearings.push({ identity, rate, own: own !== undefined && own === rate });
    }
    return hearings;
  });
}

/**
 * On a line without a baud rate, such as a pseudo-terminal, a servo answers at every rate: its own rate counts. Two
 * servos with one id, each at its own rate, count as two.
 */
function merge(hearings: Hearing[], hearing: Hearing): void {
  const same = hearings.findIndex(({ identity }) => identity.id === hearing.identity.id);
  const before = hearings[same];
  if (before === undefined || (before.own && hearing.own)) hearings.push(hearing);
  else if (hearing.own) hearings[same] = hearing;
}

function refuseOther({ id, modelNumber }: ServoIdentity, wanted: ExpectedServo, reassign: boolean): void {
  const { model, joint } = wanted;
  if (modelNumber !== model.modelNumber) {
    const found = modelByNumber(model.family, modelNumber)?.model ?? `${model.family.name} model number ${modelNumber}`;
    throw new AssignError(
      'model',
      `servo ${id} is a ${found}, and ${joint} (id ${wanted.id}) takes a ${model.model}: connect that one, or name the ` +
        'model and variant that this arm is',
    );
  }
  const factory = model.common.id.initial;
  if (id === wanted.id || id === factory || reassign) return;
  throw new AssignError(
    'given',
    `the servo has id ${id}, which somebody has given it, and not the factory's ${factory}: check that it is that of ` +
      `${joint}; --reassign gives it id ${wanted.id} all the same`,
  );
}

/** @throws {AssignError} several */
async function refuseCompany(client: ServoClient, model: ServoModel, id: number): Promise<void> {
  if (!(await crowded(client, model, id))) return;
  throw new AssignError(
    'several',
    `more than one servo answers as id ${id}, as servos from the factory do, or the line is disturbed: connect only one, ` +
      'and check its cable',
  );
}

/**
 * Whether an id answers more than once, or with damaged bytes. Answers of two servos differ, because their shafts do
 * not stand at the same step.
 */
async function crowded(client: ServoClient, { common }: ServoModel, id: number): Promise<boolean> {
  const { address, size } = common.presentPosition;
  for (let asked = 0; asked < ECHOES; asked++) {
    const { answers, noise } = await client.echo(id, address, size);
    if (answers > 1 || noise) return true;
  }
  return false;
}

/** @throws {AssignError} torque */
function refuseTorque(found: Contents, { common }: ServoModel, id: number): void {
  if (found.of(common.torqueEnable) === 0) return;
  throw new AssignError(
    'torque',
    `servo ${id} holds torque, and nothing is written to a servo that does: support what it holds, end the program that ` +
      'drives it, switch its supply off and on, and try again',
  );
}

/**
 * Servos for different voltages look alike, but each knows its own limits.
 * @returns the supply, V
 * @throws {AssignError} voltage
 */
function refuseSupply(found: Contents, { common }: ServoModel, id: number): number {
  const [measured, least, most] = [
    found.si(common.presentVoltage),
    found.si(common.minVoltage),
    found.si(common.maxVoltage),
  ];
  if (measured >= least && measured <= most) return measured;
  throw new AssignError(
    'voltage',
    `servo ${id} measures ${measured.toFixed(1)} V, and is made for ${least.toFixed(1)} to ${most.toFixed(1)} V: switch its ` +
      'supply off, and connect one with the voltage that is printed on the servo',
  );
}

async function writeId(client: ServoClient, model: ServoModel, from: number, to: number): Promise<void> {
  await writeRegister(client, model, from, registerName(model, model.common.id), to);
  if ((await client.ping(to)) === null) {
    throw new ServoError('timeout', to, `servo ${from} was given id ${to} and does not answer there: check its cable`);
  }
  if ((await client.ping(from)) === null) return;
  throw new ServoError(
    'refused',
    from,
    `servo ${from} was given id ${to} and answers as ${from} too: connect only one`,
  );
}

async function writeRate(client: ServoClient, model: ServoModel, id: number, code: number): Promise<void> {
  try {
    await writeRegister(client, model, id, registerName(model, model.common.baudCode), code);
  } catch (error) {
    // The acknowledgement may already come at the new rate; `confirm` asks there next.
    if (!(error instanceof ServoError) || error.code === 'closed' || error.code === 'refused') throw error;
  }
}

/** Locks the EEPROM, and checks that the servo has its new id and rate. @throws {ServoError} */
async function confirm(client: ServoClient, { id, model }: ExpectedServo, code: number | null): Promise<void> {
  const deadline = client.clock.now() + RATE_TIME;
  while ((await client.ping(id)) === null) {
    if (client.clock.now() < deadline) continue;
    throw new ServoError(
      'timeout',
      id,
      `servo ${id} does not answer at its new baud rate: switch its supply off and on, and try again`,
    );
  }
  await lockEeprom(client, model, id);
  const kept: readonly (readonly [Register, number | null])[] = [
    [model.common.id, id],
    [model.common.baudCode, code],
  ];
  for (const [register, value] of kept) {
    const content = await readRow(client, id, register);
    if (value === null || content === value) continue;
    const name = registerName(model, register);
    throw new ServoError(
      'refused',
      id,
      `servo ${id} has ${content} in "${name}" after ${value} was written: try again`,
    );
  }
}
