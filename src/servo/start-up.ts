import { OperatingMode } from './dynamixel/dynamixel-constants.ts';
import type { Register } from './registers.ts';
import type { ServoClient } from './servo-client.ts';
import type { ServoFamily, ServoModel } from './servo-model.ts';
import { modelByNumber } from './servo-models.ts';
import { configure, readRow, registerName } from './setup.ts';

/** A servo that an arm expects on its bus. */
export interface ExpectedServo {
  /** Joint that it turns, for messages. */
  readonly joint: string;
  readonly id: number;
  readonly model: ServoModel;
  /** Register contents, in counts, that it is to have, by register name. */
  readonly settings: Readonly<Record<string, number>>;
  /**
   * The servo whose packets it is to obey besides its own, and whether it is to turn in reverse; null when it is none's
   * shadow.
   */
  readonly shadow: { readonly of: number; readonly reverse: boolean } | null;
}

/** What the check found in one servo, in counts where no unit is named. */
export interface FoundServo {
  /** By its own model number, which may be another than was expected. */
  readonly model: ServoModel;
  readonly torque: boolean;
  readonly goalPosition: number;
  readonly presentPosition: number;
  /** Positions that it takes goals between, counts; null where it keeps to none. */
  readonly limits: { readonly lowest: number; readonly highest: number } | null;
  readonly homingOffset: number;
  readonly positionGain: number;
  /** Largest current that it uses to hold a position; null where it keeps to none. */
  readonly goalCurrent: number | null;
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
  /** What people should know, though the arm can be used. */
  readonly warnings: readonly string[];
}

/** An arm whose servos are not those that are expected; the message lists every finding and what to do. */
export class StartUpError extends Error {
  override readonly name = 'StartUpError';
}

/** Operating modes in which a servo holds a position. */
const POSITION_MODES: Readonly<Record<ServoFamily, readonly number[]>> = {
  feetech: [0],
  dynamixel: [OperatingMode.position, OperatingMode.extendedPosition, OperatingMode.currentBasedPosition],
};
/** Bit of a Dynamixel's drive mode with which it turns in reverse. */
const REVERSE = 1;

function label(servo: ExpectedServo): string {
  return `servo ${servo.id} (${servo.joint})`;
}

/**
 * Checks the servos of an arm before anything is asked of them, sets what they need for fast and safe work, and reads
 * what they hold. Nothing moves: no goal and no torque is written.
 *
 * Refuses an arm with servos that are missing, of an unknown model, would hold nothing, or are set up to work against
 * each other; warns of mixed firmware and of other known models. All findings come together.
 * @throws {StartUpError} for servos that the arm cannot be driven with
 * @throws {ServoError} when a servo falls silent during the check
 */
export async function startUp(client: ServoClient, expected: readonly ExpectedServo[]): Promise<StartUp> {
  const { models, warnings } = await identify(client, expected);
  const findings: string[] = [];
  const servos: FoundServo[] = [];
  for (const [i, servo] of expected.entries()) {
    const model = models[i]!;
    const { common } = model;
    const counts = (register: Register) => readRow(client, servo.id, register);
    const si = async (register: Register) => (await counts(register)) * register.scale;
    const torque = (await counts(common.torqueEnable)) === 1;
    // First, since it may change what the positions count.
    warnings.push(...(await prepare(client, servo, model, torque)));
    const mode = await counts(common.operatingMode);
    const found: FoundServo = {
      model,
      torque,
      goalPosition: await counts(common.goalPosition),
      presentPosition: await counts(common.presentPosition),
      limits: positionLimits(model, mode, await counts(common.minPosition), await counts(common.maxPosition)),
      homingOffset: await counts(common.homingOffset),
      positionGain: await counts(common.positionGain),
      goalCurrent:
        mode === OperatingMode.currentBasedPosition ? await largestCurrent(client, servo.id, model, torque) : null,
      maxTemperature: await si(common.maxTemperature),
      temperature: await si(common.presentTemperature),
      minVoltage: await si(common.minVoltage),
      maxVoltage: await si(common.maxVoltage),
      voltage: await si(common.presentVoltage),
    };
    servos.push(found);
    if (found.positionGain <= 0)
      findings.push(`${label(servo)} has position gain 0 and would hold nothing: restore its gain`);
    if (!POSITION_MODES[model.family].includes(mode)) {
      const position = POSITION_MODES[model.family][0]!;
      findings.push(
        `${label(servo)} is in operating mode ${mode}, which holds no position: ` +
          `arm-bridge registers write --id ${servo.id} operating_mode=${position}`,
      );
    }
    findings.push(...(await checkShadow(servo, model, counts)));
  }
  if (findings.length > 0) throw new StartUpError(findings.join('; '));
  return { servos, warnings };
}

