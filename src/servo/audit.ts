import type { ExpectedServo } from './expected-servo.ts';
import { bytesOf, loadCounts, type Register } from './registers.ts';
import { type ServoClient, ServoError } from './servo-client.ts';
import type { PositionLimits, ServoModel } from './servo-model.ts';
import { type Change, checkValue, configure, lockEeprom, registerName } from './setup.ts';

/** `fault`: the arm must not be driven. `warning`: it does not do all it is asked to. `note`: good to know. */
export type Severity = 'note' | 'warning' | 'fault';

/** A register that differs from what the arm's data want. Contents are in counts. */
export interface Finding {
  /** Id of the servo. */
  readonly servo: number;
  readonly joint: string;
  readonly register: string;
  readonly found: number;
  readonly wanted: number;
  /** `set`: the servo has the wanted content until power-off. `told`: it still has the content that was found. */
  readonly action: 'set' | 'told';
  readonly severity: Severity;
  /** For users: servo, register, contents, consequence, and what to do. */
  readonly text: string;
}

/**
 * When connecting may set a register: `always`, only in a limp servo (`limp`), or `never`. A register that changes how
 * a servo pushes or moves is not set while the servo holds: it might squeeze its load more, or jump. Connecting never
 * writes EEPROM cells; it sets EEPROM registers only where the lock keeps the content from lasting.
 */
export type SetWhen = 'never' | 'limp' | 'always';

/** The wanted content of one register. */
export interface Judgement {
  readonly register: string;
  /** Counts. */
  readonly wanted: number;
  /** Smallest and largest content that is acceptable too. */
  readonly accepts?: readonly [min: number, max: number];
  /** Severity of the finding if the register cannot be set. */
  readonly severity: Severity;
  /** Consequence of another content, for users: "it moves slower than it is asked to". */
  readonly means: string;
  readonly set: SetWhen;
  /** What fixes it if setting the register does not. */
  readonly remedy?: 'calibrate';
}

/** A servo as its family judges it. */
export interface AuditedServo {
  readonly expected: ExpectedServo;
  /** By the model number that it reports, which may differ from the expected one. */
  readonly model: ServoModel;
  readonly contents: Contents;
}

/** Longest control table, bytes. */
const TABLE_SIZE = 256;
/**
 * Position limits that cut less than this off a joint's travel are only noted, rad: a sweep by hand is no more
 * accurate.
 */
const NARROWER = 0.1;

/** Register contents of one servo, as they were read. */
export class Contents {
  readonly #model: ServoModel;
  readonly #bytes = new Uint8Array(TABLE_SIZE);
  readonly #known = new Uint8Array(TABLE_SIZE);

  constructor(model: ServoModel) {
    this.#model = model;
  }

  /** Reads the family's `auditBlocks`. @throws {ServoError} */
  async read(client: ServoClient, id: number): Promise<void> {
    for (const [address, length] of this.#model.family.auditBlocks) await this.#read(client, id, address, length);
  }

  /** Reads one register again. @throws {ServoError} */
  readAnew(client: ServoClient, id: number, { address, size }: Register): Promise<void> {
    return this.#read(client, id, address, size);
  }

  async #read(client: ServoClient, id: number, address: number, length: number): Promise<void> {
    this.#bytes.set(await client.read(id, address, length), address);
    this.#known.fill(1, address, address + length);
  }

