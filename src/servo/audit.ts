import type { ExpectedServo } from './expected-servo.ts';
import { bytesOf, loadCounts, type Register } from './registers.ts';
import { type ServoClient, ServoError } from './servo-client.ts';
import type { PositionLimits, ServoModel } from './servo-model.ts';
import { type Change, checkValue, configure, lockEeprom, registerName } from './setup.ts';

/** `fault`: the arm must not be driven so. `warning`: it does not do all that it is asked to. `note`: good to know. */
export type Severity = 'note' | 'warning' | 'fault';

/** A register that does not hold what the data of the arm want. Contents are in counts. */
export interface Finding {
  /** Id of the servo. */
  readonly servo: number;
  readonly joint: string;
  readonly register: string;
  readonly found: number;
  readonly wanted: number;
  /** `set`: the servo has the wanted content now, until its supply is switched off. `told`: it still has what was found. */
  readonly action: 'set' | 'told';
  readonly severity: Severity;
  /** For people: servo, register, contents, what follows from it, and what to do. */
  readonly text: string;
}

/**
 * When connecting may set a register: `always`, in a limp servo (`limp`), or `never`. A servo that holds keeps whatever
 * changes how it pushes or moves: with more it might squeeze what it holds, or jump. The EEPROM is never written on
 * connecting: its registers are set only where a lock keeps them from lasting.
 */
export type SetWhen = 'never' | 'limp' | 'always';

/** What one register is to hold. */
export interface Judgement {
  readonly register: string;
  /** Counts. */
  readonly wanted: number;
  /** Smallest and largest content that will do as well. */
  readonly accepts?: readonly [min: number, max: number];
  /** Of a finding about it that cannot be set. */
  readonly severity: Severity;
  /** What follows when it holds something else, for people: "it moves slower than it is asked to". */
  readonly means: string;
  readonly set: SetWhen;
  /** What mends it where setting the register does not. */
  readonly remedy?: 'calibrate';
}

/** What a family judges. */
export interface AuditedServo {
  readonly expected: ExpectedServo;
  /** By its own model number, which may be another than was expected. */
  readonly model: ServoModel;
  readonly contents: Contents;
}

/** Longest control table, bytes. */
const TABLE_SIZE = 256;
/** Position limits that take less than this of a joint's travel are only noted: hands find the ends of a joint no better, rad. */
const NARROWER = 0.1;

/** Register contents of one servo, as they were read. */
export class Contents {
  readonly #model: ServoModel;
  readonly #bytes = new Uint8Array(TABLE_SIZE);
  readonly #known = new Uint8Array(TABLE_SIZE);

  constructor(model: ServoModel) {
    this.#model = model;
  }

  /** Reads the blocks of the servo's family. @throws {ServoError} */
  async read(client: ServoClient, id: number): Promise<void> {
    for (const [address, length] of this.#model.family.auditBlocks) await this.#read(client, id, address, length);
  }

  /** Reads one register anew. @throws {ServoError} */
  readAnew(client: ServoClient, id: number, { address, size }: Register): Promise<void> {
    return this.#read(client, id, address, size);
  }

  async #read(client: ServoClient, id: number, address: number, length: number): Promise<void> {
    this.#bytes.set(await client.read(id, address, length), address);
    this.#known.fill(1, address, address + length);
  }

