import type { ServoClient } from './client.ts';
import type { ServoModel } from './model.ts';
import { decodeSign, type Register } from './registers.ts';
import { configure } from './setup.ts';

/** A servo that an arm expects on its bus. */
export interface ExpectedServo {
  /** Joint that it turns, for messages. */
  readonly joint: string;
  readonly id: number;
  readonly model: ServoModel;
  /** Register contents, in counts, that it is to have, by register name. */
  readonly settings: Readonly<Record<string, number>>;
}

/** What the check found in one servo, in counts where no unit is named. */
export interface FoundServo {
  readonly torque: boolean;
  readonly goalPosition: number;
  readonly presentPosition: number;
  readonly positionGain: number;
  /** degrees Celsius */
  readonly maxTemperature: number;
  /** V */
  readonly minVoltage: number;
  readonly maxVoltage: number;
}

export interface StartUp {
  /** In the order of the expected servos. */
  readonly servos: readonly FoundServo[];
  /** What people should know, though the arm can be used. */
  readonly warnings: readonly string[];
  /** Why torque must not be switched on; empty when it may. */
  readonly torqueRefusal: string;
}

/** An arm whose servos are not those that are expected; the message lists every finding and what to do. */
export class StartUpError extends Error {
  override readonly name = 'StartUpError';
}

/** A servo nearer to its temperature limit than this gets no torque, K. */
const HEAT_MARGIN = 5;

function label(servo: ExpectedServo): string {
  return `servo ${servo.id} (${servo.joint})`;
}

async function readCounts(client: ServoClient, id: number, register: Register): Promise<number> {
  const bytes = await client.read(id, register.address, register.size);
  let raw = 0;
  for (const [place, byte] of bytes.entries()) raw += byte * 2 ** (8 * place);
  return decodeSign(register.sign, raw);
}

/**
 * Checks the servos of an arm before anything is asked of them, sets what they need for fast and safe work, and reads
 * what they hold. Nothing moves: no goal and no torque is written.
 *
 * Refuses an arm with missing or wrong servos; warns of mixed firmware; refuses torque for a supply or a temperature out
 * of the servos' own limits (registers of `CommonRegisters`). All findings come together.
 * @throws {StartUpError} for servos that are missing or of another model
 * @throws {ServoError} when a servo falls silent during the check
 */
export async function startUp(client: ServoClient, expected: readonly ExpectedServo[]): Promise<StartUp> {
  const warnings = await identify(client, expected);
  const refusals: string[] = [];
  const servos: FoundServo[] = [];
  for (const servo of expected) {
    const { common } = servo.model;
    const counts = (register: Register) => readCounts(client, servo.id, register);
    const si = async (register: Register) => (await counts(register)) * register.scale;
    const torque = (await counts(common.torqueEnable)) === 1;
    const found: FoundServo = {
      torque,
      goalPosition: await counts(common.goalPosition),
      presentPosition: await counts(common.presentPosition),
      positionGain: await counts(common.positionGain),
      maxTemperature: await si(common.maxTemperature),
      minVoltage: await si(common.minVoltage),
      maxVoltage: await si(common.maxVoltage),
    };
    if (found.positionGain <= 0) {
      throw new StartUpError(`${label(servo)} has position gain 0 and would hold nothing: restore its gain`);
    }
    servos.push(found);
    refusals.push(...judge(servo, found, await si(common.presentVoltage), await si(common.presentTemperature)));
    warnings.push(...(await prepare(client, servo, torque)));
  }
  return { servos, warnings, torqueRefusal: refusals.join('; ') };
}

/** @returns warnings @throws {StartUpError} */
async function identify(client: ServoClient, expected: readonly ExpectedServo[]): Promise<string[]> {
  const missing: ExpectedServo[] = [];
  const wrong: string[] = [];
  const firmware = new Map<string, string[]>();
  for (const servo of expected) {
    const identity = await client.ping(servo.id);
    if (identity === null) {
      missing.push(servo);
      continue;
    }
    if (identity.modelNumber !== servo.model.modelNumber) {
      wrong.push(
        `${label(servo)} has model number ${identity.modelNumber}, not ${servo.model.modelNumber} (${servo.model.model})`,
      );
    }
    const kind = `${servo.model.model} firmware ${identity.firmware}`;
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
  const models = new Set(expected.map(({ model }) => model.model));
  if (firmware.size <= models.size) return [];
  const list = [...firmware].map(([kind, ids]) => `${kind}: servo ${ids.join(', ')}`).join('; ');
  return [`the servos have mixed firmware (${list}): bring them to one version with the maker's tool`];
}

/** @returns reasons against torque */
function judge(servo: ExpectedServo, found: FoundServo, voltage: number, temperature: number): string[] {
  const reasons: string[] = [];
  if (voltage > found.maxVoltage || voltage < found.minVoltage) {
    reasons.push(
      `${label(servo)} measures ${voltage.toFixed(1)} V, but its limits are ${found.minVoltage.toFixed(1)} to ` +
        `${found.maxVoltage.toFixed(1)} V: connect the supply that its type needs`,
    );
  }
  if (temperature > found.maxTemperature - HEAT_MARGIN) {
    reasons.push(
      `${label(servo)} has ${temperature.toFixed(0)} degC and switches off at ${found.maxTemperature.toFixed(0)}: let it cool`,
    );
  }
  return reasons;
}

/** Sets what differs. @returns warnings about what could not be set */
async function prepare(client: ServoClient, servo: ExpectedServo, torque: boolean): Promise<string[]> {
  const { registers, common, family } = servo.model;
  const delay = Object.keys(registers).find((name) => registers[name] === common.returnDelay)!;
  // The factory delay of 500 us per reply costs more than the replies themselves.
  const wanted: Record<string, number> = { [delay]: 0, ...servo.settings };
  // A stray write to an EEPROM that somebody has left open would outlast the supply.
  if (family === 'feetech') wanted.lock = 1;
  if (family === 'dynamixel' && torque) {
    const differing: string[] = [];
    for (const [name, value] of Object.entries(wanted)) {
      const register = registers[name]!;
      if (register.access === 'eeprom' && (await readCounts(client, servo.id, register)) !== value)
        differing.push(name);
    }
    if (differing.length === 0) return [];
    const names = differing.join(', ');
    return [
      `${label(servo)} holds, so ${names} could not be set; it is when the arm is next connected with torque off`,
    ];
  }
  await configure(client, servo.model, servo.id, wanted);
  return [];
}
