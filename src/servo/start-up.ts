import { type AuditedServo, Contents, type Finding, holds, look, settle } from './audit.ts';
import type { ExpectedServo } from './expected-servo.ts';
import type { Register } from './registers.ts';
import { type ServoClient, ServoError } from './servo-client.ts';
import type { EffortLimit, PositionLimits, ServoModel } from './servo-model.ts';
import { modelByNumber } from './servo-models.ts';
import { readRow } from './setup.ts';

/** What the check found in one servo; in counts unless a unit is given. */
export interface FoundServo {
  /** By the model number that it reports, which may differ from the expected one. */
  readonly model: ServoModel;
  readonly firmware: string;
  readonly torque: boolean;
  readonly goalPosition: number;
  /** The newest of three readings in a row that agree. */
  readonly presentPosition: number;
  /** All readings of its position, in their order. */
  readonly readings: readonly number[];
  readonly homingOffset: number;
  readonly operatingMode: number;
  /** Its position counts turns: it must be placed with `inTurn`, and watched with `turnsShifted`. */
  readonly countsTurns: boolean;
  /** Positions that it accepts as goals, steps; null if it accepts all. */
  readonly limits: PositionLimits | null;
  readonly positionGain: number;
  /** Return delay, s. */
  readonly answerDelay: number;
  /** Its effort limit while it holds a position, with the present and the wanted content; null if it has none. */
  readonly effortLimit: (EffortLimit & { readonly counts: number; readonly usual: number }) | null;
  /** degrees Celsius */
  readonly maxTemperature: number;
  readonly temperature: number;
  /** V */
  readonly minVoltage: number;
  readonly maxVoltage: number;
  readonly voltage: number;
}

export interface StartUp {
  /** In the order of the expected servos. */
  readonly servos: readonly FoundServo[];
  /** Registers that differ from what the arm's data want. */
  readonly audit: readonly Finding[];
  /**
   * Messages for users about an arm that can still be used: warnings of the audit except those about position limits,
   * and others.
   */
  readonly warnings: readonly string[];
}

/** The servos of an arm are not the expected ones; the message lists every finding and what to do. */
export class StartUpError extends Error {
  override readonly name = 'StartUpError';
}

/** Readings in a row that must agree before a position is believed, and most readings to try. */
const AGREEING = 3;
const MOST_READINGS = 8;
/** Readings agree if they differ by at most this, rad, plus what a hand can turn a limp joint meanwhile, rad/s. */
const SCATTER = 0.05;
const FASTEST_HAND = 20;
/** A servo hotter than this below its limit, or whose voltage is beyond its limits, is asked again, K; readings agree within these, K and V. */
const HOT_MARGIN = 20;
const SAME_TEMPERATURE = 3;
const SAME_VOLTAGE = 1;
/** Times a suspect id is asked. Two servos have it if a second answer comes twice, or damaged bytes come every time. */
const ECHOES = 5;
const SECOND_ANSWERS = 2;
/** Requests of one servo with damaged bytes that make its id suspect; a single one is a disturbance. */
const SUSPECT_DAMAGE = 2;

function label(servo: ExpectedServo): string {
  return `servo ${servo.id} (${servo.joint})`;
}

/**
 * Checks the servos of an arm before anything is asked of them, sets what may be set temporarily, and reads their
 * state. Moves nothing: writes no goal, no torque and no EEPROM cell.
 *
 * Refuses an arm if servos are missing, of an unknown model, share an id, have positions that cannot be believed, or
 * are set so that the arm must not be driven. All findings come together.
 * @throws {StartUpError} for servos that the arm cannot be driven with
 * @throws {ServoError} if a servo falls silent during the check
 */
export async function startUp(client: ServoClient, expected: readonly ExpectedServo[]): Promise<StartUp> {
  const { faults, ...found } = await survey(client, expected, (servo) => settle(client, servo));
  if (faults.length > 0) throw new StartUpError(faults.join('; '));
  return found;
}

/**
 * Like `startUp`, but writes nothing, and returns faults with the findings.
 * @throws {StartUpError} for servos that are missing or of an unknown model
 * @throws {ServoError} if a servo falls silent
 */
export function inspect(
  client: ServoClient,
  expected: readonly ExpectedServo[],
): Promise<StartUp & { readonly faults: readonly string[] }> {
  return survey(client, expected, async (servo) => look(servo));
}

