import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { ConfigError, DEFAULT_CONFIG_FILE, loadConfig } from './load.ts';

/** What setting an arm up finds out about it, as it stands in the configuration. */
export interface ArmEntry {
  readonly name: string;
  readonly model: string;
  readonly variant: string;
  readonly bus: string;
  /** Null: it neither leads nor follows. */
  readonly role: Role | null;
}

/** Who leads, held by a hand, and who follows. */
export type Role = 'leader' | 'follower';

/** A pair as it is written: by the names of its arms. */
export interface PairEntry {
  readonly leader: string;
  readonly follower: string;
}

const HEADER =
  ' Written by arm-bridge setup. config/default.yaml explains every key; those that are missing have its values.';

/**
 * Puts an arm into a configuration: over the arm of this name, of which everything else stays, or at the end of the list.
 * Comments stay, and so do all other keys. A new leader gets an even id and a new follower an odd one, so that a pair has 0 and 1 in
 * whatever order its arms are set up.
 * @param text of the file; null where there is none yet
 * @param file its name, for messages
 * @param pair that is put in too: over the one with its follower, or the one that is the other way round
 * @returns the new text, not checked beyond what is needed to write it
 * @throws {ConfigError} for a file that is no such configuration, for a bus that another of its arms has, and for an arm that has
 *   another bus already, which is likely another arm; a simulated one becomes real
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
  const elsewhere = known[place]?.bus;
  if (typeof elsewhere === 'string' && elsewhere !== entry.bus && !elsewhere.startsWith('sim:')) {
    throw new ConfigError(
      `${file}: arm "${entry.name}" is at ${elsewhere} already: give this one another name, or, where it is the same arm ` +
        `at another port, write bus: ${entry.bus} there by hand. Its servos stay as they have been set up`,
    );
  }
  if (place < 0) arms.add(document.createNode(newArm(entry, known)));
  else update(arms.get(place, true), entry, file);
  if (pair !== null) putPair(document, pair, file);
  return document.toString({ lineWidth: 0 });
}

/** The buses of two arms exchanged, as those of a leader and a follower that were taken for each other. @throws {ConfigError} */
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
  return document.toString({ lineWidth: 0 });
}

/**
 * Puts an arm into a configuration file, as `withArm` does, and checks what comes of it before the file is replaced.
 * @returns whether there was a file before
 * @throws {ConfigError} for a configuration that could not be used; the file is as it was then
 */
export function writeArm(path: string, entry: ArmEntry, pair: PairEntry | null = null): boolean {
  return write(path, (text) => withArm(text, entry, path, pair));
}

/** The id that an arm of a configuration file has; null where the file does not say it, or has no such arm. */
export function idIn(path: string, name: string): number | null {
  return loadConfig(path).arms.find((arm) => arm.name === name)?.id ?? null;
}

/** Exchanges the buses of two arms of a configuration file. @throws {ConfigError} the file is as it was then */
export function swapBuses(path: string, pair: PairEntry): void {
  write(path, (text) => withBusesSwapped(text ?? '', pair, path));
}

/** @param change of its text; null where there is no file yet @returns whether there was one */
function write(path: string, change: (text: string | null) => string): boolean {
  const there = existsSync(path);
  // A link stays one.
  const file = there ? realpathSync(path) : path;
  if (there && file === realpathSync(DEFAULT_CONFIG_FILE)) {
    throw new ConfigError(`${path} comes with the bridge: name a file of your own, such as my.yaml`);
  }
  const text = change(there ? readFileSync(file, 'utf8') : null);
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.new`);
  try {
    writeFileSync(draft, text, there ? { mode: statSync(file).mode } : {});
    loadConfig(draft);
    renameSync(draft, file);
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(error.message.replaceAll(draft, path));
    throw new ConfigError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? error})`);
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

function listOf(document: Document, key: 'arms' | 'pairs', file: string): YAMLSeq {
  const present = document.get(key, true);
  if (isSeq(present)) return present;
  if (document.get(key) != null) throw new ConfigError(`${file}: "${key}" is no list of ${key}`);
  const created = document.createNode([]) as YAMLSeq;
  document.set(key, created);
  return created;
}

function entriesOf(list: YAMLSeq, document: Document): readonly Entry[] {
  return (list.toJS(document) as unknown[]).map((entry) => (entry ?? {}) as Entry);
}

function putPair(document: Document, { leader, follower }: PairEntry, file: string): void {
  const pairs = listOf(document, 'pairs', file);
  const known = entriesOf(pairs, document);
  const place = known.findIndex(
    (pair) => pair.follower === follower || (pair.leader === follower && pair.follower === leader),
  );
  if (place < 0) {
    pairs.add(document.createNode({ leader, follower }));
    return;
  }
  const node = pairs.get(place, true);
  if (!isMap(node)) throw new ConfigError(`${file}: a pair stands elsewhere (an alias): write it out in "pairs"`);
  (node as YAMLMap).set('leader', leader);
  (node as YAMLMap).set('follower', follower);
}

/** A new arm gets an id that no other has, which an arm without one has by its place in the list. */
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
