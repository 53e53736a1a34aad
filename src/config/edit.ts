import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Document, isMap, isNode, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { ConfigError, DEFAULT_CONFIG_FILE, loadConfig } from './load.ts';

/** Entry of an arm in the configuration, as a set-up writes it. */
export interface ArmEntry {
  readonly name: string;
  readonly model: string;
  readonly variant: string;
  readonly bus: string;
  /** Null: it neither leads nor follows. */
  readonly role: Role | null;
}

/** Role in a pair: a person moves the leader by hand, and the follower follows it. */
export type Role = 'leader' | 'follower';

/** A pair, by the names of its arms. */
export interface PairEntry {
  readonly leader: string;
  readonly follower: string;
  /** Speed limit of the follower, rad/s; left out or null: as it is. */
  readonly velocity?: number | null;
}

const HEADER =
  ' Written by arm-bridge setup. config/default.yaml explains every key; those that are missing have its values.';

/**
 * Puts an arm into a configuration: updates the arm of this name, or appends a new one. Comments and all other keys
 * stay. A new leader gets an even id and a new follower an odd one, so that a pair has 0 and 1 in either order of
 * set-up.
 * @param text content of the file; null if there is none yet
 * @param file its name, for messages
 * @param pair also written: replaces the pair with this follower, or the reversed pair
 * @returns the new text; only its basic structure is checked
 * @throws {ConfigError} if the file is not a configuration, if another arm has the bus, or if the arm already has
 *   another real bus, because it is then likely another arm (a simulated arm may become real)
 */
export function withArm(text: string | null, entry: ArmEntry, file: string, pair: PairEntry | null = null): string {
  const document = parsed(text ?? '', file);
  if (text === null) document.commentBefore = HEADER;
  const arms = listOf(document, 'arms', file);
  const known = entriesOf(arms, document);
  const other = known.find(({ name, bus }) => bus === entry.bus && name !== entry.name);
  if (other !== undefined) {
    throw new ConfigError(
      `${file}: arm "${other.name}" is at ${entry.bus} already: use its name, or take it out of the file`,
    );
  }
  const place = known.findIndex(({ name }) => name === entry.name);
  const fault = busClash(file, entry, known[place]?.bus);
  if (fault !== null) throw new ConfigError(`${fault}. Its servos stay as they have been set up`);
  if (place < 0) arms.add(document.createNode(newArm(entry, known)));
  else update(arms.get(place, true), entry, file);
  if (pair !== null) putPair(document, pair, file);
  return textOf(document, text);
}

/**
 * Why an arm is not written over the one of its name: that has another real bus, and is then likely another arm. A
 * simulated arm may become real. Null: it may be written.
 * @param present bus of the arm of this name in the file
 */
export function busClash(file: string, { name, bus }: Pick<ArmEntry, 'name' | 'bus'>, present: unknown): string | null {
  if (typeof present !== 'string' || present === bus || present.startsWith('sim:')) return null;
  return (
    `${file} has an arm ${name} at ${present}: give this one another name, or, where it is the same arm at another port, ` +
    `write bus: ${bus} there by hand`
  );
}

/** Exchanges the buses of two arms, for a leader and a follower that were mixed up. @throws {ConfigError} */
export function withBusesSwapped(text: string, { leader, follower }: PairEntry, file: string): string {
  const document = parsed(text, file);
  const arms = listOf(document, 'arms', file);
  const known = entriesOf(arms, document);
  const nodes = [leader, follower].map((name) => {
    const node = arms.get(
      known.findIndex((arm) => arm.name === name),
      true,
    );
    if (!isMap(node)) throw new ConfigError(`${file}: arm "${name}" is not written out in "arms"`);
    return node as YAMLMap;
  });
  const buses = nodes.map((node) => node.get('bus'));
  nodes[0]!.set('bus', buses[1]);
  nodes[1]!.set('bus', buses[0]);
  return textOf(document, text);
}

/** Takes the speed limit out of a pair; without one the text stays as it is. @throws {ConfigError} */
export function withFullSpeed(text: string, { leader, follower }: PairEntry, file: string): string {
  const document = parsed(text, file);
  const pairs = listOf(document, 'pairs', file);
  const place = entriesOf(pairs, document).findIndex(
    (pair) => pair.leader === leader && pair.follower === follower && pair.velocity !== undefined,
  );
  if (place < 0) return text;
  pairAt(pairs, place, file).delete('velocity');
  return textOf(document, text);
}

/**
 * Puts an arm into a configuration file, as `withArm` does. The result is validated before the file is replaced.
 * @returns whether the file existed before
 * @throws {ConfigError} if the result would be invalid; the file is then unchanged
 */
export function writeArm(path: string, entry: ArmEntry, pair: PairEntry | null = null): boolean {
  return write(path, (text) => withArm(text, entry, path, pair));
}

/** Id of an arm in a configuration file; null if the file has no id for it, or no such arm. */
export function idIn(path: string, name: string): number | null {
  return loadConfig(path).arms.find((arm) => arm.name === name)?.id ?? null;
}

/** Exchanges the buses of two arms in a configuration file. @throws {ConfigError} the file is then unchanged */
export function swapBuses(path: string, pair: PairEntry): void {
  write(path, (text) => withBusesSwapped(text ?? '', pair, path));
}