async function survey(
  client: ServoClient,
  expected: readonly ExpectedServo[],
  audit: (servo: AuditedServo) => Promise<readonly Finding[]>,
): Promise<StartUp & { readonly faults: readonly string[] }> {
  const { models, firmware, warnings } = await identify(client, expected);
  const findings: Finding[] = [];
  const faults: string[] = [];
  const servos: FoundServo[] = [];
  for (const [i, servo] of expected.entries()) {
    const model = models[i]!;
    const audited: AuditedServo = { expected: servo, model, contents: new Contents(model) };
    const data = dataFaults(servo, model);
    warnings.push(...data.warnings);
    faults.push(...data.faults);
    const readings = await unambiguous(client, servo, model, async () => {
      await audited.contents.read(client, servo.id);
      return positions(client, servo, model, audited.contents.of(model.common.presentPosition));
    });
    if (readings.stray) {
      const list = readings.steps.join(', ');
      if (readings.agree)
        warnings.push(`${label(servo)} read its position as ${list} steps: the stray ones are left out`);
      else {
        faults.push(
          `${label(servo)} reads its position as ${list} steps, which do not agree: check its cable and its supply, and ` +
            'that no second servo has its id',
        );
      }
    }
    findings.push(...(await audit(audited)));
    servos.push(foundServo(audited, firmware[i]!, readings.steps, await health(client, audited)));
  }
  for (const { severity, action, register, servo, text } of findings) {
    if (action === 'set' || severity === 'note') continue;
    if (severity === 'fault') faults.push(text);
    // The arm's driver reports its limits in terms of the joint.
    else if (!isLimit(register, models[expected.findIndex(({ id }) => id === servo)]!)) warnings.push(text);
  }
  return { servos, audit: findings, warnings, faults };
}

/** Temperature, degrees Celsius, and voltage, V. */
type Health = Pick<FoundServo, 'temperature' | 'voltage'>;

/** How warm a servo is, and what supplies it: what would keep the arm from moving is believed once readings agree. */
async function health(client: ServoClient, { expected, model, contents }: AuditedServo): Promise<Health> {
  const { common } = model;
  const most = contents.si(common.maxTemperature) - HOT_MARGIN;
  const [lowest, highest] = [contents.si(common.minVoltage), contents.si(common.maxVoltage)];
  const agreed = async (register: Register, band: number, fits: (value: number) => boolean): Promise<number> => {
    let value = contents.si(register);
    let agreeing = 1;
    for (let reads = 1; !fits(value) && agreeing < AGREEING && reads < MOST_READINGS; reads++) {
      const next = (await readRow(client, expected.id, register)) * register.scale;
      agreeing = Math.abs(next - value) <= band ? agreeing + 1 : 1;
      value = next;
    }
    return value;
  };
  return {
    temperature: await agreed(common.presentTemperature, SAME_TEMPERATURE, (value) => value <= most),
    voltage: await agreed(common.presentVoltage, SAME_VOLTAGE, (value) => value >= lowest && value <= highest),
  };
}

function foundServo(servo: AuditedServo, firmware: string, readings: readonly number[], measured: Health): FoundServo {
  const { model, contents } = servo;
  const { common, family } = model;
  const operatingMode = contents.of(common.operatingMode);
  const limit = family.effortLimit(model, operatingMode);
  return {
    model,
    firmware,
    torque: holds(servo),
    goalPosition: contents.of(common.goalPosition),
    presentPosition: readings.at(-1)!,
    readings,
    homingOffset: contents.of(common.homingOffset),
    operatingMode,
    countsTurns: family.countsTurns(contents),
    limits: family.goalLimits(contents),
    positionGain: contents.of(common.positionGain),
    answerDelay: contents.si(common.returnDelay),
    effortLimit: limit && { ...limit, counts: contents.of(limit.register), usual: usualOf(servo, limit.register) },
    maxTemperature: contents.si(common.maxTemperature),
    ...measured,
    minVoltage: contents.si(common.minVoltage),
    maxVoltage: contents.si(common.maxVoltage),
  };
}

/** The content that the audit of a servo wants in a register; the present one if the audit does not judge it. */
function usualOf(servo: AuditedServo, register: Register): number {
  const { model, contents } = servo;
  const judged = model.family.audit(servo).find(({ register: name }) => model.registers[name] === register);
  return judged?.wanted ?? contents.of(register);
}

function isLimit(name: string, { registers, common }: ServoModel): boolean {
  return registers[name] === common.minPosition || registers[name] === common.maxPosition;
}

/** What the arm's data ask of a servo but its model cannot do. */
function dataFaults(
  servo: ExpectedServo,
  model: ServoModel,
): { readonly warnings: string[]; readonly faults: string[] } {
  const warnings: string[] = [];
  const faults: string[] = [];
  for (const name of Object.keys(servo.settings)) {
    if (model.registers[name] !== undefined) continue;
    // A model other than the one in the arm's data may lack a register: an XL430 has none for current.
    if (servo.model.registers[name] !== undefined) {
      warnings.push(`${label(servo)} has no ${name}, which the data of the arm set`);
    } else {
      faults.push(`${label(servo)}: the data of the arm set "${name}", and a ${model.model} has no such register`);
    }
  }
  if (servo.shadow !== null && model.family.secondaryId === null) {
    faults.push(
      `${label(servo)} is a ${model.model}, which cannot be a shadow: take shadow out of the data of the arm`,
    );
  }
  return { warnings, faults };
}