  /** Signed counts; NaN for a register that was not read. */
  of(register: Register): number {
    const { address, size } = register;
    for (let i = 0; i < size; i++) if (this.#known[address + i] === 0) return Number.NaN;
    return loadCounts(register, this.#bytes, address);
  }

  /** Like `of`, by name; NaN if the model has no such register. */
  named(name: string): number {
    const register = this.#model.registers[name];
    return register === undefined ? Number.NaN : this.of(register);
  }

  /** In `SI_UNIT` of the register's quantity. */
  si(register: Register): number {
    return this.of(register) * register.scale;
  }
}

/** Whether the servo has torque on. */
export function holds({ model, contents }: AuditedServo): boolean {
  return contents.of(model.common.torqueEnable) === 1;
}

/** Whether a register limits the servo's effort in its present mode. */
function limitsEffort({ model, contents }: AuditedServo, register: Register): boolean {
  return model.family.effortLimit(model, contents.of(model.common.operatingMode))?.register === register;
}

/** What a servo's registers should hold: the rules of its family, plus further settings from the arm's data. */
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

/** Judgements that the servo's registers do not meet. */
export function deviations(servo: AuditedServo): readonly Judgement[] {
  return judgements(servo).filter(({ register, wanted, accepts }) => {
    const found = servo.contents.named(register);
    return !(Number.isNaN(found) || found === wanted || (accepts && found >= accepts[0] && found <= accepts[1]));
  });
}

/**
 * Judges a servo's position limits: they should contain its joint's travel, or the whole turn if the travel is unknown.
 * @param found the limits in force; null if there are none
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

/** Whether connecting may set this register of the servo now. */
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
  // A register that connecting sets in a limp servo does not need `setup registers`.
  const volatile = row.access === 'ram' || model.family.eepromLock !== null;
  const remedy =
    judgement.set !== 'never' && volatile && holds(servo)
      ? `left so while it holds, and set ${limitsEffort(servo, row) ? 'when its joint is asked to move, or ' : ''}when the limp arm next gets torque`
      : judgement.remedy === 'calibrate'
        ? 'arm-bridge calibrate finds another'
        : 'arm-bridge setup registers sets it';
  return { ...parts, severity, text: `${content}: ${means}; ${remedy}` };
}

/** The findings of connecting, without writing anything. */
export function look(servo: AuditedServo): Finding[] {
  return deviations(servo).map((judgement) => {
    const action = settable(servo, judgement) ? 'set' : 'told';
    return finding(servo, judgement, servo.contents.named(judgement.register), action);
  });
}

/**
 * Sets the registers that may be set temporarily, and reports the rest. Moves nothing and writes no EEPROM cell: before
 * it sets EEPROM registers, it closes the lock and reads it back.
 * @returns the findings; `servo.contents` are read again after the last write
 * @throws {RangeError} if the arm's data want a content that a register cannot hold; no setting is written then
 * @throws {ServoError} if the servo falls silent
 */
export async function settle(client: ServoClient, servo: AuditedServo): Promise<Finding[]> {
  const { model, expected, contents } = servo;
  const { id } = expected;
  const { acknowledgement } = model.family;
  const found = new Map(deviations(servo).map((judgement) => [judgement, contents.named(judgement.register)] as const));
  const wanted = [...found.keys()].filter((judgement) => settable(servo, judgement));
  for (const { register, wanted: value } of wanted) checkValue(model, register, value);
  const locked = await closeLock(client, servo);
  let written = false;
  if (acknowledgement !== null && locked && contents.named(acknowledgement.register) !== acknowledgement.counts) {
    post(client, id, model.registers[acknowledgement.register]!, acknowledgement.counts);
    written = true;
  }
  for (const { register, wanted: value } of wanted) {
    const row = model.registers[register]!;
    if ((row.access === 'eeprom' && !locked) || register === acknowledgement?.register) continue;
    written = true;
    try {
      await write(client, id, row, value);
    } catch (error) {
      // The read-back shows what the servo did not accept.
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
 * Closes the EEPROM lock, where there is one, because with an open lock a stray write would outlast power-off. Does not
 * wait for an acknowledgement, because the servo may be set to give none; reads the lock back instead.
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
 * Permanently writes what the arm's data want, for set-up. The servo must be limp.
 * @returns the changes, in the order of writing
 * @throws {ServoError} if the servo has torque, falls silent, or does not keep what was written
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
  // Two passes, because an EEPROM limit bounds what the RAM may hold, and a new mode resets some of the RAM.
  for (let pass = 0; pass < 2; pass++) {
    await contents.read(client, id);
    const wanted = deviations(servo).filter(({ remedy }) => remedy === undefined);
    const values = wanted.map(({ register, wanted: value }) => [register, value] as const);
    changes.push(...(await configure(client, model, id, Object.fromEntries(values))));
  }
  return changes;
}