/** Takes the speed limit out of a pair of a configuration file. @throws {ConfigError} the file is then unchanged */
export function giveFullSpeed(path: string, pair: PairEntry): void {
  write(path, (text) => withFullSpeed(text ?? '', pair, path));
}

/** Checks by trial whether a configuration file could be written. @throws {ConfigError} says what to do instead */
export function tryWriting(path: string): void {
  const draft = draftOf(targetOf(path));
  try {
    writeFileSync(draft, '');
    rmSync(draft);
  } catch (error) {
    throw new ConfigError(
      // The page leaves out the clause with the command: the first one is what can be done without a terminal.
      `${notWritten(path, error)}: let the user of this bridge write into its folder ${dirname(path)}; or end this bridge, and run arm-bridge setup --config ${path} as a user who may write it`,
    );
  }
}

const notWritten = (path: string, error: unknown): string =>
  `${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? error})`;

/** The target of a symbolic link, so that a link stays one. @throws {ConfigError} for the file that comes with the bridge */
function targetOf(path: string): string {
  if (!existsSync(path)) return path;
  const file = realpathSync(path);
  if (file === realpathSync(DEFAULT_CONFIG_FILE)) {
    throw new ConfigError(`${path} comes with the bridge: name a file of your own, such as my.yaml`);
  }
  return file;
}

const draftOf = (file: string): string => join(dirname(file), `.${basename(file)}.${process.pid}.new`);

/** @param change maps the old text (null: no file yet) to the new one @returns whether the file existed before */
function write(path: string, change: (text: string | null) => string): boolean {
  const there = existsSync(path);
  const file = targetOf(path);
  const text = change(there ? readFileSync(file, 'utf8') : null);
  const draft = draftOf(file);
  try {
    writeFileSync(draft, text, there ? { mode: statSync(file).mode } : {});
    loadConfig(draft);
    renameSync(draft, file);
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(error.message.replaceAll(draft, path));
    throw new ConfigError(notWritten(path, error));
  } finally {
    rmSync(draft, { force: true });
  }
  return there;
}

type Entry = Readonly<Record<string, unknown>>;

/** @throws {ConfigError} */
function parsed(text: string, file: string): Document {
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    throw new ConfigError(`${file} is not valid YAML:\n  ${document.errors.map((e) => e.message).join('\n  ')}`);
  }
  if (document.contents !== null && !isMap(document.contents)) {
    throw new ConfigError(`${file}: expected keys and values, for example "arms:"`);
  }
  return document;
}

/** Text of a changed document, with the line ends of the former text. */
function textOf(document: Document, former: string | null): string {
  const text = document.toString({ lineWidth: 0 });
  return former?.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

function listOf(document: Document, key: 'arms' | 'pairs', file: string): YAMLSeq {
  const present = document.get(key, true);
  if (isSeq(present)) return present;
  if (document.get(key) != null) throw new ConfigError(`${file}: "${key}" is no list of ${key}`);
  const created = document.createNode([]) as YAMLSeq;
  // A comment behind an empty key belongs to its missing value.
  if (isNode(present)) created.commentBefore = present.comment ?? null;
  document.set(key, created);
  return created;
}

function entriesOf(list: YAMLSeq, document: Document): readonly Entry[] {
  return (list.toJS(document) as unknown[]).map((entry) => (entry ?? {}) as Entry);
}

/** @throws {ConfigError} */
function pairAt(pairs: YAMLSeq, place: number, file: string): YAMLMap {
  const node = pairs.get(place, true);
  if (isMap(node)) return node;
  throw new ConfigError(`${file}: a pair stands elsewhere (an alias): write it out in "pairs"`);
}

function putPair(document: Document, { leader, follower, velocity }: PairEntry, file: string): void {
  const pairs = listOf(document, 'pairs', file);
  const known = entriesOf(pairs, document);
  const place = known.findIndex(
    (pair) => pair.follower === follower || (pair.leader === follower && pair.follower === leader),
  );
  if (place < 0) {
    pairs.add(document.createNode({ leader, follower, ...(velocity == null ? {} : { velocity }) }));
    return;
  }
  const node = pairAt(pairs, place, file);
  node.set('leader', leader);
  node.set('follower', follower);
  if (velocity != null) node.set('velocity', velocity);
}

/** Entry of a new arm, with a free id. An arm without an id has its index in the list as its id. */
function newArm({ name, model, variant, bus, role }: ArmEntry, known: readonly Entry[]): Record<string, unknown> {
  const ids = known.map((arm, place) => arm.id ?? place);
  let id = role === null ? known.length : Number(role === 'follower');
  while (ids.includes(id)) id += role === null ? 1 : 2;
  return {
    name,
    id,
    model,
    ...(variant === 'follower' ? {} : { variant }),
    bus,
  };
}

function update(node: unknown, { name, model, variant, bus }: ArmEntry, file: string): void {
  if (!isMap(node)) throw new ConfigError(`${file}: arm "${name}" stands elsewhere (an alias): write it out in "arms"`);
  const arm: YAMLMap = node;
  arm.set('model', model);
  if (variant !== 'follower' || arm.has('variant')) arm.set('variant', variant);
  arm.set('bus', bus);
}