/** Readings of a position. */
interface Readings {
  readonly steps: readonly number[];
  /** The last three agree. */
  readonly agree: boolean;
  /** Some do not fit the others. */
  readonly stray: boolean;
}

/**
 * Reads a position until three readings in a row agree. One alone may be wrong: a spike would become a goal.
 * @param first reading, just made
 * @throws {ServoError}
 */
export async function positions(
  client: ServoClient,
  { id }: Pick<ExpectedServo, 'id'>,
  { common, stepsPerTurn }: ServoModel,
  first: number,
): Promise<Readings> {
  const { clock } = client;
  const perRadian = stepsPerTurn / (2 * Math.PI);
  const steps = [first];
  let before = clock.now();
  let agreeing = 1;
  while (agreeing < AGREEING && steps.length < MOST_READINGS) {
    const next = await readRow(client, id, common.presentPosition);
    const now = clock.now();
    const most = (SCATTER + FASTEST_HAND * (now - before)) * perRadian;
    agreeing = Math.abs(next - steps.at(-1)!) <= most ? agreeing + 1 : 1;
    steps.push(next);
    before = now;
  }
  return { steps, agree: agreeing >= AGREEING, stray: steps.length > AGREEING };
}

/**
 * Runs transactions with one servo, and checks that only one servo has answered them.
 * @throws {StartUpError} if two servos have the id
 * @throws {ServoError}
 */
async function unambiguous<T>(
  client: ServoClient,
  servo: ExpectedServo,
  model: ServoModel,
  task: () => Promise<T>,
): Promise<T> {
  let failure: ServoError | null = null;
  try {
    const result = await task();
    const { doubled, damaged } = client.oddities(servo.id);
    if (doubled === 0 && damaged < SUSPECT_DAMAGE) return result;
    if (!(await several(client, servo.id, model.common.presentPosition))) return result;
  } catch (error) {
    if (!(error instanceof ServoError) || error.code !== 'corrupt') throw error;
    failure = error;
  }
  if (failure !== null && !(await several(client, servo.id, model.common.presentPosition))) throw failure;
  throw new StartUpError(
    `more than one servo answers as ${label(servo)}: connect one at a time, and give each an id of its own ` +
      '(arm-bridge setup servo)',
  );
}

/** Whether two servos answer to one id: both answers come, or they damage each other. @throws {ServoError} closed */
async function several(client: ServoClient, id: number, { address, size }: Register): Promise<boolean> {
  let second = 0;
  let noisy = 0;
  for (let asked = 0; asked < ECHOES; asked++) {
    const { answers, noise } = await client.echo(id, address, size);
    if (answers > 1 && ++second === SECOND_ANSWERS) return true;
    if (noise) noisy++;
  }
  return noisy === ECHOES;
}

/**
 * Identifies the servos of an arm; writes nothing.
 * @returns model and firmware of each servo, and warnings
 * @throws {StartUpError} for servos that are missing or of an unknown model
 */
async function identify(
  client: ServoClient,
  expected: readonly ExpectedServo[],
): Promise<{ models: ServoModel[]; firmware: string[]; warnings: string[] }> {
  const missing: ExpectedServo[] = [];
  const wrong: string[] = [];
  const warnings: string[] = [];
  const models: ServoModel[] = [];
  const firmware: string[] = [];
  const kinds = new Map<string, string[]>();
  for (const servo of expected) {
    const identity = await unambiguous(client, servo, servo.model, () => client.ping(servo.id));
    if (identity === null) {
      missing.push(servo);
      continue;
    }
    const { family, model: name, modelNumber } = servo.model;
    const model = modelByNumber(family, identity.modelNumber);
    if (model === undefined) {
      wrong.push(`${label(servo)} has model number ${identity.modelNumber}, not ${modelNumber} (${name})`);
      continue;
    }
    if (model.modelNumber !== modelNumber) {
      warnings.push(`${label(servo)} is a ${model.model}, not a ${name}: it is driven as what it is`);
    }
    models.push(model);
    firmware.push(identity.firmware);
    const kind = `${model.model} firmware ${identity.firmware}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), String(servo.id)]);
  }
  const findings: string[] = [];
  if (missing.length === expected.length) {
    findings.push(
      `none of the servos ${expected.map(({ id }) => id).join(', ')} answers: check the power supply, the baud rate and ` +
        'that this port is the arm’s',
    );
  } else if (missing.length > 0) {
    findings.push(
      `no answer from ${missing.map(label).join(', ')}: check the cable into ${label(missing[0]!)}, the first missing one`,
    );
  }
  if (wrong.length > 0) findings.push(`${wrong.join('; ')}: check that this is the arm that the configuration names`);
  if (findings.length > 0) throw new StartUpError(findings.join('; '));
  if (kinds.size > new Set(models).size) {
    const list = [...kinds].map(([kind, ids]) => `${kind}: servo ${ids.join(', ')}`).join('; ');
    warnings.push(`the servos have mixed firmware (${list}): bring them to one version with the maker's tool`);
  }
  return { models, firmware, warnings };
}