  /** Counts, with their sign; NaN for a register that was not read. */
  of(register: Register): number {
    const { address, size } = register;
    for (let i = 0; i < size; i++) if (this.#known[address + i] === 0) return Number.NaN;
    return loadCounts(register, this.#bytes, address);
  }

  /** The same by name; NaN where the model has no such register. */
  named(name: string): number {
    const register = this.#model.registers[name];
    return register === undefined ? Number.NaN : this.of(register);
  }

  /** In `SI_UNIT` of the register's quantity. */
  si(register: Register): number {
    return this.of(register) * register.scale;
  }
}

/** The servo has torque. */
export function holds({ model, contents }: AuditedServo): boolean {
  return contents.of(model.common.torqueEnable) === 1;
}

/** Whether a register is the largest effort that the servo keeps to. */
function limitsEffort({ model, contents }: AuditedServo, register: Register): boolean {
  return model.family.effortLimit(model, contents.of(model.common.operatingMode))?.register === register;
}

/** What a servo should hold: by the rules of its family, and whatever else the data of its arm want. */
function judgements(servo: AuditedServo): readonly Judgement[] {
  const { model, expected } = servo;
  const rules = model.family.audit(servo);
  const further = Object.entries(expected.settings)
    .filter(([register]) => !rules.some((rule) => rule.register === register))
    .map(([register, wanted]): Judgement => {
      return { register, wanted, severity: 'warning', means: 'the data of the arm want it', set: 'limp' };
    });
  return [...rules, ...further];
}

/** Judgements of a servo whose registers hold something else. */
export function deviations(servo: AuditedServo): readonly Judgement[] {
  return judgements(servo).filter(({ register, wanted, accepts }) => {
    const found = servo.contents.named(register);
    return !(Number.isNaN(found) || found === wanted || (accepts && found >= accepts[0] && found <= accepts[1]));
  });
}

/**
 * The position limits of a servo, within which its joint's travel should be; where that is not known, the whole turn should.
 * @param found the limits that hold; null where there are none
 */
export function judgeLimits({ model, expected }: AuditedServo, found: PositionLimits | null): Judgement[] {
  if (found === null) return [];
  const { common, stepsPerTurn } = model;
  const last = stepsPerTurn - 1;
  const [least, most] = expected.travel ?? [0, last];
  const missing = (Math.max(found.lowest - least, most - found.highest) * 2 * Math.PI) / stepsPerTurn;
  const shared = {
    severity:
      found.lowest >= found.highest ? 'fault' : expected.travel === null || missing < NARROWER ? 'note' : 'warning',
    means: `it takes no goals but those from ${found.lowest} to ${found.highest}, and its joint could travel further`,
    set: 'never',
  } as const;
  return [
    { register: registerName(model, common.minPosition), wanted: 0, accepts: [0, Math.max(0, least)], ...shared },
    {
      register: registerName(model, common.maxPosition),
      wanted: last,
      accepts: [Math.min(last, most), last],
      ...shared,
    },
  ];
}

/** Whether connecting sets this register of the servo now. */
function settable(servo: AuditedServo, { register, set }: Judgement): boolean {
  const { model } = servo;
  const row = model.registers[register]!;
  if (set === 'never') return false;
  if (row.access === 'eeprom' && model.family.eepromLock === null) return false;
  return set === 'always' || !holds(servo);
}

function finding(servo: AuditedServo, judgement: Judgement, found: number, action: Finding['action']): Finding {
  const { expected, model } = servo;
  const { register, wanted, severity, means } = judgement;
  const content = `servo ${expected.id} (${expected.joint}): ${register} is ${found} instead of ${wanted}`;
  const parts = { servo: expected.id, joint: expected.joint, register, found, wanted, action };
  if (action === 'set') return { ...parts, severity: 'note', text: `${content}: set until its supply is switched off` };
  const row = model.registers[register]!;
  // A register that could be set in a limp servo needs no set-up.
  const volatile = row.access === 'ram' || model.family.eepromLock !== null;
  const remedy =
    judgement.set !== 'never' && volatile && holds(servo)
      ? `left so while it holds, and set ${limitsEffort(servo, row) ? 'when its joint is asked to move, or ' : ''}when the limp arm next gets torque`
      : judgement.remedy === 'calibrate'
        ? 'arm-bridge calibrate finds another'
        : 'arm-bridge setup registers sets it';
  return { ...parts, severity, text: `${content}: ${means}; ${remedy}` };
}

/** What connecting would find, with nothing written. */
export function look(servo: AuditedServo): Finding[] {
  return deviations(servo).map((judgement) => {
    const action = settable(servo, judgement) ? 'set' : 'told';
    return finding(servo, judgement, servo.contents.named(judgement.register), action);
  });
}

/**
 * Sets what may be set without lasting, and tells the rest. Nothing moves, and no EEPROM cell is written: where EEPROM
 * registers are set, the lock is closed first and read back.
 * @returns the findings; `servo.contents` are as read after the last write
 * @throws {RangeError} for a content in the data of the arm that a register cannot hold; nothing is written then
 * @throws {ServoError} when the servo falls silent
 */
export async function settle(client: ServoClient, servo: AuditedServo): Promise<Finding[]> {
  const { model, expected, contents } = servo;
  const { id } = expected;
  const { acknowledgement } = model.family;
  const found = new Map(deviations(servo).map((judgement) => [judgement, contents.named(judgement.register)] as const));
  const wanted = [...found.keys()].filter((judgement) => settable(servo, judgement));
  const locked = await closeLock(client, servo);
  let written = false;
  if (acknowledgement !== null && locked && contents.named(acknowledgement.register) !== acknowledgement.counts) {
    post(client, id, model.registers[acknowledgement.register]!, acknowledgement.counts);
    written = true;
  }
  for (const { register, wanted: value } of wanted) checkValue(model, register, value);
  for (const { register, wanted: value } of wanted) {
    const row = model.registers[register]!;
    if ((row.access === 'eeprom' && !locked) || register === acknowledgement?.register) continue;
    written = true;
    try {
      await write(client, id, row, value);
    } catch (error) {
      // What is read back tells what it has not taken.
      if (!(error instanceof ServoError) || error.code !== 'refused') throw error;
    }
  }
  if (written) await contents.read(client, id);
  return [...found].map(([judgement, before]) => {
    const { register, wanted: value } = judgement;
    return finding(servo, judgement, before, contents.named(register) === value ? 'set' : 'told');
  });
}

/**
 * Closes the lock of the EEPROM, where there is one: a stray write to one that somebody has left open would outlast the
 * supply. Without waiting for an acknowledgement, which the servo may be set to give none of; it is read back.
 * @returns whether it is closed
 */
async function closeLock(client: ServoClient, { model, expected: { id }, contents }: AuditedServo): Promise<boolean> {
  const { eepromLock } = model.family;
  if (eepromLock === null || contents.named(eepromLock.register) === eepromLock.closed) return true;
  const lock = model.registers[eepromLock.register]!;
  post(client, id, lock, eepromLock.closed);
  await contents.readAnew(client, id, lock);
  return contents.of(lock) === eepromLock.closed;
}

function write(client: ServoClient, id: number, register: Register, value: number): Promise<void> {
  return client.write(id, register.address, bytesOf(register, value));
}

function post(client: ServoClient, id: number, register: Register, value: number): void {
  client.post(id, register.address, bytesOf(register, value));
}

/**
 * Gives a servo what the data of its arm want, so that it lasts: for people who set it up. It must be limp.
 * @returns what was changed, in the order of writing
 * @throws {ServoError} when the servo holds torque, falls silent, or does not keep what was written
 */
export async function restore(client: ServoClient, servo: AuditedServo): Promise<Change[]> {
  const { model, expected, contents } = servo;
  const { id } = expected;
  const { acknowledgement, eepromLock } = model.family;
  const changes: Change[] = [];
  const silent = deviations(servo).find(({ register }) => register === acknowledgement?.register);
  if (silent !== undefined) {
    const { register, wanted: to } = silent;
    const row = model.registers[register]!;
    if (eepromLock !== null) post(client, id, model.registers[eepromLock.register]!, eepromLock.open);
    if (row.access === 'eeprom') client.eepromWrites[id]!++;
    post(client, id, row, to);
    await lockEeprom(client, model, id);
    changes.push({ register, from: contents.of(row), to });
  }
  // Twice, since a limit of the EEPROM says what the RAM may hold, and a new mode resets some of it.
  for (let pass = 0; pass < 2; pass++) {
    await contents.read(client, id);
    const wanted = deviations(servo).filter(({ remedy }) => remedy === undefined);
    const values = wanted.map(({ register, wanted: value }) => [register, value] as const);
    changes.push(...(await configure(client, model, id, Object.fromEntries(values))));
  }
  return changes;
}
