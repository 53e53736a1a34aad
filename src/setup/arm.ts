import { existsSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { type ArmModel, armVariants, loadArmModel } from '../arm/model.ts';
import { type ArmEntry, type PairEntry, type Role, writeArm } from '../config/edit.ts';
import { ConfigError, loadConfig } from '../config/load.ts';
import { armConfig, type Config } from '../config/schema.ts';
import type { Presence } from '../servo/assign.ts';
import { servoName } from '../servo/bench.ts';
import type { ExpectedServo } from '../servo/expected-servo.ts';
import { familyByName } from '../servo/families.ts';
import { discoverPorts, lastingUrl, usbPort } from '../servo/port/discovery.ts';
import { DEFAULT_BAUD_RATE, parseBusUrl } from '../servo/port/url.ts';
import type { ServoFamily } from '../servo/servo-family.ts';
import { expectedServos } from './expected-servos.ts';

/** A servo that is set up, with what tells it from others of its model; null where all are alike. */
export type SetupServo = ExpectedServo & { readonly part: string | null };

/** An arm that is set up. */
export interface SetupArm {
  readonly model: ArmModel;
  readonly family: ServoFamily;
  /** In the order in which they are set up: servos from the factory have id 1, so that comes last. */
  readonly servos: readonly SetupServo[];
}

/** A folder of one's own is meant from the working folder. */
function folderOf(model: string): string {
  return model.includes('/') ? resolve(model) : model;
}

/** @param model name of a folder of `robots/`, or the path of one @throws {ArmModelError} */
export function armToSetUp(model: string, variant: string): SetupArm {
  const data = loadArmModel(folderOf(model), variant);
  const partOf = (joint: string): string | null => data.joints.find(({ name }) => name === joint)!.part;
  // Its zeros are still to be found out, so nobody knows where its travel lies.
  const servos = expectedServos(data)
    .map((servo) => ({ ...servo, part: partOf(servo.joint), travel: null }))
    .sort((a, b) => b.id - a.id);
  return { model: data, family: familyByName(data.family), servos };
}

/** Builds that there are of an arm, each with its title; the plain one first. @throws {ArmModelError} */
export function buildsOf(model: string): readonly { readonly value: string; readonly label: string }[] {
  const path = folderOf(model);
  return armVariants(path).map((variant) => ({ value: variant, label: loadArmModel(path, variant).title }));
}

/** What is wrong with the name of an arm, if anything is. */
export function nameFault(name: string): string | undefined {
  return armConfig.shape.name.safeParse(name).error?.issues[0]?.message;
}

/** A servo as a hand finds it among others. */
export function servoToTake(servo: SetupServo): string {
  return servo.part === null ? servoName(servo) : `${servoName(servo)}: the one with ${servo.part}`;
}

/** Rate that the servos of a bus are to have, baud; null over TCP, where the server sets it. */
export function wantedRate(bus: string): number | null {
  const target = parseBusUrl(bus);
  return target.kind === 'serial' ? target.baudRate : null;
}

/** What is wrong with an arm whose servos answer so; empty when nothing is. */
export function faultsOf({ servos }: SetupArm, found: readonly Presence[]): string[] {
  const of = (wanted: Presence): ExpectedServo[] => servos.filter((_, place) => found[place] === wanted);
  const [silent, other, several] = [of('silent'), of('other'), of('several')];
  const list = (some: readonly ExpectedServo[]): string => some.map(servoName).join(', ');
  const faults: string[] = [];
  if (silent.length === servos.length) {
    return ['none of its servos answers: check the power supply, the baud rate and that this port is the arm’s'];
  }
  if (silent.length > 0) {
    faults.push(`no answer from ${list(silent)}: check the cables into them, or set them up (arm-bridge setup servo)`);
  }
  if (other.length > 0) {
    faults.push(`another model than the arm's data name: ${list(other)}: check model and variant (arm-bridge scan)`);
  }
  if (several.length > 0) {
    faults.push(`several servos, or damaged answers, at ${list(several)}: set them up one at a time`);
  }
  return faults;
}

/** The URL under which the configuration names a bus: by the serial number of its adapter where it has one. */
async function lastingBus(bus: string): Promise<string> {
  const port = await usbPort(bus);
  const rate = wantedRate(bus);
  if (port === null || rate === null) return bus;
  const lasting = lastingUrl(port, await discoverPorts());
  if (rate === DEFAULT_BAUD_RATE) return lasting;
  return `${lasting}${lasting.includes('?') ? '&' : '?'}baud=${rate}`;
}

/** Arms and pairs of a configuration file; none where there is no such file, or what is wrong with it is told when it is written. */
function present(file: string): Pick<Config, 'arms' | 'pairs'> {
  const none = { arms: [], pairs: [] };
  if (!existsSync(file)) return none;
  try {
    return loadConfig(file);
  } catch (error) {
    if (error instanceof ConfigError) return none;
    throw error;
  }
}

/** The other arm of a configuration file that has this bus already; null where none has. */
export async function otherAt(file: string, bus: string, name: string): Promise<string | null> {
  const lasting = await lastingBus(bus);
  const other = present(file).arms.find((arm) => arm.bus === lasting && arm.name !== name);
  return other?.name ?? null;
}

/**
 * The arms of a configuration file that an arm may be paired with: those that are in no pair with others, but for arms that are built as
 * leaders where a follower is looked for. None where the arm has its pair.
 */
export function counterparts(file: string, name: string, role: Role): readonly string[] {
  const { arms, pairs } = present(file);
  if (pairs.some((pair) => pair[role] === name)) return [];
  const others = pairs.map(({ leader, follower }) => [leader, follower]).filter((pair) => !pair.includes(name));
  const paired = new Set(others.flat());
  return arms
    .filter((arm) => arm.name !== name && !paired.has(arm.name) && !(role === 'leader' && arm.variant === 'leader'))
    .map((arm) => arm.name);
}

/**
 * Writes an arm into a configuration file, its bus under the name that lasts.
 * @param entry model as it was named on the command line, a path being meant from the working folder
 * @param counterpart arm of the file that leads it, or that it leads, by its role; null: no pair is written
 * @returns what has been done, for people @throws {ConfigError}
 */
export async function enterArm(file: string, entry: ArmEntry, counterpart: string | null = null): Promise<string> {
  const bus = await lastingBus(entry.bus);
  const { name, role } = entry;
  const pair =
    counterpart === null || role === null
      ? null
      : { leader: role === 'leader' ? name : counterpart, follower: role === 'leader' ? counterpart : name };
  const there = writeConfig(file, { ...entry, bus }, pair);
  const paired = pair === null ? '' : `, and the pair of ${pair.leader} that leads and ${pair.follower} that follows`;
  return `${file} ${there ? 'has' : 'is written with'} the arm ${name} at ${bus}${paired}`;
}

/** @returns whether there was a file before */
function writeConfig(file: string, { model, ...entry }: ArmEntry, pair: PairEntry | null): boolean {
  if (!model.includes('/')) return writeArm(file, { model, ...entry }, pair);
  // In a configuration a path is meant from where it is written.
  const path = relative(dirname(resolve(file)), resolve(model));
  return writeArm(file, { model: isAbsolute(path) || path.startsWith('.') ? path : `./${path}`, ...entry }, pair);
}