/** Limits that a servo keeps to in this mode; equal ones mean none. */
function positionLimits({ family }: ServoModel, mode: number, lowest: number, highest: number): FoundServo['limits'] {
  if (family === 'dynamixel' && mode !== OperatingMode.position) return null;
  return lowest < highest ? { lowest, highest } : null;
}

/**
 * Largest current of a servo that holds positions with one, counts; null where its family has no such mode. A limp one is
 * given what its own limit allows: whoever had it before may have left it with less than it takes to hold the arm.
 */
async function largestCurrent(
  client: ServoClient,
  id: number,
  model: ServoModel,
  torque: boolean,
): Promise<number | null> {
  const { goalCurrent } = model.common;
  if (goalCurrent === null) return null;
  if (!torque) {
    const limit = await readRow(client, id, model.registers.current_limit!);
    await configure(client, model, id, { [registerName(model, goalCurrent)]: limit });
  }
  return readRow(client, id, goalCurrent);
}

/**
 * Asks the servos of an arm who they are; writes nothing.
 * @returns the model of each servo, and warnings
 * @throws {StartUpError} for servos that are missing or of an unknown model
 */
export async function identify(
  client: ServoClient,
  expected: readonly ExpectedServo[],
): Promise<{ models: ServoModel[]; warnings: string[] }> {
  const missing: ExpectedServo[] = [];
  const wrong: string[] = [];
  const warnings: string[] = [];
  const models: ServoModel[] = [];
  const firmware = new Map<string, string[]>();
  for (const servo of expected) {
    const identity = await client.ping(servo.id);
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
    const kind = `${model.model} firmware ${identity.firmware}`;
    firmware.set(kind, [...(firmware.get(kind) ?? []), String(servo.id)]);
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
  if (firmware.size > new Set(models).size) {
    const list = [...firmware].map(([kind, ids]) => `${kind}: servo ${ids.join(', ')}`).join('; ');
    warnings.push(`the servos have mixed firmware (${list}): bring them to one version with the maker's tool`);
  }
  return { models, warnings };
}

/** @returns findings about a servo that is to obey another's packets: set wrongly, the two work against each other */
async function checkShadow(
  servo: ExpectedServo,
  { model: name, registers }: ServoModel,
  counts: (register: Register) => Promise<number>,
): Promise<string[]> {
  const { secondary_id: secondaryId, drive_mode: driveMode } = registers;
  if (servo.shadow === null) return [];
  if (secondaryId === undefined || driveMode === undefined) {
    return [`${label(servo)} is a ${name}, which cannot be a shadow: take shadow out of the data of the arm`];
  }
  const { of, reverse } = servo.shadow;
  const master = await counts(secondaryId);
  const mode = await counts(driveMode);
  const wantedMode = reverse ? mode | REVERSE : mode & ~REVERSE;
  const wanted: string[] = [];
  if (master !== of) wanted.push(`secondary_id=${of}`);
  if (mode !== wantedMode) wanted.push(`drive_mode=${wantedMode}`);
  if (wanted.length === 0) return [];
  return [
    `${label(servo)} is to follow servo ${of}${reverse ? ' in reverse' : ''}, but has secondary id ${master} and drive ` +
      `mode ${mode}: support the arm, then arm-bridge registers write --id ${servo.id} ${wanted.join(' ')}`,
  ];
}

/** Sets what differs. @returns warnings about what could not be set */
async function prepare(
  client: ServoClient,
  servo: ExpectedServo,
  model: ServoModel,
  torque: boolean,
): Promise<string[]> {
  const { registers, common, family } = model;
  const delay = registerName(model, common.returnDelay);
  // The factory delay of 500 us per reply costs more than the replies themselves.
  const wanted: Record<string, number> = { [delay]: 0, ...servo.settings };
  // A stray write to an EEPROM that somebody has left open would outlast the supply.
  if (family === 'feetech') wanted.lock = 1;
  const warnings: string[] = [];
  for (const name of Object.keys(wanted)) {
    // Another model than the arm's data were made for may lack a register, as an XL430 lacks all of current.
    if (registers[name] !== undefined || servo.model.registers[name] === undefined) continue;
    delete wanted[name];
    warnings.push(`${label(servo)} has no ${name}, which the data of the arm set`);
  }
  if (family === 'dynamixel' && torque) {
    const differing: string[] = [];
    for (const [name, value] of Object.entries(wanted)) {
      const register = registers[name];
      if (register === undefined || (await readRow(client, servo.id, register)) !== value) differing.push(name);
    }
    if (differing.length === 0) return warnings;
    const names = differing.join(', ');
    return [
      ...warnings,
      `${label(servo)} holds, so ${names} could not be set; it is when the arm is next connected with torque off`,
    ];
  }
  await configure(client, model, servo.id, wanted);
  return warnings;
}
