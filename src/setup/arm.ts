import { existsSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { type ArmBuild, type ArmModel, armBuilds, loadArmModel } from '../arm/model.ts';
import { type ArmEntry, busClash, type PairEntry, type Role, writeArm } from '../config/edit.ts';
import { ConfigError, loadConfig } from '../config/load.ts';
import { armConfig, type Config, type PairConfig } from '../config/schema.ts';
import type { Presence } from '../servo/assign.ts';
import { servoName } from '../servo/bench.ts';
import type { ExpectedServo } from '../servo/expected-servo.ts';
import { familyByName } from '../servo/families.ts';
import { discoverPorts, lastingUrl, usbPort } from '../servo/port/discovery.ts';
import { DEFAULT_BAUD_RATE, parseBusUrl } from '../servo/port/url.ts';
import type { ServoFamily } from '../servo/servo-family.ts';
import { expectedServos } from './expected-servos.ts';

/**
 * Speed limit of a new pair until somebody has seen that it goes the right way, rad/s: leaves time to see a fault and let
 * go. It stands in the configuration until then, and marks such a pair.
 */
export const SLOW = 0.4;

/** A servo to set up. `part` distinguishes it from others of its model; null if all are alike. */
export type SetupServo = ExpectedServo & { readonly part: string | null };

/** An arm to set up. */
export interface SetupArm {
  readonly model: ArmModel;
  readonly family: ServoFamily;
  /** In the order of the set-up: id 1 comes last because new servos have it. */
  readonly servos: readonly SetupServo[];
}

/** Resolves a path to an arm folder against the working folder; a name of a model is returned unchanged. */
function folderOf(model: string): string {
  return model.includes('/') ? resolve(model) : model;
}

/** @param model name of a folder under `robots/`, or a path to an arm folder @throws {ArmModelError} */
export function armToSetUp(model: string, variant: string): SetupArm {
  return setupArm(loadArmModel(folderOf(model), variant));
}

/** The arm of a model that has been read. */
export function setupArm(data: ArmModel): SetupArm {
  const partOf = (joint: string): string | null => data.joints.find(({ name }) => name === joint)!.part;
  // The arm is not calibrated yet, so its travel in steps is unknown.
  const servos = expectedServos(data)
    .map((servo) => ({ ...servo, part: partOf(servo.joint), travel: null }))
    .sort((a, b) => b.id - a.id);
  return { model: data, family: familyByName(data.family), servos };
}

/** Builds of an arm model with their titles, the plain one first. @throws {ArmModelError} */
export function buildsOf(model: string): readonly ArmBuild[] {
  return armBuilds(folderOf(model));
}

/** Fault of an arm's name; undefined: none. */
export function nameFault(name: string): string | undefined {
  return armConfig.shape.name.safeParse(name).error?.issues[0]?.message;
}

/** Required baud rate of the servos on a bus; null if the bus is not serial: over TCP the server sets it. */
export function wantedRate(bus: string): number | null {
  const target = parseBusUrl(bus);
  return target.kind === 'serial' ? target.baudRate : null;
}

/** Human-readable faults of an arm, by the answers of its servos; empty: none. */
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

/** Bus URL for the configuration: by the serial number of the adapter, if it has one. */
async function lastingBus(bus: string): Promise<string> {
  const port = await usbPort(bus);
  const rate = wantedRate(bus);
  if (port === null || rate === null) return bus;
  const lasting = lastingUrl(port, await discoverPorts());
  if (rate === DEFAULT_BAUD_RATE) return lasting;
  return `${lasting}${lasting.includes('?') ? '&' : '?'}baud=${rate}`;
}

/**
 * Arms and pairs of a configuration file; none if it is missing or invalid. The later write reports an invalid file.
 */
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

/** Name of another arm in a configuration file that already has this bus; null: none. */
export async function otherAt(file: string, bus: string, name: string): Promise<string | null> {
  const lasting = await lastingBus(bus);
  const other = present(file).arms.find((arm) => arm.bus === lasting && arm.name !== name);
  return other?.name ?? null;
}

/**
 * Why a configuration file takes no arm of this name at this bus; null: it takes it. `enterArm` would refuse it too, but
 * only once the servos have been set up.
 */
export async function nameTaken(file: string, bus: string, name: string): Promise<string | null> {
  const lasting = await lastingBus(bus);
  return busClash(file, { name, bus: lasting }, present(file).arms.find((arm) => arm.name === name)?.bus);
}

/**
 * Arms of a configuration file that an arm can be paired with: arms in no pair with others, and for a leader only arms
 * that are not built as leaders. Empty if the arm already has a pair in this role.
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

/** Pairs of a configuration file that have this arm. */
export function pairsOf(file: string, name: string): readonly PairConfig[] {
  return present(file).pairs.filter(({ leader, follower }) => leader === name || follower === name);
}

/**
 * Writes an arm into a configuration file, with a bus URL that survives replugging. A new pair follows slowly until it
 * has been confirmed; a pair that the file already has keeps its speed, unless this arm of it was simulated until now.
 * @param entry its model may be a path relative to the working folder
 * @param counterpart the other arm of the pair, in this file; null: no pair is written
 * @returns human-readable summary
 * @throws {ConfigError}
 */
export async function enterArm(file: string, entry: ArmEntry, counterpart: string | null = null): Promise<string> {
  const bus = await lastingBus(entry.bus);
  const { name, role } = entry;
  const pair =
    counterpart === null || role === null
      ? null
      : { leader: role === 'leader' ? name : counterpart, follower: role === 'leader' ? counterpart : name };
  const known = pairsOf(file, name).some(
    ({ leader, follower }) => leader === pair?.leader && follower === pair.follower,
  );
  const written = pair !== null && !known ? { ...pair, velocity: SLOW } : (unlimitedPair(file, name) ?? pair);
  const there = writeConfig(file, { ...entry, bus }, written);
  const slowly = known ? '' : ', slowly until somebody has confirmed that it goes the right way';
  const paired =
    pair === null ? '' : `, and the pair of ${pair.leader} that leads and ${pair.follower} that follows${slowly}`;
  return `${file} ${there ? 'has' : 'is written with'} the arm ${name} at ${bus}${paired}`;
}

/**
 * A pair of an arm that was simulated until now, to be made slow; null: none. A copy of the default configuration has
 * such a pair, which nobody has seen move real arms. A limit that somebody has set stays.
 */
function unlimitedPair(file: string, name: string): PairEntry | null {
  const simulated = present(file).arms.some((arm) => arm.name === name && arm.bus.startsWith('sim:'));
  const pair = simulated ? pairsOf(file, name).find(({ velocity }) => velocity === null) : undefined;
  return pair === undefined ? null : { leader: pair.leader, follower: pair.follower, velocity: SLOW };
}

/** @returns whether the file existed before */
function writeConfig(file: string, { model, ...entry }: ArmEntry, pair: PairEntry | null): boolean {
  if (!model.includes('/')) return writeArm(file, { model, ...entry }, pair);
  // Paths in a configuration are relative to its file.
  const path = relative(dirname(resolve(file)), resolve(model));
  return writeArm(file, { model: isAbsolute(path) || path.startsWith('.') ? path : `./${path}`, ...entry }, pair);
}
