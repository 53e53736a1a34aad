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
}

const HEADER =
  ' Written by arm-bridge setup. config/default.yaml explains every key; those that are missing have its values.';

/**
 * Puts an arm into a configuration: over the arm of this name, of which everything else stays, or at the end of the list.
 * Comments stay, and so do all other keys.
 * @param text of the file; null where there is none yet
 * @param file its name, for messages
 * @returns the new text, not checked beyond what is needed to write it
 * @throws {ConfigError} for a file that is no such configuration, and for a bus that another of its arms has
 */
export function withArm(text: string | null, entry: ArmEntry, file: string): string {
  const document = parseDocument(text ?? '');
  if (document.errors.length > 0) {
    throw new ConfigError(`${file} is not valid YAML:\n  ${document.errors.map((e) => e.message).join('\n  ')}`);
  }
  if (document.contents !== null && !isMap(document.contents)) {
    throw new ConfigError(`${file}: expected keys and values, for example "arms:"`);
  }
  if (text === null) document.commentBefore = HEADER;
  const arms = listOfArms(document, file);
  const known = (arms.toJS(document) as unknown[]).map((arm) => (arm ?? {}) as Readonly<Record<string, unknown>>);
  const other = known.find(({ name, bus }) => bus === entry.bus && name !== entry.name);
  if (other !== undefined) {
    throw new ConfigError(
      `${file}: arm "${other.name}" is at ${entry.bus} already: use its name, or take it out of the file`,
    );
  }
  const place = known.findIndex(({ name }) => name === entry.name);
  if (place < 0) arms.add(document.createNode(newArm(entry, known)));
  else update(arms.get(place, true), entry, file);
  return document.toString({ lineWidth: 0 });
}

/**
 * Puts an arm into a configuration file, as `withArm` does, and checks what comes of it before the file is replaced.
 * @returns whether there was a file before
 * @throws {ConfigError} for a configuration that could not be used; the file is as it was then
 */
export function writeArm(path: string, entry: ArmEntry): boolean {
  const there = existsSync(path);
  // A link stays one.
  const file = there ? realpathSync(path) : path;
  if (there && file === realpathSync(DEFAULT_CONFIG_FILE)) {
    throw new ConfigError(`${path} comes with the bridge: name a file of your own, such as my.yaml`);
  }
  const text = withArm(there ? readFileSync(file, 'utf8') : null, entry, path);
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

function listOfArms(document: Document, file: string): YAMLSeq {
  const present = document.get('arms', true);
  if (isSeq(present)) return present;
  if (document.get('arms') != null) throw new ConfigError(`${file}: "arms" is no list of arms`);
  const created = document.createNode([]) as YAMLSeq;
  document.set('arms', created);
  return created;
}

/** A new arm takes its place in the list as its id, unless another arm has that. */
function newArm(
  { name, model, variant, bus }: ArmEntry,
  known: readonly Readonly<Record<string, unknown>>[],
): Record<string, unknown> {
  const ids = known.map((arm, place) => arm.id ?? place);
  let id = known.length;
  while (ids.includes(id)) id++;
  return {
    name,
    ...(id === known.length ? {} : { id }),
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
